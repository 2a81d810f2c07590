import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import exceljs from 'exceljs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FileReading, readOrderFile, readSource } from '../../../src/intake/read-orders.ts';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';

const TABLE = [
  ['Address', 'City', 'State', 'ZIP code', 'Insured name', 'Insured phone', 'Insured email', 'Policy number'],
  ['118 Oak Ridge Ln', 'Tampa', 'FL', '33609', 'Juan Vega', '813-555-0142', 'm@example.com', 'HO-1'],
];
const OPTIONS = { headers: {}, today: '2026-10-15' };

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'comments-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function readingOf<T>(
  comment: (sheet: exceljs.Worksheet) => void,
  told: (reading: FileReading) => T | Promise<T>,
): Promise<T> {
  const workbook = new exceljs.Workbook();
  const sheet = workbook.addWorksheet('Orders');
  sheet.addRows(TABLE);
  comment(sheet);
  const path = join(folder, 'orders.xlsx');
  await workbook.xlsx.writeFile(path, { zip: { compression: 'STORE' } });
  await using reading = await readOrderFile(path, 'orders.xlsx', OPTIONS);
  return await told(reading);
}

function notesOn(comment: (sheet: exceljs.Worksheet) => void): Promise<readonly string[]> {
  return readingOf(comment, ({ notes }) => notes.map(({ text }) => text));
}

describe('readOrderFile', () => {
  test('quotes the comments on cells in a note', async () => {
    const notes = await notesOn((sheet) => {
      sheet.getCell('E2').note = 'call first,\nshe works nights';
    });
    expect(notes.join()).toContain('E2 "call first, she works nights"');
  });

  test('counts the comments that it does not quote', async () => {
    const notes = await notesOn((sheet) => {
      for (const letter of 'ABCDEFG') sheet.getCell(`${letter}2`).note = `about ${letter}`;
    });
    expect(notes.join()).toMatch(/E2 "about E" and 2 more/);
  });

  test('rejects a row whose comment says not to order it', async () => {
    const [row] = await readingOf(
      (sheet) => {
        sheet.getCell('E2').note = 'DO NOT ORDER - sold per agent 11/20';
      },
      (reading) => collected(reading.rows()),
    );
    const problems = row?.kind === 'rejection' ? row.problems : [];
    expect(problems.find(({ rule }) => rule === 'row-withdrawn')?.message).toMatch(/^Row 2 .* E2 .*"DO/);
  });

  test('has no note on comments if there are none', async () => {
    expect((await notesOn(() => {})).join()).not.toContain('comment');
  });
});

describe('readOrders', () => {
  const sheets = { Orders: TABLE, 'Old ones': TABLE };

  test('reads no sheet that intake.skipSheets names', async () => {
    const reading = await readSource(inMemorySource(sheets), 'a.xlsx', { ...OPTIONS, skipSheets: ['old ones'] });
    expect(reading.layouts.map(({ sheet }) => sheet)).toEqual(['Orders']);
  });

  test('counts the rows of a sheet that intake.skipSheets names', async () => {
    const reading = await readSource(inMemorySource(sheets), 'a.xlsx', { ...OPTIONS, skipSheets: ['Old ones'] });
    await collected(reading.rows());
    expect(reading.notes.map(({ text }) => text).join()).toMatch(/"Old ones" \(2 rows\).*intake\.skipSheets/);
  });

  test('reads every sheet without intake.skipSheets', async () => {
    const reading = await readSource(inMemorySource(sheets), 'a.xlsx', OPTIONS);
    expect(reading.layouts).toHaveLength(2);
  });
});
