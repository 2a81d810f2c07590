import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseExactJson } from '../../../src/contract/json.ts';
import { silentLog } from '../../../src/domain/ports.ts';
import { createServiceClient, type ServiceClient } from '../../../src/service/client.ts';
import { createPacer, pacedReads } from '../../../src/service/pacer.ts';
import { paceOfRead } from '../../../src/service/outcome.ts';
import {
  MalformedResponse,
  OutageWatch,
  readOrThrow,
  searchPages,
  ServiceUnavailable,
} from '../../../src/service/reads.ts';
import { highestVisibleProjectId } from '../../../src/submit/find-projects.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';
import { newOrder, recordOrders } from '../../support/order-factory.ts';
import { clientThat, openRunBench, submitContext } from '../../support/run-bench.ts';
import { type Script, type ScriptedServer, sendJson, startScriptedServer } from '../../support/scripted-server.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const clock = createVirtualClock();
const world = { clock, sleep: async () => {}, random: () => 0.5, log: silentLog, signal: new AbortController().signal };
/** More than any answer may have. */
const TOO_LONG = Buffer.alloc(17 * 1024 * 1024, ' ');
const PACKED = gzipSync(TOO_LONG, { level: 1 });
const PAYLOAD = {} as Parameters<ServiceClient['createProject']>[0];

async function bench(
  script: Script,
  options: { timeoutMs?: number } = {},
): Promise<{ client: ServiceClient; server: ScriptedServer } & AsyncDisposable> {
  const server = await startScriptedServer((request, response) => {
    if (request.url !== '/v1/oauth/token') return script(request, response);
    sendJson(response, 200, { access_token: 't', token_type: 'bearer', refresh_token: 'r', expires_in: 600 });
  });
  const client = createServiceClient({
    baseUrl: server.origin,
    clientId: 'c',
    clientSecret: 's',
    username: 'u',
    password: 'p',
    ...world,
    ...options,
  });
  const close = async (): Promise<void> => {
    client.close();
    await server[Symbol.asyncDispose]();
  };
  return { client, server, [Symbol.asyncDispose]: close };
}

const deep = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
const summary = (held: string): string => `{"report":[{"id":"R1","summary":{"odd":${held}}}]}`;

