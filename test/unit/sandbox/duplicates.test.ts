import { describe, expect, test } from 'vitest';
import { order, TestClient, errorIn } from '../../support/sandbox/test-client.ts';

const DAY = 86_400;
const once = { allowDuplication: false };

async function createStatus(client: TestClient, changes: Record<string, unknown>): Promise<number> {
  return (await client.call('POST', '/v1/project', order({ ...once, ...changes }))).status;
}

describe('findDuplicate', () => {
  test('only allowDuplication: false refuses a duplicate', async () => {
    await using client = await TestClient.start();
    await client.create({ inspectionNumber: 'A-1' });
    await client.create({ inspectionNumber: 'A-1' });
    const refused = await client.call('POST', '/v1/project', order({ ...once, inspectionNumber: 'A-1' }));
    expect(refused.status).toBe(409);
    expect(errorIn(refused)).toContain('100002');
    const { body } = await client.control('GET', '/audit');
    expect(body).toMatchObject({
      creates: 2,
      doubles: [{ identity: 'inspection number A-1', projectIds: [100_001, 100_002] }],
    });
  });

  test('an inspection number decides alone, else policy number and date', async () => {
    await using client = await TestClient.start();
    await client.create({ policyNumber: 'P-1', policyEffectiveDate: '2026-03-01', inspectionNumber: 'A-1' });
    expect(await createStatus(client, { policyNumber: 'P-1', policyEffectiveDate: '2026-03-01' })).toBe(409);
    expect(await createStatus(client, { policyNumber: 'P-1', policyEffectiveDate: '2026-03-02' })).toBe(200);
    expect(
      await createStatus(client, { policyNumber: 'P-1', policyEffectiveDate: '2026-03-01', inspectionNumber: 'A-2' }),
    ).toBe(200);
    expect(await createStatus(client, { policyNumber: 'P-9', inspectionNumber: 'A-1' })).toBe(409);
    expect(await createStatus(client, { policyNumber: 'P-9', inspectionNumber: '' })).toBe(200);
    expect(await createStatus(client, { policyNumber: 'P-9' })).toBe(409);
  });

  test('with neither number there is nothing to compare', async () => {
    await using client = await TestClient.start();
    await client.create();
    expect(await createStatus(client, {})).toBe(200);
    expect((await client.control('GET', '/audit')).body).toMatchObject({
      doubles: [{ projectIds: [100_001, 100_002] }],
    });
  });

  test('a commercial request is also compared by address', async () => {
    await using client = await TestClient.start();
    await client.create({ inspectionNumber: 'A-1' });
    const commercial = {
      policyType: 'Commercial Property Insurance',
      houseType: 'Restaurant',
      inspectionNumber: 'A-2',
    };
    expect(await createStatus(client, { ...commercial, streetAddress: '12  OAK Street.', zipcode: '02139-1234' })).toBe(
      409,
    );
    expect(await createStatus(client, { ...commercial, streetAddress: '14 Oak Street' })).toBe(200);
    expect(await createStatus(client, { inspectionNumber: 'A-3' })).toBe(200);
  });

  test('the window is thirty days to the second, on the sandbox’s clock', async () => {
    await using client = await TestClient.start({ autoProgress: false });
    await client.control('POST', '/time', { freeze: true });
    await client.create({ inspectionNumber: 'A-1' });
    await client.advance(30 * DAY);
    await client.logIn();
    expect(await createStatus(client, { inspectionNumber: 'A-1' })).toBe(409);
    await client.advance(1);
    expect(await createStatus(client, { inspectionNumber: 'A-1' })).toBe(200);
    expect(await createStatus(client, { inspectionNumber: 'A-1' })).toBe(409);
  });

  test('only projects of the same actor and the same insured-by are compared', async () => {
    const other = { username: 'other@staging.example', password: 'x' };
    await using client = await TestClient.start({ otherUsers: [other] });
    await client.create({ inspectionNumber: 'A-1', insuredBy: 'Acme' });
    expect(await createStatus(client, { inspectionNumber: 'A-1', insuredBy: 'Zenith' })).toBe(200);
    expect(await createStatus(client, { inspectionNumber: 'A-1' })).toBe(200);
    await client.logIn(other);
    expect(await createStatus(client, { inspectionNumber: 'A-1', insuredBy: 'Acme' })).toBe(200);
    expect(await createStatus(client, { inspectionNumber: 'A-1', insuredBy: 'Acme' })).toBe(409);
    expect((await client.control('GET', '/audit')).body).toMatchObject({
      byActor: { 'analyst@staging.example': 3, 'other@staging.example': 1 },
    });
  });

  test('an updated policy number is compared from then on', async () => {
    await using client = await TestClient.start();
    await client.create({ policyNumber: 'P-1' });
    const second = await client.create({ policyNumber: 'P-1' });
    await client.call('PUT', `/v1/project/${second}`, { policyNumber: 'P-2' });
    expect(await createStatus(client, { policyNumber: 'P-2' })).toBe(409);
    expect(await createStatus(client, { policyNumber: 'P-1' })).toBe(409);
    await client.call('PUT', '/v1/project/100001', { policyNumber: '' });
    expect(await createStatus(client, { policyNumber: 'P-1' })).toBe(200);
  });

  test('the audit does not count an allowed duplicate as double', async () => {
    await using client = await TestClient.start();
    await client.create({ inspectionNumber: 'A-1' });
    await client.create({ inspectionNumber: 'A-1', allowDuplication: true });
    expect((await client.control('GET', '/audit')).body).toMatchObject({ creates: 2, doubles: [] });
  });
});
