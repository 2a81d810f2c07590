import { textOrNull } from './driver.ts';
import { WENT_BACK } from './rows.ts';
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

/** Rows of a file that went back and stay open until they are fixed, dropped again or dismissed. */
export interface WaitingRows {
  readonly fileId: number;
  readonly file: string;
  /** Empty where nobody was named. */
  readonly sender: string;
  readonly rows: number;
  /** The workbook they stand in, relative to the workspace; null while it is not written. */
  readonly corrections: string | null;
  /** When the first of them went back. */
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
      `SELECT files.id, files.name, files.sender, rows.corrections, count(*) AS n, min(rows.open_since) AS since
       FROM rows INDEXED BY rows_open CROSS JOIN files ON files.id = rows.file_id LEFT JOIN orders ON orders.id = rows.order_id
       WHERE rows.open_since IS NOT NULL AND files.account = ? AND ${WENT_BACK} GROUP BY files.id, rows.corrections ORDER BY files.id DESC`,
      account,
    )
    .map((row) => ({
      fileId: Number(row['id']),
      file: String(row['name']),
      sender: String(row['sender']),
      rows: Number(row['n']),
      corrections: textOrNull(row['corrections']),
      since: Number(row['since']),
    }));
}

export const newsVerbs = {
  reads: { untoldNews, waitingRows },
  writes: { addNews, markTold },
  own: {},
};
