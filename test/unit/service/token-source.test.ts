import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/ports.ts';
import { sendJson, startScriptedServer, type ScriptedServer, type Script } from '../../support/scripted-server.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';
import { createTransport } from '../../../src/service/exchange.ts';
import { createTokenSource, tokenLifeMs, type TokenSource } from '../../../src/service/tokens.ts';

interface Bench extends AsyncDisposable {
  readonly tokens: TokenSource;
  readonly clock: VirtualClock;
  readonly server: ScriptedServer;
  /** The grants asked for so far. */
  grants(): (string | null)[];
}

/** A token source against a server whose every answer the script gives; `grant` gives token tN for the Nth request. */
async function bench(script: (grant: () => void, ...rest: Parameters<Script>) => void): Promise<Bench> {
  const server = await startScriptedServer((request, response) => {
    const n = server.seen.length;
    script(
      () =>
        sendJson(response, 200, {
          access_token: `t${n}`,
          refresh_token: `r${n}`,
          token_type: 'bearer',
          expires_in: 600,
        }),
      request,
      response,
    );
  });
  const clock = createVirtualClock();
  const transport = createTransport({ timeoutMs: 5000, connectTimeoutMs: 5000, socketsMax: 4 });
  const tokens = createTokenSource({
    transport,
    baseUrl: new URL(server.origin),
    clientId: 'client',
    clientSecret: 'c-secret',
    username: 'user',
    password: 'p-secret',
    clock,
    sleep: clock.sleep,
    random: () => 0.5,
    log: silentLog,
  });
  return {
    tokens,
    clock,
    server,
    grants: () => server.seen.map(({ body }) => new URLSearchParams(body).get('grant_type')),
    async [Symbol.asyncDispose]() {
      transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('createTokenSource', () => {
  test("get shares one request in the document's form", async () => {
    await using b = await bench((grant) => grant());
    expect(await Promise.all(Array.from({ length: 20 }, () => b.tokens.get()))).toEqual(
      Array.from({ length: 20 }, () => 't1'),
    );
    expect(b.server.seen).toHaveLength(1);
    expect(b.server.seen[0]).toMatchObject({
      method: 'POST',
      url: '/v1/oauth/token',
      body: 'grant_type=password&username=user&password=p-secret',
      headers: {
        authorization: `Basic ${Buffer.from('client:c-secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
    });
  });

  test("get refreshes after four fifths of a token's life", async () => {
    await using b = await bench((grant) => grant());
    await b.tokens.get();
    await b.clock.advance(479_999);
    expect(await b.tokens.get()).toBe('t1');
    await b.clock.advance(1);
    expect(await b.tokens.get()).toBe('t2');
    await b.clock.advance(480_000);
    expect(await b.tokens.get()).toBe('t3');
    expect(b.server.seen.map(({ body }) => new URLSearchParams(body).get('refresh_token'))).toEqual([null, 'r1', 'r2']);
  });

  test('a failed refresh falls back to the password', async () => {
    await using b = await bench((grant, request, response) => {
      if (!request.body.includes('refresh')) return grant();
      if (request.body.includes('r1')) return sendJson(response, 401, { error: { message: 'expired' } });
      response.socket?.resetAndDestroy();
    });
    await b.tokens.get();
    await b.clock.advance(500_000);
    expect(await b.tokens.get()).toBe('t3');
    await b.clock.advance(500_000);
    expect(await b.tokens.get()).toBe('t5');
    expect(b.grants()).toEqual(['password', 'refresh_token', 'password', 'refresh_token', 'password']);
  });

  test('refused credentials are sent once and not shown', async () => {
    await using b = await bench((_grant, _request, response) =>
      sendJson(response, 401, { error: { message: 'bad credentials p-secret' } }),
    );
    const failures = await Promise.allSettled([b.tokens.get(), b.tokens.get()]);
    for (const failure of [...failures, ...(await Promise.allSettled([b.tokens.get()]))]) {
      expect(failure).toMatchObject({
        status: 'rejected',
        reason: {
          name: 'ExplainedError',
          kind: 'usage',
          code: 'credentials-refused',
          message: expect.stringContaining('(HTTP 401: bad credentials ***)'),
        },
      });
    }
    expect(b.server.seen).toHaveLength(1);
  });

  test('a 403 refuses the credentials only in the service’s own words', async () => {
    await using refusing = await bench((_grant, _request, response) =>
      sendJson(response, 403, { error: { message: 'not for this user' } }),
    );
    await expect(refusing.tokens.get()).rejects.toMatchObject({ kind: 'usage', code: 'credentials-refused' });
    await using blocked = await bench((_grant, _request, response) => {
      response.writeHead(403, { 'content-type': 'text/html' }).end('<html>Request blocked</html>');
    });
    await expect(blocked.clock.drive(blocked.tokens.get())).rejects.toMatchObject({
      kind: 'work-left',
      code: 'no-access-token',
    });
  });

  test('an unreachable token endpoint is retried, then work is left', async () => {
    await using b = await bench((_grant, _request, response) => sendJson(response, 503, {}));
    await expect(b.clock.drive(b.tokens.get())).rejects.toMatchObject({ name: 'ExplainedError', kind: 'work-left' });
    expect(b.clock.slept).toEqual([625, 1125, 2125]);
    expect(b.server.seen).toHaveLength(4);

    await using slow = await bench((_grant, _request, response) =>
      sendJson(response, 429, {}, { 'retry-after': '3600' }),
    );
    await expect(slow.tokens.get()).rejects.toMatchObject({ kind: 'work-left' });
    expect(slow.clock.slept).toEqual([]);
  });

  test('an odd answer is no token, and Retry-After is respected', async () => {
    await using b = await bench((grant, _request, response) => {
      if (b.server.seen.length === 1)
        return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      if (b.server.seen.length === 2)
        return sendJson(response, 429, { error: { message: 'slow' } }, { 'retry-after': '20' });
      grant();
    });
    expect(await b.clock.drive(b.tokens.get())).toBe('t3');
    expect(b.clock.slept).toEqual([625, 21_000]);
  });

  test('a valid token is used during an outage of the token endpoint', async () => {
    let away = false;
    await using b = await bench((grant, _request, response) => (away ? sendJson(response, 503, {}) : grant()));
    await b.tokens.get();
    away = true;
    await b.clock.advance(500_000);
    expect(await b.tokens.get()).toBe('t1');
    expect(await b.tokens.get()).toBe('t1');
    expect(b.grants()).toEqual(['password', 'refresh_token', 'password']);
    expect(b.clock.slept).toEqual([]);
    away = false;
    await b.clock.advance(15_000);
    expect(await b.tokens.get()).toBe('t4');
  });

  test('invalidate drops only the current token', async () => {
    await using b = await bench((grant) => grant());
    await b.tokens.get();
    b.tokens.invalidate('t1');
    expect(await Promise.all([b.tokens.get(), b.tokens.get()])).toEqual(['t2', 't2']);
    b.tokens.invalidate('t1');
    expect(await b.tokens.get()).toBe('t2');
  });

  test('a clock that is set back ends a token', async () => {
    await using b = await bench((grant) => grant());
    await b.tokens.get();
    b.clock.jumpTo(b.clock.now() - 3_600_000);
    expect(await b.tokens.get()).toBe('t2');
  });

  test('get waits through an outage of minutes, not forever', async () => {
    let awayUntil = Number.POSITIVE_INFINITY;
    await using b = await bench((grant, _request, response) =>
      b.server.seen.length > 1 && b.clock.now() < awayUntil ? sendJson(response, 503, {}) : grant(),
    );
    await b.tokens.get();
    await b.clock.advance(600_000);
    awayUntil = b.clock.now() + 120_000;
    expect(await b.clock.drive(b.tokens.get())).toBe(`t${b.server.seen.length}`);
    expect(b.server.seen.length).toBeLessThan(30);
    await b.clock.advance(600_000);
    awayUntil = Number.POSITIVE_INFINITY;
    const before = b.clock.now();
    await expect(b.clock.drive(b.tokens.get())).rejects.toMatchObject({ kind: 'work-left' });
    expect(b.clock.now() - before).toBeGreaterThan(200_000);
    expect(b.clock.now() - before).toBeLessThanOrEqual(300_000);
  });

  test('a password refused during a run is not sent again', async () => {
    await using b = await bench((grant, _request, response) =>
      b.server.seen.length === 1 ? grant() : sendJson(response, 401, { error: { message: 'the user is locked' } }),
    );
    await b.tokens.get();
    b.tokens.invalidate('t1');
    for (let asked = 0; asked < 3; asked += 1) await expect(b.tokens.get()).rejects.toMatchObject({ kind: 'usage' });
    expect(b.grants()).toEqual(['password', 'refresh_token', 'password']);
  });

  test("a token's life counts from its request", async () => {
    await using b = await bench((_grant, _request, response) =>
      sendJson(
        response,
        200,
        { access_token: `t${b.server.seen.length}`, token_type: 'bearer', expires_in: 30 },
        { date: 'Thu, 01 Jan 1998 00:00:00 GMT' },
      ),
    );
    await b.tokens.get();
    await b.clock.advance(23_999);
    expect(await b.tokens.get()).toBe('t1');
    await b.clock.advance(1);
    expect(await b.tokens.get()).toBe('t2');
  });

  test.each([
    [600, 600_000],
    [30, 30_000],
    [86_400, 600_000],
    [599_999, 599_999],
    [600_000, 600_000],
    [43_200_000, 600_000],
    [0, 600_000],
    [-1, 600_000],
    [null, 600_000],
    [undefined, 600_000],
  ])('expires_in %s is a life of %i ms', (expiresIn, ms) => {
    expect(tokenLifeMs(expiresIn)).toBe(ms);
  });

  test.each<[unknown, number]>([
    ['60', 48_000],
    [' 60.0 ', 48_000],
    ['soon', 480_000],
    [{ seconds: 60 }, 480_000],
    [true, 480_000],
    ['-60', 480_000],
  ])('a token with expires_in %j is taken, and renewed after %i ms', async (expiresIn, renewedAfter) => {
    await using b = await bench((_grant, _request, response) =>
      sendJson(response, 200, {
        access_token: `t${b.server.seen.length}`,
        token_type: 1,
        refresh_token: ['r'],
        expires_in: expiresIn,
        scope: ['read', 'write'],
      }),
    );
    expect(await b.tokens.get()).toBe('t1');
    await b.clock.advance(renewedAfter - 1);
    expect(await b.tokens.get()).toBe('t1');
    await b.clock.advance(1);
    expect(await b.tokens.get()).toBe('t2');
    expect(b.grants()).toEqual(['password', 'password']);
  });

  test('get waits only once for an unreachable service', async () => {
    await using b = await bench((grant, _request, response) =>
      b.server.seen.length > 1 ? sendJson(response, 503, {}) : grant(),
    );
    await b.tokens.get();
    await b.clock.advance(700_000);
    await expect(b.clock.drive(b.tokens.get())).rejects.toMatchObject({ kind: 'work-left' });
    const before = b.clock.now();
    await expect(b.clock.drive(b.tokens.get())).rejects.toMatchObject({ kind: 'work-left' });
    expect(b.clock.now()).toBe(before);
  });
});
