import type { Cell as WrittenCell, stream, Worksheet } from 'exceljs';
import type { Cell, Problem, Repair, RowRecord, SheetLayout } from '../domain/row.ts';
import { cellAddress, cellText, quoted } from './cells.ts';
import { fieldNamed, ORDER_FIELDS } from './fields.ts';
import type { OrderField } from './fields.ts';
import { ROW_KEY_HEADER } from './known-headers.ts';
import { usableSheetName } from './sheet-names.ts';
import { isAmbiguousDate } from './values/date.ts';
import { oneLine } from './values/plain-text.ts';
import { columnWidth, FONT, TEXT_KINDS, writtenCell, writtenText } from './written-cell.ts';

/** A row that goes back to its sender, and why. */
interface RowToFix {
  readonly record: RowRecord;
  readonly problems: readonly Problem[];
  /** What was read differently from how it was typed. A date that only its whole column could decide is written as that date. */
  readonly repairs?: readonly Repair[];
}

/** What a corrections workbook is made of. */
export interface Corrections {
  /** The file's name or hash: the first part of the row keys. */
  readonly file: string;
  readonly layouts: readonly SheetLayout[];
  /** The rows to fix. Asked for several times, so that no more than one row is held at once. */
  rows(): AsyncIterable<RowToFix>;
}

const PROBLEMS_SHEET = 'Problems';
const PROBLEM_WIDTH = 110;
const LINE_HEIGHT = 15;
const PROBLEM_HEADERS = [
  { header: 'Sheet', width: 20 },
  { header: 'Row', width: 7 },
  { header: 'Cell', width: 8 },
  { header: 'Column', width: 26 },
  { header: 'Value', width: 30 },
  { header: 'Problem', width: PROBLEM_WIDTH },
  { header: 'Row in your file', width: 16 },
];

const COLOURS = { header: 'FFE3E8EE', added: 'FFFFD8A8', error: 'FFFFC9C9', warning: 'FFFFF3BF' };

/** A column as it is written: the sender's, one that was missing, or one that has data and no header. */
interface WrittenColumn {
  readonly index: number;
  readonly header: string;
  readonly field: OrderField | undefined;
  readonly added: boolean;
}

/** A sheet as it is written. */
interface SheetPlan {
  readonly layout: SheetLayout;
  readonly name: string;
  readonly columns: readonly WrittenColumn[];
  readonly keyColumn: number;
}

/**
 * Writes a workbook with just the rows to fix, in the sender's own layout: wrong cells coloured, with a comment that says what to do; a
 * sheet of all problems; a hidden key for each row, by which it is known when the workbook comes back. Write to a temporary name: the
 * file is not whole before the promise is fulfilled.
 */
export async function writeCorrectionsWorkbook(path: string, corrections: Corrections): Promise<void> {
  const { default: exceljs } = await import('exceljs');
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({ filename: path, useStyles: true, useSharedStrings: true });
  const plans = await planSheets(corrections);
  for (const plan of plans) await writeSheet(workbook, plan, corrections);
  await writeProblems(workbook, plans, corrections);
  await workbook.commit();
}

async function planSheets(corrections: Corrections): Promise<SheetPlan[]> {
  const widths = new Map<string, number>();
  for await (const { record } of corrections.rows()) {
    widths.set(record.place.sheet, Math.max(widths.get(record.place.sheet) ?? 0, record.cells.length));
  }
  const plans: SheetPlan[] = [];
  for (const layout of corrections.layouts) {
    const rowWidth = widths.get(layout.sheet);
    if (rowWidth === undefined) continue;
    const own = layout.columns.map(({ index, header, field }) => ({ index, header, field: field === null ? undefined : fieldNamed(field), added: false }));
    const next = Math.max(rowWidth, ...own.map(({ index }) => index + 1));
    const missing = ORDER_FIELDS.filter(({ name, required }) => required && own.every(({ field }) => field?.name !== name));
    const added = missing.map((field, position) => ({ index: next + position, header: field.title, field, added: true }));
    const name = usableSheetName(layout.sheet, [PROBLEMS_SHEET, ...plans.map((plan) => plan.name)]);
    plans.push({ layout, name, columns: [...own, ...added], keyColumn: next + added.length });
  }
  return plans;
}

async function writeSheet(workbook: stream.xlsx.WorkbookWriter, plan: SheetPlan, corrections: Corrections): Promise<void> {
  const sheet = workbook.addWorksheet(plan.name, { views: [{ state: 'frozen', ySplit: 1 }] });
  writeHeader(sheet, plan);
  let rowNumber = 1;
  for await (const row of corrections.rows()) {
    if (row.record.place.sheet !== plan.layout.sheet) continue;
    rowNumber += 1;
    writeRow(sheet, rowNumber, row, plan, corrections.file);
  }
  sheet.commit();
}

function writeHeader(sheet: Worksheet, plan: SheetPlan): void {
  for (const { index, header, field, added } of plan.columns) {
    sheet.getColumn(index + 1).width = columnWidth(header, field);
    const cell = sheet.getCell(1, index + 1);
    cell.value = writtenText(header);
    cell.font = { name: FONT, bold: true };
    paint(cell, added ? COLOURS.added : COLOURS.header);
    if (added) cell.note = comment([`The file had no such column, but an order cannot do without it. ${field?.help ?? ''}`]);
  }
  sheet.getColumn(plan.keyColumn + 1).hidden = true;
  sheet.getCell(1, plan.keyColumn + 1).value = ROW_KEY_HEADER;
  sheet.getRow(1).commit();
}

