/*
 * The room that turns spreadsheets into rows. From here the walk of a file goes down:
 *   readers/            bytes to cells, .xlsx and .csv behind one interface
 *   header/             which row is the header, which column is which field; fields.ts holds the fields and every synonym of theirs
 *   read-row.ts         cells to values: values/coerce.ts says how each kind of field is read, date.ts, amount.ts and so on do it; row-address.ts puts
 *                       addresses together; rules.ts says what a row must hold, and makes of its values an order or a rejection
 *   corrections/        the workbook in which rejected rows go back
 *   own-workbooks.ts    what tells our own workbooks
 */

import { POLICY_TYPES, SERVICE_NAMES } from '../contract/document.ts';
import { cellAddress, cellText, columnNamed, inWords, isBlank, quoted } from '../domain/cells.ts';
import { type Problem, type RowOutcome, rowProblem, type SheetLayout, type SheetRow } from '../domain/row.ts';
import { type AskedDateOrder, ColumnEvidenceAsNeeded } from './column-survey.ts';
import type { Corrections } from './corrections/sheet-plan.ts';
import type { DecisionFile } from './decisions.ts';
import { type FieldName, fieldNamed, ORDER_FIELDS, type OrderField } from './fields.ts';
import {
  fieldsNamed,
  findHeaderRow,
  HEADER_SEARCH_ROWS,
  type OrderTable,
  placesOfTables,
  readHeaderRow,
} from './header/header-row.ts';
import { type KnownHeaders, knownHeaders } from './header/known-headers.ts';
import { ownWorkbook } from './own-workbooks.ts';
import { CleanTexts, readRow, rejectedRow, type RowReading } from './read-row.ts';
import { openSpreadsheet } from './readers/open-spreadsheet.ts';
import { LEFT_OUT, LOUD, type RowSource, UnreadableFileError } from './readers/row-source.ts';
import { isFileOfOthers, isNameOfOthers, NotOrdered } from './not-ordered.ts';
import { inOneSentence, isOrderAbove, OutsideTable, rowKind } from './row-kinds.ts';
import { rowText, SkippedRows } from './skipped-rows.ts';
import { coerceChoice, senderWords } from './values/choice.ts';
import { coerceState } from './values/place.ts';
import { trimmed } from './values/plain-text.ts';

/** What decides how a file is read, besides the file. */
export interface IntakeOptions {
  /** The config's `intake.headers`: a sender's header → the field it stands for. */
  readonly headers: Readonly<Record<string, string>>;
  /** The config's `intake.values`: a sender's word → the value that the service lists. */
  readonly values?: Readonly<Record<string, string>> | undefined;
  /** The config's `intake.dateOrder`: how a date that could be two is read where its column does not tell. */
  readonly dateOrder?: AskedDateOrder | undefined;
  /** The config's `intake.unreadableOptional`: what an optional cell that cannot be read costs, itself (`warn`, the default) or the row. */
  readonly unreadableOptional?: 'warn' | 'reject' | undefined;
  /** `YYYY-MM-DD`. */
  readonly today: string;
}

/** A file whose tables of orders have been found. */
export interface FileReading extends AsyncDisposable {
  /** One for each sheet that holds orders. */
  readonly layouts: readonly SheetLayout[];
  /** What a person should know of how the file was read. Those about single rows are complete once `rows()` has run to its end. */
  readonly notes: readonly string[];
  /** Every data row, in the file's order: an order or a rejection. Can be asked for more than once. */
  rows(): AsyncIterable<RowOutcome>;
}

/**
 * Opens a spreadsheet and finds its orders. `displayName` is the file's name as it was dropped; the path may be a snapshot under another.
 * Throws UnreadableFileError, whose message is a sentence for the person who dropped it.
 */
