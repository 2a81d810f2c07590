import type { Cell as WrittenCell, stream, Worksheet } from 'exceljs';
import { cellAddress, cellText, inWords, quoted } from '../../domain/cells.ts';
import type { Cell, Problem, Repair, RowRecord } from '../../domain/row.ts';
import { visible } from '../../domain/text.ts';
import { fieldNamed, helpInOurs, houseTypesOf, type OrderField } from '../fields.ts';
import { ROW_KEY_HEADER } from '../header/known-headers.ts';
import {
  addLists,
  choicesOf,
  CORRECTIONS_MARK,
  LISTS_SHEET,
  parseRowKey,
  PROBLEMS_SHEET,
  rowKey,
} from '../own-workbooks.ts';
import { dateEvidence, isAmbiguousDate } from '../values/date.ts';
import { oneLine, trimmed } from '../values/plain-text.ts';
import {
  columnsOf,
  type Corrections,
  planSheets,
  type RowToFix,
  type SheetPlan,
  withoutAddress,
} from './sheet-plan.ts';
import { addComment, FONT, TEXT_KINDS, writtenCell, writtenText, paint } from './written-cell.ts';

const OTHER_COLUMNS_MAX = { styled: 1_000, plain: 100 } as const;

/**
 * Writes a workbook with the rows to fix in the sender's layout: colored cells with comments and drop-downs, a sheet of
 * all problems with links, and a hidden key per row. Incomplete until the promise resolves, so give a temporary name.
 */
export async function writeCorrectionsWorkbook(
  path: string,
  corrections: Corrections,
  form: CorrectionsForm = 'styled',
): Promise<void> {
  const { default: WorkbookWriter } = await import('exceljs/lib/stream/xlsx/workbook-writer.js');
  const isStyled = form === 'styled';
  const workbook = new WorkbookWriter({ filename: path, useStyles: true, useSharedStrings: isStyled });
  workbook.creator = 'inspection-batch';
  const plans = await planSheets(corrections, [PROBLEMS_SHEET, LISTS_SHEET], OTHER_COLUMNS_MAX[form]);
  await writeRowsToFix(workbook, plans, corrections, form);
  if (isStyled) await writeProblems(workbook, plans, corrections);
  addLists(workbook, CORRECTIONS_MARK);
  await workbook.commit();
}

const COLOURS = {
  header: 'FFE3E8EE',
  added: 'FFFFD8A8',
  error: 'FFFFC9C9',
  warning: 'FFFFF3BF',
  repaired: 'FFE7F5FF',
} as const;

interface Remarks {
  worst: 'error' | 'warning' | 'repaired';
  readonly lines: string[];
}

/**
 * `styled`: the sender's layout with colors, comments and lists. `plain`: one line per row with what to fix in a
 * column; for any number of rows.
 */
export type CorrectionsForm = 'styled' | 'plain';

async function writeRowsToFix(
  workbook: stream.xlsx.WorkbookWriter,
  plans: readonly SheetPlan[],
  corrections: Corrections,
  form: CorrectionsForm,
): Promise<void> {
  const bySheet = new Map(plans.map((plan) => [plan.layout.sheet, plan]));
  let open: { readonly sheet: Worksheet; readonly plan: SheetPlan; rowNumber: number } | undefined;
  for await (const row of corrections.rows()) {
    const plan = bySheet.get(row.record.place.sheet);
    if (plan === undefined) continue;
    if (open?.plan !== plan) {
      open?.sheet.commit();
      open =
        form === 'styled'
          ? { sheet: beginSheet(workbook, plan), plan, rowNumber: plan.headerRow }
          : { sheet: beginPlainly(workbook, plan), plan, rowNumber: 1 };
    }
    open.rowNumber += 1;
    (form === 'styled' ? writeRow : writePlainly)(open.sheet, open.rowNumber, row, plan, corrections.file.hash);
  }
  open?.sheet.commit();
}

