import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import ExcelJS from 'exceljs';
import { expect, test } from 'vitest';
import { collectProjects } from '../../../src/collect/collect-run.ts';
import { deliver } from '../../../src/results/deliver/deliver.ts';
import { silentLog } from '../../../src/domain/ports.ts';
import { ensureWorkspace, workspaceAt } from '../../../src/ops/workspace.ts';
import { loadAttention } from '../../../src/results/attention/rules.ts';
import { createServiceClient } from '../../../src/service/client.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';
import { newOrder, recordOrders } from '../../support/order-factory.ts';
import { inProof } from '../../support/proof-size.ts';
import { collectContext, openRunBench, submitContext, type RunBench } from '../../support/run-bench.ts';
import type { VirtualClock } from '../../support/virtual-clock.ts';
import { mutateAnswer, type WireAnswer } from './mutate-answer.ts';
import { randomOfCase, type SeededRandom } from './random.ts';

const SEED = 20_261_122;
const ANSWERS = inProof({ share: 100, whole: 1_000 });
const HOSTILE = 6;
/** Nights without anything hostile, to compare with: one for so many. */
const HONEST_EVERY = 3;
/** Of a body that drips. Long enough for an honest answer on a busy machine. */
const TIMEOUT_MS = 3_000;

/** Stands before the sandbox and spoils answers: those about hostile projects and orders, and now and then those about all. */
class HostileProxy implements AsyncDisposable {
  readonly names: string[] = [];
  isOn = false;
  readonly #bench: RunBench;
  readonly #random: SeededRandom;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly hostileIds = new Set<string>();

