import { writeFile } from 'node:fs/promises';
import type { Cell, DataValidation, Workbook, Worksheet } from 'exceljs';
import { addComment } from './cell-comment.ts';
import { columnLetters } from './cells.ts';
import { ORDER_FIELDS } from './fields.ts';
import type { FieldKind, OrderField } from './fields.ts';
import { TEMPLATE_MARK } from './own-sheets.ts';
import { exampleValue } from './template-example.ts';
import { addGuide } from './template-guide.ts';
import { addLists, choicesOf } from './template-lists.ts';
import { columnWidth, FONT } from './written-cell.ts';
import { evenZipDates } from './zip-dates.ts';

const ORDERS_SHEET = 'Orders';
/** The last row with formats, borders and drop-downs. */
const LAST_ROW = 2000;
const COLOURS = { required: 'FF1C5D99', optional: 'FF868E96', missing: 'FFFFE3E3', example: 'FF868E96', exampleCell: 'FFF1F3F5' };
const LINE = { style: 'thin', color: { argb: 'FFFFFFFF' } } as const;

/** Number formats: text where zeros matter, a plain date, whole dollars. */
const FORMATS: Readonly<Record<FieldKind, string>> = {
  id: '@', zip: '@', phone: '@', text: '@', email: '@', date: 'yyyy-mm-dd', year: '0', money: '$#,##0', area: '#,##0',
  enum: '@', list: '@', state: '@', country: '@', boolean: '@',
};

/** Writes the intake workbook that people fill in; one version has always the same bytes. Write to a temporary name: the file is not whole before the promise is fulfilled. */
export async function writeIntakeTemplate(path: string): Promise<void> {
  const workbook = await intakeTemplate();
  const bytes = Buffer.from(await workbook.xlsx.writeBuffer());
  evenZipDates(bytes);
  await writeFile(path, bytes);
}

/** The intake workbook: the sheet to fill in with an example, a guide, and the hidden lists of the drop-downs. */
export async function intakeTemplate(): Promise<Workbook> {
  const { default: exceljs } = await import('exceljs');
  const workbook = new exceljs.Workbook();
  workbook.creator = 'inspection-batch';
  workbook.title = 'Inspection orders';
  workbook.subject = `Intake template. ${TEMPLATE_MARK}`;
  // A fixed date: the same version is the same workbook.
  workbook.created = new Date(Date.UTC(2026, 0, 1));
  workbook.modified = workbook.created;
  addOrders(workbook);
  addGuide(workbook, TEMPLATE_MARK);
  addLists(workbook, TEMPLATE_MARK);
  return workbook;
}

function addOrders(workbook: Workbook): void {
  const sheet = workbook.addWorksheet(ORDERS_SHEET, {
    views: [{ state: 'frozen', xSplit: 2, ySplit: 1 }],
    pageSetup: { orientation: 'landscape', paperSize: 5, fitToPage: true, fitToWidth: 3, fitToHeight: 0, printTitlesRow: '1:1', printTitlesColumn: 'A:B' },
    headerFooter: { oddFooter: '&L&A&RPage &P of &N' },
    properties: { tabColor: { argb: COLOURS.required } },
  });
  for (const [index, field] of ORDER_FIELDS.entries()) addColumn(sheet, index, field);
  sheet.getRow(1).height = 34;
  sheet.getRow(2).height = 20;
}

function addColumn(sheet: Worksheet, index: number, field: OrderField): void {
  const column = sheet.getColumn(index + 1);
  column.width = columnWidth(field.title, field);
  column.numFmt = FORMATS[field.kind];
  writeHeader(sheet.getCell(1, index + 1), field);
  writeExample(sheet.getCell(2, index + 1), field);
  const letters = columnLetters(index);
  const range = `${letters}2:${letters}${String(LAST_ROW)}`;
  validations(sheet).add(range, { ...check(field), allowBlank: true, showInputMessage: true, promptTitle: promptTitle(field), prompt: prompt(field) });
  // Shaded by a rule rather than by styles: the shade stays where rows are pasted, and an empty form holds no cells.
  if (field.required) sheet.addConditionalFormatting({ ref: range, rules: [missingRule(letters, index)] });
}

