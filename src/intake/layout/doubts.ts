import { z } from 'zod';
import { sentence } from '../../domain/sentences.ts';
import { columnLabel, formatList, isBlank, quoted } from '../../domain/cells.ts';
import type { QuestionCode } from '../../domain/layout.ts';
import type { RowOutcome, SheetRow } from '../../domain/row.ts';
import { ADDRESS_FIELDS, type FieldKind, type FieldName, fieldNamed, NUMBER_FIELDS, ORDER_FIELDS } from '../fields.ts';
import {
  ADDRESS_OWNERS,
  textsBelow,
  type HeaderCell,
  holdsNumbers,
  mayBeChoices,
  PLAIN_PARTS,
} from '../header/columns.ts';
import type { OrderTable } from '../header/header-row.ts';
import { headerPatterns } from '../header/header-patterns.ts';
import { headersOf, isKindWord } from '../header/header-words.ts';
import { looksLike } from '../header/looks-like.ts';
import { misspelledHeader } from '../header/misspelled-header.ts';
import {
  headerWords,
  shortMeaning,
  type KnownHeaders,
  nearestHeader,
  otherUnit,
  ROW_KEY_HEADER,
  spellOut,
} from '../header/known-headers.ts';
import { marksRows } from '../not-ordered.ts';
import { readRow } from '../read-row.ts';
import { repeatsHeader } from '../row-kinds.ts';
import { NO_EVIDENCE } from '../values/coercion.ts';
import { oneOf, phrases, vocabulary, WORD_END } from '../vocabulary.ts';

export type Doubt = Readonly<{
  cell: HeaderCell;
  about: FieldName;
  proposal: FieldName | null;
  code: QuestionCode;
  why: string;
  isUnread?: true;
}>;

const unsent = vocabulary(
  'unsent',
  z
    .strictObject({ words: phrases })
    .transform(({ words }) => new RegExp(`(?<![\\p{L}\\p{N}])${oneOf(words)}${WORD_END}`, 'iu')),
);

/** True for a column that bears on no order, such as a premium. */
function isUnsent(header: string) {
  const words = header
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .replaceAll('_', ' ')
    .replaceAll('#', ' number');
  return unsent().test(`${words}; ${headerWords(header).join(' ')}`);
}

/** None in a workbook of ours, or in tables side by side. */
export function orderRowsIn(table: OrderTable, below: readonly SheetRow[]) {
  if (table.keyColumn !== undefined || table.sideBySide !== undefined) return [];
  // One cell alone is a title or a footer.
  return below.filter((row) => row.cells.filter((cell) => !isBlank(cell)).length > 1 && !repeatsHeader(row, table));
}

export function doubtsOf(
  table: OrderTable,
  below: readonly SheetRow[],
  known: KnownHeaders,
  today: string,
  withoutColumn: Readonly<{ said: ReadonlySet<string>; implied: ReadonlySet<string> }>,
): Doubt[] {
  const rows = orderRowsIn(table, below);
  if (rows.length === 0) return [];
  return [...competing(table, rows, today), ...unnamed(table, rows, known, withoutColumn)];
}

/** Columns read as one field, or as several addresses, that differ in at least half of the rows. */
function competing(table: OrderTable, rows: readonly SheetRow[], today: string) {
  const several = ORDER_FIELDS.map(({ name }) => name).filter((name) => {
    const own = table.columns.get(name) ?? [];
    return own.length > 1 && own.some(({ part }) => part === undefined);
  });
  const addresses = table.cells.filter(({ address }) => address !== undefined && ASKED_PARTS.has(address.part));
  const sets = new Set(addresses.map(({ address }) => `${address?.set} ${address?.whose ?? ''}`));
  if (several.length === 0 && sets.size < 2) return [];
  const outcomes = rows.map((row) => readRow(row, trialOf(table, today)));
  const differ = (isIt: (rule: string, field: FieldName) => boolean) =>
    2 * outcomes.filter((outcome) => hasProblem(outcome, isIt)).length >= rows.length;
  const found = several.flatMap((name) => {
    const own = table.cells.filter(({ field, address }) => field?.name === name && address === undefined);
    return own.length > 1 && differ((rule, field) => rule === 'columns-disagree' && field === name)
      ? rivals(own, name, rows)
      : [];
  });
  const areTwo = differ(
    (rule, field) =>
      rule === 'two-addresses' ||
      (rule === 'columns-disagree' && field !== 'streetAddress' && ADDRESS_FIELDS.some((name) => name === field)),
  );
  return areTwo ? [...found, ...secondAddress(addresses)] : found;
}

