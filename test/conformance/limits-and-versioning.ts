import { expect } from 'vitest';
import { order } from '../support/sandbox/test-client.ts';
import { collectedSummaries } from './collected-summaries.ts';
import type { Row, Untestable } from './row.ts';
import { created, expectStatus, type Fields, found, reportsOf, returned, statusWith, token } from './steps.ts';

const STILL = { autoProgress: false, startAt: Date.UTC(2026, 8, 1), timeScale: 0 };

/** Document: Limits. */
export const LIMITS: readonly Row[] = [
  {
    id: 'limits.search',
    sentence: 'limit (search page size) | GET `/v1/project` | Default 100; maximum 500.',
    fact: 'returns 100 of 101 projects, accepts limit 500, refuses 501',
    async check(client) {
      for (let count = 0; count < 101; count += 1) await client.create();
      expect([(await found(client, '')).length, (await found(client, 'limit=500')).length]).toEqual([100, 101]);
      expectStatus(await client.call('GET', '/v1/project?limit=501'), 400, 422);
    },
  },
  {
    id: 'limits.startId',
    sentence: 'startId | GET `/v1/project` | Default 0 (inclusive lower bound on project id).',
    fact: 'starts at 0 by default and includes the bound itself',
    async check(client) {
      const [first, second] = [await client.create(), await client.create()];
      expect([
        await found(client, ''),
        await found(client, 'startId=0'),
        await found(client, `startId=${second}`),
      ]).toEqual([[first, second], [first, second], [second]]);
    },
  },
  {
    id: 'limits.comment',
    sentence: 'comment length | PUT `/v1/project/{projectId}/status` | At most 1000 in the schema.',
    fact: 'accepts 1000 characters and refuses 1001',
    async check(client) {
      const path = `/v1/project/${await client.create()}/status`;
      expectStatus(await client.call('PUT', path, { value: 'Project Canceled', comment: 'ü'.repeat(1001) }), 400, 422);
      expectStatus(await client.call('PUT', path, { value: 'Project Canceled', comment: 'ü'.repeat(1000) }), 200);
    },
  },
  {
    id: 'limits.access-token',
    sentence: 'Access token validity | Bearer tokens | 10 minutes.',
    fact: 'accepts the token at 9:59 and no longer at 10:00',
    options: STILL,
    async check(client) {
      const authorization = `Bearer ${String((await token(client)).access_token)}`;
      await client.advance(599);
      expect(await statusWith(client, authorization)).toBe(200);
      await client.advance(1);
      expect(await statusWith(client, authorization)).toBe(401);
    },
  },
  {
    id: 'limits.refresh-token',
    sentence: 'Refresh token validity | Token endpoint | 24 hours.',
    fact: 'exchanges the token at 23:59:59 and no longer at 24:00:00',
    options: STILL,
    async check(client) {
      const [good, late] = [await token(client), await token(client)].map(({ refresh_token }) => ({
        grant_type: 'refresh_token',
        refresh_token: String(refresh_token),
      }));
      await client.advance(24 * 3600 - 1);
      expectStatus(await client.token(good ?? {}), 200);
      await client.advance(1);
      expectStatus(await client.token(late ?? {}), 401);
    },
  },
  {
    id: 'limits.duplicate-window',
    sentence: 'Duplicate-check window | POST `/v1/project` | 30 days.',
    fact: 'answers 409 a second before the end, 200 a second after',
    options: STILL,
    async check(client) {
      const again = order({ inspectionNumber: 'A', allowDuplication: false });
      await created(client, again);
      await client.advance(30 * 86_400 - 1);
      await client.logIn();
      expectStatus(await client.call('POST', '/v1/project', again), 409);
      await client.advance(2);
      expectStatus(await client.call('POST', '/v1/project', again), 200);
    },
  },
  {
    id: 'limits.staging',
    sentence:
      'Staging auto-processing time | Staging projects with the special inspection-number prefixes | Within 5 minutes.',
    fact: 'finishes all forty at 5:00, none at once',
    options: STILL,
    async check(client) {
      const ids: string[] = [];
      for (let count = 0; count < 40; count += 1)
        ids.push(await client.create({ inspectionNumber: count % 2 === 0 ? 'report_provided' : 'closeout_report' }));
      for (const id of ids) expect(await client.status(id)).toBe('Project Created');
      await client.advance(300);
      for (const [index, id] of ids.entries())
        expect(await client.status(id)).toBe(index % 2 === 0 ? 'Returned to Client' : 'closed out');
    },
  },
  {
    id: 'limits.report-url',
    sentence: 'Report URL | GET `/v1/report/{reportId}/url` | Temporary; must not be stored.',
    fact: 'serves a URL for less than a day, then a new one',
    options: STILL,
    async check(client) {
      const path = `/v1/report/${(await reportsOf(client, await returned(client)))[0]?.id ?? ''}/url`;
      const serves = async (url: string): Promise<boolean> => (await fetch(url)).status === 200;
      const { url } = (await client.call('GET', path)).body as { url: string };
      expect(await serves(url)).toBe(true);
      await client.advance(86_400);
      await client.logIn();
      expect(await serves(url)).toBe(false);
      expect(await serves(((await client.call('GET', path)).body as { url: string }).url)).toBe(true);
    },
  },
];

