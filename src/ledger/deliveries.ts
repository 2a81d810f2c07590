import type { StoredArtifact } from './artifacts.ts';
import type { OrderRecord } from './orders.ts';
import type { ProjectRecord } from './projects.ts';
import type { StoredRow } from './rows.ts';

/** Which projects a published delivery holds as they stand on record. */
export interface DeliveredBook {
  /** Ids of projects that were handed over and that nothing new is known of since: what the latest of their deliveries shows is all there is. */
  deliveredProjects(): Promise<ReadonlySet<string>>;
}

/** What people have to hear of (DESIGN, exit code 3). `subject` is the id of what it is about: a file, an order, a project; of an unreadable file its name. */
export type NewsKind = 'rows-went-back' | 'order-refused' | 'project-canceled' | 'closed-out' | 'files-missing' | 'file-unreadable' | 'update-refused';

export interface News {
  readonly id: number;
  readonly kind: NewsKind;
  readonly subject: string;
  readonly at: number;
  /** The run in which it happened; null for commands that are no runs. */
  readonly run: string | null;
}

/** Rows of a file that wait to be corrected. */
export interface WaitingRows {
  readonly fileId: number;
  readonly file: string;
  readonly rows: number;
  /** The workbook they stand in, relative to the workspace; null while it is not written. */
  readonly corrections: string | null;
  readonly since: number;
}

/**
 * What went on record with the fact it tells of, in one commit, and is told once: by the first run that ends well. A run that is killed, or
 * ends otherwise, tells nothing.
 */
export interface NewsBook {
  addNews(kind: NewsKind, subject: string): Promise<void>;
  /** The oldest first. */
  untoldNews(): Promise<readonly News[]>;
  /** These were told by the run going on. */
  markTold(ids: readonly number[]): Promise<void>;
  /** Rows that went back, or whose orders the service refused, and that nothing has come in place of: by file and workbook, the latest first. */
  waitingRows(): Promise<readonly WaitingRows[]>;
}

/** A project with the order it was created for, for the results workbook. */
export interface FollowedProject {
  readonly project: ProjectRecord;
  readonly order: OrderRecord;
  /** Where its row stands; null for an order without one. */
  readonly row: StoredRow | null;
  /** The latest version of each. */
  readonly artifacts: readonly StoredArtifact[];
}

/** What a delivery took with it, so that the next one starts where it ended. */
export interface HandOver {
  readonly run: string;
  /** Relative to the workspace. */
  readonly folder: string;
  readonly contents: Readonly<Record<string, string | null>>;
  readonly orderIds: readonly number[];
  readonly rowIds: readonly number[];
  readonly projectIds: readonly string[];
}

export interface DeliveryRecord {
  readonly run: string;
  /** Relative to the workspace. */
  readonly folder: string;
  readonly publishedAt: number;
  /** The paths of what is in it, relative to the workspace; null for what it does not hold. */
  readonly contents: Readonly<Record<string, string | null>>;
}
