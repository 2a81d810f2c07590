import { expect } from 'vitest';
import { errorIn, order, projectsIn, TestClient, type Answer } from '../support/sandbox/test-client.ts';

export type Fields = Record<string, unknown>;

/** Orders, expects 200, and gives the project detail of the answer. */
export async function created(client: TestClient, changes: Fields = {}): Promise<Fields> {
  const answer = await client.call('POST', '/v1/project', order(changes));
  expect({ changes, status: answer.status, text: answer.status === 200 ? '' : answer.text }).toEqual({
    changes,
    status: 200,
    text: '',
  });
  return only(answer);
}

/** Orders, and expects a refusal of the data (400 or 422: which one is not shown) that made no project. */
export async function refused(client: TestClient, changes: Fields): Promise<void> {
  const before = (await held(client)).length;
  const answer = await client.call('POST', '/v1/project', order(changes));
  expect({
    changes,
    refused: [400, 422].includes(answer.status),
    said: errorIn(answer) !== undefined,
    made: (await held(client)).length - before,
  }).toEqual({ changes, refused: true, said: true, made: 0 });
}

/** Expects a status, in the error body's form where it is an error. */
export function expectStatus(answer: Answer, ...statuses: readonly number[]): void {
  expect(statuses).toContain(answer.status);
  if (answer.status >= 400) expect(errorIn(answer)).toEqual(expect.stringMatching(/\S/));
}

/** The one entry of `{ project: [ … ] }`. */
export function only(answer: Answer): Fields {
  const projects = projectsIn(answer);
  expect(projects).toHaveLength(1);
  return projects[0] ?? {};
}

/** The project as the sandbox holds it, by its control server. */
export async function held(client: TestClient): Promise<Fields[]> {
  return ((await client.control('GET', '/projects')).body as { projects: Fields[] }).projects;
}

export async function audit(client: TestClient): Promise<Fields> {
  return (await client.control('GET', '/audit')).body as Fields;
}

/** A project whose deliverables are on offer, and its id. */
export async function returned(client: TestClient, changes: Fields = {}): Promise<string> {
  const id = await client.create(changes);
  await client.setStatus(id, 'Returned to Client');
  return id;
}

export async function reportsOf(client: TestClient, id: string): Promise<{ id: string; type: string }[]> {
  return only(await client.call('GET', `/v1/project/${id}/report`)).report as { id: string; type: string }[];
}

export async function imagesOf(client: TestClient, id: string): Promise<Fields[]> {
  return only(await client.call('GET', `/v1/project/${id}/image`)).image as Fields[];
}

export async function found(client: TestClient, query: string): Promise<string[]> {
  const answer = await client.call('GET', `/v1/project?${query}`);
  expect({ query, status: answer.status }).toEqual({ query, status: 200 });
  return projectsIn(answer).map(({ id }) => String(id));
}

/** A download of where a redirect leads, with nothing but the URL. */
export async function fetched(url: string | null): Promise<{ status: number; type: string; bytes: Buffer }> {
  const response = await fetch(url ?? '');
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

/** A token's answer for the sandbox's own user. */
export async function token(client: TestClient): Promise<Fields> {
  const { username, password } = client.sandbox.credentials;
  const answer = await client.token({ grant_type: 'password', username, password });
  expectStatus(answer, 200);
  return answer.body as Fields;
}

/** The status that a request with this token gets. */
export async function statusWith(
  client: TestClient,
  authorization: string | undefined,
  path = '/v1/project',
): Promise<number> {
  const response = await fetch(`${client.sandbox.baseUrl}${path}`, {
    redirect: 'manual',
    headers: authorization === undefined ? {} : { authorization },
  });
  await response.arrayBuffer();
  return response.status;
}

/** The status of a raw request, with a good token unless another header is given; expects the error body. */
export async function errorStatusOf(
  client: TestClient,
  method: string,
  path: string,
  body?: string,
  authorization?: string,
): Promise<number> {
  const headers = {
    authorization: authorization ?? `Bearer ${String((await token(client)).access_token)}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const response = await fetch(`${client.sandbox.baseUrl}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  expect(await response.json()).toEqual({ error: { message: expect.any(String) } });
  return response.status;
}

/** Lets so many seconds of sandbox time pass, and logs in again: tokens age with everything else. */
export async function later(client: TestClient, seconds: number): Promise<void> {
  await client.advance(seconds);
  await client.logIn();
}
