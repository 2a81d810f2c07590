import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { attemptOf, projectTie, recordCreated, recordOrder } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

const project = async (ledger: Ledger, id = '11') => (await ledger.storyOfProject(id))?.project;

describe('recordStatuses', () => {
  test('keeps the time of the first return', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    await recordCreated(ledger, '11');
    const returnedAt = clock.now();
    await ledger.recordStatuses([{ id: '11', status: 'Returned to Client' }]);
    await clock.advance(1000);
    await ledger.recordStatuses([{ id: '11', status: 'Client Received' }]);
    expect(await project(ledger)).toMatchObject({ returnedAt, statusAt: returnedAt + 1000 });
  });

  test('takes the last of two statuses of a project', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordCreated(ledger, '11');
    await ledger.recordStatuses([
      { id: '11', status: 'Site Inspected' },
      { id: '11', status: 'Returned to Client' },
    ]);
    expect(await project(ledger)).toMatchObject({ status: 'Returned to Client' });
  });
});

describe('markCollected', () => {
  test('ends the problem of a project that was collected before', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordCreated(ledger, '11');
    await ledger.markCollected('11');
    await ledger.markCollectionProblem('11', {
      code: 'files-incomplete',
      text: 'A photo is missing.',
      lacking: ['I1'],
    });
    await ledger.markCollected('11');
    expect(await project(ledger)).toMatchObject({ problem: null, problemCode: null, lacking: [] });
  });
});

describe('closeouts', () => {
  test.each<[string, (ledger: Ledger) => Promise<unknown>]>([
    ['given up', (ledger) => ledger.giveUpProject('11', 'sold')],
    ['received', (ledger) => ledger.recordStatuses([{ id: '11', status: 'Client Received' }])],
    ['canceled', (ledger) => ledger.recordStatuses([{ id: '11', status: 'Project Canceled' }])],
  ])('leaves out a project that was %s', async (_what, end) => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordCreated(ledger, '11');
    await ledger.recordCloseout('11', ['Nobody was home.']);
    expect(await ledger.closeouts()).toHaveLength(1);
    await end(ledger);
    expect(await ledger.closeouts()).toEqual([]);
  });

  test('has the details of the order that created the project', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const linked = await recordOrder(ledger, { inspectionNumber: 'A-1', insuredName: 'Linked' });
    const created = await recordOrder(ledger, { inspectionNumber: 'A-2', insuredName: 'Created' });
    for (const id of [linked, created]) await ledger.beginAttempt(id, attemptOf());
    const tie = projectTie('11');
    const words = { code: 'duplicate-linked', reason: 'It existed.' } as const;
    await ledger.moveOrder(linked, 'submitting', { to: 'linked', project: tie, ...words });
    await ledger.moveOrder(created, 'submitting', { to: 'created', project: tie, adopted: false });
    await ledger.recordCloseout('11', []);
    expect((await ledger.closeouts()).map(({ order }) => order.insuredName)).toEqual(['Created']);
  });
});

describe('giveUpProject', () => {
  test.each(['Client Received', 'Project Canceled'])('gives up no project that is %s', async (status) => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordCreated(ledger, '11');
    await ledger.recordStatuses([{ id: '11', status }]);
    expect(await ledger.giveUpProject('11', 'sold')).toBe(false);
  });
});

describe('statusCounts', () => {
  test('lists the most frequent status first', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    for (const id of ['11', '12', '13']) await recordCreated(ledger, id);
    await ledger.recordStatuses([{ id: '11', status: 'Assigned to Pilot' }]);
    expect(await ledger.statusCounts()).toEqual([
      { status: 'Project Created', count: 2 },
      { status: 'Assigned to Pilot', count: 1 },
    ]);
  });
});

describe('shownAsReopened', () => {
  test('names ended projects that the service shows otherwise', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    for (const id of ['11', '12', '13']) await recordCreated(ledger, id);
    await ledger.recordStatuses(['11', '12'].map((id) => ({ id, status: 'Project Canceled' })));
    const shown = ['11', '13'].map((id) => ({ id, status: 'Assigned to Pilot' }));
    expect(await ledger.shownAsReopened([...shown, { id: '12', status: 'Project Canceled' }])).toEqual(['11']);
  });
});
