import { textOrNull } from './driver.ts';
import { NOT_CORRECTED, WENT_BACK } from './rows.ts';
import type { Store } from './store.ts';

/** What people have to hear of (DESIGN, exit code 3). `subject` is the id of what it is about: a file, an order, a project; of an unreadable file its name. */
export type NewsKind = 'rows-went-back' | 'order-refused' | 'project-canceled' | 'closed-out' | 'files-missing' | 'file-unreadable' | 'update-refused';

export interface News {
  readonly id: number;
  readonly kind: NewsKind;
  readonly subject: string;
  readonly at: number;
  /** The run in which it happened; null for commands that are no runs. */
  readonly run: string | null;
}

/** Rows of a file that wait to be corrected. */
export interface WaitingRows {
  readonly fileId: number;
  readonly file: string;
  readonly rows: number;
  /** The workbook they stand in, relative to the workspace; null while it is not written. */
  readonly corrections: string | null;
  readonly since: number;
}

/** Records news in the transaction of what it tells of. The same news, if still untold, counts once. */
export function addNews({ driver, account, clock, run }: Store, kind: NewsKind, subject: string | number): void {
  driver.run('INSERT INTO news (account, kind, subject, at, run) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING', account, kind, String(subject), clock.now(), run);
}

function untoldNews({ driver, account }: Store): readonly News[] {
  return driver.query('SELECT id, kind, subject, at, run FROM news WHERE account = ? AND told_at IS NULL ORDER BY id', account).map((row) => ({
    id: Number(row['id']),
    kind: String(row['kind']) as NewsKind,
    subject: String(row['subject']),
    at: Number(row['at']),
    run: textOrNull(row['run']),
  }));
}

function markTold({ driver, account, clock, run }: Store, ids: readonly number[]): void {
  for (const id of ids) driver.run('UPDATE news SET told_at = ?, told_in = ? WHERE account = ? AND id = ? AND told_at IS NULL', clock.now(), run, account, id);
}

function waitingRows({ driver, account }: Store): readonly WaitingRows[] {
  return driver
    .query(
      `SELECT files.id, files.name, files.recorded_at, rows.corrections, count(*) AS n
       FROM files JOIN rows ON rows.file_id = files.id LEFT JOIN orders ON orders.id = rows.order_id
       WHERE files.account = ? AND ${WENT_BACK} AND ${NOT_CORRECTED} GROUP BY files.id, rows.corrections ORDER BY files.id DESC`,
      account,
    )
    .map((row) => ({
      fileId: Number(row['id']),
      file: String(row['name']),
      rows: Number(row['n']),
      corrections: textOrNull(row['corrections']),
      since: Number(row['recorded_at']),
    }));
}

export const newsVerbs = {
  reads: { untoldNews, waitingRows },
  writes: { addNews, markTold },
  own: {},
};
