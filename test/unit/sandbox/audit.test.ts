import { describe, expect, test } from 'vitest';
import { order, TestClient } from '../../support/sandbox/test-client.ts';

const STARTED = Date.UTC(2026, 10, 9, 12);
const audit = async (client: TestClient): Promise<unknown> => (await client.control('GET', '/audit')).body;

describe('addControlRoutes', () => {
  test('the audit shows each created project, its creator and time', async () => {
    const other = { username: 'other@staging.example', password: 'x' };
    await using client = await TestClient.start({ startAt: STARTED, otherUsers: [other] });
    await client.control('POST', '/time', { freeze: true });
    const { body: time } = await client.control('GET', '/time');
    const frozen = (time as { now: number }).now;
    await client.create({ inspectionNumber: 'A-1' });
    await client.advance(60);
    await client.logIn(other);
    await client.create({ policyNumber: 'P-1', policyEffectiveDate: '2026-12-01', allowDuplication: true });
    await client.create({ insuredName: 'Ann  LEE' });
    const me = client.sandbox.credentials.username;
    const [first, second] = [frozen, frozen + 60_000].map((at) => new Date(at).toISOString());
    expect((await client.control('GET', '/audit/created')).body).toEqual({
      created: [
        { id: 100_001, actor: me, createdAt: first, identity: 'inspection number A-1', allowDuplication: null },
        {
          id: 100_002,
          actor: other.username,
          createdAt: second,
          identity: 'policy number P-1, effective 2026-12-01',
          allowDuplication: true,
        },
        {
          id: 100_003,
          actor: other.username,
          createdAt: second,
          identity: 'address 12 oak street|cambridge|MA|02139, service 4-Point, insured ann lee',
          allowDuplication: null,
        },
      ],
    });
    expect(await audit(client)).toMatchObject({ time: second, projects: 3, byActor: { [me]: 1, [other.username]: 2 } });
  });

  test('the audit finds doubles by identity, at any age and actor', async () => {
    const other = { username: 'other@staging.example', password: 'x' };
    await using client = await TestClient.start({ otherUsers: [other] });
    await client.create({ inspectionNumber: 'A-1' });
    await client.create({ inspectionNumber: 'A-2', allowDuplication: true });
    await client.create({ inspectionNumber: 'A-2', allowDuplication: true });
    await client.advance(40 * 86_400);
    await client.logIn(other);
    await client.create({ inspectionNumber: 'A-1', streetAddress: '99 Elm Street' });
    expect(await audit(client)).toMatchObject({
      doubles: [{ identity: 'inspection number A-1', projectIds: [100_001, 100_004] }],
    });
  });

  test.each([
    ['2027-11-01', 0],
    ['2026-11-02', 1],
  ])('the same number, dated %s after 2026-11-01, is a double %i times', async (dueDate, doubles) => {
    const other = { username: 'other@staging.example', password: 'x' };
    await using client = await TestClient.start({ otherUsers: [other] });
    await client.create({ inspectionNumber: 'A-1', dueDate: '2026-11-01' });
    await client.logIn(other);
    await client.create({ inspectionNumber: 'A-1', dueDate });
    expect((await audit(client)) as { doubles: unknown }).toMatchObject({
      doubles: doubles === 0 ? [] : [{ projectIds: [100_001, 100_002] }],
    });
  });

  test('the audit counts requests, tokens and misdirected tokens', async () => {
    await using client = await TestClient.start({ autoProgress: false });
    const id = await client.create();
    await client.call('POST', '/v1/project', order({ state: 'XX' }));
    await client.call('GET', '/v1/project/1');
    await client.call('GET', '/v2/nothing');
    await client.token({ grant_type: 'password', username: 'nobody', password: 'x' });
    await client.setStatus(id, 'Returned to Client');
    const { body } = await client.call('GET', `/v1/report/R${id}-1/url`);
    await fetch((body as { url: string }).url, { headers: { authorization: client.authorization } });
    await fetch((body as { url: string }).url.replace('signature=', 'signature=x'));
    expect(await audit(client)).toMatchObject({
      tokens: { asked: 2, password: 1, refresh_token: 0, refused: 1 },
      authorizationAtFilesOrigin: 1,
      authorizationElsewhere: 0,
      requests: {
        'POST /v1/oauth/token': { 200: 1, 401: 1 },
        'POST /v1/project': { 200: 1, 422: 1 },
        'GET /v1/project/{projectId}': { 404: 1 },
        'GET (unknown route)': { 404: 1 },
        'GET /files/report/{name}': { 200: 1, 403: 1 },
      },
      scenario: 'calm',
      bites: {},
      sftp: null,
      internalErrors: [],
    });
  });

  test('the audit keeps hits of removed faults', async () => {
    await using client = await TestClient.start({
      faults: [{ kind: '503', match: { route: '/v1/project*' }, times: 2 }],
    });
    for (let request = 0; request < 3; request += 1) await client.call('GET', '/v1/project');
    expect(await audit(client)).toMatchObject({ scenario: 'custom', faults: [{ bites: 2 }], bites: { 503: 2 } });
    await client.control('DELETE', '/faults');
    expect(await audit(client)).toMatchObject({ scenario: 'calm', faults: [], bites: { 503: 2 } });
  });
});
