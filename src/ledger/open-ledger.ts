import type { Clock } from '../domain/ports.ts';
import type { CommitWatch, Driver, OpenPurpose } from './driver.ts';
import type { Ledger } from './ledger.ts';
import { bindGroup, type Store } from './store.ts';
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
  const postgres = await import('./postgres-driver.ts');
  const driver = await postgres.PostgresDriver.open(
    target,
    watchOf({ ...options, clock: { now: () => clock.now() } }),
    options.openedFor,
  );
  const clock = options.clock ?? driver.clock;
  return createLedger(driver, { clock, account: options.account });
}

const watchOf = ({ clock, committed, witnessed }: Omit<OpenOptions, 'account'>): CommitWatch => ({
  now: () => clock.now(),
  committed: (generation) => committed?.(generation),
  witnessed: () => witnessed?.() ?? 0,
});

export function createLedger(driver: Driver, { clock, account }: Pick<OpenOptions, 'clock' | 'account'>): Ledger {
  const store: Store<Driver> = { driver, clock, account, run: null };
  return {
    account,
    clock,
    ...Object.assign({}, ...Object.values(verbs).map((group) => bindGroup(store, group))),

    [Symbol.asyncDispose]: () => driver.close(),
  };
}
