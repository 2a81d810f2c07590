import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BIN } from '../test/support/command-line.ts';
import { orderCsv } from '../test/support/order-csv.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { startSandboxProcess } from '../test/support/sandbox-process.ts';
import { interleaved, type Measured } from './measure/measured.ts';
import { runTree } from './measure/process-tree.ts';
import { atMost, count, printTable, printTargets, seconds, times } from './measure/table.ts';
import { tempFolder } from './measure/temp-folder.ts';
import type { BenchOptions, Growing } from './options.ts';

const ORDERS = 1000;
const LATENCY_MS = 50;
const SIX_HOURS_S = 6 * 60 * 60;
const STEPS = ['take-in', 'submit', 'sweep'] as const;

/** A night of one host with its ledger in a file, and with the ledger on PostgreSQL on the same machine; both are synced to disk. The build must stand under dist/. */
export async function benchLedgers({ orders = ORDERS, rounds }: BenchOptions): Promise<Growing> {
  await using server = await startPostgres({ synced: true });
  const { sqlite, postgres } = await interleaved(rounds, {
    sqlite: () => night(orders, null),
    postgres: () => night(orders, server),
  });
  const rows = STEPS.map((step) => ({
    step,
    sqlite: sqlite.facts[step] ?? Number.NaN,
    postgres: postgres.facts[step] ?? Number.NaN,
  }));
  printTable(
    `ledgers: ${count(orders)} orders on one host, the service answers after ${LATENCY_MS} ms`,
    ['step', 'sqlite, s', 'postgres, s', 'slower'],
    [
      ...rows.map(({ step, ...took }) => [
        step,
        seconds(took.sqlite),
        seconds(took.postgres),
        times(took.postgres / took.sqlite),
      ]),
      ['processor time of all', seconds(sqlite.cpuMs), seconds(postgres.cpuMs), times(postgres.cpuMs / sqlite.cpuMs)],
    ],
  );
  printTargets(
    rows.map(({ step, ...took }) =>
      atMost(`${step}: at most 1.3 × as long on PostgreSQL`, took.postgres / took.sqlite, 1.3, times),
    ),
  );
  return {};
}

/** Orders are taken in and sent; hours later the service is asked for their statuses, and most have changed. */
async function night(orders: number, server: PostgresServer | null): Promise<Measured> {
  await using folder = await tempFolder();
  await using sandbox = await startSandboxProcess(['--latency', String(LATENCY_MS)]);
  const workspace = join(folder.path, 'w');
  const ledger = server === null ? '' : `INSPECTION_LEDGER_URL=${urlOf(server)}\n`;
  await mkdir(join(workspace, 'inbox'), { recursive: true });
  await writeFile(join(workspace, '.env'), `${sandbox.lines}${ledger}`, { mode: 0o600 });
  await writeFile(join(workspace, 'config.yaml'), 'intake:\n  settleSeconds: 0\n');
  // Lays out the ledger.
  await runTree(BIN, ['collect', '--workspace', workspace], [0]);
  await writeFile(join(workspace, 'inbox', 'orders.csv'), orderCsv(orders));
  const submit = await runTree(BIN, ['submit', '--workspace', workspace], [0]);
  const takenIn = await betweenEvents(workspace, 'run started', 'file recorded');
  await sandbox.advance(SIX_HOURS_S);
  // What is canceled is told by exit code 3.
  const sweep = await runTree(BIN, ['collect', '--workspace', workspace], [0, 3]);
  return {
    ...submit,
    cpuMs: submit.cpuMs + sweep.cpuMs,
    facts: { 'take-in': takenIn, submit: submit.wallMs - takenIn, sweep: sweep.wallMs },
  };
}

function urlOf(server: PostgresServer): string {
  const { url, schema } = server.fresh();
  const named = new URL(url);
  named.searchParams.set('schema', schema);
  return named.href;
}

/** The time between two events of the latest run's log, in ms. */
async function betweenEvents(workspace: string, first: string, second: string): Promise<number> {
  const logs = join(workspace, 'logs');
  const latest =
    (await readdir(logs))
      .filter((name) => name.endsWith('.jsonl'))
      .toSorted()
      .at(-1) ?? '';
  const lines = (await readFile(join(logs, latest), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly at: string; readonly event: string });
  const [from, to] = [first, second].map((event) => Date.parse(lines.find((line) => line.event === event)?.at ?? ''));
  return (to ?? Number.NaN) - (from ?? Number.NaN);
}
