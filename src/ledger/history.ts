import { comparableNumber } from '../domain/identity.ts';
import { artifactsOf } from './artifacts.ts';
import { filesWhere } from './files.ts';
import { policyKeyRange, findOrder, orderFrom, type OrderState, ordersWhere } from './orders.ts';
import { CLOSEOUT_REASONS, detailsOf, findProject, WITH_PROJECT } from './projects.ts';
import { FROM_ROWS, lastReplacement, ROW_COLUMNS, rowFrom, rowsBefore, type StoredRow, WITH_FILE } from './rows.ts';
import {
  addStep,
  insertRecord,
  hasRow,
  inBatches,
  inJob,
  listOf,
  type StepSubject,
  type Store,
  updateIn,
  jsonOf,
  numberOrNull,
  orNull,
  rowReader,
  textOf,
  textOrNull,
  idsIn,
  type Job,
  type Driver,
  type SqlRow,
  type SqlValue,
} from './store.ts';
import { projectsNamed, updatesOf } from './updates.ts';

export type OrderStory = Awaited<ReturnType<typeof storyOf>>;

export type ProjectStory = NonNullable<Awaited<ReturnType<typeof storyOfProject>>>;

export type RowStory = Awaited<ReturnType<typeof rowStoryFrom>>;

export type RunOnRecord = ReturnType<typeof runFrom>;

export type Step = ReturnType<typeof stepFrom>;

const stepFrom = rowReader({
  at: Number,
  run: textOrNull,
  subject: textOf<StepSubject>,
  subjectId: textOf,
  event: textOf,
  detail: orNull(jsonOf<Readonly<Record<string, unknown>>>),
});

const FOUND_MAX = 200;
const FILES_LIKE_MAX = 10;
const BATCH = 500;
/** Matches nothing: the digits of a phone have no hyphen. */
const NO_PHONE = '-';
const NO_PROJECT = '-1';
const INT64_MAX = 2n ** 63n - 1n;

async function findOrders(store: Store, text: string) {
  for (const find of [ordersByKeys, ordersByDetails, ordersByRepeats]) {
    const found = await find(store, text);
    if (found.length > 0) return found;
  }
  return [];
}

function ordersFound(store: Store, condition: string, ...values: readonly SqlValue[]) {
  const those = `${orderFrom.select} FROM orders WHERE ${condition} ORDER BY orders.id LIMIT ${FOUND_MAX}`;
  return listOf(store, orderFrom, those, ...values);
}

/** They may have numbers that their order lacks. */
function ordersByRepeats(store: Store, text: string) {
  const repeats = `SELECT rows.order_id FROM rows ${WITH_FILE} WHERE files.account = ?1 AND rows.outcome = 'repeat' AND ${resembles('rows.summary')}`;
  return ordersFound(store, `id IN (${repeats})`, ...patternsOf(text));
}

async function ordersByKeys(store: Store, text: string) {
  const digits = /^\d{1,19}$/.test(text) && BigInt(text) <= INT64_MAX ? BigInt(text) : -1n;
  const projects = (await projectsNamed(store, 'policyNumber', text)).map(({ projectId }) => projectId);
  return ordersFound(
    store,
    `orders.id IN (
       SELECT id FROM orders WHERE account = ?1 AND policy_key >= ?2 AND policy_key < ?3
       UNION SELECT id FROM orders WHERE account = ?1 AND json_extract(payload, '$.inspectionNumber') = ?4
       UNION SELECT id FROM orders WHERE account = ?1 AND project_id = ?5
       UNION SELECT id FROM orders WHERE account = ?1 AND id = ?5
       UNION SELECT rows.order_id FROM rows ${WITH_FILE} WHERE files.account = ?1 AND (files.name = ?4 OR files.name = files.sender || '/' || ?4 OR files.hash = ?4)
       UNION SELECT id FROM orders WHERE account = ?1 AND project_id IN ${idsIn('?6')})`,
    ...policyKeyRange(text),
    text,
    digits,
    projects,
  );
}

function ordersByDetails(store: Store, text: string) {
  return ordersFound(store, `account = ?1 AND ${resembles('payload')}`, ...patternsOf(text));
}

/**
 * By part of the insured's name or street (`?2`), by a number (`?3`) as identities compare it, or by the phone's digits
 * (`?4`).
 */
