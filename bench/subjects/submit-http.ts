/** Posts orders by node:http and p-limit alone. Arguments: the server as JSON, orders, requests at once. */
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import pLimit from 'p-limit';
import { accessToken } from '../measure/bare-client.ts';
import type { Served } from '../measure/server.ts';
import { argument, report } from '../measure/subject.ts';
import { inventedPayloads } from '../orders.ts';

const served = JSON.parse(argument(0)) as Served;
const payloads = [...inventedPayloads(Number(argument(1)))];
const concurrency = Number(argument(2));
const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
const headers = { authorization: `Bearer ${await accessToken(served)}`, 'content-type': 'application/json' };

await report(async () => {
  const limit = pLimit(concurrency);
  const answers = await Promise.all(
    payloads.map((payload) => limit(() => post({ ...payload, allowDuplication: false }))),
  );
  return { created: answers.filter(({ project }) => project[0]?.id !== undefined).length };
});

function post(body: object): Promise<{ project: { id: number }[] }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ project: { id: number }[] }>();
  request(`${served.baseUrl}/v1/project`, { method: 'POST', agent, headers }, (response) => {
    json(response).then((answer) => resolve(answer as { project: { id: number }[] }), reject);
  })
    .on('error', reject)
    .end(JSON.stringify(body));
  return promise;
}
