import { expect } from 'vitest';
import { projectsIn } from '../support/sandbox/test-client.ts';
import type { Row, Untestable } from './row.ts';
import { expectStatus, found } from './steps.ts';

/** Midnight of a day, so that seconds are whole. */
const START = Date.UTC(2026, 8, 1);
const SECONDS = START / 1000;

/** A search by one of the two numbers. */
function numberRow(name: 'policyNumber' | 'inspectionNumber'): Row {
  return {
    id: `search.${name}`,
    sentence: `${name} | string | Match on ${name === 'policyNumber' ? 'policy' : 'inspection'} number.`,
    fact: `matches the whole number exactly${name === 'policyNumber' ? ', the new one after an update' : ''}`,
    async check(client) {
      const id = await client.create({ [name]: 'AB 1/ü' });
      await client.create({ [name]: 'AB 1/ü-2' });
      await client.create({ [name === 'policyNumber' ? 'inspectionNumber' : 'policyNumber']: 'AB 1/ü' });
      expect(await found(client, `${name}=${encodeURIComponent('AB 1/ü')}`)).toEqual([id]);
      expect([
        await found(client, `${name}=AB`),
        await found(client, `${name}=${encodeURIComponent('ab 1/ü')}`),
      ]).toEqual([[], []]);
      if (name !== 'policyNumber') return;
      await client.call('PUT', `/v1/project/${id}`, { policyNumber: 'N-1' });
      expect([
        await found(client, 'policyNumber=N-1'),
        await found(client, `policyNumber=${encodeURIComponent('AB 1/ü')}`),
      ]).toEqual([[id], []]);
    },
  };
}

/** One end of the creation-time window. */
function createdTimeRow(end: 'start' | 'end'): Row {
  return {
    id: `search.createdTime.${end}`,
    sentence:
      end === 'start'
        ? 'createdTime.start | integer (int32) | Start of creation-time window, inclusive.'
        : 'createdTime.end | integer (int32) | End of creation-time window, exclusive.',
    fact: `${end === 'start' ? 'includes' : 'excludes'} projects created in that second; refuses a non-int32 time`,
    options: { startAt: START, timeScale: 0, autoProgress: false },
    async check(client) {
      const early = await client.create();
      await client.advance(1);
      const late = await client.create();
      expect([
        await found(client, `createdTime.${end}=${SECONDS}`),
        await found(client, `createdTime.${end}=${SECONDS + 1}`),
        await found(client, `createdTime.${end}=${SECONDS + 2}`),
      ]).toEqual(end === 'start' ? [[early, late], [late], []] : [[], [early], [early, late]]);
      expect(await found(client, `createdTime.${end}=-1`)).toEqual(end === 'start' ? [early, late] : []);
      for (const bad of ['', 'x', '1.5', '2147483648', '-2147483649', '-1x'])
        expectStatus(await client.call('GET', `/v1/project?createdTime.${end}=${bad}`), 400, 422);
    },
  };
}

