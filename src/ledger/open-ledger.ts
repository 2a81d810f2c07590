import type { Clock } from '../domain/ports.ts';
import { accountVerbs } from './accounts.ts';
import { artifactVerbs } from './artifacts.ts';
import { censusVerbs } from './census.ts';
import { correctionVerbs } from './corrections.ts';
import { decisionVerbs } from './decisions.ts';
import { deliveryVerbs } from './deliveries.ts';
import type { CommitWatch, Driver, OpenedFor } from './driver.ts';
import { fileTransactionVerbs } from './file-transaction.ts';
import { fileVerbs } from './files.ts';
import { historyVerbs } from './history.ts';
import { layoutVerbs } from './layouts.ts';
import type { Ledger } from './ledger.ts';
import { knownProjectVerbs } from './known-projects.ts';
import { lookupVerbs } from './lookups.ts';
import { bindGroup, newsVerbs, type Store } from './store.ts';
import { orderVerbs } from './orders.ts';
import { outboxVerbs } from './outbox.ts';
import type { PostgresDriver, PostgresTarget } from './postgres-driver.ts';
import { projectVerbs } from './projects.ts';
import { recoveryVerbs } from './recovery.ts';
import { retentionVerbs } from './retention.ts';
import { rowVerbs } from './rows.ts';
import { settingVerbs } from './settings.ts';
import { openToRead, SqliteDriver } from './sqlite-driver.ts';
import { updateVerbs } from './updates.ts';

interface OpenOptions {
  readonly clock: Clock;
  readonly account: string;
  readonly committed?: (generation: number) => void;
  readonly witnessed?: () => number;
  readonly openedFor?: OpenedFor;
}

/** Creates or migrates it if needed. Throws ExplainedError (exit code 2) if a newer version wrote it. */
export function openSqliteLedger(path: string, options: OpenOptions): Ledger {
  return ledgerOver(new SqliteDriver(path, watchOf(options), options.openedFor), options);
}

/**
 * Opens, creates or migrates a ledger in a PostgreSQL schema, for any number of hosts: transactions are serial.
 * `clock`: null for the database's own. Throws ExplainedError (exit code 2; 4 if the database is away).
 */
export async function openPostgresLedger(
  target: PostgresTarget,
  options: Omit<OpenOptions, 'clock'> & { readonly clock: Clock | null; readonly openedFor?: 'record' | 'look' },
): Promise<Ledger> {
  const postgres = await import('./postgres-driver.ts');
  const driver: PostgresDriver = await postgres.PostgresDriver.open(
    target,
    watchOf({ ...options, clock: { now: () => clock.now() } }),
    options.openedFor,
  );
  const clock = options.clock ?? driver.clock;
  return ledgerOver(driver, { clock, account: options.account });
}

const watchOf = ({ clock, committed, witnessed }: Omit<OpenOptions, 'account'>): CommitWatch => ({
  now: () => clock.now(),
  committed: (generation) => committed?.(generation),
  witnessed: () => witnessed?.() ?? 0,
});

export function ledgerOver(driver: Driver, { clock, account }: Pick<OpenOptions, 'clock' | 'account'>): Ledger {
  const store: Store<Driver> = { driver, clock, account, run: null };
  return {
    account,
    clock,
    ...bindGroup(store, fileVerbs),
    ...bindGroup(store, fileTransactionVerbs),
    ...bindGroup(store, layoutVerbs),
    ...bindGroup(store, rowVerbs),
    ...bindGroup(store, lookupVerbs),
    ...bindGroup(store, knownProjectVerbs),
    ...bindGroup(store, correctionVerbs),
    ...bindGroup(store, orderVerbs),
    ...bindGroup(store, projectVerbs),
    ...bindGroup(store, artifactVerbs),
    ...bindGroup(store, updateVerbs),
    ...bindGroup(store, deliveryVerbs),
    ...bindGroup(store, decisionVerbs),
    ...bindGroup(store, newsVerbs),
    ...bindGroup(store, outboxVerbs),
    ...bindGroup(store, historyVerbs),
    ...bindGroup(store, censusVerbs),
    ...bindGroup(store, retentionVerbs),
    ...bindGroup(store, settingVerbs),
    ...bindGroup(store, recoveryVerbs),
    ...bindGroup(store, accountVerbs),

    [Symbol.asyncDispose]: () => driver.close(),
  };
}

/** The latest run's account, for read-only commands without credentials; or null. */
export function latestAccount(path: string): string | null {
  new SqliteDriver(path)[Symbol.dispose]();
  using database = openToRead(path);
  const row = database.prepare('SELECT account FROM runs ORDER BY started_at DESC, rowid DESC LIMIT 1').get();
  return row === undefined ? null : String(row['account']);
}
