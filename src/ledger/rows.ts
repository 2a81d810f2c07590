import type { Cell } from '../domain/cells.ts';
import type { Problem, Repair, RowPlace, RowRecord, RowSummary } from '../domain/row.ts';
import type { fileVerbs } from './files.ts';
import type { lookupVerbs } from './lookups.ts';
import { LIVING } from './orders.ts';
import { WITH_PROJECT } from './projects.ts';
import {
  type BoundVerbGroup,
  inBatches,
  listOf,
  type Store,
  isTrue,
  jsonOf,
  numberOrNull,
  rowReader,
  textOf,
  textOrNull,
  type Job,
  type SqlRow,
} from './store.ts';

export type FieldChange = Readonly<{
  field: string;
  ordered: string;
  now: string;
}>;

export type NewRow = Readonly<{
  outcome: 'order' | 'repeat' | 'rejection';
  orderId: number | null;
  record: RowRecord;
  problems: readonly Problem[];
  repairs: readonly Repair[];
  summary: RowSummary;
  changes?: readonly FieldChange[];
  corrects?: number;
  /** The same in rows of its sender that are this one; null if it could always be ordered. */
  content?: string | null;
  /** The workbook of the dismissed row with the same content. */
  dismissedIn?: string | null;
  /** As `repeatNewsSubject` in `store.ts`. */
  news?: string;
}>;

export type StoredRow = ReturnType<typeof rowFrom>;

export type EarlierRow = Omit<ReturnType<typeof earlierFrom>, 'fileId' | 'outcome'>;

/** `filesNamedLike`: with or without sender; the latest first. */
export type EarlierRows = BoundVerbGroup<{
  reads: Pick<typeof fileVerbs.reads, 'findFileByHashStart' | 'filesNamedLike'> &
    Pick<typeof lookupVerbs.reads, 'placesOfOrders'> &
    Pick<typeof rowVerbs.reads, 'rowsAndLater' | 'latestOpenRows'>;
  own: typeof rowVerbs.own;
}>;

export const ROW_COLUMNS = `rows.id, rows.file_id, files.hash AS file_hash, files.name AS file_name, rows.outcome, rows.order_id, rows.record, rows.problems, rows.repairs, rows.summary`;

export const rowFrom = rowReader({
  id: Number,
  fileId: Number,
  fileHash: textOf,
  fileName: textOf,
  outcome: textOf<NewRow['outcome']>,
  orderId: numberOrNull,
  record: recordFrom,
  problems: jsonOf<readonly Problem[]>,
  repairs: jsonOf<readonly Repair[]>,
  summary: jsonOf<RowSummary>,
});

function recordFrom(value: SqlRow[string] | undefined) {
  // The replacement is stored in the record but not part of it.
  const { place, cells, correctsRow } = jsonOf<Omit<RowRecord, 'cells'> & { readonly cells: readonly (Cell | null)[] }>(
    value,
  );
  return { place, cells: cells.map((cell) => cell ?? undefined), correctsRow };
}

const changedFrom = rowReader({
  orderId: Number,
  projectId: textOrNull,
  status: textOrNull,
  at: Number,
  place: jsonOf<RowPlace>,
  changes: jsonOf<readonly FieldChange[]>,
});

function changedOrders(store: Store, limit: number, since = Number.MAX_SAFE_INTEGER) {
  return listOf(
    store,
    changedFrom,
    `SELECT order_changes.order_id, order_changes.at, order_changes.changes, CAST(orders.project_id AS TEXT) AS project_id, projects.status,
         json_extract(rows.record, '$.place') AS place
       FROM order_changes JOIN rows ON rows.id = order_changes.row_id JOIN orders ON orders.id = order_changes.order_id
       ${WITH_PROJECT}
       WHERE order_changes.account = ? AND orders.${LIVING}
         AND coalesce(projects.status, '') NOT IN ('Project Canceled', 'Client Received', 'Receive Error')
         AND (projects.collected_at IS NULL OR order_changes.at >= ?)
         AND NOT EXISTS (SELECT 1 FROM order_changes AS later
           WHERE later.account = order_changes.account AND later.order_id = order_changes.order_id AND later.row_id > order_changes.row_id)
       ORDER BY order_changes.row_id DESC LIMIT ?`,
    since,
    limit,
  );
}

const BATCH = 500;

export const WITH_FILE = 'JOIN files ON files.id = rows.file_id';

export const WITH_FILE_AND_ORDER = `${WITH_FILE} LEFT JOIN orders ON orders.id = rows.order_id`;

export const FROM_ROWS = `FROM rows ${WITH_FILE_AND_ORDER}`;

export const IS_REJECTED = `(rows.outcome = 'rejection' OR (rows.outcome = 'order' AND orders.state = 'refused'))`;

const EARLIER_COLUMNS = `${ROW_COLUMNS}, rows.content, rows.corrections, rows.dismissed_at IS NOT NULL AS is_dismissed, orders.created_at AS ordered_at, coalesce(json_extract(orders.payload, '$.policyEffectiveDate'), json_extract(orders.payload, '$.dueDate')) IS NOT NULL AS is_dated, json_extract(rows.record, '$.correctedBy') AS corrected_by, ${IS_REJECTED} AS went_back, (orders.state IS NOT NULL AND orders.${LIVING}) AS is_ordered, (${IS_REJECTED} AND rows.open_since IS NOT NULL) AS is_open`;

