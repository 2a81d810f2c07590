import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { IsolatedFileWorker } from '../../../src/night/isolated-file-worker.ts';
import { FILES } from '../../corpus/expectations.ts';
import { openLedgerBench, takeInContext } from '../../support/run-bench.ts';
import { workspaceAt } from '../../../src/ops/workspace.ts';

describe('IsolatedFileWorker.read', () => {
  // SheetJS writes to the console while it reads this file.
  test('reports the refusal of a file that a library complains about', async () => {
    await using bench = await openLedgerBench();
    const { signal, log } = takeInContext(bench, workspaceAt(bench.folder));
    const name = 'libreoffice-hidden-rows.ods';
    const reading = new IsolatedFileWorker(signal, log).read(join(FILES, name), name, {
      headers: {},
      today: '2026-11-23',
    });
    await expect(reading).rejects.toMatchObject({ code: 'marks-not-converted' });
  });
});
