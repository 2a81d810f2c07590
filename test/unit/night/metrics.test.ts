import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeMetrics } from '../../../src/night/metrics.ts';
import { workspaceAt } from '../../../src/ops/workspace.ts';
import { attemptOf, newRow, recordOrder } from '../../support/order-factory.ts';
import { type LedgerBench, openLedgerBench } from '../../support/run-bench.ts';

/** The values by name and label, such as `run_exit_code run`. */
async function metricsOf({ ledger, clock, folder }: LedgerBench): Promise<ReadonlyMap<string, number>> {
  const workspace = workspaceAt(folder);
  await mkdir(workspace.state, { recursive: true });
  await writeFile(join(workspace.state, 'ledger.sqlite'), '12345');
  const path = join(folder, 'metrics.prom');
  await writeMetrics(path, { ledger, workspace, clock });
  const lines = (await readFile(path, 'utf8')).matchAll(/^inspection_batch_(\w+)\{(.*)\} (\S+)$/gm);
  return new Map(
    Array.from(lines, ([, name = '', labels = '', value]) => {
      const label = /(?:command|state)="([^"]*)"/.exec(labels)?.[1];
      return [label === undefined ? name : `${name} ${label}`, Number(value)];
    }),
  );
}

async function finished(
  { ledger, clock }: LedgerBench,
  run: string,
  exitCode: number,
  command = 'run',
): Promise<number> {
  await ledger.startRun(run, command);
  await clock.advance(2000);
  await ledger.finishRun(run, exitCode, {});
  return clock.now() / 1000;
}

describe('writeMetrics', () => {
  test('shows the latest run of each command', async () => {
    await using bench = await openLedgerBench();
    await finished(bench, 'run-1', 0);
    const at = await finished(bench, 'run-2', 4);
    const metrics = await metricsOf(bench);
    expect([
      metrics.get('run_exit_code run'),
      metrics.get('run_finished_timestamp_seconds run'),
      metrics.get('run_duration_seconds run'),
    ]).toEqual([4, at, 2]);
  });

  test.each([
    [0, true],
    [3, true],
    [4, false],
    [1, false],
  ])('counts exit code %i as a success: %s', async (exitCode, isSuccess) => {
    await using bench = await openLedgerBench();
    await finished(bench, 'run-1', exitCode);
    expect((await metricsOf(bench)).has('run_success_timestamp_seconds run')).toBe(isSuccess);
  });

  test('leaves out other commands, and a run that did not end', async () => {
    await using bench = await openLedgerBench();
    await finished(bench, 'run-1', 0, 'cancel');
    await bench.ledger.startRun('run-2', 'run');
    expect([...(await metricsOf(bench)).keys()].filter((name) => name.startsWith('run_'))).toEqual([]);
  });

  test('shows how long the oldest order has been in doubt', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    for (const inspectionNumber of ['A-1', 'A-2']) {
      const id = await recordOrder(ledger, { inspectionNumber });
      await ledger.beginAttempt(id, attemptOf());
      const doubt = { to: 'unresolved', code: 'outcome-unknown', reason: '504', uncertainSince: 0 } as const;
      await ledger.moveOrder(id, 'submitting', doubt);
      await clock.advance(30_000);
    }
    const metrics = await metricsOf(bench);
    expect([metrics.get('oldest_unresolved_age_seconds'), metrics.get('orders unresolved')]).toEqual([60, 2]);
  });

  test('counts the open rows and the bytes of the ledger', async () => {
    await using bench = await openLedgerBench();
    for (const hash of ['aa', 'bb']) {
      const file = { hash, name: `${hash}.csv`, layouts: [], notes: [] };
      await bench.ledger.recordFile(file, async (transaction) => {
        for (const rowNumber of [2, 3]) transaction.addRow(newRow({}, rowNumber));
      });
    }
    const metrics = await metricsOf(bench);
    expect([metrics.get('rows_rejected'), metrics.get('ledger_bytes')]).toEqual([4, 5]);
  });

  test('writes a file that other users can read, whatever the umask', async () => {
    await using bench = await openLedgerBench();
    const umask = process.umask(0o077);
    try {
      await metricsOf(bench);
    } finally {
      process.umask(umask);
    }
    expect((await stat(join(bench.folder, 'metrics.prom'))).mode & 0o777).toBe(0o644);
  });
});
