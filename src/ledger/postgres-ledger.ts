import { accountQueries, accountsIn } from './accounts.ts';
import type { LedgerInspection } from './ledger-file.ts';
import { PostgresDriver, type PostgresTarget } from './postgres-driver.ts';
import { lineageFrom } from './recovery.ts';

/** Changes and migrates nothing. Throws ExplainedError (exit code 2; 4 if the database is away). */
export async function inspectPostgresLedger(target: PostgresTarget): Promise<LedgerInspection> {
  const driver = await PostgresDriver.open(target, undefined, 'look');
  try {
    if (!driver.isThere) return { kind: 'missing' };
    const hasNames = (await driver.get(`SELECT to_regclass('account_names') IS NOT NULL AS found`))?.['found'] === 1;
    const [lineage, used, recovering, ...accounts] = await Promise.all(
      [
        'SELECT workspace, generation FROM lineage',
        'SELECT 1 FROM files LIMIT 1',
        'SELECT account FROM recoveries WHERE ended_at IS NULL',
        ...accountQueries(hasNames),
      ].map((sql) => driver.query(sql)),
    );
    return {
      kind: 'there',
      lineage: lineageFrom(lineage?.[0]),
      isUsed: used?.length === 1,
      ...accountsIn(accounts),
      recovering: recovering?.map(({ account }) => String(account)) ?? [],
    };
  } finally {
    await driver.close();
  }
}
