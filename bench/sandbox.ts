import { runSubject } from './measure/child.ts';
import { interleaved, type Measured } from './measure/measured.ts';
import { startServer } from './measure/server.ts';
import { atLeast, count, printTable, printTargets, seconds, times } from './measure/table.ts';
import type { BenchOptions, Growing } from './options.ts';

const SERVE_SANDBOX = new URL('./subjects/serve-sandbox.ts', import.meta.url);
const SERVE_BARE = new URL('./subjects/serve-bare.ts', import.meta.url);
const POST_FAST = new URL('./subjects/post-fast.ts', import.meta.url);

const CONNECTIONS = 16;

/** Creates a second of the sandbox in memory, and of a bare route that parses the same body; each server in a process of its own. */
export async function benchSandbox({ rounds, orders = 10_000 }: BenchOptions): Promise<Growing> {
  const { bare, sandbox } = await interleaved(rounds, { bare: () => posted(SERVE_BARE, orders), sandbox: () => posted(SERVE_SANDBOX, orders) });
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
  return { 'the sandbox': sandbox };
}

function createsPerSecond({ facts, wallMs }: Measured): number {
  return ((facts['created'] ?? Number.NaN) / wallMs) * 1000;
}

async function posted(script: URL, orders: number): Promise<Measured> {
  await using server = await startServer(script, 0);
  const before = await server.cpuMs();
  const { baseUrl, credentials } = server;
  const measured = await runSubject(POST_FAST, JSON.stringify({ baseUrl, credentials }), orders, CONNECTIONS);
  if (measured.facts['created'] !== orders) throw new Error(`${measured.facts['created'] ?? 0} of ${orders} orders were created`);
  return { ...measured, facts: { ...measured.facts, serverCpuMs: (await server.cpuMs()) - before } };
}
