import { describe, expect, test } from 'vitest';
import { tokenResponse } from '../../../src/contract/document.ts';
import { defaultCredentials } from '../../../src/sandbox/options.ts';
import { errorIn, TestClient, type Answer } from '../../support/sandbox/test-client.ts';

const granted = (answer: Answer) => answer.body as { access_token: string; refresh_token: string };

async function get(client: TestClient, authorization: string): Promise<number> {
  return (await fetch(`${client.sandbox.baseUrl}/v1/project`, { headers: { authorization } })).status;
}

describe('issueTokens', () => {
  test('access tokens last ten minutes, refresh tokens a day', async () => {
    await using client = await TestClient.start();
    const { username, password } = client.sandbox.credentials;
    await client.control('POST', '/time', { freeze: true });
    const first = await client.token({ grant_type: 'password', username, password });
    expect(tokenResponse.safeParse(first.body).success).toBe(true);
    expect(first.body).toMatchObject({ token_type: 'bearer', expires_in: 599 });
    const bearer = `Bearer ${granted(first).access_token}`;
    await client.advance(599);
    expect(await get(client, bearer)).toBe(200);
    await client.advance(1);
    expect(await get(client, bearer)).toBe(401);
    await client.advance(86_400 - 601);
    const second = await client.token({ grant_type: 'refresh_token', refresh_token: granted(first).refresh_token });
    expect(second.status).toBe(200);
    expect(await get(client, `Bearer ${granted(second).access_token}`)).toBe(200);
    await client.advance(86_400);
    expect(
      (await client.token({ grant_type: 'refresh_token', refresh_token: granted(second).refresh_token })).status,
    ).toBe(401);
  });

  test('however fast time passes, tokens and signed URLs serve for a minute', async () => {
    const scale = 86_400;
    await using client = await TestClient.start({ timeScale: scale, autoProgress: false });
    const id = await client.create();
    await client.setStatus(id, 'Returned to Client');
    const { username, password } = client.sandbox.credentials;
    const { body } = await client.token({ grant_type: 'password', username, password });
    expect(body).toMatchObject({ expires_in: 59 });
    const { access_token, refresh_token } = body as { access_token: string; refresh_token: string };
    const { url } = (await client.call('GET', `/v1/report/R${id}-1/url`)).body as { url: string };
    await client.advance(20 * scale);
    expect([await get(client, `Bearer ${access_token}`), (await fetch(url)).status]).toEqual([200, 200]);
    await client.advance(40 * scale);
    expect([await get(client, `Bearer ${access_token}`), (await fetch(url)).status]).toEqual([401, 403]);
    expect((await client.token({ grant_type: 'refresh_token', refresh_token })).status).toBe(401);
  });

  test('a refresh token serves once, and keeps the actor', async () => {
    const other = { username: 'other@staging.example', password: 'x' };
    await using client = await TestClient.start({ otherUsers: [other] });
    const first = granted(await client.token({ grant_type: 'password', ...other }));
    const second = await client.token({ grant_type: 'refresh_token', refresh_token: first.refresh_token });
    expect(second.body).toMatchObject({ user_id: 2 });
    expect((await client.token({ grant_type: 'refresh_token', refresh_token: first.refresh_token })).status).toBe(401);
    expect((await client.control('GET', '/audit')).body).toMatchObject({
      tokens: { password: 2, refresh_token: 1, refused: 1 },
    });
  });

  test('wrong client, wrong user and the other environment’s credentials are 401', async () => {
    await using client = await TestClient.start({ environment: 'production' });
    const own = client.sandbox.credentials;
    const staging = defaultCredentials('staging');
    const grant = { grant_type: 'password', username: own.username, password: own.password };
    const answers = [
      await client.token(grant, `${staging.clientId}:${staging.clientSecret}`),
      await client.token(grant, `${own.clientId}:wrong`),
      await client.token(grant, `${own.clientId}:${'x'.repeat(own.clientSecret.length)}`),
      await client.token({ ...grant, password: 'wrong' }),
      await client.token({ ...grant, username: staging.username, password: staging.password }),
      await client.token({ grant_type: 'refresh_token', refresh_token: 'made-up' }),
    ];
    for (const answer of answers) expect([answer.status, typeof errorIn(answer)]).toEqual([401, 'string']);
  });

  test('a refresh token gives no access, an access token no renewal', async () => {
    await using client = await TestClient.start();
    const { username, password } = client.sandbox.credentials;
    const { access_token, refresh_token } = granted(await client.token({ grant_type: 'password', username, password }));
    expect(await get(client, `Bearer ${refresh_token}`)).toBe(401);
    expect((await client.token({ grant_type: 'refresh_token', refresh_token: access_token })).status).toBe(401);
  });

  test('wrong client credentials are 401 before the form is looked at', async () => {
    await using client = await TestClient.start();
    const ask = async (basic: string) =>
      (
        await fetch(`${client.sandbox.baseUrl}/v1/oauth/token`, {
          method: 'POST',
          headers: { authorization: `Basic ${Buffer.from(basic).toString('base64')}`, 'content-type': 'text/plain' },
          body: 'x',
        })
      ).status;
    const { clientId, clientSecret } = client.sandbox.credentials;
    expect([await ask('wrong:wrong'), await ask(`${clientId}:${clientSecret}`)]).toEqual([401, 400]);
  });

  test('a malformed token request is 400, one that is no form too', async () => {
    await using client = await TestClient.start();
    expect((await client.token({ grant_type: 'client_credentials' })).status).toBe(400);
    expect((await client.token({ grant_type: 'password', username: 'x' })).status).toBe(400);
    const { clientId, clientSecret } = client.sandbox.credentials;
    const headers = {
      authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
      'content-type': 'application/json',
    };
    expect(
      (await fetch(`${client.sandbox.baseUrl}/v1/oauth/token`, { method: 'POST', headers, body: '{}' })).status,
    ).toBe(400);
  });

  test('every other endpoint first requires a bearer token', async () => {
    await using client = await TestClient.start();
    const routes = [
      'POST /v1/project',
      'GET /v1/project',
      'GET /v1/project/x',
      'PUT /v1/project/x',
      'GET /v1/project/1/status',
      'PUT /v1/project/1/status',
      'GET /v1/project/1/report',
      'GET /v1/report/x/file',
      'GET /v1/report/x/url',
      'GET /v1/report/x/summary',
      'GET /v1/project/1/image',
      'GET /v1/image/x/file',
    ];
    for (const route of routes) {
      const [method = '', path = ''] = route.split(' ');
      const body = method === 'GET' ? {} : { body: 'no JSON' };
      for (const headers of [{}, { authorization: 'Bearer made-up' }, { authorization: 'Basic eDp5' }]) {
        const response = await fetch(`${client.sandbox.baseUrl}${path}`, { method, headers, ...body });
        expect([route, response.status]).toEqual([route, 401]);
        expect(await response.json()).toEqual({ error: { message: expect.any(String) } });
      }
    }
  });
});
