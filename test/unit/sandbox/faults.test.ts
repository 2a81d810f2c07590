import { describe, expect, test, vi } from 'vitest';
import { environmentLines } from '../../../src/sandbox/sandbox.ts';
import { errorIn, order, projectsIn, TestClient } from '../../support/sandbox/test-client.ts';

const create = { method: 'POST', route: '/v1/project' };

describe('attachFaults', () => {
  test('commit-then-504 and commit-then-reset create a project', async () => {
    await using client = await TestClient.start();
    await client.control('POST', '/faults', [
      { match: create, kind: 'commit-then-504', times: 1 },
      { match: create, kind: 'commit-then-reset', times: 1 },
    ]);
    const answer = await client.call('POST', '/v1/project', order());
    expect([answer.status, errorIn(answer)]).toEqual([504, 'Deadline reached.']);
    await expect(client.call('POST', '/v1/project', order())).rejects.toThrow('fetch failed');
    expect((await client.call('POST', '/v1/project', order())).status).toBe(200);
    expect((await client.control('GET', '/audit')).body).toMatchObject({
      creates: 3,
      requests: { 'POST /v1/project': { 200: 1, 504: 1, reset: 1 } },
      faults: [{ bites: 1 }, { bites: 1 }],
    });
  });

  test('commit faults do not apply to refused requests', async () => {
    await using client = await TestClient.start({ faults: [{ match: create, kind: 'commit-then-504' }] });
    expect((await client.call('POST', '/v1/project', order({ state: 'XX' }))).status).toBe(422);
  });

  test('504, 503, 500 and 429 replace the work, a number of times', async () => {
    await using client = await TestClient.start();
    const id = await client.create();
    for (const kind of ['504', '503', '500', '429']) {
      await client.control('POST', '/faults', [
        { match: { route: '/v1/project/{projectId}/status' }, kind, times: 1, retryAfter: 7 },
      ]);
      const answer = await client.call('GET', `/v1/project/${id}/status`);
      expect([answer.status, answer.headers.get('retry-after'), typeof errorIn(answer)]).toEqual([
        Number(kind),
        '7',
        'string',
      ]);
      expect((await client.call('GET', `/v1/project/${id}/status`)).status).toBe(200);
    }
  });

  test('a fault ends after its time or when deleted', async () => {
    await using client = await TestClient.start();
    await client.control('POST', '/faults', [{ match: create, kind: '503', untilSeconds: 60 }]);
    expect((await client.call('POST', '/v1/project', order())).status).toBe(503);
    await client.advance(61);
    expect((await client.call('POST', '/v1/project', order())).status).toBe(200);
    await client.control('POST', '/faults', [{ kind: '500' }]);
    await client.control('DELETE', '/faults');
    expect((await client.call('GET', '/v1/project')).status).toBe(200);
    expect((await client.control('POST', '/faults', [{ kind: 'nonsense' }])).status).toBe(400);
  });

  test('which requests are hit is seeded', async () => {
    const hits = async (): Promise<number[]> => {
      await using client = await TestClient.start({ seed: 5 });
      await client.control('POST', '/faults', [{ match: create, kind: 'commit-then-504', probability: 0.3 }]);
      const statuses: number[] = [];
      for (let index = 0; index < 40; index += 1)
        statuses.push((await client.call('POST', '/v1/project', order())).status);
      return statuses;
    };
    const first = await hits();
    expect(await hits()).toEqual(first);
    expect(first.filter((status) => status === 504).length).toBeGreaterThan(4);
    expect(first.filter((status) => status === 200).length).toBeGreaterThan(15);
  });

  test('close ends requests that hang and connections kept alive', async () => {
    const client = await TestClient.start({ faults: [{ match: create, kind: 'hang' }] });
    const hanging = client.call('POST', '/v1/project', order()).then(
      () => 'answered',
      () => 'cut',
    );
    const hasBitten = async () => JSON.stringify((await client.control('GET', '/faults')).body).includes('"bites":1');
    await vi.waitUntil(hasBitten, { timeout: 45_000, interval: 20 });
    await client.sandbox.close();
    expect(await hanging).toBe('cut');
  });

  test('the control server leaps, freezes and scales time, and sets any status', async () => {
    await using client = await TestClient.start({ startAt: 1_790_000_000_000, autoProgress: false });
    await client.control('POST', '/time', { freeze: true });
    const before = (await client.control('GET', '/time')).body as { now: number };
    expect((await client.control('POST', '/time', { advanceSeconds: 3600 })).body).toMatchObject({
      now: before.now + 3_600_000,
      frozen: true,
    });
    expect((await client.control('POST', '/time', { unfreeze: true, scale: 60 })).body).toMatchObject({
      scale: 60,
      frozen: false,
    });
    expect((await client.control('POST', '/time', { scale: -1 })).status).toBe(400);
    await client.logIn();
    const id = await client.create();
    await client.setStatus(id, 'Waiting for Weather');
    expect(projectsIn(await client.call('GET', '/v1/project'))).toMatchObject([{ status: 'Waiting for Weather' }]);
    expect((await client.control('POST', '/projects/7/status', { status: 'x' })).status).toBe(404);
  });

  test('latencyMs delays every answer, half before the work', async () => {
    await using client = await TestClient.start({ latencyMs: 600 });
    const answered = client.call('POST', '/v1/project', order());
    let seenBefore = 0;
    // The control server has no latency: it sees the project while its creator still waits.
    const first = await Promise.race([
      answered.then(() => 'answered'),
      (async () => {
        while (seenBefore === 0)
          seenBefore = ((await client.control('GET', '/audit')).body as { creates: number }).creates;
        return 'seen';
      })(),
    ]);
    expect(first).toBe('seen');
    expect((await answered).status).toBe(200);
  });

  test('a port that is taken is an error, and leaves nothing listening', async () => {
    await using client = await TestClient.start();
    const port = Number(new URL(client.sandbox.baseUrl).port);
    await expect(TestClient.start({ controlPort: port })).rejects.toThrow('EADDRINUSE');
  });

  test('the environment lines say what a client needs', async () => {
    await using client = await TestClient.start({
      credentials: { clientId: 'c', clientSecret: 's #"x', username: 'u', password: 'p' },
    });
    const lines = environmentLines(client.sandbox).split('\n');
    expect(lines).toEqual([
      `INSPECTION_BASE_URL=${client.sandbox.baseUrl}`,
      'INSPECTION_CLIENT_ID=c',
      'INSPECTION_CLIENT_SECRET="s #\\"x"',
      'INSPECTION_USERNAME=u',
      'INSPECTION_PASSWORD=p',
      `INSPECTION_SANDBOX_CONTROL_URL=${client.sandbox.controlUrl}`,
      '',
    ]);
  });
});