function writeRow(sheet: Worksheet, rowNumber: number, { record, problems, repairs = [] }: RowToFix, plan: SheetPlan, file: string): void {
  const fields = new Map(plan.columns.map(({ index, field }) => [index, field]));
  for (let index = 0; index < plan.keyColumn; index += 1) {
    const field = fields.get(index);
    const held = record.cells[index];
    if (held === undefined && (field === undefined || !TEXT_KINDS.has(field.kind))) continue;
    const cell = sheet.getCell(rowNumber, index + 1);
    const decided = dateDecidedByColumn(held, field, repairs);
    const { value, style } = writtenCell(decided === undefined ? held : { kind: 'date', iso: decided.sent, raw: '' }, field);
    cell.value = value;
    cell.style = style;
    if (decided !== undefined) cell.note = comment([`The file held ${quoted(decided.held)}: ${decided.why}.`]);
  }
  for (const [index, found] of problemsByColumn(problems, plan)) {
    const cell = sheet.getCell(rowNumber, index + 1);
    paint(cell, found.some(({ severity }) => severity === 'error') ? COLOURS.error : COLOURS.warning);
    cell.note = comment(found.map(withoutAddress));
    offerChoices(cell, fields.get(index));
  }
  sheet.getCell(rowNumber, plan.keyColumn + 1).value = rowKey(record, file);
  sheet.getRow(rowNumber).commit();
}

/**
 * A date such as 03/05/2026 that was decided by dates in rows which are not in this workbook. Written as it was, it could be two dates
 * again when the workbook comes back.
 */
function dateDecidedByColumn(held: Cell | undefined, field: OrderField | undefined, repairs: readonly Repair[]): Repair | undefined {
  if (held?.kind !== 'text' || field?.kind !== 'date') return undefined;
  const repair = repairs.find((one) => one.field === field.name);
  return repair !== undefined && isAmbiguousDate(oneLine(held.text).text, repair.sent) ? repair : undefined;
}

/** The key of a row: the one it came back with, or where it stood: `<file>#<sheet>#<row>`. */
function rowKey({ correctsRow, place }: RowRecord, file: string): string {
  const part = (text: string): string => text.replaceAll('%', '%25').replaceAll('#', '%23');
  return writtenText(correctsRow ?? `${part(file)}#${part(place.sheet)}#${String(place.rowNumber)}`);
}

/** Which cells the problems of a row are about. What is about the whole row stands on its first cell. */
function problemsByColumn(problems: readonly Problem[], plan: SheetPlan): Map<number, Problem[]> {
  const byColumn = new Map<number, Problem[]>();
  for (const problem of problems) {
    const about = plan.columns.filter(({ field }) => field !== undefined && field.name === problem.field).map(({ index }) => index);
    for (const index of about.length === 0 ? [plan.columns[0]?.index ?? 0] : about) {
      byColumn.set(index, [...(byColumn.get(index) ?? []), problem]);
    }
  }
  return byColumn;
}

/** The message without the cell's address in the original file: here the cell is another. */
function withoutAddress({ message, cell }: Problem): string {
  return cell === null ? message : message.replace(` (${cell})`, '');
}

function paint(cell: WrittenCell, colour: string): void {
  cell.style = { ...cell.style, fill: { type: 'pattern', pattern: 'solid', fgColor: { argb: colour } } };
}

function comment(lines: readonly string[]): { texts: { text: string }[] } {
  return { texts: [{ text: writtenText(lines.join('\n')) }] };
}

/** A drop-down on a wrong cell, where there is a list to choose from. Excel takes no more than 255 characters of list. */
function offerChoices(cell: WrittenCell, field: OrderField | undefined): void {
  const list = (field?.values ?? []).join(',');
  if (field?.kind !== 'enum' || list === '' || list.length > 255) return;
  cell.dataValidation = { type: 'list', allowBlank: true, formulae: [`"${list}"`], showErrorMessage: false };
}

async function writeProblems(workbook: stream.xlsx.WorkbookWriter, plans: readonly SheetPlan[], corrections: Corrections): Promise<void> {
  const sheet = workbook.addWorksheet(PROBLEMS_SHEET, {
    views: [{ state: 'frozen', ySplit: 1 }],
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0 },
  });
  for (const [index, { header, width }] of PROBLEM_HEADERS.entries()) {
    sheet.getColumn(index + 1).width = width;
    const cell = sheet.getCell(1, index + 1);
    cell.value = header;
    cell.font = { name: FONT, bold: true };
    paint(cell, COLOURS.header);
  }
  sheet.autoFilter = { from: { row: 1, column: 1 }, to: { row: 1, column: PROBLEM_HEADERS.length } };
  sheet.getRow(1).commit();
  for (const plan of plans) {
    let rowNumber = 1;
    for await (const row of corrections.rows()) {
      if (row.record.place.sheet !== plan.layout.sheet) continue;
      rowNumber += 1;
      for (const problem of row.problems) writeProblem(sheet, rowNumber, row, problem, plan);
    }
  }
  sheet.commit();
}

function writeProblem(sheet: Worksheet, rowNumber: number, { record }: RowToFix, problem: Problem, plan: SheetPlan): void {
  const column = plan.columns.find(({ field }) => field !== undefined && field.name === problem.field);
  const held = column === undefined ? problem.value : cellText(record.cells[column.index]);
  const line = sheet.addRow([
    plan.name,
    rowNumber,
    column === undefined ? '' : cellAddress(column.index, rowNumber),
    writtenText(column?.header ?? problem.column ?? ''),
    writtenText(held),
    writtenText(`${problem.severity === 'warning' ? 'To check, not to stop: ' : ''}${withoutAddress(problem)}`),
    record.place.rowNumber,
  ]);
  line.alignment = { wrapText: true, vertical: 'top' };
  // Wrapped text has the height it is given: no program that opens the file works it out.
  line.height = LINE_HEIGHT * Math.ceil((problem.message.length * 1.05) / PROBLEM_WIDTH);
  line.commit();
}
