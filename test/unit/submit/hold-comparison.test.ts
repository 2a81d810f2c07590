import { describe, expect, test } from 'vitest';
import type { SheetLayout } from '../../../src/domain/row.ts';
import {
  approveCommandLine,
  compareWithEarlier,
  type HoldLimits,
  reasonsToHold,
  RowCount,
  settingsFor,
} from '../../../src/submit/hold.ts';
import { newRow } from '../../support/order-factory.ts';

const LAYOUT: SheetLayout = {
  sheet: 'Orders',
  headerRow: 1,
  columns: [
    { index: 0, header: 'Policy', field: 'policyNumber' },
    { index: 1, header: 'City', field: 'city' },
  ],
};
const FILE = { name: 'orders.csv', sender: 'smith' };

const after = (...rows: readonly number[]) => ({
  filesLike: () => Promise.resolve(rows.map((count) => ({ kind: 'orders', name: 'orders.csv', rows: count }))),
});

describe('compareWithEarlier', () => {
  test('compares a corrections workbook with nothing', async () => {
    const layouts = [LAYOUT, { ...LAYOUT, keyColumn: 2 }];
    expect(await compareWithEarlier(FILE, layouts, after(9))).toEqual({
      kind: null,
      usualRows: null,
    });
  });

  test('finds nothing usual for a first file', async () => {
    expect(await compareWithEarlier(FILE, [LAYOUT], after())).toMatchObject({
      usualRows: null,
    });
  });

  test('takes the median of the rows of earlier files', async () => {
    const { usualRows } = await compareWithEarlier(FILE, [LAYOUT], after(200, 9, 30));
    expect(usualRows).toBe(30);
  });

  test('leaves empty files out of the median', async () => {
    const { usualRows } = await compareWithEarlier(FILE, [LAYOUT], after(0, 0, 0, 40));
    expect(usualRows).toBe(40);
  });
});

const problem = (rule: string, severity: 'error' | 'warning', message: string) =>
  ({ rule, severity, field: null, column: null, cell: null, value: '', message }) as const;

describe('RowCount', () => {
  test('counts a rejection with a repeated key as a duplicate', () => {
    const count = new RowCount();
    count.add(newRow({ outcome: 'rejection', problems: [problem('repeat-canceled', 'error', 'canceled')] }));
    expect(count).toMatchObject({ rows: 1, wrong: 0, duplicate: 1, repeats: 0 });
  });

  test('counts a repeat as tied to an order', () => {
    const count = new RowCount();
    count.add(newRow({ outcome: 'repeat', problems: [problem('repeat', 'warning', 'ordered')] }));
    expect(count).toMatchObject({
      rows: 1,
      duplicate: 1,
      repeats: 1,
      duplicateExamples: [expect.stringContaining('ordered')],
    });
  });

  test('counts an order with a warning as neither wrong nor duplicate', () => {
    const count = new RowCount();
    count.add(newRow({ outcome: 'order', problems: [problem('zipcode-format', 'warning', 'odd')] }));
    expect(count).toMatchObject({ rows: 1, wrong: 0, duplicate: 0, repeats: 0 });
  });

  test('shows the error of a wrong row, not its warning', () => {
    const count = new RowCount();
    const problems = [problem('city', 'warning', 'odd'), problem('zipcode-format', 'error', 'no zip')];
    count.add(newRow({ outcome: 'rejection', problems }));
    expect(count.wrongExamples).toEqual([expect.stringMatching(/no zip$/)]);
  });

  test('shows a row without a stated problem by its place', () => {
    const count = new RowCount();
    count.add(newRow({ outcome: 'rejection', problems: [] }));
    expect(count.wrongExamples).toEqual(['Orders row 2: ']);
  });
});

describe('reasonsToHold', () => {
  const OFF: HoldLimits = {
    maxWrongPercent: null,
    maxDuplicatePercent: null,
    maxTimesUsualRows: null,
  };
  const counted = (rows: number): RowCount => Object.assign(new RowCount(), { rows });

  test('holds a file of five rows that usually has one', () => {
    const comparison = { kind: 'orders', usualRows: 1 };
    expect(reasonsToHold({ ...OFF, maxTimesUsualRows: 3 }, counted(5), comparison)).toMatchObject([
      { limit: 'maxTimesUsualRows', examples: [] },
    ]);
  });

  test('says "1 row is" of a single row', () => {
    const count = Object.assign(new RowCount(), { rows: 4, wrong: 1 });
    const [reason] = reasonsToHold({ ...OFF, maxWrongPercent: 0 }, count, { kind: 'a', usualRows: null });
    expect(reason?.sentence).toMatch(/^1 of 4 rows is wrong \(25%\)/);
  });
});

describe('approveCommandLine', () => {
  test.each([
    ['/srv/inspections', '/srv/inspections'],
    ['/srv/two words', "'/srv/two words'"],
    ["/srv/Ann's", "'/srv/Ann'\\''s'"],
    ['$HOME/x', "'$HOME/x'"],
    ['/srv/x;', "'/srv/x;'"],
  ])('quotes the workspace %s for a shell if need be', (workspace, word) => {
    expect(approveCommandLine('held/a.csv', workspace)).toBe(
      `inspection-batch approve "held/a.csv" --workspace ${word}`,
    );
  });
});

describe('settingsFor', () => {
  const hold: HoldLimits = {
    maxWrongPercent: 20,
    maxDuplicatePercent: null,
    maxTimesUsualRows: null,
  };
  const own = { headers: new Map(), values: new Map(), dateOrder: undefined, hold: { maxWrongPercent: undefined } };
  const settings = {
    headers: {},
    values: {},
    dateOrder: 'auto' as const,
    unreadableOptional: 'warn' as const,
    hold,
    senders: new Map([
      ['_', own],
      ['smith', own],
    ]),
  };

  test('keeps a general limit that a sender leaves open', () => {
    expect(settingsFor(settings as never, 'smith').hold).toEqual(hold);
  });
});
