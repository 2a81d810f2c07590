import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { inProof } from '../../support/proof-size.ts';
import { errorIn, order, TestClient } from '../../support/sandbox/test-client.ts';
import { anyCharacter } from '../../support/characters.ts';

interface BadRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const KNOWN_ID = '100001';
const RETURNED_ID = '100002';
const PATHS = [
  '/v1/project',
  `/v1/project/${KNOWN_ID}`,
  `/v1/project/${KNOWN_ID}/status`,
  `/v1/project/${RETURNED_ID}/report`,
  `/v1/project/${RETURNED_ID}/image`,
  `/v1/report/R${RETURNED_ID}-1/file`,
  `/v1/report/R${RETURNED_ID}-1/url`,
  `/v1/report/R${RETURNED_ID}-1/summary`,
  `/v1/image/I${RETURNED_ID}-1/file`,
  '/v1/oauth/token',
];
const PARAMETERS = [
  'limit',
  'startId',
  'status',
  'policyNumber',
  'inspectionNumber',
  'serviceName',
  'createdTime.start',
  'createdTime.end',
  'includeBundleProjects',
  'compressed',
  'novel',
  '__proto__',
];
const FIELDS = [
  ...Object.keys(order()),
  'note',
  'dueDate',
  'policyEffectiveDate',
  'yearBuilt',
  'supplementalServices',
  'allowDuplication',
  'novel',
  '__proto__',
  'constructor',
  'toString',
  '',
];

const strangeText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.constantFrom(
    '\u0000',
    '\uD800',
    '\uFEFF',
    '../../etc',
    "' OR 1=1 --",
    '<script>',
    '${7*7}',
    '%00',
    '2026-02-30',
    '9223372036854775808',
    '-0',
    '1e999',
    'NaN',
    'x'.repeat(5000),
    '\u202E',
    '٣',
  ),
);
const strangeValue = fc.oneof(
  fc.jsonValue(),
  strangeText,
  fc.constantFrom(null, '', -1, 0, 1e308, 2 ** 53, [], {}, true, [[]], { length: 3 }, [null]),
);
/** What a path may hold as it is; the rest is percent-encoded, well or badly. */
const pathText = fc.oneof(
  strangeText.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom(
    '%',
    '%zz',
    '%ff',
    '%C0%AF',
    '%2e%2e%2f',
    '%00',
    '//',
    '/.',
    '..;',
    '{projectId}',
    ':projectId',
    '*',
    '\u00ff\u00fe',
    '#',
    '?',
    '&',
    '[0]',
    'R'.repeat(2000),
  ),
);

