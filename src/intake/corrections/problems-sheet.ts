import type { stream, Worksheet } from 'exceljs';
import { cellAddress, cellText, formatList } from '../../domain/cells.ts';
import type { Problem } from '../../domain/row.ts';
import { escapeInvisible } from '../../domain/text.ts';
import { fieldNamed, helpInTemplate, houseTypesOf } from '../fields.ts';
import { parseRowKey, PROBLEMS_SHEET } from '../own-workbooks.ts';
import { trimmed } from '../values/plain-text.ts';
import { columnsOf, type Corrections, type RowToFix, type SheetPlan, withoutAddress } from './sheet-plan.ts';
import { FILLS, FONT, linkTo, paint, underlineLink, writtenText } from './written-cell.ts';

export interface ProblemGroup {
  readonly plan: SheetPlan;
  readonly problem: Problem;
  readonly header: string;
  readonly held: string;
  /** The first wrong cell in this workbook. */
  readonly address: string;
  readonly allowed: string;
  readonly origin: { readonly file: string; readonly sheet: string };
  readonly rows: number[];
  readonly originalRows: number[];
}

export async function groupProblems(
  plans: readonly SheetPlan[],
  corrections: Corrections,
): Promise<readonly ProblemGroup[]> {
  const groups = new Map<string, ProblemGroup>();
  const places = new Map(plans.map((plan) => [plan.layout.sheet, { plan, rowNumber: plan.headerRow }]));
  for await (const row of corrections.rows()) {
    const { record, problems } = row;
    const place = places.get(record.place.sheet);
    if (place === undefined) continue;
    const { plan } = place;
    place.rowNumber += 1;
    const origin = parseRowKey(record.correctsRow ?? '') ?? { ...record.place, file: corrections.file.name };
    for (const problem of problems) {
      const [column] = columnsOf(plan, problem.field);
      const held = column === undefined ? problem.value : cellText(record.cells[column.index - plan.columnShift]);
      const header = column?.header ?? problem.column ?? '(the row)';
      const allowed = allowedFor(problem, row, plan);
      const key = JSON.stringify([
        plan.name,
        origin.file,
        origin.sheet,
        header,
        held,
        withoutAddress(problem),
        allowed,
      ]);
      const address = cellAddress(column?.index ?? plan.columns[0]?.index ?? 0, place.rowNumber);
      const group = groups.get(key) ?? {
        plan,
        problem,
        header,
        held,
        address,
        allowed,
        origin,
        rows: [],
        originalRows: [],
      };
      groups.set(key, group);
      group.rows.push(place.rowNumber);
      group.originalRows.push(origin.rowNumber);
    }
  }
  return [...groups.values()];
}

function allowedFor({ field: fieldName }: Problem, { record }: RowToFix, plan: SheetPlan) {
  const field = fieldName === null ? undefined : fieldNamed(fieldName);
  if (field === undefined) return '';
  if (field.name === 'houseType') {
    const policyTypeAt = (columnsOf(plan, 'policyType')[0]?.index ?? -1) - plan.columnShift;
    const policyType = trimmed(cellText(record.cells[policyTypeAt]));
    const houseTypes = houseTypesOf(policyType);
    return houseTypes === undefined
      ? 'It depends on the policy type: choose that first, then one from the list.'
      : `For ${policyType}: ${formatList(houseTypes, 'or')}`;
  }
  return field.values === undefined
    ? `${helpInTemplate(field)} Example: ${field.example}`
    : formatList(field.values, 'or');
}

const LINE_HEIGHT = 15;
const COLUMNS = [
  { header: 'Sheet', width: 16 },
  { header: 'Row', width: 12 },
  { header: 'Cell', width: 8 },
  { header: 'Column', width: 22 },
  { header: 'Value', width: 24 },
  { header: 'Problem', width: 70 },
  { header: 'Rows', width: 7 },
  { header: 'What is allowed', width: 46 },
  { header: 'Original file', width: 26 },
  { header: 'Original sheet', width: 16 },
  { header: 'Original row', width: 13 },
] as const;
const WRAPPED = [1, 4, 5, 7, 8, 10];

