import type { Cell as WrittenCell, stream, Worksheet } from 'exceljs';
import type { Cell, Repair, RowRecord } from '../domain/row.ts';
import { visible } from '../domain/text.ts';
import { addComment } from './cell-comment.ts';
import { cellAddress, cellText, quoted } from './cells.ts';
import { columnsOf, type Corrections, type RowToFix, type SheetPlan, withoutAddress } from './corrections-plan.ts';
import type { OrderField } from './fields.ts';
import { ROW_KEY_HEADER } from './known-headers.ts';
import { rowKey } from './row-key.ts';
import { choicesOf } from './template-lists.ts';
import { dateEvidence, isAmbiguousDate } from './values/date.ts';
import { oneLine } from './values/plain-text.ts';
import { FONT, TEXT_KINDS, writtenCell, writtenText } from './written-cell.ts';

export const COLOURS = { header: 'FFE3E8EE', added: 'FFFFD8A8', error: 'FFFFC9C9', warning: 'FFFFF3BF', repaired: 'FFE7F5FF' } as const;

/** What there is to say of a cell. */
interface Remarks {
  worst: 'error' | 'warning' | 'repaired';
  readonly lines: string[];
}

/**
 * The two forms of the rows that are to be fixed. `styled`: as their sender laid them out, with colours, comments and lists. `plain`: a line a
 * row, and what is to be fixed in a column of its own: it takes little of the machine, whatever the rows hold.
 */
export type CorrectionsForm = 'styled' | 'plain';

/** Writes the rows that are to be fixed, a sheet for each plan. */
export async function writeRowsToFix(workbook: stream.xlsx.WorkbookWriter, plans: readonly SheetPlan[], corrections: Corrections, form: CorrectionsForm): Promise<void> {
  const bySheet = new Map(plans.map((plan) => [plan.layout.sheet, plan]));
  let open: { readonly sheet: Worksheet; readonly plan: SheetPlan; rowNumber: number } | undefined;
  for await (const row of corrections.rows()) {
    const plan = bySheet.get(row.record.place.sheet);
    if (plan === undefined) continue;
    if (open?.plan !== plan) {
      open?.sheet.commit();
      open = form === 'styled' ? { sheet: beginSheet(workbook, plan), plan, rowNumber: plan.headerRow } : { sheet: beginPlainly(workbook, plan), plan, rowNumber: 1 };
    }
    open.rowNumber += 1;
    (form === 'styled' ? writeRow : writePlainly)(open.sheet, open.rowNumber, row, plan, corrections.file.hash);
  }
  open?.sheet.commit();
}

function beginSheet(workbook: stream.xlsx.WorkbookWriter, plan: SheetPlan): Worksheet {
  const sheet = workbook.addWorksheet(plan.name, {
    views: [{ state: 'frozen', ySplit: plan.headerRow }],
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: pagesAcross(plan), fitToHeight: 0, printTitlesRow: `${String(plan.headerRow)}:${String(plan.headerRow)}` },
  });
  for (const index of plan.written) sheet.getColumn(index + 1).width = plan.widthOf(index);
  sheet.getColumn(plan.keyColumn + 1).hidden = true;
  writeTitles(sheet, plan);
  writeHeader(sheet, plan);
  // Sorting by the buttons takes the hidden keys along.
  sheet.autoFilter = { from: { row: plan.headerRow, column: (plan.columns[0]?.index ?? 0) + 1 }, to: { row: plan.headerRow + plan.rows, column: plan.width } };
  return sheet;
}

function beginPlainly(workbook: stream.xlsx.WorkbookWriter, plan: SheetPlan): Worksheet {
  const sheet = workbook.addWorksheet(plan.name, { views: [{ state: 'frozen', ySplit: 1 }] });
  sheet.getColumn(plan.keyColumn + 1).hidden = true;
  for (const { index, header } of plan.columns) sheet.getCell(1, index + 1).value = writtenText(header);
  sheet.getCell(1, plan.keyColumn + 1).value = ROW_KEY_HEADER;
  sheet.getCell(1, plan.remarksColumn + 1).value = 'What to fix';
  sheet.getRow(1).commit();
  return sheet;
}

function writePlainly(sheet: Worksheet, rowNumber: number, row: RowToFix, plan: SheetPlan, fileHash: string): void {
  writeCells(sheet, rowNumber, row, plan);
  const what = row.problems.map((problem) => `${problem.severity === 'warning' ? 'To check, not to stop: ' : ''}${withoutAddress(problem)}`);
  sheet.getCell(rowNumber, plan.remarksColumn + 1).value = writtenText(visible(what.join('\n')));
  sheet.getCell(rowNumber, plan.keyColumn + 1).value = writtenText(keyOf(row.record, fileHash));
  sheet.getRow(rowNumber).commit();
}

/** How many characters fit across a printed page in a size that can be read. */
const PAGE_WIDTH = 170;

function pagesAcross({ written, widthOf }: SheetPlan): number {
  return Math.ceil(written.reduce((characters, index) => characters + widthOf(index), 0) / PAGE_WIDTH);
}

function writeTitles(sheet: Worksheet, { titles, keyColumn }: SheetPlan): void {
  for (const { rowNumber, cells } of titles) {
    for (const [index, held] of cells.entries()) {
      if (held === null || index === keyColumn) continue;
      const { value, style } = writtenCell(held, undefined);
      const cell = sheet.getCell(rowNumber, index + 1);
      cell.value = value;
      cell.style = style;
      cell.font = { name: FONT, size: 11, bold: true };
    }
  }
}

