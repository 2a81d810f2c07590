import type { Clock } from '../domain/ports.ts';
import type { PaceHint } from '../domain/ports.ts';
import type { Decision, NightCounts, ResultColumn } from '../domain/project.ts';
import type { SheetLayout } from '../domain/row.ts';
import type { ServiceAccount } from '../domain/service-account.ts';
import type { AccountOnRecord } from './accounts.ts';
import type { ArtifactRecord, EarlierSummaries, StoredArtifact } from './artifacts.ts';
import type { Contradiction, CountedFile, OrderedProject } from './census.ts';
import type { DoneWorkbook, OpenRow, WaitingRows } from './corrections.ts';
import type { DecisionsSaid, DecisionsTaken } from './decisions.ts';
import type { DeliveryRecord, EndedProject, FollowedProject, HandOver, NotOrdered, SeenSoFar } from './deliveries.ts';
import type { EarlierFile, FileKind, FileRecord, HeldFile, NewFile } from './files.ts';
import type { FileTransaction } from './file-transaction.ts';
import type { HostOnRecord, OrderStory, ProjectStory, RowStanding, RunOnRecord } from './history.ts';
import type { ComparedDetails, KnownProjects } from './known-projects.ts';
import type { AskedLayout, GivenLayout, LayoutRecord, LayoutWait } from './layouts.ts';
import type { OrdersOnRecord, RowKeys } from './lookups.ts';
import type { News, NewsKind, Step } from './store.ts';
import type { Attempt, OrderCounts, OrderMove, OrderReason, OrderRecord, OrderState } from './orders.ts';
import type { Arrival, OutboxEntry, UntoldEntry } from './outbox.ts';
import type {
  Closeout,
  FetchOutcome,
  FetchRecord,
  FollowedStatus,
  ProjectCounts,
  ProjectMadeElsewhere,
  ProjectRecord,
  UsualStay,
  WatchedProject,
} from './projects.ts';
import type { Lineage, NamedRow, Recovery } from './recovery.ts';
import type { ForgottenDetails, Removal } from './retention.ts';
import type { ChangedOrder, EarlierRows, StoredRow } from './rows.ts';
import type { PaceKind } from './settings.ts';
import type { NamedProject, NewUpdate, PolicyDetails, ProjectKey, UpdateEnd, UpdateRecord } from './updates.ts';

/**
 * The durable record. A change fulfills when synced; a change of state names the expected state and returns whether it
 * happened. Times are epoch ms, project ids digits, paths relative to the workspace.
 */
export interface Ledger extends EarlierRows, AsyncDisposable {
  /** Other accounts are invisible. */
  readonly account: string;
  /** The time of records: the database's if hosts share one. */
  readonly clock: Clock;

