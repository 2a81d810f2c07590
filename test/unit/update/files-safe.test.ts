import { expect, test } from 'vitest';
import { completeBut } from '../../../src/domain/project.ts';
import { recordCreated } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';
import { whyFilesAreNotSafe } from '../../../src/update/update-run.ts';

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
