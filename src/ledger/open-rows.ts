import { differenceInCalendarDays } from 'date-fns/differenceInCalendarDays';
import { localDay } from '../domain/day.ts';
import { isSameHouse } from '../domain/identity.ts';
import type { OrderedElsewhere, OrderPayload, RowSummary } from '../domain/row.ts';
import { filesWhere } from './files.ts';
import { FROM_ROWS, ROW_COLUMNS, rowFrom, type StoredRow, IS_REJECTED, WITH_FILE_AND_ORDER } from './rows.ts';
import {
  addStep,
  insertRecord,
  hasRow,
  inBatches,
  listOf,
  type Store,
  AMONG_IDS,
  isTrue,
  jsonOf,
  ofProject,
  rowReader,
  textOf,
  textOrNull,
  type Job,
} from './store.ts';

/** `orderedElsewhere` of its rows are past due, but not counted in `pastDue`. */
export type FileToFix = ReturnType<typeof waitingFrom> & {
  /** Rows whose due date has passed. */
  readonly pastDue: number;
  readonly orderedElsewhere?: number;
};

const waitingFrom = rowReader({
  fileId: Number,
  file: textOf,
  sender: textOf,
  rows: Number,
  corrections: textOrNull,
  since: Number,
});

const BATCH = 500;

const FROM_OPEN_ROWS = `FROM rows INDEXED BY rows_open CROSS ${WITH_FILE_AND_ORDER}`;

function filesToCorrect(store: Store) {
  return filesWhere(
    store,
    `id IN (
         SELECT rows.file_id FROM rows WHERE rows.corrections IS NULL AND rows.outcome = 'rejection'
         UNION
         SELECT rows.file_id FROM orders JOIN rows ON rows.order_id = orders.id
         WHERE orders.account = ?1 AND orders.state = 'refused' AND rows.outcome = 'order' AND rows.corrections IS NULL)
       ORDER BY id`,
  );
}

function rowsToCorrect({ driver }: Store, fileId: number) {
  const query = `SELECT ${ROW_COLUMNS}, CASE WHEN orders.state = 'refused' THEN orders.reason END AS refusal
    ${FROM_ROWS} WHERE rows.file_id = ? AND rows.id > ? AND rows.corrections IS NULL AND ${IS_REJECTED} ORDER BY rows.id LIMIT ${BATCH}`;
  return inBatches(
    (row) => ({ ...rowFrom(row), refusal: textOrNull(row['refusal']) }),
    (after) => driver.query(query, fileId, after),
  );
}

async function markCorrected(store: Job, fileId: number, rowIds: readonly number[], corrections: string) {
  await store.driver.run(
    `UPDATE rows SET corrections = ? WHERE file_id = ? AND id IN ${AMONG_IDS}`,
    corrections,
    fileId,
    rowIds,
  );
  await insertRecord(store, 'correction_workbooks', { fileId, path: corrections, writtenAt: store.clock.now() });
  await addStep(store, 'file', fileId, 'corrections written', { corrections, rows: rowIds.length });
}

async function markWorkbookLost(store: Job, fileId: number, corrections: string) {
  await store.driver.run(
    'UPDATE rows SET corrections = NULL WHERE file_id = ? AND corrections = ? AND open_since IS NOT NULL',
    fileId,
    corrections,
  );
  await addStep(store, 'file', fileId, 'corrections lost', { corrections });
}

async function correctionsOf({ driver }: Store, fileId: number) {
  const latest = 'SELECT path FROM correction_workbooks WHERE file_id = ? ORDER BY id DESC LIMIT 1';
  return textOrNull((await driver.get(latest, fileId))?.['path']);
}

const DUE = "json_extract(rows.summary, '$.dueDate')";

const IS_PAST_DUE = `${DUE} LIKE '____-__-__' AND ${DUE} < ?2`;
const WAITING = `${FROM_OPEN_ROWS} WHERE rows.open_since IS NOT NULL AND files.account = ?1 AND ${IS_REJECTED}`;

async function waitingRows(store: Store): Promise<readonly FileToFix[]> {
  const today = localDay(store.clock.now());
  const files = await listOf(
    store,
    waitingFrom,
    `SELECT files.id AS file_id, files.name AS file, files.sender, rows.corrections, count(*) AS rows, min(rows.open_since) AS since
     ${WAITING} GROUP BY files.id, rows.corrections ORDER BY files.id DESC`,
  );
  const late = await listOf(
    store,
    (row) => ({ place: `${row['file_id']} ${row['corrections'] ?? ''}`, ...jsonOf<RowSummary>(row['summary'] ?? '') }),
    `SELECT rows.file_id, rows.corrections, rows.summary ${WAITING} AND ${IS_PAST_DUE}`,
    today,
  );
  const ordered = await orderedElsewhere(store, late);
  const places = Map.groupBy(late, ({ place }, index) => `${place} ${ordered[index] !== undefined}`);
  return files.map((file) => {
    const countOf = (isOrdered: boolean) =>
      places.get(`${file.fileId} ${file.corrections ?? ''} ${isOrdered}`)?.length ?? 0;
    return { ...file, pastDue: countOf(false), orderedElsewhere: countOf(true) };
  });
}

