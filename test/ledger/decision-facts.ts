import { expect } from 'vitest';
import type { Decision } from '../../src/domain/project.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { recordCreated } from '../support/order-factory.ts';
import type { LedgerFact } from './ledger-fact.ts';

const said = (projectId: string, decision = '', by = '', notes = ''): Decision & { projectId: string } => ({
  projectId,
  decision,
  by,
  notes,
});
const take = (ledger: Ledger, writtenIn: string | null, ...decisions: (Decision & { projectId: string })[]) =>
  ledger.recordDecisions({ file: 'results.xlsx', writtenIn, decisions });

export const DECISION_FACTS: readonly LedgerFact[] = [
  {
    fact: 'recordDecisions keeps the latest decision, and ignores empty cells',
    holds: async ({ ledger, openAgain }) => {
      await recordCreated(ledger, '7');
      await ledger.startRun('2026-01-02T02-00-00Z', 'run');
      expect(await take(ledger, null, said('7', 'Refer', 'Ann', 'roof'), said('8', 'Accept'))).toMatchObject({
        taken: 1,
        unknown: ['8'],
      });
      expect(await take(ledger, null, said('7', '', '', ''))).toMatchObject({ taken: 0, unknown: [] });
      expect(await take(ledger, null, said('7', 'Non-renew'))).toMatchObject({ taken: 1, unknown: [] });
      expect((await (await openAgain()).decisionsOn(['7'])).get('7')).toEqual({
        decision: 'Non-renew',
        by: 'Ann',
        notes: 'roof',
      });
      expect((await (await openAgain('another')).decisionsOn(['7'])).size).toBe(0);
      await take(ledger, null, said('7', '(clear)', '(Clear)', '(clear)'));
      expect((await ledger.decisionsOn(['7'])).has('7')).toBe(false);
    },
  },
  {
    fact: 'recordDecisions takes a repeated decision with a new note as a note',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '7');
      await ledger.startRun('2026-01-02T02-00-00Z', 'run');
      await take(ledger, null, said('7', 'Decline', 'Ann', 'vacant'));
      const later = '2026-01-03T02-00-00Z';
      await ledger.startRun(later, 'run');
      const onRecord = async (): Promise<unknown> => (await ledger.decisionsOn(['7'])).get('7');
      await take(ledger, later, said('7', 'Decline', 'Bob', 'asked agent'));
      const noted = { decision: 'Decline', by: 'Ann', notes: 'vacant; Bob: asked agent' };
      expect(await onRecord()).toEqual(noted);
      await take(ledger, later, said('7', 'Decline', 'Bob'));
      expect(await onRecord()).toEqual({ ...noted, by: 'Bob' });
    },
  },
  {
    fact: 'decisionsOnRecord lists decisions, newest first, with the one in force',
    holds: async ({ ledger, clock, openAgain }) => {
      for (const id of ['7', '8']) await recordCreated(ledger, id);
      await ledger.startRun('2026-01-02T02-00-00Z', 'run');
      await take(ledger, null, said('7', 'Refer', 'Ann', 'roof'), said('8', 'Accept'));
      await take(ledger, null, said('7', 'Non-renew', 'Bob'));
      expect(await ledger.decisionsOnRecord()).toMatchObject([
        { projectId: '7', decision: 'Non-renew', by: 'Bob', notes: 'roof', isLatest: true, at: clock.now() },
        { projectId: '8', decision: 'Accept', isLatest: true },
        { projectId: '7', decision: 'Refer', by: 'Ann', isLatest: false, file: 'results.xlsx' },
      ]);
      expect(await (await openAgain('another')).decisionsOnRecord()).toEqual([]);
    },
  },
  {
    fact: 'recordDelivery keeps the reasons at the time of a decision',
    holds: async ({ ledger, clock }) => {
      await recordCreated(ledger, '7');
      const deliver = async (run: string, reasons: readonly string[]): Promise<void> => {
        await ledger.startRun(run, 'run');
        const nothing = { contents: {}, orderIds: [], projectIds: [], results: true };
        const seen = await ledger.newestIds();
        await ledger.recordDelivery({ ...nothing, run, folder: run, seen, reasons: new Map([['7', reasons]]) });
        await clock.advance(1000);
      };
      const reasons = async (): Promise<unknown> => (await ledger.decisionsOnRecord()).map((one) => one.reasons);
      await take(ledger, null, said('7', 'Refer'));
      expect(await reasons()).toEqual([null]);
      await deliver('run-1', ['Vacant']);
      await take(ledger, null, said('7', 'Accept'));
      expect(await reasons()).toEqual([null, ['Vacant']]);
      await deliver('run-2', []);
      expect(await reasons()).toEqual([[], ['Vacant']]);
    },
  },
  {
    fact: 'recordDecisions keeps newer decisions when an old workbook comes late',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '7');
      await ledger.startRun('2026-01-02T02-00-00Z', 'run');
      await take(ledger, null, said('7', 'Refer', 'Ann'));
      await ledger.startRun('2026-01-03T02-00-00Z', 'run');
      await take(ledger, '2026-01-02T02-00-00Z', said('7', 'Non-renew', 'Ann'));
      expect(await take(ledger, '2026-01-02T02-00-00Z', said('7', 'Refer', 'Ann', 'seen'))).toMatchObject({
        taken: 1,
        unknown: [],
      });
      expect((await ledger.decisionsOn(['7'])).get('7')).toEqual({ decision: 'Non-renew', by: 'Ann', notes: 'seen' });
      await take(ledger, '2026-01-03T02-00-00Z', said('7', 'Refer', 'Ann'));
      expect((await ledger.decisionsOn(['7'])).get('7')).toEqual({ decision: 'Refer', by: 'Ann', notes: 'seen' });
    },
  },
  {
    fact: 'recordDecisions takes no decision of an old copy that was replaced',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '7');
      const written = '2026-01-02T02-00-00Z';
      await ledger.startRun('2026-01-03T02-00-00Z', 'run');
      await take(ledger, written, said('7', 'Accept', 'Ann'));
      await ledger.startRun('2026-01-04T02-00-00Z', 'run');
      expect(await take(ledger, written, said('7', 'Non-renew', 'Bob'))).toMatchObject({ taken: 1, replaced: ['7'] });
      await ledger.startRun('2026-01-05T02-00-00Z', 'run');
      expect(await take(ledger, written, said('7', 'Accept', 'Ann'))).toMatchObject({ taken: 0, superseded: ['7'] });
      await take(ledger, written, said('7', '(clear)', '(clear)'));
      await ledger.startRun('2026-01-06T02-00-00Z', 'run');
      await take(ledger, written, said('7', 'Repair', 'Eve'));
      expect(await take(ledger, written, said('7', '(clear)', '(clear)'))).toMatchObject({ superseded: ['7'] });
      expect((await ledger.decisionsOn(['7'])).get('7')?.decision).toBe('Repair');
    },
  },
  {
    fact: 'recordDecisions lets a person return to an earlier decision in one copy',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '7');
      for (const [night, decision] of ['Accept', 'Non-renew', 'Accept'].entries()) {
        await ledger.startRun(`2026-01-0${night + 3}T02-00-00Z`, 'run');
        const result = await take(ledger, '2026-01-02T02-00-00Z', said('7', decision, 'Ann'));
        expect(result).toMatchObject({ taken: 1, replaced: [], superseded: [] });
      }
    },
  },
  {
    fact: 'recordDecisions takes a decision again from a newer copy or plain list',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '7');
      await ledger.startRun('2026-01-03T02-00-00Z', 'run');
      await take(ledger, null, said('7', 'Accept', 'Ann'));
      await take(ledger, null, said('7', 'Non-renew', 'Bob'));
      expect(await take(ledger, '2026-01-03T02-00-00Z', said('7', 'Accept', 'Ann'))).toMatchObject({ taken: 1 });
      await take(ledger, null, said('7', 'Non-renew', 'Bob'));
      expect(await take(ledger, null, said('7', 'Accept', 'Ann'))).toMatchObject({ taken: 1, superseded: [] });
    },
  },
];
