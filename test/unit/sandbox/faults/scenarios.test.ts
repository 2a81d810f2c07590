import { describe, expect, test } from 'vitest';
import { faultRule } from '../../../../src/sandbox/faults/faults.ts';
import { order, TestClient } from '../../../support/sandbox/test-client.ts';
import { SCENARIO_NAMES, SCENARIOS, scenariosText } from '../../../../src/sandbox/faults/scenarios.ts';

const create = async (client: TestClient): Promise<number | 'cut'> =>
  await client.call('POST', '/v1/project', order()).then(
    ({ status }) => status,
    () => 'cut' as const,
  );

describe('findScenario', () => {
  test('every scenario has valid rules that end or depend on time', () => {
    for (const { name, summary, rules } of SCENARIOS) {
      expect(summary).not.toBe('');
      expect(scenariosText()).toContain(name);
      for (const rule of rules) {
        expect(faultRule.safeParse(rule).success).toBe(true);
        const heals =
          rule.times !== undefined ||
          rule.untilSeconds !== undefined ||
          rule.lagSeconds !== undefined ||
          ['quota', 'detour'].includes(rule.kind);
        expect([name, rule.kind, heals]).toEqual([name, rule.kind, true]);
      }
    }
    expect(SCENARIOS.map(({ name }) => name)).toEqual([...SCENARIO_NAMES]);
  });

  test('a scenario starts by name, is audited and can be switched', async () => {
    await using client = await TestClient.start({
      scenario: 'quota',
      faults: [{ kind: '500', match: { route: '/v1/project/{projectId}' }, times: 1 }],
    });
    expect((await client.control('GET', '/audit')).body).toMatchObject({ scenario: 'quota' });
    expect((await client.call('GET', '/v1/project/1')).status).toBe(500);
    expect((await client.control('GET', '/scenario')).body).toMatchObject({
      name: 'quota',
      scenarios: SCENARIOS.map(({ name }) => ({ name })),
    });
    await client.control('POST', '/scenario', { name: 'outage' });
    const statuses = new Set<number | 'cut'>();
    for (let request = 0; request < 40; request += 1) statuses.add(await create(client));
    expect(statuses).toEqual(new Set([502, 503, 'cut']));
    await client.advance(601);
    await client.logIn();
    expect(await create(client)).toBe(200);
    expect((await client.control('POST', '/scenario', { name: 'calm' })).body).toMatchObject({
      name: 'calm',
      faults: [],
    });
    expect((await client.control('POST', '/scenario', { name: 'nice-weather' })).status).toBe(400);
  });

  test('lost-answers creates more than it answers, for an hour', async () => {
    await using client = await TestClient.start({ scenario: 'lost-answers', seed: 3 });
    let answered = 0;
    for (let request = 0; request < 60; request += 1) answered += (await create(client)) === 200 ? 1 : 0;
    const { body } = await client.control('GET', '/audit');
    expect(body).toMatchObject({ creates: 60, internalErrors: [] });
    expect(answered).toBeLessThan(52);
    await client.advance(3601);
    await client.logIn();
    const late: (number | 'cut')[] = [];
    for (let request = 0; request < 20; request += 1) late.push(await create(client));
    expect(new Set(late)).toEqual(new Set([200]));
  });

  test('a scenario that does not exist is refused at the start', async () => {
    await expect(TestClient.start({ scenario: 'nice-weather' as 'calm' })).rejects.toThrow(
      /^scenario: .*\bnice-weather$/,
    );
  });
});
