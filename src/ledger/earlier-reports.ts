import type { StoredArtifact } from './ledger.ts';

/** The summaries of the reports on a house that stood before those of a project. */
export interface EarlierSummaries {
  /** The project they are of: another one, or the same where its reports were replaced. */
  readonly projectId: string;
  /** When they were safe on disk. */
  readonly at: number;
  /** By what the two belong together. */
  readonly known: 'address' | 'policy' | 'version';
  readonly summaries: readonly StoredArtifact[];
}

export interface EarlierReportsBook {
  /**
   * What was last known of the same house before a project's summaries; null where there is nothing. That is the version before, where a
   * summary was replaced; else the last project at the same address, or else of the same policy number, that was collected before this
   * one was seen as returned.
   */
  earlierSummaries(projectId: string): Promise<EarlierSummaries | null>;
}
