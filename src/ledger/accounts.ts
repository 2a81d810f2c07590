import type { ServiceAccount } from '../domain/service-account.ts';
import { lineageFrom } from './recovery.ts';
import { type Store, insertInto, numberOrNull, rowReader, textOf, type Job, type SqlRow } from './store.ts';

// An account has names; a new name changes no record.

export type AccountName = ReturnType<typeof nameFrom>;

const countsFrom = rowReader({
  account: textOf,
  files: Number,
  orders: Number,
  projects: Number,
  lastRunAt: numberOrNull,
});

const NAMES = 'SELECT name AS key, account, address, client_id, username, since FROM account_names ORDER BY since';

/** Each with a table that a ledger of an earlier version may lack. */
export const INSPECTED = [
  ['runs', 'SELECT account FROM runs GROUP BY account ORDER BY max(started_at) DESC, max(rowid) DESC'],
  ['orders', 'SELECT account FROM orders WHERE id = (SELECT max(id) FROM orders)'],
  ['files', 'SELECT 1 FROM files LIMIT 1'],
  ['projects', 'SELECT 1 FROM projects LIMIT 1'],
  ['account_names', NAMES],
  ['recoveries', 'SELECT account FROM recoveries WHERE ended_at IS NULL'],
  ['lineage', 'SELECT workspace, generation FROM lineage'],
] as const;

export type LedgerInspection = Readonly<
  { kind: 'missing' } | { kind: 'empty' } | { kind: 'damaged'; what: string } | ReturnType<typeof inspectionFrom>
>;

/** `answers`: to `INSPECTED`. Without names, the newest order's account is the workspace's. */
export function inspectionFrom(answers: readonly (readonly SqlRow[])[]) {
  const [runs = [], orders = [], files = [], projects = [], named = [], recoveries = [], lineage = []] = answers;
  const names: readonly AccountName[] = named.map(nameFrom);
  const used = runs.map(accountOf);
  const [newest] = orders.map(accountOf);
  return {
    kind: 'there' as const,
    /** Null before the first run. */
    account: names.at(-1)?.account ?? newest ?? used[0] ?? null,
    names,
    /** The accounts that runs used, the latest first. */
    used,
    isUsed: files.length > 0,
    hasRecords: orders.length + files.length + projects.length > 0,
    recovering: recoveries.map(accountOf),
    lineage: lineageFrom(lineage[0]),
  };
}

const accountOf = (row: SqlRow) => String(row['account']);

const nameFrom = rowReader({
  key: textOf,
  account: textOf,
  address: textOf,
  clientId: textOf,
  username: textOf,
  since: Number,
});

async function nameAccount(
  { driver, clock }: Job,
  { key, address, clientId, username }: ServiceAccount,
  account: string,
) {
  const latest = Number((await driver.get('SELECT max(since) AS since FROM account_names'))?.['since'] ?? 0);
  const named = { name: key, account, address, clientId, username, since: Math.max(clock.now(), latest + 1) };
  const renaming = 'ON CONFLICT (name) DO UPDATE SET account = excluded.account, since = excluded.since';
  await driver.run(...insertInto('account_names', named, renaming));
}

async function accountsOnRecord({ driver }: Store) {
  const names = (await driver.query(NAMES)).map(nameFrom);
  const rows = await driver.query(
    `SELECT account, sum(files) AS files, sum(orders) AS orders, sum(projects) AS projects, max(run) AS last_run_at FROM (
       SELECT account, 0 AS files, 0 AS orders, 0 AS projects, NULL AS run FROM account_names
       UNION ALL SELECT account, 0, 0, 0, started_at FROM runs
       UNION ALL SELECT account, 1, 0, 0, NULL FROM files
       UNION ALL SELECT account, 0, 1, 0, NULL FROM orders
       UNION ALL SELECT account, 0, 0, 1, NULL FROM projects) AS held
     GROUP BY account ORDER BY account`,
  );
  return rows.map((row) => ({ ...countsFrom(row), names: names.filter(({ account }) => account === accountOf(row)) }));
}

export const accountVerbs = { reads: { accountsOnRecord }, writes: { nameAccount } };
