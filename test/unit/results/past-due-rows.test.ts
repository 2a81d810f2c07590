import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { NotOrderedRow } from '../../../src/results/model.ts';
import { writeResults } from '../../../src/results/write-results.ts';
import { sampleInput, stream } from '../../support/full-summary.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const row = (changes: Partial<NotOrderedRow>): NotOrderedRow => ({
  file: 'orders.csv',
  sheet: 'orders.csv',
  rowNumber: 2,
  policyNumber: 'P-1',
  inspectionNumber: '',
  insuredName: 'Ann Lee',
  streetAddress: '1 Oak Street',
  kind: 'rejection',
  openSince: 0,
  sender: null,
  corrections: null,
  isNew: false,
  reasons: ['No ZIP.'],
  projectId: null,
  ...changes,
});

/** The day is January 6, 2026. */
async function pageOf(...rows: readonly NotOrderedRow[]): Promise<string> {
  await using folder = await temporaryFolder();
  const html = join(folder.path, 'report.html');
  await writeResults({ html }, sampleInput([], { notOrdered: () => stream(rows) }));
  return (await readFile(html, 'utf8')).replaceAll(/<[^>]*>/g, ' ').replaceAll(/ +/g, ' ');
}

describe('writeResults', () => {
  test('counts rows past due by agent and marks their dates', async () => {
    const page = await pageOf(
      row({ dueDate: '2026-01-05', agentName: 'Broussard', agentPhone: '555-0140', insuredPhone: '555-0150' }),
      row({ dueDate: '2026-01-06' }),
    );
    for (const words of ['1 not ordered, past due', 'Broussard 1', 'Jan 5, 2026, past due', '555-0140', '555-0150'])
      expect(page).toContain(words);
    expect(page).toMatch(/Jan 6, 2026(?!, past due)/);
  });

  test('names what another row ordered for the house, which is not past due', async () => {
    const orderedElsewhere = { projectId: '100155', serviceName: 'Roof Only' };
    const page = await pageOf(row({ dueDate: '2026-01-05', agentName: 'Broussard', orderedElsewhere }));
    expect(page).toContain('project 100155 (Roof Only)');
    expect(page).toMatch(/0 not ordered/);
  });

  test('lists rows past due before the others', async () => {
    const page = await pageOf(
      row({ streetAddress: '1 Later Lane', dueDate: '2026-02-01' }),
      row({ streetAddress: '2 Past Place', dueDate: '2026-01-05' }),
      row({ streetAddress: '3 Undated Way' }),
    );
    const places = ['2 Past', '1 Later', '3 Undated'].map((street) => page.indexOf(street));
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test.each<[string, Partial<NotOrderedRow>]>([
    ['a duplicate', { dueDate: '2026-01-05', kind: 'duplicate' }],
    ['an abandoned order', { dueDate: '2026-01-05', kind: 'given up' }],
    ['a due date that is none', { dueDate: '1/5/2020' }],
    ['a row without a due date', {}],
  ])('counts no row past due for %s', async (_what, changes) => {
    const page = await pageOf(row({ agentName: 'Broussard', ...changes }));
    expect(page).toMatch(/0 not ordered/);
    expect(page).not.toMatch(/\d, past due|past due, by/);
  });
});
