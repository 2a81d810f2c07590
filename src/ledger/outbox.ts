import { jsonOf, textOf } from './driver.ts';
import type { Store } from './store.ts';

/** To whom something is told, or over what. */
export type Channel = 'analysts' | 'underwriters' | 'engineers' | 'webhook' | 'command';

/** Something to tell. */
export interface OutboxEntry {
  readonly channel: Channel;
  /** What it tells of, such as `news 17`: the same is told once. */
  readonly about: string;
  /** Whatever the teller needs to put it in words; JSON. */
  readonly facts: unknown;
}

/** One that is on record and not told yet. */
export interface UntoldEntry extends OutboxEntry {
  readonly id: number;
  /** Since when (ms since the epoch). */
  readonly at: number;
}

/** When a file of a named sender went on record (ms since the epoch). */
export interface Arrival {
  readonly sender: string;
  readonly at: number;
}

/** What is on record already, told or not, stays as it is. */
function addToOutbox({ driver, account, clock, run }: Store, entries: readonly OutboxEntry[]): void {
  for (const { channel, about, facts } of entries) {
    driver.run(
      'INSERT INTO outbox (account, channel, about, facts, at, run) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      account,
      channel,
      about,
      JSON.stringify(facts),
      clock.now(),
      run,
    );
  }
}

function untoldEntries({ driver, account }: Store): readonly UntoldEntry[] {
  return driver
    .query(
      'SELECT id, channel, about, facts, at FROM outbox WHERE account = ? AND told_at IS NULL ORDER BY id',
      account,
    )
    .map((row) => ({
      id: Number(row['id']),
      channel: textOf(row['channel']) as Channel,
      about: textOf(row['about']),
      facts: jsonOf(row['facts']),
      at: Number(row['at']),
    }));
}

function endEntries({ driver, account, clock, run }: Store, ids: readonly number[]): void {
  for (const id of ids)
    driver.run(
      `UPDATE outbox SET told_at = ?, told_in = ?, facts = '{}' WHERE account = ? AND id = ? AND told_at IS NULL`,
      clock.now(),
      run,
      account,
      id,
    );
}

/** Corrections workbooks that came back are not counted. */
function arrivalsSince({ driver, account }: Store, since: number): readonly Arrival[] {
  return driver
    .query(
      `SELECT sender, recorded_at FROM files WHERE account = ? AND sender <> '' AND kind IS NOT NULL AND recorded_at >= ? ORDER BY recorded_at`,
      account,
      since,
    )
    .map((row) => ({ sender: textOf(row['sender']), at: Number(row['recorded_at']) }));
}

export const outboxVerbs = {
  reads: { untoldEntries, arrivalsSince },
  writes: { addToOutbox, endEntries },
  own: {},
};