const ASKED_PARTS = new Set([...PLAIN_PARTS, 'place']);

function trialOf(table: OrderTable, today: string) {
  return { table, file: '', today, evidence: () => NO_EVIDENCE, words: new Map(), goesWithout: false };
}

function hasProblem(outcome: RowOutcome, isIt: (rule: string, field: FieldName) => boolean) {
  return (
    outcome.kind !== 'order' &&
    outcome.problems.some(({ rule, field }) => field !== null && isIt(rule, field as FieldName))
  );
}

/** Of several columns for a field, proposes the first whose values fit, else the first. */
function rivals(cells: readonly HeaderCell[], about: FieldName, rows: readonly SheetRow[]) {
  const wholes = cells.filter(({ part }) => part === undefined);
  const best = wholes.find(({ index }) => looksLike(about, index, rows) === true) ?? wholes[0];
  const title = quoted(fieldNamed(about).title);
  return cells.map((cell) => {
    const others = formatList(cells.filter((other) => other !== cell).map(columnLabel));
    const why = sentence('columns-compete', { column: columnLabel(cell), title, others });
    return { cell, about, proposal: cell === best ? about : null, code: 'columns-compete' as const, why };
  });
}

/** Of several addresses, the property's is proposed, then the first one. */
function secondAddress(cells: readonly HeaderCell[]): Doubt[] {
  const rank = ({ address }: HeaderCell) =>
    ADDRESS_OWNERS.indexOf(address?.whose ?? 'other') +
    (address?.isAnother === true || address?.weak === 'loose' ? 10 : 0);
  const streets = cells.filter(({ address }) => address?.part === 'street').toSorted((a, b) => rank(a) - rank(b));
  const house = streets[0]?.address;
  const taken = new Set<FieldName>();
  const shared = cells.filter(({ address }) => address?.set === undefined);
  const proposed = new Set(
    [...cells.filter(({ address }) => address?.set === house?.set), ...shared].filter((cell) => {
      const name = fieldOfPart(cell);
      const isFirst = !taken.has(name);
      taken.add(name);
      return isFirst;
    }),
  );
  const named = formatList(streets.map(columnLabel));
  return cells.map((cell) => ({
    cell,
    about: fieldOfPart(cell),
    proposal: proposed.has(cell) ? fieldOfPart(cell) : null,
    code: 'second-address',
    why: sentence('second-address', { named }),
  }));
}

function fieldOfPart({ address, field }: HeaderCell) {
  const part = address?.part ?? '';
  return ADDRESS_FIELDS.find((name) => name === part) ?? (part === 'place' ? 'city' : (field?.name ?? 'streetAddress'));
}

/** In the order in which an unknown column is tried for them; the others are asked about only if misspelled. */
const MATTERS: readonly FieldName[] = [
  'serviceName',
  'policyType',
  'houseType',
  'insuredEmail',
  'insuredPhone',
  'zipcode',
  'state',
  'streetAddress',
  'city',
  'policyNumber',
  'inspectionNumber',
  'policyEffectiveDate',
  'insuredName',
  'dwellingCoverage',
];
const FIELDS = new Set<FieldName>([...MATTERS, ...ORDER_FIELDS.map(({ name }) => name)]);