function writeHeader(cell: Cell, field: OrderField): void {
  cell.value = field.title;
  cell.numFmt = 'General';
  cell.font = { name: FONT, size: 11, bold: true, color: { argb: 'FFFFFFFF' } };
  cell.alignment = { vertical: 'middle', wrapText: true };
  cell.fill = { type: 'pattern', pattern: 'solid', fgColor: { argb: field.required ? COLOURS.required : COLOURS.optional } };
  cell.border = { left: LINE, right: LINE };
  const choices = field.name === 'houseType' || (field.values ?? []).length === 0 ? [] : [`One of: ${(field.values ?? []).join('; ')}`];
  addComment(cell, [field.required ? 'Required.' : 'May be left empty.', field.help, ...choices, `Example: ${field.example}`], (at) => {
    const other = ORDER_FIELDS[at];
    return other === undefined ? 10 : columnWidth(other.title, other);
  });
}

function writeExample(cell: Cell, field: OrderField): void {
  cell.fill = { type: 'pattern', pattern: 'solid', fgColor: { argb: COLOURS.exampleCell } };
  const example = exampleValue(field);
  if (example === '') return;
  cell.value = field.kind === 'date' ? new Date(`${example}T00:00:00Z`) : example;
  cell.font = { name: FONT, size: 11, italic: true, color: { argb: COLOURS.example } };
}

/** A required cell that is still empty in a row that somebody began. */
function missingRule(letters: string, index: number): Parameters<Worksheet['addConditionalFormatting']>[0]['rules'][number] {
  const last = columnLetters(ORDER_FIELDS.length - 1);
  return {
    type: 'expression',
    priority: index + 1,
    formulae: [`AND(${letters}2="",COUNTA($A2:$${last}2)>0)`],
    style: { fill: { type: 'pattern', pattern: 'solid', bgColor: { argb: COLOURS.missing } } },
  };
}

/** exceljs keeps the validations of ranges here, which its types leave out. */
function validations(sheet: Worksheet): { add(range: string, validation: DataValidation): void } {
  return (sheet as unknown as { dataValidations: { add(range: string, validation: DataValidation): void } }).dataValidations;
}

function promptTitle({ title }: OrderField): string {
  return title.slice(0, 32);
}

function prompt({ required, help }: OrderField): string {
  return `${required ? 'Required. ' : ''}${help}`;
}

const POLICY_TYPE_CELL = `$${columnLetters(ORDER_FIELDS.findIndex(({ name }) => name === 'policyType'))}2`;

/** The drop-down or the check of a column. */
function check(field: OrderField): DataValidation {
  const refusal = (error: string): Pick<DataValidation, 'showErrorMessage' | 'errorStyle' | 'errorTitle' | 'error'> => ({ showErrorMessage: true, errorStyle: 'stop', errorTitle: promptTitle(field), error });
  const choices = choicesOf(field, POLICY_TYPE_CELL);
  if (choices !== undefined) return { type: 'list', formulae: [choices], ...refusal(refusalOf(field)) };
  switch (field.kind) {
    case 'year':
      return { type: 'whole', operator: 'between', formulae: [1600, 2100], ...refusal('Write the year with four digits.') };
    case 'money':
    case 'area':
      return { type: 'decimal', operator: 'greaterThanOrEqual', formulae: [0], ...refusal('Write a number, without words.') };
    case 'date':
      return { type: 'date', operator: 'greaterThan', formulae: [new Date(Date.UTC(1990, 0, 1))], ...refusal('Write a date, such as 2026-11-05.') };
    case 'zip':
      return { type: 'textLength', operator: 'between', formulae: [5, 10], ...refusal('Five digits, or nine such as 33609-1204.') };
    case 'text':
    case 'id':
    case 'phone':
    case 'email':
    // Those below have lists.
    case 'enum':
    case 'list':
    case 'boolean':
    case 'state':
    case 'country':
      return { type: 'textLength', operator: 'lessThanOrEqual', formulae: [32_767] };
  }
}

function refusalOf({ name, kind }: OrderField): string {
  if (name === 'houseType') return 'Choose the policy type first, then a house type from the list.';
  return kind === 'country' ? 'Only addresses in the United States can be inspected.' : 'Choose one from the list.';
}
