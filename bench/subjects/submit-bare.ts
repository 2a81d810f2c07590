/** Posts orders in a bare loop of got and p-limit. Arguments: the server as JSON, orders, requests at once. */
import pLimit from 'p-limit';
import { bareClient } from '../measure/bare-client.ts';
import type { Served } from '../measure/server.ts';
import { argument, report } from '../measure/subject.ts';
import { inventedPayloads } from '../orders.ts';

const served = JSON.parse(argument(0)) as Served;
const payloads = [...inventedPayloads(Number(argument(1)))];
const concurrency = Number(argument(2));
const client = await bareClient(served, concurrency);

await report(async () => {
  const limit = pLimit(concurrency);
  const answers = await Promise.all(
    payloads.map((payload) =>
      limit(() =>
        client.post('project', { json: { ...payload, allowDuplication: false } }).json<{ project: { id: number }[] }>(),
      ),
    ),
  );
  return { created: answers.filter(({ project }) => project[0]?.id !== undefined).length };
});
