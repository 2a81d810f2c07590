import type { Clock } from '../domain/ports.ts';
import { artifactVerbs } from './artifacts.ts';
import { censusVerbs } from './census.ts';
import { correctionVerbs } from './corrections.ts';
import { decisionVerbs } from './decisions.ts';
import { deliveryVerbs } from './deliveries.ts';
import { type OpenedFor, SqliteDriver } from './driver.ts';
import { fileVerbs } from './files.ts';
import { historyVerbs } from './history.ts';
import type { Ledger } from './ledger.ts';
import { knownProjectsIn, lookupIn } from './lookups.ts';
import { bindGroup, newsVerbs, type Store } from './store.ts';
import { orderVerbs } from './orders.ts';
import { outboxVerbs } from './outbox.ts';
import { projectVerbs } from './projects.ts';
import { recoveryVerbs } from './recovery.ts';
import { retentionVerbs } from './retention.ts';
import { rowVerbs } from './rows.ts';
import { settingVerbs } from './settings.ts';
import { updateVerbs } from './updates.ts';

interface OpenOptions {
  readonly clock: Clock;
  readonly account: string;
  readonly committed?: (generation: number) => void;
  readonly openedFor?: OpenedFor;
}

/**
 * Opens (and where needed creates or migrates) the ledger in a SQLite file: WAL, `synchronous=FULL`, one writer.
 * `committed` hears of every commit once it is synced. Throws ExplainedError (exit code 2) when a newer version of the program wrote it.
 */
export function openSqliteLedger(path: string, { clock, account, committed, openedFor }: OpenOptions): Ledger {
  const driver = new SqliteDriver(path, { now: () => clock.now(), committed: (generation) => committed?.(generation) }, openedFor);
  const store: Store = { driver, clock, account, run: null };
  return {
    account,
    lookup: lookupIn(store),
    knownProjects: knownProjectsIn(store),
    ...bindGroup(store, fileVerbs),
    ...bindGroup(store, rowVerbs),
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

    [Symbol.asyncDispose]: async () => {
      await driver.settled();
      driver[Symbol.dispose]();
    },
  };
}

/** The account of the latest run in a ledger, for commands that only look and have no credentials; null where there is none. */
export function latestAccount(path: string): string | null {
  using driver = new SqliteDriver(path);
  const row = driver.get('SELECT account FROM runs ORDER BY started_at DESC, rowid DESC LIMIT 1');
  return row === undefined ? null : String(row['account']);
}
