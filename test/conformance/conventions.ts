import { expect } from 'vitest';
import { order, TestClient } from '../support/sandbox/test-client.ts';
import {
  audit,
  created,
  expectStatus,
  fetched,
  held,
  imagesOf,
  only,
  refused,
  reportsOf,
  returned,
  token,
} from './steps.ts';
import type { Row, Untestable } from './row.ts';

/** Document: the opening, Conventions, and What the service does. */
export const CONVENTIONS: readonly Row[] = [
  {
    id: 'conventions.prefix',
    sentence: 'every path below is relative to `{base_url}` and begins with `/v1`',
    fact: 'answers 404 to the path without /v1, or under /v2',
    async check(client) {
      expectStatus(await client.call('GET', '/v1/project'), 200);
      for (const path of ['/project', '/v2/project', '/V1/project']) expectStatus(await client.call('GET', path), 404);
    },
  },
  {
    id: 'conventions.json',
    sentence: 'Bodies are JSON (`application/json`) unless stated otherwise.',
    fact: 'answers application/json, and refuses text, form and XML',
    async check(client) {
      expect((await client.call('GET', '/v1/project')).headers.get('content-type')).toMatch(/^application\/json/);
      const { access_token } = await token(client);
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
        const response = await fetch(`${client.sandbox.baseUrl}/v1/project`, {
          method: 'POST',
          headers: { authorization: `Bearer ${String(access_token)}`, 'content-type': type },
          body: JSON.stringify(order()),
        });
        expect({ type, status: response.status }).toEqual({ type, status: 400 });
      }
      expect(await held(client)).toEqual([]);
    },
  },
  {
    id: 'conventions.exact',
    sentence: 'Field names, enumerated values and header names are exact and case-sensitive.',
    fact: 'refuses a field name or an enumerated value in another case',
    async check(client) {
      await refused(client, { city: undefined, City: 'Cambridge' });
      await refused(client, { serviceName: 'roof only' });
      await refused(client, { policyType: 'homeowners insurance' });
      await refused(client, { houseType: 'residential single family' });
      await refused(client, { supplementalServices: ['sinkhole'] });
      expectStatus(await client.call('GET', '/v1/project?status=returned%20to%20client'), 400);
    },
  },
  {
    id: 'conventions.no-null',
    sentence:
      'Fields whose value is unavailable are dropped from request bodies; clients must not send `null` as a field value.',
    fact: 'refuses null in any field, and accepts absent optional fields',
    async check(client) {
      const id = String((await created(client)).id);
      const optional = [
        'country',
        'dueDate',
        'policyEffectiveDate',
        'policyNumber',
        'inspectionNumber',
        'yearBuilt',
        'agentName',
        'agentPhone',
        'agentEmail',
        'insuredBy',
        'note',
        'isRenewal',
        'supplementalServices',
        'division',
        'dwellingCoverage',
        'otherStructureCoverage',
        'contentCoverage',
        'carrierProvidedLivingArea',
        'allowDuplication',
      ];
      for (const field of [...Object.keys(order()), ...optional]) await refused(client, { [field]: null });
      for (const field of ['policyNumber', 'policyEffectiveDate'])
        expectStatus(await client.call('PUT', `/v1/project/${id}`, { [field]: null }), 400, 422);
      for (const body of [{ value: null }, { value: 'Project Canceled', comment: null }])
        expectStatus(await client.call('PUT', `/v1/project/${id}/status`, body), 400, 422);
      expect(await client.status(id)).toBe('Project Created');
    },
  },
];

