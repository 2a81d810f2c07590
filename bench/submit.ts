import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runSubject } from './measure/child.ts';
import { interleaved, type Measured } from './measure/measured.ts';
import { startServer } from './measure/server.ts';
import {
  atMost,
  count,
  printTable,
  printTargets,
  seconds,
  TIME_AND_MEMORY_HEAD,
  timeAndMemory,
  times,
  type Target,
} from './measure/table.ts';
import { tempFolder } from './measure/temp-folder.ts';
import type { BenchOptions, Growing } from './options.ts';

const SERVE_SANDBOX = new URL('./subjects/serve-sandbox.ts', import.meta.url);
const SUBMIT_OURS = new URL('./subjects/submit-ours.ts', import.meta.url);
const SUBMIT_HTTP = new URL('./subjects/submit-http.ts', import.meta.url);
const SUBMIT_BARE = new URL('./subjects/submit-bare.ts', import.meta.url);

const CONCURRENCY = 16;
const LATENCY_MS = 50;

/** A submission run with its ledger on disk and its log, and a bare loop that posts the same bodies and keeps nothing. */
export async function benchSubmit({ rounds, orders = 2000, isTenfold }: BenchOptions): Promise<Growing> {
  const busy = await measure(rounds, orders, 0);
  print(`submit: ${count(orders)} orders, no latency, ${CONCURRENCY} at once`, orders, busy, 0, [
    atMost(
      'processor time an order: at most 1.4 × the bare loop (stretch: 1.2 ×)',
      busy.ours.cpuMs / busy.bare.cpuMs,
      1.4,
      times,
    ),
  ]);
  if (isTenfold) return { submission: busy.ours };
  const slowOrders = Math.ceil(orders / 2 / CONCURRENCY) * CONCURRENCY;
  const leastMs = (slowOrders * LATENCY_MS) / CONCURRENCY;
  const slow = await measure(rounds, slowOrders, LATENCY_MS);
  print(
    `submit: ${count(slowOrders)} orders, ${LATENCY_MS} ms latency, ${CONCURRENCY} at once`,
    slowOrders,
    slow,
    leastMs,
    [
      {
        ...atMost(
          'wall time: at most 1.08 × the bare loop next to it (stretch: 1.03 ×)',
          slow.ours.wallMs / slow.bare.wallMs,
          1.08,
          times,
        ),
        why: 'Between an answer and the request that takes its place, one commit is synced to disk (the outcome of the one, the attempt of the other); the bare loop keeps nothing.',
      },
    ],
  );
  return { submission: busy.ours };
}

interface Loops {
  readonly http: Measured;
  readonly bare: Measured;
  readonly ours: Measured;
}

/** Every measurement has a sandbox of its own, and a ledger of its own. */
async function measure(rounds: number, orders: number, latencyMs: number): Promise<Loops> {
  await using folder = await tempFolder();
  const against = async (script: URL, ...more: string[]): Promise<Measured> => {
    await using server = await startServer(SERVE_SANDBOX, latencyMs);
    const { baseUrl, credentials } = server;
    const measured = await runSubject(script, JSON.stringify({ baseUrl, credentials }), orders, CONCURRENCY, ...more);
    if (measured.facts['created'] !== orders)
      throw new Error(`${measured.facts['created'] ?? 0} of ${orders} orders were created`);
    return measured;
  };
  return await interleaved(rounds, {
    http: () => against(SUBMIT_HTTP),
    bare: () => against(SUBMIT_BARE),
    ours: async (round) => {
      const place = join(folder.path, `round ${round}`);
      await mkdir(place);
      return await against(SUBMIT_OURS, place);
    },
  });
}

function print(
  title: string,
  orders: number,
  { http, bare, ours }: Loops,
  leastMs: number,
  targets: readonly Target[],
): void {
  printTable(
    title,
    ['loop', ...TIME_AND_MEMORY_HEAD, 'processor ms an order', '× bare', leastMs === 0 ? '' : '× N × latency / 16'],
    Object.entries({ 'bare node:http + p-limit': http, 'bare got + p-limit': bare, 'ours, ledger on disk': ours }).map(
      ([name, measured]) => [
        name,
        ...timeAndMemory(measured),
        (measured.cpuMs / orders).toFixed(2),
        times(measured.cpuMs / bare.cpuMs),
        leastMs === 0 ? '' : `${times(measured.wallMs / leastMs)} of ${seconds(leastMs)} s`,
      ],
    ),
  );
  printTargets(targets);
}
