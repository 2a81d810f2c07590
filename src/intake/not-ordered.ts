import { z } from 'zod';
import { cellAddress, cellText, isBlank, quoted, type Cell } from '../domain/cells.ts';
import type { Problem, RowOutcome, SheetLayout, SheetRow } from '../domain/row.ts';
import { describePlace } from './own-workbooks.ts';
import { ROW_STATUS } from './fields.ts';
import { memoize } from '../domain/text.ts';
import { problemFor } from './sentences.ts';
import type { OrderTable } from './header/header-row.ts';
import { headerWords, spellOut } from './header/known-headers.ts';
import type { CellComment } from './readers/row-source.ts';
import { meaningOf } from './values/choice.ts';
import type { SenderWords } from './values/coercion.ts';
import { trimmed } from './values/plain-text.ts';
import { oneOf, pattern as regex, vocabulary, WORD_END } from './vocabulary.ts';

/** `is? done|complete` → `done`, `complete`, `is done`, `is complete`. */
function variants(phrase: string) {
  let heads = [''];
  for (const slot of phrase.split(' ')) {
    const words = slot.replace('?', '').split('|');
    const longer = heads.flatMap((head) => words.map((word) => `${head} ${word}`.trim()));
    heads = slot.endsWith('?') ? heads.concat(longer) : longer;
  }
  return heads;
}

