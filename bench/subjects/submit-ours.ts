/** A submission run as the command builds it, its orders on record already. Arguments: the server as JSON, orders, requests at once, a folder. */
import { join } from 'node:path';
import { openSqliteLedger } from '../../src/ledger/open-ledger.ts';
import { openRunLog } from '../../src/ops/log.ts';
import { createRedactor } from '../../src/ops/redactor.ts';
import { systemClock, systemRandom, systemSleep } from '../../src/ops/system.ts';
import { createServiceClient } from '../../src/service/client.ts';
import { createPacer } from '../../src/service/pacer.ts';
import { submitOrders } from '../../src/submit/submit-run.ts';
import { newOrder, recordOrders } from '../../test/support/order-factory.ts';
import type { Served } from '../measure/server.ts';
import { argument, report } from '../measure/subject.ts';
import { inventedPayloads } from '../orders.ts';

const { baseUrl, credentials } = JSON.parse(argument(0)) as Served;
const maxConcurrency = Number(argument(2));
const folder = argument(3);
const redactor = createRedactor();
for (const secret of [credentials.clientSecret, credentials.password]) redactor.registerSecret(secret);
await using log = openRunLog(folder, 'bench', systemClock, redactor);
const world = {
  clock: systemClock,
  sleep: systemSleep,
  random: systemRandom,
  log,
  signal: new AbortController().signal,
};
const client = createServiceClient({ baseUrl, ...credentials, ...world, maxConcurrency });
await using ledger = openSqliteLedger(join(folder, 'ledger.sqlite'), { clock: systemClock, account: client.account });
await ledger.startRun('bench', 'submit');
await recordOrders(
  ledger,
  [...inventedPayloads(Number(argument(1)))].map((payload) => newOrder(payload)),
);
await client.searchProjects({ limit: 1 });

await report(async () => {
  const { created, stopped } = await submitOrders({
    ...world,
    ledger,
    client,
    pacer: createPacer({ ...world, maxConcurrency }),
    rules: { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 },
    quarantineMs: 300_000,
    maxConcurrency,
    actor: credentials.username,
    finishBy: null,
    onProgress: () => {},
  });
  if (stopped !== null) throw new Error(stopped);
  return { created };
});
client.close();
