import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordCreated } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';
import { unsafeFilesReason } from '../../../src/update/files-safe.ts';

const CONTENT = 'a report';
const REPORT = {
  projectId: '11',
  kind: 'report',
  serviceId: 'R1',
  version: 1,
  type: '',
  detail: {},
  path: 'R1.pdf',
  bytes: CONTENT.length,
  sha256: hash('sha256', CONTENT),
} as const;

describe('unsafeFilesReason', () => {
  test('a missing file prevents receipt; one that the service lacks does not', async () => {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, '11');
    await bench.ledger.recordStatuses([{ id: '11', status: 'Returned to Client' }]);
    await bench.ledger.markCollected('11');
    const why = () => unsafeFilesReason('11', { ledger: bench.ledger, root: bench.folder });
    await bench.ledger.markCollectionProblem('11', { code: 'files-incomplete', text: 'Broken.' });
    expect(await why()).toMatchObject({ code: 'files-missing', reason: expect.stringContaining('(Broken.)') });
    await bench.ledger.markCollectionProblem('11', { code: 'complete-but-lacking', text: 'But for image I1.' });
    expect(await why()).toMatchObject({ code: 'no-files' });
  });

  test('a dry run finds a missing file and records nothing', async () => {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, '11');
    await bench.ledger.recordArtifact({ ...REPORT, path: 'state/gone.pdf' });
    await bench.ledger.markCollected('11');
    const why = (dryRun: boolean) => unsafeFilesReason('11', { ledger: bench.ledger, root: bench.folder }, dryRun);
    const lost = async () => (await bench.ledger.filesOf('11')).map((file) => file.lost);
    const gone = { code: 'file-damaged', reason: expect.stringContaining('gone.pdf') };
    expect(await why(true)).toEqual(gone);
    expect(await lost()).toEqual([null]);
    expect(await why(false)).toEqual(gone);
    expect(await lost()).toEqual(['is missing']);
  });

  test('a file that was lost until now is in no delivery', async () => {
    await using bench = await openLedgerBench();
    const { ledger, folder } = bench;
    await recordCreated(ledger, '11');
    await ledger.recordArtifact(REPORT);
    await ledger.markCollected('11');
    await ledger.startRun('r-1', 'run');
    const [file] = await ledger.filesOf('11');
    if (file !== undefined) await ledger.recordOnDisk(file, 'is missing');
    await ledger.recordDelivery({
      run: 'r-1',
      folder: 'deliveries/r-1',
      contents: { report: 'report.html' },
      orderIds: [],
      results: true,
      projectIds: ['11'],
      seen: await ledger.newestIds(),
    });
    await writeFile(join(folder, REPORT.path), CONTENT);
    const why = () => unsafeFilesReason('11', { ledger, root: folder }, true);
    expect(await why()).toMatchObject({ code: 'not-delivered' });
  });
});
