import { cellAddress, cellText, isBlank, quoted, type Cell } from '../domain/cells.ts';
import type { Problem, RowOutcome, SheetLayout, SheetRow, ValidRow } from '../domain/row.ts';
import { describePlace } from './own-workbooks.ts';
import { ROW_STATUS } from './fields.ts';
import { memoize } from '../domain/text.ts';
import {
  CLAUSE_END,
  DENIED,
  statusPatterns,
  type Lexicon,
  type Place,
  readClause,
  STATUS_UNKNOWN,
  statusWord,
  statusWords,
  wordsOf,
} from './not-ordered-words.ts';
import { problemFor, sentence } from '../domain/sentences.ts';
import { areMost, textsBelow } from './header/columns.ts';
import type { OrderTable } from './header/header-row.ts';
import { headerWords, spellOut } from './header/known-headers.ts';
import type { CellComment } from './readers/row-source.ts';
import { meaningOf } from './values/choice.ts';
import type { SenderWords } from './values/coercion.ts';

const TITLE_LENGTH_MAX = 80;

export function namesNoOrders(name: string, of: 'title' | 'sheetName' | 'fileName' | 'fileOfRows') {
  return name.length <= TITLE_LENGTH_MAX && saysIn(name, 'title', statusPatterns()[of]) === 'surely';
}

export function saysNoOrder(text: string) {
  return saysIn(text, 'status', statusPatterns().title) !== 'not';
}

/** By a column such as `Inspection waived?`. */
export function marksUnwantedRows({ layout }: OrderTable, below: readonly SheetRow[]) {
  return layout.columns.some(
    ({ index, field, header }) =>
      placeOf(field, header) === 'unwanted' && below.some(({ cells }) => !isBlank(cells[index])),
  );
}

/** A corrections workbook lacks rows: its columns are judged as in the file. */
export async function withJudgedColumns(
  table: OrderTable,
  below: readonly SheetRow[],
  rows: () => AsyncIterable<SheetRow>,
): Promise<OrderTable> {
  if (table.keyColumn !== undefined) return table;
  const [same, transactions] = [await sameColumns(table, rows), transactionColumns(table, below)];
  const columns = table.layout.columns.map((column) => {
    if (same.includes(column)) return { ...column, judged: 'same' as const };
    if (transactions.includes(column)) return { ...column, judged: 'transactions' as const };
    return holdsStatuses(column, below) ? { ...column, judged: 'statuses' as const } : column;
  });
  return { ...table, layout: { ...table.layout, columns } };
}

/** Repeated words under an unknown header: one says to order its row, another one not to. */
function holdsStatuses({ index, field, header }: SheetLayout['columns'][number], below: readonly SheetRow[]) {
  if (placeOf(field, header) !== 'unknown' || hasOtherWord(header)) return false;
  const texts = textsBelow(index, below);
  const words = new Set(texts);
  return (
    words.size < texts.length &&
    texts.every((text) => text.length <= STATUS_LENGTH_MAX) &&
    texts.some((text) => isToOrder(wordsOf(text).join(' '))) &&
    texts.some((text) => saysIn(text, 'status', statusPatterns().askedOfColumn) === 'surely')
  );
}

