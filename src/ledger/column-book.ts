import type { ResultColumn } from '../domain/result-column.ts';

/** Which columns results workbooks had, so that each keeps its place. */
export interface ColumnBook {
  /** In the order in which they were given. */
  resultColumns(): Promise<readonly ResultColumn[]>;
  /** Puts columns on record behind those that are there; one that is there already stays as it is. */
  addResultColumns(columns: readonly ResultColumn[]): Promise<void>;
}
