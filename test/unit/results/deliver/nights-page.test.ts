import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DeliveredHouse, DeliveryRecord } from '../../../../src/ledger/deliveries.ts';
import { writeNightsPage } from '../../../../src/results/deliver/nights-page.ts';
import { orderPayload } from '../../../support/order-factory.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const NIGHT: DeliveryRecord = {
  run: 'run-1',
  folder: 'deliveries/run-1',
  publishedAt: Date.UTC(2026, 10, 9, 4, 30),
  contents: { report: 'deliveries/run-1/report.html', workbook: 'deliveries/run-1/results.xlsx', orders: null },
  projects: 3,
  orders: 2,
  night: { newReports: 5, high: 1, decided: 4, overdue: 6 },
};

const HOUSE: DeliveredHouse = {
  projectId: '100123',
  run: 'run-1',
  payload: orderPayload({ insuredName: 'Ann <Lee>', policyNumber: 'HO-1' }),
};

async function pageOf(deliveries: readonly DeliveryRecord[], houses: readonly DeliveredHouse[] = []): Promise<string> {
  await using folder = await temporaryFolder();
  await writeNightsPage(folder.path, {
    deliveriesOnRecord: async () => deliveries,
    deliveredHouses: async (max) => houses.slice(0, max),
  });
  return await readFile(join(folder.path, 'index.html'), 'utf8');
}

const cellsOf = (row: string): readonly string[] =>
  [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) => cell);
const rowsOf = (page: string): readonly string[] => page.match(/<tr[^>]*><td.*?<\/tr>/g) ?? [];

describe('writeNightsPage', () => {
  test('lists each delivery with its counts and links, the newest first', async () => {
    const page = await pageOf([NIGHT, { ...NIGHT, run: 'run-2', projects: null, orders: null, night: null }]);
    expect(rowsOf(page).map(cellsOf)).toEqual([
      ['Nov 9, 2026, 04:30', '', '', '', '', '', '', expect.any(String), 'run-2'],
      [
        'Nov 9, 2026, 04:30',
        '3',
        '2',
        '5',
        '1',
        '4',
        '6',
        '<a href="run-1/report.html">Report</a> · <a href="run-1/results.xlsx">Workbook</a>',
        'run-1',
      ],
    ]);
  });

  test('calls its counts of projects projects', async () => {
    const page = await pageOf([NIGHT]);
    expect([page.includes('data-label="Projects">3<'), page.includes('>Houses<')]).toEqual([true, false]);
  });

  test('links a house to its part of the latest report', async () => {
    const [row = ''] = rowsOf(await pageOf([NIGHT], [HOUSE]));
    expect(cellsOf(row).slice(0, 2)).toEqual(['<a href="run-1/report.html#p100123">100123</a>', 'Ann &lt;Lee&gt;']);
  });

  test('names a house of a removed delivery without a link', async () => {
    const [row = ''] = rowsOf(await pageOf([], [HOUSE]));
    expect(cellsOf(row)).toEqual(['100123', 'Ann &lt;Lee&gt;', expect.any(String), '555-0100', 'HO-1', '', '']);
  });

  test('fills every place of its template', async () => {
    expect(await pageOf([NIGHT], [HOUSE])).not.toMatch(/\{\{|\}\}/);
  });
});
