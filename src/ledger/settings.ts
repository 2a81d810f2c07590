import type { PaceHint } from '../domain/ports.ts';
import type { ResultColumn } from '../domain/project.ts';

/** Creates and reads are paced apart: the service may have a limit for each. */
export type PaceKind = 'create' | 'read';

/** What runs learnt of the pace that the service bears, for each account. */
export interface PaceBook {
  /** What the last run learnt; null where none did, or where it is more than a week old. */
  paceHint(kind: PaceKind): Promise<PaceHint | null>;
  /** Takes the place of what was kept before. */
  keepPaceHint(kind: PaceKind, hint: PaceHint): Promise<void>;
}

/** Which columns results workbooks had, so that each keeps its place. */
export interface ColumnBook {
  /** In the order in which they were given. */
  resultColumns(): Promise<readonly ResultColumn[]>;
  /** Puts columns on record behind those that are there; one that is there already stays as it is. */
  addResultColumns(columns: readonly ResultColumn[]): Promise<void>;
}
