import { describe, expect, test } from 'vitest';
import { inspectionFrom } from '../../../src/ledger/accounts.ts';
import type { LedgerInspection } from '../../../src/ledger/accounts.ts';
import { chooseAccount, isDeclaredAlias, isLatestName } from '../../../src/upkeep/whose-records.ts';

const ANN = { key: 'ann', address: 'https://service.example', clientId: 'c', username: 'ann' };
const BOB = { ...ANN, key: 'bob', username: 'bob' };
const name = (key: string, account: string, since: number) => ({ ...ANN, key, account, since });

type Ledger = Extract<LedgerInspection, { kind: 'there' }>;

function ledgerWith(...names: readonly ReturnType<typeof name>[]): Ledger {
  const account = names.at(-1)?.account ?? null;
  const held = { account, names, used: [], hasRecords: true };
  return { kind: 'there', isUsed: true, lineage: null, recovering: [], ...held };
}

describe('inspectionFrom', () => {
  test('takes the account that was named last, not the newest order’s', () => {
    const named = [{ ...ANN, client_id: 'c', account: 'named', since: 1 }];
    expect(inspectionFrom([[{ account: 'used' }], [{ account: 'ordered' }], [], [], named]).account).toBe('named');
  });

  test('takes the newest order’s account without names', () => {
    expect(inspectionFrom([[{ account: 'used' }], [{ account: 'ordered' }], [], []]).account).toBe('ordered');
  });

  test('takes the latest run’s account without orders', () => {
    expect(inspectionFrom([[{ account: 'later' }, { account: 'earlier' }], [], [], []]).account).toBe('later');
  });
});

describe('chooseAccount', () => {
  test('knows an account by another of its names', () => {
    const look = ledgerWith(name('ann', 'an account', 1), name('bob', 'an account', 2));
    expect(chooseAccount(look, null, ANN, false)).toMatchObject({ account: 'an account', question: null });
  });

  test('asks about an account that is not the workspace’s', () => {
    const found = chooseAccount(ledgerWith(name('ann', 'an account', 1)), null, BOB, false);
    expect(found).toMatchObject({ own: 'an account', question: { kind: 'another-account' } });
  });

  test('asks nothing in a workspace without records', () => {
    const look = { ...ledgerWith(name('ann', 'an account', 1)), hasRecords: false };
    expect(chooseAccount(look, null, BOB, false).question).toBeNull();
  });

  test('names in its question what changed since the account’s latest name', () => {
    const earlier = { ...name('old', 'an account', 1), clientId: 'earlier' };
    const found = chooseAccount(ledgerWith(earlier, name('ann', 'an account', 2)), null, BOB, false);
    expect(found.question?.message).toMatch(/user name/);
    expect(found.question?.message).not.toMatch(/client id/);
  });
});

describe('isLatestName', () => {
  test.each([
    [ANN, 'an account', true],
    [BOB, 'an account', false],
    [ANN, 'another', false],
  ])('of %o for %s is %s', (account, of, expected) => {
    const look = ledgerWith(name('old', 'another', 1), name('ann', 'an account', 2));
    expect(isLatestName(look, account, of)).toBe(expected);
  });
});

describe('isDeclaredAlias', () => {
  test.each([
    [ANN, false],
    [BOB, true],
  ])('of %o is %s', (account, expected) => {
    expect(isDeclaredAlias(ledgerWith(name('ann', 'ann', 1), name('bob', 'ann', 2)), account)).toBe(expected);
  });
});
