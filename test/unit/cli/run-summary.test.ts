import { expect, test } from 'vitest';
import type { RunSummary } from '../../../src/night/run.ts';
import { describeRun } from '../../../src/cli/run-command.ts';

const SUMMARY: RunSummary = {
  run: 'r1',
  command: 'run',
  startedAt: '2026-03-05T08:00:00.000Z',
  finishedAt: '2026-03-05T08:01:00.000Z',
  exitCode: 3,
  files: [
    {
      name: 'May.xlsx',
      outcome: 'processed',
      rows: { read: 12, accepted: 10, rejected: 2 },
      corrections: 'corrections/May - to fix.xlsx',
      codes: [],
      reason: null,
    },
    {
      name: 'broken.csv',
      outcome: 'unreadable',
      rows: { read: 0, accepted: 0, rejected: 0 },
      corrections: null,
      codes: ['password-protected'],
      reason: 'Encrypted.',
    },
  ],
  orders: { created: 9, linked: 1, skipped: 0, refused: 0, unresolved: 0, waiting: 0 },
  projects: { outstanding: 10, returned: 0, collected: 0, received: 0, canceled: 0, failed: 0 },
  delivery: {
    folder: 'deliveries/r1',
    workbook: 'deliveries/r1/results.xlsx',
    archive: null,
    report: null,
    orders: 'deliveries/r1/orders.xlsx',
  },
};

test('describeRun lists each file, the orders, and the workbooks to open', () => {
  const text = describeRun(
    SUMMARY,
    [
      {
        name: 'May.xlsx',
        notes: Array.from({ length: 10 }, (_, index) => ({ code: 'text-format', text: `note ${index}` })),
      },
    ],
    ['Away.'],
  );
  const lines = text.split('\n');
  expect(lines.find((line) => line.startsWith('May.xlsx'))).toMatch(
    /processed\s+12\s+10\s+2\s+corrections\/May - to fix\.xlsx$/,
  );
  expect(text).toContain('broken.csv: Encrypted.');
  expect(text).toMatch(/^ {2}May\.xlsx: note 7\n {2}May\.xlsx: 2 more .*status "May\.xlsx"$/m);
  expect(text).toContain('Orders    9 created, 1 linked');
  expect(text).toContain('Projects  10 outstanding');
  expect(lines).toContain('Away.');
  expect(lines.filter((line) => line.startsWith('Wrote'))).toEqual([
    'Wrote     deliveries/r1/results.xlsx',
    'Wrote     deliveries/r1/orders.xlsx',
  ]);
});

test('describeRun shows notes without files', () => {
  const notes = [{ name: 'link.csv', notes: [{ code: 'not-a-file', text: 'ignored' }] }];
  expect(describeRun({ ...SUMMARY, files: [], delivery: null }, notes, [])).toContain('link.csv: ignored');
});

test('describeRun leaves orders out of a collect run with nothing new', () => {
  const text = describeRun({ ...SUMMARY, command: 'collect', files: [], delivery: null }, [], []);
  expect(text).not.toContain('Orders ');
  expect(text).toContain('There is nothing new to deliver.');
  expect(text).not.toMatch(/^\n|\n$/);
});
