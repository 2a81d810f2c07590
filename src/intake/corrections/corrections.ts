import type { Cell as WrittenCell, stream, Worksheet } from 'exceljs';
import { sentence } from '../../domain/sentences.ts';
import { cellAddress, cellText, formatList, quoted, type Cell } from '../../domain/cells.ts';
import { readingOf } from '../../domain/layout.ts';
import type { Repair } from '../../domain/row.ts';
import { helpInTemplate, type OrderField } from '../fields.ts';
import { ROW_KEY_HEADER } from '../header/known-headers.ts';
import {
  CORRECTIONS_MARK,
  type DropDowns,
  dropDowns,
  LISTS_SHEET,
  PROBLEMS_SHEET,
  rowKey,
  TO_FIX_HEADER,
  WORDS_SHEET,
} from '../own-workbooks.ts';
import { dateEvidence, isAmbiguousDate } from '../values/date.ts';
import { cleanText } from '../values/plain-text.ts';
import { groupProblems, writeProblems } from './problems-sheet.ts';
import {
  columnsAbout,
  columnsOf,
  type Corrections,
  planSheets,
  problemText,
  type RowToFix,
  type SheetPlan,
  withoutAddress,
} from './sheet-plan.ts';
import { writeWords } from './words-sheet.ts';
import {
  addComment,
  FILLS,
  BOLD,
  FONT,
  linkFormula,
  newWorkbook,
  paint,
  visibleText,
  TEXT_KINDS,
  underlineLink,
  writtenCell,
  writtenText,
} from './written-cell.ts';

const OTHER_COLUMNS_MAX = { styled: 1_000, plain: 100 } as const;

/** In the sender's layout. The file is incomplete until the promise resolves, so give a temporary name. */
export async function writeCorrectionsWorkbook(
  path: string,
  corrections: Corrections,
  form: CorrectionsForm = 'styled',
) {
  const isStyled = form === 'styled';
  const workbook = await newWorkbook(path, isStyled);
  const taken = [PROBLEMS_SHEET, WORDS_SHEET, LISTS_SHEET];
  const plans = await planSheets(corrections, taken, OTHER_COLUMNS_MAX[form], isStyled);
  const choices = dropDowns();
  await writeRowsToFix(workbook, plans, corrections, isStyled ? choices : undefined);
  if (isStyled) {
    const groups = await groupProblems(plans, corrections);
    writeWords(workbook, groups, choices);
    writeProblems(workbook, groups);
  }
  choices.addTo(workbook, [
    CORRECTIONS_MARK,
    ...plans.map(({ layout, name }) => writtenText(JSON.stringify({ ...readingOf(layout), sheet: name }))),
  ]);
  await workbook.commit();
}

interface Remarks {
  worst: 'error' | 'warning' | 'repaired';
  readonly lines: string[];
  proposal?: string | undefined;
}

/** `plain`: one line per row, for any number of rows. */
export type CorrectionsForm = 'styled' | 'plain';

async function writeRowsToFix(
  workbook: stream.xlsx.WorkbookWriter,
  plans: readonly SheetPlan[],
  corrections: Corrections,
  choices: DropDowns | undefined,
) {
  const bySheet = new Map(plans.map((plan) => [plan.layout.sheet, plan]));
  let open: { readonly sheet: Worksheet; readonly plan: SheetPlan; rowNumber: number } | undefined;
  for await (const row of corrections.rows()) {
    const plan = bySheet.get(row.record.place.sheet);
    if (plan === undefined) continue;
    if (open?.plan !== plan) {
      open?.sheet.commit();
      open =
        choices === undefined
          ? { sheet: beginPlainly(workbook, plan), plan, rowNumber: 1 }
          : { sheet: beginSheet(workbook, plan, row), plan, rowNumber: plan.headerRow };
    }
    open.rowNumber += 1;
    const { sheet, rowNumber } = open;
    writeCells(sheet, rowNumber, row, plan);
    if (choices === undefined)
      sheet.getCell(rowNumber, plan.remarksColumn + 1).value = visibleText(row.problems.map(problemText).join('\n'));
    else markProblems(sheet, rowNumber, row, plan, choices);
    sheet.getCell(rowNumber, plan.keyColumn + 1).value = writtenText(
      row.record.correctsRow ?? rowKey(corrections.file.hash, row.record.place),
    );
    sheet.getRow(rowNumber).commit();
  }
  open?.sheet.commit();
}

