import { houseTypesOf } from '../../contract/document.ts';
import { sentence } from '../../domain/sentences.ts';
import type { stream, Worksheet } from 'exceljs';
import { cellAddress, cellText, formatList } from '../../domain/cells.ts';
import type { Problem } from '../../domain/row.ts';
import { fieldNamed, helpInTemplate } from '../fields.ts';
import { parseRowKey, PROBLEMS_SHEET } from '../own-workbooks.ts';
import { trimmed } from '../values/plain-text.ts';
import {
  columnsAbout,
  columnsOf,
  type Corrections,
  problemText,
  type RowToFix,
  type SheetPlan,
  withoutAddress,
} from './sheet-plan.ts';
import { sheetTexts, writeHeaders } from './sheet-texts.ts';
import { FILLS, FONT, linkFormula, paint, visibleText, underlineLink } from './written-cell.ts';

export type ProblemGroup = Readonly<{
  plan: SheetPlan;
  problem: Problem;
  header: string;
  held: string;
  /** The first wrong cell. */
  address: string;
  allowed: string;
  origin: Readonly<{ file: string; sheet: string }>;
  rows: number[];
  originalRows: number[];
}>;

export async function groupProblems(plans: readonly SheetPlan[], corrections: Corrections) {
  const groups = new Map<string, ProblemGroup>();
  const places = new Map(plans.map((plan) => [plan.layout.sheet, { plan, rowNumber: plan.headerRow }]));
  for await (const row of corrections.rows()) {
    const place = places.get(row.record.place.sheet);
    if (place === undefined) continue;
    const { plan } = place;
    place.rowNumber += 1;
    const origin = parseRowKey(row.record.correctsRow ?? '') ?? { ...row.record.place, file: corrections.file.name };
    for (const problem of row.problems) {
      const [column] = columnsAbout(plan, problem);
      const held = column === undefined ? problem.value : cellText(row.record.cells[column.index - plan.columnShift]);
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
      const group = groups.get(key) ?? {
        plan,
        problem,
        header,
        held,
        address: cellAddress(column?.index ?? plan.columns[0]?.index ?? 0, place.rowNumber),
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
  const field = fieldNamed(fieldName);
  if (field === undefined) return '';
  if (field.name === 'houseType') {
    const policyTypeAt = (columnsOf(plan, 'policyType')[0]?.index ?? -1) - plan.columnShift;
    const policyType = trimmed(cellText(record.cells[policyTypeAt]));
    const houseTypes = houseTypesOf(policyType);
    return houseTypes === undefined
      ? sentence('house-type-depends')
      : `For ${policyType}: ${formatList(houseTypes, 'or')}`;
  }
  return field.values === undefined
    ? `${helpInTemplate(field)} Example: ${field.example}`
    : formatList(field.values, 'or');
}

const LINE_HEIGHT = 15;
const WRAPPED = [1, 4, 5, 7, 8, 10];

export function writeProblems(workbook: stream.xlsx.WorkbookWriter, groups: readonly ProblemGroup[]) {
  const { problems: columns } = sheetTexts();
  const sheet = addListSheet(workbook, PROBLEMS_SHEET, columns);
  for (const [index, group] of groups.entries()) writeGroup(sheet, index + 2, group);
  sheet.autoFilter = {
    from: { row: 1, column: 1 },
    to: { row: groups.length + 1, column: Object.keys(columns).length },
  };
  writeLegend(sheet, groups.length + 3);
  sheet.commit();
}

export function addListSheet(
  workbook: stream.xlsx.WorkbookWriter,
  name: string,
  columns: Readonly<Record<string, number>>,
) {
  const sheet = workbook.addWorksheet(name, {
    views: [{ state: 'frozen', ySplit: 1 }],
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0, printTitlesRow: '1:1' },
    properties: { tabColor: { argb: 'FFE03131' } },
  });
  writeHeaders(sheet, 1, columns);
  sheet.getRow(1).commit();
  return sheet;
}

const NUMBERS_MAX = 10;

function listed(numbers: readonly number[]) {
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
    linkFormula(plan.name, address, address),
    visibleText(header),
    visibleText(held),
    visibleText(problemText(problem)),
    rows.length,
    allowed,
    visibleText(origin.file),
    visibleText(origin.sheet),
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
    Math.ceil((sheet.getCell(lineNumber, index + 1).text.length * 1.1) / (sheet.getColumn(index + 1).width ?? 1)),
  );
  sheet.getRow(lineNumber).height = LINE_HEIGHT * Math.min(20, Math.max(1, ...lines));
  sheet.getRow(lineNumber).commit();
}

function writeLegend(sheet: Worksheet, from: number) {
  const { legend, legendEnd } = sheetTexts();
  for (const [index, [color, text]] of [...Object.entries(legend), ['', legendEnd] as const].entries()) {
    const fill = Object.entries(FILLS).find(([name]) => name === color)?.[1];
    if (fill !== undefined) paint(sheet.getCell(from + index, 1), fill);
    const cell = sheet.getCell(from + index, 2);
    cell.value = text;
    cell.font = { name: FONT, size: 11, italic: true };
  }
}
