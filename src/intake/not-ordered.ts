import { z } from 'zod';
import { cellAddress, cellText, isBlank, quoted } from '../domain/cells.ts';
import type { Cell, Problem, RowOutcome, SheetRow } from '../domain/row.ts';
import { problemFor } from './sentences.ts';
import type { OrderTable } from './header/header-row.ts';
import { spellOut } from './header/known-headers.ts';
import type { CellComment } from './readers/row-source.ts';
import { oneOf, pattern as regex, phrases, vocabulary, WORD_END } from './vocabulary.ts';

const words = vocabulary(
  'not-ordered',
  z.strictObject({
    forbidden: phrases,
    withdrawn: phrases,
    alone: phrases,
    taken_back: phrases,
    earlier: phrases,
    perhaps_done: phrases,
    status_codes: phrases,
    status_words: phrases,
    status_received: phrases,
    status_headers: phrases,
    other_headers: phrases,
    note_headers: phrases,
    wanted_headers: phrases,
    unwanted_headers: phrases,
    ended_headers: phrases,
    perhaps_headers: phrases,
    no_values: phrases,
    wanted_no_values: phrases,
    nothing_values: phrases,
    titles: phrases,
    titles_of_rows: phrases,
    sheets: phrases,
    beside: phrases,
    marks: z.strictObject({ plain: phrases, set_off: phrases }),
    notes_continue: phrases,
    note_times: phrases,
    notes: phrases,
    notes_anywhere: phrases,
    notes_pattern: regex,
    done_pattern: regex,
    not_done_values: phrases,
  }),
);

const SIGNS = '[^\\p{L}\\p{N}]*';
const NOT_APPLICABLE = '(?:n/?a[^\\p{L}\\p{N}]+)?';
const OPENS = '[*(\\[{<=!|~–—]';
const SET_OFF_BEHIND = '\\s*(?:[*)\\]}>:;=!|~–—]|--|\\s-)';
const ANNOUNCES = '\\s*(?:[(\\[{:–—]|--|\\s-\\s)';
/** `Ordered 11/3 by Sam` */
const ON_A_DAY = '\\s+(?:on\\s+)?\\d{1,2}[/.-]\\d';
const SET_OFF_BEFORE = '(?:[*(\\[{<:;=!|~–—]|--|\\s-)\\s*';

function pattern(...parts: readonly string[]) {
  return new RegExp(parts.join(''), 'iu');
}

function patternsOf() {
  const { marks, ...lists } = words();
  const ended = oneOf(lists.forbidden, lists.withdrawn, lists.alone);
  const titles = oneOf(lists.forbidden, lists.withdrawn, lists.alone, lists.titles, lists.titles_of_rows);
  const sheets = `(?:${titles}|${oneOf(lists.sheets)})`;
  const covering = (said: string) =>
    pattern(
      `^(?=.*(?<![\\p{L}\\p{N}])${said}${WORD_END})`,
      `(?:${SIGNS}(?:${said}|${oneOf(lists.beside)}|\\d+(?:st|nd|rd|th)?)${WORD_END})+${SIGNS}$`,
    );
  const announced = `^(?!.*(?<![\\p{L}\\p{N}])${oneOf(lists.taken_back, lists.earlier)}${WORD_END})${SIGNS}${oneOf(lists.forbidden, lists.withdrawn)}${ANNOUNCES}`;
  const marked = oneOf(marks.plain, marks.set_off);
  const continued = `(?:\\s*(?:$|[^\\p{L}\\s'’])|\\s+${oneOf(lists.notes_continue)}${WORD_END})`;
  const headers = (list: readonly string[]) => new Set(list.map(spellOut));
  const anyWord = (list: readonly string[]) => pattern(`(?<![\\p{L}\\p{N}])${oneOf(list)}${WORD_END}`);
  return {
    forbidden: pattern('^', SIGNS, oneOf(lists.forbidden), WORD_END),
    withdrawn: pattern('^', SIGNS, oneOf(lists.withdrawn), WORD_END),
    whole: pattern('^', SIGNS, NOT_APPLICABLE, ended, SIGNS, '$'),
    endedBecause: pattern('^', SIGNS, NOT_APPLICABLE, ended, `(?:${ANNOUNCES}|${ON_A_DAY})`),
    perhapsDone: pattern('^', SIGNS, oneOf(lists.perhaps_done, lists.status_received), WORD_END),
    takenBack: anyWord([...lists.taken_back, ...lists.earlier]),
    allowedAgain: anyWord(lists.taken_back),
    note: pattern(
      `^${SIGNS}(?!${oneOf(lists.forbidden)}\\s+(?:on|at)\\s+${oneOf(lists.note_times)}${WORD_END})`,
      `(?:${oneOf(lists.notes)}${WORD_END}|${oneOf(lists.forbidden, lists.withdrawn)}${continued}|${ended}${ON_A_DAY})`,
    ),
    perhapsNote: pattern(`^${SIGNS}${oneOf(lists.perhaps_done)}${continued}|`, anyWord(lists.notes_anywhere).source),
    mark: pattern(
      [
        `[\\s/]${oneOf(marks.plain)}${SIGNS}$`,
        `^${SIGNS}${oneOf(marks.plain)}(?![\\p{L}\\p{N}]|-[\\p{L}\\p{N}])`,
        `^${SIGNS}(?:${marked}|${oneOf(lists.withdrawn)})(?:${SIGNS}$|${SET_OFF_BEHIND})`,
        `^${SIGNS}${OPENS}${SIGNS}${marked}${WORD_END}`,
        `${SET_OFF_BEFORE}${marked}${SIGNS}$`,
        `${OPENS}\\s*${marked}\\s*[*)\\]}>=!|~–—]`,
      ].join('|'),
    ),
    statusCode: pattern(
      `^${SIGNS}(?:${oneOf(lists.status_codes)}${SIGNS}$|${NOT_APPLICABLE}(?:`,
      `${oneOf(lists.status_words)}(?:${SIGNS}$|${ANNOUNCES}|${ON_A_DAY})|${oneOf(lists.status_received)}${ON_A_DAY}))`,
    ),
    statusHeader: anyWord(lists.status_headers),
    otherHeader: anyWord(lists.other_headers),
    noteHeader: anyWord(lists.note_headers),
    wanted: headers(lists.wanted_headers),
    unwanted: headers([...lists.unwanted_headers, ...lists.ended_headers]),
    perhaps: headers(lists.perhaps_headers),
    no: pattern('^', SIGNS, oneOf(lists.no_values, lists.wanted_no_values), `(?:${SIGNS}$|${ANNOUNCES})`),
    nothing: pattern(`^(?:[-–—._]*|${SIGNS}${oneOf(lists.no_values, lists.nothing_values)}${SIGNS})$`),
    title: pattern(announced, '|', covering(titles).source),
    fileName: covering(oneOf(lists.forbidden, lists.withdrawn, lists.titles)),
    fileOfRows: covering(oneOf(lists.forbidden, lists.withdrawn, lists.titles, lists.titles_of_rows)),
    notePattern: lists.notes_pattern,
    doneHeader: lists.done_pattern,
    notDone: pattern('^', SIGNS, oneOf(lists.not_done_values), SIGNS, '$'),
    sheetName: pattern(announced, '|', covering(sheets).source),
  };
}

