import { Agent } from 'node:http';
import got, { type Got } from 'got';
import type { Served } from './server.ts';

/** got as anybody would use it against the service: kept-alive connections and a token, no more. */
export async function bareClient(served: Served, concurrency: number): Promise<Got> {
  return got.extend({
    prefixUrl: `${served.baseUrl}/v1`,
    retry: { limit: 0 },
    agent: { http: new Agent({ keepAlive: true, maxSockets: concurrency }) },
    headers: { authorization: `Bearer ${await accessToken(served)}` },
  });
}

export async function accessToken({ baseUrl, credentials }: Served): Promise<string> {
  const { clientId, clientSecret, username, password } = credentials;
  const { access_token: token } = await got
    .post(`${baseUrl}/v1/oauth/token`, {
      username: clientId,
      password: clientSecret,
      form: { grant_type: 'password', username, password },
    })
    .json<{ access_token: string }>();
  return token;
}
