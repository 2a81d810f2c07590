import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ArtifactRecord } from '../../../src/ledger/artifacts.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { attemptOf, newRow, projectTie, recordCreated, recordOrder } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

const PHOTO: ArtifactRecord = {
  projectId: '11',
  kind: 'image',
  serviceId: 'I1',
  version: 1,
  type: 'image/jpeg',
  detail: {},
  path: 'state/downloads/11/image-I1-v1.jpg',
  bytes: 1,
  sha256: 'aa',
};

async function deliver(ledger: Ledger, run: string, projectIds: readonly string[]): Promise<void> {
  await ledger.startRun(run, 'run');
  await ledger.recordDelivery({
    run,
    folder: `deliveries/${run}`,
    contents: { report: 'report.html' },
    orderIds: [],
    results: true,
    projectIds,
    seen: await ledger.newestIds(),
  });
}

async function link(ledger: Ledger, inspectionNumber: string, projectId: string): Promise<number> {
  const id = await recordOrder(ledger, { inspectionNumber });
  await ledger.beginAttempt(id, attemptOf());
  await ledger.moveOrder(id, 'submitting', {
    to: 'linked',
    code: 'duplicate-linked',
    project: projectTie(projectId),
    reason: 'It existed.',
  });
  return id;
}

describe('projectsForResults', () => {
  test('counts a later photo as no new report', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    await recordCreated(ledger, '11');
    await deliver(ledger, 'run-1', ['11']);
    await clock.advance(1000);
    await ledger.recordArtifact(PHOTO);
    const shown = await Array.fromAsync(ledger.projectsForResults(false));
    expect(shown).toMatchObject([{ project: { id: '11' }, isUndelivered: true, hasNewReport: false }]);
  });

  test('shows a project with the first of its linked orders', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const first = await link(ledger, 'A-1', '11');
    await link(ledger, 'A-2', '11');
    const [shown] = await Array.fromAsync(ledger.projectsForResults(true));
    expect(shown?.order?.id).toBe(first);
  });
});

describe('nightCounts', () => {
  test('leaves out decisions that the last delivery showed', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    await recordCreated(ledger, '11');
    const decisions = [{ projectId: '11', decision: 'Refer', by: 'Ann', notes: '' }];
    await ledger.recordDecisions({ file: 'decisions/a.csv', writtenIn: null, decisions });
    await clock.advance(1000);
    await deliver(ledger, 'run-1', ['11']);
    await ledger.recordStatuses([{ id: '11', status: 'Returned to Client' }]);
    expect(await ledger.nightCounts()).toMatchObject({ decided: 0 });
  });
});

describe('decided in nightCounts', () => {
  test('counts a decision, but not a note alone', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordCreated(ledger, '11');
    await recordCreated(ledger, '12');
    const [said, file] = [
      { by: 'Ann', notes: 'Ask the agent.' },
      { file: 'decisions/a.csv', writtenIn: null },
    ];
    await ledger.recordDecisions({ ...file, decisions: [{ projectId: '11', decision: '', ...said }] });
    expect(await ledger.nightCounts()).toMatchObject({ decided: 0 });
    await ledger.recordDecisions({ ...file, decisions: [{ projectId: '12', decision: 'Refer', ...said }] });
    expect(await ledger.nightCounts()).toMatchObject({ decided: 1 });
  });
});

describe('recordDecisions', () => {
  test('leaves a decision to its person if another adds a note', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordCreated(ledger, '11');
    const take = (by: string, decision: string, notes: string) =>
      ledger.recordDecisions({ file: 'a.csv', writtenIn: null, decisions: [{ projectId: '11', decision, by, notes }] });
    await take('Ada', 'Non-renew', '');
    expect(await take('Ben', '', 'asked agent')).toMatchObject({ taken: 1, replaced: [] });
    const onRecord = (await ledger.decisionsOn(['11'])).get('11');
    expect(onRecord).toEqual({ decision: 'Non-renew', by: 'Ada', notes: 'Ben: asked agent' });
    expect(await take('Ben', 'Accept', '')).toMatchObject({ replaced: ['11'] });
  });

  test('keeps the note of the decider if another adds one', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordCreated(ledger, '11');
    const take = (by: string, decision: string, notes: string) =>
      ledger.recordDecisions({ file: 'a.csv', writtenIn: null, decisions: [{ projectId: '11', decision, by, notes }] });
    await take('Ada', 'Non-renew', 'letter');
    await take('Ben', '', 'asked');
    await take('Ben', '', 'asked');
    expect((await ledger.decisionsOn(['11'])).get('11')).toMatchObject({ notes: 'letter; Ben: asked' });
    await take('Ada', '', 'letter sent');
    expect((await ledger.decisionsOn(['11'])).get('11')).toMatchObject({ by: 'Ada', notes: 'letter sent' });
  });
});

describe('endedProjects', () => {
  test('shows a canceled project with its amended policy number', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordCreated(ledger, '11', { policyNumber: 'P-1' });
    const request = { kind: 'amend', policyNumber: 'P-2' } as const;
    const id = await ledger.beginUpdate({ projectId: '11', request, before: {}, source: null });
    await ledger.endUpdate(id ?? 0, { to: 'done', status: null, settled: false });
    await ledger.recordStatuses([{ id: '11', status: 'Project Canceled' }]);
    expect((await ledger.endedProjects()).map(({ order }) => order.policyNumber)).toEqual(['P-2']);
  });

  test('leaves out a closeout that later reports took back', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordCreated(ledger, '11');
    await ledger.recordCloseout('11', ['Nobody was home.']);
    expect(await ledger.endedProjects()).toHaveLength(1);
    await ledger.recordCloseout('11', null);
    expect(await ledger.endedProjects()).toEqual([]);
  });
});

describe('somethingToHandOver', () => {
  test('has no results if a row was only ordered', async () => {
    await using bench = await openLedgerBench();
    await recordOrder(bench.ledger);
    expect(await bench.ledger.somethingToHandOver()).toEqual({ orders: true, results: false });
  });
});

describe('recordDelivery', () => {
  test('leaves rejected rows of another account undelivered', async () => {
    await using bench = await openLedgerBench();
    await using other = openSqliteLedger(join(bench.folder, 'ledger.sqlite'), {
      clock: bench.clock,
      account: 'another',
    });
    const file = { hash: 'aa', name: 'oct.csv', layouts: [], notes: [] };
    await other.recordFile(file, async (transaction) => transaction.addRow(newRow()));
    await deliver(bench.ledger, 'run-1', []);
    expect(await other.somethingToHandOver()).toMatchObject({ results: true });
  });
});

describe('deliveredHouses', () => {
  test('returns the latest projects first', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    for (const id of ['11', '12', '13']) await recordCreated(ledger, id);
    await deliver(ledger, 'run-1', ['11', '12', '13']);
    expect((await ledger.deliveredHouses(2)).map(({ projectId }) => projectId)).toEqual(['13', '12']);
  });
});

describe('ordersToHandOver', () => {
  test('shows the row that placed the order, not its repeat', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const orderId = await recordOrder(ledger);
    const file = { hash: 'aa', name: 'again.csv', layouts: [], notes: [] };
    await ledger.recordFile(file, async (transaction) => transaction.addRow(newRow({ outcome: 'repeat', orderId })));
    const [shown] = await Array.fromAsync(ledger.ordersToHandOver());
    expect(shown?.row?.outcome).toBe('order');
  });
});
