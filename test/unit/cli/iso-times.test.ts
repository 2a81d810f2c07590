import { expect, test } from 'vitest';
import { inIsoTimes } from '../../../src/cli/terminal.ts';

const AT = Date.UTC(2026, 10, 2, 7);
const ISO = '2026-11-02T07:00:00.000Z';

test('a record tells its times in ISO 8601, however deep they stand; what is no time stays', () => {
  const record = { id: 7, createdAt: AT, uncertainSince: null, steps: [{ at: AT, detail: { rows: [1, 2] } }], night: { since: AT }, lastedMs: 90_000_000, format: 5, what: 'at' };
  expect(inIsoTimes(record)).toEqual({ ...record, createdAt: ISO, steps: [{ at: ISO, detail: { rows: [1, 2] } }], night: { since: ISO } });
});
