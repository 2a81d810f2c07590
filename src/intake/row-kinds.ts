import { z } from 'zod';
import { cellAddress, cellText, formatList, isBlank, quoted } from '../domain/cells.ts';
import type { RowOutcome, SheetRow } from '../domain/row.ts';
import { describePlace } from './own-workbooks.ts';
import { problemFor } from '../domain/sentences.ts';
import { normalizedHeader } from '../domain/text.ts';
import { ADDRESS_FIELDS, type FieldName, fieldNamed } from './fields.ts';
import { valueInTitles } from './header/columns.ts';
import { countFieldsInRow, type OrderTable } from './header/header-row.ts';
import type { KnownHeaders } from './header/known-headers.ts';
import { isChoice } from './values/choice.ts';
import { oneOf, pattern, phrases, vocabulary, WORD_END } from './vocabulary.ts';

export const NO_ORDER = 'rows-no-orders';

/** `data` and `other-header` are returned as rows; the others are codes of notes. A `title` is above a group of rows. */
export type RowKind =
  | ('data' | 'other-header' | 'title')
  | ('rows-totals' | 'rows-repeat-header' | 'rows-only-key' | typeof NO_ORDER | 'rows-apart');

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*';
const MONTH_OF_YEAR = new RegExp(`^\\W*${MONTH}\\W+\\d{4}\\W*$`, 'i');

function ofThings(text: string, things: string) {
  return new RegExp(
    text.replaceAll('{things}', () => things),
    'iu',
  );
}

const footers = vocabulary(
  'footers',
  z
    .strictObject({
      begins: phrases,
      whole: phrases,
      groups: phrases,
      things: z.string(),
      total: z.string(),
      count: z.string(),
      ofProgram: z.string(),
      signature: pattern,
      instruction: pattern,
      withinNames: pattern,
      placeholder: pattern,
      legend: pattern,
      colors: z.record(z.string(), z.array(z.string())),
    })
    .transform(({ begins, whole, groups, things, ...patterns }) => ({
      ...patterns,
      total: ofThings(patterns.total, things),
      count: ofThings(patterns.count, things),
      ofProgram: ofThings(patterns.ofProgram, things),
      footer: new RegExp(`^\\W*(?:${oneOf(begins)}${WORD_END}|${oneOf(whole)}\\W*$)`, 'iu'),
      group: new RegExp(`^\\W*(?:${MONTH}\\W+(?:\\d{4}\\W+)?)?${oneOf(groups)}[\\W\\d]*$`, 'iu'),
    })),
);

export function rowKind(row: SheetRow, table: OrderTable, known: KnownHeaders): RowKind {
  if (isSignature(row)) return NO_ORDER;
  const filled = row.cells.flatMap((cell, index) => (isBlank(cell) ? [] : [{ cell, index }]));
  if (filled.every(({ index }) => index === table.keyColumn)) return 'rows-only-key';
  if (isTotal(filled, table)) return 'rows-totals';
  const [only, ...others] = filled.map(({ index }) => index);
  if (others.length === 0 && table.columnAt[only ?? 0] === undefined) return 'rows-apart';
  if (filled.every(({ index }) => table.columnsOutside?.has(index))) return 'rows-apart';
  const isMerged = row.remarks?.some((remark) => remark.kind === 'merged' && remark.firstRow === row.rowNumber);
  if (others.length === 0 && (isMerged === true || MONTH_OF_YEAR.test(cellText(filled[0]?.cell)))) return 'title';
  const none = noOrder(filled, table);
  if (none !== undefined) return none;
  if (repeatsHeader(row, table)) return 'rows-repeat-header';
  return !holdsFigures(filled) && countFieldsInRow(row, known) > 0 ? 'other-header' : 'data';
}

type FilledCell = Readonly<{ cell: SheetRow['cells'][number]; index: number }>;

const FIGURES_MIN = 3;

/** Headers do not hold several numbers, dates or e-mail addresses. */
function holdsFigures(filled: readonly FilledCell[]) {
  return filled.filter(({ cell }) => cell?.kind !== 'text' || /^\d|@|\d{4}/.test(cell.text)).length >= FIGURES_MIN;
}

/** A line alone that says what somebody does. */
function isSignature({ cells }: SheetRow) {
  const [text = '', ...others] = cells.map((cell) => cellText(cell).trim()).filter((held) => held !== '');
  return others.length === 0 && !/\d/.test(text) && footers().signature.test(text);
}

