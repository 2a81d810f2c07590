import { fileFrom, type FileRecord, filesWhere } from './files.ts';
import { WITH_PROJECT } from './projects.ts';
import { insertIfAbsent, listOf, type Store, AMONG_IDS, rowReader, textOf, type Job } from './store.ts';

export interface ReceiptRecord extends ReturnType<typeof receiptFrom> {
  readonly file: FileRecord;
}

const receiptFrom = rowReader({
  fileId: Number,
  path: textOf,
  /** The `state` that the workbook shows; empty until it is written. */
  shown: textOf,
  /** 0 until it is written. */
  writtenAt: Number,
  /** Of the rows, and of those that correct them. */
  state: textOf,
  /** Rows whose inspection or correction is still to come. */
  outstanding: Number,
});

const CORRECTS_NONE = `json_extract(rows.record, '$.corrects') IS NULL`;

/** Without files that only correct rows of others, whose receipts show those rows. */
function filesWithoutReceipt(store: Store, since: number) {
  return filesWhere(
    store,
    `recorded_at >= ? AND NOT EXISTS (SELECT 1 FROM receipts WHERE receipts.file_id = files.id)
       AND EXISTS (SELECT 1 FROM rows WHERE rows.file_id = files.id AND ${CORRECTS_NONE}) ORDER BY id`,
    since,
  );
}

function beginReceipt(store: Job, fileId: number, path: string) {
  return insertIfAbsent(store, 'receipts', { fileId, path });
}

const IS_OUTSTANDING = `(rows.open_since IS NOT NULL OR orders.state IN ('ready', 'submitting', 'unresolved', 'held')
  OR (rows.outcome = 'order' AND orders.state IN ('created', 'linked') AND projects.collected_at IS NULL AND projects.given_up_at IS NULL
    AND coalesce(projects.status, '') NOT IN ('Client Received', 'Project Canceled')))`;

const STATE = `sum((coalesce(rows.open_since, 0) + coalesce(rows.dismissed_at, 0) + coalesce(orders.updated_at, 0)
  + coalesce(projects.status_at, 0) + coalesce(projects.collected_at, 0) + coalesce(projects.given_up_at, 0)) % 1000000007)`;

function openReceipts(store: Store) {
  return listOf(
    store,
    (row) => ({ ...receiptFrom(row), file: fileFrom(row) }),
    `WITH RECURSIVE chain (file_id, id) AS (
       SELECT receipts.file_id, rows.id FROM receipts JOIN rows ON rows.file_id = receipts.file_id WHERE receipts.account = ?1 AND receipts.ended_at IS NULL
       UNION ALL
       SELECT chain.file_id, CAST(json_extract(rows.record, '$.correctedBy') AS BIGINT) FROM chain JOIN rows ON rows.id = chain.id
       WHERE json_extract(rows.record, '$.correctedBy') IS NOT NULL),
     states (file_id, state, outstanding) AS (
       SELECT chain.file_id, CAST(count(*) AS TEXT) || ' ' || CAST(${STATE} AS TEXT), sum(CASE WHEN ${IS_OUTSTANDING} THEN 1 ELSE 0 END)
       FROM chain JOIN rows ON rows.id = chain.id LEFT JOIN orders ON orders.id = rows.order_id
       ${WITH_PROJECT} AND rows.outcome <> 'repeat'
       GROUP BY chain.file_id)
     SELECT files.*, receipts.file_id, receipts.path, receipts.shown, receipts.written_at, states.state, states.outstanding
     FROM states JOIN receipts ON receipts.file_id = states.file_id JOIN files ON files.id = receipts.file_id ORDER BY receipts.file_id`,
  );
}

async function noteReceipt({ driver, clock }: Job, fileId: number, state: string) {
  await driver.run('UPDATE receipts SET shown = ?, written_at = ? WHERE file_id = ?', state, clock.now(), fileId);
}

async function endReceipt({ driver, clock }: Job, fileId: number) {
  await driver.run('UPDATE receipts SET ended_at = ? WHERE file_id = ? AND ended_at IS NULL', clock.now(), fileId);
}

async function receiptsOf({ driver, account }: Store, fileIds: readonly number[]) {
  return (
    await driver.query(
      `WITH RECURSIVE chain (id) AS (
         SELECT id FROM rows WHERE file_id IN ${AMONG_IDS}
         UNION
         SELECT CAST(json_extract(rows.record, '$.corrects') AS BIGINT) FROM chain JOIN rows ON rows.id = chain.id
         WHERE json_extract(rows.record, '$.corrects') IS NOT NULL)
       SELECT path FROM receipts JOIN files ON files.id = receipts.file_id
       WHERE receipts.account = ? AND ended_at IS NULL AND written_at IS NOT NULL
         AND file_id IN (SELECT rows.file_id FROM chain JOIN rows ON rows.id = chain.id)
         AND sender IN (SELECT sender FROM files WHERE id IN ${AMONG_IDS}) ORDER BY file_id`,
      fileIds,
      account,
      fileIds,
    )
  ).map(({ path }) => textOf(path));
}

export const receiptVerbs = {
  reads: {
    filesWithoutReceipt,
    openReceipts,
    /** Written ones, also of their senders' files that they correct. */
    receiptsOf,
  },
  writes: {
    /** Reserves the path before the workbook is written. False if the path, or the file, has a receipt. */
    beginReceipt,
    noteReceipt,
    endReceipt,
  },
};
