import {
  insertIfAbsent,
  markReportedWhere,
  listOf,
  type Store,
  AMONG_IDS,
  jsonOf,
  rowReader,
  textOf,
  type Job,
} from './store.ts';

type Channel = 'analysts' | 'underwriters' | 'engineers' | 'webhook' | 'webhook.projects' | 'command';

export type OutboxEntry = Readonly<{
  channel: Channel;
  /** Such as `news 17`: reported once. */
  about: string;
  facts: unknown;
}>;

export type UnsentEntry = ReturnType<typeof unsentFrom>;

export type FileArrival = ReturnType<typeof arrivalFrom>;

const arrivalFrom = rowReader({ sender: textOf, at: Number });

/** Call before sending. Existing entries stay. */
export async function addToOutbox(store: Job, entries: readonly OutboxEntry[]) {
  const { clock, run } = store;
  const add = ({ channel, about, facts }: OutboxEntry) =>
    insertIfAbsent(store, 'outbox', { channel, about, facts: JSON.stringify(facts), at: clock.now(), run });
  await Promise.all(entries.map(add));
}

const unsentFrom = rowReader({ id: Number, channel: textOf<Channel>, about: textOf, facts: jsonOf, at: Number });

/** Of many messages about projects, the rest waits for the next run. */
const UNSENT_MAX = 2_000;

function unsentEntries(store: Store) {
  return listOf(
    store,
    unsentFrom,
    `${unsentFrom.select} FROM outbox WHERE account = ? AND told_at IS NULL ORDER BY channel = 'webhook.projects', id LIMIT ${UNSENT_MAX}`,
  );
}

async function endEntries(store: Job, ids: readonly number[]) {
  await markReportedWhere(store, 'outbox', `id IN ${AMONG_IDS}`, ids, `, facts = '{}'`);
}

/** Without returned corrections workbooks. */
function arrivalsSince(store: Store, since: number) {
  return listOf(
    store,
    arrivalFrom,
    `SELECT sender, recorded_at AS at FROM files WHERE account = ? AND sender <> '' AND kind IS NOT NULL AND recorded_at >= ? ORDER BY recorded_at`,
    since,
  );
}

export const outboxVerbs = { reads: { unsentEntries, arrivalsSince }, writes: { addToOutbox, endEntries } };
