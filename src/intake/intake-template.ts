import type { DataValidation, Workbook, Worksheet } from 'exceljs';
import { columnLetters } from './cells.ts';
import { ORDER_FIELDS } from './fields.ts';
import type { FieldKind, FieldName, OrderField } from './fields.ts';
import { addGuide } from './template-guide.ts';
import { addLists, houseTypesFor, LIST_NAMES } from './template-lists.ts';
import { columnWidth, FONT } from './written-cell.ts';

/** Goes up when the template's columns change; older ones are still read, by their titles. */
const TEMPLATE_VERSION = '1';

const ORDERS_SHEET = 'Orders';
/** The last row with drop-downs. */
const LAST_ROW = 2000;
const COLOURS = { required: 'FF1C5D99', optional: 'FF868E96' };

/** Number formats: text where zeros matter, a plain date, whole dollars. */
const FORMATS: Partial<Record<FieldKind, string>> = { id: '@', zip: '@', phone: '@', text: '@', email: '@', date: 'yyyy-mm-dd', year: '0', money: '$#,##0', area: '#,##0' };

/** Writes the intake workbook that people fill in. Write to a temporary name: the file is not whole before the promise is fulfilled. */
export async function writeIntakeTemplate(path: string): Promise<void> {
  const workbook = await intakeTemplate();
  await workbook.xlsx.writeFile(path);
}

/** The intake workbook: the sheet to fill in, a guide with an example, and the hidden lists of the drop-downs. */
export async function intakeTemplate(): Promise<Workbook> {
  const { default: exceljs } = await import('exceljs');
  const workbook = new exceljs.Workbook();
  workbook.creator = 'inspection-batch';
  workbook.title = 'Inspection orders';
  workbook.subject = `Intake template, version ${TEMPLATE_VERSION}`;
  // A fixed date: the same version is the same workbook.
  workbook.created = new Date(Date.UTC(2026, 0, 1));
  workbook.modified = workbook.created;
  const sheet = workbook.addWorksheet(ORDERS_SHEET, {
    views: [{ state: 'frozen', ySplit: 1 }],
    pageSetup: { orientation: 'landscape' },
  });
  for (const [index, field] of ORDER_FIELDS.entries()) addColumn(sheet, index, field);
  sheet.getRow(1).height = 32;
  addGuide(workbook, TEMPLATE_VERSION);
  addLists(workbook, TEMPLATE_VERSION);
  return workbook;
}

function addColumn(sheet: Worksheet, index: number, field: OrderField): void {
  const column = sheet.getColumn(index + 1);
  column.width = columnWidth(field.title, field);
  const format = FORMATS[field.kind];
  if (format !== undefined) column.numFmt = format;
  const header = sheet.getCell(1, index + 1);
  header.value = field.title;
  header.numFmt = 'General';
  header.font = { name: FONT, bold: true, color: { argb: 'FFFFFFFF' } };
  header.alignment = { vertical: 'middle', wrapText: true };
  header.fill = { type: 'pattern', pattern: 'solid', fgColor: { argb: field.required ? COLOURS.required : COLOURS.optional } };
  header.note = { texts: [{ text: `${field.required ? 'Required.' : 'May be left empty.'} ${field.help}\nExample: ${field.example}` }] };
  const letters = columnLetters(index);
  validations(sheet).add(`${letters}2:${letters}${String(LAST_ROW)}`, {
    ...choice(field),
    allowBlank: true,
    showInputMessage: true,
    promptTitle: field.title.slice(0, 32),
    prompt: field.help,
  });
}

/** exceljs keeps the validations of ranges here, which its types leave out. */
function validations(sheet: Worksheet): { add(range: string, validation: DataValidation): void } {
  return (sheet as unknown as { dataValidations: { add(range: string, validation: DataValidation): void } }).dataValidations;
}

function fieldLetters(name: FieldName): string {
  return columnLetters(ORDER_FIELDS.findIndex((field) => field.name === name));
}

/** The drop-down or the check of a column. */
function choice(field: OrderField): DataValidation {
  const refusal = (error: string): Pick<DataValidation, 'showErrorMessage' | 'errorStyle' | 'errorTitle' | 'error'> => ({ showErrorMessage: true, errorStyle: 'stop', errorTitle: field.title.slice(0, 32), error });
  const list = (formula: string): DataValidation => ({ type: 'list', formulae: [formula], ...refusal('Choose one from the list.') });
  switch (field.kind) {
    case 'enum':
      if (field.name === 'houseType') return { ...list(houseTypesFor(`$${fieldLetters('policyType')}2`)), ...refusal('Choose the policy type first, then a house type from the list.') };
      return list(field.name === 'serviceName' ? LIST_NAMES.services : LIST_NAMES.policyTypes);
    case 'list':
      return list(LIST_NAMES.supplements);
    case 'boolean':
      return list(LIST_NAMES.yesNo);
    case 'state':
      return list(LIST_NAMES.states);
    case 'country':
      return { type: 'list', formulae: ['"US"'], ...refusal('Only addresses in the United States can be inspected.') };
    case 'year':
      return { type: 'whole', operator: 'between', formulae: [1600, 2100], ...refusal('Write the year with four digits.') };
    case 'money':
    case 'area':
      return { type: 'decimal', operator: 'greaterThanOrEqual', formulae: [0], ...refusal('Write a number, without words.') };
    case 'date':
      return { type: 'date', operator: 'greaterThan', formulae: [new Date(Date.UTC(1990, 0, 1))], ...refusal('Write a date, such as 2026-11-05.') };
    case 'text':
    case 'id':
    case 'zip':
    case 'phone':
    case 'email':
      return { type: 'textLength', operator: 'lessThanOrEqual', formulae: [32_767] };
  }
}