/** Document: What the service does. */
export const SERVICE: readonly Row[] = [
  {
    id: 'service.projects',
    sentence:
      "The service lets an authenticated client create a project (an inspection order for one property), read and partly update it, search projects, and change a project's status to `Client Received` or `Project Canceled`.",
    fact: 'creates, reads, updates, finds, cancels and receives projects',
    async check(client) {
      const { id } = await created(client, { policyNumber: 'P-1' });
      expect(only(await client.call('GET', `/v1/project/${String(id)}`))).toMatchObject({
        id,
        city: 'Cambridge',
        policyNumber: 'P-1',
      });
      expect(only(await client.call('PUT', `/v1/project/${String(id)}`, { policyNumber: 'P-2' }))).toMatchObject({
        id,
        policyNumber: 'P-2',
      });
      expect(only(await client.call('GET', '/v1/project?policyNumber=P-2'))).toMatchObject({ id });
      expect(
        only(await client.call('PUT', `/v1/project/${String(id)}/status`, { value: 'Project Canceled' })),
      ).toMatchObject({ id, status: 'Project Canceled' });
      const other = await returned(client);
      expect(only(await client.call('PUT', `/v1/project/${other}/status`, { value: 'Client Received' }))).toMatchObject(
        { status: 'Client Received' },
      );
    },
  },
  {
    id: 'service.deliverables',
    sentence:
      'For a project that has been delivered, the service exposes its reports (downloadable files, a temporary download URL, and a structured JSON summary) and its images.',
    fact: 'offers file, URL, summary and images of a delivered project',
    async check(client) {
      const id = await returned(client);
      const [report] = await reportsOf(client, id);
      const file = await client.call('GET', `/v1/report/${report?.id ?? ''}/file`);
      expect((await fetched(file.headers.get('location'))).bytes.subarray(0, 5).toString()).toBe('%PDF-');
      const url = (await client.call('GET', `/v1/report/${report?.id ?? ''}/url`)).body as { url: string };
      expect((await fetched(url.url)).status).toBe(200);
      expect((await client.call('GET', `/v1/report/${report?.id ?? ''}/summary`)).body).toMatchObject({
        report: [{ id: report?.id }],
      });
      expect((await imagesOf(client, id)).length).toBeGreaterThan(0);
    },
  },
  {
    id: 'service.environments',
    sentence:
      'Two environments exist, production and staging. Each has its own independent client credentials; credentials of one environment do not work in the other.',
    fact: 'answers 401 to credentials of the other environment',
    async check(staging) {
      await using production = await TestClient.start({ environment: 'production' });
      expect([staging.sandbox.environment, production.sandbox.environment]).toEqual(['staging', 'production']);
      for (const [here, there] of [
        [staging, production],
        [production, staging],
      ] as const) {
        const { clientId, clientSecret, username, password } = there.sandbox.credentials;
        const own = here.sandbox.credentials;
        expectStatus(
          await here.token(
            { grant_type: 'password', username: own.username, password: own.password },
            `${clientId}:${clientSecret}`,
          ),
          401,
        );
        expectStatus(await here.token({ grant_type: 'password', username, password }), 401);
        expectStatus(await here.token({ grant_type: 'password', username: own.username, password: own.password }), 200);
      }
    },
  },
  {
    id: 'service.actor',
    sentence:
      'A client acts on behalf of a platform user. The username supplied when obtaining a token is recorded as the actor of operations performed with that token (for example as the creator of a project).',
    fact: "records creates, updates and status changes under the token's user",
    options: { otherUsers: [{ username: 'second@staging.example', password: 'pw' }] },
    async check(client) {
      await client.create();
      await client.logIn({ username: 'second@staging.example', password: 'pw' });
      await client.create();
      const id = await client.create();
      expect(await audit(client)).toMatchObject({
        byActor: { [client.sandbox.credentials.username]: 1, 'second@staging.example': 2 },
      });
      await client.call('PUT', `/v1/project/${id}`, { policyNumber: 'P-2' });
      await client.logIn();
      await client.call('PUT', `/v1/project/${id}`, { policyNumber: 'P-3' });
      await client.call('PUT', `/v1/project/${id}/status`, { value: 'Project Canceled' });
      expect((await held(client)).at(-1)).toMatchObject({
        actor: 'second@staging.example',
        updates: [
          { actor: 'second@staging.example', policyNumber: 'P-2' },
          { actor: client.sandbox.credentials.username, policyNumber: 'P-3' },
        ],
        statusesSet: [{ actor: client.sandbox.credentials.username, status: 'Project Canceled' }],
      });
    },
  },
  {
    id: 'service.staging',
    sentence:
      'In the staging environment, automated test behaviour exists for projects created with certain inspection numbers (see States and transitions).',
    fact: 'returns a report_provided project in staging, and not in production',
    options: { autoProgress: false },
    async check(staging) {
      await using production = await TestClient.start({ environment: 'production', autoProgress: false });
      for (const [client, expected] of [
        [staging, 'Returned to Client'],
        [production, 'Project Created'],
      ] as const) {
        const id = await client.create({ inspectionNumber: 'report_provided-1' });
        await client.advance(300);
        expect(await client.status(id)).toBe(expected);
      }
    },
  },
];

export const CONVENTIONS_UNTESTABLE: readonly Untestable[] = [
  {
    id: 'conventions.opening',
    sentence:
      'This document specifies an HTTP/JSON service for ordering property inspections for insurance purposes (projects), tracking their status, and retrieving the resulting reports, structured report summaries and images.',
    reason: 'It introduces what the other sentences say.',
  },
  {
    id: 'conventions.header-names',
    sentence: 'header names are exact and case-sensitive',
    reason: 'HTTP itself makes header names case-insensitive (RFC 9110, 5.1): no server can tell.',
  },
];
