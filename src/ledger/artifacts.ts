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

export type ArtifactKind = 'report' | 'summary' | 'image';

/** A verified file of a project. */
export interface ArtifactRecord {
  readonly projectId: string;
  readonly kind: ArtifactKind;
  /** The id of the report (also of its summary) or of the image. */
  readonly serviceId: string;
  readonly version: number;
  /** The report's type, or the media type of an image. */
  readonly type: string;
  /** What else the service said of it, such as an image's direction. */
  readonly detail: Readonly<Record<string, string>>;
  /** Relative to the workspace. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** An artifact with the time it went on record. */
export interface StoredArtifact extends ArtifactRecord {
  readonly recordedAt: number;
  /** When a further return of the project brought the same bytes again; null where none did. */
  readonly confirmedAt: number | null;
  /** What was wrong with the file on disk when it was last looked at; null where it was as recorded. */
  readonly lost: string | null;
}