const NOT_CORRECTED = `json_extract(rows.record, '$.correctedBy') IS NULL`;

export const STILL_COUNTS = `${NOT_CORRECTED} AND rows.dismissed_at IS NULL`;

export function rejectedRows({ driver, account }: Store, fileId: number) {
  const query = `SELECT ${EARLIER_COLUMNS} ${FROM_ROWS} WHERE rows.file_id = ? AND rows.id > ? AND files.account = ? AND ${IS_REJECTED} ORDER BY rows.id LIMIT ${BATCH}`;
  return inBatches<EarlierRow>(earlierFrom, (after) => driver.query(query, fileId, after, account));
}

/** Of all files, the latest first. */
export function latestOpenRows(store: Store, limit: number): Promise<readonly EarlierRow[]> {
  const query = `SELECT ${EARLIER_COLUMNS} FROM rows CROSS ${WITH_FILE_AND_ORDER}
    WHERE rows.open_since IS NOT NULL AND files.account = ? AND ${IS_REJECTED} ORDER BY rows.file_id DESC LIMIT ?`;
  return listOf(store, earlierFrom, query, limit);
}

export function placesOf({ driver, account }: Store, fileId: number) {
  const query = `SELECT rows.id, rows.sheet, rows.row_number FROM rows ${WITH_FILE} WHERE rows.file_id = ? AND rows.id > ? AND files.account = ? ORDER BY rows.id LIMIT ${BATCH}`;
  return inBatches(rowReader({ sheet: textOf, rowNumber: Number }), (after) =>
    driver.query(query, fileId, after, account),
  );
}

/** With the latest of each content. */
export async function rowsAndLater(
  store: Store,
  rowIds: readonly number[],
  contents: readonly string[] = [],
): Promise<readonly EarlierRow[]> {
  if (rowIds.length + contents.length === 0) return [];
  return listOf(
    store,
    earlierFrom,
    `WITH RECURSIVE chain (id) AS (
       SELECT CAST(value AS BIGINT) FROM json_each(?2)
       UNION
       SELECT max(rows.id) FROM rows ${WITH_FILE} WHERE files.account = ?1 AND rows.content IN (SELECT value FROM json_each(?3)) GROUP BY rows.content
       UNION
       SELECT CAST(json_extract(rows.record, '$.correctedBy') AS BIGINT) FROM chain JOIN rows ON rows.id = chain.id)
     SELECT ${EARLIER_COLUMNS} FROM chain CROSS JOIN rows ON rows.id = chain.id ${WITH_FILE_AND_ORDER} WHERE files.account = ?1`,
    rowIds,
    contents,
  );
}

const standingFrom = rowReader({
  wentBack: isTrue,
  isOrdered: isTrue,
  isOpen: isTrue,
  correctedBy: numberOrNull,
  content: textOrNull,
  corrections: textOrNull,
  isDismissed: isTrue,
  orderedAt: numberOrNull,
  isDated: isTrue,
});

function earlierFrom(row: SqlRow) {
  return { ...rowFrom(row), ...standingFrom(row) };
}

export async function markCorrectedBy({ driver }: Job, rowId: number, correctedBy: number) {
  // A row that comes back once more has been open since it first did.
  await driver.run(
    `UPDATE rows SET open_since = coalesce((SELECT before.open_since FROM rows AS before WHERE before.id = ?), open_since) WHERE id = ? AND open_since IS NOT NULL`,
    rowId,
    correctedBy,
  );
  await driver.run(
    `UPDATE rows SET record = json_set(record, '$.correctedBy', CAST(? AS BIGINT)), open_since = NULL WHERE id = ? AND ${NOT_CORRECTED}`,
    correctedBy,
    rowId,
  );
}

function chainBy(key: 'corrects' | 'correctedBy') {
  return `WITH RECURSIVE chain (id, step) AS (
       SELECT CAST(json_extract(record, '$.${key}') AS BIGINT), 1 FROM rows WHERE id = ?
       UNION
       SELECT CAST(json_extract(rows.record, '$.${key}') AS BIGINT), step + 1 FROM chain JOIN rows ON rows.id = chain.id)`;
}

/** The oldest first. */
export async function rowsBefore({ driver }: Store, rowId: number) {
  return (
    await driver.query(
      `${chainBy('corrects')} SELECT ${ROW_COLUMNS} FROM chain JOIN rows ON rows.id = chain.id ${WITH_FILE}
       ORDER BY chain.step DESC`,
      rowId,
    )
  ).map(rowFrom);
}

export async function lastReplacement({ driver }: Store, rowId: number): Promise<EarlierRow | null> {
  const row = await driver.get(
    `${chainBy('correctedBy')} SELECT ${EARLIER_COLUMNS} FROM chain JOIN rows ON rows.id = chain.id ${WITH_FILE_AND_ORDER}
     ORDER BY chain.step DESC LIMIT 1`,
    rowId,
  );
  return row === undefined ? null : earlierFrom(row);
}

export const rowVerbs = {
  reads: {
    /** Each with its latest change, the newest first. */
    changedOrders,
    rowsAndLater,
    latestOpenRows,
  },
  own: { rejectedRows, placesOf },
};
