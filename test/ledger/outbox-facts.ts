import { expect } from 'vitest';
import { VIRTUAL_START_MS } from '../support/virtual-clock.ts';
import type { LedgerFact } from './ledger-fact.ts';

export const OUTBOX_FACTS: readonly LedgerFact[] = [
  {
    fact: 'keeps an entry until it ends, and never adds it again',
    holds: async ({ ledger, clock }) => {
      const facts = { run: 'r-1', lines: ['März “away”'] };
      await ledger.addToOutbox([
        { channel: 'engineers', about: 'run r-1', facts },
        { channel: 'webhook', about: 'run r-1', facts: {} },
      ]);
      await clock.advance(1000);
      await ledger.addToOutbox([{ channel: 'engineers', about: 'run r-1', facts: {} }]);
      const [first, second, ...none] = await ledger.unsentEntries();
      expect([first, second?.channel, none]).toEqual([
        { id: first?.id, channel: 'engineers', about: 'run r-1', facts, at: VIRTUAL_START_MS },
        'webhook',
        [],
      ]);
      await ledger.endEntries([first?.id ?? -1]);
      await ledger.addToOutbox([{ channel: 'engineers', about: 'run r-1', facts }]);
      expect((await ledger.unsentEntries()).map(({ channel }) => channel)).toEqual(['webhook']);
    },
  },
  {
    fact: 'keeps outboxes and arrivals apart by account',
    holds: async ({ ledger, clock, openAgain }) => {
      const other = await openAgain('another account');
      await ledger.addToOutbox([{ channel: 'analysts', about: 'news 1', facts: {} }]);
      const [entry] = await ledger.unsentEntries();
      await other.endEntries([entry?.id ?? -1]);
      expect([(await ledger.unsentEntries()).length, (await other.unsentEntries()).length]).toEqual([1, 0]);
      const file = { layouts: [], notes: [] };
      await ledger.recordFile({ ...file, hash: 'aa', name: 'smith/a.csv', sender: 'smith', kind: 'a' }, async () => {});
      await ledger.recordFile({ ...file, hash: 'bb', name: 'smith/a - to fix.xlsx', sender: 'smith' }, async () => {});
      await ledger.recordFile({ ...file, hash: 'cc', name: 'b.csv', kind: 'b' }, async () => {});
      expect(await ledger.arrivalsSince(clock.now())).toEqual([{ sender: 'smith', at: VIRTUAL_START_MS }]);
      expect([await ledger.arrivalsSince(clock.now() + 1), await other.arrivalsSince(0)]).toEqual([[], []]);
    },
  },
];
