import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Validator } from '@seriousme/openapi-schema-validator';
import { OpenAPIBackend, type Document } from 'openapi-backend';
import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/ports.ts';
import { createServiceClient, type ServiceClient } from '../../../src/service/client.ts';
import { order, TestClient, type Answer } from '../../support/sandbox/test-client.ts';
import { unspecifiedOf } from '../../../src/sandbox/unspecified.ts';
import { openApiDocument, type JsonSchema } from '../../../src/sandbox/openapi/openapi-document.ts';

type Content = Readonly<
  Record<string, Readonly<{ schema: JsonSchema; examples?: Readonly<Record<string, { readonly value: unknown }>> }>>
>;

type Security = readonly Readonly<Record<string, readonly string[]>>[];

type Operation = Readonly<{
  operationId: string;
  security?: Security;
  parameters?: readonly Readonly<{ name: string; in: string; schema: JsonSchema }>[];
  requestBody?: { readonly content: Content };
  responses: Readonly<Record<string, Readonly<{ content?: Content }>>>;
}>;

type ApiDocument = Readonly<{
  security: Security;
  paths: Readonly<Record<string, Partial<Record<'get' | 'post' | 'put', Operation>>>>;
  components: Readonly<{ responses: Readonly<Record<string, Readonly<{ content?: Content }>>> }>;
}>;

