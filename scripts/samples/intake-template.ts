/*
 * Makes the workbook that people fill in, with its guide: templates/inspection-orders.xlsx, which make-samples.ts writes and which
 * `inspection-batch template` hands out. Its example row is known again by src/intake/read-orders.ts.
 */

import { writeFile } from 'node:fs/promises';
import exceljs, { type Cell, type DataValidation, type Workbook, type Worksheet } from 'exceljs';
import { HOUSE_TYPES_BY_POLICY_TYPE } from '../../src/contract/document.ts';
import { columnLetters } from '../../src/domain/cells.ts';
import { columnWidth } from '../../src/intake/corrections/sheet-texts.ts';
import { addComment, FONT, paint } from '../../src/intake/corrections/written-cell.ts';
import { type FieldKind, helpInTemplate, ORDER_FIELDS, type OrderField } from '../../src/intake/fields.ts';
import { addLists, choicesOf, GUIDE_SHEET, TEMPLATE_MARK } from '../../src/intake/own-workbooks.ts';
import { exampleValue } from '../../src/intake/template-example.ts';

const ORDERS_SHEET = 'Orders';

/** The columns: the required ones, then the others, in a group that folds. */
export const TEMPLATE_FIELDS: readonly OrderField[] = [
  ...ORDER_FIELDS.filter(({ required }) => required),
  ...ORDER_FIELDS.filter(({ required }) => !required),
];

/** The last row with formats, borders and drop-downs. */
const LAST_ROW = 2000;
const COLORS = {
  required: 'FF1C5D99',
  optional: 'FF868E96',
  missing: 'FFFFE3E3',
  example: 'FF868E96',
  exampleCell: 'FFF1F3F5',
};
const LINE = { style: 'thin', color: { argb: 'FFFFFFFF' } } as const;

/** Number formats: text where zeros matter, a plain date, whole dollars. */
const FORMATS: Readonly<Record<FieldKind, string>> = {
  id: '@',
  zip: '@',
  phone: '@',
  text: '@',
  email: '@',
  date: 'yyyy-mm-dd',
  year: '0',
  money: '$#,##0',
  area: '#,##0',
  enum: '@',
  list: '@',
  state: '@',
  country: '@',
  boolean: '@',
};

/** Writes the intake workbook; one version has always the same bytes. */
export async function writeIntakeTemplate(path: string): Promise<void> {
  const workbook = intakeTemplate();
  const bytes = Buffer.from(await workbook.xlsx.writeBuffer());
  evenZipDates(bytes);
  await writeFile(path, bytes);
}

/**
 * The intake workbook: the sheet to fill in with an example, a guide, and the hidden lists of the drop-downs. With
 * ORDER_FIELDS, its columns are those of earlier templates.
 */
export function intakeTemplate(fields = TEMPLATE_FIELDS): Workbook {
  const workbook = new exceljs.Workbook();
  workbook.creator = 'inspection-batch';
  workbook.title = 'Inspection orders';
  workbook.subject = `Intake template. ${TEMPLATE_MARK}`;
  // A fixed date: the same version is the same workbook.
  workbook.created = new Date(Date.UTC(2026, 0, 1));
  workbook.modified = workbook.created;
  addOrders(workbook, fields);
  addGuide(workbook, TEMPLATE_MARK);
  addLists(workbook, [TEMPLATE_MARK]);
  return workbook;
}

function addOrders(workbook: Workbook, fields: readonly OrderField[]): void {
  const isGrouped = fields === TEMPLATE_FIELDS;
  const sheet = workbook.addWorksheet(ORDERS_SHEET, {
    views: [{ state: 'frozen', xSplit: isGrouped ? 0 : 2, ySplit: 1 }],
    pageSetup: {
      orientation: 'landscape',
      paperSize: 5,
      fitToPage: true,
      fitToWidth: 3,
      fitToHeight: 0,
      printTitlesRow: '1:1',
      printTitlesColumn: isGrouped ? 'D:D' : 'A:B',
    },
    headerFooter: { oddFooter: '&L&A&RPage &P of &N' },
    properties: { tabColor: { argb: COLORS.required }, outlineLevelCol: isGrouped ? 1 : 0 },
  });
  for (const [index, field] of fields.entries()) addColumn(sheet, index, field, fields);
  sheet.getRow(1).height = 34;
  sheet.getRow(2).height = 20;
}

/** The required cells, and two that mark the example where somebody writes over those. */
function isInExample({ name, required }: OrderField): boolean {
  return required || name === 'inspectionNumber' || name === 'note';
}