/** Document: Versioning. */
export const VERSIONING: readonly Row[] = [
  {
    id: 'versioning.prefix',
    sentence: 'All endpoints live under the path prefix `/v1`.',
    fact: 'begins every OpenAPI path with /v1; answers 404 to others',
    async check(client) {
      const { paths } = (await (await fetch(`${client.sandbox.baseUrl}/openapi.json`)).json()) as { paths: Fields };
      expect(Object.keys(paths).filter((path) => !path.startsWith('/v1/'))).toEqual([]);
      for (const path of Object.keys(paths))
        for (const other of ['/v0', '/v2']) expectStatus(await client.call('GET', path.replace('/v1', other)), 404);
    },
  },
  {
    id: 'versioning.number',
    sentence:
      'The reference itself carries a version number; the latest described is 1.46.0, after 1.45.0, 1.44.1, 1.35.0 and 1.31.0.',
    fact: 'returns 1.46.0 as the version of the OpenAPI document',
    async check(client) {
      expect(await (await fetch(`${client.sandbox.baseUrl}/openapi.json`)).json()).toMatchObject({
        info: { version: '1.46.0' },
      });
    },
  },
  {
    id: 'versioning.recent',
    sentence:
      'Recent changes: 1.46.0 made `factors.direction` and `factors.image` nullable and added `factors.component` and `factors.location`; 1.45.0 added `risk.hasBusinessOperation`;',
    fact: 'returns direction and image as null or value, and every new field',
    async check() {
      const all = await collectedSummaries();
      const factors = all.flatMap(({ summary }) => (summary.factors ?? []) as Fields[]);
      for (const field of ['direction', 'image'])
        expect(new Set(factors.map((factor) => factor[field] === null))).toEqual(new Set([true, false]));
      for (const factor of factors)
        expect([factor.component === undefined, typeof factor.location]).toEqual([false, 'string']);
      expect(all.some(({ summary }) => typeof (summary.risk as Fields).hasBusinessOperation === 'boolean')).toBe(true);
    },
  },
  {
    id: 'versioning.self-inspections',
    sentence:
      '1.44.1 was documentation-only (self-inspection code and link apply also to the two self-underwriting services; clarified roof material and siding percentage objects).',
    fact: 'returns a code and a link for both self-underwriting services',
    async check(client) {
      for (const serviceName of ['Self Exterior Underwriting', 'Self 4-Point Underwriting'])
        expect(await created(client, { serviceName })).toMatchObject({
          inspectionCode: expect.stringMatching(/./),
          inspectionLink: expect.stringMatching(/./),
        });
    },
  },
  {
    id: 'versioning.earlier',
    sentence:
      'the current contract accepts only `Client Received` and `Project Canceled` with the conditions given in States and transitions; it also had a narrower serviceName list and an optional houseType.',
    fact: 'refuses Receive Error, a late cancellation and a missing houseType',
    async check(client) {
      const id = await returned(client);
      for (const value of ['Receive Error', 'Project Canceled'])
        expectStatus(await client.call('PUT', `/v1/project/${id}/status`, { value }), 400, 409, 422);
      expectStatus(await client.call('POST', '/v1/project', order({ houseType: undefined })), 400, 422);
    },
  },
  {
    id: 'versioning.openapi',
    sentence: 'A machine-readable OpenAPI description of the service is published and downloadable.',
    fact: 'serves OpenAPI 3.1 at /openapi.json without a token',
    async check(client) {
      // The OpenAPI description of each answer is tested in test/unit/sandbox/openapi.
      const response = await fetch(`${client.sandbox.baseUrl}/openapi.json`);
      expect([response.status, await response.json()]).toEqual([
        200,
        expect.objectContaining({ openapi: expect.stringMatching(/^3\.1\./) }),
      ]);
    },
  },
];

export const LIMITS_UNTESTABLE: readonly Untestable[] = [
  {
    id: 'limits.rate',
    sentence: 'Rate limits (numeric quota behind 429): not shown.',
    reason: 'The document leaves it open; a quota of the sandbox is started on demand (errors.429).',
  },
  {
    id: 'limits.url-lifetime',
    sentence: 'Lifetime of the report download URL: not shown.',
    reason: 'The document leaves it open; the sandbox has five minutes unless told otherwise.',
  },
];

export const VERSIONING_UNTESTABLE: readonly Untestable[] = [
  {
    id: 'versioning.changelog',
    sentence: 'A changelog lists notable changes, newest first; changes are tagged as Added, Changed or Docs.',
    reason: 'It is about the provider’s reference, not about the service’s answers.',
  },
  {
    id: 'versioning.differences',
    sentence:
      'Differences in earlier versions: the 1.31 reference accepted `Receive Error` and `Project Canceled` regardless of current status,',
    reason: 'The sandbox is the current version.',
  },
  {
    id: 'versioning.without-notice',
    sentence: 'Lists marked dynamic in the report summary may add, remove or change values without prior notice.',
    reason: 'No test can wait for it; that unlisted values occur is tested (summary.dynamic).',
  },
  {
    id: 'versioning.deprecation',
    sentence: 'Deprecation schedules and support windows for old versions: not shown.',
    reason: 'The document leaves it open.',
  },
];
