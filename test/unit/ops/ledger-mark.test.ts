import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  fingerprintOf,
  LEDGER_MARK,
  type LedgerMark,
  OpenLedgerMark,
  readLedgerMark,
  withAccount,
} from '../../../src/ops/ledger-mark.ts';

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

  test('a lower generation is not noted', async () => {
    const mark = await OpenLedgerMark.open({ root }, { ...MARK, ledger: 'sqlite' });
    mark.witness(9);
    expect([mark.witnessed(), await generation()]).toEqual([10, 10]);
    mark.close(null);
  });

  test('a closed mark records nothing more', async () => {
    const mark = await OpenLedgerMark.open({ root }, { ...MARK, ledger: 'sqlite' });
    mark.close('closed whole');
    mark.witness(50);
    expect(await readLedgerMark({ root })).toMatchObject({ generation: 10, closed: 'closed whole' });
  });
});

describe('readLedgerMark', () => {
  test('is null without a mark', async () => {
    expect(await readLedgerMark({ root })).toBeNull();
  });

  test('is damaged if the mark is half written', async () => {
    await writeFile(join(root, LEDGER_MARK), '{"workspace":"w",');
    expect(await readLedgerMark({ root })).toBe('damaged');
  });
});

describe('withAccount', () => {
  test('keeps the accounts if the last one is used again', () => {
    const accounts = [{ account: 'a', since: 1 }];
    expect(withAccount({ accounts, names: [] }, 'a', 5, null)).toEqual({ accounts, names: [] });
  });

  test('adds an account that was used before another one', () => {
    const accounts = ['a', 'b'].map((account) => ({ account, since: 1 }));
    expect(withAccount({ accounts, names: [] }, 'a', 5, null).accounts).toEqual([
      ...accounts,
      { account: 'a', since: 5 },
    ]);
  });

  test('keeps the latest ten accounts', () => {
    const accounts = Array.from({ length: 10 }, (_, since) => ({ account: `a${since}`, since }));
    expect(withAccount({ accounts, names: [] }, 'new', 11, null).accounts.map(({ since }) => since)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 11,
    ]);
  });

  test('moves a name to its new account', () => {
    const names = [{ name: 'n', account: 'a' }];
    expect(withAccount({ accounts: [], names }, 'b', 5, 'n').names).toEqual([{ name: 'n', account: 'b' }]);
  });
});

describe('fingerprintOf', () => {
  test('is null without a ledger, or with a filled -wal file', async () => {
    const path = join(root, 'ledger.sqlite');
    expect(await fingerprintOf(path)).toBeNull();
    await writeFile(path, 'x');
    await writeFile(`${path}-wal`, '');
    expect(await fingerprintOf(path)).toEqual(expect.any(String));
    await writeFile(`${path}-wal`, 'x');
    expect(await fingerprintOf(path)).toBeNull();
  });

  test('differs after a change', async () => {
    const path = join(root, 'ledger.sqlite');
    await writeFile(path, 'x');
    const before = await fingerprintOf(path);
    expect(await fingerprintOf(path)).toBe(before);
    await writeFile(path, 'y');
    expect(await fingerprintOf(path)).not.toBe(before);
  });
});
