import type { Clock } from '../domain/ports.ts';
import type { BoundGroup, Group } from './store.ts';
import type * as verbs from './verb-groups.ts';

type AllOf<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer A) => void ? A : never;
type EachOf<G> = G extends Group ? BoundGroup<G> : never;

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