/** A person named Count has a policy, date or city. */
function isTotal(filled: readonly FilledCell[], { columns, columnAt, keyColumn }: OrderTable) {
  if (filled.some(({ index }) => index === keyColumn)) return false;
  const at = filled.findIndex(({ cell }) => isTotalLabel(cell));
  const before = filled.slice(0, Math.max(at, 0));
  if (at === -1 || before.some(({ cell, index }) => columnAt[index]?.field != null || !isFigure(cell))) return false;
  const known = new Set(KNOWN_BY.flatMap((name) => (columns.get(name) ?? []).map(({ index }) => index)));
  return filled
    .slice(at + 1)
    .every(
      ({ cell, index }) =>
        (isFigure(cell) || isTotalLabel(cell) || footers().count.test(cellText(cell))) &&
        !(known.has(index) && cellText(cell).replace(/\D|^0+/g, '').length > COUNT_DIGITS_MAX),
    );
}

const COUNT_DIGITS_MAX = 4;
const KNOWN_BY = ['policyNumber', 'inspectionNumber', 'zipcode', 'insuredPhone'] as const;

const LABEL_LENGTH_MAX = 80;

function isTotalLabel(cell: SheetRow['cells'][number]) {
  return cell?.kind === 'text' && cell.text.length <= LABEL_LENGTH_MAX && footers().total.test(cell.text);
}

function isFigure(cell: SheetRow['cells'][number]) {
  return (
    cell?.kind === 'number' ||
    cell?.kind === 'formula' ||
    (cell?.kind === 'text' && /^[-$\d.,()\s]+$/.test(cell.text) && /[\d-]/.test(cell.text))
  );
}

export const LABELED_MAX = 3;

const SMALL_WORDS_MIN = 3;

/** Such as `Please call with any questions`: begins with a capital, with lowercase words that are not in names. */
function isSentence(text: string) {
  if (!/^\W*\p{Lu}/u.test(text)) return false;
  const small = text.split(/[\s,;:.!?]+/, WORDS_LOOKED_AT).filter((word) => /^\p{Ll}{2,}$/u.test(word));
  return small.filter((word) => !footers().withinNames.test(word)).length >= SMALL_WORDS_MIN;
}

const WORDS_LOOKED_AT = 60;
const DATE = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}$/;
const LINE = /^[-=_*~.,;|\s]+$/;
const DIGITS_NEEDED = new Set(['policyNumber', 'inspectionNumber', 'policyEffectiveDate', 'zipcode', 'insuredPhone']);
const WORDS_MAX = 4;

/** A line such as `max 20 char`, `MM/DD/YYYY`, `unit, apt`, `see list`. */
function isInstruction(texts: readonly string[]) {
  const others = texts.filter((text) => !LINE.test(text) && !footers().instruction.test(text));
  return texts.length > 1 && 2 * others.length < texts.length && others.every((text) => !/\d/.test(text));
}

function noOrder(filled: readonly FilledCell[], table: OrderTable) {
  if (filled.some(({ index }) => index === table.keyColumn)) return undefined;
  if (holdsNoField(filled, table)) return NO_ORDER;
  const texts = filled.map(({ cell }) => cellText(cell).trim());
  if (texts.every((text) => LINE.test(text)) || isInstruction(texts)) return NO_ORDER;
  const [first] = filled;
  const [text] = texts;
  if (first === undefined || text === undefined) return undefined;
  const { ofProgram, footer } = footers();
  // `Report date:`, with its value in the next cells; `Page 1 of 2` and a date.
  if (filled.length > 1) {
    const isLabeled = first.index === 0 && text.endsWith(':') && footer.test(text);
    const isPage =
      texts.every((one) => ofProgram.test(one) || footer.test(one) || DATE.test(one) || isTitle(one, table)) &&
      texts.some((one) => ofProgram.test(one));
    return filled.length <= LABELED_MAX && (isLabeled || isPage) ? NO_ORDER : undefined;
  }
  const field = table.columnAt[first.index]?.field;
  // A sentence in the notes may continue the row above.
  if (ofProgram.test(text) || (field !== 'note' && footer.test(text))) return NO_ORDER;
  if (isTitle(text, table) || footers().group.test(text)) return 'title';
  if (first.cell?.kind !== 'text' || field == null || field === 'note') return undefined;
  if (isSentence(text) || (field === 'insuredName' && namesNobody(text))) return NO_ORDER;
  return DIGITS_NEEDED.has(field) &&
    (!/\d/.test(text) || text.split(/\s+/).length > WORDS_MAX) &&
    !footers().placeholder.test(text)
    ? 'title'
    : undefined;
}

/** `yellow = rush`, `cc: underwriting`, `HO3`, `Exterior`; other words may be names. */
function namesNobody(text: string) {
  const { values } = fieldNamed('policyType');
  const isListed = values?.includes(text) === true || (/\d/.test(text) && isChoice(text.replace(/s$/i, ''), values));
  return isListed || valueInTitles([text]) !== undefined || (/=|:(?:\s|$)/.test(text) && !/\d{3}/.test(text));
}

/**
 * True for a row that holds no order: every field has a column, and only drop-down fields and states (the blank rows of
 * a form) or figures in other columns are filled. Other text might be an order.
 */