/** Document: Search query parameters. */
export const SEARCH: readonly Row[] = [
  {
    id: 'search.sorted',
    sentence:
      'GET `/v1/project` | Query parameters below. | 200 with `{ project: [ <search item> ... ] }`, sorted by project id ascending.',
    fact: 'finds every project by ascending id, or an empty list',
    async check(client) {
      expect(await found(client, '')).toEqual([]);
      const ids: string[] = [];
      for (const policyNumber of ['C', 'A', 'B', 'A']) ids.push(await client.create({ policyNumber }));
      expect(await found(client, '')).toEqual(ids.toSorted((a, b) => Number(a) - Number(b)));
      expect(await found(client, 'policyNumber=A')).toEqual([ids[1], ids[3]]);
      expect(await found(client, 'policyNumber=Z')).toEqual([]);
    },
  },
  {
    id: 'search.status',
    sentence:
      'status | string enum | Any status value from States and transitions. When omitted, projects of any status match.',
    fact: 'filters by status, and refuses unknown and empty ones',
    async check(client) {
      const [a, b] = [await client.create(), await client.create()];
      await client.setStatus(b, 'Receive Error');
      expect([
        await found(client, 'status=Receive%20Error'),
        await found(client, 'status=Project%20Created'),
        await found(client, 'status=Image%20Uploaded'),
        await found(client, ''),
      ]).toEqual([[b], [a], [], [a, b]]);
      for (const bad of ['Lost', '']) expectStatus(await client.call('GET', `/v1/project?status=${bad}`), 400, 422);
    },
  },
  numberRow('policyNumber'),
  numberRow('inspectionNumber'),
  {
    id: 'search.serviceName',
    sentence: "serviceName | string enum | Same values as the create request's serviceName.",
    fact: 'filters by each of the nine services, and refuses other values',
    async check(client) {
      for (const serviceName of [
        'Roof Only',
        'Exterior',
        '4-Point',
        'Premium 4-Point',
        'High Value Premium 4-point',
        'Snap360',
        'Photo Only Inspection',
        'Self Exterior Underwriting',
        'Self 4-Point Underwriting',
      ]) {
        const id = await client.create({ serviceName });
        expect(await found(client, `serviceName=${encodeURIComponent(serviceName)}`)).toEqual([id]);
      }
      for (const bad of ['Roof', ''])
        expectStatus(await client.call('GET', `/v1/project?serviceName=${bad}`), 400, 422);
    },
  },
  createdTimeRow('start'),
  createdTimeRow('end'),
  {
    id: 'search.createdTime.window',
    sentence: 'Start of creation-time window, inclusive.',
    fact: 'holds each project in exactly one of adjacent windows',
    options: { startAt: START, timeScale: 0, autoProgress: false },
    async check(client) {
      const ids: string[] = [];
      for (let count = 0; count < 6; count += 1) {
        ids.push(await client.create());
        await client.advance(10);
      }
      const windows: string[] = [];
      for (let from = SECONDS; from < SECONDS + 60; from += 15)
        windows.push(...(await found(client, `createdTime.start=${from}&createdTime.end=${from + 15}`)));
      expect(windows).toEqual(ids);
    },
  },
  {
    id: 'search.limit',
    sentence: 'limit | integer (int32) | Default 100, maximum 500, minimum 0.',
    fact: 'returns up to 100, 0, 1 or 500 projects; refuses other limits',
    async check(client) {
      for (let count = 0; count < 501; count += 1) await client.create();
      const lengths = [];
      for (const query of ['', 'limit=0', 'limit=1', 'limit=500']) lengths.push((await found(client, query)).length);
      expect(lengths).toEqual([100, 0, 1, 500]);
      for (const limit of ['', '501', '-1', 'x', '1.5', '99999999999'])
        expectStatus(await client.call('GET', `/v1/project?limit=${limit}`), 400, 422);
    },
  },
  {
    id: 'search.startId',
    sentence:
      'startId | integer (int64) | Default 0. Returned projects have an id greater than or equal to startId. Combine with limit for pagination.',
    fact: 'starts at that id, and pages through every project once',
    async check(client) {
      // The largest int64 finds nothing, a negative number everything; a larger number is refused.
      const ids: string[] = [];
      for (let count = 0; count < 5; count += 1) ids.push(await client.create());
      expect([
        await found(client, `startId=${ids[2] ?? ''}`),
        await found(client, 'startId=0'),
        await found(client, 'startId=9223372036854775807'),
        await found(client, 'startId=-1'),
      ]).toEqual([ids.slice(2), ids, [], ids]);
      const paged: string[] = [];
      for (
        let page = await found(client, 'limit=2');
        page.length > 0;
        page = await found(client, `limit=2&startId=${BigInt(page.at(-1) ?? 0) + 1n}`)
      )
        paged.push(...page);
      expect(paged).toEqual(ids);
      for (const bad of ['9223372036854775808', '', 'x', '1.5'])
        expectStatus(await client.call('GET', `/v1/project?startId=${bad}`), 400, 422);
    },
  },
  {
    id: 'search.includeBundleProjects',
    sentence:
      'includeBundleProjects | boolean | When `false`, projects belonging to any bundle are excluded; when omitted or `true`, all projects are included.',
    fact: 'leaves out bundled projects if false; refuses other values',
    async check(client) {
      const [single, bundled] = [await client.create(), await client.create()];
      await client.control('POST', `/projects/${bundled}/bundle`, { bundled: true });
      expect([
        await found(client, 'includeBundleProjects=false'),
        await found(client, 'includeBundleProjects=true'),
        await found(client, ''),
      ]).toEqual([[single], [single, bundled], [single, bundled]]);
      for (const bad of ['no', '0', 'FALSE', ''])
        expectStatus(await client.call('GET', `/v1/project?includeBundleProjects=${bad}`), 400, 422);
    },
  },
  {
    id: 'search.all-optional',
    sentence: 'Search query parameters (all optional):',
    fact: 'accepts any subset of the parameters, and applies them all',
    options: { startAt: START, timeScale: 0, autoProgress: false },
    async check(client) {
      await client.create({ policyNumber: 'P' });
      const id = await client.create({ policyNumber: 'P', inspectionNumber: 'A', serviceName: 'Exterior' });
      await client.create({ policyNumber: 'P', inspectionNumber: 'A' });
      const all = {
        status: 'Project Created',
        policyNumber: 'P',
        inspectionNumber: 'A',
        serviceName: 'Exterior',
        'createdTime.start': String(SECONDS),
        'createdTime.end': String(SECONDS + 1),
        limit: '5',
        startId: '1',
        includeBundleProjects: 'false',
      };
      expect(await found(client, new URLSearchParams(all).toString())).toEqual([id]);
      for (const left of Object.keys(all)) {
        const answer = await client.call(
          'GET',
          `/v1/project?${new URLSearchParams(Object.entries(all).filter(([name]) => name !== left)).toString()}`,
        );
        expect(projectsIn(answer).map((item) => String(item.id))).toContain(id);
      }
    },
  },
];

export const SEARCH_UNTESTABLE: readonly Untestable[] = [
  {
    id: 'search.createdTime.unit',
    sentence: 'Unit of createdTime values: not shown.',
    reason: 'The document leaves it open; the sandbox reads seconds unless told otherwise.',
  },
];