const spoiltOrder = fc
  .array(fc.tuple(fc.constantFrom(...FIELDS), fc.option(strangeValue, { nil: undefined })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((changes) => JSON.stringify({ ...order(), ...Object.fromEntries(changes) }));
const spoiltUpdate = fc
  .tuple(
    fc.constantFrom('policyNumber', 'policyEffectiveDate', 'value', 'comment', 'id', '__proto__'),
    strangeValue,
    fc.constantFrom({}, { policyNumber: 'P-2' }, { value: 'Client Received' }),
  )
  .map(([field, value, base]) => JSON.stringify({ ...base, [field]: value }));
/** Good JSON with characters cut out, put in or repeated. */
const brokenJson = fc
  .tuple(
    fc.constantFrom(JSON.stringify(order()), '{"value":"Project Canceled"}', '{"policyNumber":"P-2"}'),
    fc.nat(300),
    fc.nat(8),
    fc.constantFrom('', '"', '{', ']', ',', '\\', '\u0000', '\\u12', '\uFEFF', '{"a":1,"a":2}', '1e', '//'),
  )
  .map(([json, at, length, inserted]) => json.slice(0, at) + inserted + json.slice(at + length));
const otherBody = fc.oneof(
  fc.jsonValue().map((value) => JSON.stringify(value)),
  strangeText,
  fc.constantFrom(
    '',
    '[',
    '['.repeat(20_000),
    '{"a":'.repeat(5000),
    `{"__proto__":{"polluted":1}}`,
    `{"constructor":{"prototype":{"polluted":1}}}`,
    'a=b&a=c',
    'grant_type=password&grant_type=refresh_token',
    `grant_type=password&username=${'u'.repeat(3000)}&password=x`,
    '<a/>',
  ),
);
const spoiltForm = fc
  .array(
    fc.tuple(
      fc.constantFrom('grant_type', 'username', 'password', 'refresh_token', 'scope', '__proto__'),
      fc.oneof(
        strangeText.map((text) => encodeURIComponent(text.toWellFormed())),
        fc.constantFrom('password', 'refresh_token', '%', '+'),
      ),
    ),
    { maxLength: 4 },
  )
  .map((fields) => fields.map(([name, value]) => `${name}=${value}`).join('&'));

const anyQuery = fc
  .array(
    fc.tuple(
      fc.constantFrom(...PARAMETERS),
      fc.oneof(pathText, fc.constantFrom('', '0', '1', '-1', '501', 'true', '1e2', '+5', '0x10')),
    ),
    { maxLength: 3 },
  )
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`));
const anyPath = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...PATHS) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...PATHS), fc.nat(30), fc.nat(3), pathText)
      .map(
        ([path, at, length, inserted]) =>
          `/${`${path.slice(0, at)}${inserted}${path.slice(at + length)}`.replace(/^\//, '')}`,
      ),
  },
  { weight: 1, arbitrary: fc.webPath().map((path) => `/v1${path}`) },
);

const HEADERS = {
  authorization: fc.constantFrom(
    '',
    'Bearer',
    'Bearer ',
    'bearer x',
    'Basic',
    'Basic !!!',
    'Basic Og==',
    `Basic ${Buffer.from('a:b').toString('base64')}`,
    'Digest x',
    `Bearer ${'t'.repeat(4000)}`,
    'Bearer \u00e9',
    'Bearer a, Bearer b',
  ),
  'content-type': fc.constantFrom(
    '',
    'text/plain',
    'application/json; charset=utf-7',
    'application/json; charset=',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    '/',
    ';',
    'application/json, text/html',
  ),
  accept: fc.constantFrom('text/html', 'image/*', '', '*/*;q=2', '\u00ff'),
  'content-encoding': fc.constantFrom('gzip', 'br', 'x'),
  'x-http-method-override': fc.constantFrom('DELETE', 'POST'),
  expect: fc.constantFrom('100-continue', 'nonsense'),
  'if-match': fc.constantFrom('*', '"x"'),
  range: fc.constantFrom('bytes=5-1', 'bytes=0-0'),
  cookie: fc.constantFrom('a=b', '='.repeat(2000)),
  host: fc.constantFrom('elsewhere.example', '', 'a b', '[::1'),
  'transfer-encoding': fc.constantFrom('chunked'),
  upgrade: fc.constantFrom('websocket', 'h2c'),
};
/** One header spoilt, or several. */
const anyHeaders = fc.oneof(
  fc
    .constantFrom(...Object.entries(HEADERS))
    .chain(([name, values]) => values.map((value): Record<string, string> => ({ [name]: value }))),
  fc.record(HEADERS, { requiredKeys: [] }).map((headers) => headers as Record<string, string>),
);

const CREATE = { method: 'POST', path: '/v1/project' };
const UPDATE = { method: 'PUT', path: `/v1/project/${KNOWN_ID}` };
const STATUS = { method: 'PUT', path: `/v1/project/${KNOWN_ID}/status` };
const none: Record<string, string> = {};
const spoiltBody = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constant(CREATE), spoiltOrder) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(UPDATE, STATUS), spoiltUpdate) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(CREATE, UPDATE, STATUS), fc.oneof(brokenJson, otherBody)) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constant({ method: 'POST', path: '/v1/oauth/token' }), fc.oneof(spoiltForm, otherBody)),
  },
);
const goodBody = fc.constantFrom(
  JSON.stringify(order()),
  '{"policyNumber":"P-3"}',
  '{"value":"Client Received"}',
  undefined,
);

/** A request with something wrong about its body, its path, its headers, or all of them; sometimes with nothing wrong after all. */
const badRequest: fc.Arbitrary<BadRequest> = fc.oneof(
  { weight: 6, arbitrary: spoiltBody.map(([target, body]) => ({ ...target, headers: none, body })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(anyPath, anyQuery)
      .map(([path, query]) => ({ method: 'GET', path: path + query, headers: none, body: undefined })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      method: fc.constantFrom('PUT', 'POST'),
      path: anyPath,
      headers: fc.constant(none),
      body: goodBody,
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(CREATE, UPDATE, STATUS, { method: 'GET', path: '/v1/project' }), anyHeaders, goodBody)
      .map(([target, headers, body]) => ({ ...target, headers, body: target.method === 'GET' ? undefined : body })),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      method: fc.constantFrom('DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'TRACE', 'POST', 'PUT'),
      path: fc.tuple(anyPath, anyQuery).map((parts) => parts.join('')),
      headers: anyHeaders,
      body: fc.oneof(spoiltOrder, brokenJson, otherBody),
    }),
  },
);