function holdsNoField(filled: readonly FilledCell[], { missing, columnAt }: OrderTable) {
  return (
    missing.length === 0 &&
    (filled.length > 1 || filled.every(({ cell }) => isFigure(cell))) &&
    filled.every(({ cell, index }) => {
      const field = fieldNamed(columnAt[index]?.field);
      return field === undefined
        ? columnAt[index] !== undefined && isFigure(cell)
        : field.name === 'state' || field.values !== undefined;
    })
  );
}

function isTitle(text: string, { layout }: OrderTable) {
  return (layout.titles ?? []).some(({ cells }) =>
    cells.some((cell) => cell !== null && cellText(cell).trim() === text),
  );
}

/** Programs repeat the header over each group, also its first columns alone. */
export function repeatsHeader({ cells }: SheetRow, { columnAt }: Pick<OrderTable, 'columnAt'>) {
  const named = cells.flatMap((cell, index) => {
    const { field, header } = columnAt[index] ?? {};
    return field == null || isBlank(cell) ? [] : [[cellText(cell), header ?? '']];
  });
  return (
    named.length > 1 && named.every(([text = '', header = '']) => normalizedHeader(text) === normalizedHeader(header))
  );
}

export function isLegendTitle(text: string) {
  return footers().legend.test(text);
}

/** The colors that a text names, each with which of red, green and blue are strong in it; none for any color. */
export function colorWordsIn(text: string) {
  const { colors } = footers();
  const names = text.toLowerCase().match(new RegExp(`\\b(?:${Object.keys(colors).join('|')})\\b`, 'g')) ?? [];
  return names.map((name) => ({ name, strong: colors[name] ?? [] }));
}

export function isLegend({ cells }: SheetRow, { keyColumn }: OrderTable, isBelowTitle: boolean) {
  const filled = cells.filter((cell) => cell !== undefined && !isBlank(cell));
  if (keyColumn !== undefined || filled.length > LABELED_MAX) return false;
  return isBelowTitle
    ? filled.every((cell) => cell?.kind === 'text' && !/\d{3}/.test(cell.text))
    : filled.length === 1 && isLegendTitle(cellText(filled[0]));
}

const CELLS_FEW = 2;
const WANTING_MIN = 5;

export function summarizeSparseRow(outcome: RowOutcome, row: SheetRow) {
  if (outcome.kind === 'order') return outcome;
  const filled = row.cells.flatMap((cell, index) =>
    isBlank(cell) || cell === undefined ? [] : [{ cell, address: cellAddress(index, row.rowNumber) }],
  );
  const [first] = filled;
  const wanting = outcome.problems.filter(
    ({ rule }) => rule === 'required-empty' || rule === 'required-column-missing',
  );
  if (first === undefined || filled.length > CELLS_FEW || wanting.length < WANTING_MIN) return outcome;
  const holds = formatList(filled.map(({ cell, address }) => `${address} ${quoted(cellText(cell))}`));
  return {
    ...outcome,
    problems: [
      problemFor(
        'error',
        'row-hardly-filled',
        { place: describePlace(outcome.record), holds },
        { cell: first.address, value: cellText(first.cell) },
      ),
    ],
  };
}

const RUNS_OVER = new Set<FieldName>(['insuredName', ...ADDRESS_FIELDS]);

/** An error if the content may be the rest of a text cut by a delimiter, otherwise a warning; null if there is none. */
export function problemOutside(
  { cells, rowNumber }: SheetRow,
  { columnAt, keyColumn }: OrderTable,
  isDelimited: boolean,
) {
  const hasHeader = (index: number) => columnAt[index] !== undefined || index === keyColumn;
  const isOutside = (index: number) => !hasHeader(index) && !isBlank(cells[index]);
  const isCount = (index: number) =>
    /^\d{1,7}$/.test(cellText(cells[index])) && columnAt.findIndex((_, at) => hasHeader(at)) > index;
  const index = cells.findIndex((_, at) => isOutside(at) && !isCount(at));
  if (index === -1) return null;
  const end = Math.max(columnAt.length, (keyColumn ?? -1) + 1);
  const cell = cellAddress(index, rowNumber);
  const value = cellText(cells[index]);
  const others = cells.filter((_, at) => at > index && isOutside(at)).length;
  const more = others === 0 ? '' : `, and ${others} more such ${others === 1 ? 'cell' : 'cells'}`;
  const before = fieldNamed(columnAt[index - 1]?.field);
  if (isDelimited && index >= end)
    return problemFor('error', 'more-values-than-headers', { rowNumber, cell, value, more }, { cell, value });
  if (before !== undefined && RUNS_OVER.has(before.name) && index < end)
    return problemFor('error', 'no-header-above', { rowNumber, value, cell, title: before.title }, { cell, value });
  return problemFor('warning', 'no-header-above/sent', { cell, value, more }, { cell, value });
}
