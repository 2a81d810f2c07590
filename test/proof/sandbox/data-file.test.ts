import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseExactJson } from '../../../src/contract/json.ts';
import { attachCommits } from '../../../src/sandbox/data-file.ts';
import { createHttpServer } from '../../../src/sandbox/http-server.ts';
import type { SandboxOptions } from '../../../src/sandbox/options.ts';
import { order, projectsIn, TestClient } from '../../support/sandbox/test-client.ts';

let folder = '';
let dataFile = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-data-'));
  dataFile = join(folder, 'sandbox.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = async (options: SandboxOptions = {}): Promise<TestClient> =>
  await TestClient.start({ dataFile, ...options });

/** What a client and the control server see of everything that there is. */
async function seen(client: TestClient): Promise<unknown> {
  const { body } = await client.control('GET', '/projects');
  const { doubles, byActor } = (await client.control('GET', '/audit')).body as Record<string, unknown>;
  const search = await client.call('GET', '/v1/project?limit=500');
  return { body, doubles, byActor, search: search.body };
}

describe('StateDatabase', () => {
  test('a restart loses nothing: projects, updates, statuses, bundles, courses, searches and duplicates', async () => {
    const other = { username: 'other@staging.example', password: 'x' };
    const options = { otherUsers: [other], firstProjectId: '9007199254740993' };
    let before: unknown;
    {
      await using client = await start(options);
      const ids: string[] = [];
      for (let index = 0; index < 20; index += 1)
        ids.push(
          await client.create({
            policyNumber: `P-${index}`,
            inspectionNumber: index % 2 === 0 ? `A-${index}` : '',
            insuredBy: 'Acme',
          }),
        );
      await client.logIn(other);
      await client.create({
        note: 'nul \u0000, a lone \uD800 and “quotes”',
        policyNumber: '\uDC00',
        yearBuilt: 1985,
        dwellingCoverage: 1.1,
      });
      await client.logIn();
      await client.call('PUT', `/v1/project/${ids[0]}`, { policyNumber: 'P-new' });
      await client.call('PUT', `/v1/project/${ids[1]}`, { policyNumber: '', policyEffectiveDate: '2026-03-01' });
      await client.call('PUT', `/v1/project/${ids[2]}/status`, { value: 'Project Canceled', comment: 'sold' });
      await client.setStatus(String(ids[3]), 'Something New');
      await client.setStatus(String(ids[3]), 'Returned to Client');
      await client.control('POST', `/projects/${ids[4]}/bundle`, { bundled: true });
      await client.control('POST', '/time', { freeze: true });
      await client.advance(30 * 3600);
      await client.logIn();
      before = await seen(client);
    }
    await using client = await start(options);
    expect(await seen(client)).toEqual(before);
    const found = async (query: string) =>
      projectsIn(await client.call('GET', `/v1/project?${query}`)).map(({ id }) =>
        Number(BigInt(String(id)) - 9_007_199_254_740_993n),
      );
    expect(await found('policyNumber=P-new')).toEqual([0]);
    expect(await found('policyNumber=P-0')).toEqual([]);
    expect(await found('inspectionNumber=A-6')).toEqual([6]);
    expect(await found('status=Project%20Canceled&policyNumber=P-2')).toEqual([2]);
    expect(await found('includeBundleProjects=false&limit=5')).toEqual([0, 1, 2, 3, 5]);
    const refused = await client.call(
      'POST',
      '/v1/project',
      order({ inspectionNumber: 'A-6', insuredBy: 'Acme', allowDuplication: false }),
    );
    expect(refused.status).toBe(409);
    expect(await client.create()).toBe('9007199254741014');
  });

  test('a restart keeps tokens, signed URLs and the clock', async () => {
    let url = '';
    let refresh = '';
    let used = '';
    let authorization = '';
    {
      await using client = await start({ startAt: 1_790_000_000_000 });
      const id = await client.create();
      await client.setStatus(id, 'Returned to Client');
      url = ((await client.call('GET', `/v1/report/R${id}-1/url`)).body as { url: string }).url;
      const { username, password } = client.sandbox.credentials;
      used = ((await client.token({ grant_type: 'password', username, password })).body as { refresh_token: string })
        .refresh_token;
      refresh = (
        (await client.token({ grant_type: 'refresh_token', refresh_token: used })).body as { refresh_token: string }
      ).refresh_token;
      authorization = client.authorization;
      await client.control('POST', '/time', { scale: 0.001 });
      await client.advance(200);
    }
    await using client = await start();
    const { now, scale } = (await client.control('GET', '/time')).body as { now: number; scale: number };
    expect([scale, Math.floor((now - 1_790_000_200_000) / 60_000)]).toEqual([0.001, 0]);
    const answer = await fetch(`${client.sandbox.baseUrl}/v1/project`, { headers: { authorization } });
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
    const { pathname, search } = new URL(url);
    expect((await fetch(`${client.sandbox.filesUrl}${pathname}${search}`)).status).toBe(200);
    expect((await client.token({ grant_type: 'refresh_token', refresh_token: used })).status).toBe(401);
    expect((await client.token({ grant_type: 'refresh_token', refresh_token: refresh })).status).toBe(200);
    await client.advance(401);
    expect((await fetch(`${client.sandbox.baseUrl}/v1/project`, { headers: { authorization } })).status).toBe(401);
  });

  test('a user removed by a restart has an ID above 0', async () => {
    const other = { username: 'other@staging.example', password: 'x' };
    let refresh = '';
    {
      await using client = await start({ otherUsers: [other] });
      refresh = ((await client.token({ grant_type: 'password', ...other })).body as { refresh_token: string })
        .refresh_token;
    }
    await using client = await start();
    expect((await client.token({ grant_type: 'refresh_token', refresh_token: refresh })).body).toMatchObject({
      user_id: 2,
    });
  });

  test('counts of the audit continue too', async () => {
    {
      await using client = await start();
      await client.create();
      await client.call('GET', '/v1/project/7');
    }
    await using client = await start();
    await client.call('GET', '/v1/project/8');
    const { body } = await client.control('GET', '/audit');
    expect(body).toMatchObject({
      creates: 1,
      tokens: { password: 2 },
      requests: { 'POST /v1/project': { 200: 1 }, 'GET /v1/project/{projectId}': { 404: 2 } },
    });
  });

  test('a killed sandbox has every answered create and token', async () => {
    const main = new URL('../../../src/cli/main.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [main, 'sandbox', '--data', dataFile, '--json', '--no-progress'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { baseUrl, credentials } = JSON.parse(line) as {
      baseUrl: string;
      credentials: TestClient['sandbox']['credentials'];
    };
    const basic = Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString('base64');
    const form = new URLSearchParams({
      grant_type: 'password',
      username: credentials.username,
      password: credentials.password,
    });
    const granted = await fetch(`${baseUrl}/v1/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: form,
    });
    const authorization = `Bearer ${((await granted.json()) as { access_token: string }).access_token}`;

    const answered = new Map<string, string>();
    let sent = 0;
    const createUntilKilled = async (): Promise<void> => {
      for (;;) {
        const policyNumber = `P-${(sent += 1)}`;
        const response = await fetch(`${baseUrl}/v1/project`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify(order({ policyNumber })),
        });
        const { project } = parseExactJson(await response.text()) as { project: { id: number }[] };
        answered.set(String(project[0]?.id), policyNumber);
        if (answered.size === 60) child.kill('SIGKILL');
      }
    };
    await Promise.allSettled(Array.from({ length: 8 }, createUntilKilled));
    await exited;
    expect(answered.size).toBeGreaterThanOrEqual(60);

    await using client = await start();
    const kept = await fetch(`${client.sandbox.baseUrl}/v1/project?limit=1`, { headers: { authorization } });
    expect(kept.status).toBe(200);
    await kept.body?.cancel();
    const { projects } = (await client.control('GET', '/projects')).body as {
      projects: { id: number; request: { policyNumber: string } }[];
    };
    const policyNumbers = new Map(projects.map(({ id, request }) => [String(id), request.policyNumber]));
    for (const [id, policyNumber] of answered) expect([id, policyNumbers.get(id)]).toEqual([id, policyNumber]);
    expect(projects.map(({ id }) => id)).toEqual(projects.map((_, index) => 100_001 + index));
  });

  test('unusable data files have different errors', async () => {
    await using _client = await start();
    await expect(start()).rejects.toThrow(/\bin use\b/);
    const text = join(folder, 'notes.txt');
    writeFileSync(text, 'no database, but a text that is long enough to be looked at as one'.repeat(20));
    await expect(start({ dataFile: text })).rejects.toThrow('cannot be used');
    const other = join(folder, 'other.sqlite');
    const database = new DatabaseSync(other);
    database.exec('CREATE TABLE mine (x)');
    database.close();
    await expect(start({ dataFile: other })).rejects.toThrow('a data file');
    await expect(start({ dataFile: join(folder, 'nowhere', 'x.sqlite') })).rejects.toThrow('cannot be used');
    // It holds tokens.
    expect(statSync(dataFile).mode & 0o777).toBe(0o600);
  });

  test('options that decide progress cannot change', async () => {
    {
      await using client = await start({
        environment: 'production',
        seed: 7,
        autoProgress: false,
        notShown: { initialStatus: 'Customer Contacted' },
      });
      await client.create();
    }
    {
      await using client = await start();
      expect([client.sandbox.environment, await client.status('100001')]).toEqual(['production', 'Customer Contacted']);
    }
    await expect(start({ environment: 'staging' })).rejects.toThrow(/environment = "production".*"staging"/);
    await expect(start({ seed: 8 })).rejects.toThrow('seed = "7"');
    await expect(start({ autoProgress: true })).rejects.toThrow('autoProgress');
    await expect(start({ notShown: { initialStatus: 'Project Created' } })).rejects.toThrow('initialStatus');
  });

  test('an answer waits for its commit, and is 500 without', async () => {
    const faults: unknown[] = [];
    const app = createHttpServer((thrown) => faults.push(thrown));
    let commit = Promise.withResolvers<void>();
    attachCommits(app, { committed: () => commit.promise }, (thrown) => faults.push(thrown));
    app.get('/', () => ({ done: true }));
    let answered = false;
    const answer = app.inject('/').then((response) => {
      answered = true;
      return response;
    });
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(answered).toBe(false);
    commit.resolve();
    expect((await answer).json()).toEqual({ done: true });
    commit = Promise.withResolvers<void>();
    commit.reject(new Error('disk full'));
    const refused = await app.inject('/');
    expect([refused.statusCode, refused.json()]).toEqual([500, { error: { message: 'Internal error.' } }]);
    expect(faults).toEqual([new Error('disk full')]);
    await app.close();
  });
});
