import type { Clock } from '../domain/ports.ts';
import type { Ledger } from './ledger.ts';
import { addStep, type Book } from './store.ts';
import { censusBookIn } from './sqlite/census-pages.ts';
import { changedOrders } from './sqlite/change-pages.ts';
import * as collecting from './sqlite/collect-pages.ts';
import * as columns from './sqlite/column-pages.ts';
import { Connection } from './driver.ts';
import { earlierSummaries } from './sqlite/earlier-report-pages.ts';
import * as files from './sqlite/file-pages.ts';
import * as handOver from './sqlite/hand-over-pages.ts';
import { knownProjectsIn } from './sqlite/known-project-pages.ts';
import { lineageBookIn } from './sqlite/lineage-pages.ts';
import { newsBookIn } from './sqlite/news-pages.ts';
import * as orders from './sqlite/order-pages.ts';
import * as pace from './sqlite/pace-pages.ts';
import * as projects from './sqlite/project-pages.ts';
import { pruneBookIn } from './sqlite/prune-pages.ts';
import { senderBookIn } from './sqlite/sender-pages.ts';
import { storyBookIn } from './sqlite/story-pages.ts';
import { updateBookIn } from './sqlite/update-pages.ts';

/**
 * Opens (and where needed creates or migrates) the ledger in a SQLite file: WAL, `synchronous=FULL`, one writer.
 * `committed` hears of every commit once it is synced. Throws ExplainedError (exit code 2) when a newer version of the program wrote it.
 */
export function openSqliteLedger(path: string, { clock, account, committed }: { clock: Clock; account: string; committed?: (generation: number) => void }): Ledger {
  const connection = new Connection(path, { now: () => clock.now(), committed: (generation) => committed?.(generation) });
  const book: Book = { connection, clock, account, run: null };
  return {
    account,
    lookup: files.lookupIn(book),
    knownProjects: knownProjectsIn(book),
    startRun: (run, command) => {
      book.run = run;
      return connection.write(() => {
        connection.run('INSERT INTO runs (id, account, command, started_at) VALUES (?, ?, ?, ?)', run, account, command, clock.now());
      });
    },
    finishRun: (run, exitCode, summary) =>
      connection.write(() => {
        connection.run('UPDATE runs SET finished_at = ?, exit_code = ?, summary = ? WHERE id = ?', clock.now(), exitCode, JSON.stringify(summary), run);
      }),

    findFile: async (hash) => files.findFile(book, hash),
    recordFile: (file, fill) => files.recordFile(book, file, fill),
    rehearseFile: (fill) => files.rehearseFile(book, fill),
    filesToArchive: async () => files.filesToArchive(book),
    markArchived: (fileId, archivedAs) => connection.write(() => files.markArchived(book, fileId, archivedAs)),
    filesToCorrect: async () => files.filesToCorrect(book),
    rowsToCorrect: (fileId) => files.rowsToCorrect(book, fileId),
    markCorrected: (fileId, rowIds, corrections) => connection.write(() => files.markCorrected(book, fileId, rowIds, corrections)),
    correctionsOf: async (fileId) => files.correctionsOf(book, fileId),

    ...senderBookIn(book),

    order: async (orderId) => orders.findOrder(book, orderId),
    projectsAtAddress: async (addressKey) => orders.projectsAtAddress(book, addressKey),
    ordersIn: async (state, after, limit) => orders.ordersIn(book, state, after, limit),
    orderCounts: async () => orders.orderCounts(book),
    orderBefore: async (orderId) => orders.orderBefore(book, orderId),
    undecidedLike: async (orderId) => orders.undecidedLike(book, orderId),
    projectMadeSince: async (at) => orders.projectMadeSince(book, at),
    beginAttempt: (orderId, attempt) => connection.write(() => orders.beginAttempt(book, orderId, attempt)),
    moveOrder: (orderId, from, move) => connection.write(() => orders.moveOrder(book, orderId, from, move)),
    recoverInterrupted: () => connection.write(() => orders.recoverInterrupted(book)),
    hadUnknownAttempt: async (orderId) => orders.hadUnknownAttempt(book, orderId),
    projectsOfOtherOrders: async (orderId, projectIds) => orders.projectsOfOtherOrders(book, orderId, projectIds),
    highestProjectId: async () => orders.highestProjectId(book),
    noteStep: (subject, subjectId, event, detail) => connection.write(() => addStep(book, subject, subjectId, event, detail)),

    ...projectVerbs(book),

    projectsForResults: (all) => handOver.projectsForResults(book, all),
    notOrdered: (all) => handOver.notOrdered(book, all),
    ordersToHandOver: () => handOver.ordersToHandOver(book),
    somethingToHandOver: async () => handOver.somethingToHandOver(book),
    recordDelivery: (delivered) => connection.write(() => handOver.recordDelivery(book, delivered)),
    deliveryOf: async (run) => handOver.deliveryOf(book, run),
    deliveredProjects: async () => handOver.deliveredProjects(book),

    changedOrders: async (limit) => changedOrders(book, limit),
    paceHint: async (kind) => pace.paceHint(book, kind),
    keepPaceHint: (kind, hint) => connection.write(() => pace.keepPaceHint(book, kind, hint)),

    resultColumns: async () => columns.resultColumns(book),
    earlierSummaries: async (projectId) => earlierSummaries(book, projectId),
    addResultColumns: (added) => connection.write(() => columns.addResultColumns(book, added)),

    ...storyBookIn(book),
    ...updateBookIn(book),
    ...censusBookIn(book),
    ...pruneBookIn(book),
    ...lineageBookIn(book),
    ...newsBookIn(book),

    [Symbol.asyncDispose]: async () => {
      await connection.settled();
      connection[Symbol.dispose]();
    },
  };
}