  ordersOnRecord(rows: readonly RowKeys[], orderIds?: readonly number[]): Promise<OrdersOnRecord>;
  /** What the service's duplicate rules would compare with these, created since `since`. */
  knownProjects(asked: readonly ComparedDetails[], since: number): Promise<KnownProjects>;
  findFile(hash: string): Promise<FileRecord | null>;
  readingsOf(hash: string): Promise<readonly FileRecord[]>;
  /** Records a file and all its rows in one transaction; if `fill` throws, nothing. */
  recordFile(file: NewFile, fill: (transaction: FileTransaction) => Promise<unknown>): Promise<FileRecord>;
  /** Does what `recordFile` would, then undoes it. */
  rehearseFile(fill: (transaction: FileTransaction) => Promise<unknown>): Promise<void>;
  /** Files by name (`sender/name` or the name) or hash, the latest first. */
  findFiles(text: string): Promise<readonly FileRecord[]>;
  /** The latest files of this kind; for a named sender without any, that sender's latest. */
  filesLike(like: FileKind, limit: number): Promise<readonly EarlierFile[]>;
  filesToArchive(): Promise<readonly FileRecord[]>;
  markArchived(fileId: number, archivedAs: string): Promise<void>;
  /** An earlier approval stays. */
  recordHeld(held: Pick<HeldFile, 'hash' | 'name' | 'limits' | 'reasons'> & { readonly heldAs: string }): Promise<void>;
  approveContent(hash: string, name: string): Promise<void>;
  findHeld(hash: string): Promise<HeldFile | null>;
  /** The sender's layouts that a person was asked about, the latest first. */
  layoutsOf(sender: string): Promise<readonly LayoutRecord[]>;
  layoutsOnRecord(): Promise<readonly LayoutRecord[]>;
  /** Layouts with something to answer, the latest first. */
  openQuestions(): Promise<readonly LayoutRecord[]>;
  /** Of the sender's latest files with accepted rows. */
  acceptedLayouts(sender: string, limit: number): Promise<readonly SheetLayout[]>;
  /** Asks a person, or asks more; what was answered stays. Returns the layout's id. */
  askLayout(asked: AskedLayout): Promise<number>;
  /** Closes the question. False if the layout is not on record. */
  answerLayout(id: number, answer: GivenLayout): Promise<boolean>;
  forgetLayout(id: number): Promise<boolean>;
  /** The content waits for the answers. */
  waitForLayouts(hash: string, ids: readonly number[]): Promise<void>;
  layoutWaits(): Promise<readonly LayoutWait[]>;
  endLayoutWait(hash: string): Promise<void>;
  /** At most 200, corrected or not: by policy or inspection number, else by part of the insured's name or street. */
  findRejections(text: string): Promise<readonly RowStanding[]>;
  rowsOf(fileId: number): AsyncIterable<RowStanding>;
  rowCounts(): Promise<{ readonly read: number; readonly accepted: number }>;
  /** With rows that went back and are in no workbook. */
  filesToCorrect(): Promise<readonly FileRecord[]>;
  rowsToCorrect(fileId: number): AsyncIterable<StoredRow & { readonly refusal: string | null }>;
  markCorrected(fileId: number, rowIds: readonly number[], corrections: string): Promise<void>;
  markWorkbookLost(fileId: number, corrections: string): Promise<void>;
  correctionsOf(fileId: number): Promise<string | null>;
  /** The row of a corrections workbook: by start of its file's hash, sheet and number. */
  rowNamed(hashStart: string, sheet: string, rowNumber: number): Promise<NamedRow | null>;
  /** Open rows by file and workbook, the latest first. */
  waitingRows(): Promise<readonly WaitingRows[]>;
  openRowsOf(fileId: number): Promise<readonly OpenRow[]>;
  /** They will not be fixed. Returns how many were open. */
  dismissRows(rows: readonly Pick<StoredRow, 'id' | 'fileId' | 'record'>[]): Promise<number>;
  /** Corrections workbooks without open rows, the oldest first. */
  workbooksDone(): Promise<readonly DoneWorkbook[]>;
  wasWorkbook(name: string): Promise<boolean>;
  markWorkbookDone(id: number, movedTo: string | null): Promise<void>;
  /** Of projects neither canceled nor received: each with its latest change, the newest first. */
  changedOrders(limit: number): Promise<readonly ChangedOrder[]>;
  isFileOfOtherAccount(hash: string): Promise<boolean>;

