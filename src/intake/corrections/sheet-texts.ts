import type { Worksheet } from 'exceljs';
import { z } from 'zod';
import { templateData } from '../../contract/template-data.ts';
import type { OrderField } from '../fields.ts';
import { FILLS, BOLD, paint } from './written-cell.ts';

const widths = z.record(z.string(), z.number());

/** templates/workbook/corrections.yaml; an order's columns by the kind of field. */
export const sheetTexts = templateData(
  'workbook/corrections',
  z.strictObject({
    problems: widths,
    words: widths,
    question: widths,
    questionHead: z.string(),
    legend: z.record(z.enum(['error', 'warning', 'repaired', 'added']), z.string()),
    legendEnd: z.string(),
    widths,
  }),
);

export function writeHeaders(sheet: Worksheet, rowNumber: number, columns: Readonly<Record<string, number>>) {
  for (const [index, [header, width]] of Object.entries(columns).entries()) {
    sheet.getColumn(index + 1).width = width;
    const cell = sheet.getCell(rowNumber, index + 1);
    cell.value = header;
    cell.font = BOLD;
    paint(cell, FILLS.header);
  }
}

export function columnWidth(header: string, field: OrderField | undefined) {
  return Math.min(40, Math.max(header.length + 4, sheetTexts().widths[field?.kind ?? 'none'] ?? 0));
}
