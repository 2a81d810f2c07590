import { describe, expect, test } from 'vitest';
import type { ArtifactRecord } from '../../../src/ledger/artifacts.ts';
import { attemptOf, projectTie, recordCreated, recordOrder } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

const HOUR_MS = 60 * 60 * 1000;
const REPORT: ArtifactRecord = {
  projectId: '11',
  kind: 'report',
  serviceId: 'R1',
  version: 1,
  type: '',
  detail: {},
  path: 'state/downloads/11/report-R1-v1.pdf',
  bytes: 1,
  sha256: 'aa',
};

describe('watchedProjects', () => {
  test('includes a collected project with a problem', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    for (const id of ['11', '12']) {
      await recordCreated(ledger, id);
      await ledger.recordStatuses([{ id, status: 'Returned to Client' }]);
      await ledger.markCollected(id);
    }
    await ledger.markCollectionProblem('12', { code: 'files-incomplete', text: 'A photo is missing.' });
    const watched = await Array.fromAsync(ledger.watchedProjects());
    expect(watched.map(({ project }) => project.id)).toEqual(['12']);
  });

  test('says that a linked project was not ordered here', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const id = await recordOrder(ledger);
    await ledger.beginAttempt(id, attemptOf());
    const words = { code: 'duplicate-linked', reason: 'It existed.' } as const;
    await ledger.moveOrder(id, 'submitting', { to: 'linked', project: projectTie('11'), ...words });
    expect(await Array.fromAsync(ledger.watchedProjects())).toMatchObject([{ orderId: id, isOrderedHere: false }]);
  });
});

describe('recordFetch', () => {
  test.each([
    [12 * HOUR_MS, 2],
    [12 * HOUR_MS - 1, 1],
  ])('after %i ms counts %i nights', async (later, nights) => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    await recordCreated(ledger, '11');
    await ledger.recordFetch('11', 'nothing-offered');
    await clock.advance(later);
    expect(await ledger.recordFetch('11', 'nothing-offered')).toMatchObject({ nights });
  });

  test('counts again after another status', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    await recordCreated(ledger, '11');
    await ledger.recordFetch('11', 'incomplete');
    await clock.advance(24 * HOUR_MS);
    await ledger.recordStatuses([{ id: '11', status: 'Returned to Client' }]);
    expect(await ledger.recordFetch('11', 'incomplete')).toMatchObject({ nights: 1 });
  });
});

describe('recordOnDisk', () => {
  test('marks no file as lost that retention removed', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordCreated(ledger, '11');
    await ledger.recordArtifact(REPORT);
    await ledger.beginRemovals([{ path: REPORT.path, kind: 'download', bytes: 1 }]);
    await ledger.endRemovals([REPORT.path]);
    const [stored] = await ledger.artifactsOf('11');
    if (stored === undefined) throw new Error('no file is on record');
    await ledger.recordOnDisk(stored, 'is missing');
    expect(await ledger.artifactsOf('11')).toMatchObject([{ lost: null }]);
  });
});

describe('recordArtifact', () => {
  test('refuses the same version with other content', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordCreated(ledger, '11');
    await ledger.recordArtifact(REPORT);
    expect([await ledger.recordArtifact(REPORT), await ledger.recordArtifact({ ...REPORT, sha256: 'bb' })]).toEqual([
      true,
      false,
    ]);
  });
});

describe('decisionsOn', () => {
  test('includes a note without a decision', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordCreated(ledger, '11');
    const decisions = [{ projectId: '11', decision: '', by: '', notes: 'Ask Ann.' }];
    await ledger.recordDecisions({ file: 'decisions/a.csv', writtenIn: null, decisions });
    expect((await ledger.decisionsOn(['11'])).get('11')).toMatchObject({ notes: 'Ask Ann.' });
  });
});
