import { POLICY_TYPES, SERVICE_NAMES } from '../contract/document.ts';
import { cellText, isBlank, quoted } from '../domain/cells.ts';
import {
  fieldForAll,
  type GivenAnswer,
  type GivenWords,
  type KnownLayout,
  type LayoutQuestion,
} from '../domain/layout.ts';
import type { Note, Problem, RowOutcome, SheetLayout, SheetRow } from '../domain/row.ts';
import { noteFor, problemFor, sentence } from '../domain/sentences.ts';
import { readColorLegend } from './color-legend.ts';
import { type AskedDateOrder, lazyColumnEvidence } from './column-survey.ts';
import type { Corrections } from './corrections/sheet-plan.ts';
import { readWords } from './corrections/words-sheet.ts';
import type { DecisionFile } from './decisions.ts';
import { REQUIRED_FIELDS } from './fields.ts';
import {
  findHeaderRow,
  HEADER_SEARCH_ROWS,
  type OrderTable,
  placesOfTables,
  type Section,
} from './header/header-row.ts';
import { type KnownHeaders, knownHeaders } from './header/known-headers.ts';
import { groupFiller } from './grouped-rows.ts';
import { findExample } from './template-example.ts';
import { readAnswers, tablesOf } from './layout/answer-workbook.ts';
import { lacksValueForAll } from './layout/for-all.ts';
import { sectionFinder, withAddedCells } from './layout/sections.ts';
import { describeColumns, type LayoutSettings, readLayout } from './layout/read-layout.ts';
import { ordersElsewhere } from './other-sheets.ts';
import { describePlace, recognizeOwnWorkbook, withoutToFix } from './own-workbooks.ts';
import { readRow, rejectedRow, type RowReading } from './read-row.ts';
import { openSpreadsheet } from './readers/open-spreadsheet.ts';
import { SHEET_LEFT_OUT, type RowSource, UnreadableFileError } from './readers/row-source.ts';
import { namesNoOrders, notOrdered, marksUnwantedRows, rejectedFor, withJudgedColumns } from './not-ordered.ts';
import { isLegend, isLegendTitle, NO_ORDER, problemOutside, rowKind, summarizeSparseRow } from './row-kinds.ts';
import { commentNotes, isSheetNamed, leftOutNote, skippedNote } from './sheet-notes.ts';
import { rowText, SkippedRows } from './skipped-rows.ts';
import { isChoice, senderWords } from './values/choice.ts';
import { stateCode } from './values/place.ts';
import { trimmed } from './values/plain-text.ts';

export type IntakeOptions = LayoutSettings &
  Readonly<{
    headers: Readonly<Record<string, string>>;
    /** A sender's word → the service's value. */
    values?: Readonly<Record<string, string>> | undefined;
    dateOrder?: AskedDateOrder | undefined;
    /** `warn` (the default): an unreadable optional cell is left out. `reject`: its row goes back. */
    unreadableOptional?: 'warn' | 'reject' | undefined;
    /** Hidden rows go back as a question (`ask`, the default), are ordered, or are left out. */
    hiddenRows?: 'ask' | 'order' | 'skip' | undefined;
    /** In any letter case. */
    skipSheets?: readonly string[] | undefined;
  }>;

export type FileReading = AsyncDisposable &
  Readonly<{
    layouts: readonly SheetLayout[];
    questions: readonly LayoutQuestion[];
    /** Of a corrections workbook: the corrected file, and the words filled in on its sheet of words. */
    givenWords: GivenWords | null;
    /** The answers in a workbook "… - please confirm", which holds no rows. Empty for a receipt, which orders nothing. */
    answers: readonly GivenAnswer[] | null;
    columnDescriptions: readonly string[];
    /** Complete after `rows()`. */
    notes: readonly Note[];
    /** Rows come in file order. May be called again. */
    rows(): AsyncIterable<RowOutcome>;
  }>;

