import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { doctorCommand } from '../../../src/cli/doctor-command.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { systemClock } from '../../../src/ops/system.ts';
import { tracingSecrets } from '../../../src/ops/tracing.ts';
import { environmentLines, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { orderPayload } from '../../support/order-factory.ts';
import { type Script, type ScriptedServer, sendJson, startScriptedServer } from '../../support/scripted-server.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';

/** A span as OTLP/JSON carries it. */
interface Span {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: number; readonly boolValue?: boolean };
  }[];
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: Pick<Span, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

/** A collector that takes OTLP over HTTP; `answer` is a status, or 'nothing': it never answers. */
async function startCollector(answer: number | 'nothing' = 200) {
  const server = await startScriptedServer((_request, response) => {
    if (answer !== 'nothing') sendJson(response, answer, {});
  });
  const exports = (): readonly Export[] => server.seen.map(({ body }) => JSON.parse(body) as Export);
  return {
    ...server,
    spans: () =>
      exports().flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    resource: () => attributesOf(exports()[0]?.resourceSpans[0]?.resource),
  };
}

function attributesOf(of: Pick<Span, 'attributes'> | undefined): Readonly<Record<string, unknown>> {
  return Object.fromEntries((of?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
}

beforeEach(() => {
  for (const name of Object.keys(process.env).filter((each) => each.startsWith('OTEL_'))) vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

const CANARIES = [
  'Wilhelmina Canary',
  '15550009999',
  'canary@nowhere.example',
  'CANARY-POLICY-1',
  '4711 Canary Row',
  'canary-file',
  'beware of the canary',
];
const [
  insuredName = '',
  insuredPhone = '',
  insuredEmail = '',
  policyNumber = '',
  streetAddress = '',
  fileName = '',
  note = '',
] = CANARIES;

test('a run is told as a trace: its phases, its files, every request by its route, and nothing of people', async () => {
  await using opened = new AsyncDisposableStack();
  const collector = opened.use(await startCollector());
  const sandbox = await startSandbox({ autoProgress: false });
  opened.defer(() => sandbox.close());
  const control = (path: string, body: object): Promise<Response> =>
    fetch(`${sandbox.controlUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const row = {
    ...orderPayload({ insuredName, insuredPhone, insuredEmail, streetAddress }),
    policyNumber,
    policyEffectiveDate: '2027-01-01',
    note,
  };
  const csv = `${Object.keys(row).join(',')}\n${Object.values(row).join(',')}\n`;
  const workspace = opened.use(
    await temporaryWorkspace({ env: environmentLines(sandbox), inbox: { [`${fileName}.csv`]: csv } }),
  );
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.origin);
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'authorization=Bearer%20a-secret-of-the-collector');
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=staging');
  vi.stubEnv('OTEL_SERVICE_NAME', 'night-orders');

  await control('/faults', [{ match: { method: 'GET', route: '/v1/project' }, kind: '503', retryAfter: 0, times: 1 }]);
  const first = await runCommand('run', { workspace: workspace.path });
  expect(first.exitCode).toBe(0);
  await control('/projects/100001/status', { status: 'Returned to Client' });
  const second = await runCommand('collect', { workspace: workspace.path });
  expect(second.json.projects.collected).toBe(1);

  const spans = collector.spans();
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  /** The names of a span's parents, and its own. */
  const wayTo = (span: Span): string =>
    [...(byId.has(span.parentSpanId ?? '') ? [wayTo(byId.get(span.parentSpanId ?? '') as Span)] : []), span.name].join(
      ' > ',
    );
  const ways = new Set(spans.map(wayTo));
  for (const way of [
    'inspection-batch run > POST /v1/oauth/token',
    'inspection-batch run > take in > take in file',
    'inspection-batch run > submit > POST /v1/project',
    'inspection-batch run > submit > settle',
    'inspection-batch run > deliver',
    'inspection-batch run > tell',
    'inspection-batch collect > collect > sweep > GET /v1/project/{projectId}/status',
    'inspection-batch collect > collect > fetch > GET /v1/report/{reportId}/file',
  ])
    expect([...ways]).toContain(way);

  const named = (name: string): readonly Readonly<Record<string, unknown>>[] =>
    spans.filter((span) => span.name === name).map(attributesOf);
  expect(named('inspection-batch run')).toMatchObject([
    { 'inspection_batch.run': first.json.run, 'inspection_batch.command': 'run', 'inspection_batch.exitCode': 0 },
  ]);
  expect(named('take in file')).toEqual([
    {
      'inspection_batch.outcome': 'processed',
      'inspection_batch.read': 1,
      'inspection_batch.accepted': 1,
      'inspection_batch.rejected': 0,
    },
  ]);
  expect(named('POST /v1/project')).toEqual([
    { 'http.request.method': 'POST', 'url.template': '/v1/project', 'http.response.status_code': 200 },
  ]);
  const [refused, repeated] = named('GET /v1/project');
  expect(refused).toEqual({
    'http.request.method': 'GET',
    'url.template': '/v1/project',
    'http.response.status_code': 503,
    'error.type': '503',
  });
  expect(repeated).toMatchObject({ 'http.response.status_code': 200, 'http.request.resend_count': 1 });
  expect(spans.find(({ name }) => name === 'POST /v1/project')?.kind).toBe(3);

  expect(collector.resource()).toMatchObject({
    'service.name': 'night-orders',
    'deployment.environment.name': 'staging',
    'service.version': expect.any(String) as unknown,
  });
  expect(collector.seen[0]?.headers.authorization).toBe('Bearer a-secret-of-the-collector');
  const exported = collector.seen.map(({ body }) => body).join('\n');
  for (const canary of [
    ...CANARIES,
    '100001',
    'a-secret',
    sandbox.credentials.clientSecret,
    sandbox.credentials.password,
    '?',
    new URL(sandbox.baseUrl).host,
  ])
    expect(exported).not.toContain(canary);
});

const answers: Script = ({ url }, response) =>
  sendJson(response, 200, url === '/v1/oauth/token' ? { access_token: 't', token_type: 'bearer' } : { project: [] });

/** A workspace in which a run has nothing to do. */
async function quietWorkspace(): Promise<
  { readonly workspace: TemporaryWorkspace; readonly service: ScriptedServer } & AsyncDisposable
> {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await startScriptedServer(answers));
  const names = {
    BASE_URL: service.origin,
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'c-secret',
    USERNAME: 'user',
    PASSWORD: 'p-secret',
  };
  const workspace = opened.use(
    await temporaryWorkspace({
      env: Object.entries(names)
        .map(([name, value]) => `INSPECTION_${name}=${value}\n`)
        .join(''),
    }),
  );
  const resources = opened.move();
  return { workspace, service, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function logOf(workspace: TemporaryWorkspace): Promise<string> {
  const [log = ''] = (await readdir(workspace.at('logs'))).toSorted();
  return readFile(workspace.at('logs', log), 'utf8');
}

test('the service is sent nothing of the trace', async () => {
  await using quiet = await quietWorkspace();
  await using collector = await startCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', `${collector.origin}/v1/traces`);
  await runCommand('collect', { workspace: quiet.workspace.path });
  expect(collector.spans().map(({ name }) => name)).toContain('GET /v1/project');
  expect(
    quiet.service.seen
      .flatMap(({ headers }) => Object.keys(headers))
      .filter((name) => /^(?:trace|baggage|b3)/.test(name)),
  ).toEqual([]);
});

test.each([
  ['is away', null, /ECONNREFUSED/],
  ['answers 500', 500, /500|Internal/],
  ['never answers', 'nothing', /timed out|did not answer|Timeout/i],
] as const)(
  'a collector that %s changes nothing of a run but a line of its log, and costs two seconds at most',
  async (_what, answer, reason) => {
    await using quiet = await quietWorkspace();
    await using collector = await startCollector(answer ?? 200);
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', answer === null ? 'http://127.0.0.1:1' : collector.origin);
    const began = systemClock.now();
    const { exitCode } = await runCommand('collect', { workspace: quiet.workspace.path });
    expect(exitCode).toBe(0);
    // What the run itself takes, and two seconds.
    expect(systemClock.now() - began).toBeLessThan(10_000);
    const line = (await logOf(quiet.workspace)).split('\n').find((each) => each.includes('traces were not sent')) ?? '';
    expect(line).toMatch(reason);
    const { text: told } = await doctorCommand(quiet.workspace.path);
    expect(told).toMatch(/warning {2}traces: the collector does not take them/);
  },
);

test('nothing is sent where the environment says so', async () => {
  await using quiet = await quietWorkspace();
  await using collector = await startCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.origin);
  vi.stubEnv('OTEL_SDK_DISABLED', 'true');
  await runCommand('collect', { workspace: quiet.workspace.path });
  expect(collector.seen).toEqual([]);
});

test('what authenticates us at the collector counts as a secret, as it stands and decoded', () => {
  const environment = {
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=abc-123, authorization=Bearer%20tok-456',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'other=s%zz',
  };
  expect(tracingSecrets(environment)).toEqual(
    expect.arrayContaining(['abc-123', 'Bearer%20tok-456', 'Bearer tok-456', 'tok-456', 's%zz']),
  );
  expect(tracingSecrets({})).toEqual([]);
});

test('nothing of OpenTelemetry is loaded unless a collector is named', () => {
  const tracing = new URL('../../../src/ops/tracing.ts', import.meta.url).href;
  const script = `const { openTracing } = await import(${JSON.stringify(tracing)});
    const { registerHooks } = await import('node:module');
    const loaded = [];
    registerHooks({ resolve(name, context, next) { loaded.push(name); return next(name, context); } });
    const tracing = await openTracing(process.env, { name: 'x', fields: {}, version: '1', onFailure() {} });
    await tracing?.[Symbol.asyncDispose]();
    console.log(loaded.filter((name) => name.includes('opentelemetry')).length > 0);`;
  const loads = (environment: Readonly<Record<string, string>>): string =>
    spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      env: { PATH: '/usr/bin:/bin', ...environment },
      encoding: 'utf8',
    }).stdout.trim();
  expect(loads({})).toBe('false');
  expect(loads({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).toBe('true');
});
