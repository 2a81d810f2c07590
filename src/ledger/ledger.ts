import type { PaceHint } from '../domain/ports.ts';
import type { ResultColumn } from '../domain/project.ts';
import type { ArtifactRecord, EarlierSummaries, StoredArtifact } from './artifacts.ts';
import type { Contradiction, CountedFile, OrderedProject } from './census.ts';
import type { DeliveryRecord, FollowedProject, HandOver } from './deliveries.ts';
import type { EarlierFile, FileKind, FileRecord, FileTransaction, HeldFile, NewFile } from './files.ts';
import type { OrderStory, RowStanding, RunOnRecord } from './history.ts';
import type { KnownProjects, OrderLookup, WentBackLookup } from './lookups.ts';
import type { News, NewsKind, WaitingRows } from './news.ts';
import type { Attempt, OrderCounts, OrderMove, OrderRecord, OrderState } from './orders.ts';
import type { Closeout, FetchOutcome, FetchRecord, FollowedStatus, ProjectCounts, ProjectRecord, UsualStay, WatchedProject } from './projects.ts';
import type { Lineage, NamedRow, Recovery } from './recovery.ts';
import type { ForgottenDetails, Removal } from './retention.ts';
import type { ChangedOrder, StoredRow } from './rows.ts';
import type { PaceKind } from './settings.ts';
import type { Step } from './store.ts';
import type { NamedProject, NewUpdate, PolicyDetails, ProjectKey, UpdateEnd, UpdateRecord } from './updates.ts';

/**
 * The durable record, every verb of it. The records and the SQL of a verb stand in the file of its group. Every verb that changes something is on disk, synced, before its promise fulfils; those that change a state
 * name the state they expect and say whether it took.
 */
export interface Ledger extends AsyncDisposable {
  /** The service account that this ledger was opened for: identities and projects of others are not seen. */
  readonly account: string;

  // Files: what came in, row by row.

  /** Looks without waiting for anybody who writes. */
  readonly lookup: OrderLookup & WentBackLookup;
  /** The same, for what the service's duplicate rules compare. */
  readonly knownProjects: KnownProjects;
  findFile(hash: string): Promise<FileRecord | null>;
  /** Puts a file and all its rows on record in one transaction; `fill` throwing leaves nothing. */
  recordFile(file: NewFile, fill: (transaction: FileTransaction) => Promise<unknown>): Promise<FileRecord>;
  /** Does all that `recordFile` would do, and takes it back: nothing stays. */
  rehearseFile(fill: (transaction: FileTransaction) => Promise<unknown>): Promise<void>;
  /** Files of this name (`sender/name` or the name alone) or hash, the latest first. */
  findFiles(text: string): Promise<readonly FileRecord[]>;
  /** The latest files of this kind, newest first; for a named sender without any, those of that sender. */
  filesLike(like: FileKind, limit: number): Promise<readonly EarlierFile[]>;
  /** Files that are on record and not yet as archived. */
  filesToArchive(): Promise<readonly FileRecord[]>;
  markArchived(fileId: number, archivedAs: string): Promise<void>;
  /** Puts on record that content is held. An approval of it stays. */
  recordHeld(held: { readonly hash: string; readonly name: string; readonly heldAs: string; readonly reasons: readonly string[] }): Promise<void>;
  /** Puts on record that a person lets this content through, whatever the limits say. */
  approveContent(hash: string, name: string): Promise<void>;
  findHeld(hash: string): Promise<HeldFile | null>;
  /** The rows of a file, in its order. */
  rowsOf(fileId: number): AsyncIterable<RowStanding>;
  /** How many rows of files are on record, and how many of them were accepted. */
  rowCounts(): Promise<{ readonly read: number; readonly accepted: number }>;
  /** Files with rows that went back without a corrections workbook yet: rejections, and rows of refused orders. */
  filesToCorrect(): Promise<readonly FileRecord[]>;
  rowsToCorrect(fileId: number): AsyncIterable<StoredRow & { readonly refusal: string | null }>;
  markCorrected(fileId: number, rowIds: readonly number[], corrections: string): Promise<void>;
  /** The latest corrections workbook of a file, relative to the workspace. */
  correctionsOf(fileId: number): Promise<string | null>;
  /** The row that a corrections workbook names: by the beginning of its file's hash, its sheet and number. */
  rowNamed(hashStart: string, sheet: string, rowNumber: number): Promise<NamedRow | null>;
  /** Rows that went back, or whose orders the service refused, and that nothing has come in place of: by file and workbook, the latest first. */
  waitingRows(): Promise<readonly WaitingRows[]>;
  /** Orders that came again changed and whose project is not canceled or received, the latest change of each; newest first. */
  changedOrders(limit: number): Promise<readonly ChangedOrder[]>;
  isFileOfOtherAccount(hash: string): Promise<boolean>;

