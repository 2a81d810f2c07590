import type { stream, Worksheet } from 'exceljs';
import type { Problem } from '../domain/row.ts';
import { visible } from '../domain/text.ts';
import { cellAddress, cellText, inWords } from './cells.ts';
import { columnsOf, type Corrections, type RowToFix, type SheetPlan, withoutAddress } from './corrections-plan.ts';
import { COLOURS, paint } from './corrections-sheet.ts';
import { fieldNamed, houseTypesOf } from './fields.ts';
import { PROBLEMS_SHEET } from './own-sheets.ts';
import { parseRowKey } from './row-key.ts';
import { trimmed } from './values/plain-text.ts';
import { FONT, writtenText } from './written-cell.ts';

const LINE_HEIGHT = 15;
const COLUMNS = [
  { header: 'Sheet', width: 16 },
  { header: 'Row', width: 7 },
  { header: 'Cell', width: 8 },
  { header: 'Column', width: 22 },
  { header: 'Value', width: 24 },
  { header: 'Problem', width: 70 },
  { header: 'What is allowed', width: 46 },
  { header: 'Original file', width: 26 },
  { header: 'Original sheet', width: 16 },
  { header: 'Original row', width: 13 },
] as const;
/** Columns whose text may run over several lines. */
const WRAPPED = [4, 5, 6, 7];

/** Writes the sheet of all problems, each with a link to its cell. */
export async function writeProblems(workbook: stream.xlsx.WorkbookWriter, plans: readonly SheetPlan[], corrections: Corrections): Promise<void> {
  const sheet = workbook.addWorksheet(PROBLEMS_SHEET, {
    views: [{ state: 'frozen', ySplit: 1 }],
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0, printTitlesRow: '1:1' },
    properties: { tabColor: { argb: 'FFE03131' } },
  });
  for (const [index, { header, width }] of COLUMNS.entries()) {
    sheet.getColumn(index + 1).width = width;
    const cell = sheet.getCell(1, index + 1);
    cell.value = header;
    cell.font = { name: FONT, size: 11, bold: true };
    paint(cell, COLOURS.header);
  }
  sheet.getRow(1).commit();
  let line = 1;
  const places = new Map(plans.map((plan) => [plan.layout.sheet, { plan, rowNumber: plan.headerRow }]));
  for await (const row of corrections.rows()) {
    const place = places.get(row.record.place.sheet);
    if (place === undefined) continue;
    place.rowNumber += 1;
    for (const problem of row.problems) writeProblem(sheet, (line += 1), { ...place, row, problem, corrections });
  }
  sheet.autoFilter = { from: { row: 1, column: 1 }, to: { row: line, column: COLUMNS.length } };
  writeLegend(sheet, line + 2);
  sheet.commit();
}

interface ProblemLine {
  readonly rowNumber: number;
  readonly row: RowToFix;
  readonly problem: Problem;
  readonly plan: SheetPlan;
  readonly corrections: Corrections;
}

function writeProblem(sheet: Worksheet, lineNumber: number, { rowNumber, row, problem, plan, corrections }: ProblemLine): void {
  const { record } = row;
  const [column] = columnsOf(plan, problem.field);
  const held = column === undefined ? problem.value : cellText(record.cells[column.index]);
  const address = cellAddress(column?.index ?? plan.columns[0]?.index ?? 0, rowNumber);
  const origin = parseRowKey(record.correctsRow ?? '') ?? { ...record.place, file: corrections.file.name };
  const texts = [
    plan.name,
    rowNumber,
    linkTo(plan.name, address),
    seenText(column?.header ?? problem.column ?? '(the row)'),
    seenText(held),
    seenText(`${problem.severity === 'warning' ? 'To check, not to stop: ' : ''}${withoutAddress(problem)}`),
    allowedFor(problem, row, plan),
    seenText(origin.file),
    seenText(origin.sheet),
    origin.rowNumber,
  ];
  for (const [index, value] of texts.entries()) {
    const cell = sheet.getCell(lineNumber, index + 1);
    cell.value = value;
    cell.alignment = { vertical: 'top', horizontal: 'left', wrapText: WRAPPED.includes(index) };
    if (typeof value === 'object') cell.font = { name: FONT, size: 11, underline: true, color: { argb: 'FF1C5D99' } };
  }
  paint(sheet.getCell(lineNumber, 5), problem.severity === 'error' ? COLOURS.error : COLOURS.warning);
  // Wrapped text has the height it is given: no program that opens the file works it out.
  const lines = WRAPPED.map((index) => Math.ceil((sheet.getCell(lineNumber, index + 1).text.length * 1.1) / (COLUMNS[index]?.width ?? 1)));
  sheet.getRow(lineNumber).height = LINE_HEIGHT * Math.min(20, Math.max(1, ...lines));
  sheet.getRow(lineNumber).commit();
}

/** What is told and never read back. */
function seenText(text: string): string {
  return writtenText(visible(text));
}

/** As a formula: links of a sheet's own kind are limited to 65,530 by Excel. */
function linkTo(sheetName: string, address: string): { formula: string; result: string } {
  const target = `#'${sheetName.replaceAll("'", "''")}'!${address}`;
  return { formula: `HYPERLINK("${target.replaceAll('"', '""')}","${address}")`, result: address };
}

/** What may stand in the cell that a problem is about. */
function allowedFor({ field: fieldName }: Problem, { record }: RowToFix, plan: SheetPlan): string {
  const field = fieldName === null ? undefined : fieldNamed(fieldName);
  if (field === undefined) return '';
  if (field.name === 'houseType') {
    const policyType = trimmed(cellText(record.cells[columnsOf(plan, 'policyType')[0]?.index ?? -1]));
    const houseTypes = houseTypesOf(policyType);
    return houseTypes === undefined ? 'It depends on the policy type: choose that first, then one from the list.' : `For ${policyType}: ${inWords(houseTypes, 'or')}`;
  }
  return field.values === undefined ? `${field.help} Example: ${field.example}` : inWords(field.values, 'or');
}

const LEGEND = [
  { colour: COLOURS.error, text: 'A red cell is wrong: its comment says why. Fix it in its own sheet; other cells may be changed as well.' },
  { colour: COLOURS.warning, text: 'A yellow cell is worth a look; it does not stop the row.' },
  { colour: COLOURS.repaired, text: 'A blue cell was read differently from how it was typed; its comment says how. Nothing to do where that is right.' },
  { colour: COLOURS.added, text: 'An orange header is a column that your file lacked.' },
  { colour: undefined, text: 'Save the workbook and drop it in the inbox. Rows that you delete are not ordered. The hidden last column tells which row is which: leave it as it is.' },
] as const;

/** Below the table, so that the table begins where tables begin. */
function writeLegend(sheet: Worksheet, from: number): void {
  for (const [index, { colour, text }] of LEGEND.entries()) {
    if (colour !== undefined) paint(sheet.getCell(from + index, 1), colour);
    const cell = sheet.getCell(from + index, 2);
    cell.value = text;
    cell.font = { name: FONT, size: 11, italic: true };
  }
}
