import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import exceljs from 'exceljs';
import { expect, test } from 'vitest';
import { ORDER_FIELDS } from './fields.ts';
import { intakeTemplate, writeIntakeTemplate } from './intake-template.ts';
import { collected } from './in-memory-source.ts';
import { readOrderFile } from './read-file.ts';

const COMMITTED = join(import.meta.dirname, '../../templates/inspection-orders.xlsx');
const OPTIONS = { headers: {}, today: '2026-10-15' };

test('every column of the template is known, and neither the guide nor its example is an order', async () => {
  await using reading = await readOrderFile(COMMITTED, 'inspection-orders.xlsx', OPTIONS);
  expect(reading.layouts.map(({ sheet, columns }) => ({ sheet, fields: columns.map(({ field }) => field) }))).toEqual([
    { sheet: 'Orders', fields: ORDER_FIELDS.map(({ name }) => name) },
  ]);
  expect(await collected(reading.rows())).toEqual([]);
  expect(reading.notes).toEqual(['Sheet "Guide" holds no table of orders and was not read.', 'Sheet "Lists" is hidden and was not read.']);
});

test('a row filled in with the examples of the guide is an order without repairs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'template-'));
  try {
    const workbook = await intakeTemplate();
    const sheet = workbook.getWorksheet('Orders');
    for (const [index, { example, kind }] of ORDER_FIELDS.entries()) {
      const cell = sheet?.getCell(2, index + 1);
      if (cell !== undefined) cell.value = kind === 'date' ? new Date(`${example}T00:00:00Z`) : example;
    }
    const path = join(folder, 'filled.xlsx');
    await workbook.xlsx.writeFile(path);
    await using reading = await readOrderFile(path, 'filled.xlsx', OPTIONS);
    expect(await collected(reading.rows())).toMatchObject([{ kind: 'order', repairs: [], warnings: [], allowDuplication: false }]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the committed template is the one that is written now', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'template-'));
  try {
    const path = join(folder, 'template.xlsx');
    await writeIntakeTemplate(path);
    expect(await contents(path)).toEqual(await contents(COMMITTED));
  } finally {
    await rm(folder, { recursive: true });
  }
});

async function contents(path: string): Promise<unknown> {
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  return workbook.model.sheets;
}