function writeHeader(sheet: Worksheet, plan: SheetPlan): void {
  for (const { index, header, field, added } of plan.columns) {
    const cell = sheet.getCell(plan.headerRow, index + 1);
    cell.value = writtenText(header);
    cell.font = { name: FONT, size: 11, bold: true };
    cell.alignment = { vertical: 'middle', wrapText: true };
    paint(cell, added ? COLOURS.added : COLOURS.header);
    if (added) addComment(cell, [`Your file had no such column, but an order cannot do without it. ${field?.help ?? ''}`], plan.widthOf);
  }
  sheet.getCell(plan.headerRow, plan.keyColumn + 1).value = ROW_KEY_HEADER;
  sheet.getRow(plan.headerRow).commit();
}

/** Every cell as it was, and those of columns whose numbers are names as text. */
function writeCells(sheet: Worksheet, rowNumber: number, { record, repairs = [], problems }: RowToFix, plan: SheetPlan): void {
  // As the sender has it: whoever drops the workbook as it is gets the row back.
  const isStruck = problems.some(({ rule }) => rule === 'row-struck-out');
  for (const index of plan.written) {
    const field = plan.fields.get(index);
    const held = record.cells[index];
    if (held === undefined && (field === undefined || !TEXT_KINDS.has(field.kind))) continue;
    const cell = sheet.getCell(rowNumber, index + 1);
    const decided = dateDecidedByColumn(held, field, repairs);
    const { value, style } = writtenCell(decided === undefined ? held : { kind: 'date', iso: decided.sent, raw: '' }, field);
    cell.value = value;
    cell.style = isStruck ? { ...style, font: { name: FONT, size: 11, strike: true } } : style;
  }
}

function writeRow(sheet: Worksheet, rowNumber: number, row: RowToFix, plan: SheetPlan, fileHash: string): void {
  const { fields } = plan;
  writeCells(sheet, rowNumber, row, plan);
  for (const [index, { worst, lines }] of remarksOf(row, plan)) {
    const cell = sheet.getCell(rowNumber, index + 1);
    // What is typed anew into a column of numbers that are names stays as it is typed.
    if (worst === 'error' && TEXT_KINDS.has(fields.get(index)?.kind ?? 'text')) cell.numFmt = '@';
    paint(cell, COLOURS[worst]);
    addComment(cell, lines, plan.widthOf);
    if (worst !== 'repaired') offerChoices(cell, rowNumber, fields.get(index), plan);
  }
  sheet.getCell(rowNumber, plan.keyColumn + 1).value = writtenText(keyOf(row.record, fileHash));
  sheet.getRow(rowNumber).commit();
}

/** The key it came back with, or that of its place. */
function keyOf({ correctsRow, place }: RowRecord, fileHash: string): string {
  return correctsRow ?? rowKey(fileHash, place);
}

/**
 * A date such as 03/05/2026 that was decided by dates in rows which are not in this workbook, or such as 30/05/2026 that decided others.
 * Written as it was, the one could be two dates again when the workbook comes back, and the other could decide what the dates of the whole
 * file left open.
 */
function dateDecidedByColumn(held: Cell | undefined, field: OrderField | undefined, repairs: readonly Repair[]): Repair | undefined {
  if ((held?.kind !== 'text' && held?.kind !== 'number') || field?.kind !== 'date') return undefined;
  const repair = repairs.find((one) => one.field === field.name);
  const { text } = oneLine(cellText(held));
  return repair !== undefined && (isAmbiguousDate(text, repair.sent) || dateEvidence(text, repair.sent) !== undefined) ? repair : undefined;
}

/** What is to be said of which cells, by column: problems before repairs. What is about the whole row stands on its first cell. */
function remarksOf({ record, problems, repairs = [] }: RowToFix, plan: SheetPlan): Map<number, Remarks> {
  const byColumn = new Map<number, Remarks>();
  const remark = (index: number, severity: Remarks['worst'], line: string): void => {
    const found = byColumn.get(index) ?? { worst: severity, lines: [] };
    if (severity === 'error') found.worst = 'error';
    found.lines.push(line);
    byColumn.set(index, found);
  };
  for (const problem of problems) {
    const about = columnsOf(plan, problem.field).map(({ index }) => index);
    for (const index of about.length === 0 ? [plan.columns[0]?.index ?? 0] : about) remark(index, problem.severity, withoutAddress(problem));
  }
  for (const repair of repairs) {
    for (const { index, field } of columnsOf(plan, repair.field)) remark(index, 'repaired', repairInWords(repair, record.cells[index], field, repairs));
  }
  return byColumn;
}

function repairInWords(repair: Repair, held: Cell | undefined, field: OrderField | undefined, repairs: readonly Repair[]): string {
  if (dateDecidedByColumn(held, field, repairs) !== undefined) return `Your file held ${quoted(repair.held)}: ${repair.why}.`;
  return repair.sent === '' ? `Taken for empty: ${repair.why}.` : `Read as ${quoted(repair.sent)}: ${repair.why}. Nothing to do where that is right.`;
}

/** A drop-down on a cell to fix, where there is a list to choose from. Other entries are not refused: the next check says what it thinks of them. */
function offerChoices(cell: WrittenCell, rowNumber: number, field: OrderField | undefined, plan: SheetPlan): void {
  const policyType = columnsOf(plan, 'policyType')[0];
  const choices = field === undefined ? undefined : choicesOf(field, policyType === undefined ? undefined : cellAddress(policyType.index, rowNumber));
  if (choices !== undefined) cell.dataValidation = { type: 'list', allowBlank: true, formulae: [choices], showErrorMessage: false };
}

export function paint(cell: WrittenCell, colour: string): void {
  cell.style = { ...cell.style, fill: { type: 'pattern', pattern: 'solid', fgColor: { argb: colour } } };
}
