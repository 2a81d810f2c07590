import { connect } from 'node:net';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { errorIn, order, TestClient } from './test-client.ts';

const anyValue = fc.oneof(fc.jsonValue(), fc.constantFrom(null, '', -1, 1e308, '2026-13-45', '\u0000', '\uD800', [], {}, true));
const anyText = fc.string({ maxLength: 30 }).map((text) => encodeURIComponent(text.toWellFormed()));
const nothing = fc.constant(undefined);

const spoiltOrder = fc
  .tuple(fc.constantFrom(...Object.keys(order()), 'note', 'dueDate', 'yearBuilt', 'supplementalServices', '__proto__', 'constructor'), anyValue)
  .map(([field, value]) => JSON.parse(JSON.stringify({ ...order(), [field]: value })) as unknown);

/** A request with something wrong about it, whatever that is. */
const badRequest = fc.oneof(
  fc.record({ method: fc.constant('POST'), path: fc.constant('/v1/project'), body: spoiltOrder }),
  fc.record({
    method: fc.constantFrom('POST', 'PUT'),
    path: fc.constantFrom('/v1/project', '/v1/project/100001', '/v1/project/100001/status', '/v1/oauth/token'),
    body: fc.jsonValue(),
  }),
  fc.record({ method: fc.constantFrom('GET', 'PUT', 'DELETE', 'PATCH', 'POST'), path: fc.webPath().map((path) => `/v1${path}`), body: nothing }),
  fc.record({
    method: fc.constant('GET'),
    path: fc
      .tuple(fc.constantFrom('project', 'report', 'image'), anyText, fc.constantFrom('', '/file', '/url', '/summary', '/status', '/report'))
      .map(([kind, id, end]) => `/v1/${kind}/${id}${end}`),
    body: nothing,
  }),
  fc.record({
    method: fc.constant('GET'),
    path: fc
      .tuple(fc.constantFrom('limit', 'startId', 'status', 'createdTime.start', 'includeBundleProjects', 'serviceName'), anyText)
      .map(([name, value]) => `/v1/project?${name}=${value}`),
    body: nothing,
  }),
);

test('mutated requests are answered in the error form or taken, never with a fault of the sandbox', async () => {
  await using client = await TestClient.start({ autoProgress: false });
  await client.create();
  await fc.assert(
    fc.asyncProperty(badRequest, async ({ method, path, body }) => {
      const answer = await client.call(method, path, method === 'GET' ? undefined : body);
      expect(answer.status).toBeLessThan(500);
      expect(errorIn(answer) !== undefined).toBe(answer.status >= 400);
    }),
    { numRuns: 400 },
  );
  expect((await client.control('GET', '/audit')).body).toMatchObject({ internalErrors: [] });
});

test('refused creates change nothing', async () => {
  await using client = await TestClient.start();
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(order())), anyValue, async (field, value) => {
      const { status } = await client.call('POST', '/v1/project', { ...order(), [field]: value });
      expect([200, 400, 422]).toContain(status);
      if (status === 200) taken += 1;
    }),
    { numRuns: 100 },
  );
  expect((await client.control('GET', '/audit')).body).toMatchObject({ creates: taken });
});

test('bytes that are no HTTP get 400 in the error form', async () => {
  await using client = await TestClient.start();
  const { hostname, port } = new URL(client.sandbox.baseUrl);
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write('NONSENSE\r\n\r\n'));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*\{"error":\{"message":".+"\}\}$/);
});