/** What a follow-up run asks and records of projects. */
function projectVerbs(book: Book) {
  return {
    followedProjects: async () => collecting.followedProjects(book),
    watchedProjects: async () => collecting.watchedProjects(book),
    recordFetch: (projectId, outcome) => book.connection.write(() => collecting.recordFetch(book, projectId, outcome)),
    confirmArtifact: (artifact) => book.connection.write(() => collecting.confirmArtifact(book, artifact)),
    recordOnDisk: (artifact, problem) => book.connection.write(() => collecting.recordOnDisk(book, artifact, problem)),
    recordCloseout: (projectId, reasons) => book.connection.write(() => collecting.recordCloseout(book, projectId, reasons)),
    closeouts: async (which) => collecting.closeouts(book, which),
    usualStays: async () => collecting.usualStays(book),
    giveUpProject: (projectId, reason) => book.connection.write(() => collecting.giveUpProject(book, projectId, reason)),
    followAgain: (projectId) => book.connection.write(() => collecting.followAgain(book, projectId)),
    recordStatuses: (seen) => book.connection.write(() => projects.recordStatuses(book, seen)),
    artifactsOf: async (projectId) => projects.artifactsOf(book, projectId),
    filesOf: async (projectId) => projects.filesOf(book, projectId),
    recordArtifact: (artifact) => book.connection.write(() => projects.recordArtifact(book, artifact)),
    markCollected: (projectId) => book.connection.write(() => projects.markCollected(book, projectId)),
    markCollectionProblem: (projectId, problem) => book.connection.write(() => projects.markCollectionProblem(book, projectId, problem)),
    rowCounts: async () => files.rowCounts(book),
    projectCounts: async () => projects.projectCounts(book),
    statusCounts: async () => projects.statusCounts(book),
  } satisfies Partial<Ledger>;
}

/** The account of the latest run in a ledger, for commands that only look and have no credentials; null where there is none. */
export function latestAccount(path: string): string | null {
  using connection = new Connection(path);
  const row = connection.get('SELECT account FROM runs ORDER BY started_at DESC, rowid DESC LIMIT 1');
  return row === undefined ? null : String(row['account']);
}
