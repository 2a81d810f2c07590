import type { News, NewsBook, NewsKind, WaitingRows } from '../deliveries.ts';
import type { Book } from '../store.ts';
import { NOT_CORRECTED, WENT_BACK } from './went-back-pages.ts';

export function newsBookIn(book: Book): NewsBook {
  const { connection } = book;
  return {
    addNews: (kind, subject) => connection.write(() => addNews(book, kind, subject)),
    untoldNews: async () => untoldNews(book),
    markTold: (ids) => connection.write(() => markTold(book, ids)),
    waitingRows: async () => waitingRows(book),
  };
}

/** Puts news on record, inside the transaction of what it tells of; the same news, untold, is one. */
export function addNews({ connection, account, clock, run }: Book, kind: NewsKind, subject: string | number): void {
  connection.run('INSERT INTO news (account, kind, subject, at, run) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING', account, kind, String(subject), clock.now(), run);
}

function untoldNews({ connection, account }: Book): readonly News[] {
  return connection.all('SELECT id, kind, subject, at, run FROM news WHERE account = ? AND told_at IS NULL ORDER BY id', account).map((row) => ({
    id: Number(row['id']),
    kind: String(row['kind']) as NewsKind,
    subject: String(row['subject']),
    at: Number(row['at']),
    run: typeof row['run'] === 'string' ? row['run'] : null,
  }));
}

function markTold({ connection, account, clock, run }: Book, ids: readonly number[]): void {
  for (const id of ids) connection.run('UPDATE news SET told_at = ?, told_in = ? WHERE account = ? AND id = ? AND told_at IS NULL', clock.now(), run, account, id);
}

function waitingRows({ connection, account }: Book): readonly WaitingRows[] {
  return connection
    .all(
      `SELECT files.id, files.name, files.recorded_at, rows.corrections, count(*) AS n
       FROM files JOIN rows ON rows.file_id = files.id LEFT JOIN orders ON orders.id = rows.order_id
       WHERE files.account = ? AND ${WENT_BACK} AND ${NOT_CORRECTED} GROUP BY files.id, rows.corrections ORDER BY files.id DESC`,
      account,
    )
    .map((row) => ({
      fileId: Number(row['id']),
      file: String(row['name']),
      rows: Number(row['n']),
      corrections: typeof row['corrections'] === 'string' ? row['corrections'] : null,
      since: Number(row['recorded_at']),
    }));
}
