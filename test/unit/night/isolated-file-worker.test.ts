import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/ports.ts';
import { IsolatedFileWorker } from '../../../src/night/isolated-file-worker.ts';
import { FILES } from '../../corpus/expectations.ts';
import { collected } from '../../support/in-memory-source.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { openLedgerBench, takeInContext } from '../../support/run-bench.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
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

/** Ours, that read a file. */
async function fileProcesses() {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = pids.map(async (pid) => {
    const said = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
    const isOurs = (await said('status')).includes(`PPid:\t${process.pid}\n`);
    return isOurs && (await said('cmdline')).includes('file-worker');
  });
  return (await Promise.all(found)).filter(Boolean).length;
}

describe('IsolatedFileWorker.expect', () => {
  const OPTIONS = { headers: {}, today: '2026-11-23' };

  async function fileOfOrders() {
    const folder = await temporaryFolder();
    const path = join(folder.path, 'orders.csv');
    await writeFile(path, orderCsv(3));
    return { path, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
  }

  test('starts the one process that reads the file later', async () => {
    await using file = await fileOfOrders();
    const worker = new IsolatedFileWorker(new AbortController().signal, silentLog);
    const rowsRead = async () => {
      await using reading = await worker.read(file.path, 'orders.csv', OPTIONS);
      expect(await fileProcesses()).toBe(1);
      return await collected(reading.rows());
    };
    await worker.expect(file.path);
    expect(await fileProcesses()).toBe(1);
    const rows = await rowsRead();
    expect(rows).toHaveLength(3);
    expect(await fileProcesses()).toBe(0);
    expect(await rowsRead()).toEqual(rows);
  });

  test('leaves no process behind when aborted', async () => {
    await using file = await fileOfOrders();
    const stop = new AbortController();
    await new IsolatedFileWorker(stop.signal, silentLog).expect(file.path);
    expect(await fileProcesses()).toBe(1);
    stop.abort();
    await expect.poll(fileProcesses).toBe(0);
  });

  test('starts no process for a missing file, which read reports', async () => {
    const worker = new IsolatedFileWorker(new AbortController().signal, silentLog);
    const path = join(FILES, 'none.csv');
    await worker.expect(path);
    expect(await fileProcesses()).toBe(0);
    await expect(worker.read(path, 'none.csv', OPTIONS)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
