import type { Clock, Log, Sleep } from '../domain/ports.ts';
import { visibleLine } from '../domain/visible-text.ts';
import type { FileDesk } from '../intake/file-desk.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Workspace } from '../ops/workspace.ts';
import type { IntakeSettings } from './sender-settings.ts';
import type { OrderingRules } from './row-decision.ts';

/** What became of a file, for the run's summary. */
export interface FileReport {
  /** `name.xlsx`, or `sender/name.xlsx`. */
  readonly name: string;
  readonly outcome: 'processed' | 'already-processed' | 'unreadable' | 'settling' | 'held';
  readonly rows: { readonly read: number; readonly accepted: number; readonly rejected: number };
  /** Relative to the workspace. */
  readonly corrections: string | null;
  readonly reason: string | null;
}

/** What a run took in. */
export interface TakenIn {
  readonly files: readonly FileReport[];
  /** Accepted rows that are tied to an order which was on record already. */
  readonly repeats: number;
  /** What a person should know of how each file was read. */
  readonly notes: readonly FileNotes[];
  /** Faults of the program that one file brought about: the others were taken in all the same. */
  readonly faults: readonly unknown[];
  /** Why the inbox could not be read at all, such as a share that is not mounted; or null. */
  readonly inboxAway: string | null;
}

export interface FileNotes {
  readonly name: string;
  readonly notes: readonly string[];
}

export interface TakeInParts extends IntakeSettings {
  readonly ledger: Ledger;
  readonly workspace: Workspace;
  /** Where files are read and corrections are written. */
  readonly files: FileDesk;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly rules: OrderingRules;
  readonly settleMs: number;
  /** Only the files at these paths; all of the inbox when it is left out. */
  readonly only?: ReadonlySet<string>;
}

/** A file that stands in `processing/`: nobody but this run touches it. */
export interface ClaimedFile {
  readonly path: string;
  /** Its own name, as it was dropped. */
  readonly name: string;
  /** The name of its sender's folder, as one safe part of a path; empty where nobody was named. */
  readonly sender: string;
}

/** What became of one file. */
export interface Taken {
  readonly report: FileReport;
  readonly repeats: number;
  readonly notes?: readonly string[];
  readonly fault?: unknown;
}

export const NO_ROWS = { read: 0, accepted: 0, rejected: 0 } as const;

/** A file as people know it, in one line. */
export function shownAs({ sender, name }: Pick<ClaimedFile, 'sender' | 'name'>): string {
  return visibleLine(sender === '' ? name : `${sender}/${name}`);
}

/** A file that stays where it is for the next run. */
export function leftForNextRun(name: string, reason: string): Taken {
  return { report: { name, outcome: 'settling', rows: NO_ROWS, corrections: null, reason }, repeats: 0 };
}
