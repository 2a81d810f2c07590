import type { HouseAddress } from '../domain/house.ts';
import type { Problem, Repair, RowPlace, RowRecord, SheetLayout } from '../domain/row.ts';
import type { DeliveredBook } from './delivered-book.ts';
import type { CensusBook } from './census-book.ts';
import type { ChangeBook, FieldChange } from './change-book.ts';
import type { CollectBook } from './collect-book.ts';
import type { EarlierReportsBook } from './earlier-reports.ts';
import type { KnownProjects } from './known-projects.ts';
import type { LineageBook } from './lineage-book.ts';
import type { NewOrder, OrderMove, OrderRecord, OrderState } from './order-record.ts';
import type { ColumnBook } from './column-book.ts';
import type { NewsBook } from './news-book.ts';
import type { PaceBook } from './pace-book.ts';
import type { PruneBook } from './prune-book.ts';
import type { FileKind, SenderBook } from './sender-book.ts';
import type { StoryBook } from './story-book.ts';
import type { PolicyDetails, UpdateBook } from './update-book.ts';
import type { WentBackLookup } from './went-back.ts';

/** A file whose rows are on record. */
export interface FileRecord {
  readonly id: number;
  readonly hash: string;
  /** As people know it: `name.xlsx`, or `sender/name.xlsx`. */
  readonly name: string;
  /** Empty where nobody was named. */
  readonly sender: string;
  readonly recordedAt: number;
  readonly rowsAccepted: number;
  readonly rowsRejected: number;
  /** Relative to the workspace; null while it is not archived. */
  readonly archivedAs: string | null;
  readonly layouts: readonly SheetLayout[];
  /** What a person should know of how it was read. */
  readonly notes: readonly string[];
}

/** What people recognise a row by; kept so that a rejected row can be listed as well. */
export interface RowSummary {
  readonly policyNumber: string;
  readonly inspectionNumber: string;
  readonly insuredName: string;
  readonly streetAddress: string;
}

/** A row to put on record. */
export interface NewRow {
  readonly outcome: 'order' | 'repeat' | 'rejection';
  readonly orderId: number | null;
  readonly record: RowRecord;
  readonly problems: readonly Problem[];
  readonly repairs: readonly Repair[];
  readonly summary: RowSummary;
  /** What is different from the order that a repeat is tied to; left out where nothing is. */
  readonly changes?: readonly FieldChange[];
  /** The row that went back and that this one comes in place of; left out where there is none. */
  readonly corrects?: number;
}

/** A row on record. */
export interface StoredRow extends Omit<NewRow, 'changes' | 'corrects'> {
  readonly id: number;
  readonly fileId: number;
  readonly fileHash: string;
  readonly fileName: string;
}

/** What is known of orders that a row may repeat. */
export interface OrderLookup {
  /** The living order of this identity, or null. Sees the rows of this very file that went before. */
  findLivingOrder(identity: string): OrderRecord | null;
  /** The latest order at this address that was put on record at `since` or later and was not refused, or null. */
  findOrderAtAddress(addressKey: string, since: number): OrderRecord | null;
  /** The latest order of this policy number and effective date, whatever its inspection number, or null. */
  findOrderOfPolicy(policyKey: string): OrderRecord | null;
  /** The latest order of this policy number and effective date without an inspection number, for this service at this house, or null. */
  findOrderOfPolicyAt(policyKey: string, house: HouseAddress & { readonly serviceName: string }): OrderRecord | null;
  /** Where the row stood that placed an order, or null. */
  placeOfOrder(order: Pick<OrderRecord, 'id'>): RowPlace | null;
  /** The status of a project as it was last seen, or null. */
  statusOfProject(projectId: string): string | null;
  /** What the policy details of a project were amended to; empty where they are its order's own. */
  amendedPolicy(projectId: string): PolicyDetails;
}

/** A file to put on record. One without a kind is not compared with others, now or later. */
export interface NewFile {
  readonly hash: string;
  /** Now, where it is left out. */
  readonly recordedAt?: number;
  readonly name: string;
  readonly sender?: string;
  readonly kind?: FileKind['kind'];
  readonly layouts: readonly SheetLayout[];
  readonly notes: readonly string[];
}

/** What can be asked and done while a file's rows go on record, all in one transaction. */
export interface FileTransaction extends OrderLookup, WentBackLookup {
  addOrder(order: NewOrder): number;
  addRow(row: NewRow): void;
  /** Something to know of the file that shows only once its rows were read. */
  addNote(note: string): void;
}

/** A project as the ledger follows it. */
export interface ProjectRecord {
  readonly id: string;
  readonly status: string;
  readonly statusAt: number;
  readonly inspectionCode: string | null;
  readonly inspectionLink: string | null;
  readonly firstSeenAt: number;
  readonly returnedAt: number | null;
  readonly collectedAt: number | null;
  /** Why its files are not all here yet, or null. */
  readonly problem: string | null;
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

/** A project with the order it was created for, for the results workbook. */
export interface FollowedProject {
  readonly project: ProjectRecord;
  readonly order: OrderRecord;
  /** Where its row stands; null for an order without one. */
  readonly row: StoredRow | null;
  /** The latest version of each. */
  readonly artifacts: readonly StoredArtifact[];
}

/** One step of a story. */
export interface Step {
  readonly at: number;
  readonly run: string | null;
  readonly subject: 'file' | 'order' | 'project' | 'delivery' | 'run';
  readonly subjectId: string;
  readonly event: string;
  readonly detail: Readonly<Record<string, unknown>> | null;
}

export interface OrderCounts extends Readonly<Record<OrderState, number>> {}

/** The books as they stand: every project is in exactly one of these. */
export interface ProjectCounts {
  readonly outstanding: number;
  readonly returned: number;
  readonly collected: number;
  readonly received: number;
  readonly canceled: number;
  readonly failed: number;
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