function beginSheet(workbook: stream.xlsx.WorkbookWriter, plan: SheetPlan, first: RowToFix) {
  const below = plan.headerRow + 1;
  const [wrong = plan.columnShift] = wrongColumnsOf(first, plan).map(({ index }) => index);
  const split = plan.guided ? 1 : 0;
  const sheet = workbook.addWorksheet(plan.name, {
    views: [
      {
        state: 'frozen',
        xSplit: split,
        ySplit: plan.headerRow,
        topLeftCell: cellAddress(Math.max(split, wrong - 2), below),
        activeCell: cellAddress(wrong, below),
      },
    ],
    pageSetup: {
      orientation: 'landscape',
      fitToPage: true,
      fitToWidth: Math.ceil(
        plan.written.reduce((characters, index) => characters + plan.widthOf(index), 0) / PAGE_WIDTH,
      ),
      fitToHeight: 0,
      printTitlesRow: `${plan.headerRow}:${plan.headerRow}`,
    },
  });
  for (const index of plan.written) sheet.getColumn(index + 1).width = plan.widthOf(index);
  sheet.getColumn(plan.keyColumn + 1).hidden = true;
  if (plan.guided) writeGuide(sheet, plan);
  writeTitles(sheet, plan);
  writeHeader(sheet, plan);
  sheet.autoFilter = {
    from: { row: plan.headerRow, column: plan.guided ? 1 : (plan.columns[0]?.index ?? 0) + 1 },
    to: { row: plan.headerRow + plan.rows, column: plan.width },
  };
  return sheet;
}

function beginPlainly(workbook: stream.xlsx.WorkbookWriter, plan: SheetPlan) {
  const sheet = workbook.addWorksheet(plan.name, { views: [{ state: 'frozen', ySplit: 1 }] });
  sheet.getColumn(plan.keyColumn + 1).hidden = true;
  for (const { index, header } of plan.columns) sheet.getCell(1, index + 1).value = writtenText(header);
  sheet.getCell(1, plan.keyColumn + 1).value = ROW_KEY_HEADER;
  sheet.getCell(1, plan.remarksColumn + 1).value = 'What to fix';
  sheet.getRow(1).commit();
  return sheet;
}

const PAGE_WIDTH = 170;

const TO_FIX = { width: 34, height: 48 } as const;

function writeGuide(sheet: Worksheet, { headerRow }: SheetPlan) {
  sheet.getColumn(1).width = TO_FIX.width;
  sheet.getRow(headerRow).height = TO_FIX.height;
  writeTitle(sheet.getCell(headerRow, 1), TO_FIX_HEADER, FILLS.header);
}

function writeTitle(cell: WrittenCell, title: string, color: string) {
  cell.value = title;
  cell.font = BOLD;
  cell.alignment = { vertical: 'middle', wrapText: true };
  paint(cell, color);
}

function wrongColumnsOf({ problems }: RowToFix, plan: SheetPlan) {
  const wrong = problems.filter(({ severity }) => severity === 'error').map((problem) => columnsAbout(plan, problem));
  const columns = [...new Set(wrong.flat())].toSorted((a, b) => a.index - b.index);
  return wrong.some((found) => found.length === 0)
    ? [{ index: plan.columns[0]?.index ?? 0, header: 'the row' }, ...columns]
    : columns;
}

function writeTitles(sheet: Worksheet, { titles, keyColumn }: SheetPlan) {
  for (const { rowNumber, cells } of titles) {
    for (const [index, held] of cells.entries()) {
      if (held === null || index === keyColumn) continue;
      const { value, style } = writtenCell(held, undefined);
      const cell = sheet.getCell(rowNumber, index + 1);
      cell.value = value;
      cell.style = style;
      cell.font = BOLD;
    }
  }
}

