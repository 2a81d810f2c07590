import { describe, expect, test } from 'vitest';
import { checkBeforeSending } from '../../../src/upkeep/recover-run.ts';
import { attemptOf, recordOrder } from '../../support/order-factory.ts';
import { clientThat, type LedgerBench, openLedgerBench, submitContext } from '../../support/run-bench.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const QUARANTINE_MS = 60_000;

/** Whether orders may be sent, and how many searches that took. */
async function check(bench: LedgerBench) {
  let searches = 0;
  const client = clientThat({
    searchProjects: async () => {
      searches += 1;
      return { kind: 'ok', value: [] };
    },
  });
  const context = { ...submitContext({ ...bench, client }), quarantineMs: QUARANTINE_MS };
  return { answer: await checkBeforeSending(context), searches };
}

/** A ledger that was recovered, and this long ago. */
async function recovered(lastedMs: number, agoMs: number): Promise<LedgerBench> {
  const bench = await openLedgerBench();
  await bench.ledger.beginRecovery(1);
  await bench.ledger.noteGap({ from: '7' });
  await bench.clock.advance(lastedMs);
  await bench.ledger.endRecovery();
  await bench.clock.advance(agoMs);
  return bench;
}

describe('checkBeforeSending', () => {
  test.each<[string, number, boolean]>([
    ['at thirty days after', 30 * DAY_MS, true],
    ['later than thirty days after', 30 * DAY_MS + 1, false],
  ])('%s the end of a recovery searches: %s', async (_what, agoMs, isSearched) => {
    await using bench = await recovered(DAY_MS, agoMs);
    const { answer, searches } = await check(bench);
    expect([answer, searches > 0]).toEqual([null, isSearched]);
  });

  test('stops a run with orders in doubt until the quarantine is over', async () => {
    await using bench = await recovered(0, 0);
    const id = await recordOrder(bench.ledger);
    await bench.ledger.beginAttempt(id, attemptOf());
    const doubt = { to: 'unresolved', code: 'outcome-unknown', reason: '504', uncertainSince: 0 } as const;
    await bench.ledger.moveOrder(id, 'submitting', doubt);
    expect((await check(bench)).answer).toMatchObject({ stopped: expect.stringContaining(' 60 seconds') });
  });

  test('stops a run without orders silently', async () => {
    await using bench = await recovered(0, QUARANTINE_MS - 1);
    expect(await check(bench)).toEqual({ answer: { stopped: null }, searches: 0 });
  });

  test('counts the quarantine from the beginning of the recovery', async () => {
    await using bench = await recovered(QUARANTINE_MS, 0);
    expect((await check(bench)).answer).toBeNull();
  });

  test('allows sending without a recovery', async () => {
    await using bench = await openLedgerBench();
    expect(await check(bench)).toEqual({ answer: null, searches: 0 });
  });
});
