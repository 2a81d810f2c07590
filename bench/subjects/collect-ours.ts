/** A follow-up run as the command builds it. Arguments: the server as JSON, projects, how many at once, a folder. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { collectProjects } from '../../src/collect/collect-run.ts';
import { openSqliteLedger } from '../../src/ledger/open-ledger.ts';
import { openRunLog } from '../../src/ops/log.ts';
import { createRedactor } from '../../src/ops/redactor.ts';
import { systemClock, systemRandom, systemSleep } from '../../src/ops/system.ts';
import { createServiceClient } from '../../src/service/client.ts';
import { createPacer, pacedReads } from '../../src/service/pacer.ts';
import { attemptOf, newOrder, projectTie, recordOrders } from '../../test/support/order-factory.ts';
import type { Served } from '../measure/server.ts';
import { argument, report } from '../measure/subject.ts';

const { baseUrl, credentials } = JSON.parse(argument(0)) as Served;
const maxConcurrency = Number(argument(2));
const folder = argument(3);
await using log = openRunLog(folder, 'bench', systemClock, createRedactor());
const world = {
  clock: systemClock,
  sleep: systemSleep,
  random: systemRandom,
  log,
  signal: new AbortController().signal,
};
const unpaced = createServiceClient({ baseUrl, ...credentials, ...world, maxConcurrency });
await using ledger = openSqliteLedger(join(folder, 'ledger.sqlite'), { clock: systemClock, account: unpaced.account });
const client = pacedReads(unpaced, createPacer({ ...world, maxConcurrency }), world.signal);
await ledger.startRun('bench', 'collect');
const ids = Array.from({ length: Number(argument(1)) }, (_, index) => String(100_001 + index));
const orders = await recordOrders(
  ledger,
  ids.map((id) => newOrder({ inspectionNumber: id })),
);
await Promise.all(orders.map((order) => ledger.beginAttempt(order, attemptOf())));
await Promise.all(
  orders.map((order, index) =>
    ledger.moveOrder(order, 'submitting', { to: 'created', project: projectTie(ids[index] ?? ''), adopted: false }),
  ),
);
await client.searchProjects({ limit: 1 });
const store = join(folder, 'downloads');
await mkdir(store);

await report(async () => {
  const { collected } = await collectProjects({
    ...world,
    ledger,
    client,
    root: folder,
    store,
    images: 'all',
    retryNights: 5,
    maxConcurrency,
    onProgress: () => {},
  });
  return { reports: collected };
});
client.close();
