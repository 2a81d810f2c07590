import type { Step } from './store.ts';
import type { StoredArtifact } from './artifacts.ts';
import type { ProjectRecord } from './projects.ts';
import type { FileRecord } from './files.ts';
import type { StoredRow } from './rows.ts';
import type { OrderRecord, OrderState } from './orders.ts';
import type { UpdateRecord } from './updates.ts';

/** One request for an order. */
export interface AttemptRecord {
  readonly number: number;
  readonly run: string;
  readonly actor: string;
  readonly sentAt: number;
  readonly answeredAt: number | null;
  /** Where the answer moved the order; null where none is on record. */
  readonly outcome: string | null;
  readonly detail: string | null;
}

/** All that is on record of an order. */
export interface OrderStory {
  /** The rows that placed it, repeated it, or went back before it. */
  readonly rows: readonly StoredRow[];
  readonly attempts: readonly AttemptRecord[];
  /** What happened to it, to its project and to the files of its rows, in order. */
  readonly steps: readonly Step[];
  readonly project: ProjectRecord | null;
  readonly artifacts: readonly StoredArtifact[];
  readonly updates: readonly UpdateRecord[];
}

/** A row of a file with where its order stands; both null where it has none. */
export interface RowStanding {
  readonly row: StoredRow;
  readonly orderState: OrderState | null;
  readonly projectId: string | null;
  readonly status: string | null;
}

export interface RunOnRecord {
  readonly run: string;
  readonly command: string;
  readonly startedAt: number;
  /** Null for the run going on, and for one that was killed. */
  readonly finishedAt: number | null;
  readonly exitCode: number | null;
}

/** What people ask of what is on record. */
export interface StoryBook {
  /** The latest first. */
  lastRuns(limit: number): Promise<readonly RunOnRecord[]>;
  /** The latest first. */
  latestOrders(limit: number): Promise<readonly OrderRecord[]>;
  /**
   * Orders that a person may mean, at most 200: by policy or inspection number, project id, order id, or the name of their file; where none
   * is known by that, by a part of the insured's name or of the street, whatever its case.
   */
  findOrders(text: string): Promise<readonly OrderRecord[]>;
  /** Files of this name (`sender/name` or the name alone) or hash, the latest first. */
  findFiles(text: string): Promise<readonly FileRecord[]>;
  /** The rows of a file, in its order. */
  rowsOf(fileId: number): AsyncIterable<RowStanding>;
  storyOf(orderId: number): Promise<OrderStory>;
}