const list = z
  .array(z.string().regex(/^[a-z\d][a-z\d' :/?|-]*$/))
  .min(1)
  .transform((phrases) => phrases.flatMap(variants));

/** The strongest first. */
const STOPS = ['never', 'starts', 'ended', 'sure', 'plain', 'done', 'received', 'perhaps', 'anywhere'] as const;

type Kind = (typeof STOPS)[number] | 'taken_back' | 'fillers' | 'follows';

const words = vocabulary(
  'not-ordered',
  z.strictObject({
    never: list,
    starts: list,
    starts_of_notes: list,
    ended: list,
    sure: list,
    plain: list,
    done: list,
    whole: list,
    perhaps: list,
    anywhere: list,
    taken_back: list,
    earlier: list,
    fillers: list,
    follows: list,
    under_any_header: list,
    status: list,
    inspection_status: list,
    received: list,
    transactions: list,
    to_order: list,
    titles: list,
    titles_of_rows: list,
    names: list,
    sheets: list,
    status_headers: list,
    own_status_pattern: regex,
    inspection_headers: list,
    other_headers: list,
    stage_headers: list,
    won: list,
    note_headers: list,
    flag_headers: z.record(z.string(), list),
    unwanted_headers: list,
    header_words: list,
    flag_pattern: regex,
    yes_pattern: regex,
    no_values: list,
    wanted_no_values: list,
    nothing_values: list,
    marks: z.strictObject({ plain: list, set_off: list }),
    notes_pattern: regex,
    done_pattern: regex,
    everywhere_pattern: regex,
    sale_pattern: regex,
    not_done_values: list,
  }),
);

const SIGNS = '[^\\p{L}\\p{N}]*';
const OPENS = '[*(\\[{<=!|~–—]';
const SET_OFF_BEHIND = '\\s*(?:[*)\\]}>:;=!|~–—]|--|\\s-)';
const ANNOUNCES = '\\s*(?:[(\\[{:–—]|--|\\s-\\s)';
const SET_OFF_BEFORE = '(?:[*(\\[{<:;=!|~–—]|--|\\s-)\\s*';

function pattern(...parts: readonly string[]) {
  return new RegExp(parts.join(''), 'iu');
}

const NUMBER = /^(?:\d+(?:st|nd|rd|th)?|§)$/;
const YEAR = /^20\d\d$/;

/** `longest`: by a phrase's first word, how many words such a phrase has. `whole`: whole texts. */
type Lexicon = ReturnType<typeof lexicon>;

function lexicon(
  lists: Readonly<Partial<Record<Kind, readonly string[]>>>,
  whole: readonly string[] = [],
  numbers?: RegExp,
) {
  const kinds = new Map<string, Kind>();
  const longest = new Map<string, number>();
  for (const [kind, phrases] of Object.entries(lists))
    for (const phrase of phrases) {
      const [first = '', ...others] = wordsOf(phrase);
      kinds.set([first, ...others].join(' '), kind as Kind);
      longest.set(first, Math.max(longest.get(first) ?? 0, others.length + 1));
    }
  return { kinds, longest, whole: new Set(whole), numbers };
}

function patternsOf() {
  const { marks, ...lists } = words();
  const { never, ended, sure, plain, done, perhaps, anywhere, taken_back, fillers, follows } = lists;
  const starts = [...lists.starts, ...lists.starts_of_notes];
  const text = { fillers, follows, perhaps, anywhere, done, plain, sure, ended, starts, never, taken_back };
  const plainly = { fillers, follows, sure: lists.under_any_header, ended, starts: lists.starts, never, taken_back };
  const titles = [...lists.titles, ...lists.titles_of_rows];
  const file = { fillers, follows, taken_back, never, ended };
  const withSure = (...more: readonly string[]) => ({ ...text, sure: [...sure, ...more] });
  const status = { ...withSure(...lists.status), received: lists.received };
  const names = [...lists.whole, ...lists.names];
  const marked = oneOf(marks.plain, marks.set_off);
  const anyWord = (phrases: readonly string[]) => pattern(`(?<![\\p{L}\\p{N}])${oneOf(phrases)}${WORD_END}`);
  return {
    text: lexicon(text, lists.whole),
    plainly: lexicon(plainly),
    transactions: new Set(lists.transactions),
    toOrder: new Set([...lists.transactions, ...lists.to_order]),
    ownStatus: lists.own_status_pattern,
    status: lexicon(status, lists.whole),
    inspection: lexicon({ ...status, sure: [...status.sure, ...done, ...lists.inspection_status] }, lists.whole, YEAR),
    won: pattern('^', SIGNS, oneOf(lists.won), '[\\W\\d]*$'),
    title: lexicon(withSure(...titles), names, NUMBER),
    sheetName: lexicon(withSure(...titles, ...lists.sheets), names, NUMBER),
    fileName: lexicon({ ...file, sure: lists.titles }, [], NUMBER),
    fileOfRows: lexicon({ ...file, sure: titles }, [], NUMBER),
    header: lexicon({
      ...withSure(...lists.unwanted_headers.map((header) => headerWords(header).join(' '))),
      perhaps: [],
      anywhere: [],
      fillers: [...fillers, ...lists.header_words],
      follows: [],
    }),
    earlier: new Set(lists.earlier),
    mark: pattern(
      [
        `[\\s/]${oneOf(marks.plain)}${SIGNS}$`,
        `^${SIGNS}${oneOf(marks.plain)}(?![\\p{L}\\p{N}]|-[\\p{L}\\p{N}])`,
        `^${SIGNS}(?:${marked}|${oneOf(ended)})(?:${SIGNS}$|${SET_OFF_BEHIND})`,
        `^${SIGNS}${OPENS}${SIGNS}${marked}${WORD_END}`,
        `${SET_OFF_BEFORE}${marked}${SIGNS}$`,
        `${OPENS}\\s*${marked}\\s*[*)\\]}>=!|~–—]`,
      ].join('|'),
    ),
    statusHeader: anyWord(lists.status_headers),
    inspectionHeader: anyWord(lists.inspection_headers),
    otherHeader: anyWord(lists.other_headers),
    stageHeader: anyWord(lists.stage_headers),
    noteHeader: anyWord(lists.note_headers),
    flags: new Map(
      Object.entries(lists.flag_headers).flatMap(([place, phrases]) =>
        phrases.map((phrase) => [spellOut(phrase), place as Place] as const),
      ),
    ),
    flag: lists.flag_pattern,
    yes: lists.yes_pattern,
    no: pattern('^', SIGNS, oneOf(lists.no_values, lists.wanted_no_values), `(?:${SIGNS}$|${ANNOUNCES})`),
    nothing: pattern(`^(?:[-–—._]*|${SIGNS}${oneOf(lists.no_values, lists.nothing_values)}${SIGNS})$`),
    notePattern: lists.notes_pattern,
    doneHeader: lists.done_pattern,
    notDone: pattern('^', SIGNS, oneOf(lists.not_done_values), SIGNS, '$'),
  };
}

const CLAUSE_END = /[,;:=!?()[\]{}*|~–—\n]+|\.(?![\d\p{L}])|--|\s-\s|(?<=\p{L}{3})\/(?=\p{L}{3})/u;

/** `Cancelled? No` */
const DENIED = /[?:] ?(?:no?|none|false)(?=[,;.)\n]|$)/gi;

// A month from 2024 on counts as a day.
const DAY = /\b(?:(?:\d{4}-)?\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?|\d{1,2}[/-]20(?:2[4-9]|[3-9]\d))\b/g;

export const STATUS_UNKNOWN = 'status-unknown';

/** `Submitted 11/2` → `Submitted` */
export function statusWord(text: string) {
  return trimmed(text.replace(DAY, ''));
}

/** A day becomes the word `§`. */
function wordsOf(text: string) {
  return (
    text
      .toLowerCase()
      .replace(/['’]/g, '')
      .replace(DAY, '§')
      .replace(/\b(?:4|four)[\s-]?(?:pt|point)\b/g, '4pt')
      .match(/§|[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The longest phrase that begins there; an unknown word alone has no kind. */
function phraseAt(texts: readonly string[], at: number, { kinds, longest, numbers }: Lexicon) {
  for (let length = longest.get(texts[at] ?? '') ?? 0; length > 0; length -= 1) {
    const kind = kinds.get(texts.slice(at, at + length).join(' '));
    if (kind !== undefined) return { length, kind };
  }
  return { length: 1, kind: numbers?.test(texts[at] ?? '') === true ? ('fillers' as const) : undefined };
}

/** `isLed`: unknown words are before its strongest stop. `isWhole`: none are, nor behind it, up to a day or a word after which anything may follow. */
function readClause(texts: readonly string[], lexicon: Lexicon) {
  let stop: (typeof STOPS)[number] | undefined;
  let [isLed, isWhole, isContinued, isDay, isTakenBack, hasUnknown] = [false, true, false, false, false, false];
  for (let at = 0, length; at < texts.length; at += length) {
    let kind;
    ({ length, kind } = phraseAt(texts, at, lexicon));
    const rank = STOPS.findIndex((one) => one === kind);
    if (kind === 'taken_back') isTakenBack = true;
    else if (stop !== undefined && (kind === 'follows' || (kind === undefined && texts[at] === '§'))) {
      isDay ||= kind === undefined && !isContinued;
      isContinued = true;
      if (/^(?:un)?till?$/.test(texts[at] ?? '')) break;
    } else if (kind === undefined) {
      hasUnknown = true;
      isWhole &&= isContinued;
    } else if (rank !== -1 && !isContinued && (stop === undefined || rank < STOPS.indexOf(stop))) {
      stop = STOPS[rank];
      isLed = hasUnknown;
    }
  }
  const saysEarlier = stop !== undefined && texts.some((word) => known().earlier.has(word));
  return { stop, isLed, isWhole, isContinued, isDay, isTakenBack, hasUnknown, saysEarlier };
}

let patterns: ReturnType<typeof patternsOf> | undefined;

function known() {
  return (patterns ??= patternsOf());
}

const TITLE_LENGTH_MAX = 80;

export function namesNoOrders(name: string, of: 'title' | 'sheetName' | 'fileName' | 'fileOfRows') {
  return name.length <= TITLE_LENGTH_MAX && saysIn(name, 'title', known()[of]) === 'surely';
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
    return transactions.includes(column) ? { ...column, judged: 'transactions' as const } : column;
  });
  return { ...table, layout: { ...table.layout, columns } };
}

/** By most of their cells, whatever their headers. */
function transactionColumns({ layout }: OrderTable, below: readonly SheetRow[]) {
  const isTransaction = (text: string) =>
    known().transactions.has(wordsOf(text.replace(/[#\d].*/s, '')).join(' ')) || judged(text, 'unknown') === 'surely';
  return layout.columns.filter(({ index, field }) => {
    const held = below.filter(({ cells }) => !isBlank(cells[index]));
    const named = held.filter(({ cells }) => isTransaction(cellText(cells[index]).slice(0, LOOKED_AT)));
    return field === null && 2 * named.length > held.length;
  });
}

/** Columns whose words in every row withdraw none: an agency's `Sold`, if no text speaks of a house sale. */
async function sameColumns({ layout }: OrderTable, rows: () => AsyncIterable<SheetRow>) {
  const { sale_pattern } = words();
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
  return words().everywhere_pattern.test(`${spellOut(header)} ${cellText(cell)}`);
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

type Place =
  | ('mark' | 'note' | 'status' | 'headless' | 'inspection' | 'stage' | 'other' | 'unknown')
  | ('wanted' | 'perhaps-wanted' | 'yes' | 'perhaps-yes' | 'unwanted' | 'done' | 'perhaps');

const MARKED = new Set(['insuredName', 'streetAddress', 'policyNumber', 'inspectionNumber']);

function placeOf(field: string | null, header: string, holdsTransactions = false) {
  if (field === 'isRenewal') return 'status';
  if (field !== null) return field === 'note' ? 'note' : MARKED.has(field) ? 'mark' : undefined;
  const { flags, flag, doneHeader, statusHeader, inspectionHeader, otherHeader, earlier, stageHeader, noteHeader } =
    known();
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
  const { stop, isWhole, isTakenBack, saysEarlier } = readClause(headerWords(header), known().header);
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

/** Lists repeat their words. */
const judgements = memoize((place) => memoize((text) => verdictOn(text, place as Place), 300));

function judged(text: string, place: Place) {
  return place === 'mark' ? verdictOn(text, place) : judgements(place)(text);
}

function verdictOn(text: string, place: Place) {
  const says = known();
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
  return field === null && known().ownStatus.test(spellOut(header));
}

/**
 * A word that no list has is asked about once, because it may say that the inspection was ordered elsewhere. Under
 * the stages of a sale, every word that is not one for a sale.
 */
function judgedStatus(text: string, place: Place, words: SenderWords | undefined) {
  const says = judged(text, place);
  const meant = meaningOf(statusWord(text), ROW_STATUS.values, words)?.value;
  if (meant !== undefined) return meant === ROW_STATUS.values[0] ? 'not' : 'surely';
  const parts = text.split(CLAUSE_END);
  if (place === 'stage')
    return says === 'surely' || parts.some((part) => known().won.test(part.trim())) ? says : 'asked';
  const clauses = parts.map(wordsOf);
  const isKnown =
    clauses.some((clause) => readClause(clause, known().status).isTakenBack) ||
    ((/\p{L}/u.test(text) || !/\d/.test(text)) &&
      clauses.every((clause) => isToOrder(clause.filter((word) => !/[\d§]/.test(word)).join(' '))));
  return says === 'surely' || isKnown ? says : 'asked';
}

function isToOrder(clause: string) {
  return clause === '' || known().toOrder.has(clause);
}

export function notOrdered(
  { layout, columnAt, keyColumn }: OrderTable,
  isIgnored: (header: string) => boolean,
  comments: readonly CellComment[] = [],
  means?: SenderWords,
) {
  const statuses = new Set<string | null>(layout.columns.filter(isOwnStatus).map(({ header }) => header));
  const places: (Place | undefined)[] = [];
  for (const { index, field, header, judged: as } of layout.columns)
    places[index] = isIgnored(header) ? undefined : placeOf(field, header, as === 'transactions');
  const same = new Set(layout.columns.flatMap(({ index, judged: as }) => (as === 'same' ? index : [])));
  const commentsOf = Map.groupBy(comments, ({ cell }) => Number(cell.replace(/\D/g, '')));
  const titleAbove = layout.titles?.map(({ cells }) => titleOfOthers(cells)).find((title) => title !== undefined);
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
        return [{ cell, value, place, column: column?.header ?? null, at }];
      });
      const inComments = (commentsOf.get(rowNumber) ?? []).map(
        ({ cell, text }) => ({ cell, value: text, place: 'note', column: null, at: `the comment on ${cell}` }) as const,
      );
      let asked: Problem | null = null;
      let perhaps: Problem | null = null;
      for (const { place, at, ...about } of [...texts, ...inComments]) {
        const text = about.value.slice(0, LOOKED_AT);
        const isStatus = place === 'stage' || statuses.has(about.column);
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
      return isFirst || place === undefined || place === 'mark' || place === 'other' || place === 'unknown'
        ? titleOfOthers(cells, TITLE_PARTS)
        : undefined;
    },

    /** The record keeps the title, for the corrections workbook. */
    under(title: Readonly<{ text: string; rowNumber: number }>, outcome: RowOutcome): RowOutcome {
      const { record, repairs } = outcome;
      const problem = withdrawal(
        describePlace(record),
        `it is under the title ${quoted(title.text)} (row ${title.rowNumber})`,
        'move it above that title; in the corrections workbook, empty the cell with the title next to the row',
      );
      const end = Math.max(places.length, (keyColumn ?? -1) + 1);
      const withTitle = Array.from({ length: Math.max(record.cells.length, end) }, (_, index) => record.cells[index]);
      return {
        kind: 'rejection',
        record: { ...record, cells: [...withTitle, { kind: 'text', text: title.text }] },
        problems: [problem, ...(outcome.kind === 'order' ? outcome.warnings : outcome.problems)],
        repairs,
      };
    },
  };
}

function withdrawal(place: string, says: string, change: string, about?: Partial<Problem>) {
  return problemFor('error', 'row-withdrawn', { place, says, change }, about);
}