const placedFrom = rowReader({ policy: textOf, payload: jsonOf<OrderPayload>, projectId: textOf });

/** Shorter than any term of a policy. */
const TERM_DAYS_MIN = 150;

/** For each row with a due date: the last one, neither canceled nor closed out. */
async function orderedElsewhere(
  store: Store,
  rows: readonly Pick<RowSummary, 'policyNumber' | 'streetAddress' | 'state' | 'dueDate'>[],
): Promise<readonly (OrderedElsewhere | undefined)[]> {
  const policies = rows.map(({ policyNumber }) => JSON.stringify([policyNumber]).slice(0, -1));
  const placed = await listOf(
    store,
    placedFrom,
    `SELECT wanted.value AS policy, placed.payload, CAST(placed.project_id AS TEXT) AS project_id
       FROM json_each(?2) AS wanted CROSS JOIN orders AS placed
         ON placed.account = ?1 AND placed.policy_key >= wanted.value || ',' AND placed.policy_key < wanted.value || '-'
       JOIN projects ON ${ofProject('placed')}
       WHERE placed.state IN ('created', 'linked') AND projects.status <> 'Project Canceled'
         AND NOT EXISTS (SELECT 1 FROM closeouts WHERE ${ofProject('closeouts')}) ORDER BY placed.id`,
    [...new Set(policies)],
  );
  return rows.map((row, index) => {
    const found = placed.findLast(
      ({ policy, payload }) =>
        policy === policies[index] &&
        isSameHouse(row, { ...payload, zipcode: '' }) &&
        Math.abs(differenceInCalendarDays(row.dueDate ?? '', payload.dueDate ?? '')) < TERM_DAYS_MIN,
    );
    return found && { projectId: found.projectId, serviceName: found.payload.serviceName };
  });
}

function openRowsOf(store: Store, fileId: number) {
  return listOf(
    store,
    (row) => ({ ...rowFrom(row), corrections: textOrNull(row['corrections']) }),
    `SELECT ${ROW_COLUMNS}, rows.corrections ${FROM_OPEN_ROWS}
     WHERE files.account = ? AND rows.file_id = ? AND rows.open_since IS NOT NULL AND ${IS_REJECTED} ORDER BY rows.id`,
    fileId,
  );
}

async function dismissRows(store: Job, rows: readonly Pick<StoredRow, 'id' | 'fileId' | 'record'>[]) {
  const open = await store.driver.query(
    `UPDATE rows SET dismissed_at = ?, open_since = NULL WHERE id IN ${AMONG_IDS} AND open_since IS NOT NULL RETURNING id`,
    store.clock.now(),
    rows.map(({ id }) => id),
  );
  const dismissed = new Set(open.map(({ id }) => Number(id)));
  const took = rows.filter(({ id }) => dismissed.has(id));
  for (const [fileId, ofFile] of Map.groupBy(took, (row) => row.fileId))
    await addStep(store, 'file', fileId, 'rows dismissed', { rows: ofFile.map(({ id }) => id) });
  return open.length;
}

const doneFrom = rowReader({ id: Number, path: textOf, isReplaced: isTrue });

function workbooksDone(store: Store) {
  return listOf(
    store,
    doneFrom,
    `SELECT id, path, EXISTS (SELECT 1 FROM correction_workbooks AS later WHERE later.account = books.account AND later.path = books.path AND later.id > books.id) AS is_replaced
       FROM correction_workbooks AS books
       WHERE account = ? AND done_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM rows WHERE rows.file_id = books.file_id AND rows.corrections = books.path AND rows.open_since IS NOT NULL)
       ORDER BY id`,
  );
}

function wasWorkbook(store: Store, name: string) {
  return hasRow(store, 'correction_workbooks', 'substr(path, length(path) - length(?2) + 1) = ?2', `/${name}`);
}

async function markWorkbookDone({ driver, clock, account }: Job, id: number, movedTo: string | null) {
  await driver.run(
    'UPDATE correction_workbooks SET done_at = ?, path = coalesce(?, path) WHERE account = ? AND id = ?',
    clock.now(),
    movedTo,
    account,
    id,
  );
}

export const openRowVerbs = {
  reads: {
    filesToCorrect,
    correctionsOf,
    waitingRows,
    orderedElsewhere,
    openRowsOf,
    workbooksDone,
    wasWorkbook,
  },
  writes: {
    markCorrected,
    markWorkbookLost,
    /** Returns how many were open. */
    dismissRows,
    markWorkbookDone,
  },
  own: { rowsToCorrect },
};
