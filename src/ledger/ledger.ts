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
 * The durable record. A verb's records and SQL are in the file of its group. A verb that changes something fulfills
 * after it is synced; one that changes a state names the expected state and returns whether it did.
 */
export interface Ledger extends AsyncDisposable {
  /** The service account it was opened for; other accounts are invisible. */
  readonly account: string;
  /** The time of record: the database's own if hosts share one. */
  readonly clock: Clock;

  /** Take-in's questions about each row, answered at once. */
  readonly lookup: OrderLookup & WentBackLookup;
  /** The same, about the service's duplicate rules. */
  readonly knownProjects: KnownProjects;
  findFile(hash: string): Promise<FileRecord | null>;
  /** Every recorded file with this content, the first first. */
  readingsOf(hash: string): Promise<readonly FileRecord[]>;
  /** Records a file and all its rows in one transaction; if `fill` throws, nothing. */
  recordFile(file: NewFile, fill: (transaction: FileTransaction) => Promise<unknown>): Promise<FileRecord>;
  /** Does all that `recordFile` would, then undoes it. */
  rehearseFile(fill: (transaction: FileTransaction) => Promise<unknown>): Promise<void>;
  /** Files by name (`sender/name` or the name) or hash, the latest first. */
  findFiles(text: string): Promise<readonly FileRecord[]>;
  /** The latest files of this kind; for a named sender without any, that sender's latest. */
  filesLike(like: FileKind, limit: number): Promise<readonly EarlierFile[]>;
  /** Files not yet archived. */
  filesToArchive(): Promise<readonly FileRecord[]>;
  markArchived(fileId: number, archivedAs: string): Promise<void>;
  /** Marks content as waiting for a person. An earlier approval stays. */
  recordHeld(held: Pick<HeldFile, 'hash' | 'name' | 'limits' | 'reasons'> & { readonly heldAs: string }): Promise<void>;
  /** Approves content, whatever the limits say. */
  approveContent(hash: string, name: string): Promise<void>;
  findHeld(hash: string): Promise<HeldFile | null>;
  /**
   * At most 200 rejected rows, corrected or not, for a person's question: by policy or inspection number, else by part
   * of the insured's name or street in any case.
   */
  findRejections(text: string): Promise<readonly RowStanding[]>;
  /** The rows of a file in order. */
  rowsOf(fileId: number): AsyncIterable<RowStanding>;
  /** Rows of files: all, and accepted ones. */
  rowCounts(): Promise<{ readonly read: number; readonly accepted: number }>;
  /** Files with rejected or refused rows that are in no corrections workbook yet. */
  filesToCorrect(): Promise<readonly FileRecord[]>;
  rowsToCorrect(fileId: number): AsyncIterable<StoredRow & { readonly refusal: string | null }>;
  markCorrected(fileId: number, rowIds: readonly number[], corrections: string): Promise<void>;
  /** The workbook is gone: its open rows are in none. */
  markWorkbookLost(fileId: number, corrections: string): Promise<void>;
  /** Path of a file's latest corrections workbook, relative to the workspace; null without one. */
  correctionsOf(fileId: number): Promise<string | null>;
  /** The row that a corrections workbook names: by start of its file's hash, sheet and number. */
  rowNamed(hashStart: string, sheet: string, rowNumber: number): Promise<NamedRow | null>;
  /** Open rows that went back, by file and workbook, the latest first. */
  waitingRows(): Promise<readonly WaitingRows[]>;
  /** Open rows of one file, in order. */
  openRowsOf(fileId: number): Promise<readonly OpenRow[]>;
  /** A person decided that they will not be fixed. Returns how many were open. */
  dismissRows(rows: readonly Pick<StoredRow, 'id' | 'fileId' | 'record'>[]): Promise<number>;
  /** Corrections workbooks without open rows that are not marked done, the first first. */
  workbooksDone(): Promise<readonly DoneWorkbook[]>;
  /** Whether a corrections workbook with this name (without folder) was ever written. */
  wasWorkbook(name: string): Promise<boolean>;
  /** `movedTo`: relative to the workspace; null if not moved. */
  markWorkbookDone(id: number, movedTo: string | null): Promise<void>;
  /**
   * Orders whose row came again with other details, while the project is neither canceled nor received: the latest
   * change each, newest first.
   */
  changedOrders(limit: number): Promise<readonly ChangedOrder[]>;
  isFileOfOtherAccount(hash: string): Promise<boolean>;