function beginSheet(workbook: stream.xlsx.WorkbookWriter, plan: SheetPlan): Worksheet {
  const sheet = workbook.addWorksheet(plan.name, {
    views: [{ state: 'frozen', ySplit: plan.headerRow }],
    pageSetup: {
      orientation: 'landscape',
      fitToPage: true,
      fitToWidth: pagesAcross(plan),
      fitToHeight: 0,
      printTitlesRow: `${String(plan.headerRow)}:${String(plan.headerRow)}`,
    },
  });
  for (const index of plan.written) sheet.getColumn(index + 1).width = plan.widthOf(index);
  sheet.getColumn(plan.keyColumn + 1).hidden = true;
  writeTitles(sheet, plan);
  writeHeader(sheet, plan);
  sheet.autoFilter = {
    from: { row: plan.headerRow, column: (plan.columns[0]?.index ?? 0) + 1 },
    to: { row: plan.headerRow + plan.rows, column: plan.width },
  };
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
  const what = row.problems.map(
    (problem) => `${problem.severity === 'warning' ? 'To check, not to stop: ' : ''}${withoutAddress(problem)}`,
  );
  sheet.getCell(rowNumber, plan.remarksColumn + 1).value = writtenText(visible(what.join('\n')));
  sheet.getCell(rowNumber, plan.keyColumn + 1).value = writtenText(keyOf(row.record, fileHash));
  sheet.getRow(rowNumber).commit();
}

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
    if (added)
      addComment(
        cell,
        [`Your file has no such column, and every order needs it. ${field === undefined ? '' : helpInOurs(field)}`],
        plan.widthOf,
      );
  }
  sheet.getCell(plan.headerRow, plan.keyColumn + 1).value = ROW_KEY_HEADER;
  sheet.getRow(plan.headerRow).commit();
}

function writeCells(
  sheet: Worksheet,
  rowNumber: number,
  { record, repairs = [], problems }: RowToFix,
  plan: SheetPlan,
): void {
  const isStruck = (index: number): boolean =>
    problems.some(
      ({ rule, cell }) =>
        rule === 'row-struck-out' ||
        (rule === 'cell-struck-out' && cell === cellAddress(index, record.place.rowNumber)),
    );
  for (const index of plan.written) {
    const field = plan.fields.get(index);
    const held = record.cells[index];
    if (held === undefined && (field === undefined || !TEXT_KINDS.has(field.kind))) continue;
    const cell = sheet.getCell(rowNumber, index + 1);
    const decided = dateDecidedByColumn(held, field, repairs);
    const { value, style } = writtenCell(
      decided === undefined ? held : { kind: 'date', iso: decided.sent, raw: '' },
      field,
    );
    cell.value = value;
    cell.style = isStruck(index) ? { ...style, font: { name: FONT, size: 11, strike: true } } : style;
  }
}

function writeRow(sheet: Worksheet, rowNumber: number, row: RowToFix, plan: SheetPlan, fileHash: string): void {
  const { fields } = plan;
  writeCells(sheet, rowNumber, row, plan);
  for (const [index, { worst, lines }] of remarksOf(row, plan)) {
    const cell = sheet.getCell(rowNumber, index + 1);
    if (worst === 'error' && TEXT_KINDS.has(fields.get(index)?.kind ?? 'text')) cell.numFmt = '@';
    paint(cell, COLOURS[worst]);
    addComment(cell, lines, plan.widthOf);
    if (worst !== 'repaired') offerChoices(cell, rowNumber, fields.get(index), plan);
  }
  sheet.getCell(rowNumber, plan.keyColumn + 1).value = writtenText(keyOf(row.record, fileHash));
  sheet.getRow(rowNumber).commit();
}

function keyOf({ correctsRow, place }: RowRecord, fileHash: string): string {
  return correctsRow ?? rowKey(fileHash, place);
}

/**
 * A date whose order the column decided, or that is evidence for it, is written as a real date, because this workbook
 * lacks the other rows. Days counted from 1904 would count from 1900 here.
 */
function dateDecidedByColumn(
  held: Cell | undefined,
  field: OrderField | undefined,
  repairs: readonly Repair[],
): Repair | undefined {
  if ((held?.kind !== 'text' && held?.kind !== 'number') || field?.kind !== 'date') return undefined;
  const repair = repairs.find((one) => one.field === field.name);
  const { text } = oneLine(cellText(held));
  const countsFrom1904 = held.kind === 'number' && held.date1904 === true;
  return repair !== undefined &&
    (countsFrom1904 || isAmbiguousDate(text, repair.sent) || dateEvidence(text, repair.sent) !== undefined)
    ? repair
    : undefined;
}

/** Remarks by column, problems first. Those on the whole row go to its first cell. */
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
    for (const index of about.length === 0 ? [plan.columns[0]?.index ?? 0] : about)
      remark(index, problem.severity, withoutAddress(problem));
  }
  for (const repair of repairs) {
    for (const { index, field } of columnsOf(plan, repair.field))
      remark(index, 'repaired', repairInWords(repair, record.cells[index], field, repairs));
  }
  return byColumn;
}