/** Sends a request as it is: node's own client checks less than fetch. Resolves with the status and the body. */
async function send(
  origin: string,
  agent: Agent,
  { method, path, headers, body }: BadRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  return await new Promise((resolve, reject) => {
    const request = httpRequest(
      origin,
      { agent, method, path: path.replaceAll(/[^\u0021-\u00ff]/g, '_'), headers },
      (response) => {
        textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** A sandbox with projects in three states, an agent, and its own token. */
async function bench(): Promise<
  {
    readonly client: TestClient;
    readonly ask: (bad: BadRequest) => ReturnType<typeof send>;
    readonly projects: () => Promise<Map<string, string>>;
  } & AsyncDisposable
> {
  const client = await TestClient.start({ autoProgress: false });
  await client.create({ inspectionNumber: 'A-1', policyNumber: 'P-1' });
  await client.setStatus(await client.create(), 'Returned to Client');
  const { username, password } = client.sandbox.credentials;
  const token = (await client.token({ grant_type: 'password', username, password })).body as { access_token: string };
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const usual = { authorization: `Bearer ${token.access_token}`, 'content-type': 'application/json' };
  const { clientId, clientSecret } = client.sandbox.credentials;
  const forToken = {
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  return {
    client,
    ask: async (bad) =>
      await send(client.sandbox.baseUrl, agent, {
        ...bad,
        headers: { ...(bad.path === '/v1/oauth/token' ? forToken : usual), ...bad.headers },
      }),
    async projects() {
      const { body } = await client.control('GET', '/projects');
      return new Map(
        (body as { projects: { id: number }[] }).projects.map((project) => [
          String(project.id),
          JSON.stringify(project),
        ]),
      );
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await client.sandbox.close();
    },
  };
}

function isErrorBody(text: string): boolean {
  try {
    const { error, ...rest } = JSON.parse(text) as { error: { message?: unknown } };
    return (
      Object.keys(rest).length === 0 &&
      Object.keys(error).join() === 'message' &&
      typeof error.message === 'string' &&
      error.message !== ''
    );
  } catch {
    return false;
  }
}

const REQUESTS_AT_ONCE = 100;
const ROUNDS = inProof({ share: 30, whole: 100 });

test(`answers ${REQUESTS_AT_ONCE * ROUNDS} mutated requests without a fault or an unwanted change`, async () => {
  await using room = await bench();
  let [asked, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.array(badRequest, { minLength: REQUESTS_AT_ONCE, maxLength: REQUESTS_AT_ONCE }),
      async (requests) => {
        const before = await room.projects();
        const answers = await Promise.all(requests.map(async (bad) => ({ bad, ...(await room.ask(bad)) })));
        const after = await room.projects();

        const wrong = answers.filter(
          ({ status, text }) =>
            !(status === 200 || status === 307 || (status >= 400 && status < 500 && isErrorBody(text))),
        );
        expect(wrong).toEqual([]);
        const taken = answers.filter(({ status }) => status === 200);
        const creates = taken.filter(({ bad }) => bad.method === 'POST' && bad.path.startsWith('/v1/project'));
        const changed = new Set(
          taken.flatMap(({ bad }) => (bad.method === 'PUT' ? [/\d+/.exec(bad.path.slice(3))?.[0] ?? ''] : [])),
        );
        expect(after.size - before.size).toBe(creates.length);
        expect([...before].filter(([id, project]) => !changed.has(id) && after.get(id) !== project)).toEqual([]);
        asked += answers.length;
        refused += answers.length - taken.length;
      },
    ),
    { numRuns: ROUNDS, endOnFailure: true },
  );
  expect([asked, refused > asked / 2]).toEqual([REQUESTS_AT_ONCE * ROUNDS, true]);
  expect((await room.client.control('GET', '/audit')).body).toMatchObject({ internalErrors: [] });
});

test('creates nothing if it refuses the order', async () => {
  await using client = await TestClient.start();
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(order())), strangeValue, async (field, value) => {
      const { status } = await client.call('POST', '/v1/project', { ...order(), [field]: value });
      expect([200, 400, 422]).toContain(status);
      if (status === 200) taken += 1;
    }),
    { numRuns: 100 },
  );
  expect((await client.control('GET', '/audit')).body).toMatchObject({ creates: taken });
});

const HEAD = 'POST /v1/project HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';

test.each([
  ['bytes that are no HTTP', 'NONSENSE\r\n\r\n'],
  ['a request without Host', 'GET /v1/project HTTP/1.1\r\n\r\n'],
  ['two lengths', `${HEAD}content-length: 5\r\ncontent-length: 6\r\n\r\n{"a":1}`],
  ['a length that is no number', `${HEAD}content-length: x\r\n\r\n{}`],
  ['a length and chunks', `${HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
  ['chunks that are none', `${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`],
  ['a header without a colon', 'GET /v1/project HTTP/1.1\r\nhost: a\r\nbroken\r\n\r\n'],
  ['a header longer than any', `GET /v1/project HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`],
  ['a version that is none', 'GET /v1/project HTTP/9.9\r\nhost: a\r\n\r\n'],
  ['an expectation that is none', `${HEAD}expect: nonsense\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`],
  ['a method that is none', 'BREW /v1/project HTTP/1.1\r\nhost: a\r\n\r\n'],
  ['a tunnel', 'CONNECT elsewhere.example:443 HTTP/1.1\r\nhost: a\r\n\r\n'],
])('answers %s in the error form', async (_what, bytes) => {
  await using client = await TestClient.start();
  const { hostname, port } = new URL(client.sandbox.baseUrl);
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      // A connection that is kept open for more says nothing about this request.
      if (text.includes('"}}')) socket.destroy();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d [\s\S]*\{"error":\{"message":".+"\}\}$/);
});

test('refuses a body over the limit in the error form', async () => {
  await using client = await TestClient.start();
  const answer = await client.call('POST', '/v1/project', order({ note: 'x'.repeat(2 * 1024 * 1024) }));
  expect([answer.status, errorIn(answer) !== undefined]).toEqual([400, true]);
});
