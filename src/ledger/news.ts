import { numberOrNull, textOrNull } from './driver.ts';
import type { Store } from './store.ts';

/** What people have to hear of (DESIGN, exit code 3). `subject` is the id of what it is about: a file, an order, a project; of an unreadable file its name; of what is still open nothing. */
export type NewsKind = 'rows-went-back' | 'order-refused' | 'project-canceled' | 'closed-out' | 'files-missing' | 'file-unreadable' | 'update-refused' | 'still-open';

export interface News {
  readonly id: number;
  readonly kind: NewsKind;
  readonly subject: string;
  readonly at: number;
  /** The run in which it happened; null for commands that are no runs. */
  readonly run: string | null;
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

/** When news of this kind was told last (ms since the epoch); null where it never was. */
function lastToldAt({ driver, account }: Store, kind: NewsKind): number | null {
  return numberOrNull(driver.get('SELECT max(told_at) AS told_at FROM news WHERE account = ? AND kind = ?', account, kind)?.['told_at']);
}

export const newsVerbs = {
  reads: { untoldNews, lastToldAt },
  writes: { addNews, markTold },
  own: {},
};
