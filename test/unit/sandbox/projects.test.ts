import { describe, expect, test } from 'vitest';
import { projectDetailResponse } from '../../../src/contract/document.ts';
import { errorIn, order, projectsIn, TestClient } from '../../support/sandbox/test-client.ts';

describe('startSandbox', () => {
  test('a create returns ID, fields, place and nulls for absent fields', async () => {
    await using client = await TestClient.start();
    const answer = await client.call(
      'POST',
      '/v1/project',
      order({ policyNumber: 'P-1', note: 'Größe = "5"', allowDuplication: false }),
    );
    expect(answer.status).toBe(200);
    const [detail] = projectsIn(answer);
    expect(detail).toMatchObject({
      id: 100_001,
      city: 'Cambridge',
      country: 'US',
      policyNumber: 'P-1',
      note: 'Größe = "5"',
      isRenewal: null,
      supplementalServices: null,
      inspectionCode: '',
      inspectionLink: '',
    });
    expect(detail).not.toHaveProperty('allowDuplication');
    expect(Math.abs(Number(detail?.lat) - 42)).toBeLessThan(2);
    expect(projectDetailResponse.safeParse(answer.body).success).toBe(true);
    expect((await client.call('GET', '/v1/project/100001')).body).toEqual(answer.body);
  });

  test('a self-inspection has a code of six characters and a link', async () => {
    await using client = await TestClient.start();
    const id = await client.create({ serviceName: 'Self Exterior Underwriting' });
    const [detail] = projectsIn(await client.call('GET', `/v1/project/${id}`));
    expect(detail?.inspectionCode).toMatch(/^[A-Z0-9]{6}$/);
    expect(String(detail?.inspectionLink)).toContain(String(detail?.inspectionCode));
  });

  test('ids beyond 2^53 stay exact', async () => {
    await using client = await TestClient.start({ firstProjectId: '9007199254740993' });
    expect(await client.create()).toBe('9007199254740993');
    const found = await client.call('GET', '/v1/project?startId=9007199254740993');
    expect(found.text).toContain('"id":9007199254740993,');
    expect((await client.call('GET', '/v1/project?startId=9007199254740994')).body).toEqual({ project: [] });
  });

  test('a create reports every problem: 422 for values, 400 for the form', async () => {
    await using client = await TestClient.start();
    const invalid = await client.call(
      'POST',
      '/v1/project',
      order({ state: 'XX', houseType: 'Garage', dueDate: '2026-02-30', yearBuilt: 85, city: '' }),
    );
    expect(invalid.status).toBe(422);
    for (const field of ['state', 'houseType', 'dueDate', 'yearBuilt', 'city'])
      expect(errorIn(invalid)).toContain(`${field}:`);
    const malformed = await client.call('POST', '/v1/project', {
      ...order({ note: null, policyNumber: 5, colour: 'red', state: 'XX' }),
      zipcode: undefined,
    });
    expect(malformed.status).toBe(400);
    for (const text of [
      'note: must not be null',
      'policyNumber: must be of type string',
      'colour: is not a field',
      'zipcode: is required',
      'state:',
    ])
      expect(errorIn(malformed)).toContain(text);
    expect((await client.control('GET', '/audit')).body).toMatchObject({ creates: 0 });
  });

  test('reports each problem once, in words of the request', async () => {
    await using client = await TestClient.start();
    const said = async (changes: Record<string, unknown>) =>
      errorIn(await client.call('POST', '/v1/project', order(changes)))?.replace(/^.*?\. /, '');
    expect(await said({ houseType: '' })).toMatch(/^houseType: .*Homeowners Insurance.*: [^;]*$/);
    expect(await said({ dueDate: '2026-02-30' })).toMatch(/^dueDate: [^;]*YYYY-MM-DD\.$/);
    expect(await said({ yearBuilt: 87 })).toMatch(/^yearBuilt: [^;]*\b1000\.$/);
    expect(await said({ yearBuilt: 2 ** 31 })).toMatch(/^yearBuilt: [^;]*\b9999\.$/);
    expect(await said({ serviceName: undefined, policyType: null, supplementalServices: [7] })).toMatch(
      /^serviceName: [^;:]*; policyType: .*\bnull\b[^:]*; supplementalServices\.0: [^;:]*\bstring\.$/,
    );
  });

  test('bad IDs are 400, unknown things 404', async () => {
    await using client = await TestClient.start();
    await client.create();
    for (const id of ['x', '1.5', '9223372036854775808', '%00', '9'.repeat(300)]) {
      const answer = await client.call('GET', `/v1/project/${id}`);
      expect([id, answer.status, typeof errorIn(answer)]).toEqual([id, 400, 'string']);
    }
    for (const path of [
      '/v1/project/7',
      '/v1/project/-1',
      '/v1/project/',
      '/v1/project//status',
      '/v1/project/100002/status',
      '/v1/report/R100001-1/url',
      '/v1/report/nothing/file',
      '/v1/report/R100001-1/summary',
      '/v1/nowhere',
      '/',
    ]) {
      const answer = await client.call('GET', path);
      expect([path, answer.status, typeof errorIn(answer)]).toEqual([path, 404, 'string']);
    }
  });

  test('what is no JSON, or not sent as JSON, is 400', async () => {
    await using client = await TestClient.start();
    const { baseUrl } = client.sandbox;
    const { body } = await client.token({
      grant_type: 'password',
      username: client.sandbox.credentials.username,
      password: client.sandbox.credentials.password,
    });
    const authorization = `Bearer ${(body as { access_token: string }).access_token}`;
    const bodies: [string, string][] = [
      ['application/json', '{"city":'],
      ['application/json', ''],
      ['application/json', '[]'],
      ['text/plain', JSON.stringify(order())],
      ['application/x-www-form-urlencoded', 'city=x'],
    ];
    for (const [contentType, text] of bodies) {
      const response = await fetch(`${baseUrl}/v1/project`, {
        method: 'POST',
        headers: { authorization, 'content-type': contentType },
        body: text,
      });
      expect([contentType, text, response.status]).toEqual([contentType, text, 400]);
      expect(await response.json()).toEqual({
        error: {
          message: expect.stringContaining(
            contentType === 'application/json' ? '' : `must be application/json, not ${contentType}`,
          ),
        },
      });
    }
  });

  test('an update changes or clears the named fields only', async () => {
    await using client = await TestClient.start();
    const id = await client.create({ policyNumber: 'P-1', policyEffectiveDate: '2026-03-01' });
    const put = async (body: unknown) => await client.call('PUT', `/v1/project/${id}`, body);
    expect(projectsIn(await put({ policyNumber: 'P-2' }))).toEqual([
      { id: Number(id), policyNumber: 'P-2', policyEffectiveDate: '2026-03-01' },
    ]);
    expect(projectsIn(await put({ policyEffectiveDate: '' }))).toEqual([
      { id: Number(id), policyNumber: 'P-2', policyEffectiveDate: '' },
    ]);
    expect((await put({ policyEffectiveDate: '03/01/2026' })).status).toBe(422);
    expect((await put({ city: 'Boston' })).status).toBe(400);
    expect((await put({ policyNumber: null })).status).toBe(400);
    expect(projectsIn(await client.call('GET', `/v1/project/${id}`))).toMatchObject([
      { policyNumber: 'P-2', policyEffectiveDate: '' },
    ]);
    expect(projectsIn(await client.call('GET', '/v1/project?policyNumber=P-1'))).toEqual([]);
    expect(projectsIn(await client.call('GET', '/v1/project?policyNumber=P-2'))).toHaveLength(1);
  });
});