  // Orders: from the row to its project.

  order(orderId: number): Promise<OrderRecord | null>;
  /** Orders in this state by their id, those above `after`, at most `limit`. */
  ordersIn(state: OrderState, after: number, limit: number): Promise<readonly OrderRecord[]>;
  /** Orders that a project with these details could be: the same inspection number, policy number or address. At most a few hundred. */
  ordersLike(details: { readonly inspectionNumber: string; readonly policyNumber: string; readonly addressKey: string }): Promise<readonly OrderRecord[]>;
  /** The latest first. */
  latestOrders(limit: number): Promise<readonly OrderRecord[]>;
  /**
   * Orders that a person may mean, at most 200: by policy or inspection number, project id, order id, or the name of their file; where none
   * is known by that, by a part of the insured's name or of the street, whatever its case.
   */
  findOrders(text: string): Promise<readonly OrderRecord[]>;
  orderCounts(): Promise<OrderCounts>;
  /**
   * The nearest order before this one that is not at an end and has a key in common with it: the service could take the one for a duplicate of
   * the other. While there is one, this order waits.
   */
  orderBefore(orderId: number): Promise<OrderRecord | null>;
  /** Other orders with a key in common with this one of which it is not known, or not on record, whether they have a project. */
  undecidedLike(orderId: number): Promise<readonly OrderRecord[]>;
  /** ready → submitting, with the attempt: payload, actor, id bound, time. False when the order was not ready, or has to wait for one before it. */
  beginAttempt(orderId: number, attempt: Attempt): Promise<boolean>;
  /** Moves an order from the state it is expected in. False, and nothing changed, when it stood elsewhere. */
  moveOrder(orderId: number, from: OrderState, move: OrderMove): Promise<boolean>;
  /** After a crash: every `submitting` order becomes `unresolved`, in doubt since now. Returns how many. */
  recoverInterrupted(): Promise<number>;
  /** Whether a request of this order may have been handled without our knowing: an attempt before the one under way had no known outcome. */
  hadUnknownAttempt(orderId: number): Promise<boolean>;
  /** The projects of orders at this address, the latest first. */
  projectsAtAddress(addressKey: string): Promise<readonly string[]>;
  /** The project of the first order that was sent at this time or later, for the first time, and created; null where there is none. */
  projectMadeSince(at: number): Promise<string | null>;
  /** Which of these projects are tied to orders other than this one. */
  projectsOfOtherOrders(orderId: number, projectIds: readonly string[]): Promise<ReadonlySet<string>>;
  highestProjectId(): Promise<string | null>;
  /** The lowest project id that was known before any attempt: what is at it or below it is none of our making. Null before the first attempt. */
  lowestIdBound(): Promise<string | null>;

  // Projects: from their order to their files.

  /**
   * Projects still to be followed, in order of id: all but those that were canceled, given up by a person, or received. A project that was
   * received before its files were here, or whose files are not as recorded any more, is followed until the service has answered that it does
   * not offer them any more.
   */
  followedProjects(): Promise<readonly FollowedStatus[]>;
  /** The same with their orders. */
  watchedProjects(): Promise<readonly WatchedProject[]>;
  /** In order of project id, then of order id. */
  orderedProjects(): AsyncIterable<OrderedProject>;
  /** Records what statuses were seen; returns the ids of those that changed. */
  recordStatuses(seen: readonly { readonly id: string; readonly status: string }[]): Promise<readonly string[]>;
  projectCounts(): Promise<ProjectCounts>;
  /** How many projects have each status, in the words of the service. */
  statusCounts(): Promise<readonly { readonly status: string; readonly count: number }[]>;
  usualStays(): Promise<readonly UsualStay[]>;
  /** A person stops following a project. False where it was not followed. */
  giveUpProject(projectId: string, reason: string): Promise<boolean>;
  /** Takes that back. False where it was not given up. */
  followAgain(projectId: string): Promise<boolean>;
  /** Null: its reports say nothing of a closeout (any more). */
  recordCloseout(projectId: string, reasons: readonly string[] | null): Promise<void>;
  /** The latest first: those that the next delivery shows for the first time, or all of projects that are still followed. */
  closeouts(which: 'new' | 'open'): Promise<readonly Closeout[]>;
  /** Puts a try that did not bring everything on record, and tells how many nights that makes. */
  recordFetch(projectId: string, outcome: FetchOutcome): Promise<FetchRecord>;
  markCollected(projectId: string): Promise<void>;
  markCollectionProblem(projectId: string, problem: string): Promise<void>;
  recordArtifact(artifact: ArtifactRecord): Promise<void>;
  /** The service offers this version still: what is on record needs no second download in this return of the project. */
  confirmArtifact(artifact: { readonly projectId: string; readonly kind: string; readonly serviceId: string; readonly version: number }): Promise<void>;
  /** What a comparison of a stored file with the record found: what is wrong, or null. The next delivery shows what changed by that. */
  recordOnDisk(artifact: StoredArtifact, problem: string | null): Promise<void>;
  /** Every version there ever was. */
  artifactsOf(projectId: string): Promise<readonly StoredArtifact[]>;
  /** The latest version of each that retention has not taken away: what should be on disk. */
  filesOf(projectId: string): Promise<readonly StoredArtifact[]>;
  /** Of every project, by project; but for those known as lost that a further version came in place of. */
  storedArtifacts(): AsyncIterable<StoredArtifact>;
  /**
   * What was last known of the same house before a project's summaries; null where there is nothing. That is the version before, where a
   * summary was replaced; else the last project at the same address, or else of the same policy number, that was collected before this
   * one was seen as returned.
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
  /** The projects of orders that are known by this, by id; at most a few hundred. A policy number also finds those amended to it. */
  projectsNamed(key: ProjectKey, text: string): Promise<readonly NamedProject[]>;
  /** A followed project, with the folder (relative to the workspace) of the delivery that holds it as it stands; null where none does. */
  projectWithDelivery(projectId: string): Promise<{ readonly project: ProjectRecord; readonly deliveredIn: string | null } | null>;

