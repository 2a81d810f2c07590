import { describe, expect, test } from 'vitest';
import { parseUser } from '../../../src/sandbox/options.ts';
import { OptionProblem } from '../../../src/sandbox/refusal.ts';
import { errorIn, order, TestClient } from '../../support/sandbox/test-client.ts';

const users = (['read-only', 'no-search', 'none'] as const).map((role) => ({
  username: `${role}@staging.example`,
  password: 'x',
  role,
}));

describe('checkRole', () => {
  test('a role decides what is 403; without one everything is allowed', async () => {
    await using client = await TestClient.start({ otherUsers: [...users, { username: 'plain', password: 'x' }] });
    const id = await client.create();
    const asked = async (): Promise<number[]> => [
      (await client.call('GET', '/v1/project')).status,
      (await client.call('GET', `/v1/project/${id}`)).status,
      (await client.call('POST', '/v1/project', order())).status,
      (await client.call('PUT', `/v1/project/${id}`, { policyNumber: 'P' })).status,
      (await client.call('PUT', `/v1/project/${id}/status`, { value: 'Project Canceled' })).status,
    ];
    const [readOnly, noSearch, none] = users;
    await client.logIn(readOnly);
    expect(await asked()).toEqual([200, 200, 403, 403, 403]);
    await client.logIn(none);
    expect(await asked()).toEqual([403, 403, 403, 403, 403]);
    expect((await client.control('GET', '/audit')).body).toMatchObject({ creates: 1 });
    await client.logIn(noSearch);
    expect(await asked()).toEqual([403, 200, 200, 200, 200]);
    await client.logIn({ username: 'plain', password: 'x' });
    expect((await asked()).slice(0, 4)).toEqual([200, 200, 200, 200]);
  });

  test('401 precedes 403, which precedes all other checks', async () => {
    await using client = await TestClient.start({ otherUsers: users });
    await client.logIn(users[0]);
    const refused = await client.call('POST', '/v1/project', { nothing: 'right' });
    expect([refused.status, errorIn(refused)]).toEqual([403, expect.stringContaining('read-only')]);
    expect((await client.call('PUT', '/v1/project/7', {})).status).toBe(403);
    await client.advance(601);
    expect((await client.call('POST', '/v1/project', order())).status).toBe(401);
  });

  test('a user is read from NAME:PASSWORD[:ROLE], colons in the password included', () => {
    expect(parseUser('ann:secret')).toEqual({ username: 'ann', password: 'secret' });
    expect(parseUser('ann:se:cr:et:read-only')).toEqual({ username: 'ann', password: 'se:cr:et', role: 'read-only' });
    expect(parseUser('ann:pass:admin')).toEqual({ username: 'ann', password: 'pass:admin' });
    for (const text of ['ann', 'ann:', ':secret']) expect(() => parseUser(text)).toThrow(OptionProblem);
  });

  test('two users cannot have one name', async () => {
    await expect(
      TestClient.start({ otherUsers: [{ username: 'analyst@staging.example', password: 'x' }] }),
    ).rejects.toThrow('two users');
  });
});
