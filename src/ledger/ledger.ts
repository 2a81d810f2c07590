import type { ArtifactRecord, EarlierReportsBook, StoredArtifact } from './artifacts.ts';
import type { CensusBook } from './census.ts';
import type { DeliveredBook, FollowedProject, HandOver, NewsBook } from './deliveries.ts';
import type { FileRecord, FileTransaction, NewFile, SenderBook } from './files.ts';
import type { StoryBook } from './history.ts';
import type { KnownProjects, OrderLookup, WentBackLookup } from './lookups.ts';
import type { OrderCounts, OrderMove, OrderRecord, OrderState } from './orders.ts';
import type { CollectBook, ProjectCounts, ProjectRecord } from './projects.ts';
import type { LineageBook } from './recovery.ts';
import type { PruneBook } from './retention.ts';
import type { ChangeBook, StoredRow } from './rows.ts';
import type { ColumnBook, PaceBook } from './settings.ts';
import type { Step } from './store.ts';
import type { UpdateBook } from './updates.ts';

/**
 * The durable record. Every verb that changes something is on disk, synced, before its promise fulfils; those that change a state
 * name the state they expect and say whether it took.
 */
export interface Ledger extends AsyncDisposable, CollectBook, DeliveredBook, SenderBook, ChangeBook, PaceBook, ColumnBook, EarlierReportsBook, UpdateBook, StoryBook, CensusBook, PruneBook, LineageBook, NewsBook {
  /** The service account that this ledger was opened for: identities and projects of others are not seen. */
  readonly account: string;

  startRun(run: string, command: string): Promise<void>;
  finishRun(run: string, exitCode: number, summary: unknown): Promise<void>;

  /** Looks without waiting for anybody who writes. */
  readonly lookup: OrderLookup & WentBackLookup;
  /** The same, for what the service's duplicate rules compare. */
  readonly knownProjects: KnownProjects;

  findFile(hash: string): Promise<FileRecord | null>;
  /** Puts a file and all its rows on record in one transaction; `fill` throwing leaves nothing. */
  recordFile(
    file: NewFile,
    fill: (transaction: FileTransaction) => Promise<void>,
  ): Promise<FileRecord>;
  /** Does all that `recordFile` would do, and takes it back: nothing stays. */
  rehearseFile(fill: (transaction: FileTransaction) => Promise<void>): Promise<void>;
  /** Files that are on record and not yet as archived. */
  filesToArchive(): Promise<readonly FileRecord[]>;
  markArchived(fileId: number, archivedAs: string): Promise<void>;
  /** Files with rows that went back without a corrections workbook yet: rejections, and rows of refused orders. */
  filesToCorrect(): Promise<readonly FileRecord[]>;
  rowsToCorrect(fileId: number): AsyncIterable<StoredRow & { readonly refusal: string | null }>;
  markCorrected(fileId: number, rowIds: readonly number[], corrections: string): Promise<void>;
  /** The latest corrections workbook of a file, relative to the workspace. */
  correctionsOf(fileId: number): Promise<string | null>;

  order(orderId: number): Promise<OrderRecord | null>;
  /** The projects of orders at this address, the latest first. */
  projectsAtAddress(addressKey: string): Promise<readonly string[]>;
  /** Orders in this state by their id, those above `after`, at most `limit`. */
  ordersIn(state: OrderState, after: number, limit: number): Promise<readonly OrderRecord[]>;
  orderCounts(): Promise<OrderCounts>;
  /**
   * The nearest order before this one that is not at an end and has a key in common with it: the service could take the one for a duplicate of
   * the other. While there is one, this order waits.
   */
  orderBefore(orderId: number): Promise<OrderRecord | null>;
  /** Other orders with a key in common with this one of which it is not known, or not on record, whether they have a project. */
  undecidedLike(orderId: number): Promise<readonly OrderRecord[]>;
  /** The project of the first order that was sent at this time or later, for the first time, and created; null where there is none. */
  projectMadeSince(at: number): Promise<string | null>;
  /** ready → submitting, with the attempt: payload, actor, id bound, time. False when the order was not ready, or has to wait for one before it. */
  beginAttempt(orderId: number, attempt: { actor: string; idBound: string; payload: object; payloadHash: string }): Promise<boolean>;
  /** Moves an order from the state it is expected in. False, and nothing changed, when it stood elsewhere. */
  moveOrder(orderId: number, from: OrderState, move: OrderMove): Promise<boolean>;
  /** After a crash: every `submitting` order becomes `unresolved`, in doubt since now. Returns how many. */
  recoverInterrupted(): Promise<number>;
  /** Whether a request of this order may have been handled without our knowing: an attempt before the one under way had no known outcome. */
  hadUnknownAttempt(orderId: number): Promise<boolean>;
  /** Which of these projects are tied to orders other than this one. */
  projectsOfOtherOrders(orderId: number, projectIds: readonly string[]): Promise<ReadonlySet<string>>;
  highestProjectId(): Promise<string | null>;
  noteStep(subject: Step['subject'], subjectId: string, event: string, detail?: Readonly<Record<string, unknown>>): Promise<void>;

  /** Records what statuses were seen; returns the ids of those that changed. */
  recordStatuses(seen: readonly { readonly id: string; readonly status: string }[]): Promise<readonly string[]>;
  /** Every version there ever was. */
  artifactsOf(projectId: string): Promise<readonly StoredArtifact[]>;
  /** The latest version of each that retention has not taken away: what should be on disk. */
  filesOf(projectId: string): Promise<readonly StoredArtifact[]>;
  recordArtifact(artifact: ArtifactRecord): Promise<void>;
  markCollected(projectId: string): Promise<void>;
  markCollectionProblem(projectId: string, problem: string): Promise<void>;
  /** How many rows of files are on record, and how many of them were accepted. */
  rowCounts(): Promise<{ readonly read: number; readonly accepted: number }>;
  projectCounts(): Promise<ProjectCounts>;
  /** How many projects have each status, in the words of the service. */
  statusCounts(): Promise<readonly { readonly status: string; readonly count: number }[]>;

  /** Projects in order of id: all, or those outstanding and those changed since they were last handed over. */
  projectsForResults(all: boolean): AsyncIterable<FollowedProject>;
  /** Rows and orders that became no project: all, or those not handed over yet. */
  notOrdered(all: boolean): AsyncIterable<{ readonly row: StoredRow; readonly order: OrderRecord | null }>;
  /** Orders not handed over yet that reached an end or wait, with their rows. */
  ordersToHandOver(): AsyncIterable<{ readonly order: OrderRecord; readonly row: StoredRow | null; readonly project: ProjectRecord | null }>;
  /** Whether anything changed since the last delivery. */
  somethingToHandOver(): Promise<{ readonly orders: boolean; readonly results: boolean }>;
  recordDelivery(handOver: HandOver): Promise<void>;
  deliveryOf(run: string): Promise<string | null>;
}