let patterns: ReturnType<typeof patternsOf> | undefined;

function known() {
  return (patterns ??= patternsOf());
}

const TITLE_LENGTH_MAX = 80;

export function namesNoOrders(name: string, of: 'sheetName' | 'fileName' | 'fileOfRows') {
  return name.length <= TITLE_LENGTH_MAX && known()[of].test(name);
}

/** True if a column says in some of the rows whether they are ordered, such as `Inspection waived?`. */
export function marksUnwantedRows({ layout }: OrderTable, rows: readonly SheetRow[]) {
  return layout.columns.some(
    ({ index, field, header }) =>
      placeOf(field, header) === 'unwanted' &&
      rows.some(({ rowNumber, cells }) => rowNumber > layout.headerRow && !isBlank(cells[index])),
  );
}

function titleOfOthers(cells: readonly (Cell | null | undefined)[]) {
  let title: string | undefined;
  for (const cell of cells) {
    if (cell === null || isBlank(cell)) continue;
    if (title !== undefined || cell.kind !== 'text' || cell.text.length > TITLE_LENGTH_MAX) return undefined;
    title = cell.text.trim();
  }
  return title !== undefined && known().title.test(title) ? title : undefined;
}

type Place = 'mark' | 'note' | 'status' | 'wanted' | 'unwanted' | 'done' | 'perhaps' | 'other';

const MARKED = new Set(['insuredName', 'streetAddress', 'policyNumber', 'inspectionNumber']);

function placeOf(field: string | null, header: string) {
  if (field === 'isRenewal') return 'status';
  if (field !== null) return field === 'note' ? 'note' : MARKED.has(field) ? 'mark' : undefined;
  const { wanted, unwanted, doneHeader, perhaps, statusHeader, otherHeader, noteHeader } = known();
  const name = spellOut(header.replace(/[([{][^()[\]{}]*[)\]}]/g, ''));
  if (wanted.has(name)) return 'wanted';
  if (unwanted.has(name)) return doneHeader.test(name) ? 'done' : 'unwanted';
  if (perhaps.has(name)) return 'perhaps';
  if (otherHeader.test(header)) return 'other';
  if (statusHeader.test(header)) return 'status';
  return noteHeader.test(header) ? 'note' : 'other';
}

const LOOKED_AT = 200;