  // Deliveries: what people were given and told.

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
  deliveriesOnRecord(): Promise<readonly DeliveryRecord[]>;
  /** Ids of projects that were handed over and that nothing new is known of since: what the latest of their deliveries shows is all there is. */
  deliveredProjects(): Promise<ReadonlySet<string>>;
  /** What people have to hear of. It is told once, by the first run that ends well. */
  addNews(kind: NewsKind, subject: string): Promise<void>;
  /** The oldest first. */
  untoldNews(): Promise<readonly News[]>;
  /** These were told by the run going on. */
  markTold(ids: readonly number[]): Promise<void>;

  // History: what happened, and whether it adds up.

  startRun(run: string, command: string): Promise<void>;
  finishRun(run: string, exitCode: number, summary: unknown): Promise<void>;
  /** The latest first. */
  lastRuns(limit: number): Promise<readonly RunOnRecord[]>;
  noteStep(subject: Step['subject'], subjectId: string, event: string, detail?: Readonly<Record<string, unknown>>): Promise<void>;
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
  /** Counts orders at their end since before, and their rows from before, that still hold people's details. */
  detailsToForget(before: number): Promise<ForgottenDetails>;
  /**
   * Takes those details out of the ledger, and out of its file. Numbers, states, counts and steps stay, and so does what makes a row that
   * comes again a repeat: where that is an address, as its hash.
   */
  forgetDetails(before: number): Promise<ForgottenDetails>;
  /** Puts on record what is about to be removed. */
  beginRemovals(removals: readonly Removal[]): Promise<void>;
  /** It is gone. */
  endRemovals(paths: readonly string[]): Promise<void>;
  /** What was about to be removed when the program ended. */
  openRemovals(): Promise<readonly Removal[]>;
  /** Whether a path that the ledger names is gone because of retention. */
  wasRemoved(path: string): Promise<boolean>;

  // Settings: what runs learnt.

  /** What the last run learnt; null where none did, or where it is more than a week old. */
  paceHint(kind: PaceKind): Promise<PaceHint | null>;
  /** Takes the place of what was kept before. */
  keepPaceHint(kind: PaceKind, hint: PaceHint): Promise<void>;
  /** In the order in which they were given. */
  resultColumns(): Promise<readonly ResultColumn[]>;
  /** Puts columns on record behind those that are there; one that is there already stays as it is. */
  addResultColumns(columns: readonly ResultColumn[]): Promise<void>;

  // Recovery: the ledger beside its workspace.

  lineage(): Promise<Lineage | null>;
  /** The ledger is this workspace's from now on, and its generation at least so high. Gives the new one. */
  moveOn(workspace: string, atLeast: number): Promise<number>;
  /** The latest recovery for this account, over or not; null where there never was one. */
  latestRecovery(): Promise<Recovery | null>;
  /** Begins a recovery for every account on record and this one; where one is open, that goes on. */
  beginRecovery(oldSince: number): Promise<Recovery>;
  noteGap(gap: { readonly from: string } | { readonly to: string }): Promise<void>;
  endRecovery(): Promise<void>;
  /**
   * Ready orders that were never sent, as far as this ledger knows, become unresolved, in doubt since now: they may have been sent since it was
   * copied. Returns how many.
   */
  doubtReadyOrders(idBound: string, reason: string): Promise<number>;
  /** The same for one order; false where it was not ready. */
  doubtOrder(orderId: number, idBound: string, reason: string): Promise<boolean>;
  /** A row that came back corrected shows that its order was refused. False where the order was not unresolved. */
  refuseForgotten(orderId: number, reason: string): Promise<boolean>;
}
