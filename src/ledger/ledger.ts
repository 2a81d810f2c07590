import type { Clock } from '../domain/ports.ts';
import type { PaceHint } from '../domain/ports.ts';
import type { Decision, ResultColumn } from '../domain/project.ts';
import type { ServiceAccount } from '../domain/service-account.ts';
import type { AccountOnRecord } from './accounts.ts';
import type { ArtifactRecord, EarlierSummaries, StoredArtifact } from './artifacts.ts';
import type { Contradiction, CountedFile, OrderedProject } from './census.ts';
import type { DoneWorkbook, OpenRow, WaitingRows } from './corrections.ts';
import type { DecisionsSaid, DecisionsTaken } from './decisions.ts';
import type {
  DeliveryRecord,
  EndedProject,
  FollowedProject,
  HandOver,
  NightCounts,
  NotOrdered,
  SeenSoFar,
} from './deliveries.ts';
import type { EarlierFile, FileKind, FileRecord, FileTransaction, HeldFile, NewFile } from './files.ts';
import type { HostOnRecord, OrderStory, ProjectStory, RowStanding, RunOnRecord } from './history.ts';
import type { KnownProjects, OrderLookup, WentBackLookup } from './lookups.ts';
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
import type { ChangedOrder, StoredRow } from './rows.ts';
import type { PaceKind } from './settings.ts';
import type { NamedProject, NewUpdate, PolicyDetails, ProjectKey, UpdateEnd, UpdateRecord } from './updates.ts';

/**
 * The durable record, every verb of it. The records and the SQL of a verb stand in the file of its group. Every verb that changes something is on disk, synced, before its promise fulfils; those that change a state
 * name the state they expect and say whether it took.
 */
export interface Ledger extends AsyncDisposable {
  /** The service account that this ledger was opened for. What belongs to other accounts is not seen. */
  readonly account: string;
  /** What time it is for the record: the database's own where hosts share one, so that what they compare does not depend on whose clock is right. */
  readonly clock: Clock;

  // Files: what came in, row by row.

  /** Questions that take-in asks row by row. Answered at once, whoever is writing. */
  readonly lookup: OrderLookup & WentBackLookup;
  /** The same, about what the service's duplicate rules compare. */
  readonly knownProjects: KnownProjects;
  findFile(hash: string): Promise<FileRecord | null>;
  /** Every file that went on record of this content, the first first. */
  readingsOf(hash: string): Promise<readonly FileRecord[]>;
  /** Puts a file and all its rows on record in one transaction. If `fill` throws, nothing stays. */
  recordFile(file: NewFile, fill: (transaction: FileTransaction) => Promise<unknown>): Promise<FileRecord>;
  /** Does all that `recordFile` would do, then undoes it. */
  rehearseFile(fill: (transaction: FileTransaction) => Promise<unknown>): Promise<void>;
  /** Files of this name (`sender/name` or the name alone) or hash, the latest first. */
  findFiles(text: string): Promise<readonly FileRecord[]>;
  /** The latest files of this kind, newest first; for a named sender without any, that sender's latest files. */
  filesLike(like: FileKind, limit: number): Promise<readonly EarlierFile[]>;
  /** Files on record that are not archived yet. */
  filesToArchive(): Promise<readonly FileRecord[]>;
  markArchived(fileId: number, archivedAs: string): Promise<void>;
  /** The content waits for a person. An approval given before stays. */
  recordHeld(held: {
    readonly hash: string;
    readonly name: string;
    readonly heldAs: string;
    readonly reasons: readonly string[];
  }): Promise<void>;
  /** A person lets this content through, whatever the limits say. */
  approveContent(hash: string, name: string): Promise<void>;
  findHeld(hash: string): Promise<HeldFile | null>;
  /**
   * Rows that broke a rule here, corrected since or not, that a person may mean, at most 200: by policy or inspection number; if that finds neither
   * them nor an order, by part of the insured's name or of the street, in any case.
   */
  findRejections(text: string): Promise<readonly RowStanding[]>;
  /** The rows of a file, in the order of the file. */
  rowsOf(fileId: number): AsyncIterable<RowStanding>;
  /** How many rows of files are on record, and how many of them were accepted. */
  rowCounts(): Promise<{ readonly read: number; readonly accepted: number }>;
  /** Files with rows to send back that stand in no corrections workbook yet: rejections, and rows of refused orders. */
  filesToCorrect(): Promise<readonly FileRecord[]>;
  rowsToCorrect(fileId: number): AsyncIterable<StoredRow & { readonly refusal: string | null }>;
  markCorrected(fileId: number, rowIds: readonly number[], corrections: string): Promise<void>;
  /** This workbook is gone: the rows in it that are still open stand in none. */
  markWorkbookLost(fileId: number, corrections: string): Promise<void>;
  /** Where the latest corrections workbook of a file was put, relative to the workspace; null where it has none. */
  correctionsOf(fileId: number): Promise<string | null>;
  /** The row that a corrections workbook names: by the start of its file's hash, its sheet and its number. */
  rowNamed(hashStart: string, sheet: string, rowNumber: number): Promise<NamedRow | null>;
  /** Rows that went back and are open still: by file and workbook, the latest first. */
  waitingRows(): Promise<readonly WaitingRows[]>;
  /** Those of one file, in its order. */
  openRowsOf(fileId: number): Promise<readonly OpenRow[]>;
  /** A person decided that these will not be fixed. Returns how many of them were open. */
  dismissRows(rows: readonly Pick<StoredRow, 'id' | 'fileId' | 'record'>[]): Promise<number>;
  /** Corrections workbooks of which no row is open any more, and that are not marked as done; the first first. */
  workbooksDone(): Promise<readonly DoneWorkbook[]>;
  /** Whether a corrections workbook of this name (without its folder) was ever written. */
  wasWorkbook(name: string): Promise<boolean>;
  /** `movedTo`: where it lies now, relative to the workspace; null where it was not moved. */
  markWorkbookDone(id: number, movedTo: string | null): Promise<void>;
  /** Orders whose row came again with other details and whose project is neither canceled nor received: the latest change of each, newest first. */
  changedOrders(limit: number): Promise<readonly ChangedOrder[]>;
  isFileOfOtherAccount(hash: string): Promise<boolean>;