function addColumn(sheet: Worksheet, index: number, field: OrderField, fields: readonly OrderField[]): void {
  const isGrouped = fields === TEMPLATE_FIELDS;
  const column = sheet.getColumn(index + 1);
  column.width = columnWidth(field.title, field);
  column.numFmt = FORMATS[field.kind];
  if (isGrouped && !field.required) {
    column.outlineLevel = 1;
    // exceljs takes every column of the deepest level for collapsed.
    Object.defineProperty(column, 'collapsed', { value: false });
  }
  writeHeader(sheet.getCell(1, index + 1), field, fields);
  const example = isGrouped && !isInExample(field) ? '' : exampleValue(field);
  writeExample(sheet.getCell(2, index + 1), field, example);
  const letters = columnLetters(index);
  const range = `${letters}2:${letters}${String(LAST_ROW)}`;
  validations(sheet).add(range, {
    ...check(field, fields),
    allowBlank: true,
    showInputMessage: true,
    promptTitle: promptTitle(field),
    prompt: prompt(field),
  });
  // Shaded by a rule rather than by styles: the shade stays where rows are pasted, and an empty form holds no cells.
  if (field.required) sheet.addConditionalFormatting({ ref: range, rules: [missingRule(letters, index)] });
}

function writeHeader(cell: Cell, field: OrderField, fields: readonly OrderField[]): void {
  cell.value = field.title;
  cell.numFmt = 'General';
  cell.font = { name: FONT, size: 11, bold: true, color: { argb: 'FFFFFFFF' } };
  cell.alignment = { vertical: 'middle', wrapText: true };
  paint(cell, field.required ? COLORS.required : COLORS.optional);
  cell.border = { left: LINE, right: LINE };
  const choices =
    field.name === 'houseType' || (field.values ?? []).length === 0
      ? []
      : [`One of: ${(field.values ?? []).join('; ')}`];
  addComment(
    cell,
    [
      field.required ? 'Required.' : 'May be left empty.',
      helpInTemplate(field),
      ...choices,
      `Example: ${field.example}`,
    ],
    (at) => {
      const other = fields[at];
      return other === undefined ? 10 : columnWidth(other.title, other);
    },
  );
}

function writeExample(cell: Cell, field: OrderField, example: string): void {
  paint(cell, COLORS.exampleCell);
  if (example === '') return;
  cell.value = field.kind === 'date' ? new Date(`${example}T00:00:00Z`) : example;
  cell.font = { name: FONT, size: 11, italic: true, color: { argb: COLORS.example } };
}

/** A required cell that is still empty in a row that somebody began. */
function missingRule(
  letters: string,
  index: number,
): Parameters<Worksheet['addConditionalFormatting']>[0]['rules'][number] {
  const last = columnLetters(ORDER_FIELDS.length - 1);
  return {
    type: 'expression',
    priority: index + 1,
    formulae: [`AND(${letters}2="",COUNTA($A2:$${last}2)>0)`],
    style: { fill: { type: 'pattern', pattern: 'solid', bgColor: { argb: COLORS.missing } } },
  };
}

/** exceljs keeps the validations of ranges here, which its types leave out. */
function validations(sheet: Worksheet): { add(range: string, validation: DataValidation): void } {
  return (sheet as unknown as { dataValidations: { add(range: string, validation: DataValidation): void } })
    .dataValidations;
}

function promptTitle({ title }: OrderField): string {
  return (title.length > 32 ? title.replace(' coverage', '') : title).slice(0, 32);
}

function prompt(field: OrderField): string {
  return `${field.required ? 'Required. ' : ''}${helpInTemplate(field)}`;
}

