import { expect, test } from 'vitest';
import type { NewRow } from '../../../src/ledger/rows.ts';
import { type FileComparison, type HoldLimits, reasonsToHold, RowCount } from '../../../src/submit/hold.ts';
import { newRow } from '../../support/order-factory.ts';

const OFF: HoldLimits = {
  maxWrongPercent: null,
  maxDuplicatePercent: null,
  maxTimesUsualRows: null,
};
const FIRST: FileComparison = { kind: 'orders', usualRows: null };

function rowsOf(kinds: {
  good?: number;
  wrong?: number;
  repeat?: number;
  refusedRepeat?: number;
  withdrawn?: number;
}): RowCount {
  const count = new RowCount();
  const problem = (rule: string, severity: 'error' | 'warning') =>
    ({ rule, severity, field: null, column: null, cell: null, value: '', message: `because of ${rule}` }) as const;
  const add = (times: number | undefined, row: Partial<NewRow>): void => {
    for (let index = 0; index < (times ?? 0); index += 1) count.add(newRow(row));
  };
  add(kinds.good, { outcome: 'order', problems: [] });
  add(kinds.wrong, { problems: [problem('zipcode-format', 'error')] });
  add(kinds.repeat, { outcome: 'repeat', problems: [problem('repeat', 'warning')] });
  add(kinds.withdrawn, { problems: [problem('row-withdrawn', 'error')] });
  add(kinds.refusedRepeat, { problems: [problem('duplicate', 'error')] });
  return count;
}

const limitsBroken = (limits: Partial<HoldLimits>, count: RowCount, comparison = FIRST): readonly string[] =>
  reasonsToHold({ ...OFF, ...limits }, count, comparison).map(({ limit }) => limit);

test('holds nothing without a limit, however bad', () => {
  expect(
    limitsBroken({}, rowsOf({ wrong: 100, repeat: 100 }), {
      ...FIRST,
      usualRows: 1,
    }),
  ).toEqual([]);
});

test('allows the exact limit, and counts rejected repeats as repeats', () => {
  const count = rowsOf({ good: 6, wrong: 2, refusedRepeat: 1, repeat: 1 });
  expect(limitsBroken({ maxWrongPercent: 20, maxDuplicatePercent: 20 }, count)).toEqual([]);
  expect(limitsBroken({ maxWrongPercent: 19.9, maxDuplicatePercent: 19.9 }, count)).toEqual([
    'maxWrongPercent',
    'maxDuplicatePercent',
  ]);
  const [reason] = reasonsToHold({ ...OFF, maxWrongPercent: 10 }, count, FIRST);
  expect(reason).toEqual({
    limit: 'maxWrongPercent',
    sentence: expect.stringMatching(/^2 of 10 rows .*\(20%\);.* 10%/),
    examples: Array.from({ length: 2 }, () => expect.stringContaining('zipcode-format') as string),
  });
});

test('holds no file for rows that say "not this one"', () => {
  expect(limitsBroken({ maxWrongPercent: 20 }, rowsOf({ withdrawn: 8, good: 2 }))).toEqual([]);
});

test('holds a file for one row only if none is allowed', () => {
  expect(limitsBroken({ maxWrongPercent: 20 }, rowsOf({ wrong: 1, good: 1 }))).toEqual([]);
  expect(limitsBroken({ maxWrongPercent: 0 }, rowsOf({ wrong: 1, good: 99 }))).toEqual(['maxWrongPercent']);
  expect(limitsBroken({ maxWrongPercent: 0, maxDuplicatePercent: 0 }, rowsOf({ good: 3 }))).toEqual([]);
});

test('needs a usual count and five rows to find too many', () => {
  const usual = (usualRows: number | null) => ({ ...FIRST, usualRows });
  const limits = { maxTimesUsualRows: 3 };
  expect(limitsBroken(limits, rowsOf({ good: 1000 }), usual(null))).toEqual([]);
  expect(limitsBroken(limits, rowsOf({ good: 30 }), usual(10))).toEqual([]);
  expect(limitsBroken(limits, rowsOf({ good: 31 }), usual(10))).toEqual(['maxTimesUsualRows']);
  expect(limitsBroken(limits, rowsOf({ good: 4 }), usual(1))).toEqual([]);
});

test('never holds a corrections workbook', () => {
  expect(
    limitsBroken({ maxWrongPercent: 0, maxDuplicatePercent: 0 }, rowsOf({ wrong: 9, repeat: 9 }), {
      ...FIRST,
      kind: null,
    }),
  ).toEqual([]);
});

test('shows at most ten rows for a reason', () => {
  expect(reasonsToHold({ ...OFF, maxWrongPercent: 1 }, rowsOf({ wrong: 500 }), FIRST)[0]?.examples).toHaveLength(10);
});