export async function readOrderFile(path: string, displayName: string, options: IntakeOptions): Promise<FileReading> {
  const source = await openSpreadsheet(path, displayName);
  try {
    return await readOrders(source, displayName, options);
  } catch (thrown) {
    await source[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** Reads strangers' files and writes what goes back to them; a run does both in processes of their own (cli/files-apart.ts). */
export interface FileDesk {
  /** As `readOrderFile` does: throws UnreadableFileError, also from the rows, which can be asked for once. */
  read(path: string, displayName: string, options: IntakeOptions): Promise<FileReading>;
  /** As `readDecisionFile` does. */
  readDecisions(path: string, displayName: string): Promise<DecisionFile>;
  /** Writes the corrections workbook of so many rows: in its plain form where they are too many, or where the other cannot be made. */
  writeCorrections(path: string, corrections: Corrections, rowCount: number): Promise<void>;
}

/** Finds the tables of orders in an opened file; `displayName` is the file's name as it was dropped. Throws UnreadableFileError. */
export async function readOrders(source: RowSource, displayName: string, options: IntakeOptions): Promise<FileReading> {
  const known = knownHeaders(options.headers);
  const own = await ownWorkbook(source, displayName);
  const notes = [...source.notes, ...known.notes, ...(own?.notes ?? [])];
  const leftOut: string[] = [];
  const tables: OrderTable[] = [];
  const headless: OrderTable[] = [];
  for (const [index, sheet] of source.sheets.entries()) {
    if (!sheet.visible) {
      if (own?.sheets.has(sheet.name) !== true) notes.push(hiddenSheetNote(sheet.name, await firstRows(source, index)));
      continue;
    }
    const first = await firstRows(source, index);
    const header = findHeaderRow(first, known);
    // The one sheet of a text table has its name from the file.
    if (own === undefined && source.delimited !== true && isNameOfOthers(sheet.name)) {
      const headerRow = header?.row.rowNumber ?? (first.some(mayBeAnOrder) ? 0 : Infinity);
      const note = await leftOutNote(source, index, headerRow);
      if (note !== undefined) {
        leftOut.push(note);
        continue;
      }
    }
    if (header === undefined) {
      if (own?.sheets.has(sheet.name) === true) continue;
      notes.push(skippedSheetNote(sheet.name, first, known));
      if (first.some(mayBeAnOrder)) headless.push(headlessTable(sheet.name, index));
    } else {
      const table = withTitles(readHeaderRow(header, index, known), first);
      tables.push(table);
      notes.push(...titleNotes(first, table), ...table.notes);
    }
  }
  notes.push(...leftOut);
  if (tables.length === 0)
    throw new UnreadableFileError(leftOut.length > 0 ? leftOut.join(' ') : noTableSentence(displayName, source, notes));
  if (own === undefined && isFileOfOthers(displayName))
    throw new UnreadableFileError(
      `${quoted(displayName)} was left out: its name says that its rows are not to be ordered. If they are, rename it and drop it again.`,
    );
  tables.push(...headless);
  const skipped = new SkippedRows();
  const told = new Set<string>();
  return {
    layouts: tables.map(({ layout }) => layout),
    get notes() {
      // The reader may have learnt more of a sheet while its rows were read.
      return [...new Set([...notes, ...source.notes, ...told, ...skipped.notes()])];
    },
    async *rows() {
      skipped.clear();
      told.clear();
      for (const table of tables) yield* tableRows(source, table, { displayName, options, known, skipped, told });
    },
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

interface TableReading {
  readonly displayName: string;
  readonly options: IntakeOptions;
  readonly known: KnownHeaders;
  readonly skipped: SkippedRows;
  /** Takes notes on how cells were read. */
  readonly told: Set<string>;
}

/** The data rows of one table. A date or an amount that needs its whole column makes the sheet be read once more, and only then. */
async function* tableRows(
  source: RowSource,
  table: OrderTable,
  { displayName, options, known, skipped, told }: TableReading,
): AsyncGenerator<RowOutcome> {
  const { today } = options;
  const columns = new ColumnEvidenceAsNeeded(table, options, () => source.rows(table.sheetIndex));
  let otherTable: number | undefined;
  const reading: RowReading = {
    table,
    file: displayName,
    today,
    evidence: (column) => columns.of(column),
    words: senderWords(options.values ?? {}),
    goesWithout: options.unreadableOptional !== 'reject',
    cleanTexts: new CleanTexts(),
  };
  const outside = new OutsideTable(table, source.delimited === true);
  const notOrdered = new NotOrdered(table, (header) => known.isIgnored(header));
  let section: { readonly text: string; readonly rowNumber: number } | undefined;
  for await (const row of source.rows(table.sheetIndex)) {
    if (row.cells.every(isBlank)) continue;
    if (table.columns.size === 0) {
      yield rejectedRow(
        row,
        reading,
        'no-header-row',
        `the sheet ${quoted(row.sheet)} has no header row, so nothing says what its cells are. Put the titles of the columns above it.`,
      );
      continue;
    }
    if (row.rowNumber <= table.layout.headerRow) {
      if (isOrderAbove(row, table))
        yield rejectedRow(
          row,
          reading,
          'above-the-header',
          `it stands above the header (row ${String(table.layout.headerRow)}) and looks like an order. Put it below the header.`,
        );
      continue;
    }
    if (columns.need(row)) await columns.lookFor(row);
    const example = findExample(row, table);
    if (example.kind === 'example') {
      skipped.add(row, 'example');
      continue;
    }
    const title = notOrdered.titleOf(row);
    if (title !== undefined) {
      section = { text: title, rowNumber: row.rowNumber };
      skipped.add(row, 'no-order');
      continue;
    }
    const read = withProblem(withProblem(readRow(row, reading), outside.problemOf(row)), notOrdered.problemOf(row));
    const whole = withTables(example.kind === 'left over' ? withLeftOvers(read, example.fields, table) : read, table);
    const outcome = section === undefined ? whole : notOrdered.under(section, whole);
    // Totals and headers never make an order, so only rejections need a second look.
    const kind = outcome.kind === 'order' ? 'data' : rowKind(row, table, known);
    if (kind === 'title') section = undefined;
    if (kind === 'other-header') otherTable ??= row.rowNumber;
    if (otherTable !== undefined) {
      yield rejectedRow(
        row,
        reading,
        'second-table',
        `row ${String(otherTable)} looks like the header of another table, so this row cannot be read with the first header. Put the other table on a sheet of its own.`,
      );
    } else if (kind === 'data') yield inOneSentence(outcome, row);
    else if (kind !== 'other-header') skipped.add(row, kind);
  }
  for (const note of columns.notes) told.add(note);
}

/** A sheet with rows that look like orders and no header: each of its rows goes back. */
function headlessTable(sheet: string, sheetIndex: number): OrderTable {
  return {
    sheetIndex,
    layout: { sheet, headerRow: 0, columns: [] },
    columnAt: [],
    columns: new Map(),
    dateOrders: new Map(),
    keyColumn: undefined,
    missing: ORDER_FIELDS.filter(({ required }) => required),
    notes: [],
  };
}

function withProblem(outcome: RowOutcome, problem: Problem | null): RowOutcome {
  if (problem === null) return outcome;
  const { record, repairs } = outcome;
  if (outcome.kind === 'rejection') return { ...outcome, problems: [...outcome.problems, problem] };
  return problem.severity === 'warning'
    ? { ...outcome, warnings: [...outcome.warnings, problem] }
    : { kind: 'rejection', record, problems: [problem, ...outcome.warnings], repairs };
}

/** Where tables of orders stand side by side, cells that differ are two orders, of which neither may be emptied. */
function withTables(outcome: RowOutcome, { sideBySide }: OrderTable): RowOutcome {
  if (sideBySide === undefined || outcome.kind === 'order') return outcome;
  const others = outcome.problems.filter(({ rule }) => rule !== 'columns-disagree' && rule !== 'two-addresses');
  if (others.length === outcome.problems.length) return outcome;
  const message = `Row ${String(outcome.record.place.rowNumber)}: tables of orders stand side by side, in columns ${placesOfTables(sideBySide)}, and this row holds an order of more than one. Move those of the right one below, into rows of their own under the first headers, or to a sheet of their own.`;
  return { ...outcome, problems: [rowProblem('error', 'tables-side-by-side', message), ...others] };
}

/** Titles go back with the rows to fix, so that the sheet looks as its sender made it. */
function withTitles(table: OrderTable, first: readonly SheetRow[]): OrderTable {
  const above = first.filter((row) => row.rowNumber < table.layout.headerRow && !isOrderAbove(row, table));
  if (above.length === 0) return table;
  const titles = above.map(({ rowNumber, cells }) => ({ rowNumber, cells: cells.map((cell) => cell ?? null) }));
  return { ...table, layout: { ...table.layout, titles } };
}

function titleNotes(first: readonly SheetRow[], table: OrderTable): string[] {
  const { layout } = table;
  const above = first.filter((row) => row.rowNumber < layout.headerRow && !isOrderAbove(row, table));
  if (above.length === 0) return [];
  const texts = above.map(({ cells }) => quoted(rowText(cells)));
  return [
    `Sheet ${quoted(layout.sheet)}: the header is row ${String(layout.headerRow)}; what stands above it was taken for a title: ${texts.join(', ')}.`,
  ];
}

function hiddenSheetNote(name: string, first: readonly SheetRow[]): string {
  return first.some(looksLikeOrders)
    ? `Sheet ${quoted(name)} is hidden and ${LOUD}: it was not read. If it is meant, unhide it and drop the file again: what was ordered already is not ordered twice.`
    : `Sheet ${quoted(name)} is hidden and was not read.`;
}

function skippedSheetNote(name: string, first: readonly SheetRow[], known: KnownHeaders): string {
  if (first.length === 0) return `Sheet ${quoted(name)} is empty.`;
  if (!first.some(looksLikeOrders)) return `Sheet ${quoted(name)} holds no table of orders and was not read.`;
  return `Sheet ${quoted(name)} ${LOUD} BUT HAS NO HEADER ROW: none of its first ${String(HEADER_SEARCH_ROWS)} rows is one.${nearestHeaderRow(first, known)}`;
}

/** What is said of a sheet whose name says that its rows are not to be ordered; undefined where it holds none. @param headerRow 0 where it has no header. */
async function leftOutNote(source: RowSource, sheetIndex: number, headerRow: number): Promise<string | undefined> {
  let count = 0;
  let first = '';
  for await (const row of source.rows(sheetIndex)) {
    if (row.rowNumber <= headerRow || row.cells.every(isBlank)) continue;
    count += 1;
    if (count === 1) first = rowText(row.cells, ', ');
  }
  if (count === 0) return undefined;
  return `Sheet ${quoted(source.sheets[sheetIndex]?.name ?? '')} ${LOUD} (${count === 1 ? '1 row' : `${String(count)} rows, the first`}: ${quoted(first)}), but its name says that they are not to be ordered: it ${LEFT_OUT}. If they are, rename it and drop the file again: what was ordered already is not ordered twice.`;
}

/** The row that names the most headers, though too few to be sure. */
function nearestHeaderRow(first: readonly SheetRow[], known: KnownHeaders): string {
  const named = first.map((row) => ({
    row,
    headers: row.cells.flatMap((cell, index) =>
      isBlank(cell) || known.fieldOf(cellText(cell)) === undefined
        ? []
        : [columnNamed({ index, header: cellText(cell) })],
    ),
  }));
  const best = named.toSorted((a, b) => b.headers.length - a.headers.length)[0];
  if (best === undefined || best.headers.length === 0 || fieldsNamed(best.row, known) > 0) return '';
  return ` The nearest is row ${String(best.row.rowNumber)}, where only ${inWords(best.headers)} ${best.headers.length === 1 ? 'is' : 'are'} known.`;
}

/** A note such as `read as UTF-8, separated by ","` stands in a list of its own; among sentences it is one of them. */
function asSentence(note: string): string {
  const whole = /[.!?]$/.test(note) ? note : `${note}.`;
  return /^is\b/.test(whole) ? `It ${whole}` : `${whole.slice(0, 1).toUpperCase()}${whole.slice(1)}`;
}

function noTableSentence(displayName: string, source: RowSource, notes: readonly string[]): string {
  const visible = source.sheets.filter(({ visible }) => visible);
  if (visible.length === 0)
    return `${quoted(displayName)} has no visible sheet. Unhide the sheet with the orders and drop the file again.`;
  return [
    `${quoted(displayName)} has no header row: no row names the columns of an order, such as "Street address", "City", "State", "ZIP code", "Insured name".`,
    'Use the headers of the intake template ("inspection-batch template" writes one), or name yours under intake.headers in config.yaml.',
    ...notes.map(asSentence),
  ].join(' ');
}

/** The rows of a sheet among which its header is looked for: the first ones that hold anything. */
export async function firstRows(source: RowSource, sheetIndex: number): Promise<SheetRow[]> {
  const rows: SheetRow[] = [];
  for await (const row of source.rows(sheetIndex)) {
    if (row.cells.every(isBlank)) continue;
    rows.push(row);
    if (rows.length === HEADER_SEARCH_ROWS) break;
  }
  return rows;
}

/** More cells of a row are not looked at: what order is that wide? */
const CELLS_LOOKED_AT = 200;

/** True for a row that may be an order though its sheet has no header: a state beside a ZIP code, or a service beside a policy type. */
export function looksLikeOrders(row: SheetRow): boolean {
  const { place, service, policyType } = signsOf(row);
  return place || (service && policyType);
}

/** True for a row that may well be an order, and not an entry of a list of places: it names a service as well, or a street. */
export function mayBeAnOrder(row: SheetRow): boolean {
  const { place, service, policyType, street } = signsOf(row);
  return (service && (place || policyType)) || (place && street);
}

function signsOf(row: SheetRow): {
  readonly place: boolean;
  readonly service: boolean;
  readonly policyType: boolean;
  readonly street: boolean;
} {
  const texts = row.cells
    .filter((cell) => !isBlank(cell))
    .slice(0, CELLS_LOOKED_AT)
    .map((cell) => trimmed(cellText(cell)));
  const some = (test: (text: string) => boolean): boolean => texts.some(test);
  const state = some((text) => coerceState(text).kind === 'value');
  const zip = some((text) => /^\d{4,5}(?:-\d{4})?$/.test(text));
  const service = some((text) => coerceChoice(text, SERVICE_NAMES).kind === 'value');
  const policyType = some((text) => coerceChoice(text, POLICY_TYPES).kind === 'value');
  return { place: state && zip, service, policyType, street: some((text) => /^\d+[a-z]?\s+\p{L}/iu.test(text)) };
}

/** Values that nobody's order has: by these the template's example is known. */
const MARKS: Readonly<Partial<Record<FieldName, string>>> = {
  inspectionNumber: 'EXAMPLE-1',
  policyNumber: 'EXAMPLE-1',
  streetAddress: '1 Example Street',
  insuredName: 'Example Insured',
  note: 'An example. It is never ordered: write over it, or delete the row.',
};

const MARKED = ORDER_FIELDS.map(({ name }) => name).filter((name) => name in MARKS);

/** What the template's example row holds under a field; empty where it shows nothing, so that little can be left over by oversight. */
export function exampleValue({ name, required, example, kind }: OrderField): string {
  return MARKS[name] ?? (required || kind === 'date' ? example : '');
}

/** `example`: the row is the template's example and nothing else. `left over`: it is another row that still holds some of its values. */
export function findExample(
  row: SheetRow,
  table: OrderTable,
): { readonly kind: 'no' | 'example' } | { readonly kind: 'left over'; readonly fields: readonly FieldName[] } {
  const left = MARKED.filter((name) =>
    (table.columns.get(name) ?? []).some(({ index }) => holdsText(row, index, MARKS[name] ?? '')),
  );
  if (left.length === 0) return { kind: 'no' };
  const only = ORDER_FIELDS.every((field) =>
    (table.columns.get(field.name) ?? []).every(
      ({ index }) => isBlank(row.cells[index]) || holdsText(row, index, exampleValue(field)),
    ),
  );
  return only ? { kind: 'example' } : { kind: 'left over', fields: left };
}

function holdsText({ cells }: SheetRow, index: number, text: string): boolean {
  return cellText(cells[index]).trim().toLowerCase() === text.toLowerCase();
}

/** A row that still holds values of the example is not ordered: nobody can tell which of its cells are meant. */
export function withLeftOvers(outcome: RowOutcome, fields: readonly FieldName[], { columns }: OrderTable): RowOutcome {
  const { record, repairs } = outcome;
  const found = fields.map((name): Problem => {
    const column = columns.get(name)?.[0];
    const address = column === undefined ? null : cellAddress(column.index, record.place.rowNumber);
    const value = column === undefined ? '' : cellText(record.cells[column.index]);
    const message = `${fieldNamed(name)?.title ?? name}${address === null ? '' : ` (${address})`}: ${quoted(value)} is left over from the example of the template. Write the order's own, or empty the cell; check that nothing else of the example is left in the row.`;
    return {
      severity: 'error',
      rule: 'example-left-over',
      field: name,
      column: column?.header ?? null,
      cell: address,
      value,
      message,
    };
  });
  return {
    kind: 'rejection',
    record,
    repairs,
    problems: [...found, ...(outcome.kind === 'order' ? outcome.warnings : outcome.problems)],
  };
}
