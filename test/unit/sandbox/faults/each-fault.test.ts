import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../../../src/sandbox/faults/faults.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { errorIn, order, projectsIn, TestClient, type Answer } from '../../../support/sandbox/test-client.ts';

const CREATE = { method: 'POST', route: '/v1/project' };
const REPORT = { route: '/v1/report/{reportId}/file' };
const FILES = { route: '/files/*' };

async function faulty(client: TestClient, ...rules: FaultRule[]): Promise<void> {
  const answer = await client.control('POST', '/faults', rules);
  if (answer.status !== 200) throw new Error(answer.text);
}

async function audit(client: TestClient): Promise<{
  creates: number;
  bites: Record<string, number>;
  requests: Record<string, Record<string, number>>;
  tokens: Record<string, number>;
  authorizationElsewhere: number;
  requestsElsewhere: number;
  internalErrors: unknown[];
}> {
  return (await client.control('GET', '/audit')).body as Awaited<ReturnType<typeof audit>>;
}

/** A project with its report ready. */
async function returned(client: TestClient): Promise<{ id: string; report: string }> {
  const id = await client.create();
  await client.setStatus(id, 'Returned to Client');
  return { id, report: `/v1/report/R${id}-1` };
}

/** The report's file, as the files origin answers it. */
async function reportFile(
  client: TestClient,
  report: string,
): Promise<{ status: number; type: string | null; bytes: Buffer }> {
  const { body } = await client.call('GET', `${report}/url`);
  const response = await fetch((body as { url: string }).url);
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

const create = async (client: TestClient): Promise<Answer> => await client.call('POST', '/v1/project', order());
/** A create whose answer is not read as JSON. */
async function post(client: TestClient, signal?: AbortSignal): Promise<{ status: number; text: string }> {
  const headers = { authorization: client.authorization, 'content-type': 'application/json' };
  const response = await fetch(`${client.sandbox.baseUrl}/v1/project`, {
    method: 'POST',
    redirect: 'manual',
    headers,
    body: JSON.stringify(order()),
    signal: signal ?? null,
  });
  return { status: response.status, text: await response.text() };
}
/** What becomes of a request that may be cut: its status, or `cut`. */
const outcome = async (answer: Promise<{ readonly status: number }>): Promise<number | 'cut'> =>
  await answer.then(
    ({ status }) => status,
    () => 'cut' as const,
  );

describe('attachFaults', () => {
  test.each([
    ['commit-then-504', 504, 1],
    ['commit-then-reset', 'cut', 1],
    ['504', 504, 0],
    ['500', 500, 0],
    ['502', 502, 0],
    ['503', 503, 0],
    ['429', 429, 0],
    ['reset', 'cut', 0],
    ['html', 200, 0],
    ['commit-then-html', 200, 1],
    ['malformed-json', 200, 1],
    ['truncated', 'cut', 1],
    ['redirect-loop', 307, 0],
    ['redirect-elsewhere', 307, 0],
  ] as const)('%s answers one create with %s and leaves %i project', async (kind, seen, created) => {
    await using client = await TestClient.start();
    await faulty(client, { kind, match: CREATE, times: 1 });
    expect(await outcome(post(client))).toBe(seen);
    expect(await audit(client)).toMatchObject({ creates: created, bites: { [kind]: 1 }, internalErrors: [] });
    const healed = await create(client);
    expect([healed.status, Array.isArray(projectsIn(healed))]).toEqual([200, true]);
    expect((await audit(client)).creates).toBe(created + 1);
  });

  test.each([
    ['hang', 0],
    ['commit-then-hang', 1],
  ] as const)('%s never answers and leaves %i project', async (kind, created) => {
    await using client = await TestClient.start();
    await faulty(client, { kind, match: CREATE, untilSeconds: 60 });
    const asked = new AbortController();
    const given = outcome(post(client, asked.signal));
    await waitUntil('the fault', async () => (await audit(client)).bites[kind] === 1);
    asked.abort();
    expect(await given).toBe('cut');
    expect(await audit(client)).toMatchObject({ creates: created, requests: { 'POST /v1/project': { hang: 1 } } });
    await client.advance(60);
    expect((await create(client)).status).toBe(200);
  });

  test('a fault begins and heals on the sandbox’s clock', async () => {
    await using client = await TestClient.start();
    await client.control('POST', '/time', { freeze: true });
    await faulty(client, { kind: '503', match: CREATE, fromSeconds: 100, untilSeconds: 160 });
    const statuses: number[] = [];
    for (const seconds of [99, 1, 59, 1]) {
      await client.advance(seconds);
      statuses.push((await create(client)).status);
    }
    expect(statuses).toEqual([200, 503, 503, 200]);
  });

  test('Retry-After is absent, in seconds, or a date', async () => {
    await using client = await TestClient.start();
    await faulty(
      client,
      { kind: '429', times: 1 },
      { kind: '429', retryAfter: 17, times: 1 },
      { kind: '503', retryAfter: 3600, retryAfterAs: 'date', times: 1 },
    );
    const headers = [await create(client), await create(client), await create(client)].map((answer) => answer.headers);
    expect(headers.slice(0, 2).map((header) => header.get('retry-after'))).toEqual([null, '17']);
    const [told, sent] = [headers[2]?.get('retry-after') ?? '', headers[2]?.get('date') ?? ''].map(
      (text) => Date.parse(text) / 1000,
    );
    expect(Math.abs((told ?? 0) - (sent ?? 0) - 3600)).toBeLessThanOrEqual(2);
    expect((await create(client)).status).toBe(200);
  });

  test('a quota applies per user and ends when announced', async () => {
    const other = { username: 'other@staging.example', password: 'x' };
    await using client = await TestClient.start({ otherUsers: [other] });
    await client.control('POST', '/time', { freeze: true });
    await faulty(client, { kind: 'quota', limit: 3, perSeconds: 60, match: { route: '/v1/project*' } });
    for (let request = 0; request < 3; request += 1) expect((await create(client)).status).toBe(200);
    await client.advance(20);
    const refused = await create(client);
    expect([refused.status, refused.headers.get('retry-after'), typeof errorIn(refused)]).toEqual([
      429,
      '40',
      'string',
    ]);
    await client.logIn(other);
    expect((await create(client)).status).toBe(200);
    await client.logIn();
    expect((await create(client)).status).toBe(429);
    await client.advance(40);
    expect((await create(client)).status).toBe(200);
  });

  test('truncated announces more bytes than it sends; slow sends all in pieces', async () => {
    await using client = await TestClient.start();
    const { report } = await returned(client);
    const whole = await reportFile(client, report);
    await faulty(
      client,
      { kind: 'truncated', match: FILES, times: 1 },
      { kind: 'slow', match: FILES, ms: 50, times: 1 },
    );
    const { body } = await client.call('GET', `${report}/url`);
    const response = await fetch((body as { url: string }).url);
    expect(response.headers.get('content-length')).toBe(String(whole.bytes.length));
    let received = 0;
    const reading = (async () => {
      for await (const piece of response.body ?? []) received += (piece as Uint8Array).length;
    })();
    await expect(reading).rejects.toThrow('terminated');
    expect(received).toBeLessThan(whole.bytes.length);
    expect((await reportFile(client, report)).bytes.equals(whole.bytes)).toBe(true);
    expect((await audit(client)).bites).toEqual({ truncated: 1, slow: 1 });
  });

  test('latency delays an answer and changes nothing about it', async () => {
    await using client = await TestClient.start();
    await faulty(client, { kind: 'latency', ms: 1, times: 2 });
    expect([(await create(client)).status, (await create(client)).status, (await audit(client)).bites]).toEqual([
      200,
      200,
      { latency: 2 },
    ]);
  });

  test('malformed JSON and HTML come with 200', async () => {
    await using client = await TestClient.start();
    await create(client);
    await faulty(client, { kind: 'html', times: 1 }, { kind: 'malformed-json', times: 1 });
    const get = async (): Promise<{ status: number; type: string | null; text: string }> => {
      const response = await fetch(`${client.sandbox.baseUrl}/v1/project`, {
        headers: { authorization: client.authorization },
      });
      return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
    };
    expect(await get()).toEqual({
      status: 200,
      type: expect.stringContaining('text/html'),
      text: expect.stringContaining('<html>'),
    });
    const malformed = await get();
    expect([malformed.status, malformed.type]).toEqual([200, expect.stringContaining('application/json')]);
    expect(() => JSON.parse(malformed.text) as unknown).toThrow(SyntaxError);
    expect(JSON.parse((await get()).text)).toHaveProperty('project');
  });

  test('search-lag hides new projects from the search, not from a read', async () => {
    await using client = await TestClient.start();
    await client.control('POST', '/time', { freeze: true });
    const old = await client.create({ policyNumber: 'P' });
    await client.advance(100);
    await faulty(client, { kind: 'search-lag', lagSeconds: 30 });
    const fresh = await client.create({ policyNumber: 'P' });
    const visible = async (query: string) =>
      projectsIn(await client.call('GET', `/v1/project?${query}`)).map(({ id }) => String(id));
    for (const query of ['', 'policyNumber=P', 'limit=1&startId=100002', 'status=Project Created'])
      expect(await visible(query)).not.toContain(fresh);
    expect(await visible('policyNumber=P')).toEqual([old]);
    expect((await client.call('GET', `/v1/project/${fresh}`)).status).toBe(200);
    await client.advance(31);
    const { bites } = await audit(client);
    expect(await visible('policyNumber=P')).toEqual([old, fresh]);
    expect((await audit(client)).bites).toEqual(bites);
  });

  test('duplicate-lag compares with older projects only', async () => {
    await using client = await TestClient.start();
    await client.control('POST', '/time', { freeze: true });
    await faulty(client, { kind: 'duplicate-lag', lagSeconds: 30 });
    const again = async () =>
      (await client.call('POST', '/v1/project', order({ policyNumber: 'P', allowDuplication: false }))).status;
    expect([await again(), await again()]).toEqual([200, 200]);
    expect(await audit(client)).toMatchObject({
      bites: { 'duplicate-lag': 1 },
      doubles: [{ projectIds: [100_001, 100_002] }],
    });
    await client.advance(31);
    expect(await again()).toBe(409);
    // The newest is not known yet, an older one is.
    await client.create({ policyNumber: 'P', allowDuplication: true });
    expect(await again()).toBe(409);
  });

  test('lost-refresh uses up a refresh token without an answer', async () => {
    await using client = await TestClient.start();
    const { username, password } = client.sandbox.credentials;
    const granted = (answer: Answer) => answer.body as { refresh_token: string };
    await faulty(client, { kind: 'lost-refresh', times: 1 });
    const first = granted(await client.token({ grant_type: 'password', username, password }));
    const refresh = async (token: string) =>
      await outcome(client.token({ grant_type: 'refresh_token', refresh_token: token }));
    expect([await refresh(first.refresh_token), await refresh(first.refresh_token)]).toEqual(['cut', 401]);
    const second = granted(await client.token({ grant_type: 'password', username, password }));
    expect(await refresh(second.refresh_token)).toBe(200);
  });

  test('expired-url refuses one URL and serves the next', async () => {
    await using client = await TestClient.start();
    const { report } = await returned(client);
    await faulty(client, { kind: 'expired-url', match: FILES, times: 1 });
    expect([(await reportFile(client, report)).status, (await reportFile(client, report)).status]).toEqual([403, 200]);
  });

  test('file faults spoil the content of a complete answer', async () => {
    await using client = await TestClient.start();
    const { report } = await returned(client);
    const whole = await reportFile(client, report);
    const kinds = ['cut-file', 'corrupt-file', 'wrong-file', 'html-file'] as const;
    await faulty(client, ...kinds.map((kind) => ({ kind, match: FILES, times: 1 })));
    const [cut, corrupt, wrong, html] = [
      await reportFile(client, report),
      await reportFile(client, report),
      await reportFile(client, report),
      await reportFile(client, report),
    ];
    for (const { status, type } of [cut, corrupt, wrong, html])
      expect([status, type]).toEqual([200, 'application/pdf']);
    expect([cut.bytes.toString('latin1', 0, 5), cut.bytes.includes('%%EOF')]).toEqual(['%PDF-', false]);
    expect([corrupt.bytes.length, corrupt.bytes.equals(whole.bytes), corrupt.bytes.includes('%%EOF')]).toEqual([
      whole.bytes.length,
      false,
      true,
    ]);
    expect([wrong.bytes.toString('latin1', 0, 6), html.bytes.toString().startsWith('<!DOCTYPE html>')]).toEqual([
      'GIF89a',
      true,
    ]);
    expect((await reportFile(client, report)).bytes.equals(whole.bytes)).toBe(true);
  });

  test('a redirect loop leads back to itself; it ends with the fault', async () => {
    await using client = await TestClient.start();
    const { report } = await returned(client);
    await faulty(client, { kind: 'redirect-loop', match: REPORT, times: 30 });
    const answer = await client.call('GET', `${report}/file`);
    expect([answer.status, answer.headers.get('location')]).toEqual([307, `${client.sandbox.baseUrl}${report}/file`]);
    await expect(
      fetch(`${client.sandbox.baseUrl}${report}/file`, { headers: { authorization: client.authorization } }),
    ).rejects.toThrow('fetch failed');
    await faulty(client);
    expect((await client.call('GET', `${report}/file`)).headers.get('location')).toContain(client.sandbox.filesUrl);
  });

  test('redirects to another host count tokens; only a detour reaches the file', async () => {
    await using client = await TestClient.start();
    const { report } = await returned(client);
    await faulty(
      client,
      { kind: 'detour', match: REPORT },
      { kind: 'redirect-elsewhere', match: { route: '/v1/report/{reportId}/summary' } },
    );
    const location = (await client.call('GET', `${report}/file`)).headers.get('location') ?? '';
    expect([client.sandbox.baseUrl, client.sandbox.filesUrl]).not.toContain(new URL(location).origin);
    const file = await fetch(location);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    const stray = (await client.call('GET', `${report}/summary`)).headers.get('location') ?? '';
    expect(new URL(stray).pathname).toBe(`${report}/summary`);
    expect((await fetch(stray)).status).toBe(404);
    expect(await audit(client)).toMatchObject({ requestsElsewhere: 2, authorizationElsewhere: 0 });
    await fetch(stray, {
      method: 'POST',
      body: '{',
      headers: { authorization: 'Bearer leaked', 'content-type': 'application/json' },
    });
    expect(await audit(client)).toMatchObject({ requestsElsewhere: 3, authorizationElsewhere: 1, internalErrors: [] });
  });
});