/** The drop-down or the check of a column. */
function check(field: OrderField, fields: readonly OrderField[]): DataValidation {
  const refusal = (
    error: string,
  ): Pick<DataValidation, 'showErrorMessage' | 'errorStyle' | 'errorTitle' | 'error'> => ({
    showErrorMessage: true,
    errorStyle: 'stop',
    errorTitle: promptTitle(field),
    error,
  });
  const policyType = `$${columnLetters(fields.findIndex(({ name }) => name === 'policyType'))}2`;
  const choices = choicesOf(field, policyType);
  if (choices !== undefined) return { type: 'list', formulae: [choices], ...refusal(refusalOf(field)) };
  switch (field.kind) {
    case 'year':
      return {
        type: 'whole',
        operator: 'between',
        formulae: [1600, 2100],
        ...refusal('Enter a four-digit year such as 1987.'),
      };
    case 'money':
    case 'area':
      return {
        type: 'decimal',
        operator: 'greaterThanOrEqual',
        formulae: [0],
        ...refusal('Enter a number only.'),
      };
    case 'date':
      return {
        type: 'date',
        operator: 'greaterThan',
        formulae: [new Date(Date.UTC(1990, 0, 1))],
        ...refusal('Enter a date such as 2026-11-05.'),
      };
    case 'zip':
      return {
        type: 'textLength',
        operator: 'between',
        formulae: [5, 10],
        ...refusal('Five digits, or nine such as 33609-1204.'),
      };
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

/** The columns' widths, in characters. */
const WIDTHS = [34, 11, 60, 60, 30];
const GUIDE_LINE_HEIGHT = 15;

const PARAGRAPHS = [
  'Enter one inspection in each row of the sheet "Orders", save, and drop the file in the inbox folder. Columns with a blue header are required; in a row that you have started, required cells that are still empty turn red.',
  'The gray row below the header is an example. It is never ordered: replace all of it, or delete it.',
  'Columns with a gray header may stay empty; the buttons 1 and 2 at the upper left hide and show them. Each order is identified by its inspection number, or by its policy number and effective date: enter one if you have it.',
  'You may leave out gray columns, put the columns in another order, or add your own: columns that the program does not recognize are not sent. Keep the header in one row.',
  'A row with a mistake is never ordered and never lost: it comes back in a corrections workbook, the wrong cells colored, each with a comment. Fix it there and drop that file in the inbox.',
  'The same order is never placed twice. It is identified by its inspection number; without one, by policy number and effective date; without those, by address, service and insured name.',
];

function heading(sheet: Worksheet, rowNumber: number, text: string, size: number): void {
  const cell = sheet.getCell(rowNumber, 1);
  cell.value = text;
  cell.font = { name: FONT, bold: true, size };
}

function tableHeader(sheet: Worksheet, rowNumber: number, titles: readonly string[]): void {
  for (const [index, title] of titles.entries()) {
    const cell = sheet.getCell(rowNumber, index + 1);
    cell.value = title;
    cell.font = { name: FONT, size: 11, bold: true };
    paint(cell, 'FFE3E8EE');
  }
}

function tableRow(sheet: Worksheet, rowNumber: number, texts: readonly string[]): void {
  for (const [index, text] of texts.entries()) {
    const cell = sheet.getCell(rowNumber, index + 1);
    cell.value = text;
    cell.alignment = { wrapText: true, vertical: 'top' };
  }
  // A row of wrapped text has the height it is given: no program that opens the file works it out.
  const lines = texts.map((text, index) => Math.ceil((text.length * 1.05) / (WIDTHS[index] ?? 1)));
  sheet.getRow(rowNumber).height = GUIDE_LINE_HEIGHT * Math.max(1, ...lines);
}

/** Writes the guide: what to do, and what each column means. Its examples run down the sheet, so that they are never taken for an order. */
function addGuide(workbook: Workbook, mark: string): void {
  const sheet = workbook.addWorksheet(GUIDE_SHEET, {
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0 },
  });
  for (const [index, width] of WIDTHS.entries()) sheet.getColumn(index + 1).width = width;
  heading(sheet, 1, 'How to order inspections', 16);
  let rowNumber = 2;
  for (const paragraph of PARAGRAPHS) {
    sheet.mergeCells(rowNumber, 1, rowNumber, 5);
    const cell = sheet.getCell(rowNumber, 1);
    cell.value = paragraph;
    cell.alignment = { wrapText: true, vertical: 'top' };
    sheet.getRow(rowNumber).height = GUIDE_LINE_HEIGHT * Math.ceil(paragraph.length / 190) + 4;
    rowNumber += 1;
  }
  heading(sheet, rowNumber + 1, 'The columns', 13);
  rowNumber += 2;
  tableHeader(sheet, rowNumber, ['Column', 'Required', 'What to enter', 'Choices', 'Example']);
  for (const field of TEMPLATE_FIELDS) {
    const { title, required, values, example, name } = field;
    rowNumber += 1;
    const choices = name === 'houseType' ? 'depends on the policy type, see below' : (values ?? []).join(', ');
    tableRow(sheet, rowNumber, [title, required ? 'yes' : 'no', helpInTemplate(field), choices, example]);
  }
  heading(sheet, rowNumber + 2, 'House types by policy type', 13);
  rowNumber += 3;
  tableHeader(sheet, rowNumber, ['For this policy type', '', 'choose one of']);
  for (const [policyType, houseTypes] of Object.entries(HOUSE_TYPES_BY_POLICY_TYPE)) {
    rowNumber += 1;
    tableRow(sheet, rowNumber, [policyType, '', houseTypes.join(', ')]);
  }
  sheet.getCell(rowNumber + 2, 1).value = mark;
  sheet.getCell(rowNumber + 2, 1).font = { name: FONT, size: 11, italic: true, color: { argb: 'FF868E96' } };
}

const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
/** 1980-01-01 00:00: the first moment that a zip can tell. */
const FIRST_DAY = 0x21;

/** Sets the time of every entry of a zip to one and the same, so that the same contents are the same bytes. Changes the bytes in place. */
export function evenZipDates(zip: Buffer): void {
  let end = zip.length - END_RECORD_BYTES;
  while (end >= 0 && zip.readUInt32LE(end) !== END_RECORD) end -= 1;
  if (end < 0) throw new Error('the bytes are no zip');
  let entry = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const local = zip.readUInt32LE(entry + 42);
    for (const at of [entry + 12, local + 10]) {
      zip.writeUInt16LE(0, at);
      zip.writeUInt16LE(FIRST_DAY, at + 2);
    }
    entry += 46 + zip.readUInt16LE(entry + 28) + zip.readUInt16LE(entry + 30) + zip.readUInt16LE(entry + 32);
  }
}
