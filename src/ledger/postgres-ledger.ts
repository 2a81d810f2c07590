import { accountsIn } from './accounts.ts';
import type { LedgerLook } from './ledger-file.ts';
import { PostgresDriver, type PostgresTarget } from './postgres-driver.ts';

/**
 * Reads the state of a ledger in a database without changing or migrating it. Throws ExplainedError (exit code 2; 4 if
 * the database is away).
 */
export async function lookAtPostgresLedger(target: PostgresTarget): Promise<LedgerLook> {
  const driver = await PostgresDriver.open(target, undefined, 'look');
  try {
    if (!driver.isThere) return { kind: 'missing' };
    const lineage = driver.get('SELECT workspace, generation FROM lineage');
    const hasNames = driver.get(`SELECT to_regclass('account_names') IS NOT NULL AS found`)?.['found'] === 1;
    return {
      kind: 'there',
      lineage:
        lineage === undefined
          ? null
          : { workspace: String(lineage['workspace']), generation: Number(lineage['generation']) },
      isUsed: driver.get('SELECT 1 AS found FROM files LIMIT 1') !== undefined,
      ...accountsIn((sql) => driver.query(sql), hasNames),
      recovering: driver
        .query('SELECT account FROM recoveries WHERE ended_at IS NULL')
        .map((open) => String(open['account'])),
    };
  } finally {
    await driver.close();
  }
}
