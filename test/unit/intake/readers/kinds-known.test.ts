import { expect, test } from 'vitest';
import { readOrderFile } from '../../../../src/intake/read-orders.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collected } from '../../../support/in-memory-source.ts';
import { readBytes } from '../../../support/made-files.ts';

const HEAD = '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy">';

test('refuses a page of results, and converts another page', async () => {
  for (const title of ['Inspection results by night', 'Inspection results, Nov 16, 2026']) {
    const page = `${HEAD}<title>${title}</title><style>a{}</style></head><table><tr><td>1</td></tr></table></html>`;
    await expect(readBytes(Buffer.from(page), 'index.html')).rejects.toMatchObject({ code: 'not-a-spreadsheet' });
  }
  const other = `${HEAD}<title>Orders</title><style>a{}</style></head><table><tr><td>1</td></tr></table></html>`;
  expect((await readBytes(Buffer.from(other), 'orders.html')).notes).toMatchObject([{ code: 'converted' }]);
});

/** The codes of a text file's notes, or what its refusal says. */
async function notesOf(lines: readonly string[]): Promise<readonly string[] | string> {
  const folder = await mkdtemp(join(tmpdir(), 'text-'));
  const path = join(folder, 'report.txt');
  await writeFile(path, lines.join('\r\n'));
  try {
    await using reading = await readOrderFile(path, 'report.txt', { headers: {}, today: '2026-11-01' });
    await collected(reading.rows());
    return reading.notes.map(({ code }) => code);
  } catch (thrown) {
    return String(thrown);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('knows a report of fixed width from a list with tabs', async () => {
  const cells = [
    ['Policy number', 'Named insured', 'Address', 'City', 'State', 'Zip'],
    ['HO-004811', 'Wagner, Nathan', '1142 Pinecrest Dr', 'Tampa', 'FL', '33609'],
    ['HO-004812', 'Abbott, Natalie', '1915 Meadowlark Ln', 'Tampa', 'FL', '33609'],
  ];
  const aligned = cells.map((line) => line.map((cell) => cell.padEnd(22)).join(''));
  expect(await notesOf(aligned)).toContain('fixed width');
  expect(await notesOf(cells.map((line) => line.join('  \t')))).not.toContain('fixed-width');
});
