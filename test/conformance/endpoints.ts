import { expect } from 'vitest';
import { order } from '../support/sandbox/test-client.ts';
import type { Row } from './row.ts';
import { created, expectStatus, fetched, imagesOf, only, reportsOf, returned, statusWith, token } from './steps.ts';

const ENDPOINTS: readonly (readonly [method: string, path: string])[] = [
  ['POST', '/v1/project'],
  ['GET', '/v1/project'],
  ['GET', '/v1/project/{id}'],
  ['PUT', '/v1/project/{id}'],
  ['GET', '/v1/project/{id}/status'],
  ['PUT', '/v1/project/{id}/status'],
  ['GET', '/v1/project/{id}/report'],
  ['GET', '/v1/project/{id}/image'],
  ['GET', '/v1/report/{id}/file'],
  ['GET', '/v1/report/{id}/url'],
  ['GET', '/v1/report/{id}/summary'],
  ['GET', '/v1/image/{id}/file'],
];
const INT64 = ['x', '1.5', '9223372036854775808', '-9223372036854775809', '1e3', '0x1', '%20', '٣'];

/** How a file of each type begins. */
const FILE_BEGINNINGS: Readonly<Record<string, RegExp>> = {
  'application/pdf': /^%PDF-/,
  'application/xml': /^<\?xml/,
  'application/zip': /^PK/,
};