export function writeProblems(workbook: stream.xlsx.WorkbookWriter, groups: readonly ProblemGroup[]): void {
  const sheet = beginList(workbook, PROBLEMS_SHEET, COLUMNS);
  for (const [index, group] of groups.entries()) writeGroup(sheet, index + 2, group);
  sheet.autoFilter = { from: { row: 1, column: 1 }, to: { row: groups.length + 1, column: COLUMNS.length } };
  writeLegend(sheet, groups.length + 3);
  sheet.commit();
}

export function beginList(
  workbook: stream.xlsx.WorkbookWriter,
  name: string,
  columns: readonly { readonly header: string; readonly width: number }[],
): Worksheet {
  const sheet = workbook.addWorksheet(name, {
    views: [{ state: 'frozen', ySplit: 1 }],
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0, printTitlesRow: '1:1' },
    properties: { tabColor: { argb: 'FFE03131' } },
  });
  for (const [index, { header, width }] of columns.entries()) {
    sheet.getColumn(index + 1).width = width;
    const cell = sheet.getCell(1, index + 1);
    cell.value = header;
    cell.font = { name: FONT, size: 11, bold: true };
    paint(cell, FILLS.header);
  }
  sheet.getRow(1).commit();
  return sheet;
}

const NUMBERS_MAX = 10;

function listed(numbers: readonly number[]): number | string {
  const [first = 0] = numbers;
  if (numbers.length === 1) return first;
  const more = numbers.length - NUMBERS_MAX;
  return `${numbers.slice(0, NUMBERS_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function writeGroup(sheet: Worksheet, lineNumber: number, group: ProblemGroup) {
  const { plan, problem, header, held, address, allowed, origin, rows, originalRows } = group;
  const values = [
    plan.name,
    listed(rows),
    linkTo(plan.name, address, address),
    seenText(header),
    seenText(held),
    seenText(`${problem.severity === 'warning' ? 'Warning (does not stop the row): ' : ''}${withoutAddress(problem)}`),
    rows.length,
    allowed,
    seenText(origin.file),
    seenText(origin.sheet),
    listed(originalRows),
  ];
  for (const [index, value] of values.entries()) {
    const cell = sheet.getCell(lineNumber, index + 1);
    cell.value = value;
    cell.alignment = { vertical: 'top', horizontal: 'left', wrapText: WRAPPED.includes(index) };
    if (typeof value === 'object') underlineLink(cell);
  }
  paint(sheet.getCell(lineNumber, 5), FILLS[problem.severity]);
  const lines = WRAPPED.map((index) =>
    Math.ceil((sheet.getCell(lineNumber, index + 1).text.length * 1.1) / (COLUMNS[index]?.width ?? 1)),
  );
  sheet.getRow(lineNumber).height = LINE_HEIGHT * Math.min(20, Math.max(1, ...lines));
  sheet.getRow(lineNumber).commit();
}

function seenText(text: string) {
  return writtenText(escapeInvisible(text));
}

const LEGEND = [
  {
    fill: FILLS.error,
    text: 'A red cell is wrong: its comment says why. Fix it in its own sheet; other cells may be changed as well.',
  },
  { fill: FILLS.warning, text: 'A yellow cell is worth a look; it does not stop the row.' },
  {
    fill: FILLS.repaired,
    text: 'A blue cell was read differently from how it was typed; its comment says how. If that is right, do nothing.',
  },
  { fill: FILLS.added, text: 'An orange header is a column that was missing from your file.' },
  {
    fill: undefined,
    text: 'Save the workbook and drop it in the inbox. Rows that you delete are not ordered. The hidden last column says which row is which: leave it as it is.',
  },
] as const;

function writeLegend(sheet: Worksheet, from: number) {
  for (const [index, { fill, text }] of LEGEND.entries()) {
    if (fill !== undefined) paint(sheet.getCell(from + index, 1), fill);
    const cell = sheet.getCell(from + index, 2);
    cell.value = text;
    cell.font = { name: FONT, size: 11, italic: true };
  }
}
