import { describe, expect, test } from 'vitest';
import { projectSearchResponse } from '../../../src/contract/document.ts';
import { projectsIn, TestClient } from '../../support/sandbox/test-client.ts';

async function ids(client: TestClient, query: string): Promise<unknown[]> {
  return projectsIn(await client.call('GET', `/v1/project?${query}`)).map(({ id }) => id);
}

describe('checkedQuery', () => {
  test('pages by startId, inclusive, give every project once, by id ascending', async () => {
    await using client = await TestClient.start();
    for (let index = 0; index < 23; index += 1) await client.create();
    const seen: number[] = [];
    for (let startId = 0; ;) {
      const page = await ids(client, `limit=5&startId=${startId}`);
      seen.push(...page.map(Number));
      if (page.length === 0) break;
      startId = Number(page.at(-1)) + 1;
    }
    expect(seen).toEqual(Array.from({ length: 23 }, (_, index) => 100_001 + index));
    expect(await ids(client, 'limit=0')).toEqual([]);
  });

  test('the default page is a hundred, the largest five hundred', async () => {
    await using client = await TestClient.start();
    await Promise.all(Array.from({ length: 120 }, () => client.create()));
    expect(await ids(client, '')).toHaveLength(100);
    expect(await ids(client, 'limit=500')).toHaveLength(120);
  });

  test('what is no valid parameter is 400', async () => {
    await using client = await TestClient.start();
    const queries = [
      'limit=501',
      'limit=-1',
      'limit=x',
      'limit=1&limit=2',
      'startId=1.5',
      'status=Done',
      'serviceName=Roof',
      'createdTime.start=1790000000000',
      'createdTime.end=x',
      'includeBundleProjects=yes',
      'status=',
      'limit=',
      'serviceName=',
      'startId=',
      'createdTime.start=',
      'includeBundleProjects=',
    ];
    for (const query of queries)
      expect([query, (await client.call('GET', `/v1/project?${query}`)).status]).toEqual([query, 400]);
  });

  test('an empty policy or inspection number is no filter', async () => {
    await using client = await TestClient.start();
    await client.create({ policyNumber: 'P-1', inspectionNumber: 'A-1' });
    await client.create();
    expect(await ids(client, 'policyNumber=&inspectionNumber=')).toEqual([100_001, 100_002]);
  });

  test('filters hold together, and an item shows the document’s fields', async () => {
    await using client = await TestClient.start({ autoProgress: false });
    await client.create({ policyNumber: 'P-1', inspectionNumber: 'A-1' });
    await client.create({ policyNumber: 'P-1', serviceName: 'Roof Only' });
    await client.create({ policyNumber: 'P-2' });
    await client.setStatus('100003', 'Site Inspected');
    expect(await ids(client, 'policyNumber=P-1')).toEqual([100_001, 100_002]);
    expect(await ids(client, 'policyNumber=P-1&inspectionNumber=A-1')).toEqual([100_001]);
    expect(await ids(client, 'policyNumber=P-1&serviceName=Roof%20Only')).toEqual([100_002]);
    expect(await ids(client, 'status=Project%20Created')).toEqual([100_001, 100_002]);
    expect(await ids(client, 'status=Site%20Inspected&policyNumber=P-1')).toEqual([]);
    const answer = await client.call('GET', '/v1/project?startId=100002&limit=1');
    expect(projectsIn(answer)).toEqual([
      {
        id: 100_002,
        streetAddress: '12 Oak Street',
        city: 'Cambridge',
        state: 'MA',
        zipcode: '02139',
        country: 'US',
        serviceName: 'Roof Only',
        status: 'Project Created',
        policyNumber: 'P-1',
        inspectionNumber: '',
      },
    ]);
    expect(projectSearchResponse.safeParse(answer.body).success).toBe(true);
  });

  test('the creation window takes its start and not its end, in seconds', async () => {
    const startAt = 1_790_000_000_000;
    await using client = await TestClient.start({ startAt, autoProgress: false });
    await client.control('POST', '/time', { freeze: true });
    const { body } = await client.control('GET', '/time');
    await client.control('POST', '/time', { advanceSeconds: 1_790_000_060 - (body as { now: number }).now / 1000 });
    for (let index = 0; index < 3; index += 1) {
      await client.create();
      await client.advance(10);
    }
    expect(await ids(client, 'createdTime.start=1790000060&createdTime.end=1790000080')).toEqual([100_001, 100_002]);
    expect(await ids(client, 'createdTime.start=1790000061')).toEqual([100_002, 100_003]);
    expect(await ids(client, 'createdTime.end=1790000060')).toEqual([]);
  });

  test('projects of bundles are left out when asked', async () => {
    await using client = await TestClient.start();
    await client.create();
    await client.create();
    await client.control('POST', '/projects/100001/bundle', { bundled: true });
    expect(await ids(client, 'includeBundleProjects=false')).toEqual([100_002]);
    expect(await ids(client, 'includeBundleProjects=true')).toEqual([100_001, 100_002]);
  });
});