  order(orderId: number): Promise<OrderRecord | null>;
  ordersIn(state: OrderState, after: number, limit: number): Promise<readonly OrderRecord[]>;
  /** At most a few hundred that may own a project with these details. */
  ordersLike(details: {
    readonly inspectionNumber: string;
    readonly policyNumber: string;
    readonly addressKey: string;
  }): Promise<readonly OrderRecord[]>;
  latestOrders(limit: number): Promise<readonly OrderRecord[]>;
  /** At most 200: by number, id or file name, else by part of the insured's name or street. */
  findOrders(text: string): Promise<readonly OrderRecord[]>;
  orderCounts(): Promise<OrderCounts>;
  /**
   * The nearest earlier open order that shares a key: the service could mistake one for the other. Until that is
   * closed, this order waits.
   */
  orderBefore(orderId: number): Promise<OrderRecord | null>;
  /** Those without an order before them; this never changes, since ids ascend. */
  ordersWithNoneBefore(orderIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** Orders that share a key and may have an unrecorded project. */
  undecidedLike(orderId: number): Promise<readonly OrderRecord[]>;
  /** ready → submitting, with the attempt. False if it was not ready, or must wait. */
  beginAttempt(orderId: number, attempt: Attempt): Promise<boolean>;
  /**
   * Moves an order out of the expected state. Returns false without change if it was in another, another run sends it,
   * or it would adopt another order's project. Given `attempts`, also if an attempt was made since.
   */
  moveOrder(order: number | Pick<OrderRecord, 'id' | 'attempts'>, from: OrderState, move: OrderMove): Promise<boolean>;
  sendingRuns(): Promise<readonly string[]>;
  /** After a crash: `submitting` orders (of these runs) become `unresolved`, in doubt from now. Returns how many. */
  recoverInterrupted(runs?: readonly string[]): Promise<number>;
  hadUnknownAttempt(orderId: number): Promise<boolean>;
  /** Of orders at this address, the latest first. */
  projectsAtAddress(addressKey: string): Promise<readonly string[]>;
  /** The first project of an order sent at or after this time and created at once, or null. */
  projectMadeSince(at: number): Promise<string | null>;
  /** Those tied to other orders that moved at or after `since`. */
  projectsOfOtherOrders(orderId: number, projectIds: readonly string[], since?: number): Promise<ReadonlySet<string>>;
  highestProjectId(): Promise<string | null>;
  /** The lowest id bound of any attempt, and when its order came. Null before the first attempt. */
  lowestIdBound(): Promise<{ readonly id: string; readonly at: number } | null>;

  /**
   * Projects to follow, by id: not canceled, received or given up. A project received without its files, or with
   * changed ones, is followed until the service stops offering them. `ids`: only these.
   */
  followedProjects(ids?: readonly string[]): Promise<readonly FollowedStatus[]>;
  /** Those with incomplete files, with orders, by id. `ids`: only these, a few hundred. */
  watchedProjects(ids?: readonly string[]): AsyncIterable<WatchedProject>;
  orderedProjects(): AsyncIterable<OrderedProject>;
  /** Returns the projects whose status changed. */
  recordStatuses(seen: readonly { readonly id: string; readonly status: string }[]): Promise<readonly string[]>;
  projectCounts(): Promise<ProjectCounts>;
  statusCounts(): Promise<readonly { readonly status: string; readonly count: number }[]>;
  usualStays(): Promise<readonly UsualStay[]>;
  /** False if it was not followed. */
  giveUpProject(projectId: string, reason: string): Promise<boolean>;
  followElsewhere(project: ProjectMadeElsewhere): Promise<boolean>;
  projectsMadeElsewhere(): Promise<readonly ProjectRecord[]>;
  storyOfProject(projectId: string): Promise<ProjectStory | null>;
  /** False if it was not given up. */
  followAgain(projectId: string): Promise<boolean>;
  /** Why no inspection took place; null if the reports no longer say so. */
  recordCloseout(projectId: string, reasons: readonly string[] | null): Promise<void>;
  /** For followed projects, the latest first. */
  closeouts(): Promise<readonly Closeout[]>;
  /** Records an incomplete fetch; the result counts its nights. */
  recordFetch(projectId: string, outcome: FetchOutcome): Promise<FetchRecord>;
  markCollected(projectId: string): Promise<void>;
  markCollectionProblem(projectId: string, problem: string): Promise<void>;
  /** False without change if another host recorded this version with other content. */
  recordArtifact(artifact: ArtifactRecord): Promise<boolean>;
  /** The service still offers this version, so this return needs no new download. */
  confirmArtifact(artifact: {
    readonly projectId: string;
    readonly kind: string;
    readonly serviceId: string;
    readonly version: number;
  }): Promise<void>;
  placeArtifact(artifact: StoredArtifact): Promise<void>;
  /** The problem of the stored file, or null. The next delivery shows a change. */
  recordOnDisk(artifact: StoredArtifact, problem: string | null): Promise<void>;
  artifactsOf(projectId: string): Promise<readonly StoredArtifact[]>;
  /** The latest versions that should be on disk. */
  filesOf(projectId: string): Promise<readonly StoredArtifact[]>;
  /** Of all projects, without replaced lost versions. */
  storedArtifacts(): AsyncIterable<StoredArtifact>;
  /**
   * The house's earlier summaries: the previous version of a replaced one, else the last project at the address, else
   * of the policy number, collected before this one returned; or null.
   */
  earlierSummaries(projectId: string): Promise<EarlierSummaries | null>;

  /** Records an update before it is sent; null if the project has an open one. */
  beginUpdate(update: NewUpdate): Promise<number | null>;
  endUpdate(updateId: number, end: UpdateEnd): Promise<boolean>;
  openUpdates(): Promise<readonly UpdateRecord[]>;
  updatesOf(projectId: string): Promise<readonly UpdateRecord[]>;
  amendedDetails(projectId: string): Promise<PolicyDetails>;
  amendedDetailsOf(projectIds: readonly string[]): Promise<ReadonlyMap<string, PolicyDetails>>;
  /** Projects without an order that were amended here, with their previous details. */
  amendedWithoutOrder(): Promise<ReadonlyMap<string, PolicyDetails>>;
  /** By id, at most a few hundred. A policy number also finds amended ones. */
  projectsNamed(key: ProjectKey, text: string): Promise<readonly NamedProject[]>;
  /** `deliveredIn`: the folder that shows its current state. */
  projectWithDelivery(
    projectId: string,
  ): Promise<{ readonly project: ProjectRecord; readonly deliveredIn: string | null } | null>;

  /**
   * By id: all, or outstanding ones and those changed since their delivery; optionally only those that ever had a file.
   */
  projectsForResults(all: boolean, onlyWithFiles?: boolean): AsyncIterable<FollowedProject>;
  /** Rows without their own project: all, or open ones and those that no results have shown like this. */
  notOrdered(all: boolean): AsyncIterable<NotOrdered>;
  nightCounts(): Promise<NightCounts>;
  /** Canceled or closed-out projects that no results have shown, oldest first. */
  endedProjects(): Promise<readonly EndedProject[]>;
  /** Those that no delivery has shown like this. */
  ordersToHandOver(): AsyncIterable<{
    readonly order: OrderRecord;
    readonly row: StoredRow | null;
    readonly project: ProjectRecord | null;
  }>;
  somethingToHandOver(): Promise<{ readonly orders: boolean; readonly results: boolean }>;
  seenSoFar(): Promise<SeenSoFar>;
  /** Changes after `seen` remain for the next delivery. */
  recordDelivery(handOver: HandOver): Promise<void>;
  deliveriesOnRecord(): Promise<readonly DeliveryRecord[]>;
  /** Projects without news since their last delivery. */
  deliveredProjects(): Promise<ReadonlySet<string>>;
  /** For people; the first run that ends well reports it once. */
  addNews(kind: NewsKind, subject: string): Promise<void>;
  untoldNews(): Promise<readonly News[]>;
  lastToldAt(kind: NewsKind): Promise<number | null>;
  markTold(ids: readonly number[]): Promise<void>;
  /** Records messages before they are sent; keeps existing ones. */
  addToOutbox(entries: readonly OutboxEntry[]): Promise<void>;
  untoldEntries(): Promise<readonly UntoldEntry[]>;
  endEntries(ids: readonly number[]): Promise<void>;
  arrivalsSince(since: number): Promise<readonly Arrival[]>;

  /** The latest per project; absent if none or taken back. */
  decisionsOn(projectIds: readonly string[]): Promise<ReadonlyMap<string, Decision>>;
  /** Cell by cell; empty cells and delivered values change nothing. */
  recordDecisions(said: DecisionsSaid): Promise<DecisionsTaken>;

  startRun(run: string, command: string): Promise<void>;
  /** Later writes belong to this run of another host. */
  workAs(run: string): void;
  /** Also recently dead ones; empty on SQLite. */
  hosts(): Promise<readonly HostOnRecord[]>;
  finishRun(run: string, exitCode: number, summary: unknown): Promise<void>;
  lastRuns(limit: number): Promise<readonly RunOnRecord[]>;
  noteStep(
    subject: Step['subject'],
    subjectId: string,
    event: string,
    detail?: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  storyOf(orderId: number): Promise<OrderStory>;
  countedFiles(): AsyncIterable<CountedFile>;
  contradictions(): Promise<readonly Contradiction[]>;

  // Retention. `before`: epoch ms. An order has ended if its project was received with its files, canceled or given up
  // and a delivery showed that, or if it never had one and its sender knows.

  filesAtTheirEnd(before: number): Promise<readonly FileRecord[]>;
  /** Deliveries from before, except the latest and the only ones that show a followed project. */
  deliveriesAtTheirEnd(before: number): Promise<readonly DeliveryRecord[]>;
  downloadsAtTheirEnd(before: number): AsyncIterable<StoredArtifact>;
  /** Orders and rows with personal details that ended before. */
  detailsToForget(before: number): Promise<ForgottenDetails>;
  /**
   * Deletes these details from the ledger and its file. Keeps numbers, states, counts, steps and the keys of repeats
   * (an address as its hash).
   */
  forgetDetails(before: number): Promise<ForgottenDetails>;
  beginRemovals(removals: readonly Removal[]): Promise<void>;
  endRemovals(paths: readonly string[]): Promise<void>;
  openRemovals(): Promise<readonly Removal[]>;
  wasRemoved(path: string): Promise<boolean>;

  /** The last run's measured pace; null if none within a week. */
  paceHint(kind: PaceKind): Promise<PaceHint | null>;
  keepPaceHint(kind: PaceKind, hint: PaceHint): Promise<void>;
  resultColumns(): Promise<readonly ResultColumn[]>;
  addResultColumns(columns: readonly ResultColumn[]): Promise<void>;

  accountsOnRecord(): Promise<readonly AccountOnRecord[]>;
  nameAccount(name: ServiceAccount, account: string): Promise<void>;

  lineage(): Promise<Lineage | null>;
  /** Ties the ledger to this workspace. Returns the generation, which is `atLeast` or later. */
  moveOn(workspace: string, atLeast: number): Promise<number>;
  latestRecovery(): Promise<Recovery | null>;
  /** Begins a recovery for all accounts, or continues an open one. */
  beginRecovery(oldSince: number): Promise<Recovery>;
  noteGap(gap: { readonly from: string } | { readonly to: string }): Promise<void>;
  endRecovery(): Promise<void>;
  /** Ready orders become unresolved: they may have been sent after this copy was made. Returns how many. */
  doubtReadyOrders(idBound: string, why: OrderReason): Promise<number>;
  doubtOrder(orderId: number, idBound: string, why: OrderReason): Promise<boolean>;
  /** A corrected row shows that the service had refused this order. False if it was not unresolved. */
  refuseForgotten(orderId: number, why: OrderReason): Promise<boolean>;
}