describe('createServiceClient', () => {
  test.each<[string, string, RegExp]>([
    ['nested 5,000 deep', deep(5_000), /nested more than 64 deep/],
    ['objects nested 100,000 deep', '{"a":'.repeat(100_000), /nested more than 64 deep/],
    ['a list of 100,000', `[${'1,'.repeat(100_000)}1]`, /more than 20,000 members/],
    [
      'an object of 100,000 keys',
      `{${Array.from({ length: 100_000 }, (_, key) => `"${key}":1`).join(',')}}`,
      /more than 20,000 members/,
    ],
    [
      'many lists of many',
      `[${Array.from({ length: 15_000 }, () => '[1,2,3,4,5,6,7,8]').join(',')}]`,
      /more than 100,000 values/,
    ],
    ['a text of 2 MB', `"${'x'.repeat(2_000_000)}"`, /text in it is longer/],
    ['a name of 2 MB', `{"${'\\"'.repeat(1_000_000)}":1}`, /text in it is longer/],
    ['a number of 100,000 digits', '9'.repeat(100_000), /more than 400 digits/],
  ])('what is beyond is not read of a stranger: %s', async (_name, held, why) => {
    expect(() => parseExactJson(held)).toThrow(why);
    await using b = await bench((_request, response) => sendJson(response, 200, summary(held)));
    const asked = b.client.getReportSummary('R1');
    expect(await asked).toMatchObject({
      kind: 'transient',
      aboutItem: true,
      isFinal: true,
      reason: expect.stringMatching(why),
    });
    // The pace is not changed, it is asked for once, and the service is not away.
    expect(paceOfRead(await asked)).toEqual({ kind: 'ok' });
    await expect(readOrThrow(() => b.client.getReportSummary('R1'), world)).rejects.toThrow(MalformedResponse);
    expect(b.server.seen.filter(({ url }) => url.includes('summary'))).toHaveLength(2);
    // A create answered so is in doubt, whatever the status: one kind of text shows it for all.
    for (const status of held === deep(5_000) ? [201, 400, 409, 422] : [201]) {
      await using odd = await bench((_request, response) =>
        sendJson(response, status, `{"error":{"message":"no","held":${held}}}`),
      );
      expect(await odd.client.createProject(PAYLOAD)).toMatchObject({ kind: 'unknown', status });
    }
  });

  test('odd answers within the limits are read unchanged', () => {
    expect(parseExactJson(deep(60))).toBeTruthy();
    expect(parseExactJson(`[${'1,'.repeat(19_000)}1]`)).toHaveLength(19_001);
    const odd = parseExactJson(
      String.raw`{"a":1e999,"b":-1E400,"c":12345678901234567890,"d":"\ud800x\u0000","__proto__":{"polluted":1},"a\"\\":"[{,","a":1e999}`,
    ) as Record<string, unknown>;
    expect(odd).toMatchObject({ a: '1e999', b: '-1E400', c: 12345678901234567890n, d: '\uFFFDx\u0000', 'a"\\': '[{,' });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    for (const text of ['', '{"a', '[1,', '"\\', '{"a":1e5}x', '\u0000'])
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });

  test.each<[string, (size: number) => string]>([
    ['backslashes', (size) => `"${'\\'.repeat(size)}"`],
    ['quotes', (size) => '"'.repeat(size)],
    ['spaces', (size) => ' '.repeat(size)],
    ['a text that does not end', (size) => `"${'\\"'.repeat(size)}`],
    ['numbers without commas', (size) => `${'9'.repeat(300)} `.repeat(size / 300)],
  ])('the work grows with the text, and no faster: %s', (_name, make) => {
    // Quadratic, this would take many minutes.
    const text = make(1_500_000);
    const began = performance.now();
    expect(() => parseExactJson(text)).toThrow(Error);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test.each<[string, Script]>([
    [
      'longer than any',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(TOO_LONG);
      },
    ],
    [
      'small on the way, and endless unpacked',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        response.end(PACKED);
      },
    ],
  ])('an answer %s is left, and reported once', async (_name, script) => {
    await using b = await bench(script);
    expect(await b.client.getStatus('1')).toMatchObject({
      kind: 'transient',
      aboutItem: true,
      isFinal: true,
      reason: expect.stringContaining('16 MiB'),
    });
    expect(await b.client.createProject(PAYLOAD)).toMatchObject({ kind: 'unknown' });
  });

  /** A byte now and then, forever. */
  const dripping: Script = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drip));
  };

  test('an answer that drips has an end', async () => {
    // Long enough for the token and the first byte on a busy machine.
    await using b = await bench(dripping, { timeoutMs: 1_500 });
    expect(await b.client.getStatus('1')).toMatchObject({ kind: 'transient', aboutItem: true, isFinal: true });
    expect(await b.client.createProject(PAYLOAD)).toMatchObject({ kind: 'unknown' });
  });

  test('words of half a megabyte are shortened', async () => {
    await using b = await bench((_request, response) =>
      sendJson(response, 400, { error: { message: 'No such state.\u0000\u001b[31m\n '.repeat(15_000) } }),
    );
    const outcome = await b.client.createProject(PAYLOAD);
    expect(outcome).toMatchObject({
      kind: 'refused',
      status: 400,
      message: expect.stringMatching(/^No such state\. \[31m No .{900,1000}…$/),
    });
  });

  test.each<[string, (client: ServiceClient) => Promise<unknown>]>([
    ['an answer that drips', (client) => client.getStatus('1')],
    [
      'a report that drips',
      async (client) => {
        const opened = await client.openReportFile('R1');
        if (opened.kind !== 'ok') throw new Error('it was not opened');
        for await (const chunk of opened.value.stream) if (chunk === null) break;
      },
    ],
  ])('the stop signal ends the wait for %s', async (_name, read) => {
    const stop = new AbortController();
    const script: Script = (request, response) => {
      if (request.url.includes('/file')) response.setHeader('x-kind', 'file');
      response.writeHead(200, {
        'content-type': request.url.includes('/file') ? 'application/pdf' : 'application/json',
      });
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
      setTimeout(() => stop.abort(new Error('stop')), 60);
    };
    await using b = await bench(script);
    const pacer = createPacer({ ...world, maxConcurrency: 2, signal: stop.signal });
    const ended = read(pacedReads(b.client, pacer, stop.signal)).catch((failure: unknown) => failure);
    const late = new Promise((resolve) => {
      setTimeout(resolve, 20_000, 'late').unref();
    });
    expect(await Promise.race([ended, late])).not.toBe('late');
  });

  const page = (from: bigint, count: number): { id: string }[] =>
    Array.from({ length: count }, (_, nth) => ({ id: String(from + BigInt(nth)) }));

  async function paged(searchProjects: ServiceClient['searchProjects'], pagesMax = 50): Promise<string[]> {
    const ids: string[] = [];
    for await (const items of searchPages({}, 5n, { ...world, client: { searchProjects } }, pagesMax))
      ids.push(...items.map(({ id }) => id));
    return ids;
  }

  test('a search that stops or never ends is not used', async () => {
    await expect(paged(async () => ({ kind: 'ok', value: page(5n, 3) }))).rejects.toBeInstanceOf(ServiceUnavailable);
    await expect(paged(async () => ({ kind: 'ok', value: page(1n, 3) }))).rejects.toBeInstanceOf(ServiceUnavailable);
    let asked = 0;
    const endless: ServiceClient['searchProjects'] = async ({ startId = '0' }) => {
      asked += 1;
      return { kind: 'ok', value: page(BigInt(startId), 500) };
    };
    await expect(paged(endless)).rejects.toThrow(/does not end/);
    expect(asked).toBe(2);
    asked = 0;
    const growing: ServiceClient['searchProjects'] = async ({ startId = '0' }) => {
      asked += 1;
      return { kind: 'ok', value: BigInt(startId) > 2n ** 53n ? [] : page(BigInt(startId), 3) };
    };
    await expect(paged(growing)).rejects.toThrow(/does not end/);
    expect(asked).toBe(50 + 1);
    // Whatever the order within a page, ids grow; the highest id there can be is the last.
    const last = String(2n ** 63n - 1n);
    expect(
      await paged(async ({ startId }) => ({
        kind: 'ok',
        value: startId === '5' ? [{ id: '9' }, { id: '3' }, { id: '7' }] : [{ id: last }],
      })),
    ).toEqual(['7', '9', last]);
  });

  test('only an unanswered service is an outage, not unanswered items', async () => {
    let isThere = true;
    const client = clientThat({
      searchProjects: async () =>
        isThere
          ? { kind: 'ok', value: [] }
          : { kind: 'transient', reason: 'HTTP 503', status: 503, retryAfterMs: null },
    });
    const outage = new OutageWatch({ ...world, client });
    for (let time = 0; time < 20; time += 1) outage.failed(new ServiceUnavailable('HTTP 500'));
    expect(await outage.isOut()).toBe(false);
    isThere = false;
    for (let time = 0; time < 50; time += 1) outage.failed(new MalformedResponse('odd'));
    expect(await outage.isOut()).toBe(false);
    for (let time = 0; time < 5; time += 1) outage.failed(new ServiceUnavailable('HTTP 500'));
    expect(await outage.isOut()).toBe(true);
  });

  test('one odd ID sets no lower bound for searches', async () => {
    const poisoned = String(2n ** 62n);
    const world2 = (isReal: boolean) => ({
      ...world,
      client: clientThat({
        searchProjects: async ({ startId = '0' }) => ({
          kind: 'ok',
          value:
            BigInt(startId) > 100_005n ? (BigInt(startId) <= 2n ** 62n ? [{ id: poisoned }] : []) : [{ id: '100005' }],
        }),
        getProject: async (id) =>
          isReal ? { kind: 'ok', value: { id } } : { kind: 'not-found', message: 'no such project' },
      }),
    });
    expect(await highestVisibleProjectId(world2(false), '100003')).toBe('100003');
    expect(await highestVisibleProjectId(world2(true), '100003')).toBe(poisoned);
  });

  test('an order with a far too high ID is in doubt', async () => {
    await using bench = await openRunBench();
    await bench.service.create({ policyNumber: 'earlier' });
    await recordOrders(bench.ledger, [
      newOrder({ policyNumber: 'A' }),
      newOrder({ policyNumber: 'B', streetAddress: '9 Elm Street' }),
    ]);
    const createProject: ServiceClient['createProject'] = async (payload) => {
      const outcome = await bench.client.createProject(payload);
      return outcome.kind === 'created' && payload.policyNumber === 'A'
        ? { ...outcome, project: { ...outcome.project, id: '9223372036854775807' } }
        : outcome;
    };
    await bench.clock.drive(submitOrders(submitContext({ ...bench, client: { ...bench.client, createProject } })));
    expect(await bench.ledger.orderCounts()).toMatchObject({ created: 2 });
    expect((await bench.ledger.followedProjects()).map(({ id }) => BigInt(id) < 1_000_000n)).toEqual([true, true]);
  });
});
