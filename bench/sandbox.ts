import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { runSubject, runSubjectOn } from './measure/child.ts';
import { interleaved, type Measured } from './measure/measured.ts';
import { startServer } from './measure/server.ts';
import { atLeast, atMost, count, onlyAtSize, printTable, printTargets, seconds, times } from './measure/table.ts';
import type { BenchOptions, Growing } from './options.ts';

const SERVE_SANDBOX = new URL('./subjects/serve-sandbox.ts', import.meta.url);
const SERVE_BARE = new URL('./subjects/serve-bare.ts', import.meta.url);
const POST_FAST = new URL('./subjects/post-fast.ts', import.meta.url);

const CONNECTIONS = 16;
const A_SECOND = 1_500;
const STEADY_SECONDS = 11;
const P99_MS_MAX = 20;
const NO_LIMIT = 0;

/** Creates a second of the sandbox in memory, and of a bare route that parses the same body, and how long they take at a steady rate; each server in a process of its own. */
export async function benchSandbox({ rounds, orders = 10_000, isTenfold }: BenchOptions): Promise<Growing> {
  const { bare, sandbox } = await interleaved(rounds, {
    bare: () => posted(SERVE_BARE, orders),
    sandbox: () => posted(SERVE_SANDBOX, orders),
  });
  printTable(
    `sandbox: ${count(orders)} creates over ${CONNECTIONS} connections`,
    ['server', 'wall s', 'creates/s', 'server ms a create', '× bare'],
    Object.entries({ 'bare Fastify route': bare, 'sandbox, in memory': sandbox }).map(([name, measured]) => [
      name,
      seconds(measured.wallMs),
      count(createsPerSecond(measured)),
      ((measured.facts['serverCpuMs'] ?? Number.NaN) / orders).toFixed(3),
      times(measured.wallMs / bare.wallMs),
    ]),
  );
  printTargets([atLeast('at least 3,000 creates/s in memory', createsPerSecond(sandbox), 3000, count)]);
  if (!isTenfold) await benchSteady(rounds);
  return { 'the sandbox': sandbox };
}

/** How long a create takes at a steady rate, from the moment it is due: what answers on one processor, what posts on another. */
async function benchSteady(rounds: number): Promise<void> {
  const canPin = availableParallelism() > 1 && existsSync('/usr/bin/taskset');
  const orders = A_SECOND * STEADY_SECONDS;
  const { bare, sandbox } = await interleaved(rounds, {
    bare: () => posted(SERVE_BARE, orders, A_SECOND, canPin),
    sandbox: () => posted(SERVE_SANDBOX, orders, A_SECOND, canPin),
  });
  const ms = ({ facts }: Measured, name: string): string => (facts[name] ?? Number.NaN).toFixed(1);
  printTable(
    `sandbox: ${count(A_SECOND)} creates a second for ${STEADY_SECONDS} s, what answers on one processor, what posts on the other; the first second, while all compiles, is not counted`,
    ['server', 'median ms', '99 % within ms', 'longest ms'],
    Object.entries({ 'bare Fastify route': bare, 'sandbox, in memory': sandbox }).map(([name, measured]) => [
      name,
      ms(measured, 'p50Ms'),
      ms(measured, 'p99Ms'),
      ms(measured, 'maxMs'),
    ]),
  );
  printTargets([
    onlyAtSize(
      atMost(
        `99 % within ${P99_MS_MAX} ms`,
        sandbox.facts['p99Ms'] ?? Number.NaN,
        P99_MS_MAX,
        (took) => `${took.toFixed(1)} ms`,
      ),
      canPin,
    ),
  ]);
}

function createsPerSecond({ facts, wallMs }: Measured): number {
  return ((facts['created'] ?? Number.NaN) / wallMs) * 1000;
}

async function posted(script: URL, orders: number, aSecond = NO_LIMIT, isPinned = false): Promise<Measured> {
  await using server = await startServer(script, 0);
  const before = await server.cpuMs();
  const { baseUrl, credentials } = server;
  const args = [JSON.stringify({ baseUrl, credentials }), orders, CONNECTIONS, aSecond];
  if (isPinned) server.pinTo(0);
  const measured = isPinned ? await runSubjectOn(1, POST_FAST, ...args) : await runSubject(POST_FAST, ...args);
  if (measured.facts['created'] !== orders)
    throw new Error(`${measured.facts['created'] ?? 0} of ${orders} orders were created`);
  return { ...measured, facts: { ...measured.facts, serverCpuMs: (await server.cpuMs()) - before } };
}
