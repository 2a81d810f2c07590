import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Log, LogFields } from '../../../src/domain/ports.ts';
import { sendJson, startScriptedServer, type ScriptedServer, type Script } from '../../support/scripted-server.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { createTransport } from '../../../src/service/exchange.ts';
import { createServiceClient, type CreatePayload, type ServiceClient } from '../../../src/service/client.ts';

const payload: CreatePayload = {
  streetAddress: '1 Main St',
  city: 'Tampa',
  state: 'FL',
  zipcode: '02139',
  serviceName: 'Exterior',
  policyType: 'Homeowners Insurance',
  houseType: 'Other',
  insuredName: 'Ann Lee',
  insuredPhone: '1',
  insuredEmail: 'a@example.com',
  allowDuplication: false,
};
const own = (message: string): object => ({ error: { message } });

interface Bench extends AsyncDisposable {
  readonly client: ServiceClient;
  readonly server: ScriptedServer;
  readonly lines: string[];
}

/** A client and a server that grants tokens t1, t2, … and leaves the rest to the script. */
async function bench(script: Script, options: { timeoutMs?: number; maySend?: () => boolean } = {}): Promise<Bench> {
  let grants = 0;
  const server = await startScriptedServer((request, response) => {
    if (request.url !== '/v1/oauth/token') return script(request, response);
    grants += 1;
    sendJson(response, 200, {
      access_token: `t${grants}`,
      token_type: 'bearer',
      refresh_token: `r${grants}`,
      expires_in: 600,
    });
  });
  const lines: string[] = [];
  const note = (event: string, fields?: LogFields): void => void lines.push(`${event} ${JSON.stringify(fields)}`);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const client = createServiceClient(clientOptions(server.origin, { ...options, log }));
  return {
    client,
    server,
    lines,
    async [Symbol.asyncDispose]() {
      client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

function clientOptions(
  baseUrl: string,
  more: { timeoutMs?: number; connectTimeoutMs?: number; maySend?: () => boolean; log: Log },
): Parameters<typeof createServiceClient>[0] {
  const clock = createVirtualClock();
  return {
    baseUrl,
    clientId: 'client',
    clientSecret: 'secret-c',
    username: 'user',
    password: 'secret-p',
    clock,
    sleep: () => Promise.resolve(),
    random: () => 0.5,
    ...more,
  };
}

const html: Script = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end('<html>Sign in to the guest network</html>');
};
const detail =
  (project: unknown): Script =>
  (_request, response) =>
    sendJson(response, 200, { project: [project] });
const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Script =>
  (_request, response) =>
    sendJson(response, status, body, headers);

describe('createServiceClient', () => {
  test('nothing that changes is sent after another host took over', async () => {
    let isSure = true;
    await using made = await bench(detail({ id: 7 }), { maySend: () => isSure });
    expect(await made.client.createProject(payload)).toMatchObject({ kind: 'created' });
    isSure = false;
    const asked = made.server.seen.length;
    expect(await made.client.createProject(payload)).toMatchObject({ kind: 'not-sent' });
    expect(await made.client.putStatus('7', { value: 'Client Received' })).not.toMatchObject({ kind: 'ok' });
    expect(made.server.seen).toHaveLength(asked);
    expect((await made.client.getProject('7')).kind).toBe('ok');
  });

  test.each<[string, Script, object]>([
    [
      'a project, with an id that a number cannot hold',
      (_q, response) => sendJson(response, 200, '{"project":[{"id":9223372036854775807,"city":"Tampa"}]}'),
      { kind: 'created', project: { id: '9223372036854775807', city: 'Tampa' } },
    ],
    [
      'a project whose other fields are odd',
      detail({ id: 7, lat: '27.9', policyNumber: 12345, isRenewal: null, novel: [1] }),
      { kind: 'created', project: { id: '7', policyNumber: '12345', isRenewal: null, novel: [1] } },
    ],
    ['409', answer(409, own('exists')), { kind: 'duplicate', message: 'exists' }],
    ['400', answer(400, own('bad state')), { kind: 'refused', status: 400, message: 'bad state' }],
    ['422', answer(422, own('bad date')), { kind: 'refused', status: 422, message: 'bad date' }],
    [
      '429 with Retry-After',
      answer(429, own('slow down'), { 'retry-after': '7' }),
      { kind: 'throttled', retryAfterMs: 7000 },
    ],
    ['429 without', answer(429, own('slow down')), { kind: 'throttled', retryAfterMs: null }],
    ['403', answer(403, own('not you')), { kind: 'stop', status: 403, message: 'not you', notCreated: true }],
    ['404 in own words', answer(404, own('no such thing')), { kind: 'stop', status: 404, notCreated: true }],
    ['418 in own words', answer(418, own('teapot')), { kind: 'stop', status: 418, notCreated: false }],
    [
      '400 of somebody else',
      answer(400, { message: 'Request blocked' }),
      { kind: 'stop', status: 400, notCreated: false },
    ],
    [
      '409 of somebody else',
      (_q, response) => response.writeHead(409).end('conflict'),
      { kind: 'unknown', status: 409 },
    ],
    [
      '429 of somebody else',
      (_q, response) => response.writeHead(429).end(),
      { kind: 'stop', status: 429, notCreated: false },
    ],
    [
      '401 of somebody else is not repeated',
      (_q, response) => response.writeHead(401).end(),
      { kind: 'stop', status: 401, notCreated: false },
    ],
    ['408', answer(408, own('late')), { kind: 'unknown', status: 408 }],
    ['500', answer(500, own('oops')), { kind: 'unknown', status: 500 }],
    [
      '503 with Retry-After',
      answer(503, own('away'), { 'retry-after': '9' }),
      { kind: 'unknown', status: 503, retryAfterMs: 9000 },
    ],
    ['504', answer(504, own('deadline')), { kind: 'unknown', status: 504 }],
    [
      '307',
      (_q, response) => response.writeHead(307, { location: '/elsewhere' }).end(),
      { kind: 'unknown', status: 307 },
    ],
    ['HTML with 200', html, { kind: 'unknown', status: 200 }],
    ['JSON cut short', answer(200, '{"project":[{"id":1'), { kind: 'unknown', status: 200 }],
    ['nothing with 204', (_q, response) => response.writeHead(204).end(), { kind: 'unknown', status: 204 }],
    ['another envelope', answer(200, { id: 1 }), { kind: 'unknown', status: 200 }],
    ['a project without id', detail({ city: 'Tampa' }), { kind: 'unknown', status: 200 }],
    ['an id that is none', detail({ id: 1.5 }), { kind: 'unknown', status: 200 }],
    ['no project', answer(200, { project: [] }), { kind: 'unknown', status: 200 }],
    ['two projects', answer(200, { project: [{ id: 1 }, { id: 2 }] }), { kind: 'unknown', status: 200 }],
    [
      'a connection cut after the body was read',
      (_q, response) => response.socket?.resetAndDestroy(),
      { kind: 'unknown', status: null, reason: expect.stringContaining('ECONNRESET') },
    ],
    [
      'a connection cut in the middle of the answer',
      (_q, response) => {
        response.writeHead(200, { 'content-length': '500' });
        response.write('{"project"', () => response.socket?.destroy());
      },
      { kind: 'unknown', status: null },
    ],
    [
      'an answer that is not HTTP',
      (_q, response) => response.socket?.end('SSH-2.0-OpenSSH\r\n'),
      { kind: 'unknown', status: null },
    ],
  ])('a create answered by %s', async (_name, script, outcome) => {
    await using b = await bench(script);
    expect(await b.client.createProject(payload)).toMatchObject(outcome);
    // Whatever came of it, it was sent once.
    expect(b.server.seen.filter((request) => request.url === '/v1/project')).toHaveLength(1);
  });

  test('a create that gets no answer in time is unknown', async () => {
    await using b = await bench(() => undefined, { timeoutMs: 1_000 });
    expect(await b.client.createProject(payload)).toMatchObject({
      kind: 'unknown',
      status: null,
      reason: expect.stringContaining('response') as string,
    });
  });

  test('a create cut off on a reused socket is unknown', async () => {
    await using b = await bench((request, response) =>
      request.method === 'GET' ? sendJson(response, 200, { project: [] }) : void response.socket?.resetAndDestroy(),
    );
    await b.client.searchProjects({});
    expect(await b.client.createProject(payload)).toMatchObject({ kind: 'unknown', status: null });
  });

  test('createProject sends JSON with the token and without nulls', async () => {
    await using b = await bench(detail({ id: 1 }));
    await b.client.createProject({ ...payload, note: null as unknown as string, supplementalServices: ['Wildfire'] });
    const request = b.server.seen[1];
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer t1',
      'content-type': 'application/json',
      accept: 'application/json',
    });
    expect(JSON.parse(request?.body ?? '')).toEqual({ ...payload, supplementalServices: ['Wildfire'] });
  });

  test('a connection that is never made proves a create unsent', async () => {
    const sockets: { destroy(): unknown }[] = [];
    const silent = createTcpServer((socket) => void sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    const silentPort = (silent.address() as AddressInfo).port;
    try {
      await using plain = await startScriptedServer(() => undefined);
      const gone = await startScriptedServer(() => undefined);
      await gone[Symbol.asyncDispose]();
      for (const [baseUrl, connectTimeoutMs, why] of [
        [gone.origin, 10_000, 'ECONNREFUSED'],
        [plain.origin.replace('http:', 'https:'), 10_000, 'connection failed'],
        [`https://127.0.0.1:${silentPort}`, 500, 'secureConnect'],
      ] as const) {
        const transport = createTransport({ timeoutMs: 10_000, connectTimeoutMs, socketsMax: 2 });
        const exchange = await transport.exchange({
          method: 'POST',
          url: new URL('/v1/project?key=secret-u', baseUrl),
          headers: { authorization: 'secret-h' },
          body: 'secret-b',
        });
        expect(exchange).toEqual({ kind: 'failed', sent: 'no', reason: expect.stringContaining(why) as string });
        expect(JSON.stringify(exchange)).not.toContain('secret');
        transport.close();
      }
      expect(plain.seen).toEqual([]);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });

  test("createProject repeats once after a 401 in the service's own words", async () => {
    await using b = await bench((request, response) =>
      request.headers.authorization === 'Bearer t1'
        ? sendJson(response, 401, own('expired'))
        : sendJson(response, 200, { project: [{ id: 5 }] }),
    );
    expect(await b.client.createProject(payload)).toMatchObject({ kind: 'created' });
    expect(b.server.seen.map(({ url, headers }) => [url, headers.authorization?.slice(0, 9)])).toEqual([
      ['/v1/oauth/token', expect.stringContaining('Basic') as string],
      ['/v1/project', 'Bearer t1'],
      ['/v1/oauth/token', expect.stringContaining('Basic') as string],
      ['/v1/project', 'Bearer t2'],
    ]);

    await using never = await bench(answer(401, own('no')));
    expect(await never.client.createProject(payload)).toEqual({
      kind: 'stop',
      status: 401,
      message: 'no',
      notCreated: true,
    });
    expect(never.server.seen.filter(({ url }) => url === '/v1/project')).toHaveLength(2);
  });

  test.each<[string, Script, object]>([
    ['404 in own words', answer(404, own('unknown project')), { kind: 'not-found', message: 'unknown project' }],
    ['404 of somebody else', html404, { kind: 'stop', status: 404 }],
    ['409', answer(409, own('cannot')), { kind: 'refused', status: 409, message: 'cannot' }],
    ['403', answer(403, own('not you')), { kind: 'stop', status: 403 }],
    ['429', answer(429, {}, { 'retry-after': '3' }), { kind: 'transient', status: 429, retryAfterMs: 3000 }],
    ['504', answer(504, own('deadline')), { kind: 'transient', status: 504 }],
    [
      'a redirect',
      (_q, response) => response.writeHead(302, { location: '/login' }).end(),
      { kind: 'transient', status: 302 },
    ],
    ['HTML with 200', html, { kind: 'transient', status: 200 }],
    [
      'another project',
      answer(200, { project: [{ id: 43, status: 'Project Created' }] }),
      { kind: 'transient', status: 200 },
    ],
    ['a cut connection', (_q, response) => response.socket?.resetAndDestroy(), { kind: 'transient', status: null }],
    [
      'a status nobody knows',
      answer(200, { project: [{ id: '42', status: 'closed out' }] }),
      { kind: 'ok', value: { id: '42', status: 'closed out' } },
    ],
  ])('a status read or put, answered by %s', async (_name, script, outcome) => {
    await using b = await bench(script);
    expect(await b.client.getStatus('42')).toMatchObject(outcome);
    expect(await b.client.putStatus('42', { value: 'Client Received' })).toMatchObject(outcome);
  });

  function html404(_request: unknown, response: Parameters<Script>[1]): void {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>nginx</h1>');
  }

  test("searchProjects uses the document's names and tolerates one odd item", async () => {
    await using b = await bench((_q, response) =>
      sendJson(
        response,
        200,
        '{"project":[{"id":9007199254740993,"policyNumber":77},{"id":"9007199254740995","zipcode":{},"status":null}]}',
      ),
    );
    const found = await b.client.searchProjects({
      status: 'Returned to Client',
      inspectionNumber: 'A&1',
      startId: '9007199254740993',
      limit: 500,
      createdTimeEnd: 9,
      policyNumber: undefined,
    });
    expect(found).toEqual({
      kind: 'ok',
      value: [
        { id: '9007199254740993', policyNumber: '77' },
        { id: '9007199254740995', status: null },
      ],
    });
    expect(Object.fromEntries(new URL(b.server.seen[1]?.url ?? '', b.server.origin).searchParams)).toEqual({
      status: 'Returned to Client',
      inspectionNumber: 'A&1',
      startId: '9007199254740993',
      limit: '500',
      'createdTime.end': '9',
    });
  });

  test('returns a summary byte for byte and parsed', async () => {
    const text =
      '{ "report": [ { "id": "r/1", "summary": {"roof":{"hasTarp":null}}, "project": {"id": 9007199254740993, "address": {"zipcode": 2139}} } ] }\n';
    await using b = await bench(answer(200, text));
    const summary = await b.client.getReportSummary('r/1');
    expect(b.server.seen[1]?.url).toBe('/v1/report/r%2F1/summary');
    expect(summary).toMatchObject({
      kind: 'ok',
      value: { report: { project: { id: 9007199254740993n }, summary: { roof: { hasTarp: null } } } },
    });
    expect(summary.kind === 'ok' && summary.value.bytes.toString()).toBe(text);
  });

  test('getReportUrl returns the URL unchanged, or no answer', async () => {
    await using b = await bench(answer(200, { url: 'https://files.example/r.pdf?signature=s' }));
    expect(await b.client.getReportUrl('r/1')).toEqual({
      kind: 'ok',
      value: { url: 'https://files.example/r.pdf?signature=s' },
    });
    expect(b.server.seen[1]?.url).toBe('/v1/report/r%2F1/url');
    await using none = await bench(answer(200, { url: '' }));
    expect(await none.client.getReportUrl('1')).toMatchObject({ kind: 'transient' });
  });

  test('listReports accepts an empty list and never sends a path as ID', async () => {
    await using b = await bench(answer(200, { project: [{ id: 1, report: [], image: null }] }));
    expect(await b.client.listReports('1')).toEqual({ kind: 'ok', value: [] });
    expect(await b.client.listImages('1')).toEqual({ kind: 'ok', value: [] });
    expect(await b.client.openImageFile('..')).toMatchObject({ kind: 'not-found' });
    expect(b.server.seen).toHaveLength(3);
  });

  test('a redirected file is opened without revealing token or signature', async () => {
    await using files = await startScriptedServer((_q, response) =>
      response.writeHead(200, { 'content-type': 'Application/PDF; x=1', 'content-length': '8' }).end('%PDF-1.7'),
    );
    await using b = await bench((_q, response) =>
      response
        .writeHead(307, { location: `${files.origin}/a.pdf?signature=top-secret`, 'set-cookie': 'session=1' })
        .end('moved'),
    );
    const file = await b.client.openReportFile('1', { compressed: true });
    if (file.kind !== 'ok') throw new Error(file.kind);
    expect(file.value).toMatchObject({ contentType: 'application/pdf', contentLength: 8 });
    expect((await buffer(file.value.stream)).toString()).toBe('%PDF-1.7');
    expect(b.server.seen[1]).toMatchObject({
      url: '/v1/report/1/file?compressed=true',
      headers: { authorization: 'Bearer t1' },
    });
    expect(Object.keys(files.seen[0]?.headers ?? {}).toSorted()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
    expect(b.lines.join()).not.toMatch(/top-secret|127\.0\.0\.1/);
  });

  test.each([
    ['is not sent to a signed address', 200, [undefined]],
    ['is sent where the service asks for it', 401, [undefined, 'Bearer t1']],
  ] as const)('the token %s on the own server', async (_name, without, tokens) => {
    await using b = await bench(({ url, headers }, response) => {
      const isSigned = url?.startsWith('/signed') ?? false;
      const status = headers.authorization === undefined ? without : 200;
      if (isSigned) response.writeHead(status, { 'content-type': 'image/png' });
      else response.writeHead(307, { location: '/signed?x' });
      response.end('x');
    });
    expect(await b.client.openImageFile('1')).toMatchObject({ kind: 'ok' });
    expect(b.server.seen.slice(2).map(({ headers }) => headers.authorization)).toEqual(tokens);
  });

  test('the token never goes to another server, even if it asks', async () => {
    await using files = await startScriptedServer(answer(401, {}));
    await using b = await bench((_q, response) => response.writeHead(307, { location: `${files.origin}/a` }).end());
    expect(await b.client.openImageFile('1')).toMatchObject({ kind: 'transient', status: 401 });
    expect(files.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test.each<[string, Script, object]>([
    [
      'bytes at once',
      (_q, response) => response.writeHead(200, { 'content-type': 'image/jpeg' }).end('x'),
      { kind: 'ok', value: { contentType: 'image/jpeg' } },
    ],
    ['404 in own words', answer(404, own('no file')), { kind: 'not-found', message: 'no file' }],
    [
      '404 behind a redirect',
      (request, response) =>
        request.url === '/gone'
          ? html404(request, response)
          : void response.writeHead(307, { location: '/gone' }).end(),
      { kind: 'not-found' },
    ],
    [
      '403 behind a redirect',
      (request, response) =>
        void (request.url === '/old' ? response.writeHead(403) : response.writeHead(307, { location: '/old' })).end(),
      { kind: 'transient', status: 403 },
    ],
    ['a page instead of a file', html, { kind: 'transient', status: 200 }],
    [
      'a circle',
      (request, response) =>
        void response.writeHead(302, { location: request.url === '/b' ? '/v1/image/1/file' : '/b' }).end(),
      { kind: 'transient', reason: expect.stringContaining('redirect loop') },
    ],
    [
      'redirects without end',
      (request, response) => void response.writeHead(302, { location: `${request.url}x` }).end(),
      { kind: 'transient', reason: expect.stringContaining('more than 3') },
    ],
    [
      'plain http elsewhere',
      (_q, response) =>
        void response.writeHead(302, { location: 'http://files.example.com/?signature=top-secret' }).end(),
      { kind: 'transient', reason: expect.stringContaining('https') },
    ],
    ['503', answer(503, own('away'), { 'retry-after': '2' }), { kind: 'transient', status: 503, retryAfterMs: 2000 }],
  ])('a file answered by %s', async (_name, script, outcome) => {
    await using b = await bench(script);
    const opened = await b.client.openImageFile('1');
    expect(opened).toMatchObject(outcome);
    if (opened.kind === 'ok') opened.value.stream.destroy();
    expect(b.lines.join()).not.toContain('top-secret');
  });

  test('a file that breaks off fails without its URL', async () => {
    await using b = await bench((request, response) => {
      if (!request.url.includes('signature'))
        return void response.writeHead(307, { location: '/a?signature=top-secret' }).end();
      response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': '1000' });
      response.write('%PDF', () => response.socket?.destroy());
    });
    const file = await b.client.openReportFile('1');
    if (file.kind !== 'ok') throw new Error(file.kind);
    const failure: unknown = await buffer(file.value.stream).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ name: 'TransportError' });
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain('top-secret');
  });

  test('openImageFile expects no length of a file that came compressed', async () => {
    await using b = await bench((_q, response) => {
      const packed = gzipSync('whole photo');
      response.writeHead(200, {
        'content-type': 'image/jpeg',
        'content-encoding': 'gzip',
        'content-length': packed.length,
      });
      response.end(packed);
    });
    const file = await b.client.openImageFile('1');
    if (file.kind !== 'ok') throw new Error(file.kind);
    expect(file.value.contentLength).toBeNull();
    expect((await buffer(file.value.stream)).toString()).toBe('whole photo');
  });

  test("a file's 401 gets another token; a stopped read rejects", async () => {
    await using b = await bench((request, response) =>
      request.headers.authorization === 'Bearer t1'
        ? sendJson(response, 401, own('expired'))
        : void response.writeHead(200, { 'content-type': 'image/png' }).end('x'),
    );
    const file = await b.client.openImageFile('1');
    expect(file.kind === 'ok' && (await buffer(file.value.stream)).toString()).toBe('x');
    const stop = new AbortController();
    stop.abort(new Error('stopped'));
    await expect(b.client.getStatus('1', { signal: stop.signal })).rejects.toBe(stop.signal.reason);
  });

  test.each([
    [403, true],
    [429, undefined],
    [503, undefined],
  ])('openImageFile with a store that answers %i is about this file: %s', async (status, aboutItem) => {
    await using b = await bench((request, response) => {
      if (request.url.includes('signature')) return void response.writeHead(status).end();
      response.writeHead(307, { location: '/a?signature=x' }).end();
    });
    const opened = await b.client.openImageFile('1');
    expect(opened).toMatchObject({ kind: 'transient', status });
    expect('aboutItem' in opened ? opened.aboutItem : undefined).toBe(aboutItem);
  });
});
