import type { Worksheet } from 'exceljs';
import { z } from 'zod';
import { templateData } from '../../contract/template-data.ts';
import { FILLS, FONT, paint } from './written-cell.ts';

const widths = z.record(z.string(), z.number());

/** Titles and widths of columns, and the legend: templates/workbook/corrections.yaml. */
export const sheetTexts = templateData(
  'workbook/corrections',
  z.strictObject({
    problems: widths,
    words: widths,
    question: widths,
    legend: z.record(z.enum(['error', 'warning', 'repaired', 'added']), z.string()),
    legendEnd: z.string(),
  }),
);

export function writeHeaders(sheet: Worksheet, rowNumber: number, columns: Readonly<Record<string, number>>): void {
  for (const [index, [header, width]] of Object.entries(columns).entries()) {
    sheet.getColumn(index + 1).width = width;
    const cell = sheet.getCell(rowNumber, index + 1);
    cell.value = header;
    cell.font = { name: FONT, size: 11, bold: true };
    paint(cell, FILLS.header);
  }
}
