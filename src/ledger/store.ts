import type { Clock } from '../domain/ports.ts';
import { type Driver, numberOrNull, type SqlRow, type SqlValue, textOrNull } from './driver.ts';

export interface Step {
  readonly at: number;
  readonly run: string | null;
  readonly subject: 'file' | 'order' | 'project' | 'delivery' | 'run';
  readonly subjectId: string;
  readonly event: string;
  readonly detail: Readonly<Record<string, unknown>> | null;
}

export interface Store {
  readonly driver: Driver;
  readonly clock: Clock;
  readonly account: string;
  /** Null for commands that are not runs. */
  run: string | null;
}

/** Adds a step in the caller's transaction; with `condition` (SQL), only if it holds. */
export function addStep(
  store: Store,
  subject: Step['subject'],
  subjectId: string | number,
  event: string,
  detail?: Readonly<Record<string, unknown>>,
  condition = '',
  values: readonly SqlValue[] = [],
): void {
  store.driver.run(
    `INSERT INTO steps (account, at, run, subject, subject_id, event, detail) ${condition === '' ? 'VALUES (?, ?, ?, ?, ?, ?, ?)' : `SELECT ?, ?, ?, ?, ?, ?, ? WHERE ${condition}`}`,
    store.account,
    store.clock.now(),
    store.run,
    subject,
    String(subjectId),
    event,
    detail === undefined ? null : JSON.stringify(detail),
    ...values,
  );
}

/** A canceled project is news, unless a person canceled it here. */
export function tellOfCancellation(store: Store, projectId: string, status: string): void {
  if (status !== 'Project Canceled') return;
  const canceledHere = `SELECT 1 FROM updates WHERE account = ? AND project_id = ? AND kind = 'cancel' AND state <> 'refused' LIMIT 1`;
  if (store.driver.get(canceledHere, store.account, BigInt(projectId)) === undefined)
    addNews(store, 'project-canceled', projectId);
}

/** A project's `returned_at` if `status` is recorded at `now`; null if it is no return. */
export function returnedBy(status: string, now: number): number | null {
  return status === 'Returned to Client' ? now : null;
}

/**
 * Reads a long query in batches so that others can write meanwhile. `batchAfter` returns the rows after a key, which is
 * the column `key`.
 */
export function* inBatches(batchAfter: (after: number) => readonly SqlRow[], key = 'id'): Generator<SqlRow> {
  for (let after = 0; ;) {
    const rows = batchAfter(after);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = Number(last[key]);
  }
}

/** A method as in its group: the store comes first. */
type Verb = (store: Store, ...said: never[]) => unknown;
type Verbs = Readonly<Record<string, Verb>>;
type Said<V> = V extends (store: Store, ...said: infer S) => unknown ? S : never;
type Answer<V> = V extends (store: Store, ...said: never[]) => infer A ? A : never;

export interface Group {
  /** Only read. */
  readonly reads: Verbs;
  /** Change something in one transaction; fulfill when synced. */
  readonly writes: Verbs;
  /** Read many rows in batches, or make their own transactions. */
  readonly own: Verbs;
}

type BoundGroup<G extends Group> = {
  [K in keyof G['reads'] | keyof G['writes']]: (
    ...said: Said<(G['reads'] & G['writes'])[K]>
  ) => Promise<Answer<(G['reads'] & G['writes'])[K]>>;
} & {
  [K in keyof G['own']]: (...said: Said<G['own'][K]>) => Answer<G['own'][K]>;
};

export function bindGroup<G extends Group>(store: Store, { reads, writes, own }: G): BoundGroup<G> {
  const bound = (verbs: Verbs, call: (work: () => unknown) => unknown) =>
    Object.entries(verbs).map(
      ([name, verb]) => [name, (...said: never[]) => call(() => verb(store, ...said))] as const,
    );
  return Object.fromEntries([
    ...bound(reads, async (look) => look()),
    ...bound(writes, (change) => store.driver.write(change)),
    ...bound(own, (work) => work()),
  ]) as BoundGroup<G>;
}

/**
 * News for people (DESIGN, exit code 3). `subject`: the id of a file, order or project; an unreadable file's name; a
 * sentence about an omitted sheet; a repeat's order and reason (`repeatNews`); empty for what is still open.
 */
export type NewsKind =
  | 'rows-went-back'
  | 'order-refused'
  | 'project-canceled'
  | 'closed-out'
  | 'files-missing'
  | 'file-unreadable'
  | 'sheet-left-out'
  | 'update-refused'
  | 'repeat-not-ordered'
  | 'still-open';

export interface News {
  readonly id: number;
  readonly kind: NewsKind;
  readonly subject: string;
  readonly at: number;
  readonly run: string | null;
}

/** Records news in the transaction of its cause. Equal unreported news counts once. */
export function addNews({ driver, account, clock, run }: Store, kind: NewsKind, subject: string | number): void {
  driver.run(
    'INSERT INTO news (account, kind, subject, at, run) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    account,
    kind,
    String(subject),
    clock.now(),
    run,
  );
}

/** Records news unless it was recorded before. */
export function tellOnce(store: Store, kind: NewsKind, subject: string): void {
  const before = 'SELECT 1 FROM news WHERE account = ? AND kind = ? AND subject = ? LIMIT 1';
  if (store.driver.get(before, store.account, kind, subject) === undefined) addNews(store, kind, subject);
}

/** Why people must hear of a repeat that was not ordered. */
export type RepeatReason = 'canceled' | 'closed-out' | 'given-up' | 'undated' | 'other-date' | 'without-numbers';

/** The subject of a repeat's news. `date`: the row's, if another date makes new news. */
export function repeatNews(orderId: number, reason: RepeatReason, date = ''): string {
  return `${orderId} ${reason} ${date}`.trimEnd();
}

export function repeatNewsIn(subject: string): {
  readonly orderId: number;
  readonly reason: RepeatReason;
  readonly date: string;
} {
  const [orderId, reason, date = ''] = subject.split(' ');
  return { orderId: Number(orderId), reason: reason as RepeatReason, date };
}

function untoldNews({ driver, account }: Store): readonly News[] {
  return driver
    .query('SELECT id, kind, subject, at, run FROM news WHERE account = ? AND told_at IS NULL ORDER BY id', account)
    .map((row) => ({
      id: Number(row['id']),
      kind: String(row['kind']) as NewsKind,
      subject: String(row['subject']),
      at: Number(row['at']),
      run: textOrNull(row['run']),
    }));
}

function markTold({ driver, account, clock, run }: Store, ids: readonly number[]): void {
  for (const id of ids)
    driver.run(
      'UPDATE news SET told_at = ?, told_in = ? WHERE account = ? AND id = ? AND told_at IS NULL',
      clock.now(),
      run,
      account,
      id,
    );
}

function lastToldAt({ driver, account }: Store, kind: NewsKind): number | null {
  return numberOrNull(
    driver.get('SELECT max(told_at) AS told_at FROM news WHERE account = ? AND kind = ?', account, kind)?.['told_at'],
  );
}

export const newsVerbs = {
  reads: { untoldNews, lastToldAt },
  writes: { addNews, markTold },
  own: {},
};
