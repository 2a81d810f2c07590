import { describe, expect, test } from 'vitest';
import { newRunId } from '../../../src/ops/system.ts';

const at = (iso: string) => ({ now: () => Date.parse(iso) });

describe('newRunId', () => {
  test('newRunId is the start in UTC and eight hex digits', () => {
    expect(newRunId(at('2026-11-21T02:00:00.999Z'), () => 0x4f2a91c0 / 0x1_0000_0000)).toBe(
      '2026-11-21T020000Z-4f2a91c0',
    );
    expect(newRunId(at('2026-11-21T02:00:00Z'), () => 0)).toBe('2026-11-21T020000Z-00000000');
    expect(newRunId(at('2026-11-21T02:00:00Z'), () => 1 - Number.EPSILON)).toBe('2026-11-21T020000Z-ffffffff');
  });

  test('a later run sorts after an earlier one', () => {
    const ids = ['2026-09-30T23:59:59Z', '2026-10-01T00:00:00Z', '2027-01-01T00:00:00Z'].map((iso) =>
      newRunId(at(iso), () => 0.5),
    );
    expect(ids.toSorted()).toEqual(ids);
  });
});
