import { expect, test } from 'vitest';
import { completeBut } from '../../../src/domain/project.ts';
import { recordCreated } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';
import { whyFilesAreNotSafe } from '../../../src/update/files-safe.ts';

test('a note of what the service does not have is no obstacle to receiving; a file that did not come is', async () => {
  await using bench = await openLedgerBench();
  await recordCreated(bench.ledger, '11');
  await bench.ledger.recordStatuses([{ id: '11', status: 'Returned to Client' }]);
  await bench.ledger.markCollected('11');
  const why = (): Promise<string | null> => whyFilesAreNotSafe('11', { ledger: bench.ledger, root: bench.folder });
  await bench.ledger.markCollectionProblem('11', 'The file came broken.');
  expect(await why()).toContain('not all here (The file came broken.)');
  await bench.ledger.markCollectionProblem('11', completeBut(['Image I1 is not available (404).']));
  expect(await why()).toContain('No file of it is here.');
});

test('a dry run finds a file that is gone and puts nothing on record', async () => {
  await using bench = await openLedgerBench();
  await recordCreated(bench.ledger, '11');
  await bench.ledger.recordArtifact({
    projectId: '11',
    kind: 'report',
    serviceId: 'R1',
    version: 1,
    type: '',
    detail: {},
    path: 'state/gone.pdf',
    bytes: 8,
    sha256: 'aa',
  });
  await bench.ledger.markCollected('11');
  const after = async (dryRun: boolean) => [
    await whyFilesAreNotSafe('11', { ledger: bench.ledger, root: bench.folder }, dryRun),
    (await bench.ledger.filesOf('11')).map(({ lost }) => lost),
  ];
  expect(await after(true)).toEqual([expect.stringContaining('gone.pdf is missing'), [null]]);
  expect(await after(false)).toEqual([expect.stringContaining('gone.pdf is missing'), ['is missing']]);
});
