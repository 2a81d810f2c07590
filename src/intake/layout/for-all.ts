import { US_STATES } from '../../contract/document.ts';
import { quoted } from '../../domain/cells.ts';
import { type AskedColumn, keyForAll, type KnownLayout, type LayoutAnswer } from '../../domain/layout.ts';
import { lowerFirst } from '../../domain/text.ts';
import { type FieldName, fieldNamed, REQUIRED_FIELDS } from '../fields.ts';
import { valueInTitles } from '../header/columns.ts';
import type { GivenValue, OrderTable } from '../header/header-row.ts';
import { stableName } from '../layout-changes.ts';
import { sentence } from '../sentences.ts';
import { coerceChoice } from '../values/choice.ts';
import { coerceState } from '../values/place.ts';

// A list of one kind often has no column for what is the same in all rows. A person says it once.

export function choicesForAll(name: string | undefined) {
  return name === 'state' ? Object.keys(US_STATES) : (fieldNamed(name)?.values ?? []);
}

export const FOR_ALL = REQUIRED_FIELDS.filter(({ name }) => choicesForAll(name).length > 0);

export function valueForAll(name: string, said: string) {
  const read = name === 'state' ? coerceState(said) : coerceChoice(said, choicesForAll(name));
  return read.kind === 'value' ? String(read.value) : undefined;
}

export function mayBeTold({ missing }: OrderTable) {
  return missing.some((field) => FOR_ALL.includes(field));
}

function valuesIn(columns: LayoutAnswer['columns']) {
  const told = new Map<FieldName, GivenValue>();
  for (const { name } of FOR_ALL) {
    const value = valueForAll(name, columns[keyForAll(name)] ?? '');
    if (value !== undefined) told.set(name, { value });
  }
  return told;
}

/** `before`: a row's values when it came back, if it did. They count as long as they are confirmed. */
export function toldFor(
  titles: readonly string[],
  confirmed: KnownLayout | undefined,
  before: KnownLayout | undefined,
  layouts: readonly KnownLayout[],
) {
  const columns = Object.entries((before ?? confirmed)?.columns ?? {}).filter(
    ([key, value]) =>
      before === undefined || layouts.some(({ by, columns: now }) => by === 'confirmed' && now[key] === value),
  );
  const told = valuesIn(Object.fromEntries(columns));
  for (const [name, { value }] of told) {
    const said = before === undefined ? saidIn(titles, name)?.value : undefined;
    if (said !== undefined && said !== value) told.delete(name);
  }
  return told;
}

function saidIn(titles: readonly string[], name: FieldName) {
  const { values } = fieldNamed(name);
  return values === undefined ? undefined : valueInTitles(titles, values);
}

/** In the inbox itself, another sender may have a list with the same headers. */
export function isOfAnother({ file }: KnownLayout, name: string) {
  return file !== undefined && stableName(file) !== stableName(name);
}

const NEEDED = new Set<FieldName>(['streetAddress', 'insuredName']);

/** One line for each field. `titles`: of the table and the file. `earlier`: what was answered for another one. */
export function askedForAll(
  missing: OrderTable['missing'],
  titles: readonly string[],
  earlier: LayoutAnswer['columns'],
  isAsked: (key: string, field: FieldName) => boolean,
): AskedColumn[] {
  if (missing.some(({ name }) => NEEDED.has(name) && !isAsked('', name))) return [];
  // The street's column may bring the state along.
  const hasStreet = missing.every(({ name }) => name !== 'streetAddress');
  const fields = FOR_ALL.filter((field) => missing.includes(field) && (hasStreet || field.name !== 'state'));
  return fields
    .filter(({ name }) => !isAsked(keyForAll(name), name))
    .map(({ name, title }) => {
      const key = keyForAll(name);
      const said = saidIn(titles, name);
      const before = valueForAll(name, earlier[key] ?? '');
      const [proposal = null, ...others] = new Set([said?.value, before].filter((one) => one !== undefined));
      const hints = [
        ...(said === undefined ? [] : [` ${quoted(said.title)} says ${quoted(said.value)}.`]),
        ...(before === undefined ? [] : [` It was ${quoted(before)} for the file before, or one like it.`]),
      ];
      return {
        key,
        letter: '',
        header: title,
        samples: [],
        proposal: others.length === 0 ? proposal : null,
        code: 'value-for-all',
        why: sentence('value-for-all', { title: lowerFirst(title), hint: hints.join('') }),
        holds: true,
      };
    });
}
