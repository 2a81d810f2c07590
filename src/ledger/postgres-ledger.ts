import { INSPECTED, inspectionFrom } from './accounts.ts';
import type { LedgerInspection } from './ledger-file.ts';
import { PostgresDriver, type PostgresTarget } from './postgres-driver.ts';

/** Changes and migrates nothing. Throws ExplainedError (exit code 2; 4 if the database is away). */
export async function inspectPostgresLedger(target: PostgresTarget): Promise<LedgerInspection> {
  const driver = await PostgresDriver.open(target, undefined, 'look');
  try {
    if (!driver.isThere) return { kind: 'missing' };
    const hasNames = (await driver.get(`SELECT to_regclass('account_names') IS NOT NULL AS found`))?.['found'] === 1;
    return inspectionFrom(
      await Promise.all(
        INSPECTED.map(async ([table, sql]) => (hasNames || table !== 'account_names' ? driver.query(sql) : [])),
      ),
    );
  } finally {
    await driver.close();
  }
}