  // Orders: from the row to its project.

  order(orderId: number): Promise<OrderRecord | null>;
  /** Orders in this state with an id above `after`, by id, at most `limit`. */
  ordersIn(state: OrderState, after: number, limit: number): Promise<readonly OrderRecord[]>;
  /** Orders that a project with these details could belong to: the same inspection number, policy number or address. At most a few hundred. */
  ordersLike(details: {
    readonly inspectionNumber: string;
    readonly policyNumber: string;
    readonly addressKey: string;
  }): Promise<readonly OrderRecord[]>;
  /** The latest first. */
  latestOrders(limit: number): Promise<readonly OrderRecord[]>;
  /**
   * Orders that a person may mean, at most 200: by policy or inspection number, project id, order id, or the name of their file; if that finds
   * none, by part of the insured's name or of the street, in any case.
   */
  findOrders(text: string): Promise<readonly OrderRecord[]>;
  orderCounts(): Promise<OrderCounts>;
  /**
   * The nearest earlier order that is still open and shares a key with this one, so that the service could take one for a duplicate of the other.
   * While there is one, this order waits.
   */
  orderBefore(orderId: number): Promise<OrderRecord | null>;
  /** Those of these orders that have no order before them. None ever gets one: what comes on record later has a higher id. */
  ordersWithNoneBefore(orderIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** Other orders that share a key with this one and may have a project that is not on record. */
  undecidedLike(orderId: number): Promise<readonly OrderRecord[]>;
  /** ready → submitting, with the attempt: payload, actor, id bound, time. False when the order was not ready, or must wait for an earlier one. */
  beginAttempt(orderId: number, attempt: Attempt): Promise<boolean>;
  /**
   * Moves an order out of the state it is expected in. False, and nothing changed, when it was in another, when it is being sent by another run than this
   * one, or when the project that it would adopt is another order's. Named with its attempts, an order is moved only if none was made since.
   */
  moveOrder(order: number | Pick<OrderRecord, 'id' | 'attempts'>, from: OrderState, move: OrderMove): Promise<boolean>;
  /** The runs whose orders are `submitting`. */
  sendingRuns(): Promise<readonly string[]>;
  /** After a crash: every `submitting` order, or every one of these runs, becomes `unresolved`, in doubt since now. Returns how many. */
  recoverInterrupted(runs?: readonly string[]): Promise<number>;
  /** Whether an earlier request of this order may have been handled without our knowing: its outcome was never known. */
  hadUnknownAttempt(orderId: number): Promise<boolean>;
  /** The projects of orders at this address, the latest first. */
  projectsAtAddress(addressKey: string): Promise<readonly string[]>;
  /** The project of the first order that was sent at this time or later and created at its first attempt; null where there is none. */
  projectMadeSince(at: number): Promise<string | null>;
  /** Which of these projects are tied to orders other than this one, moved last at `since` or later. */
  projectsOfOtherOrders(orderId: number, projectIds: readonly string[], since?: number): Promise<ReadonlySet<string>>;
  /** Of those that came from orders: one that was made elsewhere says nothing of how far ours have come. */
  highestProjectId(): Promise<string | null>;
  /** The lowest project id known before any attempt, and when the first order that was attempted came in. Null before the first attempt. */
  lowestIdBound(): Promise<{ readonly id: string; readonly at: number } | null>;

  // Projects: from their order to their files.

  /**
   * Projects still to be followed, by id: all but those canceled, received, or given up by a person. A project that was received before its
   * files were here, or whose files are no longer as recorded, is followed until the service answers that it no longer offers them. `ids`: only these.
   */
  followedProjects(ids?: readonly string[]): Promise<readonly FollowedStatus[]>;
  /** Those of them whose files are not all here, with their orders, by id. `ids`: these, a few hundred. */
  watchedProjects(ids?: readonly string[]): AsyncIterable<WatchedProject>;
  /** Every order that has a project, by project id, then by order id. */
  orderedProjects(): AsyncIterable<OrderedProject>;
  /** Records the statuses that were seen; returns the ids of the projects whose status changed. */
  recordStatuses(seen: readonly { readonly id: string; readonly status: string }[]): Promise<readonly string[]>;
  projectCounts(): Promise<ProjectCounts>;
  /** How many projects have each status, in the words of the service. */
  statusCounts(): Promise<readonly { readonly status: string; readonly count: number }[]>;
  usualStays(): Promise<readonly UsualStay[]>;
  /** A person stops following a project. False where it was not followed. */
  giveUpProject(projectId: string, reason: string): Promise<boolean>;
  /** Follows a project that no order here asked for. False where it is on record already, whoever ordered it. */
  followElsewhere(project: ProjectMadeElsewhere): Promise<boolean>;
  /** Those of them that no order has come to have since, by id. */
  projectsMadeElsewhere(): Promise<readonly ProjectRecord[]>;
  /** Null for a project that is not on record. */
  storyOfProject(projectId: string): Promise<ProjectStory | null>;
  /** Takes that back. False where it was not given up. */
  followAgain(projectId: string): Promise<boolean>;
  /** Why no inspection took place; null where the reports no longer say so. */
  recordCloseout(projectId: string, reasons: readonly string[] | null): Promise<void>;
  /** Of projects that are still followed, the latest first. */
  closeouts(): Promise<readonly Closeout[]>;
  /** Records a fetch that did not bring everything, and says how many nights that makes. */
  recordFetch(projectId: string, outcome: FetchOutcome): Promise<FetchRecord>;
  markCollected(projectId: string): Promise<void>;
  markCollectionProblem(projectId: string, problem: string): Promise<void>;
  /** False, and nothing changed, where this version is on record with other content: another host was fetching it too. */
  recordArtifact(artifact: ArtifactRecord): Promise<boolean>;
  /** The service still offers this version: it need not be downloaded again in this return of the project. */
  confirmArtifact(artifact: {
    readonly projectId: string;
    readonly kind: string;
    readonly serviceId: string;
    readonly version: number;
  }): Promise<void>;
  /** Moves a version to its `place`: the service lists it elsewhere by now. */
  placeArtifact(artifact: StoredArtifact): Promise<void>;
  /** What is wrong with the stored file, or null. A change is shown by the next delivery. */
  recordOnDisk(artifact: StoredArtifact, problem: string | null): Promise<void>;
  /** Every version there ever was. */
  artifactsOf(projectId: string): Promise<readonly StoredArtifact[]>;
  /** The latest version of each that retention has not taken away: what should be on disk. */
  filesOf(projectId: string): Promise<readonly StoredArtifact[]>;
  /** Of all projects, project by project, without lost versions that a later one replaced. */
  storedArtifacts(): AsyncIterable<StoredArtifact>;
  /**
   * What was last known of the same house before a project's summaries; null where there is nothing. Where a summary was replaced, its previous
   * version; else the last project at the same address, or failing that of the same policy number, collected before this one returned.
   */
  earlierSummaries(projectId: string): Promise<EarlierSummaries | null>;

  // Updates: what a person asked of a project.

  /** Puts an update on record before it is sent. Null, and nothing is on record, where one of this project is open. */
  beginUpdate(update: NewUpdate): Promise<number | null>;
  /** open → done or refused. False, and nothing changed, where it was not open. */
  endUpdate(updateId: number, end: UpdateEnd): Promise<boolean>;
  /** In the order in which they were begun. */
  openUpdates(): Promise<readonly UpdateRecord[]>;
  updatesOf(projectId: string): Promise<readonly UpdateRecord[]>;
  /** What a project's policy details were amended to; empty where they are the order's own. */
  amendedDetails(projectId: string): Promise<PolicyDetails>;
  /** The same of several; a project without such has none. */
  amendedDetailsOf(projectIds: readonly string[]): Promise<ReadonlyMap<string, PolicyDetails>>;
  /** The projects that were amended from here and that no order has, with what they held before. */
  amendedWithoutOrder(): Promise<ReadonlyMap<string, PolicyDetails>>;
  /** The projects that people know by this key, by id; at most a few hundred. A policy number also finds those amended to it. */
  projectsNamed(key: ProjectKey, text: string): Promise<readonly NamedProject[]>;
  /** A followed project, with the folder (relative to the workspace) of the delivery that shows it as it is now; null where none does. */
  projectWithDelivery(
    projectId: string,
  ): Promise<{ readonly project: ProjectRecord; readonly deliveredIn: string | null } | null>;

  // Deliveries: what people were given and told.

  /** Projects by id: all, or those outstanding and those changed since a delivery last showed them; of them only those that ever had a file, if asked. */
  projectsForResults(all: boolean, onlyWithFiles?: boolean): AsyncIterable<FollowedProject>;
  /** Rows that led to no project of their own: all, or those that are open and those that no delivery of results has told as they are. */
  notOrdered(all: boolean): AsyncIterable<NotOrdered>;
  /** What has happened since the last delivery of results. */
  nightCounts(): Promise<NightCounts>;
  /** Projects that the service canceled or closed out, and that no results have told of; the first first. */
  endedProjects(): Promise<readonly EndedProject[]>;
  /** Orders that no delivery has shown as they are now, with their rows. */
  ordersToHandOver(): AsyncIterable<{
    readonly order: OrderRecord;
    readonly row: StoredRow | null;
    readonly project: ProjectRecord | null;
  }>;
  /** Whether anything changed since the last delivery. */
  somethingToHandOver(): Promise<{ readonly orders: boolean; readonly results: boolean }>;
  /** Asked before the contents of a delivery are read. */
  seenSoFar(): Promise<SeenSoFar>;
  /** What has changed since `seen` stays to be handed over. */
  recordDelivery(handOver: HandOver): Promise<void>;
  deliveriesOnRecord(): Promise<readonly DeliveryRecord[]>;
  /** Ids of projects of which nothing new is known since their last delivery. */
  deliveredProjects(): Promise<ReadonlySet<string>>;
  /** What people have to hear of. It is told once, by the first run that ends well. */
  addNews(kind: NewsKind, subject: string): Promise<void>;
  /** The oldest first. */
  untoldNews(): Promise<readonly News[]>;
  /** When news of this kind was told last (ms since the epoch); null where it never was. */
  lastToldAt(kind: NewsKind): Promise<number | null>;
  /** These were told by the run going on. */
  markTold(ids: readonly number[]): Promise<void>;
  /** Puts on record what is to be told by mail, webhook or command, before it is sent. What is on record already stays as it is. */
  addToOutbox(entries: readonly OutboxEntry[]): Promise<void>;
  /** Those not told yet, the oldest first. */
  untoldEntries(): Promise<readonly UntoldEntry[]>;
  /** These are told, or nobody is left to tell. */
  endEntries(ids: readonly number[]): Promise<void>;
  /** When files of named senders went on record, since then. */
  arrivalsSince(since: number): Promise<readonly Arrival[]>;

  // Decisions: what underwriters wrote beside the houses.

  /** The latest on each project; none where nobody decided, or took it back. */
  decisionsOn(projectIds: readonly string[]): Promise<ReadonlyMap<string, Decision>>;
  /** Takes in what a workbook says, cell by cell; empty cells, and those that say what the workbook was delivered with, change nothing. */
  recordDecisions(said: DecisionsSaid): Promise<DecisionsTaken>;

  // History: what happened, and whether it adds up.

  startRun(run: string, command: string): Promise<void>;
  /** What is written from now on is of this run, which another host shares its work with. */
  workAs(run: string): void;
  /** The processes that share this ledger, and those that died in the last days; none with SQLite. */
  hosts(): Promise<readonly HostOnRecord[]>;
  finishRun(run: string, exitCode: number, summary: unknown): Promise<void>;
  /** The latest first. */
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

  // Retention: what may go. `before`: milliseconds since the epoch. An order is at its end when nothing can come of it any more: its project
  // was received with its files, canceled, or given up, and a delivery has shown that; or it never had one, and whoever sent it knows.

  /** Archived files from before, with every row at its end. */
  filesAtTheirEnd(before: number): Promise<readonly FileRecord[]>;
  /** Deliveries from before, save the latest one and those that alone show a project which is still followed. */
  deliveriesAtTheirEnd(before: number): Promise<readonly DeliveryRecord[]>;
  /** Stored files of projects that were received or canceled before. */
  downloadsAtTheirEnd(before: number): AsyncIterable<StoredArtifact>;
  /** Counts orders that came to their end before, and their rows, that still hold people's details. */
  detailsToForget(before: number): Promise<ForgottenDetails>;
  /**
   * Takes those details out of the ledger, and out of its file. Numbers, states, counts and steps stay, and so does what makes a row that
   * comes again a repeat: where that is an address, as its hash.
   */
  forgetDetails(before: number): Promise<ForgottenDetails>;
  /** Puts on record what is about to be removed. */
  beginRemovals(removals: readonly Removal[]): Promise<void>;
  /** They are gone. */
  endRemovals(paths: readonly string[]): Promise<void>;
  /** What was about to be removed when the program ended. */
  openRemovals(): Promise<readonly Removal[]>;
  /** Whether retention has removed this path. */
  wasRemoved(path: string): Promise<boolean>;

  // Settings: what runs learnt.

  /** What the last run learnt of the service's pace; null where none did, or more than a week ago. */
  paceHint(kind: PaceKind): Promise<PaceHint | null>;
  /** Replaces what was kept before. */
  keepPaceHint(kind: PaceKind, hint: PaceHint): Promise<void>;
  /** The columns that results workbooks have had, in the order in which they were added: each keeps its place. */
  resultColumns(): Promise<readonly ResultColumn[]>;
  /** Adds columns behind the others. One that is there already stays as it is. */
  addResultColumns(columns: readonly ResultColumn[]): Promise<void>;

  // Accounts: whose records these are.

  /** Every account on record, with its names. */
  accountsOnRecord(): Promise<readonly AccountOnRecord[]>;
  /** From here on the workspace orders for `account`, and knows its records by this name. */
  nameAccount(name: ServiceAccount, account: string): Promise<void>;

  // Recovery: the ledger beside its workspace.

  lineage(): Promise<Lineage | null>;
  /** From now on the ledger belongs to this workspace, and its generation is at least so high. Returns the new one. */
  moveOn(workspace: string, atLeast: number): Promise<number>;
  /** The latest recovery for this account, over or not; null where there never was one. */
  latestRecovery(): Promise<Recovery | null>;
  /** Begins a recovery for this account and every other on record. One that is open goes on. */
  beginRecovery(oldSince: number): Promise<Recovery>;
  noteGap(gap: { readonly from: string } | { readonly to: string }): Promise<void>;
  endRecovery(): Promise<void>;
  /**
   * Ready orders become unresolved, in doubt since now: after this copy of the ledger was made they may have been sent. Returns how many.
   */
  doubtReadyOrders(idBound: string, why: OrderReason): Promise<number>;
  /** The same for one order; false where it was not ready. */
  doubtOrder(orderId: number, idBound: string, why: OrderReason): Promise<boolean>;
  /** A corrected row came back for it, so the service had refused this order. False where it was not unresolved. */
  refuseForgotten(orderId: number, why: OrderReason): Promise<boolean>;
}
