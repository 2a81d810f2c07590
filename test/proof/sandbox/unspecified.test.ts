import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { UNSPECIFIED, unspecifiedOf, parseChoices, type Unspecified } from '../../../src/sandbox/unspecified.ts';
import type { SandboxOptions } from '../../../src/sandbox/options.ts';
import { order, projectsIn, TestClient, errorIn } from '../../support/sandbox/test-client.ts';

/** A sandbox that takes other ways than by default, and nothing moves in it. */
async function started(notShown: Partial<Unspecified>): Promise<TestClient> {
  return await TestClient.start({ autoProgress: false, notShown });
}

/** A project whose report can be had. */
async function returned(client: TestClient, changes: Record<string, unknown> = {}): Promise<string> {
  const id = await client.create(changes);
  await client.setStatus(id, 'Returned to Client');
  return id;
}

async function tokenAnswer(
  client: TestClient,
  more: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { username, password } = client.sandbox.credentials;
  const { status, body } = await client.token({ grant_type: 'password', username, password, ...more });
  return { status, body: body as Record<string, unknown> };
}

describe('unspecifiedOf', () => {
  test('initialStatus is the first status of a project', async () => {
    await using client = await TestClient.start({
      environment: 'production',
      canceledShare: 0,
      notShown: { initialStatus: 'Assigned to Pilot' },
    });
    const id = await client.create();
    expect(await client.status(id)).toBe('Assigned to Pilot');
    for (let hour = 0; hour < 97; hour += 1) {
      await client.advance(3600);
      await client.logIn();
      expect(['Project Created', 'Customer Contacted', 'Pending Acceptance']).not.toContain(await client.status(id));
    }
    expect(await client.status(id)).toBe('Returned to Client');
  });

  test('createdTimeUnit: milliseconds', async () => {
    await using client = await started({ createdTimeUnit: 'milliseconds' });
    const before = Math.floor(((await client.control('GET', '/time')).body as { now: number }).now);
    await client.create();
    expect(
      projectsIn(
        await client.call('GET', `/v1/project?createdTime.start=${before}&createdTime.end=${before + 60_000}`),
      ),
    ).toHaveLength(1);
    expect(projectsIn(await client.call('GET', `/v1/project?createdTime.end=${before}`))).toHaveLength(0);
  });

  test('expiresIn: milliseconds, or absent', async () => {
    await using inMs = await started({ expiresIn: 'milliseconds' });
    expect((await tokenAnswer(inMs)).body['expires_in']).toBe(599_000);
    await using without = await started({ expiresIn: 'absent' });
    expect((await tokenAnswer(without)).body).not.toHaveProperty('expires_in');
  });

  test.each([400, 422] as const)('refusedTransition: %i', async (status) => {
    await using client = await started({ refusedTransition: status });
    const answer = await client.call('PUT', `/v1/project/${await client.create()}/status`, {
      value: 'Client Received',
    });
    expect([answer.status, errorIn(answer)]).toEqual([status, expect.stringContaining('Project Created')]);
  });

  test.each([400, 409] as const)(
    'failedValidation %i applies to invalid, not to malformed requests',
    async (status) => {
      await using client = await started({ failedValidation: status });
      expect((await client.call('POST', '/v1/project', order({ state: 'XX' }))).status).toBe(status);
      expect(
        (await client.call('PUT', `/v1/project/${await client.create()}`, { policyEffectiveDate: 'soon' })).status,
      ).toBe(status);
      expect(
        (await client.call('PUT', `/v1/project/${await client.create()}/status`, { value: 'Receive Error' })).status,
      ).toBe(status);
      expect((await client.call('POST', '/v1/project', order({ note: null }))).status).toBe(400);
    },
  );

  test('errorCodes: next to the message, on every status', async () => {
    await using client = await started({ errorCodes: 'present' });
    expect((await client.call('GET', '/v1/project/7')).body).toEqual({
      error: { code: 'NOT_FOUND', message: expect.any(String) },
    });
    expect((await client.call('GET', '/v1/project/x')).body).toMatchObject({ error: { code: 'INVALID_ARGUMENT' } });
    expect((await client.token({ grant_type: 'password', username: 'nobody', password: 'x' })).body).toMatchObject({
      error: { code: 'UNAUTHENTICATED' },
    });
    expect((await client.call('GET', '/v1/project/%zz')).body).toMatchObject({ error: { code: 'INVALID_ARGUMENT' } });
    const { hostname, port } = new URL(client.sandbox.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.end('no HTTP\r\n\r\n');
    expect(await text(socket)).toContain('{"error":{"code":"INVALID_ARGUMENT","message":');
  });

  test('quotaPerMinute: each user’s own, and it comes back with the minute', async () => {
    const other = { username: 'other@staging.example', password: 'x' };
    await using client = await TestClient.start({ otherUsers: [other], notShown: { quotaPerMinute: 3 } });
    await client.control('POST', '/time', { freeze: true });
    const ask = async () => (await client.call('GET', '/v1/project')).status;
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 200, 429]);
    await client.control('DELETE', '/faults');
    expect(await ask()).toBe(429);
    await client.logIn(other);
    expect(await ask()).toBe(200);
    await client.logIn();
    await client.advance(60);
    expect(await ask()).toBe(200);
  });

  test('retryAfter: none, seconds or a date', async () => {
    const after = async (retryAfter: Unspecified['retryAfter']): Promise<string | null> => {
      await using client = await started({ quotaPerMinute: 1, retryAfter });
      await client.call('GET', '/v1/project');
      const refused = await client.call('GET', '/v1/project');
      expect(refused.status).toBe(429);
      return refused.headers.get('retry-after');
    };
    expect(await after('none')).toBeNull();
    expect(await after('seconds')).toMatch(/^\d{1,2}$/);
    expect(await after('date')).toMatch(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
  });

  test('urlLifetimeSeconds: a signed URL serves so long', async () => {
    await using client = await started({ urlLifetimeSeconds: 5 });
    const { body } = await client.call('GET', `/v1/report/R${await returned(client)}-1/url`);
    const { url } = body as { url: string };
    expect((await fetch(url)).status).toBe(200);
    await client.advance(6);
    expect((await fetch(url)).status).toBe(403);
  });

  test('searchItem: the older sample’s fields, or more than the newer one’s', async () => {
    const fields = async (searchItem: Unspecified['searchItem']): Promise<string[]> => {
      await using client = await started({ searchItem });
      await client.create({ policyNumber: 'P-1', policyEffectiveDate: '2026-03-01' });
      return Object.keys(projectsIn(await client.call('GET', '/v1/project'))[0] ?? {});
    };
    const older = ['id', 'streetAddress', 'city', 'state', 'zipcode', 'country', 'serviceName', 'status'];
    expect(await fields('older')).toEqual(older);
    expect(await fields('newer')).toEqual([...older, 'policyNumber', 'inspectionNumber']);
    expect(await fields('full')).toEqual([
      ...older,
      'policyNumber',
      'inspectionNumber',
      'policyEffectiveDate',
      'insuredName',
    ]);
  });

  test('absentInDetail: still null in the response to a create', async () => {
    await using client = await started({ absentInDetail: 'absent' });
    const [created] = projectsIn(await client.call('POST', '/v1/project', order()));
    expect(created).toMatchObject({ isRenewal: null, supplementalServices: null });
    const [read] = projectsIn(await client.call('GET', `/v1/project/${String(created?.id)}`));
    expect(read).not.toHaveProperty('isRenewal');
    expect(read).not.toHaveProperty('supplementalServices');
    const renewal = await client.create({ isRenewal: false });
    expect(projectsIn(await client.call('GET', `/v1/project/${renewal}`))[0]).toMatchObject({ isRenewal: false });
  });

  test('keylessDuplicates: rule 2 read literally finds both empty', async () => {
    await using client = await started({ keylessDuplicates: 'refused' });
    const create = async (changes: Record<string, unknown>) =>
      (await client.call('POST', '/v1/project', order({ allowDuplication: false, ...changes }))).status;
    expect(await create({})).toBe(200);
    expect(await create({ streetAddress: '99 Elsewhere' })).toBe(409);
    expect(await create({ policyEffectiveDate: '2026-03-01' })).toBe(200);
    expect(await create({ policyEffectiveDate: '2026-03-01', policyNumber: '' })).toBe(409);
    expect(await create({ inspectionNumber: 'A-1' })).toBe(200);
  });

  test('scopeParameter: refused', async () => {
    await using accepting = await started({});
    expect((await tokenAnswer(accepting, { scope: 'Acme' })).status).toBe(200);
    await using refusing = await started({ scopeParameter: 'refused' });
    expect((await tokenAnswer(refusing, { scope: 'Acme' })).status).toBe(400);
    expect((await tokenAnswer(refusing)).status).toBe(200);
  });

  test('imageValues: codes, or empty', async () => {
    const first = async (imageValues: Unspecified['imageValues']): Promise<unknown> => {
      await using client = await started({ imageValues });
      const [project] = projectsIn(await client.call('GET', `/v1/project/${await returned(client)}/image`));
      const [image] = (project as { image: unknown[] }).image;
      return image;
    };
    expect(await first('codes')).toMatchObject({ source: 'PILOT', type: 'ELEVATION', direction: 'FRONT' });
    expect(await first('empty')).toMatchObject({ source: '', type: '', direction: '' });
  });

  test('factorNames and attachedStructures: other names, more fields', async () => {
    await using client = await started({ factorNames: 'words', attachedStructures: 'more' });
    const ids = [];
    for (let index = 0; index < 40; index += 1)
      ids.push(await returned(client, { serviceName: 'High Value Premium 4-point' }));
    const summaries = await Promise.all(
      ids.map(async (id) => (await client.call('GET', `/v1/report/R${id}-1/summary`)).text),
    );
    const names = summaries.flatMap((text) => [...text.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name));
    expect(names).toContain('Yard debris');
    expect(names.filter((name) => name?.includes('_'))).toEqual([]);
    expect(summaries.filter((text) => text.includes('"attachedPorches":{"count":1'))).not.toEqual([]);
  });

  test('laterReport: a second report on the roof, completed later, whose values differ', async () => {
    await using client = await started({ laterReport: 'present' });
    const id = await client.create({ serviceName: '4-Point' });
    await client.advance(300);
    await client.setStatus(id, 'Returned to Client');
    const [listed] = projectsIn(await client.call('GET', `/v1/project/${id}/report`));
    expect(listed).toMatchObject({
      report: [
        { id: `R${id}-1`, type: 'Full-scope Underwriting Report' },
        { id: `R${id}-2`, type: 'Roof-only Underwriting Report' },
      ],
    });
    const summary = async (number: number) => {
      const { body } = await client.call('GET', `/v1/report/R${id}-${number}/summary`);
      const [report] = (body as { report: { project: Record<string, number>; summary: Record<string, unknown> }[] })
        .report;
      return report ?? { project: {}, summary: {} };
    };
    const [first, later] = [await summary(1), await summary(2)];
    expect(later.project['completionTime']).toBeGreaterThanOrEqual(first.project['completionTime'] ?? Infinity);
    expect(later.project['inspectionTime']).toBeGreaterThan(first.project['inspectionTime'] ?? Infinity);
    expect(later.summary['interior']).toBeUndefined();
    expect(later.summary['roof']).not.toEqual(first.summary['roof']);
    expect(later.summary['yearBuilt']).toEqual(first.summary['yearBuilt']);
    const files = [1, 2].map(async (number) => (await client.call('GET', `/v1/report/R${id}-${number}/file`)).status);
    expect(await Promise.all(files)).toEqual([307, 307]);
  });

  test('unlistedAttributes adds attributes in the template’s sections', async () => {
    const unlisted = async (changes: SandboxOptions): Promise<string[]> => {
      await using client = await TestClient.start({ autoProgress: false, ...changes });
      const found = new Set<string>();
      for (let index = 0; index < 60; index += 1) {
        const id = await returned(client, { serviceName: 'Photo Only Inspection' });
        const { text } = await client.call('GET', `/v1/report/R${id}-1/summary`);
        for (const [name] of text.matchAll(/wildfireBufferFeet|hasRainBarrel|droneNotes|sustainability/g))
          found.add(name);
      }
      return [...found].toSorted();
    };
    const notShown = { unlistedAttributes: 'present' } as const;
    expect(await unlisted({})).toEqual([]);
    expect(await unlisted({ notShown })).toEqual(['wildfireBufferFeet']);
    expect(await unlisted({ notShown, accountTemplate: 'slim' })).toEqual([]);
    expect((await unlisted({ notShown, accountTemplate: 'full' })).length).toBeGreaterThan(1);
  });

  test('afterReceived: reports and images stay', async () => {
    const reports = async (afterReceived: Unspecified['afterReceived']): Promise<number> => {
      await using client = await started({ afterReceived });
      const id = await returned(client);
      expect((await client.call('PUT', `/v1/project/${id}/status`, { value: 'Client Received' })).status).toBe(200);
      const [project] = projectsIn(await client.call('GET', `/v1/project/${id}/report`));
      return (project as { report: unknown[] }).report.length;
    };
    expect(await reports('gone')).toBe(0);
    expect(await reports('kept')).toBe(1);
  });

  test('deprecation: announced on every answer', async () => {
    await using client = await started({ deprecation: 'announced' });
    for (const path of ['/v1/project', '/v1/project/7']) {
      const { headers } = await client.call('GET', path);
      expect([headers.get('deprecation'), headers.get('sunset')]).toEqual([
        expect.stringMatching(/^@\d+$/),
        expect.stringContaining('GMT'),
      ]);
    }
  });

  test('parseChoices reports an unknown name or value', () => {
    expect(() => parseChoices(['expiresIn=hours'])).toThrow('Option expiresIn cannot be "hours"');
    expect(() => parseChoices(['expires=1'])).toThrow(/\bexpires\b/);
    expect(() => parseChoices(['expiresIn'])).toThrow('no form NAME=VALUE');
    expect(() => parseChoices(['urlLifetimeSeconds=0'])).toThrow('urlLifetimeSeconds');
    expect(parseChoices(['refusedTransition=422', 'initialStatus=A=B'])).toEqual({
      refusedTransition: 422,
      initialStatus: 'A=B',
    });
    expect(Object.keys(unspecifiedOf({}))).toEqual(Object.keys(UNSPECIFIED));
  });

  test('docs/sandbox.md lists every option as it is', () => {
    const page = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
    for (const [name, { byDefault, ways, says }] of Object.entries(UNSPECIFIED))
      expect(page).toContain(`| \`${name}\` | ${byDefault} | ${ways.replaceAll(' | ', ', ')} | ${says} |`);
  });
});
