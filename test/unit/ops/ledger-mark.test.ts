import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LedgerMark, OpenLedgerMark, readLedgerMark } from '../../../src/ops/ledger-mark.ts';

const MARK: LedgerMark = {
  workspace: 'w',
  generation: 10,
  base: 0,
  closed: null,
  ledger: 'postgres inspection_w',
  accounts: [],
  names: [],
};

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mark-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const generation = async (): Promise<number | undefined> => {
  const mark = await readLedgerMark({ root });
  return mark === null || mark === 'damaged' ? undefined : mark.generation;
};

describe('OpenLedgerMark', () => {
  test("hosts share one mark, and none undoes another's notes", async () => {
    const first = await OpenLedgerMark.open({ root }, MARK);
    const second = await OpenLedgerMark.open({ root }, { ...MARK, generation: 20 });
    first.witness(50);
    expect(await generation()).toBe(50);
    expect(second.witnessed()).toBe(50);
    second.witness(30);
    expect(await generation()).toBe(50);
    second.close(null);
    first.witness(60);
    expect(await generation()).toBe(60);
    first.close(null);
    const third = await OpenLedgerMark.open({ root }, { ...MARK, generation: 40 });
    expect(await generation()).toBe(60);
    third.close(null);
  });
});
