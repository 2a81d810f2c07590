import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/ports.ts';
import { orderPayload } from '../../support/order-factory.ts';
import { sendJson, startScriptedServer } from '../../support/scripted-server.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';
import { createServiceClient, type ServiceClient } from '../../../src/service/client.ts';

interface Bench extends AsyncDisposable {
  readonly client: ServiceClient;
  readonly clock: VirtualClock;
  /** The grants asked for so far. */
  readonly grants: (string | null)[];
  readonly creates: { count: number };
  /** A server that was started anew knows no token that it gave before. */
  restart(): void;
}

/** A service that keeps its tokens in memory and uses up a refresh token; `knows` says whether it takes its own fresh ones. */
async function bench(knows = true): Promise<Bench> {
  let access = new Set<string>();
  let refresh = new Set<string>();
  const grants: (string | null)[] = [];
  const creates = { count: 0 };
  const server = await startScriptedServer((request, response) => {
    const refuse = (): void => sendJson(response, 401, { error: { message: 'expired' } });
    if (request.url === '/v1/oauth/token') {
      const form = new URLSearchParams(request.body);
      const n = grants.push(form.get('grant_type'));
      if (form.get('grant_type') === 'refresh_token' && !refresh.delete(form.get('refresh_token') ?? ''))
        return refuse();
      if (knows) access.add(`Bearer t${n}`);
      refresh.add(`r${n}`);
      return sendJson(response, 200, {
        access_token: `t${n}`,
        refresh_token: `r${n}`,
        token_type: 'bearer',
        expires_in: 600,
      });
    }
    if (!access.has(request.headers.authorization ?? '')) return refuse();
    if (request.method !== 'POST') return sendJson(response, 200, { project: [] });
    creates.count += 1;
    sendJson(response, 200, { project: [{ id: creates.count }] });
  });
  const clock = createVirtualClock();
  const client = createServiceClient({
    baseUrl: server.origin,
    clientId: 'client',
    clientSecret: 'c',
    username: 'user',
    password: 'p',
    clock,
    sleep: clock.sleep,
    random: () => 0.5,
    log: silentLog,
  });
  return {
    client,
    clock,
    grants,
    creates,
    restart() {
      access = new Set();
      refresh = new Set();
    },
    async [Symbol.asyncDispose]() {
      client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('createTokenSource', () => {
  test('three hours need one password grant and timely refreshes', async () => {
    await using b = await bench();
    for (let minute = 0; minute < 180; minute += 1) {
      expect((await b.client.searchProjects({ limit: 1 })).kind).toBe('ok');
      await b.clock.advance(60_000);
    }
    expect(b.grants.filter((grant) => grant === 'password')).toHaveLength(1);
    expect(b.grants.length).toBeLessThanOrEqual(1 + 180 / 8);
  });

  test('requests with a 401 share one renewal, and creates happen once', async () => {
    await using b = await bench();
    await b.client.searchProjects({ limit: 1 });
    b.restart();
    const payload = { ...orderPayload(), allowDuplication: false };
    const outcomes = await Promise.all(Array.from({ length: 16 }, () => b.client.createProject(payload)));
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 16 }, () => 'created'));
    expect(b.creates.count).toBe(16);
    expect(b.grants).toEqual(['password', 'refresh_token', 'password']);
  });

  test('a 401 on a fresh token stops the run', async () => {
    await using b = await bench(false);
    const outcome = await b.client.createProject({ ...orderPayload(), allowDuplication: false });
    expect(outcome).toEqual({ kind: 'stop', status: 401, message: 'expired', notCreated: true });
    expect(b.grants).toEqual(['password', 'refresh_token']);
  });
});