function resembles(record: string) {
  const details = ['insuredName', 'streetAddress'].map(
    (field) => `json_extract(${record}, '$.${field}') LIKE ?2 ESCAPE '\\'`,
  );
  const numbers = ['policyNumber', 'inspectionNumber'].map(
    (field) => `ltrim(json_extract(${record}, '$.${field}'), '0 -./#_') LIKE ?3`,
  );
  const digits = ['-', '.', ' ', '(', ')'].reduce(
    (phone, sign) => `replace(${phone}, '${sign}', '')`,
    `json_extract(${record}, '$.insuredPhone')`,
  );
  return `(${[...details, ...numbers, `${digits} LIKE ?4`].join(' OR ')})`;
}

function patternsOf(text: string) {
  const part = text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`);
  const digits = text.replaceAll(/[-. ()]/g, '');
  return [`%${part}%`, comparableNumber(text).replaceAll('-', '_'), /^\d{7,}$/.test(digits) ? `%${digits}` : NO_PHONE];
}

async function findRejections(store: Store, text: string) {
  const isNumber = `?2 IN (json_extract(rows.summary, '$.policyNumber'), json_extract(rows.summary, '$.inspectionNumber'))`;
  const byNumber = await rejectionsWhere(store, isNumber, text);
  if (byNumber.length > 0 || (await ordersByKeys(store, text)).length > 0) return byNumber;
  return rejectionsWhere(store, resembles('rows.summary'), ...patternsOf(text));
}

async function rejectionsWhere(store: Store, condition: string, ...values: readonly string[]) {
  const found = await store.driver.query(
    `SELECT ${ROW_STORY} WHERE files.account = ?1 AND rows.outcome = 'rejection' AND ${condition} ORDER BY rows.id LIMIT ${FOUND_MAX}`,
    store.account,
    ...values,
  );
  return Array.fromAsync(found, (row) => rowStoryFrom(store, row));
}

function findFiles(store: Store, text: string) {
  return filesWhere(
    store,
    `(name = ?2 OR name = sender || '/' || ?2 OR hash = ?2 OR archived_as = ?2
         OR id IN (SELECT CAST(subject_id AS BIGINT) FROM steps WHERE account = ?1 AND subject = 'file' AND event = 'came again' AND json_extract(detail, '$.name') = ?2)) ORDER BY id DESC LIMIT ${FOUND_MAX}`,
    text,
  );
}

/** By a part of the file's name, or of that of a corrections workbook for it. */
function findFilesLike(store: Store, text: string) {
  const [part = ''] = patternsOf(text);
  return filesWhere(
    store,
    `(name LIKE ?2 ESCAPE '\\' OR EXISTS (SELECT 1 FROM correction_workbooks WHERE file_id = files.id AND path LIKE ?2 ESCAPE '\\')) ORDER BY id DESC LIMIT ${FILES_LIKE_MAX}`,
    part,
  );
}

const ROW_STORY = `${ROW_COLUMNS}, orders.state AS order_state, orders.reason, CAST(orders.project_id AS TEXT) AS project_id, projects.status, projects.collected_at,
    ${CLOSEOUT_REASONS},
    rows.open_since, rows.dismissed_at, rows.corrections, json_extract(rows.record, '$.correctedBy') AS corrected_by
  ${FROM_ROWS} ${WITH_PROJECT}`;

const standingOnRecord = rowReader({
  orderState: orNull(textOf<OrderState>),
  reason: textOrNull,
  projectId: textOrNull,
  status: textOrNull,
  collectedAt: numberOrNull,
  closeoutReasons: orNull(jsonOf<readonly string[]>),
  openSince: numberOrNull,
  dismissedAt: numberOrNull,
  corrections: textOrNull,
});

async function rowStoryFrom(store: Store, found: SqlRow) {
  const row = rowFrom(found);
  const replacedBy = found['corrected_by'] === null ? null : await lastReplacement(store, row.id);
  return { row, ...standingOnRecord(found), replacedBy };
}

async function standingOfRow(store: Store, rowId: number) {
  const row = await store.driver.get(`SELECT ${ROW_STORY} WHERE rows.id = ?`, rowId);
  return row === undefined ? null : rowStoryFrom(store, row);
}

function rowsOf(store: Store, fileId: number) {
  const query = `SELECT ${ROW_STORY} WHERE rows.file_id = ? AND rows.id > ? ORDER BY rows.id LIMIT ${BATCH}`;
  return inBatches(
    (row) => rowStoryFrom(store, row),
    (after) => store.driver.query(query, fileId, after),
  );
}

async function storyOf(store: Store, orderId: number) {
  const projectId = (await findOrder(store, orderId))?.projectId ?? NO_PROJECT;
  const attempts = `${attemptFrom.select} FROM attempts WHERE order_id = ? ORDER BY number`;
  const ofOrder = await store.driver.query(
    `SELECT ${ROW_COLUMNS} FROM rows ${WITH_FILE} WHERE rows.order_id = ? ORDER BY rows.id`,
    orderId,
  );
  const rows: StoredRow[] = [];
  for (const row of ofOrder.map(rowFrom)) rows.push(...(await rowsBefore(store, row.id)), row);
  return {
    rows,
    attempts: (await store.driver.query(attempts, orderId)).map(attemptFrom),
    steps: (await stepsOf(store, orderId, projectId, rows)).filter(
      ({ event, detail }) =>
        event !== 'rows dismissed' || rows.some(({ id }) => [detail?.['rows']].flat().includes(id)),
    ),
    ...(await factsOf(store, projectId)),
  };
}

async function factsOf(store: Store, projectId: string) {
  return {
    project: await findProject(store, projectId),
    isGivenUp: await hasRow(store, 'projects', 'id = ? AND given_up_at IS NOT NULL', BigInt(projectId)),
    artifacts: await artifactsOf(store, projectId),
    updates: await updatesOf(store, projectId),
  };
}

async function storyOfProject(store: Store, projectId: string) {
  const { project, ...facts } = await factsOf(store, projectId);
  if (project === null) return null;
  const ofOrders = 'SELECT id FROM orders WHERE account = ? AND project_id = ? ORDER BY id';
  const ofProject = `SELECT * FROM steps WHERE account = ? AND subject = 'project' AND subject_id = ? ORDER BY id`;
  return {
    ...facts,
    project,
    /** Of a project made elsewhere; null for our own. */
    details: await detailsOf(store, projectId),
    orderIds: await listOf(store, (row) => Number(row['id']), ofOrders, BigInt(projectId)),
    steps: await listOf(store, stepFrom, ofProject, projectId),
  };
}

function stepsOf(store: Store, orderId: number, projectId: string, rows: readonly StoredRow[]) {
  return listOf(
    store,
    stepFrom,
    `SELECT * FROM steps WHERE account = ? AND ((subject = 'order' AND subject_id = ?) OR (subject = 'project' AND subject_id = ?)
         OR (subject = 'file' AND subject_id IN (SELECT value FROM json_each(?)))) ORDER BY id`,
    String(orderId),
    projectId,
    [...new Set(rows.map(({ fileId }) => String(fileId)))],
  );
}

const attemptFrom = rowReader({
  number: Number,
  run: textOf,
  actor: textOf,
  sentAt: Number,
  answeredAt: numberOrNull,
  outcome: textOrNull,
  detail: textOrNull,
});

function latestOrders(store: Store, limit: number) {
  return ordersWhere(store, 'ORDER BY id DESC LIMIT ?', limit);
}

const runFrom = rowReader({
  run: textOf,
  command: textOf,
  startedAt: Number,
  finishedAt: numberOrNull,
  exitCode: numberOrNull,
});

function lastRuns(store: Store, limit: number) {
  return listOf(
    store,
    runFrom,
    'SELECT id AS run, command, started_at, finished_at, exit_code FROM runs WHERE account = ? ORDER BY started_at DESC, rowid DESC LIMIT ?',
    limit,
  );
}

async function startRun(store: Store<Driver>, run: string, command: string) {
  store.run = run;
  await inJob(store, (job) => insertRecord(job, 'runs', { id: run, command, startedAt: store.clock.now() }));
}

function workAs(store: Store, run: string) {
  store.run = run;
}

export type HostOnRecord = ReturnType<typeof hostFrom>;

const hostFrom = rowReader({
  run: textOf,
  host: textOf,
  pid: Number,
  role: textOf,
  beganAt: Number,
  seenAt: Number,
  workingOn: textOrNull,
});

async function hosts({ driver }: Store) {
  return (await driver.query(`${hostFrom.select} FROM hosts ORDER BY began_at, run`)).map(hostFrom);
}

async function finishRun(store: Job, run: string, exitCode: number, summary: unknown) {
  const ended = { finishedAt: store.clock.now(), exitCode, summary: JSON.stringify(summary) };
  await updateIn(store, 'runs', run, ended);
}

export const historyVerbs = {
  reads: {
    /** Living and recently dead ones, the oldest first; empty on SQLite. */
    hosts,
    lastRuns,
    latestOrders,
    /** At most 200: by number, id or file name; else by `comparableNumber`, phone, or part of the insured's name or street. */
    findOrders,
    /** As `findOrders`, corrected or not. */
    findRejections,
    findFiles,
    findFilesLike,
    standingOfRow,
    storyOf,
    storyOfProject,
  },
  writes: { finishRun, noteStep: addStep },
  own: { startRun, workAs, rowsOf },
};