  order(orderId: number): Promise<OrderRecord | null>;
  /** By id, above `after`, at most `limit`. */
  ordersIn(state: OrderState, after: number, limit: number): Promise<readonly OrderRecord[]>;
  /**
   * Orders that may own a project with these details: same inspection number, policy number or address. At most a few
   * hundred.
   */
  ordersLike(details: {
    readonly inspectionNumber: string;
    readonly policyNumber: string;
    readonly addressKey: string;
  }): Promise<readonly OrderRecord[]>;
  /** The latest first. */
  latestOrders(limit: number): Promise<readonly OrderRecord[]>;
  /**
   * At most 200 orders for a person's question: by policy or inspection number, project id, order id or file name, else
   * by part of the insured's name or street in any case.
   */
  findOrders(text: string): Promise<readonly OrderRecord[]>;
  orderCounts(): Promise<OrderCounts>;
  /**
   * The nearest earlier open order that shares a key, so that the service could mistake one for the other. Until it is
   * closed, this order waits.
   */
  orderBefore(orderId: number): Promise<OrderRecord | null>;
  /** Those without an order before them. None ever gets one: later orders have higher ids. */
  ordersWithNoneBefore(orderIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** Orders that share a key and may have an unrecorded project. */
  undecidedLike(orderId: number): Promise<readonly OrderRecord[]>;
  /** ready → submitting, with the attempt. False if it was not ready, or must wait. */
  beginAttempt(orderId: number, attempt: Attempt): Promise<boolean>;
  /**
   * Moves an order out of the expected state. Returns false without change if it was in another, is being sent by
   * another run, or would adopt another order's project. Given its attempts, moves it only if none was made since.
   */
  moveOrder(order: number | Pick<OrderRecord, 'id' | 'attempts'>, from: OrderState, move: OrderMove): Promise<boolean>;
  /** Runs with orders in `submitting`. */
  sendingRuns(): Promise<readonly string[]>;
  /**
   * After a crash: every `submitting` order (of these runs) becomes `unresolved`, in doubt from now. Returns how many.
   */
  recoverInterrupted(runs?: readonly string[]): Promise<number>;
  /** Whether an earlier request's outcome is unknown. */
  hadUnknownAttempt(orderId: number): Promise<boolean>;
  /** Projects of orders at this address, the latest first. */
  projectsAtAddress(addressKey: string): Promise<readonly string[]>;
  /** The project of the first order sent at or after this time and created at once; null if none. */
  projectMadeSince(at: number): Promise<string | null>;
  /** Those tied to other orders that moved at or after `since`. */
  projectsOfOtherOrders(orderId: number, projectIds: readonly string[], since?: number): Promise<ReadonlySet<string>>;
  /** Of our orders only: projects made elsewhere do not count. */
  highestProjectId(): Promise<string | null>;
  /** The lowest id bound of any attempt, and when the first attempted order came. Null before the first attempt. */
  lowestIdBound(): Promise<{ readonly id: string; readonly at: number } | null>;

  /**
   * Projects to follow, by id: not canceled, received or given up. One that was received without its files, or whose
   * files changed, is followed until the service no longer offers them. `ids`: only these.
   */
  followedProjects(ids?: readonly string[]): Promise<readonly FollowedStatus[]>;
  /** Those whose files are incomplete, with orders, by id. `ids`: only these, a few hundred. */
  watchedProjects(ids?: readonly string[]): AsyncIterable<WatchedProject>;
  /** Every order with a project, by project id, then order id. */
  orderedProjects(): AsyncIterable<OrderedProject>;
  /** Records seen statuses; returns the projects whose status changed. */
  recordStatuses(seen: readonly { readonly id: string; readonly status: string }[]): Promise<readonly string[]>;
  projectCounts(): Promise<ProjectCounts>;
  /** Projects per status, in the service's words. */
  statusCounts(): Promise<readonly { readonly status: string; readonly count: number }[]>;
  usualStays(): Promise<readonly UsualStay[]>;
  /** Stops following a project. False if it was not followed. */
  giveUpProject(projectId: string, reason: string): Promise<boolean>;
  /** Follows a project made elsewhere. False if it is on record. */
  followElsewhere(project: ProjectMadeElsewhere): Promise<boolean>;
  projectsMadeElsewhere(): Promise<readonly ProjectRecord[]>;
  /** Null if not on record. */
  storyOfProject(projectId: string): Promise<ProjectStory | null>;
  /** Undoes `giveUpProject`. False if it was not given up. */
  followAgain(projectId: string): Promise<boolean>;
  /** Why no inspection took place; null if the reports no longer say so. */
  recordCloseout(projectId: string, reasons: readonly string[] | null): Promise<void>;
  /** For followed projects, the latest first. */
  closeouts(): Promise<readonly Closeout[]>;
  /** Records an incomplete fetch; returns for how many nights it has been. */
  recordFetch(projectId: string, outcome: FetchOutcome): Promise<FetchRecord>;
  markCollected(projectId: string): Promise<void>;
  markCollectionProblem(projectId: string, problem: string): Promise<void>;
  /** False without change if this version is on record with other content (another host fetched it). */
  recordArtifact(artifact: ArtifactRecord): Promise<boolean>;
  /** The service still offers this version: no new download in this return of the project. */
  confirmArtifact(artifact: {
    readonly projectId: string;
    readonly kind: string;
    readonly serviceId: string;
    readonly version: number;
  }): Promise<void>;
  /** Records a new `place` in the service's list. */
  placeArtifact(artifact: StoredArtifact): Promise<void>;
  /** What is wrong with the stored file, or null. The next delivery shows a change. */
  recordOnDisk(artifact: StoredArtifact, problem: string | null): Promise<void>;
  /** Every version ever. */
  artifactsOf(projectId: string): Promise<readonly StoredArtifact[]>;
  /** The latest versions that should be on disk. */
  filesOf(projectId: string): Promise<readonly StoredArtifact[]>;
  /** Of all projects, without lost versions that were replaced. */
  storedArtifacts(): AsyncIterable<StoredArtifact>;
  /**
   * What was known of the house before: the previous version of a replaced summary, else the last project at the
   * address, else of the policy number, collected before this one returned. Null if nothing.
   */
  earlierSummaries(projectId: string): Promise<EarlierSummaries | null>;

  /** Records an update before it is sent. Null without record if the project has an open one. */
  beginUpdate(update: NewUpdate): Promise<number | null>;
  /** open → done or refused. False if it was not open. */
  endUpdate(updateId: number, end: UpdateEnd): Promise<boolean>;
  openUpdates(): Promise<readonly UpdateRecord[]>;
  updatesOf(projectId: string): Promise<readonly UpdateRecord[]>;
  /** Amended policy details; empty if they are the order's. */
  amendedDetails(projectId: string): Promise<PolicyDetails>;
  /** For several projects; those without amendments are absent. */
  amendedDetailsOf(projectIds: readonly string[]): Promise<ReadonlyMap<string, PolicyDetails>>;
  /** Projects amended here without an order, with their details before. */
  amendedWithoutOrder(): Promise<ReadonlyMap<string, PolicyDetails>>;
  /** Projects by this key, by id, at most a few hundred. A policy number also finds amended ones. */
  projectsNamed(key: ProjectKey, text: string): Promise<readonly NamedProject[]>;
  /** A followed project, with the delivery folder (relative to the workspace) that shows it as it is; null if none. */
  projectWithDelivery(
    projectId: string,
  ): Promise<{ readonly project: ProjectRecord; readonly deliveredIn: string | null } | null>;

  /**
   * Projects by id: all, or outstanding ones and those changed since a delivery showed them; on request only those that
   * ever had a file.
   */
  projectsForResults(all: boolean, onlyWithFiles?: boolean): AsyncIterable<FollowedProject>;
  /** Rows without a project of their own: all, or open ones and those that no results have reported as they are. */
  notOrdered(all: boolean): AsyncIterable<NotOrdered>;
  /** Counts since the last delivery of results. */
  nightCounts(): Promise<NightCounts>;
  /** Canceled or closed-out projects that no results have reported, the first first. */
  endedProjects(): Promise<readonly EndedProject[]>;
  /** Orders that no delivery has shown as they are, with rows. */
  ordersToHandOver(): AsyncIterable<{
    readonly order: OrderRecord;
    readonly row: StoredRow | null;
    readonly project: ProjectRecord | null;
  }>;
  /** Whether anything changed since the last delivery. */
  somethingToHandOver(): Promise<{ readonly orders: boolean; readonly results: boolean }>;
  /** Read before a delivery's contents. */
  seenSoFar(): Promise<SeenSoFar>;
  /** Changes after `seen` remain for the next delivery. */
  recordDelivery(handOver: HandOver): Promise<void>;
  deliveriesOnRecord(): Promise<readonly DeliveryRecord[]>;
  /** Projects without news since their last delivery. */
  deliveredProjects(): Promise<ReadonlySet<string>>;
  /** News for people, reported once by the first run that ends well. */
  addNews(kind: NewsKind, subject: string): Promise<void>;
  untoldNews(): Promise<readonly News[]>;
  /** When this kind was last reported (epoch ms); null if never. */
  lastToldAt(kind: NewsKind): Promise<number | null>;
  /** Reported by the current run. */
  markTold(ids: readonly number[]): Promise<void>;
  /** Records messages before they are sent. Existing ones stay. */
  addToOutbox(entries: readonly OutboxEntry[]): Promise<void>;
  untoldEntries(): Promise<readonly UntoldEntry[]>;
  /** They are sent, or nobody is left to send to. */
  endEntries(ids: readonly number[]): Promise<void>;
  /** When named senders' files were recorded, from then on. */
  arrivalsSince(since: number): Promise<readonly Arrival[]>;

  /** The latest per project; absent if none or taken back. */
  decisionsOn(projectIds: readonly string[]): Promise<ReadonlyMap<string, Decision>>;
  /** Records a workbook's decisions cell by cell; empty cells and delivered values change nothing. */
  recordDecisions(said: DecisionsSaid): Promise<DecisionsTaken>;

  startRun(run: string, command: string): Promise<void>;
  /** Later writes belong to this run, which another host shares. */
  workAs(run: string): void;
  /** Live processes, and those that died in the last days; none on SQLite. */
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

  /** Archived files from before, with every row ended. */
  filesAtTheirEnd(before: number): Promise<readonly FileRecord[]>;
  /** Deliveries from before, except the latest and those that alone show a followed project. */
  deliveriesAtTheirEnd(before: number): Promise<readonly DeliveryRecord[]>;
  /** Stored files of projects received or canceled before. */
  downloadsAtTheirEnd(before: number): AsyncIterable<StoredArtifact>;
  /** Orders that ended before, and their rows, with personal details. */
  detailsToForget(before: number): Promise<ForgottenDetails>;
  /**
   * Removes these details from the ledger and its file. Numbers, states, counts and steps stay, and so do the keys of
   * repeats (an address as its hash).
   */
  forgetDetails(before: number): Promise<ForgottenDetails>;
  /** Records intended removals. */
  beginRemovals(removals: readonly Removal[]): Promise<void>;
  endRemovals(paths: readonly string[]): Promise<void>;
  /** Removals that were interrupted. */
  openRemovals(): Promise<readonly Removal[]>;
  /** Whether retention removed this path. */
  wasRemoved(path: string): Promise<boolean>;

  /** What the last run learned of the service's pace; null if nothing, or older than a week. */
  paceHint(kind: PaceKind): Promise<PaceHint | null>;
  /** Replaces the earlier hint. */
  keepPaceHint(kind: PaceKind, hint: PaceHint): Promise<void>;
  /** Columns of results workbooks in order of appearance: each keeps its place. */
  resultColumns(): Promise<readonly ResultColumn[]>;
  /** Adds columns at the end; existing ones stay. */
  addResultColumns(columns: readonly ResultColumn[]): Promise<void>;

  /** Every account with its names. */
  accountsOnRecord(): Promise<readonly AccountOnRecord[]>;
  /** Makes `account` the workspace's account, under this name. */
  nameAccount(name: ServiceAccount, account: string): Promise<void>;

  lineage(): Promise<Lineage | null>;
  /** Ties the ledger to this workspace, with at least this generation. Returns the new generation. */
  moveOn(workspace: string, atLeast: number): Promise<number>;
  /** The account's latest recovery, ended or not; null if none. */
  latestRecovery(): Promise<Recovery | null>;
  /** Begins a recovery for every account on record, or continues an open one. */
  beginRecovery(oldSince: number): Promise<Recovery>;
  noteGap(gap: { readonly from: string } | { readonly to: string }): Promise<void>;
  endRecovery(): Promise<void>;
  /**
   * Ready orders become unresolved, in doubt from now: they may have been sent after this copy was made. Returns how
   * many.
   */
  doubtReadyOrders(idBound: string, why: OrderReason): Promise<number>;
  /** For one order; false if it was not ready. */
  doubtOrder(orderId: number, idBound: string, why: OrderReason): Promise<boolean>;
  /** A corrected row came back, so the service had refused this order. False if it was not unresolved. */
  refuseForgotten(orderId: number, why: OrderReason): Promise<boolean>;
}