function writeHeader(sheet: Worksheet, plan: SheetPlan) {
  for (const { index, header, field, added } of plan.columns) {
    const cell = sheet.getCell(plan.headerRow, index + 1);
    writeTitle(cell, writtenText(header), added ? FILLS.added : FILLS.header);
    if (added)
      addComment(
        cell,
        [sentence('column-added', { help: field === undefined ? '' : helpInTemplate(field) })],
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
) {
  const isStruck = (index: number) =>
    problems.some(
      ({ rule, cell }) =>
        rule === 'row-struck-out' ||
        (rule === 'cell-struck-out' && cell === cellAddress(index - plan.columnShift, record.place.rowNumber)),
    );
  for (const index of plan.written) {
    const field = plan.fields.get(index);
    const held = record.cells[index - plan.columnShift];
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

function markProblems(sheet: Worksheet, rowNumber: number, row: RowToFix, plan: SheetPlan, choices: DropDowns) {
  const wrong = wrongColumnsOf(row, plan);
  if (plan.guided) {
    const cell = sheet.getCell(rowNumber, 1);
    const names = formatList(wrong.map(({ header }) => header));
    cell.value = linkFormula(plan.name, cellAddress(wrong[0]?.index ?? 0, rowNumber), names);
    underlineLink(cell);
  }
  const policyType = columnsOf(plan, 'policyType')[0];
  const policyTypeCell = policyType === undefined ? undefined : cellAddress(policyType.index, rowNumber);
  for (const [index, { worst, lines, proposal }] of remarksOf(row, plan)) {
    const cell = sheet.getCell(rowNumber, index + 1);
    const field = plan.fields.get(index);
    if (worst === 'error' && TEXT_KINDS.has(field?.kind ?? 'text')) cell.numFmt = '@';
    paint(cell, FILLS[worst]);
    addComment(cell, worst === 'repaired' ? [...lines, sentence('no-action')] : lines, plan.widthOf);
    if (worst !== 'repaired' && field !== undefined) choices.offer(cell, field, proposal, policyTypeCell);
  }
}

/**
 * A date whose order the column decided, or that is evidence for it, is written as a real date, because this workbook
 * lacks the other rows. Days counted from 1904 would count from 1900 here.
 */
function dateDecidedByColumn(held: Cell | undefined, field: OrderField | undefined, repairs: readonly Repair[]) {
  if ((held?.kind !== 'text' && held?.kind !== 'number') || field?.kind !== 'date') return undefined;
  const repair = repairs.find((one) => one.field === field.name);
  const { text } = cleanText(cellText(held));
  const countsFrom1904 = held.kind === 'number' && held.date1904 === true;
  return repair !== undefined &&
    (countsFrom1904 || isAmbiguousDate(text, repair.sent) || dateEvidence(text, repair.sent) !== undefined)
    ? repair
    : undefined;
}

/** Remarks on the whole row go to its first cell. */
function remarksOf({ record, problems, repairs = [] }: RowToFix, plan: SheetPlan) {
  const byColumn = new Map<number, Remarks>();
  const remark = (index: number, severity: Remarks['worst'], line: string, proposal?: string) => {
    const found = byColumn.get(index) ?? { worst: severity, lines: [] };
    if (severity === 'error') found.worst = 'error';
    found.proposal ??= proposal;
    found.lines.push(line);
    byColumn.set(index, found);
  };
  for (const problem of problems) {
    const about = columnsAbout(plan, problem).map(({ index }) => index);
    for (const index of about.length === 0 ? [plan.columns[0]?.index ?? 0] : about)
      remark(index, problem.severity, withoutAddress(problem), problem.proposal);
  }
  for (const repair of repairs) {
    for (const { index, field } of columnsOf(plan, repair.field))
      remark(index, 'repaired', describeRepair(repair, record.cells[index - plan.columnShift], field, repairs));
  }
  return byColumn;
}

function describeRepair(
  repair: Repair,
  held: Cell | undefined,
  field: OrderField | undefined,
  repairs: readonly Repair[],
) {
  if (dateDecidedByColumn(held, field, repairs) !== undefined)
    return `Your file has ${quoted(repair.held)}, ${repair.why}.`;
  return repair.sent === ''
    ? `Read as empty: ${repair.why}.`
    : sentence('cell-repaired', { sent: repair.sent, why: repair.why });
}