/** Document: Endpoints. */
export const ENDPOINT_ROWS: readonly Row[] = [
  {
    id: 'endpoints.bearer',
    sentence:
      'All endpoints except the token endpoint require a bearer token (see Authentication). Every endpoint can answer 401; endpoints with a resource identifier can answer 404 (see Errors).',
    fact: 'answers 401 without a good token, 404 to an unknown id',
    async check(client) {
      // The file of an unknown image is answered 404 after a redirect.
      const bodies: Record<string, unknown> = {
        'POST /v1/project': order(),
        'PUT /v1/project/{id}': {},
        'PUT /v1/project/{id}/status': { value: 'Project Canceled' },
      };
      let unknown = 0;
      for (const [method, template] of ENDPOINTS) {
        const path = template.replace('{id}', '1');
        for (const authorization of [undefined, 'Bearer nonsense']) {
          const headers = authorization === undefined ? {} : { authorization };
          const response = await fetch(`${client.sandbox.baseUrl}${path}`, { method, headers });
          expect({ method, path, status: response.status, body: await response.json() }).toEqual({
            method,
            path,
            status: 401,
            body: { error: { message: expect.any(String) } },
          });
        }
        if (!template.includes('{id}')) continue;
        const answer = await client.call(method, path, bodies[`${method} ${template}`]);
        if (template.startsWith('/v1/image/'))
          expect([answer.status, (await fetched(answer.headers.get('location'))).status]).toEqual([307, 404]);
        else expectStatus(answer, 404);
        unknown += 1;
      }
      expect(unknown).toBe(10);
      expectStatus(await client.token({ grant_type: 'password', username: 'a', password: 'b' }), 401);
    },
  },
  {
    id: 'endpoints.create',
    sentence:
      'POST `/v1/project` | JSON body per Project (create request). | 200 with `{ project: [ <project detail object> ] }`.',
    fact: 'returns one project, as ordered',
    check: async (client) =>
      expect(await created(client, { note: 'Ring twice.' })).toMatchObject({
        ...order(),
        id: expect.anything(),
        note: 'Ring twice.',
      }),
  },
  {
    id: 'endpoints.read',
    sentence:
      'GET `/v1/project/{projectId}` | Path `projectId` integer int64. | 200 with `{ project: [ <project detail object> ] }`.',
    fact: 'returns the project as its create did; refuses a non-int64 id',
    async check(client) {
      // A negative id is an unknown project.
      const detail = await created(client, { isRenewal: true, supplementalServices: [] });
      expect(only(await client.call('GET', `/v1/project/${String(detail.id)}`))).toEqual(detail);
      for (const bad of INT64) expectStatus(await client.call('GET', `/v1/project/${bad}`), 400);
      for (const unknown of ['-1', '-9223372036854775808', ''])
        expectStatus(await client.call('GET', `/v1/project/${unknown}`), 404);
    },
  },
  {
    id: 'endpoints.update',
    sentence:
      'PUT `/v1/project/{projectId}` | Path `projectId` int64; JSON body per Project update request. | 200 with `{ project: [ { id, policyNumber, policyEffectiveDate } ] }`.',
    fact: 'returns both fields with their new values',
    async check(client) {
      const id = await client.create();
      expect(
        only(await client.call('PUT', `/v1/project/${id}`, { policyNumber: 'P', policyEffectiveDate: '2026-09-01' })),
      ).toEqual({ id: Number(id), policyNumber: 'P', policyEffectiveDate: '2026-09-01' });
      for (const bad of INT64) expectStatus(await client.call('PUT', `/v1/project/${bad}`, {}), 400);
    },
  },
  {
    id: 'endpoints.status.read',
    sentence: 'GET `/v1/project/{projectId}/status` | Path `projectId`. | 200 with `{ project: [ { id, status } ] }`.',
    fact: 'returns the id and the current status',
    async check(client) {
      const id = await returned(client);
      expect(only(await client.call('GET', `/v1/project/${id}/status`))).toEqual({
        id: Number(id),
        status: 'Returned to Client',
      });
      for (const bad of INT64) expectStatus(await client.call('GET', `/v1/project/${bad}/status`), 400);
    },
  },
  {
    id: 'endpoints.status.update',
    sentence:
      'PUT `/v1/project/{projectId}/status` | Path `projectId`; JSON body per Status update request. | 200 with `{ project: [ { id, status } ] }` carrying the new status.',
    fact: 'returns the new status, now and on the next read',
    async check(client) {
      const id = await returned(client);
      const expected = { id: Number(id), status: 'Client Received' };
      expect(only(await client.call('PUT', `/v1/project/${id}/status`, { value: 'Client Received' }))).toEqual(
        expected,
      );
      expect(only(await client.call('GET', `/v1/project/${id}/status`))).toEqual(expected);
    },
  },
  {
    id: 'endpoints.reports',
    sentence:
      'GET `/v1/project/{projectId}/report` | Path `projectId`. | 200 with `{ project: [ { id, report: [ { id, type } ] } ] }`. When no report is available, `report` is an empty array.',
    fact: 'lists no report before the return, id and type after',
    async check(client) {
      const id = await client.create();
      expect(only(await client.call('GET', `/v1/project/${id}/report`))).toEqual({ id: Number(id), report: [] });
      await client.setStatus(id, 'Returned to Client');
      expect(only(await client.call('GET', `/v1/project/${id}/report`))).toEqual({
        id: Number(id),
        report: [{ id: expect.any(String), type: expect.any(String) }],
      });
    },
  },
  {
    id: 'endpoints.report.file',
    sentence:
      'GET `/v1/report/{reportId}/file` | Path `reportId` string; optional query `compressed` boolean. | 307 redirect to the file location (Location header); default Content-Type `application/pdf`; the final download may also be `application/zip` or `application/xml` depending on report type. 404 when the report file is unavailable, or when `compressed=true` is requested and no compressed report exists.',
    fact: 'redirects to PDF, XML or ZIP; answers 404 once received',
    async check(client) {
      // compressed=true leads to a smaller PDF or 404; compressed=perhaps is refused.
      const roof = (await reportsOf(client, await returned(client, { serviceName: 'Roof Only' })))[0]?.id ?? '';
      const project = await returned(client, { serviceName: 'High Value Premium 4-point' });
      const reports = [
        ...(await reportsOf(client, project)),
        ...(await reportsOf(client, await returned(client, { serviceName: 'Photo Only Inspection' }))).slice(1),
      ];
      const redirected = async (path: string): Promise<Awaited<ReturnType<typeof fetched>>> => {
        const answer = await client.call('GET', path);
        expectStatus(answer, 307);
        return await fetched(answer.headers.get('location'));
      };
      const types: string[] = [];
      for (const { id } of reports) {
        const file = await redirected(`/v1/report/${id}/file`);
        types.push(file.type);
        expect(file.bytes.toString('latin1')).toMatch(FILE_BEGINNINGS[file.type] ?? /^$/);
      }
      expect(types).toEqual(['application/pdf', 'application/xml', 'application/zip']);
      expect((await client.call('GET', `/v1/report/${roof}/file`)).headers.get('content-type')).toContain(
        'application/pdf',
      );
      const full = reports[0]?.id ?? '';
      expect((await redirected(`/v1/report/${full}/file?compressed=true`)).bytes.length).toBeLessThan(
        (await redirected(`/v1/report/${full}/file?compressed=false`)).bytes.length,
      );
      expectStatus(await client.call('GET', `/v1/report/${roof}/file?compressed=true`), 404);
      expectStatus(await client.call('GET', `/v1/report/${roof}/file?compressed=perhaps`), 400, 422);
      await client.call('PUT', `/v1/project/${project}/status`, { value: 'Client Received' });
      expectStatus(await client.call('GET', `/v1/report/${full}/file`), 404);
    },
  },
  {
    id: 'endpoints.report.url',
    sentence:
      'GET `/v1/report/{reportId}/url` | Path `reportId`. | 200 with `{ url }`, a temporary signed URL that must not be stored. 404 when unavailable.',
    fact: 'returns a url, another later, and 404 once received',
    async check(client) {
      const project = await returned(client);
      const path = `/v1/report/${(await reportsOf(client, project))[0]?.id ?? ''}/url`;
      const { body } = await client.call('GET', path);
      expect(body).toEqual({ url: expect.stringMatching(/^http/) });
      await client.advance(60);
      expect((await client.call('GET', path)).body).not.toEqual(body);
      await client.call('PUT', `/v1/project/${project}/status`, { value: 'Client Received' });
      expectStatus(await client.call('GET', path), 404);
    },
  },
  {
    id: 'endpoints.report.summary',
    sentence:
      'GET `/v1/report/{reportId}/summary` | Path `reportId`. | 200 with the report summary envelope (see Resources).',
    fact: 'returns exactly the report that was asked for',
    async check(client) {
      const [report] = await reportsOf(client, await returned(client));
      expect((await client.call('GET', `/v1/report/${report?.id ?? ''}/summary`)).body).toMatchObject({
        report: [{ id: report?.id, project: {}, summary: {} }],
      });
    },
  },
  {
    id: 'endpoints.typical-flow',
    sentence:
      "Typical flow: list the project's reports, then download the file or obtain its URL, then read the summary.",
    fact: 'serves the same report by file, by URL and as summary',
    async check(client) {
      const project = await returned(client);
      const [report] = await reportsOf(client, project);
      const file = await fetched(
        (await client.call('GET', `/v1/report/${report?.id ?? ''}/file`)).headers.get('location'),
      );
      const viaUrl = await fetched(
        ((await client.call('GET', `/v1/report/${report?.id ?? ''}/url`)).body as { url: string }).url,
      );
      expect(file.bytes.equals(viaUrl.bytes)).toBe(true);
      expect((await client.call('GET', `/v1/report/${report?.id ?? ''}/summary`)).body).toMatchObject({
        report: [{ project: { id: Number(project) } }],
      });
    },
  },
  {
    id: 'endpoints.images',
    sentence:
      'GET `/v1/project/{projectId}/image` | Path `projectId`. | 200 with `{ project: [ { id, image: [ { id, source, type, direction } ] } ] }`.',
    fact: 'lists no image before the return, these four fields after',
    async check(client) {
      const id = await client.create();
      expect(only(await client.call('GET', `/v1/project/${id}/image`))).toEqual({ id: Number(id), image: [] });
      await client.setStatus(id, 'Returned to Client');
      const images = await imagesOf(client, id);
      expect(images.length).toBeGreaterThan(0);
      for (const image of images) expect(Object.keys(image).toSorted()).toEqual(['direction', 'id', 'source', 'type']);
    },
  },
  {
    id: 'endpoints.image.file',
    sentence:
      'GET `/v1/image/{imageId}/file` | Path `imageId` string (found via the project image list or the report summary). | Either image bytes (200; Content-Type such as `image/jpeg` or `image/png`) or 307 redirect to the image location. If the image does not exist, the redirected URL answers 404.',
    fact: 'serves images as bytes or by redirect; a missing one is 404',
    async check(client) {
      // A missing image redirects to 404, whatever its project, and even if its id is no id.
      const { access_token } = await token(client);
      const headers = { authorization: `Bearer ${String(access_token)}` };
      const ways = new Set<string>();
      let project = '';
      for (let count = 0; count < 4; count += 1) {
        project = await returned(client);
        for (const { id } of await imagesOf(client, project)) {
          const answer = await fetch(`${client.sandbox.baseUrl}/v1/image/${String(id)}/file`, {
            redirect: 'manual',
            headers,
          });
          const file =
            answer.status === 307
              ? await fetched(answer.headers.get('location'))
              : {
                  status: answer.status,
                  type: answer.headers.get('content-type') ?? '',
                  bytes: Buffer.from(await answer.arrayBuffer()),
                };
          expect(file.status).toBe(200);
          expect(file.bytes.subarray(0, 3).toString('latin1')).toBe(
            file.type === 'image/png' ? '\u0089PN' : '\u00FF\u00D8\u00FF',
          );
          ways.add(`${answer.status} ${file.type}`);
        }
      }
      expect([...ways].toSorted()).toEqual(['200 image/jpeg', '200 image/png', '307 image/jpeg', '307 image/png']);
      const early = await client.create();
      await client.setStatus(project, 'Client Received');
      for (const unknown of [
        `I${project}-99`,
        `I${project}-1`,
        `I${early}-1`,
        'I1-1',
        'none',
        '..%2F..%2Fx',
        '%F0%9F%8F%A0',
        'a%3Fb%23c',
      ]) {
        const missing = await client.call('GET', `/v1/image/${unknown}/file`);
        expect({ unknown, status: missing.status }).toEqual({ unknown, status: 307 });
        expect({ unknown, status: (await fetched(missing.headers.get('location'))).status }).toEqual({
          unknown,
          status: 404,
        });
      }
    },
  },
  {
    id: 'endpoints.token',
    sentence:
      'POST `/v1/oauth/token` | Content-Type `application/x-www-form-urlencoded`; HTTP Basic authentication with client id and client secret; form fields per Authentication. | 200 with the token response; 401 on invalid client or user credentials.',
    fact: 'issues a token for form and Basic only, else 400 or 401',
    async check(client) {
      // The 400 names the type wanted; the 401 is for a wrong or missing part of the credentials.
      expect(await statusWith(client, `Bearer ${String((await token(client)).access_token)}`)).toBe(200);
      const { clientId, clientSecret, username, password } = client.sandbox.credentials;
      const form = { grant_type: 'password', username, password };
      for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
        const other = await fetch(`${client.sandbox.baseUrl}/v1/oauth/token`, {
          method: 'POST',
          headers: {
            authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
            'content-type': type,
          },
          body: JSON.stringify(form),
        });
        expect([type, other.status, await other.text()]).toEqual([
          type,
          400,
          expect.stringContaining('application/x-www-form-urlencoded'),
        ]);
      }
      for (const basic of [`x:${clientSecret}`, `${clientId}:x`, clientId, ':'])
        expectStatus(await client.token(form, basic), 401);
      for (const wrong of [
        { ...form, username: 'x' },
        { ...form, password: 'x' },
      ])
        expectStatus(await client.token(wrong), 401);
      const without = await fetch(`${client.sandbox.baseUrl}/v1/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams(form),
      });
      expect(without.status).toBe(401);
    },
  },
];