/** `displayName`: the name under which it was dropped. Throws UnreadableFileError. */
export async function readOrderFile(path: string, displayName: string, options: IntakeOptions): Promise<FileReading> {
  const source = await openSpreadsheet(path, displayName);
  try {
    return await readSource(source, displayName, options);
  } catch (thrown) {
    await source[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** Reads files and writes corrections workbooks; a run does both in child processes (night/isolated-file-worker.ts). */
export interface FileWorker {
  /** As `readOrderFile`. Its rows can be read only once, and may throw UnreadableFileError. */
  read(path: string, displayName: string, options: IntakeOptions): Promise<FileReading>;
  readDecisions(path: string, displayName: string): Promise<DecisionFile>;
  /** Plain if there are very many rows or the styled form fails. */
  writeCorrections(path: string, corrections: Corrections, rowCount: number): Promise<void>;
}

export async function readSource(opened: RowSource, displayName: string, asked: IntakeOptions): Promise<FileReading> {
  const known = knownHeaders(asked.headers);
  const own = await recognizeOwnWorkbook(opened, displayName);
  const source = own?.kind === 'corrections' ? withoutToFix(opened) : opened;
  if (own?.kind === 'receipt') return answeredReading(source, []);
  const givenWords = own?.kind === 'corrections' ? await readWords(opened) : null;
  const options = givenWords === null ? asked : withWords(asked, givenWords, await tablesOf(opened));
  if (own?.kind === 'question') return answeredReading(source, await readAnswers(source, displayName));
  const questions = [];
  const notes = [...source.notes, ...known.notes, ...(own?.notes ?? [])];
  const leftOut = [];
  const tables: OrderTable[] = [];
  const headless = [];
  let rowsSay = true;
  for (const [index, sheet] of source.sheets.entries()) {
    if (!sheet.visible) {
      if (own?.sheets.has(sheet.name) === true) continue;
      const holdsOrders = (await firstRows(source, index)).some(mayBeAnOrder);
      notes.push(noteFor(holdsOrders ? 'sheet-hidden-orders' : 'sheet-hidden', { name: sheet.name }));
      continue;
    }
    if (isSheetNamed(sheet.name, options.skipSheets)) {
      notes.push(await skippedNote(source, index));
      continue;
    }
    const first = await firstRows(source, index);
    const header = findHeaderRow(first, known);
    if (own === undefined && source.delimited !== true && namesNoOrders(sheet.name, 'sheetName')) {
      const left = await leftOutNote(source, index, header?.row.rowNumber ?? (first.some(mayBeAnOrder) ? 0 : Infinity));
      if (left !== undefined) {
        leftOut.push(left);
        continue;
      }
    }
    if (header === undefined) {
      if (own?.sheets.has(sheet.name) === true) continue;
      notes.push(skippedSheetNote(sheet.name, first));
      if (first.some(mayBeAnOrder)) headless.push(headlessTable(sheet.name, index));
    } else {
      const knownLayouts = own?.kind === 'template' ? [] : ownFirst(sheet.name, options.knownLayouts);
      const rows = () => source.rows(index);
      const read = await readLayout(header, index, known, { ...options, knownLayouts, file: displayName, rows });
      const table = withTitles(await withJudgedColumns(read.table, header.below, rows), first);
      tables.push(table);
      rowsSay &&= marksUnwantedRows(table, header.below);
      notes.push(...titleNotes(table), ...table.notes, ...(own === undefined ? read.notes : []));
      if (read.question !== null && own === undefined) questions.push(read.question);
      if (own === undefined) notes.push(...commentNotes(sheet.name, (await source.comments?.(index)) ?? []));
    }
  }
  notes.push(...leftOut);
  if (tables.length === 0)
    throw leftOut.length > 0
      ? new UnreadableFileError(SHEET_LEFT_OUT, leftOut.map(({ text }) => text).join(' '))
      : noTable(displayName, source, notes);
  const name = own === undefined ? displayName.replace(/\.[^.]*$/, '') : '';
  if (namesNoOrders(name, 'fileName') || (namesNoOrders(name, 'fileOfRows') && !rowsSay))
    throw new UnreadableFileError('file-left-out', sentence('file-left-out', { name: displayName }));
  tables.push(...headless);
  const skipped = new SkippedRows();
  const isElsewhere = ordersElsewhere(source, own === undefined ? tables : []);
  const columnNotes: Note[] = [];
  return {
    layouts: tables.map(({ layout }) => layout),
    answers: null,
    columnDescriptions: tables.flatMap((table) => describeColumns(table, known)),
    questions: byLayout(questions, tables.every(lacksValueForAll)),
    givenWords,
    get notes() {
      const all = [...notes, ...source.notes, ...columnNotes, ...skipped.notes()];
      return [...new Map(all.map((one) => [one.text, one])).values()];
    },
    async *rows() {
      skipped.clear();
      columnNotes.length = 0;
      for (const table of tables)
        columnNotes.push(
          ...(yield* tableRows(source, table, {
            displayName,
            isOwn: own !== undefined,
            isElsewhere,
            options,
            known,
            skipped,
          })),
        );
    },
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

function ownFirst(sheet: string, layouts: readonly KnownLayout[] = []) {
  const isOwn = (layout: KnownLayout) => Number(layout.sheet === sheet);
  return layouts.toSorted((a, b) => isOwn(b) - isOwn(a));
}

/** Sheets of one layout are asked about together. The rows of other sheets do not wait for a value of all rows. */
function byLayout(questions: readonly LayoutQuestion[], isForAll: boolean) {
  return [...Map.groupBy(questions, ({ layout }) => layout).values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const columns = Map.groupBy(
      all.flatMap((question) => question.columns.map((column) => ({ column, sheet: question.sheet }))),
      ({ column }) => column.key,
    );
    return {
      ...first,
      sheet: sheetsOf(all),
      missing: [...new Set(all.flatMap(({ missing = [] }) => missing))],
      columns: [...columns.values()].flatMap((some) => {
        const column = some[0]?.column;
        if (column === undefined || fieldForAll(column.key) === undefined) return column ?? [];
        const letter = some.length === all.length ? column.letter : `${column.letter} of ${sheetsOf(some)}`;
        return { ...column, letter, holds: isForAll };
      }),
    };
  });
}

function sheetsOf(some: readonly Readonly<{ sheet: string }>[]) {
  return [...new Set(some.map(({ sheet }) => sheet))].join(', ');
}

function answeredReading(source: RowSource, answers: readonly GivenAnswer[]) {
  return {
    layouts: [],
    questions: [],
    givenWords: null,
    answers,
    columnDescriptions: [],
    notes: [],
    async *rows() {},
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

function withWords(
  options: IntakeOptions,
  { words }: GivenWords,
  tables: Awaited<ReturnType<typeof tablesOf>>,
): IntakeOptions {
  const corrected = [{ keys: [], known: {}, judged: {}, sheet: '' }, ...tables].map(
    ({ known: columns, ...table }) => ({ ...table, by: 'corrected', columns, words }) as const,
  );
  return { ...options, knownLayouts: [...corrected, ...(options.knownLayouts ?? [])] };
}

type TableReading = Readonly<{
  displayName: string;
  isOwn: boolean;
  isElsewhere: ReturnType<typeof ordersElsewhere>;
  options: IntakeOptions;
  known: KnownHeaders;
  skipped: SkippedRows;
}>;

function rowReading(
  table: OrderTable,
  file: string,
  { today, values = {}, knownLayouts = [], unreadableOptional }: IntakeOptions,
  columns: ReturnType<typeof lazyColumnEvidence>,
): RowReading {
  return {
    table,
    file,
    today,
    evidence: (column) => columns.of(column),
    words: senderWords(
      values,
      knownLayouts.flatMap((layout) => layout.words),
    ),
    goesWithout: unreadableOptional !== 'reject',
  };
}

function readInSection(section: Section | undefined, ...[row, reading, example]: Parameters<typeof readRow>) {
  if (section === undefined) return readRow(row, reading, example);
  const table = { ...reading.table, given: section.given };
  return withAddedCells(readRow(row, { ...reading, table }, example), section);
}

async function* tableRows(
  source: RowSource,
  table: OrderTable,
  { displayName, isOwn, isElsewhere, options, known, skipped }: TableReading,
) {
  const columns = lazyColumnEvidence(table, options, () => source.rows(table.sheetIndex));
  let otherTable: number | undefined;
  const reading = rowReading(table, displayName, options, columns);
  const readLegend = () => readColorLegend(source.rows(table.sheetIndex), table);
  let legend = table.isColored === true && !isOwn ? await readLegend() : undefined;
  const comments = isOwn ? [] : await source.comments?.(table.sheetIndex);
  const words = notOrdered(
    table,
    (header) => known.isIgnored(header) || isLegendTitle(header),
    comments,
    reading.words,
    (text) => legend?.explains(text) === true,
  );
  let inLegend = false;
  let section: Readonly<{ text: string; rowNumber: number }> | undefined;
  const fill = groupFiller(table.grouped ?? []);
  const sectionOf = sectionFinder(table);
  for await (const held of source.rows(table.sheetIndex)) {
    if (held.cells.every(isBlank)) continue;
    if (held.fills !== undefined && !isOwn) legend ??= await readLegend();
    const { row, repairs } = fill(held);
    if (row.rowNumber <= table.layout.headerRow || table.columns.size === 0) {
      if (table.columns.size === 0) yield rejectedRow(row, reading, 'no-header-row', { sheet: row.sheet });
      else if (row.rowNumber < table.layout.headerRow && mayBeAnOrder(row))
        yield rejectedRow(row, reading, 'above-the-header', { headerRow: table.layout.headerRow });
      continue;
    }
    if (columns.need(row)) await columns.lookFor(row);
    const example = findExample(row, table);
    if (example === 'example') {
      skipped.add(row, 'rows-example');
      continue;
    }
    const title = words.titleOf(row);
    inLegend = isLegend(row, table, inLegend);
    const part = sectionOf(row);
    const isTitle = part?.isTitle === true && part.rowNumber === row.rowNumber;
    if (title !== undefined || isTitle)
      section = title === undefined ? undefined : { text: title, rowNumber: row.rowNumber };
    if (title !== undefined || inLegend || isTitle || legend?.explains(rowText(row.cells)) === true) {
      skipped.add(row, NO_ORDER);
      continue;
    }
    const own = readInSection(part, row, reading, example);
    const read = withProblem(
      withProblem(
        { ...own, repairs: [...own.repairs, ...repairs] },
        problemOutside(row, table, source.delimited === true),
      ),
      example.length > 0 ? null : words.problemOf(row, describePlace(own.record)),
    );
    const whole = withTables(read, table);
    const color = legend?.of(row);
    const heading = color === undefined ? section : { ...color, rowNumber: row.rowNumber };
    const outcome = heading === undefined ? whole : words.under(heading, whole);
    // Totals and headers are never read as orders, so only rejections are checked.
    const kind = outcome.kind === 'order' ? 'data' : rowKind(row, table, known);
    if (kind === 'title') section = undefined;
    if (kind === 'other-header') otherTable ??= row.rowNumber;
    if (otherTable !== undefined) {
      yield rejectedRow(row, reading, 'second-table', {
        header: otherTable === row.rowNumber ? 'it' : `row ${otherTable}`,
      });
    } else if (kind === 'data') {
      if (row.hidden === true && options.hiddenRows === 'skip') skipped.add(row, 'rows-hidden');
      else if (await isElsewhere(row, table)) skipped.add(row, 'rows-on-other-sheet');
      else yield summarizeSparseRow(withProblem(outcome, hiddenProblem(row, outcome, options)), row);
    } else if (kind !== 'other-header') skipped.add(row, kind === 'title' ? NO_ORDER : kind);
  }
  return columns.notes;
}

function headlessTable(sheet: string, sheetIndex: number) {
  return {
    sheetIndex,
    layout: { sheet, headerRow: 0, columns: [] },
    cells: [],
    columnAt: [],
    columns: new Map(),
    dateOrders: new Map(),
    keyColumn: undefined,
    missing: REQUIRED_FIELDS,
    notes: [],
  };
}

function withProblem(outcome: RowOutcome, problem: Problem | null): RowOutcome {
  if (problem === null) return outcome;
  if (outcome.kind === 'rejection') return { ...outcome, problems: [...outcome.problems, problem] };
  return problem.severity === 'warning'
    ? { ...outcome, warnings: [...outcome.warnings, problem] }
    : rejectedFor(problem, outcome);
}

/** In a corrections workbook somebody has decided that. */
function hiddenProblem(row: SheetRow, { record }: RowOutcome, { hiddenRows }: IntakeOptions) {
  if (row.hidden !== true) return null;
  const place = describePlace(record);
  return hiddenRows === 'order' || record.correctsRow !== null
    ? problemFor('warning', 'row-hidden/ordered', { place })
    : problemFor('error', 'row-hidden', { place });
}

/** In tables side by side, cells that differ are two orders, and neither may be dropped. */
function withTables(outcome: RowOutcome, { sideBySide }: OrderTable) {
  if (sideBySide === undefined || outcome.kind === 'order') return outcome;
  const others = outcome.problems.filter(({ rule }) => rule !== 'columns-disagree' && rule !== 'two-addresses');
  if (others.length === outcome.problems.length) return outcome;
  return {
    ...outcome,
    problems: [
      problemFor('error', 'tables-side-by-side/row', {
        rowNumber: outcome.record.place.rowNumber,
        tables: placesOfTables(sideBySide),
      }),
      ...others,
    ],
  };
}

function withTitles(table: OrderTable, first: readonly SheetRow[]) {
  const above = first.filter((row) => row.rowNumber < table.layout.headerRow && !mayBeAnOrder(row));
  const isColored = first.some(({ fills }) => fills !== undefined);
  if (above.length === 0) return { ...table, isColored };
  const titles = above.map(({ rowNumber, cells }) => ({ rowNumber, cells: cells.map((cell) => cell ?? null) }));
  return { ...table, isColored, layout: { ...table.layout, titles } };
}

function titleNotes({ layout }: OrderTable) {
  if (layout.titles === undefined) return [];
  const texts = layout.titles.map(({ cells }) => quoted(rowText(cells)));
  return [noteFor('rows-above-header', { sheet: layout.sheet, headerRow: layout.headerRow, texts: texts.join(', ') })];
}

function skippedSheetNote(name: string, first: readonly SheetRow[]) {
  if (first.length === 0) return noteFor('sheet-empty', { name });
  if (!first.some(mayBeAnOrder)) return noteFor('sheet-without-orders', { name });
  return noteFor('sheet-without-header', { name, rows: HEADER_SEARCH_ROWS });
}

function asSentence({ text }: Note) {
  const whole = /[.!?]$/.test(text) ? text : `${text}.`;
  return /^is\b/.test(whole) ? `It ${whole}` : `${whole.slice(0, 1).toUpperCase()}${whole.slice(1)}`;
}

function noTable(displayName: string, source: RowSource, notes: readonly Note[]) {
  if (!source.sheets.some(({ visible }) => visible))
    return new UnreadableFileError('no-visible-sheet', sentence('no-visible-sheet', { displayName }));
  const sentences = [
    `${quoted(displayName)} ${sentence('no-header')}`,
    // A text file has one sheet, so this would only repeat the first sentence.
    ...notes.filter(({ code }) => source.sheets.length > 1 || code !== 'sheet-without-orders').map(asSentence),
    sentence('no-header/use'),
  ];
  return new UnreadableFileError('no-header', sentences.join(' '));
}

export async function firstRows(source: RowSource, sheetIndex: number) {
  const rows = [];
  for await (const row of source.rows(sheetIndex)) {
    if (row.cells.every(isBlank)) continue;
    rows.push(row);
    if (rows.length === HEADER_SEARCH_ROWS) break;
  }
  return rows;
}

const CELLS_LOOKED_AT = 200;

/** Not just one in a list of places. */
function mayBeAnOrder(row: SheetRow) {
  const texts = row.cells
    .filter((cell) => !isBlank(cell))
    .slice(0, CELLS_LOOKED_AT)
    .map((cell) => trimmed(cellText(cell)));
  const some = (test: (text: string) => boolean) => texts.some(test);
  const state = some((text) => stateCode(text) !== undefined);
  const zip = some((text) => /^\d{4,5}(?:-\d{4})?$/.test(text));
  const service = some((text) => isChoice(text, SERVICE_NAMES));
  const policyType = some((text) => isChoice(text, POLICY_TYPES));
  const street = some((text) => /^\d+[a-z]?\s+\p{L}/iu.test(text));
  return (service && ((state && zip) || policyType)) || (state && zip && street);
}