function unnamed(
  table: OrderTable,
  rows: readonly SheetRow[],
  known: KnownHeaders,
  { said, implied }: Parameters<typeof doubtsOf>[4],
) {
  const isFilled = (name: FieldName) =>
    (table.columns.get(name) ?? []).some(({ index }) => rows.every((row) => !isBlank(row.cells[index])));
  const hasNumber = NUMBER_FIELDS.some(isFilled);
  const isNeeded = (name: FieldName, rank: number) => {
    if (name === 'policyEffectiveDate') return !isFilled('inspectionNumber');
    if (!NUMBER_FIELDS.includes(name)) return true;
    // Next to another number, values alone prove nothing.
    return (
      !(hasNumber && rank === RANKS.values) &&
      ![...doubts.values()].some(({ proposal }) => proposal !== null && NUMBER_FIELDS.includes(proposal))
    );
  };
  const open = table.cells.filter(
    ({ field, why, header, isOutside, address }) =>
      field === undefined &&
      why === undefined &&
      (address === undefined ||
        address.weak === 'loose' ||
        (address.whose === 'mail' &&
          address.part === 'street' &&
          !headerPatterns.addresses.mail.test(spellOut(header)))) &&
      !isOutside &&
      header !== '' &&
      header !== ROW_KEY_HEADER &&
      otherUnit(header) === undefined &&
      !known.isIgnored(header),
  );
  const doubts = new Map<HeaderCell, Doubt>();
  for (const name of FIELDS) {
    if (table.columns.has(name)) continue;
    const streets = table.cells
      .filter((cell) => (doubts.get(cell)?.proposal ?? cell.field?.name) === 'streetAddress')
      .map(({ header }) => wordsBefore(header, 'streetAddress', known));
    const candidates = open.flatMap((cell) => {
      const fit = (doubts.get(cell)?.proposal ?? null) === null ? fitOf(cell, name, rows, known, streets) : undefined;
      return fit === undefined ? [] : [{ cell, ...fit }];
    });
    const best = Math.min(...candidates.map(({ rank }) => rank));
    if (best !== RANKS.misspelled && !isNeeded(name, best)) continue;
    const isRequired = table.missing.some((field) => field.name === name);
    const close = candidates
      .filter(({ rank }) => isRequired || rank === best)
      .toSorted(
        (a, b) => isContact(a.cell) - isContact(b.cell) || a.rank - b.rank || Number(b.looks) - Number(a.looks),
      );
    for (const [at, { cell, code, why }] of close.entries()) {
      const isOther = name === 'policyEffectiveDate' && /^(?:endors|cancel)/.test(spellOut(cell.header));
      const proposal = isOther
        ? undefined
        : cell.owner === 'Agent'
          ? fieldNamed(name.replace('insured', 'agent'))?.name
          : name;
      if (at === 0) doubts.set(cell, { cell, about: name, proposal: proposal ?? null, code, why });
      else if (!doubts.has(cell)) doubts.set(cell, { cell, about: name, proposal: null, code, why });
    }
  }
  const named = [...doubts.values()].toSorted((a, b) => a.cell.index - b.cell.index);
  return [
    ...named,
    ...unread(
      open.filter((cell) => !doubts.has(cell)),
      table.missing.filter(({ name, title }) => !said.has(title) && !named.some(({ proposal }) => proposal === name)),
      rows,
      implied,
    ),
  ];
}

/** 1 for a contact, who need not be the insured. */
function isContact({ header }: HeaderCell) {
  return Number(/contact.?name/i.test(header));
}

export const FORMED = new Set<FieldKind>(['state', 'zip', 'phone', 'email']);

/** Any column of words could hold a required field that no column holds or is proposed for. */
function unread(
  cells: readonly HeaderCell[],
  missing: OrderTable['missing'],
  rows: readonly SheetRow[],
  implied: ReadonlySet<string>,
) {
  const ofWords = missing.filter(({ kind }) => !FORMED.has(kind));
  const wanted = ofWords.filter(
    ({ name, title }) => !implied.has(title) || columnsNamed(name, cells, ofWords).length > 0,
  );
  const [first] = wanted;
  if (first === undefined) return [];
  const titles = formatList(wanted.map(({ title }) => quoted(title)));
  const why = sentence('header-unknown', { titles });
  const open = cells.filter(({ index, header }) => {
    const texts = textsBelow(index, rows);
    // Kinds repeat, names do not.
    const mayBeKinds = texts.length < KINDS_MIN || new Set(texts).size < texts.length;
    const isCode = (text: string) => text.length <= 2 && spellOut(header).endsWith('code');
    return (
      texts.length > 0 &&
      2 * texts.filter((text) => /\p{L}/u.test(text) || isCode(text)).length >= texts.length &&
      (mayBeKinds || wanted.some(({ values }) => values === undefined))
    );
  });
  const named = new Map(
    wanted.map(({ name, values }) => {
      const [cell, ...others] = values === undefined ? [] : columnsNamed(name, open, wanted);
      return [others.length === 0 ? cell : undefined, name];
    }),
  );
  const isDone = wanted.every(({ name }) => [...named].some(([cell, one]) => cell !== undefined && one === name));
  return open.flatMap((cell): Doubt | never[] => {
    const proposal = named.get(cell) ?? null;
    if (isDone && proposal === null) return [];
    const doubt = { cell, about: proposal ?? first.name, proposal, why } as const;
    return { ...doubt, code: 'header-unknown', ...(proposal === null && { isUnread: true }) };
  });
}

const KINDS_MIN = 5;

