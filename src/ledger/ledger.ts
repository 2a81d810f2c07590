import type { Clock } from '../domain/ports.ts';
import type { BoundVerbGroup, VerbGroup } from './store.ts';
import type * as verbs from './verb-groups.ts';

export type * from './accounts.ts';
export type * from './artifacts.ts';
export type * from './census.ts';
export type * from './decisions.ts';
export type * from './deliveries.ts';
export type * from './file-transaction.ts';
export type * from './files.ts';
export type * from './followed-projects.ts';
export type * from './history.ts';
export type * from './known-projects.ts';
export type * from './layouts.ts';
export type * from './lookups.ts';
export type * from './open-rows.ts';
export type * from './orders.ts';
export type * from './outbox.ts';
export type * from './projects.ts';
export type * from './receipts.ts';
export type * from './recovery.ts';
export type * from './retention.ts';
export type * from './rows.ts';
export type * from './settings.ts';
export type * from './store.ts';
export type * from './updates.ts';

type AllOf<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer A) => void ? A : never;
type EachOf<G> = G extends VerbGroup ? BoundVerbGroup<G> : never;

/**
 * A change fulfills when synced; a change of state names the expected state and returns whether it happened. Times are
 * epoch ms, project ids digits, paths relative to the workspace.
 */
export type Ledger = AllOf<EachOf<(typeof verbs)[keyof typeof verbs]>> &
  AsyncDisposable &
  Readonly<{
    /** Other accounts are invisible. */
    account: string;
    /** The database's clock if hosts share the ledger, else this machine's. */
    clock: Clock;
  }>;