const document = openApiDocument(unspecifiedOf({})) as unknown as ApiDocument;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path}`,
    path,
    method,
    operation,
  })),
);

/** An independent reading of the document: schemas compiled by Ajv. `quick`: its own check of the document knows OpenAPI 3.0 only. */
async function backend(): Promise<OpenAPIBackend> {
  const api = new OpenAPIBackend({
    definition: structuredClone(document) as unknown as Document,
    quick: true,
    ajvOpts: { strict: false, logger: false },
  });
  return await api.init();
}

/** What is wrong with an answer by the document's schema of its operation and status; empty when nothing is. */
function faultsOf(api: OpenAPIBackend, operationId: string, status: number, body: unknown): string[] {
  if (api.getOperation(operationId)?.responses?.[status] === undefined)
    return [`${operationId}: ${status} is not in the document`];
  return (api.validateResponse(body, operationId, status).errors ?? []).map(
    ({ instancePath, message }) => `${operationId} ${status} ${instancePath} ${message ?? ''}`,
  );
}

describe('openApiDocument', () => {
  test('the document needs no token and passes an independent validator', async () => {
    await using client = await TestClient.start();
    const served = await fetch(`${client.sandbox.baseUrl}/openapi.json`);
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const text = await served.text();
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(text) as Record<string, unknown>)).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
  });

  test('lists exactly the endpoints of the sandbox', async () => {
    await using client = await TestClient.start();
    expect(operations.map(({ route }) => route).toSorted()).toEqual(
      [
        'POST /v1/oauth/token',
        'POST /v1/project',
        'GET /v1/project',
        'GET /v1/project/{projectId}',
        'PUT /v1/project/{projectId}',
        'GET /v1/project/{projectId}/status',
        'PUT /v1/project/{projectId}/status',
        'GET /v1/project/{projectId}/report',
        'GET /v1/report/{reportId}/file',
        'GET /v1/report/{reportId}/url',
        'GET /v1/report/{reportId}/summary',
        'GET /v1/project/{projectId}/image',
        'GET /v1/image/{imageId}/file',
      ].toSorted(),
    );
    for (const { method, path, operation } of operations) {
      const url = `${client.sandbox.baseUrl}${path.replaceAll(/\{\w+\}/g, '1')}`;
      const withoutToken = await fetch(url, { method: method.toUpperCase() });
      expect({ path, status: withoutToken.status }).toEqual({ path, status: 401 });
      expect(operation.security ?? document.security).toEqual(
        path === '/v1/oauth/token' ? [{ basic: [] }] : [{ bearer: [] }],
      );
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(
        (operation.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name),
      ).toEqual(names);
    }
  });

  test('every body has an example that fits its schema', async () => {
    const api = await backend();
    const compile = api.validator.getAjv('requestBodyValidator' as Parameters<typeof api.validator.getAjv>[0]);
    let checked = 0;
    const examine = (where: string, content: Content): void => {
      for (const [type, { schema, examples = {} }] of Object.entries(content)) {
        if (type.startsWith('image/')) continue;
        expect({ where, examples: Object.keys(examples).length > 0 }).toEqual({ where, examples: true });
        for (const { value } of Object.values(examples)) {
          const valid = compile.validate({ ...schema, components: document.components }, value);
          expect({ where, errors: valid ? [] : compile.errors }).toEqual({ where, errors: [] });
          checked += 1;
        }
      }
    };
    for (const { operation } of operations) {
      if (operation.requestBody !== undefined)
        examine(`${operation.operationId} request`, operation.requestBody.content);
      for (const [status, answer] of Object.entries(operation.responses))
        examine(`${operation.operationId} ${status}`, answer.content ?? {});
    }
    for (const [name, answer] of Object.entries(document.components.responses)) examine(name, answer.content ?? {});
    expect(checked).toBe(5 + 11 + 10);
  });

  test.each<[string, Record<string, unknown>, boolean]>([
    ['all that is required', {}, true],
    ['a state that does not exist', { state: 'XX' }, false],
    ['a house type of another policy type', { policyType: 'Farm & Ranch Insurance' }, false],
    ['a field the service does not know', { novel: 1 }, false],
    ['null', { note: null }, false],
    ['a year with five digits', { yearBuilt: 12_026 }, false],
    [
      'everything that can be said',
      {
        country: 'US',
        dueDate: '2026-09-30',
        isRenewal: true,
        supplementalServices: ['Sinkhole'],
        dwellingCoverage: 1.5,
        allowDuplication: false,
      },
      true,
    ],
  ])('a create request with %s', async (_what, changes, valid) => {
    const api = await backend();
    const { errors } = api.validateRequest(
      { method: 'post', path: '/v1/project', headers: { 'content-type': 'application/json' }, body: order(changes) },
      'createProject',
    );
    expect((errors ?? []).length === 0).toBe(valid);
    await using client = await TestClient.start();
    expect((await client.call('POST', '/v1/project', order(changes))).status === 200).toBe(valid);
  });

  test('the document describes the options of its sandbox', async () => {
    await using client = await TestClient.start({
      autoProgress: false,
      notShown: {
        createdTimeUnit: 'milliseconds',
        failedValidation: 409,
        refusedTransition: 422,
        expiresIn: 'absent',
        errorCodes: 'present',
      },
    });
    const served = (await (await fetch(`${client.sandbox.baseUrl}/openapi.json`)).json()) as typeof document;
    const statuses = (path: string, method: 'post' | 'put') =>
      Object.keys(served.paths[path]?.[method]?.responses ?? {}).filter(
        (status) => status === '409' || status === '422',
      );
    expect([
      statuses('/v1/project', 'post'),
      statuses('/v1/project/{projectId}', 'put'),
      statuses('/v1/project/{projectId}/status', 'put'),
    ]).toEqual([['409'], ['409'], ['409', '422']]);
    const text = JSON.stringify(served);
    for (const words of ['reads milliseconds since', 'answers 422', 'gives no `expires_in`', '"code":{"type":"string"'])
      expect(text).toContain(words);
    const numbers = (served.paths['/v1/project']?.get?.parameters ?? [])
      .filter(({ schema }) => schema.type === 'integer')
      .map(({ name, schema }) => [name, schema.format, schema.minimum]);
    expect(numbers).toEqual([
      ['createdTime.start', 'int64', undefined],
      ['createdTime.end', 'int64', undefined],
      ['limit', 'int32', 0],
      ['startId', 'int64', undefined],
    ]);
  });

  /** The operation that a request belongs to. */
  function operationOf(method: string, path: string): Operation | undefined {
    const [bare = ''] = path.split('?');
    return operations.find(
      (known) =>
        known.method === method.toLowerCase() &&
        new RegExp(`^${known.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(bare),
    )?.operation;
  }

  test('every answer of the sandbox fits the document', async () => {
    const api = await backend();
    await using client = await TestClient.start({ autoProgress: false, seed: 7 });
    const seen = new Set<string>();
    const check = (operationId: string, answer: Answer): Answer => {
      seen.add(`${operationId} ${answer.status}`);
      expect(faultsOf(api, operationId, answer.status, answer.body)).toEqual([]);
      return answer;
    };
    const call = async (method: string, path: string, body?: unknown): Promise<Answer> =>
      check(operationOf(method, path)?.operationId ?? path, await client.call(method, path, body));

    const { username, password } = client.sandbox.credentials;
    const token = check('obtainToken', await client.token({ grant_type: 'password', username, password }));
    check(
      'obtainToken',
      await client.token({
        grant_type: 'refresh_token',
        refresh_token: (token.body as { refresh_token: string }).refresh_token,
      }),
    );
    check('obtainToken', await client.token({ grant_type: 'password', username, password: 'wrong' }));
    check('obtainToken', await client.token({ grant_type: 'none' }));

    const services = [
      'Roof Only',
      'Exterior',
      'High Value Premium 4-point',
      'Photo Only Inspection',
      'Self 4-Point Underwriting',
      'Premium 4-Point',
    ];
    for (const [index, serviceName] of services.entries()) {
      const changes = {
        serviceName,
        inspectionNumber: index === 0 ? 'closeout_report' : `A-${index}`,
        policyNumber: 'P',
        policyEffectiveDate: '2026-09-01',
        isRenewal: true,
        supplementalServices: ['Sinkhole'],
      };
      const { body } = await call('POST', '/v1/project', order(changes));
      const id = String((body as { project: { id: number }[] }).project[0]?.id);
      for (const path of [
        `/v1/project/${id}`,
        `/v1/project/${id}/status`,
        `/v1/project/${id}/report`,
        `/v1/project/${id}/image`,
      ])
        await call('GET', path);
      await call('PUT', `/v1/project/${id}`, { policyNumber: '', policyEffectiveDate: '' });
      await call('GET', `/v1/project/${id}`);
      await client.setStatus(id, 'Returned to Client');
      const reports = await call('GET', `/v1/project/${id}/report`);
      for (const { id: reportId } of (reports.body as { project: { report: { id: string }[] }[] }).project[0]?.report ??
        []) {
        for (const path of ['summary', 'url', 'file', 'file?compressed=true'])
          await call('GET', `/v1/report/${reportId}/${path}`);
      }
      const images = await call('GET', `/v1/project/${id}/image`);
      for (const { id: imageId } of (images.body as { project: { image: { id: string }[] }[] }).project[0]?.image ?? [])
        await call('GET', `/v1/image/${imageId}/file`);
      await call('PUT', `/v1/project/${id}/status`, { value: 'Project Canceled' });
      await call('PUT', `/v1/project/${id}/status`, { value: 'Client Received' });
    }
    await call('GET', '/v1/project');
    for (const path of [
      '/v1/project/1',
      '/v1/project/x',
      '/v1/project/1/status',
      '/v1/project/1/report',
      '/v1/project/1/image',
      '/v1/report/R/file',
      '/v1/report/R/url',
      '/v1/report/R/summary',
      '/v1/image/I/file',
    ])
      await call('GET', path);
    await call('GET', '/v1/project?limit=501');
    await call('POST', '/v1/project', {});
    await call('POST', '/v1/project', order({ state: 'XX' }));
    await call('POST', '/v1/project', order({ inspectionNumber: 'A-1', allowDuplication: false }));
    await call('PUT', '/v1/project/1', {});
    await call('PUT', '/v1/project/100001', { policyNumber: null });
    await call('PUT', '/v1/project/100001/status', { value: 'Receive Error' });
    for (const [kind, status] of [
      ['429', 429],
      ['503', 503],
      ['500', 500],
      ['504', 504],
    ] as const) {
      await client.control('POST', '/faults', [{ kind }]);
      expect((await call('GET', '/v1/project')).status).toBe(status);
    }
    for (const { operation } of operations) {
      const success = Object.keys(operation.responses).filter((status) => Number(status) < 400);
      for (const status of success) expect(seen).toContain(`${operation.operationId} ${status}`);
    }
  });

  test('rejects a wrong answer', async () => {
    const api = await backend();
    const project = { id: 1, ...order() };
    expect(faultsOf(api, 'getProject', 200, { project: [project] })).toEqual([]);
    for (const wrong of [
      { project: [{ ...project, id: '1' }] },
      { project: [{ ...project, city: undefined }] },
      { project: project },
      {},
      [project],
    ]) {
      expect(faultsOf(api, 'getProject', 200, JSON.parse(JSON.stringify(wrong)))).not.toEqual([]);
    }
    expect(
      faultsOf(api, 'getReportSummary', 200, {
        report: [{ id: 'R', type: 't', project: {}, summary: { roof: { hasTarp: null } } }],
      }),
    ).not.toEqual([]);
    expect(faultsOf(api, 'getProject', 404, { message: 'no' })).not.toEqual([]);
  });

  /** A mock that another tool makes from nothing but the document, over real HTTP. */
  async function startMock(): Promise<{ readonly client: ServiceClient } & AsyncDisposable> {
    const api = await backend();
    const server = createServer((request, response) => {
      const operationId = operationOf(request.method ?? '', request.url ?? '')?.operationId ?? '';
      const { status, mock } = api.mockResponseForOperation(operationId);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(mock));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = createServiceClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      clientId: 'c',
      clientSecret: 's',
      username: 'u',
      password: 'p',
      clock: { now: () => 0 },
      sleep: () => Promise.resolve(),
      random: () => 0.5,
      log: silentLog,
    });
    return {
      client,
      async [Symbol.asyncDispose]() {
        client.close();
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  test('a mock made from it answers the project’s own client', async () => {
    await using mock = await startMock();
    const { client } = mock;
    const id = '100001';
    const { allowDuplication, ...payload } = order({ allowDuplication: false });
    expect(
      await client.createProject({ ...payload, allowDuplication } as Parameters<ServiceClient['createProject']>[0]),
    ).toMatchObject({ kind: 'created', project: { id, inspectionCode: 'K7QX2M' } });
    expect(await client.getProject(id)).toMatchObject({ kind: 'ok', value: { id, city: 'Cambridge' } });
    expect(await client.getStatus(id)).toMatchObject({ kind: 'ok', value: { id, status: 'Assigned to Pilot' } });
    expect(await client.updateProject(id, { policyNumber: 'HO-204417-R1' })).toMatchObject({
      kind: 'ok',
      value: { policyNumber: 'HO-204417-R1' },
    });
    expect(await client.putStatus(id, { value: 'Project Canceled' })).toMatchObject({
      kind: 'ok',
      value: { status: 'Project Canceled' },
    });
    expect(await client.searchProjects({ limit: 10 })).toMatchObject({
      kind: 'ok',
      value: [{ id, status: 'Returned to Client' }],
    });
    expect(await client.listReports(id)).toMatchObject({ kind: 'ok', value: [{ id: `R${id}-1` }] });
    expect(await client.listImages(id)).toMatchObject({ kind: 'ok', value: [{ id: `I${id}-1` }, { id: `I${id}-2` }] });
    const summary = await client.getReportSummary(`R${id}-1`);
    expect(summary).toMatchObject({ kind: 'ok', value: { report: { summary: { roof: { hasHoles: null } } } } });
  });
});