function judged(text: string, place: Place, hasHeader: boolean) {
  const says = known();
  const takenBack = says.forbidden.test(text) ? says.allowedAgain : says.takenBack;
  const unlessTakenBack = takenBack.test(text) ? 'perhaps' : 'surely';
  switch (place) {
    case 'mark':
      return says.mark.test(text) ? 'surely' : 'not';
    case 'done':
    case 'unwanted':
      return says.nothing.test(text) || (place === 'done' && says.notDone.test(text)) ? 'not' : 'surely';
    case 'perhaps':
      return says.nothing.test(text) ? 'not' : 'perhaps';
    case 'note':
      if (says.whole.test(text)) return 'surely';
      if (says.note.test(text) || says.notePattern.test(text)) return unlessTakenBack;
      return says.forbidden.test(text) || says.withdrawn.test(text) || says.perhapsNote.test(text) ? 'perhaps' : 'not';
    case 'other':
      if (says.forbidden.test(text)) return unlessTakenBack;
      return says.withdrawn.test(text) ? 'perhaps' : 'not';
    case 'wanted':
    case 'status':
      if (place === 'wanted' && says.no.test(text)) return 'surely';
      if (says.forbidden.test(text) || says.withdrawn.test(text)) return unlessTakenBack;
      if (hasHeader && (says.endedBecause.test(text) || says.statusCode.test(text))) return unlessTakenBack;
      if (says.whole.test(text) || (!hasHeader && says.title.test(text))) return 'surely';
      return hasHeader && says.perhapsDone.test(text) ? 'perhaps' : 'not';
  }
}

export function notOrdered(
  { layout, columnAt, keyColumn }: OrderTable,
  isIgnored: (header: string) => boolean,
  comments: readonly CellComment[] = [],
) {
  const places: (Place | undefined)[] = [];
  for (const { index, field, header } of layout.columns)
    places[index] = isIgnored(header) ? undefined : placeOf(field, header);
  const commentsOf = Map.groupBy(comments, ({ cell }) => Number(cell.replace(/\D/g, '')));
  const titleAbove = layout.titles?.map(({ cells }) => titleOfOthers(cells)).find((title) => title !== undefined);
  return {
    /** An error if the row must not be ordered, a warning if it was perhaps ordered before. */
    problemOf({ cells, rowNumber }: SheetRow): Problem | null {
      if (titleAbove !== undefined)
        return withdrawal(rowNumber, `the sheet's title is ${quoted(titleAbove)}`, 'remove that title');
      const texts = cells.flatMap((held, index) => {
        const column = columnAt[index];
        const place = column === undefined ? 'status' : places[index];
        if (place === undefined || index === keyColumn || isBlank(held)) return [];
        if (held.kind === 'error' || held.kind === 'formula') return [];
        const on = column === undefined ? '' : ` under ${quoted(column.header)}`;
        const value = cellText(held).trim();
        return [{ cell: cellAddress(index, rowNumber), value, place, column: column?.header ?? null, on }];
      });
      const inComments = (commentsOf.get(rowNumber) ?? []).map(
        ({ cell, text }) => ({ cell, value: text, place: 'note', column: null, on: ', in its comment,' }) as const,
      );
      let perhaps: Problem | null = null;
      for (const { place, on, ...about } of [...texts, ...inComments]) {
        const { cell, value, column } = about;
        const kind = judged(value.slice(0, LOOKED_AT), place, column !== null);
        if (kind === 'not') continue;
        const says = `${cell}${on} says ${quoted(value)}`;
        if (kind === 'surely') {
          const change =
            place === 'wanted' || place === 'unwanted' || place === 'done' ? 'empty that cell' : 'remove that word';
          return withdrawal(rowNumber, says, change, about);
        }
        perhaps ??= problemFor('warning', 'row-perhaps-done', { rowNumber, says }, about);
      }
      return perhaps;
    },

    /** A word alone under `Status` is a title only if the first one was in that column. */
    titleOf({ cells }: SheetRow) {
      const index = cells.findIndex((cell) => !isBlank(cell));
      const place = places[index];
      const isFirst = index <= (layout.columns[0]?.index ?? 0);
      return isFirst || place === undefined || place === 'mark' || place === 'other' ? titleOfOthers(cells) : undefined;
    },

    /** The record keeps the title, for the corrections workbook. */
    under(title: Readonly<{ text: string; rowNumber: number }>, outcome: RowOutcome): RowOutcome {
      const { record, repairs } = outcome;
      const { cells, place } = record;
      const problem = withdrawal(
        place.rowNumber,
        `it is under the title ${quoted(title.text)} (row ${title.rowNumber})`,
        'move it above that title; in the corrections workbook, empty the cell with the title next to the row',
      );
      const end = Math.max(places.length, (keyColumn ?? -1) + 1);
      const withTitle = Array.from({ length: Math.max(cells.length, end) }, (_, index) => cells[index]);
      return {
        kind: 'rejection',
        record: { ...record, cells: [...withTitle, { kind: 'text', text: title.text }] },
        problems: [problem, ...(outcome.kind === 'order' ? outcome.warnings : outcome.problems)],
        repairs,
      };
    },
  };
}

function withdrawal(rowNumber: number, says: string, change: string, about?: Partial<Problem>) {
  return problemFor('error', 'row-withdrawn', { rowNumber, says, change }, about);
}
