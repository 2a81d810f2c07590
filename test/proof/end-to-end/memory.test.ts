import { expect, test } from 'vitest';
import { runTree } from '../../../bench/measure/process-tree.ts';
import { BIN } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { startSandboxProcess } from '../../support/sandbox-process.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';

// Coarse on purpose: `npm run bench -- night` measures a whole night of 400 rows. Without what keeps memory low it was over 300 MB here.
test.runIf(process.platform === 'linux')('run and its workers stay under 250 MB', async () => {
  await using sandbox = await startSandboxProcess();
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'orders.csv': orderCsv(60) } });
  const { peakMb, facts } = await runTree(BIN, ['run', '--workspace', workspace.path], [0, 3]);
  expect(peakMb).toBeLessThan(250);
  expect(peakMb).toBeGreaterThan(80);
  expect(facts['processes']).toBeGreaterThan(0);
});
