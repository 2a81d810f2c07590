import { expect, test } from 'vitest';
import { RowLines } from '../../../src/cli/check-report.ts';
import { SCRATCH_IDS_FROM } from '../../../src/ledger/driver.ts';
import type { OrderLookup } from '../../../src/ledger/lookups.ts';
import type { NewRow } from '../../../src/ledger/rows.ts';
import type { OrderingRules } from '../../../src/submit/row-decision.ts';

function lines(remarks: readonly (readonly [row: number, cell: string | null, message: string])[]): RowLines {
  const found = new RowLines();
  for (const [rowNumber, cell, message] of remarks) {
    const problem = {
      severity: 'error',
      rule: 'value-not-listed',
      field: null,
      column: null,
      cell,
      value: '',
      message,
    };
    const row = {
      record: { place: { file: 'a.csv', sheet: 'a.csv', rowNumber } },
      outcome: 'rejection',
      orderId: null,
    };
    found.add({ ...row, problems: [problem] } as unknown as NewRow, null, {} as OrderingRules, {} as OrderLookup);
  }
  return found;
}

test('RowLines keeps the cell in the line of a single row', () => {
  expect(lines([[2, 'D2', 'Service (D2): wrong.']]).texts()).toEqual(['  a.csv D2  error: Service (D2): wrong.']);
});

test('RowLines puts equal remarks into one line with the first rows', () => {
  const rows = Array.from({ length: 7 }, (_, at) => at + 2);
  const equal = rows.map((row) => [row, `D${row}`, `Service (D${row}): wrong.`] as const);
  const other = [9, null, 'Wrong.'] as const;
  expect(lines([...equal, other]).texts()).toEqual([
    '  a.csv D2, D3, D4, D5 and 3 more  error: Service: wrong.',
    '  a.csv row 9  error: Wrong.',
  ]);
});

test('RowLines counts remarks beyond the line limit and extends existing lines', () => {
  const rows = Array.from({ length: 62 }, (_, at) => [at + 2, null, `Remark ${at}.`] as const);
  const found = lines([...rows, [99, null, 'Remark 0.']]);
  expect([found.texts().length, found.omitted, found.texts()[0]]).toEqual([
    60,
    2,
    '  a.csv row 2, row 99  error: Remark 0.',
  ]);
});

test('RowLines counts repeats on record and those of tonight separately', () => {
  const found = new RowLines();
  const row = { record: { place: { file: 'a.csv', sheet: 'a.csv', rowNumber: 2 } }, outcome: 'repeat', problems: [] };
  for (const orderId of [7, SCRATCH_IDS_FROM, SCRATCH_IDS_FROM + 1])
    found.add({ ...row, orderId } as unknown as NewRow, null, {} as OrderingRules, {} as OrderLookup);
  expect(found).toMatchObject({ repeats: 1, comeTwice: 2 });
});

test('RowLines joins the missing columns of a row', () => {
  const problems = ['City: missing.', 'State: missing.'].map((message) => {
    return { severity: 'error', rule: 'required-column-missing', field: 'city', cell: null, message };
  });
  const found = new RowLines();
  const record = { place: { file: 'a.csv', sheet: 'a.csv', rowNumber: 2 } };
  const row = { record, outcome: 'rejection', orderId: null };
  const add = (some: readonly object[]): void =>
    found.add({ ...row, problems: some } as unknown as NewRow, null, {} as OrderingRules, {} as OrderLookup);
  add(problems);
  add(problems.slice(1));
  expect(found.texts()).toEqual([expect.stringContaining('columns'), expect.stringContaining('State: missing.')]);
});
