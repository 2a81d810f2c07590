import type { Workbook, Worksheet } from 'exceljs';
import { HOUSE_TYPES_BY_POLICY_TYPE } from '../contract/document.ts';
import { ORDER_FIELDS } from './fields.ts';
import { GUIDE_SHEET } from './own-sheets.ts';
import { FONT } from './written-cell.ts';

/** The columns' widths, in characters. */
const WIDTHS = [34, 11, 60, 60, 30];
const LINE_HEIGHT = 15;

const PARAGRAPHS = [
  'Write one inspection on each line of the sheet "Orders", save, and drop the file in the inbox folder. Columns with a blue header are required; a required cell that is still empty in a line you began is shaded red.',
  'The grey line below the header is an example. It is never ordered: write over all of it, or delete it.',
  'You may leave out grey columns, put the columns in another order, or add your own: what is not known is not sent. Keep the header in one row.',
  'A line with a mistake is never ordered and never lost: it comes back in a corrections workbook, the wrong cells coloured, each with a comment. Fix it there and drop that file in the inbox.',
  'The same order is never placed twice. It is known by its inspection number; without one, by policy number and effective date; without those, by address, service and insured name.',
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
    cell.fill = { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FFE3E8EE' } };
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
  sheet.getRow(rowNumber).height = LINE_HEIGHT * Math.max(1, ...lines);
}

/** Writes the guide: what to do, and what each column means. Its examples run down the sheet, so that they are never taken for an order. */
export function addGuide(workbook: Workbook, mark: string): void {
  const sheet = workbook.addWorksheet(GUIDE_SHEET, { pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0 } });
  for (const [index, width] of WIDTHS.entries()) sheet.getColumn(index + 1).width = width;
  heading(sheet, 1, 'How to order inspections', 16);
  let rowNumber = 2;
  for (const paragraph of PARAGRAPHS) {
    sheet.mergeCells(rowNumber, 1, rowNumber, 5);
    const cell = sheet.getCell(rowNumber, 1);
    cell.value = paragraph;
    cell.alignment = { wrapText: true, vertical: 'top' };
    sheet.getRow(rowNumber).height = LINE_HEIGHT * Math.ceil(paragraph.length / 190) + 4;
    rowNumber += 1;
  }
  heading(sheet, rowNumber + 1, 'The columns', 13);
  rowNumber += 2;
  tableHeader(sheet, rowNumber, ['Column', 'Required', 'What to write', 'Choices', 'Example']);
  for (const { title, required, help, values, example, name } of ORDER_FIELDS) {
    rowNumber += 1;
    const choices = name === 'houseType' ? 'depends on the policy type, see below' : (values ?? []).join(', ');
    tableRow(sheet, rowNumber, [title, required ? 'yes' : 'no', help, choices, example]);
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
