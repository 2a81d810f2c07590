import type { Clock } from '../domain/ports.ts';
import { INSPECTED, inspectionFrom, type LedgerInspection } from './accounts.ts';
import type { CommitWatch, OpenPurpose } from './driver.ts';
import type { Ledger } from './ledger.ts';
import { bindGroup, type Store, type Driver } from './store.ts';
import type { PostgresTarget } from './postgres-driver.ts';
import { SqliteDriver } from './sqlite-driver.ts';
import * as verbs from './verb-groups.ts';

export type OpenOptions = Readonly<{
  clock: Clock;
  account: string;
  committed?: (generation: number) => void;
  witnessed?: () => number;
  openedFor?: OpenPurpose;
}>;

/** Creates or migrates it. Throws ExplainedError (exit code 2) if a newer version wrote it. */
export function openSqliteLedger(path: string, options: OpenOptions): Ledger {
  return createLedger(new SqliteDriver(path, watchOf(options), options.openedFor), options);
}

/**
 * Creates or migrates it, for any number of hosts. `clock`: null for the database's own. Throws ExplainedError (exit
 * code 2; 4 if the database is away).
 */
export async function openPostgresLedger(
  target: PostgresTarget,
  options: Omit<OpenOptions, 'clock'> & Readonly<{ clock: Clock | null; openedFor?: 'record' | 'look' }>,
) {
  const { PostgresDriver } = await import('./postgres-driver.ts');
  const driver = await PostgresDriver.open(
    target,
    watchOf({ ...options, clock: { now: () => clock.now() } }),
    options.openedFor,
  );
  const clock = options.clock ?? driver.clock;
  return createLedger(driver, { clock, account: options.account });
}

/** Changes and migrates nothing. Throws as `openPostgresLedger`. */
export async function inspectPostgresLedger(target: PostgresTarget): Promise<LedgerInspection> {
  const { PostgresDriver } = await import('./postgres-driver.ts');
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

const watchOf = ({ clock, committed, witnessed }: Omit<OpenOptions, 'account'>): CommitWatch => ({
  now: () => clock.now(),
  committed: (generation) => committed?.(generation),
  witnessed: () => witnessed?.() ?? 0,
});

export function createLedger(driver: Driver, { clock, account }: OpenOptions): Ledger {
  const store: Store<Driver> = { driver, clock, account, run: null };
  return {
    account,
    clock,
    ...Object.assign({}, ...Object.values(verbs).map((group) => bindGroup(store, group))),

    [Symbol.asyncDispose]: () => driver.close(),
  };
}
