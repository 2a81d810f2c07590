import { describe, expect, test } from 'vitest';
import type { SheetLayout } from '../../../src/domain/row.ts';
import type { EarlierFile } from '../../../src/ledger/files.ts';
import {
  approveCommandLine,
  compareWithEarlier,
  type FileComparison,
  type HoldLimits,
  describeLayoutChanges,
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

function earlierFile(rows: number, layouts: readonly SheetLayout[] = [LAYOUT]): EarlierFile {
  return { kind: 'orders', name: 'orders.csv', recordedAt: 0, rows, layouts };
}

const after = (...earlier: readonly EarlierFile[]) => ({ filesLike: () => Promise.resolve(earlier) });

describe('compareWithEarlier', () => {
  test('compares a corrections workbook with nothing', async () => {
    const layouts = [LAYOUT, { ...LAYOUT, keyColumn: 2 }];
    expect(await compareWithEarlier(FILE, layouts, after(earlierFile(9)))).toEqual({
      kind: null,
      before: null,
      changes: [],
      usualRows: null,
    });
  });

  test('finds nothing usual for a first file', async () => {
    expect(await compareWithEarlier(FILE, [LAYOUT], after())).toMatchObject({
      before: null,
      changes: [],
      usualRows: null,
    });
  });

  test('takes the median of the rows of earlier files', async () => {
    const { usualRows } = await compareWithEarlier(FILE, [LAYOUT], after(...[200, 9, 30].map((n) => earlierFile(n))));
    expect(usualRows).toBe(30);
  });

  test('leaves empty files out of the median', async () => {
    const { usualRows } = await compareWithEarlier(FILE, [LAYOUT], after(...[0, 0, 0, 40].map((n) => earlierFile(n))));
    expect(usualRows).toBe(40);
  });

  test('names a column that is gone', async () => {
    const before = earlierFile(9);
    const { changes } = await compareWithEarlier(
      FILE,
      [{ ...LAYOUT, columns: LAYOUT.columns.slice(0, 1) }],
      after(before),
    );
    expect(changes).toMatchObject([{ kind: 'gone' }]);
  });
});

describe('describeLayoutChanges', () => {
  const changed = (count: number): FileComparison => ({
    kind: 'orders',
    before: earlierFile(9),
    changes: Array.from({ length: count }, (_, index) => ({ kind: 'gone', sentence: `Change ${index + 1}.` })),
    usualRows: null,
  });

  test('is null for a first file, even with a changed layout', () => {
    expect(describeLayoutChanges({ ...changed(1), before: null })).toBeNull();
  });

  test('is null for an unchanged layout', () => {
    expect(describeLayoutChanges(changed(0))).toBeNull();
  });

  test('shows as many changes as requested and counts the rest', () => {
    const words = describeLayoutChanges(changed(5), 2);
    expect(words?.text).toMatch(/Change 1\. Change 2\. And 3 more/);
    expect(words?.text).not.toContain('Change 3');
  });

  test('counts no rest if all changes fit', () => {
    expect(describeLayoutChanges(changed(2), 2)?.text).toMatch(/Change 2\.$/);
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
    changedLayout: false,
    maxTimesUsualRows: null,
  };
  const counted = (rows: number): RowCount => Object.assign(new RowCount(), { rows });

  test('holds a file of five rows that usually has one', () => {
    const comparison = { kind: 'orders', changes: [], usualRows: 1 };
    expect(reasonsToHold({ ...OFF, maxTimesUsualRows: 3 }, counted(5), comparison)).toMatchObject([
      { limit: 'maxTimesUsualRows', examples: [] },
    ]);
  });

  test.each([
    [1, /: 1 difference\.$/],
    [2, /: 2 differences\.$/],
  ])('shows each of %i changed columns', (count, sentence) => {
    const changes = Array.from({ length: count }, (_, index) => ({
      kind: 'gone' as const,
      sentence: `Gone ${index}.`,
    }));
    expect(reasonsToHold({ ...OFF, changedLayout: true }, counted(9), { kind: 'a', changes, usualRows: null })).toEqual(
      [
        {
          limit: 'changedLayout',
          sentence: expect.stringMatching(sentence) as string,
          examples: changes.map((change) => change.sentence),
        },
      ],
    );
  });

  test('says "1 row is" of a single row', () => {
    const count = Object.assign(new RowCount(), { rows: 4, wrong: 1 });
    const [reason] = reasonsToHold({ ...OFF, maxWrongPercent: 0 }, count, { kind: 'a', changes: [], usualRows: null });
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
    changedLayout: false,
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
