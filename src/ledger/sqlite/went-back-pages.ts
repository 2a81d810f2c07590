import type { EarlierRow, StoredRow } from '../rows.ts';
import type { WentBackLookup } from '../lookups.ts';
import type { Book } from '../store.ts';
import { ROW_COLUMNS, rowFrom } from './mapping.ts';
import type { SqlRow } from '../driver.ts';

const BATCH = 500;
const FROM_ROWS = `FROM rows JOIN files ON files.id = rows.file_id LEFT JOIN orders ON orders.id = rows.order_id`;
export const WENT_BACK = `(rows.outcome = 'rejection' OR (rows.outcome = 'order' AND orders.state = 'refused'))`;
const EARLIER_COLUMNS = `${ROW_COLUMNS}, json_extract(rows.record, '$.correctedBy') AS corrected_by, ${WENT_BACK} AS went_back`;

/** True for a row that nothing has come in place of. */
export const NOT_CORRECTED = `json_extract(rows.record, '$.correctedBy') IS NULL`;

export function wentBackIn(book: Book): WentBackLookup {
  const { connection, account } = book;
  return {
    findFileByHashStart: (hashStart) => {
      // Hex digits end before the letter g.
      const row = connection.get('SELECT id, hash FROM files WHERE account = ? AND hash >= ? AND hash < ? LIMIT 1', account, hashStart, `${hashStart}g`);
      return row === undefined ? null : { id: Number(row['id']), hash: String(row['hash']) };
    },
    filesNamedLike: (nameStart, limit) =>
      connection
        .all(
          `SELECT id, hash, name FROM files
           WHERE account = ?1 AND (substr(name, 1, length(?2)) = ?2 OR (sender <> '' AND substr(name, length(sender) + 2, length(?2)) = ?2)) ORDER BY id DESC LIMIT ?3`,
          account,
          nameStart,
          limit,
        )
        .map((row) => ({ id: Number(row['id']), hash: String(row['hash']), name: String(row['name']) })),
    rowsThatWentBack: (fileId) => rowsThatWentBack(book, fileId),
    findRow: (rowId) => {
      const row = connection.get(`SELECT ${EARLIER_COLUMNS} ${FROM_ROWS} WHERE rows.id = ? AND files.account = ?`, rowId, account);
      return row === undefined ? null : earlierFrom(row);
    },
  };
}

function* rowsThatWentBack({ connection, account }: Book, fileId: number): Generator<EarlierRow> {
  for (let after = 0; ; ) {
    const rows = connection.all(
      `SELECT ${EARLIER_COLUMNS} ${FROM_ROWS} WHERE rows.file_id = ? AND rows.id > ? AND files.account = ? AND ${WENT_BACK} ORDER BY rows.id LIMIT ${BATCH}`,
      fileId,
      after,
      account,
    );
    yield* rows.map(earlierFrom);
    if (rows.length < BATCH) return;
    after = Number(rows.at(-1)?.['id']);
  }
}

function earlierFrom(row: SqlRow): EarlierRow {
  const { id, fileHash, fileName, record, summary, orderId } = rowFrom(row);
  const correctedBy = row['corrected_by'];
  return { id, fileHash, fileName, record, summary, orderId, wentBack: row['went_back'] === 1, correctedBy: typeof correctedBy === 'number' ? correctedBy : null };
}

/** Puts on record, with a row that went back, which row came in its place. */
export function markCorrectedBy({ connection }: Book, rowId: number, correctedBy: number): void {
  connection.run(`UPDATE rows SET record = json_set(record, '$.correctedBy', ?) WHERE id = ? AND ${NOT_CORRECTED}`, correctedBy, rowId);
}

/** The rows that a row came in place of, the first of them first. */
export function rowsBefore({ connection }: Book, rowId: number): readonly StoredRow[] {
  return connection
    .all(
      `WITH RECURSIVE before (id, step) AS (
         SELECT json_extract(record, '$.corrects'), 1 FROM rows WHERE id = ?
         UNION
         SELECT json_extract(rows.record, '$.corrects'), step + 1 FROM before JOIN rows ON rows.id = before.id)
       SELECT ${ROW_COLUMNS} FROM before JOIN rows ON rows.id = before.id JOIN files ON files.id = rows.file_id ORDER BY before.step DESC`,
      rowId,
    )
    .map(rowFrom);
}
