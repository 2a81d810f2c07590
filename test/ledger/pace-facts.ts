import { expect } from 'vitest';
import type { LedgerFact } from './ledger-fact.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export const PACE_FACTS: readonly LedgerFact[] = [
  {
    fact: 'keepPaceHint keeps hints for creates and reads apart, by account',
    holds: async ({ ledger, openAgain }) => {
      expect(await ledger.paceHint('create')).toBeNull();
      await ledger.keepPaceHint('create', { ratePerSecond: 4.75, concurrency: null });
      await ledger.keepPaceHint('create', { ratePerSecond: 5.25, concurrency: 6 });
      await ledger.keepPaceHint('read', { ratePerSecond: null, concurrency: null });
      const again = await openAgain();
      expect(await again.paceHint('create')).toEqual({ ratePerSecond: 5.25, concurrency: 6 });
      expect(await again.paceHint('read')).toEqual({ ratePerSecond: null, concurrency: null });
      expect(await (await openAgain('another')).paceHint('create')).toBeNull();
    },
  },
  {
    fact: 'paceHint forgets a hint after a week',
    holds: async ({ ledger, clock }) => {
      await ledger.keepPaceHint('create', { ratePerSecond: 5, concurrency: 6 });
      await clock.advance(7 * DAY_MS - 1);
      expect(await ledger.paceHint('create')).not.toBeNull();
      await clock.advance(1);
      expect(await ledger.paceHint('create')).toBeNull();
    },
  },
];
