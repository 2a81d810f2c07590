import { US_STATES } from '../../contract/document.ts';
import { quoted } from '../../domain/cells.ts';
import { type AskedColumn, fieldForAll, keyForAll, type KnownLayout, type LayoutAnswer } from '../../domain/layout.ts';
import { lowerFirst } from '../../domain/text.ts';
import { type FieldName, fieldNamed, REQUIRED_FIELDS } from '../fields.ts';
import { valueInTitles } from '../header/columns.ts';
import type { GivenValue, OrderTable } from '../header/header-row.ts';
import { stableName } from '../layout-changes.ts';
import { sentence } from '../sentences.ts';
import { coerceChoice, meaningOf } from '../values/choice.ts';
import { coerceState } from '../values/place.ts';

// A list often has no column for a value that all its rows share. A person says it once.

export function choicesForAll(name: string | undefined) {
  return name === 'state' ? Object.keys(US_STATES) : (fieldNamed(name)?.values ?? []);
}

export const FOR_ALL = REQUIRED_FIELDS.filter(({ name }) => choicesForAll(name).length > 0);

export function valueForAll(name: string, said: string) {
  const read = name === 'state' ? coerceState(said) : coerceChoice(said, choicesForAll(name));
  return read.kind === 'value' ? String(read.value) : undefined;
}

export function lacksValueForAll({ missing }: OrderTable) {
  return missing.some((field) => FOR_ALL.includes(field));
}

const TITLE_LENGTH_MAX = 100;
const PHRASE_LENGTHS = [1, 2, 3];

/** The values in titles such as `4-Point april`. */
function saidIn(titles: readonly string[], name: FieldName) {
  const { values = [] } = fieldNamed(name);
  const phrases = titles.flatMap((title) => {
    const words = title.slice(0, TITLE_LENGTH_MAX).split(/[\s_,;:()]+/);
    return words.flatMap((_, at) => PHRASE_LENGTHS.map((count) => words.slice(at, at + count).join(' ')));
  });
  return [...new Set(phrases.flatMap((phrase) => meaningOf(phrase, values)?.value ?? []))].toSorted();
}

function keyIn(titles: readonly string[], name: FieldName) {
  return keyForAll(name, saidIn(titles, name).join('/'));
}

/** `before`: a row's values when it came back. They count while they are confirmed. */
export function knownForAll(
  titles: readonly string[],
  confirmed: KnownLayout | undefined,
  before: KnownLayout | undefined,
  layouts: readonly KnownLayout[],
) {
  const values = new Map<FieldName, GivenValue>();
  for (const { name } of FOR_ALL) {
    const value =
      before === undefined
        ? confirmed?.columns[keyIn(titles, name)]
        : layouts
            .filter(({ by }) => by === 'confirmed')
            .flatMap(({ columns }) => valuesOf(columns, name))
            .find((one) => one === before.columns[keyForAll(name)]);
    if (value != null && valueForAll(name, value) === value) values.set(name, { value });
  }
  return values;
}

function valuesOf(columns: LayoutAnswer['columns'], name: FieldName) {
  return Object.entries(columns).flatMap(([key, value]) => (fieldForAll(key) === name ? (value ?? []) : []));
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
    .filter(({ name }) => !isAsked(keyIn(titles, name), name))
    .map(({ name, title }) => {
      const said = valueInTitles(titles, choicesForAll(name));
      const [before] = valuesOf(earlier, name);
      const [proposal = null, ...others] = new Set([...saidIn(titles, name), ...valuesOf(earlier, name)]);
      const isSaid = said !== undefined || before !== undefined;
      const hints = [
        ...(said === undefined ? [] : [` ${quoted(said.title)} says ${quoted(said.value)}.`]),
        ...(before === undefined ? [] : [` It was ${quoted(before)} for the file before, or one like it.`]),
      ];
      return {
        key: keyIn(titles, name),
        letter: '',
        header: title,
        samples: [],
        proposal: isSaid && others.length === 0 ? proposal : null,
        code: 'value-for-all',
        why: sentence('value-for-all', { title: lowerFirst(title), hint: hints.join('') }),
        holds: true,
      };
    });
}