/** Over words that are not listed. */
function columnsNamed(name: FieldName, cells: readonly HeaderCell[], wanted: OrderTable['missing']) {
  const isKind = ({ header }: HeaderCell) =>
    wanted.length === 1 &&
    /(?:type|class|category|program|product|line|form|structure|dwelling|building)$/.test(spellOut(header)) &&
    headerWords(header).every((word) => word === 'coverage' || isKindWord(word));
  const isNear = ({ header }: HeaderCell) => nearestHeader(header, headersOf(name).names.slice(1)) !== undefined;
  return cells.filter((one) => shortMeaning(one.header) === name || isKind(one) || isNear(one));
}

const DATE_WORDS = new Set(headersOf('policyEffectiveDate').names.flatMap(headerWords));

/** `Date added`, `Vacant since`: a word, and no short form, that no header of the date has. */
function isOtherWord(word: string) {
  return !DATE_WORDS.has(word) && /^(?=.*[aeiou])\p{L}{4,}$/u.test(word);
}

/** The words before a field's name: `home` in `Home City`, nothing in `City`. */
function wordsBefore(header: string, field: FieldName, known: KnownHeaders) {
  const words = headerWords(header);
  const at = words.findIndex((_, index) => known.fieldOf(words.slice(index).join(' '))?.name === field);
  return words.slice(0, Math.max(at, 0)).join(' ');
}

const RANKS = { misspelled: 0, unclear: 1, similar: 2, values: 3 };

function isPlace(name: FieldName) {
  return ADDRESS_FIELDS.some((one) => one === name);
}

/** How a column fits a field: by its header, then by its values alone. */
function fitOf(
  { index, header, group }: HeaderCell,
  name: FieldName,
  rows: readonly SheetRow[],
  known: KnownHeaders,
  streets: readonly string[],
) {
  const title = quoted(fieldNamed(name).title);
  const looks = mayBeChoices(fieldNamed(name), index, rows) || looksLike(name, index, rows);
  const fit = (rank: number, why: string, code: QuestionCode = 'header-unknown') => ({
    rank,
    code,
    looks: looks === true,
    why: `The table has no ${why}.`,
  });
  const unknown = `column for ${title}, and ${quoted(header)} resembles`;
  const misspelled = misspelledHeader(header);
  if (misspelled !== undefined && !isUnsent(misspelled.wrongWords) && rows.some(({ cells }) => !isBlank(cells[index])))
    return misspelled.field === name ? fit(RANKS.misspelled, `${unknown} ${quoted(misspelled.name)}`) : undefined;
  if (name === 'dwellingCoverage' && headerPatterns.words.otherAmounts.test(spellOut(header))) return undefined;
  const isShort = shortMeaning(header) === name;
  if (looks === false && !(isShort && name === 'policyNumber' && holdsNumbers(index, rows))) return undefined;
  if (!MATTERS.includes(name) || (fieldNamed(name).kind === 'date' && marksRows(header))) return undefined;
  if (group !== undefined && known.fieldOf(header)?.name === name)
    return fit(
      RANKS.unclear,
      `other column for ${title}, and no list says whose the columns under ${quoted(group)} are`,
      'group-unknown',
    );
  if (isShort)
    return fit(
      RANKS.unclear,
      `other column for ${title}, but ${quoted(header)} could be somebody else's`,
      'header-unclear',
    );
  const names = headersOf(name).names.slice(1);
  const whose = wordsBefore(header, name, known);
  const isCity = name === 'city' && whose !== '' && !headerPatterns.addresses.other.test(spellOut(header));
  // `Lead: Policy Number`, but not `Original effective date`
  const near =
    (name === 'policyEffectiveDate' && headerWords(header).includes('effective') ? 'Effective date' : undefined) ??
    nearestHeader(header, names) ??
    nearestHeader(header.replace(/^.*[.:>]/, ''), names) ??
    (isPlace(name) && known.fieldOf(`property ${header}`)?.name === name ? `Property ${header}` : undefined) ??
    (isCity && streets.every((street) => street === '' || street === whose) ? 'City' : undefined);
  if (
    near !== undefined &&
    (isUnsent(near) || !isUnsent(header) || (near === 'Effective date' && headerPatterns.words.askedDates.test(header)))
  )
    return fit(RANKS.similar, `${unknown} ${quoted(near)}`);
  if (name.startsWith('insured') && /^your\b|agen[ct]|producer|broker|site.?contact$/i.test(header)) return undefined;
  if (name === 'policyEffectiveDate' && headerWords(header).some(isOtherWord)) return undefined;
  return looks === true && (fieldNamed(name).values !== undefined || !isUnsent(header))
    ? fit(RANKS.values, `column for ${title}, and the values under ${quoted(header)} fit`)
    : undefined;
}
