import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '../src/ledger/ledger.ts';
import { openPostgresLedger, openSqliteLedger } from '../src/ledger/open-ledger.ts';
import { systemClock } from '../src/ops/system.ts';
import { attemptOf, newOrder, newRow, projectTie } from '../test/support/order-factory.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { atMost, count, printTable, printTargets, times } from './measure/table.ts';
import type { BenchOptions, Growing } from './options.ts';

const ORDERS = 2000;
/** So many orders are sent at once. */
const TOGETHER = 32;

/** What a night asks of the ledger alone, without the service: on SQLite, and on PostgreSQL on the same machine, both synced to disk. */
export async function benchLedgers({ orders = ORDERS, rounds }: BenchOptions): Promise<Growing> {
  await using server = await startPostgres({ synced: true });
  const took: Record<string, { sqlite: number[]; postgres: number[] }> = {};
  for (let round = 0; round < rounds; round += 1) {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'ledgers-'));
    const options = { clock: systemClock, account: 'bench' };
    await using sqlite = openSqliteLedger(join(folder.path, 'ledger.sqlite'), options);
    await using postgres = await openPostgresLedger(server.fresh(), options);
    for (const [kind, ledger] of [['sqlite', sqlite], ['postgres', postgres]] as const) {
      for (const [what, ms] of await night(ledger, orders)) (took[what] ??= { sqlite: [], postgres: [] })[kind].push(ms);
    }
  }
  const medians = Object.entries(took).map(([what, { sqlite, postgres }]) => ({ what, sqlite: median(sqlite), postgres: median(postgres) }));
  printTable(
    `ledgers: ${count(orders)} orders on one host, the ledger's share of each step`,
    ['step', 'sqlite', 'postgres', '', 'slower'],
    medians.map(({ what, sqlite, postgres }) => [what, perOrder(sqlite, orders), perOrder(postgres, orders), '', times(postgres / sqlite)]),
  );
  printTargets(medians.map(({ what, sqlite, postgres }) => atMost(`${what}: at most 1.3 × as long on PostgreSQL`, postgres / sqlite, 1.3, times)));
  return {};
}

async function night(ledger: Ledger, orders: number): Promise<readonly (readonly [string, number])[]> {
  const ids: number[] = [];
  const takeIn = await timed(async () => {
    await ledger.recordFile({ hash: 'aa', name: 'a.csv', layouts: [], notes: [] }, async (transaction) => {
      for (let index = 0; index < orders; index += 1) {
        const order = newOrder({ inspectionNumber: `A-${index}`, policyNumber: `P-${index}`, streetAddress: `${index} Oak Street` });
        transaction.findLivingOrder(order.identity);
        transaction.findOrderAtAddress(order.addressKey, 0);
        const orderId = transaction.addOrder(order);
        transaction.addRow(newRow({ outcome: 'order', orderId }, index + 2));
        ids.push(orderId);
      }
    });
  });
  const submit = await timed(async () => {
    const left = ids.entries();
    const lane = async (): Promise<void> => {
      for (const [index, id] of left) {
        await ledger.orderBefore(id);
        await ledger.beginAttempt(id, attemptOf());
        await ledger.moveOrder(id, 'submitting', { to: 'created', project: projectTie(String(1000 + index)), adopted: false });
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, lane));
  });
  const sweep = await timed(async () => {
    await ledger.followedProjects();
    for (let from = 0; from < orders; from += 500) {
      await ledger.recordStatuses(ids.slice(from, from + 500).map((_id, index) => ({ id: String(1000 + from + index), status: 'Returned to Client' })));
    }
  });
  return [['take-in', takeIn], ['submit', submit], ['sweep', sweep]];
}

async function timed(work: () => Promise<void>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function perOrder(ms: number, orders: number): string {
  return `${((ms / orders) * 1000).toFixed(0)} µs an order`;
}