/** By most of their cells, whatever their headers. */
function transactionColumns({ layout }: OrderTable, below: readonly SheetRow[]) {
  const isTransaction = (text: string) =>
    statusPatterns().transactions.has(wordsOf(text.replace(/[#\d].*/s, '')).join(' ')) ||
    judged(text, 'unknown') === 'surely';
  return layout.columns.filter(
    ({ index, field }) => field === null && areMost(index, below, (text) => isTransaction(text.slice(0, LOOKED_AT))),
  );
}

/** Columns whose words in every row withdraw none: an agency's `Sold`, if no text speaks of a house sale. */
async function sameColumns({ layout }: OrderTable, rows: () => AsyncIterable<SheetRow>) {
  const { sale_pattern } = statusWords();
  let columns = layout.columns.filter(({ field, header }) => field === null && /status|rec|rcv|sold/i.test(header));
  if (columns.length === 0) return [];
  let count = 0;
  for await (const { cells, rowNumber } of rows()) {
    if (columns.length === 0 || cells.some((cell) => sale_pattern.test(cellText(cell)))) return [];
    if (rowNumber <= layout.headerRow || cells.filter((cell) => !isBlank(cell)).length < 3) continue;
    columns = columns.filter(({ index, header }) => maySayItEverywhere(header, cells[index]));
    count += 1;
  }
  return count > 2 ? columns : [];
}

function maySayItEverywhere(header: string, cell: Cell | undefined) {
  return statusWords().everywhere_pattern.test(`${spellOut(header)} ${cellText(cell)}`);
}

/** `parts`: also `4 POINTS - HOLD`, if one of its parts is such a title. */
function titleOfOthers(cells: readonly (Cell | null | undefined)[], parts = /^$/) {
  let title: string | undefined;
  for (const cell of cells) {
    if (cell === null || isBlank(cell)) continue;
    if (title !== undefined || cell.kind !== 'text' || cell.text.length > TITLE_LENGTH_MAX) return undefined;
    title = cell.text.trim();
  }
  const said = title === undefined ? [] : [title, ...title.split(parts)];
  return said.some((part) => namesNoOrders(part.trim(), 'title')) ? title : undefined;
}

const TITLE_PARTS = /\s\p{Pd}\s|[(),:;]/u;

const MARKED = new Set(['insuredName', 'streetAddress', 'policyNumber', 'inspectionNumber']);

function placeOf(field: string | null, header: string, holdsTransactions = false) {
  if (field === 'isRenewal') return 'status';
  if (field !== null) return field === 'note' ? 'note' : MARKED.has(field) ? 'mark' : undefined;
  const { flags, flag, doneHeader, statusHeader, inspectionHeader, otherHeader, earlier, stageHeader, noteHeader } =
    statusPatterns();
  const plain = header.replace(/[([{][^()[\]{}]*[)\]}]|['’]/g, '');
  const name = spellOut(plain.replace(flag, ''));
  const place = flags.get(name) ?? (flag.test(header) ? flags.get(`${name}yn`) : undefined);
  // `#` is written out as `NR` is.
  if (place !== undefined && /\p{L}/u.test(header)) return place;
  if (withdrawsRows(plain)) return doneHeader.test(name) ? 'done' : 'unwanted';
  const words = headerWords(header);
  const spelled = `${header} ${words.join(' ')}`;
  if (otherHeader.test(spelled)) return 'other';
  if (holdsTransactions) return 'status';
  if (words.some((word) => earlier.has(word))) return 'other';
  if (stageHeader.test(spelled)) return 'stage';
  if (statusHeader.test(spelled)) return inspectionHeader.test(spelled) ? 'inspection' : 'status';
  return noteHeader.test(spelled) ? 'note' : 'unknown';
}

/** Such as `Cancellation date`, whatever the values. */
export function marksRows(header: string) {
  return ['unwanted', 'done', 'perhaps'].includes(placeOf(null, header) ?? '');
}

function withdrawsRows(header: string) {
  const { stop, isWhole, isTakenBack, saysEarlier } = readClause(headerWords(header), statusPatterns().header);
  return stop !== undefined && isWhole && !isTakenBack && !saysEarlier;
}

const LOOKED_AT = 200;

type TextPlace = 'title' | 'note' | 'status' | 'other';

/** Each clause counts: one is enough, and only a later one takes it back. */
function saysIn(text: string, place: TextPlace, lexicon: Lexicon) {
  if (place !== 'other' && lexicon.whole.has(wordsOf(text).join(' '))) return 'surely';
  let says: ReturnType<typeof clauseSays> = 'not';
  let [isPlain, hasOther] = [true, false];
  for (const part of text.replace(DENIED, '\0').split(CLAUSE_END)) {
    if (part.endsWith('\0')) continue;
    const clause = readClause(withAlready(wordsOf(part)), lexicon);
    const { stop } = clause;
    const verdict = clauseSays(clause, place);
    if (verdict === 'surely' && stop === 'never') return 'surely';
    if (verdict === 'surely') isPlain &&= stop === 'plain' || stop === 'done';
    if (verdict === 'surely' || says === 'not') says = verdict;
    hasOther ||= verdict === 'not' && clause.hasUnknown;
    if (clause.isTakenBack && says === 'surely') says = 'perhaps';
  }
  return says === 'surely' && isPlain && hasOther && place !== 'status' ? 'perhaps' : says;
}

/** `Ordered already` is `already ordered`. */
function withAlready(words: readonly string[]) {
  return words.at(-1) === 'already' ? ['already', ...words.slice(0, -1)] : words;
}

function clauseSays(clause: ReturnType<typeof readClause>, place: TextPlace) {
  const { stop, isLed, isWhole, isDay, saysEarlier } = clause;
  const isStatus = place === 'status';
  const surely = saysEarlier ? 'perhaps' : 'surely';
  if (stop === undefined || (place === 'other' && stop !== 'never' && stop !== 'ended')) return 'not';
  const isBySomebody = stop === 'done' && clause.isContinued && !isDay;
  if (place === 'title')
    return isWhole && stop !== 'perhaps' && stop !== 'anywhere' && !isBySomebody ? 'surely' : 'not';
  if (stop === 'never') {
    if (isWhole || (!isLed && place !== 'note')) return 'surely';
    return place === 'other' ? 'not' : 'perhaps';
  }
  if (stop === 'anywhere') return 'perhaps';
  if (stop === 'starts') return isLed ? 'perhaps' : surely;
  if (stop === 'ended') {
    if (isLed) return place === 'note' && !saysEarlier ? 'perhaps' : 'not';
    return isStatus || (isWhole && place === 'note') ? surely : 'perhaps';
  }
  if (isLed || !(isWhole || isStatus)) return 'not';
  const isNow = isDay ? stop !== 'perhaps' : stop === 'plain' || (stop === 'done' && !isBySomebody);
  return isWhole && (stop === 'sure' || (isNow && !saysEarlier)) ? 'surely' : 'perhaps';
}

const judgements = memoize((place) => memoize((text) => verdictOn(text, place as Place), 300));

function judged(text: string, place: Place) {
  return place === 'mark' ? verdictOn(text, place) : judgements(place)(text);
}

function verdictOn(text: string, place: Place) {
  const says = statusPatterns();
  switch (place) {
    case 'mark':
      return says.mark.test(text) ? 'surely' : 'not';
    case 'done':
    case 'unwanted':
      return says.nothing.test(text) || (place === 'done' && says.notDone.test(text)) ? 'not' : 'surely';
    case 'perhaps':
      return says.nothing.test(text) ? 'not' : 'perhaps';
    case 'note':
      return says.notePattern.test(text) ? 'surely' : saysIn(text, 'note', says.text);
    case 'other':
      return saysIn(text, 'other', says.text);
    case 'yes':
    case 'perhaps-yes':
    case 'unknown':
      if (place !== 'unknown' && says.yes.test(text)) return place === 'yes' ? 'surely' : 'perhaps';
      return saysIn(text, 'note', says.plainly) === 'surely' ? 'surely' : saysIn(text, 'other', says.text);
    case 'stage':
      return says.won.test(text) ? 'not' : saysIn(text, 'status', says.status);
    case 'wanted':
    case 'perhaps-wanted':
    case 'inspection':
      if (place !== 'inspection' && says.no.test(text)) return place === 'wanted' ? 'surely' : 'perhaps';
      return saysIn(text, 'status', says.inspection);
    case 'status':
      return saysIn(text, 'status', says.status);
    case 'headless': {
      const verdict = saysIn(text, 'status', says.title);
      return verdict === 'perhaps' ? 'not' : verdict;
    }
  }
}

/** The status of the order itself: not of its policy or a sale. */
function isOwnStatus({ field, header }: SheetLayout['columns'][number]) {
  return field === null && statusPatterns().ownStatus.test(spellOut(header));
}

/**
 * A word that no list has is asked about once, because it may say that the inspection was ordered elsewhere. Under
 * the stages of a sale, every word that is not one for a sale.
 */
function judgedStatus(text: string, place: Place, words: SenderWords | undefined) {
  const says = judged(text, place);
  const meant = meaningOf(statusWord(text), ROW_STATUS.values, words)?.value;
  if (meant !== undefined && !(says === 'surely' && place !== 'unknown'))
    return meant === ROW_STATUS.values[0] ? 'not' : 'surely';
  const parts = text.split(CLAUSE_END);
  if (place === 'stage')
    return says === 'surely' || parts.some((part) => statusPatterns().won.test(part.trim())) ? says : 'asked';
  const clauses = parts.map(wordsOf);
  const isKnown =
    clauses.some((clause) => readClause(clause, statusPatterns().status).isTakenBack) ||
    ((/\p{L}/u.test(text) || !/\d/.test(text)) &&
      clauses.every((clause) => isToOrder(clause.filter((word) => !/[\d§]/.test(word)).join(' '))));
  return says === 'surely' || isKnown ? says : 'asked';
}

const STATUS_LENGTH_MAX = 30;

/** A word such as `Ordered`, under a header that no list knows. */
function mayBeStatus(text: string, header: string | null) {
  return (
    text.length <= STATUS_LENGTH_MAX &&
    saysIn(text, 'status', statusPatterns().askedAnywhere) === 'surely' &&
    !hasOtherWord(header ?? '')
  );
}

function hasOtherWord(header: string) {
  return statusPatterns().unaskedHeader.test(headerWords(header).join(' '));
}

function isToOrder(clause: string) {
  return clause === '' || statusPatterns().toOrder.has(clause);
}

export function notOrdered(
  { layout, columnAt, keyColumn }: OrderTable,
  isIgnored: (header: string) => boolean,
  comments: readonly CellComment[] = [],
  means?: SenderWords,
  isExplained: (text: string) => boolean = () => false,
) {
  const statuses = new Set<string | null>(
    layout.columns.filter((column) => column.judged === 'statuses' || isOwnStatus(column)).map(({ header }) => header),
  );
  const places: (Place | undefined)[] = [];
  for (const { index, field, header, judged: as } of layout.columns)
    places[index] = isIgnored(header) ? undefined : placeOf(field, header, as === 'transactions');
  const same = new Set(layout.columns.flatMap(({ index, judged: as }) => (as === 'same' ? index : [])));
  const commentsOf = Map.groupBy(comments, ({ cell }) => Number(cell.replace(/\D/g, '')));
  const titleAbove = layout.titles
    ?.map(({ cells }) => titleOfOthers(cells))
    .find((title) => title !== undefined && !isExplained(title));
  return {
    /** An error if the row must not be ordered, a warning if it was perhaps ordered before. */
    problemOf({ cells, rowNumber }: SheetRow, where: string) {
      if (titleAbove !== undefined)
        return withdrawal(where, `the sheet's title is ${quoted(titleAbove)}`, 'remove that title');
      const texts = cells.flatMap((held, index) => {
        const column = columnAt[index];
        if (same.has(index) && maySayItEverywhere(column?.header ?? '', held)) return [];
        const place = column === undefined ? 'headless' : places[index];
        if (place === undefined || index === keyColumn || isBlank(held) || /error|formula/.test(held.kind)) return [];
        const cell = cellAddress(index, rowNumber);
        const at = column === undefined ? cell : quoted(column.header);
        const value = cellText(held).trim();
        if (column === undefined && isExplained(value)) return [];
        return [{ cell, value, place, column: column?.header ?? null, at }];
      });
      const inComments = (commentsOf.get(rowNumber) ?? []).map(
        ({ cell, text }) => ({ cell, value: text, place: 'note', column: null, at: `the comment on ${cell}` }) as const,
      );
      let asked: Problem | null = null;
      let perhaps: Problem | null = null;
      for (const { place, at, ...about } of [...texts, ...inComments]) {
        const text = about.value.slice(0, LOOKED_AT);
        const isStatus =
          place === 'stage' || statuses.has(about.column) || (place === 'unknown' && mayBeStatus(text, about.column));
        const kind = isStatus ? judgedStatus(text, place, means) : judged(text, place);
        if (kind === 'not') continue;
        const says = `${at} says ${quoted(about.value)}`;
        if (kind === 'surely') {
          const change = /wanted|done|yes/.test(place) ? 'empty that cell' : 'delete that word';
          return withdrawal(where, says, change, about);
        }
        if (kind === 'asked') asked ??= problemFor('error', STATUS_UNKNOWN, { says }, about);
        else perhaps ??= problemFor('warning', 'row-perhaps-done', { place: where, says }, about);
      }
      return asked ?? perhaps;
    },

    /** A word alone under `Status` is a title only if the first one was in that column. */
    titleOf({ cells }: SheetRow) {
      const index = cells.findIndex((cell) => !isBlank(cell));
      const place = places[index];
      const isFirst = index <= (layout.columns[0]?.index ?? 0);
      const title =
        isFirst || place === undefined || place === 'mark' || place === 'other' || place === 'unknown'
          ? titleOfOthers(cells, TITLE_PARTS)
          : undefined;
      return title === undefined || isExplained(title) ? undefined : title;
    },

    /** The record keeps the title, for the corrections workbook. */
    under(
      { text, rowNumber, says }: Readonly<{ text: string; rowNumber: number; says?: string }>,
      outcome: RowOutcome,
    ) {
      const { record } = outcome;
      const problem = withdrawal(
        describePlace(record),
        says ?? `it is under the title ${quoted(text)} (row ${rowNumber})`,
        sentence(says === undefined ? 'row-withdrawn/title' : 'row-withdrawn/color'),
      );
      const end = Math.max(places.length, (keyColumn ?? -1) + 1);
      const withTitle = Array.from({ length: Math.max(record.cells.length, end) }, (_, index) => record.cells[index]);
      return rejectedFor(problem, { ...outcome, record: { ...record, cells: [...withTitle, { kind: 'text', text }] } });
    },
  };
}

export function rejectedFor(problem: Problem, outcome: RowOutcome): RowOutcome {
  const { record, repairs } = outcome;
  const [row, others] =
    outcome.kind === 'order' ? [outcome, outcome.warnings] : [outcome.withheld?.row, outcome.problems];
  return { kind: 'rejection', record, problems: [problem, ...others], repairs, withheld: withheld(row, problem) };
}

/** `Ordered`, or a word that no list has, may be about the very order on record; `Cancelled` is not. */
function withheld(row: ValidRow | undefined, { rule, value, column }: Problem) {
  const clauses = [...value.split(CLAUSE_END), column ?? ''].map((text) =>
    readClause(wordsOf(text), statusPatterns().went),
  );
  const stops = new Set(clauses.flatMap(({ stop }) => stop ?? []));
  return row !== undefined && (rule === STATUS_UNKNOWN || rule === 'row-withdrawn')
    ? { row, follows: rule === STATUS_UNKNOWN || (stops.size === 1 && stops.has('done')) }
    : undefined;
}

function withdrawal(place: string, says: string, change: string, about?: Partial<Problem>) {
  return problemFor('error', 'row-withdrawn', { place, says, change }, about);
}
