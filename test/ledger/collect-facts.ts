import { expect } from 'vitest';
import { recordCreated } from '../support/order-factory.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { LedgerFact } from './ledger-fact.ts';

const RETURNED = 'Returned to Client';
const RECEIVED = 'Client Received';
const HOUR = 60 * 60 * 1000;

const followed = async (ledger: Ledger): Promise<readonly string[]> =>
  (await ledger.followedProjects()).map(({ id }) => id);
const see = (ledger: Ledger, status: string, id = '11') => ledger.recordStatuses([{ id, status }]);

export const COLLECT_FACTS: readonly LedgerFact[] = [
  {
    fact: 'follows a received project until its files are collected or not offered',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '11');
      await see(ledger, RECEIVED);
      expect(await followed(ledger)).toEqual(['11']);
      await ledger.recordFetch('11', 'incomplete');
      expect(await followed(ledger)).toEqual(['11']);
      await ledger.recordFetch('11', 'ended');
      expect(await followed(ledger)).toEqual([]);
      await recordCreated(ledger, '12');
      await see(ledger, RECEIVED, '12');
      await ledger.markCollected('12');
      expect(await followed(ledger)).toEqual([]);
    },
  },
  {
    fact: 'markCollected lasts until a new return brings files',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '11', {}, { status: 'Project Created' });
      const collectedAfter = async (status: string): Promise<boolean> => {
        await see(ledger, status);
        return (await ledger.followedProjects())[0]?.collectedAt !== null;
      };
      expect(await collectedAfter(RETURNED)).toBe(false);
      for (const status of ['Project Rework', 'Site Inspected']) {
        await ledger.markCollected('11');
        expect(await collectedAfter(status)).toBe(true);
      }
      expect(await collectedAfter('closed out')).toBe(false);
      await ledger.markCollected('11');
      expect(await collectedAfter('Waiting for Weather')).toBe(true);
      expect(await collectedAfter('Project Rework')).toBe(true);
      expect(await collectedAfter(RECEIVED)).toBe(false);
      await see(ledger, RETURNED);
      await ledger.markCollected('11');
      await see(ledger, RECEIVED);
      expect(await followed(ledger)).toEqual([]);
    },
  },
  {
    fact: 'recordFetch counts nights half a day apart, anew for each status',
    holds: async ({ ledger, clock }) => {
      await recordCreated(ledger, '11');
      await see(ledger, RETURNED);
      const nights: number[] = [];
      for (const hours of [0, 1, 10, 2, 24, 24]) {
        await clock.advance(hours * HOUR);
        nights.push((await ledger.recordFetch('11', 'nothing-offered')).nights);
      }
      expect(nights).toEqual([1, 1, 1, 2, 3, 4]);
      expect((await ledger.followedProjects())[0]?.fetch).toMatchObject({ outcome: 'nothing-offered', nights: 4 });
      await clock.advance(HOUR);
      await see(ledger, 'Project Rework');
      expect((await ledger.followedProjects())[0]?.fetch).toBeNull();
      await see(ledger, RETURNED);
      expect((await ledger.recordFetch('11', 'incomplete')).nights).toBe(1);
    },
  },
  {
    fact: 'recordFetch counts missing files from the night they were first missed',
    holds: async ({ ledger, clock }) => {
      await recordCreated(ledger, '11');
      for (const outcome of ['nothing-offered', 'nothing-offered', 'incomplete', 'incomplete'] as const) {
        await clock.advance(24 * HOUR);
        await ledger.recordFetch('11', outcome);
      }
      expect((await ledger.followedProjects())[0]?.fetch).toMatchObject({ outcome: 'incomplete', nights: 2 });
    },
  },
  {
    fact: 'giveUpProject stops following a project until followAgain',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '11');
      expect(await ledger.giveUpProject('11', 'nobody wants it')).toBe(true);
      expect(await ledger.giveUpProject('11', 'again')).toBe(false);
      expect([await followed(ledger), (await ledger.projectCounts()).failed]).toEqual([[], 1]);
      expect(await ledger.followAgain('11')).toBe(true);
      expect(await ledger.followAgain('11')).toBe(false);
      expect([await followed(ledger), (await ledger.projectCounts()).failed]).toEqual([['11'], 0]);
      await see(ledger, 'Project Canceled');
      expect(await ledger.giveUpProject('11', 'too late')).toBe(false);
    },
  },
  {
    fact: 'usualDurations learns from ended stays and the returns after them',
    holds: async ({ ledger, clock }) => {
      for (const [index, hours] of [1, 2, 50].entries()) {
        const id = String(20 + index);
        await recordCreated(ledger, id, {}, { status: 'not yet known' });
        await see(ledger, 'Project Created', id);
        await clock.advance(hours * HOUR);
        await see(ledger, 'Site Inspected', id);
        await clock.advance(3 * HOUR);
        if (index > 0) await see(ledger, RETURNED, id);
      }
      expect(await ledger.usualDurations()).toEqual([
        { status: 'Project Created', stays: 3, stayMs: 2 * HOUR, returns: 2, toReturnMs: 53 * HOUR },
        { status: 'Site Inspected', stays: 2, stayMs: 3 * HOUR, returns: 2, toReturnMs: 3 * HOUR },
      ]);
    },
  },
  {
    fact: 'recordStatuses clears a 404 at any status, other problems at another',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '11', {}, { status: 'Site Inspected' });
      await ledger.markCollectionProblem('11', { code: 'project-not-known', text: 'Not known (404).' });
      expect(await see(ledger, 'Site Inspected')).toEqual([]);
      expect((await ledger.followedProjects())[0]?.problem).toBeNull();
      await ledger.markCollectionProblem('11', { code: 'fetch-failed', text: 'something else', lacking: ['image I1'] });
      await see(ledger, 'Site Inspected');
      expect((await ledger.followedProjects())[0]?.problem).toBe('something else');
      await see(ledger, 'Image Uploaded');
      expect((await ledger.followedProjects())[0]).toMatchObject({ problem: null, problemCode: null, lacking: [] });
    },
  },
  {
    fact: 'markCollectionProblem reports a project unknown to the service once',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '11', {}, { status: 'Site Inspected' });
      const unknown = { code: 'project-not-known', text: 'Not known (404).' } as const;
      const openNews = async () => (await ledger.openNews()).map(({ kind, subject }) => [kind, subject]);
      await ledger.markCollectionProblem('11', unknown);
      expect(await openNews()).toEqual([['project-not-known', '11']]);
      await ledger.markReported((await ledger.openNews()).map(({ id }) => id));
      await ledger.markCollectionProblem('11', unknown);
      expect(await openNews()).toEqual([]);
    },
  },
  {
    fact: 'watchedProjects includes every received project that misses a file',
    holds: async ({ ledger }) => {
      // However many files another project misses.
      for (const [id, files] of [
        ['10', 0],
        ['20', 600],
        ['30', 1],
        ['40', 0],
      ] as const) {
        await recordCreated(ledger, id);
        if (files === 0) continue;
        await see(ledger, RECEIVED, id);
        for (let image = 0; image < files; image += 1) {
          await ledger.recordArtifact({
            projectId: id,
            kind: 'image',
            serviceId: `I${image}`,
            version: 1,
            type: '',
            detail: {},
            path: `${id}/${image}`,
            bytes: 3,
            sha256: 'dd',
          });
        }
        await ledger.markCollected(id);
        for (const file of await ledger.filesOf(id)) await ledger.recordOnDisk(file, 'is missing');
        await ledger.markCollectionProblem(id, { code: 'files-incomplete', text: 'Files are missing.' });
      }
      expect(await Array.fromAsync(ledger.watchedProjects(), ({ project }) => project.id)).toEqual([
        '10',
        '20',
        '30',
        '40',
      ]);
    },
  },
  {
    fact: 'recordDelivery of results clears ended projects but keeps open closeouts',
    holds: async ({ ledger, clock }) => {
      const orderId = await recordCreated(ledger, '11', { streetAddress: '7 Elm Street', dueDate: '2026-04-01' });
      await recordCreated(ledger, '12');
      await recordCreated(ledger, '13');
      await see(ledger, RETURNED);
      await ledger.recordStatuses([{ id: '12', status: 'Project Canceled' }]);
      await ledger.recordCloseout('11', ['Pilot was denied on location.']);
      const closeout = {
        projectId: '11',
        order: { streetAddress: '7 Elm Street' },
        reasons: ['Pilot was denied on location.'],
        at: clock.now(),
      };
      const ended = [
        { ...closeout, kind: 'closed out' },
        { kind: 'canceled', projectId: '12', reasons: [] },
      ].toReversed();
      expect([await ledger.closeouts(), await ledger.endedProjects()]).toMatchObject([[closeout], ended]);
      expect(await Array.fromAsync(ledger.watchedProjects())).toMatchObject([
        {
          orderId,
          order: { streetAddress: '7 Elm Street', dueDate: '2026-04-01' },
          project: { id: '11', fetch: null },
        },
        { project: { id: '13' } },
      ]);
      expect(await Array.fromAsync(ledger.watchedProjects(['13', '99']))).toMatchObject([{ project: { id: '13' } }]);
      await ledger.startRun('run-1', 'collect');
      const delivery = {
        run: 'run-1',
        folder: 'deliveries/run-1',
        contents: {},
        orderIds: [],
        projectIds: ['11'],
        seen: await ledger.newestIds(),
      };
      await ledger.recordDelivery({ ...delivery, results: false });
      expect(await ledger.endedProjects()).toHaveLength(2);
      await ledger.recordDelivery({ ...delivery, run: 'run-2', results: true });
      expect([await ledger.closeouts(), await ledger.endedProjects()]).toMatchObject([[closeout], []]);
      await ledger.recordCloseout('11', null);
      expect(await ledger.closeouts()).toEqual([]);
    },
  },
];