function repairInWords(
  repair: Repair,
  held: Cell | undefined,
  field: OrderField | undefined,
  repairs: readonly Repair[],
): string {
  if (dateDecidedByColumn(held, field, repairs) !== undefined)
    return `Your file held ${quoted(repair.held)}: ${repair.why}.`;
  return repair.sent === ''
    ? `Taken for empty: ${repair.why}.`
    : `Read as ${quoted(repair.sent)}: ${repair.why}. Nothing to do where that is right.`;
}

/** Other entries are allowed; the next check judges them. */
function offerChoices(cell: WrittenCell, rowNumber: number, field: OrderField | undefined, plan: SheetPlan): void {
  const policyType = columnsOf(plan, 'policyType')[0];
  const choices =
    field === undefined
      ? undefined
      : choicesOf(field, policyType === undefined ? undefined : cellAddress(policyType.index, rowNumber));
  if (choices !== undefined)
    cell.dataValidation = { type: 'list', allowBlank: true, formulae: [choices], showErrorMessage: false };
}

const LINE_HEIGHT = 15;
const PROBLEM_COLUMNS = [
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
const WRAPPED = [4, 5, 6, 7];

async function writeProblems(
  workbook: stream.xlsx.WorkbookWriter,
  plans: readonly SheetPlan[],
  corrections: Corrections,
): Promise<void> {
  const sheet = workbook.addWorksheet(PROBLEMS_SHEET, {
    views: [{ state: 'frozen', ySplit: 1 }],
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0, printTitlesRow: '1:1' },
    properties: { tabColor: { argb: 'FFE03131' } },
  });
  for (const [index, { header, width }] of PROBLEM_COLUMNS.entries()) {
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
  sheet.autoFilter = { from: { row: 1, column: 1 }, to: { row: line, column: PROBLEM_COLUMNS.length } };
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

function writeProblem(
  sheet: Worksheet,
  lineNumber: number,
  { rowNumber, row, problem, plan, corrections }: ProblemLine,
): void {
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
  const lines = WRAPPED.map((index) =>
    Math.ceil((sheet.getCell(lineNumber, index + 1).text.length * 1.1) / (PROBLEM_COLUMNS[index]?.width ?? 1)),
  );
  sheet.getRow(lineNumber).height = LINE_HEIGHT * Math.min(20, Math.max(1, ...lines));
  sheet.getRow(lineNumber).commit();
}

function seenText(text: string): string {
  return writtenText(visible(text));
}

/** A formula, because Excel allows only 65,530 links per sheet. */
function linkTo(sheetName: string, address: string): { formula: string; result: string } {
  const target = `#'${sheetName.replaceAll("'", "''")}'!${address}`;
  return { formula: `HYPERLINK("${target.replaceAll('"', '""')}","${address}")`, result: address };
}

function allowedFor({ field: fieldName }: Problem, { record }: RowToFix, plan: SheetPlan): string {
  const field = fieldName === null ? undefined : fieldNamed(fieldName);
  if (field === undefined) return '';
  if (field.name === 'houseType') {
    const policyType = trimmed(cellText(record.cells[columnsOf(plan, 'policyType')[0]?.index ?? -1]));
    const houseTypes = houseTypesOf(policyType);
    return houseTypes === undefined
      ? 'It depends on the policy type: choose that first, then one from the list.'
      : `For ${policyType}: ${inWords(houseTypes, 'or')}`;
  }
  return field.values === undefined ? `${helpInOurs(field)} Example: ${field.example}` : inWords(field.values, 'or');
}

const LEGEND = [
  {
    colour: COLOURS.error,
    text: 'A red cell is wrong: its comment says why. Fix it in its own sheet; other cells may be changed as well.',
  },
  { colour: COLOURS.warning, text: 'A yellow cell is worth a look; it does not stop the row.' },
  {
    colour: COLOURS.repaired,
    text: 'A blue cell was read differently from how it was typed; its comment says how. Nothing to do where that is right.',
  },
  { colour: COLOURS.added, text: 'An orange header is a column that your file lacked.' },
  {
    colour: undefined,
    text: 'Save the workbook and drop it in the inbox. Rows that you delete are not ordered. The hidden last column tells which row is which: leave it as it is.',
  },
] as const;

function writeLegend(sheet: Worksheet, from: number): void {
  for (const [index, { colour, text }] of LEGEND.entries()) {
    if (colour !== undefined) paint(sheet.getCell(from + index, 1), colour);
    const cell = sheet.getCell(from + index, 2);
    cell.value = text;
    cell.font = { name: FONT, size: 11, italic: true };
  }
}
