import type { PaceHint } from '../domain/ports.ts';
import type { ResultColumn } from '../domain/project.ts';
import { numberOrNull, textOrNull, type Writes } from './driver.ts';
import type { Store } from './store.ts';

/** Paced separately: the service may limit each. */
export type PaceKind = 'create' | 'read';

const HINT_MS_MAX = 7 * 24 * 60 * 60 * 1000;

async function paceHint({ driver, clock, account }: Store, kind: PaceKind) {
  const row = await driver.get(
    'SELECT rate_per_second, concurrency FROM pace_hints WHERE account = ? AND kind = ? AND learnt_at > ?',
    account,
    kind,
    clock.now() - HINT_MS_MAX,
  );
  if (row === undefined) return null;
  return { ratePerSecond: numberOrNull(row['rate_per_second']), concurrency: numberOrNull(row['concurrency']) };
}

async function keepPaceHint({ driver, clock, account, run }: Store<Writes>, kind: PaceKind, hint: PaceHint) {
  await driver.run(
    `INSERT INTO pace_hints (account, kind, rate_per_second, concurrency, learnt_at, run) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (account, kind) DO UPDATE SET rate_per_second = excluded.rate_per_second, concurrency = excluded.concurrency,
       learnt_at = excluded.learnt_at, run = excluded.run`,
    account,
    kind,
    hint.ratePerSecond,
    hint.concurrency,
    clock.now(),
    run,
  );
}

async function resultColumns({ driver, account }: Store) {
  return (
    await driver.query(
      'SELECT list, path, keyed_by, title, grouped, sheet FROM result_columns WHERE account = ? ORDER BY id',
      account,
    )
  ).map((row) => ({
    list: String(row['list']),
    path: String(row['path']),
    keyedBy: textOrNull(row['keyed_by']),
    title: String(row['title']),
    group: String(row['grouped']),
    sheet: String(row['sheet']),
  }));
}

async function addResultColumns({ driver, account, clock, run }: Store<Writes>, columns: readonly ResultColumn[]) {
  const insert = ({ list, path, keyedBy, title, group, sheet }: ResultColumn) =>
    driver.run(
      `INSERT INTO result_columns (account, list, path, keyed_by, title, grouped, sheet, run, added_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (account, list, path) DO NOTHING`,
      account,
      list,
      path,
      keyedBy,
      title,
      group,
      sheet,
      run,
      clock.now(),
    );
  await Promise.all(columns.map(insert));
}

export const settingVerbs = {
  reads: {
    /** The last run's measured pace; null if none within a week. */
    paceHint,
    resultColumns,
  },
  writes: { keepPaceHint, addResultColumns },
};
