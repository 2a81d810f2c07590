import { parse } from 'node:path';
import { houseTypesOf, US_STATES } from '../../contract/document.ts';
import { quoted } from '../../domain/cells.ts';
import { type AskedColumn, fieldForAll, keyForAll, type KnownLayout, type LayoutAnswer } from '../../domain/layout.ts';
import type { SheetRow } from '../../domain/row.ts';
import { lowerFirst } from '../../domain/text.ts';
import { type FieldName, fieldNamed, REQUIRED_FIELDS } from '../fields.ts';
import { saysWithLimits, TITLE_LENGTH_MAX, titleMeaning, valueInTitles } from '../header/columns.ts';
import { type GivenValue, type HeaderRow, type OrderTable, type Section, titleTexts } from '../header/header-row.ts';
import { stableName } from '../stable-name.ts';
import { sentence } from '../../domain/sentences.ts';
import { coerceChoice, onlyPerhaps } from '../values/choice.ts';
import { coerceState, statesOfZip } from '../values/place.ts';
import { orderRowsIn } from './doubts.ts';
import { holdingNothing, tableLines, sectionsOf } from './sections.ts';

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

const PHRASE_LENGTHS = [4, 3, 2, 1];

/** The values in titles such as `4-Point april`, each with its title. Of the state, a title says nothing else. */
function saidIn(titles: readonly string[], name: FieldName) {
  const { values = [] } = fieldNamed(name);
  // Of titles that say the same, the last one is quoted.
  const plainLast = titles.toSorted((a, b) => Number(saysWithLimits(b)) - Number(saysWithLimits(a)));
  const said = plainLast.flatMap((title) => {
    if (name === 'state') return [[valueInTitles([title], name)?.value ?? '', title] as const];
    // A tab `Commercial` must not get what was confirmed for homeowners.
    const mayBeVague = name === 'policyType' && !saysWithLimits(title);
    const words = title.slice(0, TITLE_LENGTH_MAX).split(/[\s_,;:()]+/);
    const found = [];
    for (let at = 0, length; at < words.length; at += length ?? 1) {
      const valueOf = (count: number) => {
        const phrase = words.slice(at, at + count).join(' ');
        return titleMeaning(phrase, values) ?? (mayBeVague ? onlyPerhaps(phrase, values) : undefined);
      };
      length = PHRASE_LENGTHS.find((count) => valueOf(count) !== undefined);
      found.push([length === undefined ? '' : (valueOf(length) ?? ''), title] as const);
    }
    return found;
  });
  return new Map(said.filter(([value]) => value !== '').toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isFor(key: string, name: FieldName) {
  return fieldForAll(key) === name;
}

function answersFor(name: FieldName, columns: LayoutAnswer['columns']) {
  return Object.entries(columns).filter(([key]) => isFor(key, name));
}

/** In the inbox itself, another sender may have a list with the same headers. */
function isOfAnother({ file }: KnownLayout, name: string) {
  return file !== undefined && stableName(file) !== stableName(name);
}

/** Null: the rows differ. If all other titles have one value, it also counts, unless the titles say another. */
function remembered(name: FieldName, said: readonly string[], columns: LayoutAnswer['columns']) {
  const exact = columns[keyForAll(name, said.join('/'))];
  const all = new Set(answersFor(name, columns).map(([, one]) => one));
  const [value] = exact === undefined ? all : [exact];
  if (value == null) return exact;
  const counts = exact !== undefined || (all.size === 1 && said.every((one) => one === value));
  return counts && valueForAll(name, value) === value ? value : undefined;
}

/** The only value that goes with all ZIP codes, all house types and numbers such as `CPP 4471902`, or the policy type. */
function valueImplied(name: FieldName, { zipcode, houseType, policyNumber }: ForAll['held'], policyType = '') {
  const zips = [...zipcode].flatMap((text) => /^\d{3,5}(?=-|$)/.exec(text)?.[0].padStart(5, '0') ?? []);
  const listed = (field: FieldName, texts: ReadonlySet<string>) =>
    [...texts].flatMap((text) => valueForAll(field, text) ?? []);
  const [houses, types] = [listed('houseType', houseType), listed('policyType', policyNumber)];
  const goes: Partial<Record<FieldName, (value: string) => boolean | undefined>> = {
    state: (value) => zips.length > 0 && zips.every((zip) => statesOfZip(zip).includes(value)),
    policyType: (value) =>
      houses.length > 0 &&
      houses.every((house) => houseTypesOf(value)?.includes(house)) &&
      types.every((type) => type === value),
    houseType: (value) => houseTypesOf(policyType)?.includes(value),
  };
  const [value, ...others] = choicesForAll(name).filter((one) => goes[name]?.(one));
  return others.length === 0 ? value : undefined;
}

const OTHERS = '(others)';
const TITLES_MAX = 100;

type Around = Readonly<{
  file: string;
  rows: () => AsyncIterable<SheetRow>;
  ofPeople: KnownLayout | undefined;
  isSameLayout: boolean;
  layouts: readonly KnownLayout[];
  /** How a row that came back was read. A value counts while it is confirmed. */
  before: KnownLayout | undefined;
}>;

/** What the file says of values for all rows, or for those below a title. `table`: as if nothing were confirmed. */
export async function valuesForAll(table: OrderTable, header: HeaderRow, around: Around) {
  const { file, rows, ofPeople, isSameLayout, layouts, before } = around;
  const { sheet } = header.row;
  const fields = FOR_ALL.filter(({ name }) => !table.columns.has(name));
  const isAsked = fields.length > 0 && orderRowsIn(table, header.below).length > 0;
  const { lines, filled, held } = await tableLines(isAsked ? rows() : [], table);
  const sections = sectionsOf(lines, fields);
  const others = lines.flatMap(({ text }, at) => ((sections[at]?.titles.size ?? 0) > 0 ? [] : text));
  const titles = [...titleTexts(header), parse(file).name, ...others.slice(0, TITLES_MAX)];
  const earlier = ofPeople?.columns ?? {};
  const confirmed = isSameLayout && ofPeople !== undefined && !isOfAnother(ofPeople, file) ? earlier : {};
  const saidOf = new Map(
    fields.map(({ name }) => {
      const said = saidIn(titles, name);
      // The houses on the sheets `HO3` and `HO6` differ.
      const isForm = name === 'houseType' && valueForAll('policyType', sheet) !== undefined;
      if (isForm && said.size === 0 && confirmed[keyForAll(name)] === undefined) said.set(sheet, '');
      return [name, sections.some((section) => section.titles.has(name)) ? said.set(OTHERS, '') : said] as const;
    }),
  );
  const values = new Map<FieldName, GivenValue>();
  for (const [name, said] of saidOf) {
    const known = layouts.filter(({ by }) => by === 'confirmed').flatMap(({ columns }) => answersFor(name, columns));
    const value =
      before === undefined
        ? remembered(name, [...said.keys()], confirmed)
        : known.find(([, one]) => one === before.columns[keyForAll(name)])?.[1];
    const isRemembered = before === undefined && said.size === 0 && confirmed[keyForAll(name)] === undefined;
    if (value != null) values.set(name, { value, why: 'confirmed for all rows of this layout', isRemembered });
  }
  return { values, sections, filled, saidOf: isAsked ? saidOf : new Map(), confirmed, earlier, held };
}

type ForAll = Awaited<ReturnType<typeof valuesForAll>>;

/** The values of the rows below titles. A column for them is added, which the corrections workbook shows. */
export function withSections(table: OrderTable, { sections, filled, confirmed }: ForAll): OrderTable {
  if (sections.length === 0) return table;
  const fields = FOR_ALL.filter(
    ({ name }) => !table.columns.has(name) && sections.some(({ titles }) => titles.has(name)),
  );
  let index = Math.max(...table.layout.columns.map((column) => column.index));
  const added = fields.map(({ name, title }) => {
    do index += 1;
    while (filled.has(index));
    return { index, header: title, field: name };
  });
  const withValues = sections.map((section) => {
    const given = new Map(table.given);
    for (const [name, { value: said, title }] of section.titles) {
      const value = remembered(name, [said], confirmed);
      if (value != null) given.set(name, { value, title, why: 'confirmed for the rows below this title' });
      else if (given.get(name)?.value !== said) given.delete(name);
    }
    const cells = added.flatMap(({ index, field }) => {
      const text = given.get(field)?.value ?? section.titles.get(field)?.title;
      return text === undefined ? [] : [[index, text] as const];
    });
    return { ...section, given, added: cells };
  });
  return { ...table, sections: withValues, layout: { ...table.layout, columns: [...table.layout.columns, ...added] } };
}

/** What is asked of a field: of the rows below each kind of title, and of the others. */
function placesOf(name: FieldName, whole: ReadonlyMap<string, string>, sections: readonly Section[]) {
  const counted = (some: readonly Section[] = []) => some.reduce((sum, { rows }) => sum + rows, 0);
  const below = Map.groupBy(sections, (section) => section.titles.get(name)?.value);
  const others = counted(below.get(undefined));
  const places = [...below].flatMap(([value, some]) => {
    const texts = new Set(some.flatMap((section) => section.titles.get(name)?.title ?? []));
    const place = `rows below ${[...texts].join(', ')} (${counted(some)})`;
    return value === undefined || counted(some) === 0 ? [] : { said: new Map([[value, '']]), place, isWhole: false };
  });
  const place = whole.has(OTHERS) ? `other rows (${others})` : 'all rows';
  return whole.has(OTHERS) && others === 0 ? places : [...places, { said: whole, place, isWhole: true }];
}

export function askedForAll(
  { missing, columns, given }: OrderTable,
  { saidOf, sections, confirmed, earlier, held }: ForAll,
  isAsked: (key: string, field: FieldName) => boolean,
): AskedColumn[] {
  // The street's column may bring the state along.
  const hasStreet = missing.every(({ name }) => name !== 'streetAddress');
  if (!hasStreet && !isAsked('', 'streetAddress')) return [];
  let policyType = given?.get('policyType')?.value;
  return FOR_ALL.flatMap((field) => {
    const { name, title } = field;
    const whole = saidOf.get(name);
    if (whole === undefined || columns.has(name) || (name === 'state' && !hasStreet)) return [];
    return placesOf(name, whole, sections).flatMap(({ said, place, isWhole }) => {
      const key = keyForAll(name, [...said.keys()].join('/'));
      if (isWhole && !missing.includes(field)) return [];
      if (isAsked(key, name) || remembered(name, [...said.keys()], confirmed) !== undefined) return [];
      const values = [...said].filter(([value]) => choicesForAll(name).includes(value));
      // A value that another title says does not contradict this one.
      const before = new Set(
        answersFor(name, earlier).flatMap(([answered, value]) =>
          value !== null && (said.size === 0 || answered !== keyForAll(name, value)) ? value : [],
        ),
      );
      const plain = values.find(([, text]) => !saysWithLimits(text));
      const [first] = before;
      const evidence = new Set([...values.map(([value]) => value), ...before]);
      const implied = valueImplied(name, held, policyType);
      const isImplied = evidence.size === 0 || (before.size === 0 && evidence.size > 1 && evidence.has(implied ?? ''));
      const only = isImplied ? implied : undefined;
      const proposal = only ?? (evidence.size === 1 ? (plain?.[0] ?? first) : undefined);
      if (name === 'policyType') policyType ??= proposal;
      const hints = [
        ...(plain === undefined || plain[1] === '' ? [] : [` ${quoted(plain[1])} says ${quoted(plain[0])}.`]),
        ...(first === undefined ? [] : [` It was ${quoted(first)} for the file before, or one like it.`]),
        ...(only === undefined ? [] : [` Only ${quoted(only)} goes with what else the file says.`]),
      ];
      const rows = place === 'all rows' ? 'every row of the file' : `the ${place}`;
      return {
        key,
        letter: place,
        header: title,
        samples: [],
        proposal: proposal ?? null,
        code: 'value-for-all',
        why: sentence('value-for-all', { title: lowerFirst(title), rows, hint: hints.join('') }),
        holds: true,
      } as const;
    });
  });
}

/** Titles of the fields whose values are proposed. */
export function proposedForAll(asked: readonly AskedColumn[]) {
  const open = new Set(asked.flatMap(({ header, proposal }) => (proposal === null ? header : [])));
  return new Set(asked.flatMap(({ header }) => (open.has(header) ? [] : header)));
}

/** Titles of the fields that need no column: a value for all rows is said, or left by the rows. */
export function withoutColumn(table: OrderTable, forAll: ForAll) {
  const by = (held: ForAll['held']) => proposedForAll(askedForAll(table, { ...forAll, held }, (key) => key === ''));
  return { said: by(holdingNothing()), implied: by(forAll.held) };
}