  constructor(bench: RunBench, random: SeededRandom) {
    this.#bench = bench;
    this.#random = random;
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const body = await buffer(request);
    const kept = Object.fromEntries(
      ['authorization', 'content-type'].flatMap((name) =>
        typeof headers[name] === 'string' ? [[name, headers[name]]] : [],
      ),
    );
    const honest = await fetch(`${this.#bench.service.sandbox.baseUrl}${url}`, {
      method,
      headers: kept,
      redirect: 'manual',
      ...(method === 'GET' ? {} : { body }),
    });
    const answer: WireAnswer = {
      status: honest.status,
      headers: Object.fromEntries(
        ['content-type', 'location', 'retry-after'].flatMap((name) =>
          honest.headers.has(name) ? [[name, honest.headers.get(name) ?? '']] : [],
        ),
      ),
      body: Buffer.from(await honest.arrayBuffer()),
    };
    if (!this.isOn || !this.#isSpoilt(method, url, body.toString('utf8')))
      return send(response, answer, this.#bench.clock);
    const spoilt = mutateAnswer(answer, this.#random);
    this.names.push(`${method} ${url.replaceAll(/\d{4,}/g, 'N')}: ${spoilt.name}`);
    return send(response, spoilt.answer, this.#bench.clock);
  }

  #isSpoilt(method: string, url: string, body: string): boolean {
    if (method === 'POST' && url === '/v1/project') return body.includes('"H-');
    if (url === '/v1/oauth/token') return this.#random.below(8) === 0;
    // A run begins with the highest id: what a night sends hangs on it. Searches for hostile orders and sweeps are spoilt.
    if (url.startsWith('/v1/project?'))
      return url.includes('=H-') || (url.includes('limit=500') && this.#random.below(3) === 0);
    return [...this.hostileIds].some((id) => url.includes(id)) && this.#random.below(10) < 7;
  }
}

/** While it drips, the night goes by. */
function send(
  response: ServerResponse,
  { status, headers, body, sent = 'whole' }: WireAnswer,
  clock: VirtualClock,
): void {
  response.on('error', () => undefined);
  try {
    response.writeHead(status, { ...headers, ...(sent === 'cut' && { 'content-length': String(body.length + 10) }) });
  } catch {
    response.writeHead(500);
  }
  if (sent === 'whole') response.end(body);
  else if (sent === 'cut') response.write(body.subarray(0, body.length / 2), () => response.destroy());
  else {
    const drip = setInterval(() => {
      clock.jumpTo(clock.now() + 5_000);
      response.write(' ');
    }, 20);
    response.on('close', () => clearInterval(drip));
  }
}

interface Night {
  readonly ms: number;
  readonly spoilt: readonly string[];
}

/** One submission, one follow-up and one delivery. */
async function run(bench: RunBench, night: string): Promise<readonly string[]> {
  const { clock, ledger, folder } = bench;
  await clock.drive(submitOrders(submitContext(bench, { quarantineMs: 1_000 })));
  await clock.drive(collectProjects(collectContext(bench)));
  const parts = {
    ledger,
    clock,
    log: silentLog,
    workspace: workspaceAt(folder),
    run: night,
    attention: await loadAttention(null),
    columns: null,
    thumbnails: { perProject: 1, inAll: 10 },
    formats: ['xlsx', 'csv', 'jsonl'] as const,
  };
  const handed = await deliver(parts, { orders: true, results: true, all: true, files: [] });
  return handed?.projectIds ?? [];
}

async function night(index: number, isHostile: boolean): Promise<Night> {
  await using honestBench = await openRunBench();
  await using proxy = new HostileProxy(honestBench, randomOfCase(SEED, index));
  const { clock, ledger, service, folder } = honestBench;
  await ensureWorkspace(workspaceAt(folder));
  const client = createServiceClient({
    baseUrl: await proxy.listen(),
    ...service.sandbox.credentials,
    clock,
    sleep: clock.sleep,
    random: () => 0.5,
    log: silentLog,
    timeoutMs: TIMEOUT_MS,
  });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => client.close());
  const bench: RunBench = { ...honestBench, client };
  const policies = ['G-1', ...Array.from({ length: HOSTILE }, (_, nth) => `H-${nth}`)];
  await recordOrders(
    ledger,
    policies.map((policyNumber) =>
      newOrder({ policyNumber, policyEffectiveDate: '2026-03-01', streetAddress: `${policyNumber} Oak Street` }),
    ),
  );
  await clock.drive(submitOrders(submitContext(bench)));
  const followed = await ledger.followedProjects();
  expect(followed).toHaveLength(policies.length);
  for (const { id } of followed) await service.setStatus(id, 'Returned to Client');
  const honest = followed[0]?.id ?? '';
  for (const { id } of followed.slice(1)) proxy.hostileIds.add(id);
  // The honest order of the night comes first: words of a stranger stop a submission (RELIABILITY).
  const tonight = ['G-2', 'H-8', 'H-9'];
  await recordOrders(
    ledger,
    tonight.map((policyNumber) =>
      newOrder({ policyNumber, policyEffectiveDate: '2026-03-01', streetAddress: `${policyNumber} Elm Street` }),
    ),
    'tonight.csv',
  );
  await clock.advance(60_000);
  proxy.isOn = isHostile;
  const began = performance.now();
  const delivered = await run(bench, 'night-1');
  const ms = performance.now() - began;
  proxy.isOn = false;
  // The honest project came through, whole, and the honest order was placed.
  expect(delivered).toContain(honest);
  expect((await ledger.followedProjects()).find(({ id }) => id === honest)).toMatchObject({
    problem: null,
    collectedAt: expect.any(Number),
  });
  expect(await projectsOf(bench, 'G-2')).toBe(1);
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.readFile(join(folder, 'deliveries', 'night-1', 'results.xlsx'));
  expect(workbook.getWorksheet('Results')?.getColumn(1).values.map(String)).toContain(honest);
  // An honest night afterwards settles what can be settled: nothing is lost, and nothing is doubled.
  await clock.advance(24 * 60 * 60 * 1000);
  expect(await run(bench, 'night-2')).toContain(honest);
  for (const policy of [...policies, ...tonight]) expect(await projectsOf(bench, policy)).toBeLessThanOrEqual(1);
  const counts = await ledger.orderCounts();
  expect(Object.values<number>({ ...counts }).reduce((sum, count) => sum + count, 0)).toBe(
    policies.length + tonight.length,
  );
  expect(counts.submitting).toBe(0);
  return { ms, spoilt: proxy.names };
}

async function projectsOf({ service }: RunBench, policyNumber: string): Promise<number> {
  const { body } = await service.call('GET', `/v1/project?policyNumber=${policyNumber}`);
  return (body as { project: unknown[] }).project.length;
}

/** A machine that is busy with other things for a while must not count. */
function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

test(`completes every night under ${ANSWERS} mutated hostile answers`, { timeout: 900_000 }, async () => {
  // The honest project and the honest order of each night come through.
  const times: Record<'hostile' | 'honest', number[]> = { hostile: [], honest: [] };
  const spoilt: string[] = [];
  let nights = 0;
  await night(-1, false);
  for (; spoilt.length < ANSWERS; nights += 1) {
    const hostile = await night(nights, true).catch((failure: unknown) => {
      throw new Error(`night ${nights} of seed ${SEED}`, { cause: failure });
    });
    spoilt.push(...hostile.spoilt);
    times.hostile.push(hostile.ms);
    if (nights % HONEST_EVERY === 0) times.honest.push((await night(nights, false)).ms);
  }
  expect(new Set(spoilt.map((name) => name.split(': ')[1])).size).toBeGreaterThan(10);
  // An answer that holds a night up costs many times as much; a busy machine may double it.
  expect(median(times.hostile)).toBeLessThan(4 * median(times.honest));
});
