import { AMONG_IDS, jsonOf, reader, textOf, type Writes } from './driver.ts';
import { listOf, type Store } from './store.ts';

export type Channel = 'analysts' | 'underwriters' | 'engineers' | 'webhook' | 'command';

export interface OutboxEntry {
  readonly channel: Channel;
  /** Such as `news 17`: reported once. */
  readonly about: string;
  readonly facts: unknown;
}

export type UnsentEntry = ReturnType<typeof untoldFrom>;

/** Of a file of a named sender. */
export interface Arrival {
  readonly sender: string;
  readonly at: number;
}

/** Keeps existing entries, sent or not. */
async function addToOutbox({ driver, account, clock, run }: Store<Writes>, entries: readonly OutboxEntry[]) {
  const insert = (entry: OutboxEntry) =>
    driver.run(
      'INSERT INTO outbox (account, channel, about, facts, at, run) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      account,
      entry.channel,
      entry.about,
      JSON.stringify(entry.facts),
      clock.now(),
      run,
    );
  await Promise.all(entries.map(insert));
}

const untoldFrom = reader({
  id: Number,
  channel: textOf<Channel>,
  about: textOf,
  facts: jsonOf,
  at: Number,
});

async function untoldEntries(store: Store) {
  return listOf(
    store,
    untoldFrom,
    'SELECT id, channel, about, facts, at FROM outbox WHERE account = ? AND told_at IS NULL ORDER BY id',
  );
}

async function endEntries({ driver, account, clock, run }: Store<Writes>, ids: readonly number[]) {
  await driver.run(
    `UPDATE outbox SET told_at = ?, told_in = ?, facts = '{}' WHERE account = ? AND id IN ${AMONG_IDS} AND told_at IS NULL`,
    clock.now(),
    run,
    account,
    JSON.stringify(ids),
  );
}

/** Without returned corrections workbooks. */
async function arrivalsSince({ driver, account }: Store, since: number) {
  return (
    await driver.query(
      `SELECT sender, recorded_at FROM files WHERE account = ? AND sender <> '' AND kind IS NOT NULL AND recorded_at >= ? ORDER BY recorded_at`,
      account,
      since,
    )
  ).map((row) => ({ sender: textOf(row['sender']), at: Number(row['recorded_at']) }));
}

export const outboxVerbs = {
  reads: { untoldEntries, arrivalsSince },
  writes: {
    /** Records messages before they are sent; keeps existing ones. */
    addToOutbox,
    endEntries,
  },
};
