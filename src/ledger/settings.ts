import type { PaceHint } from '../domain/ports.ts';
import type { ResultColumn } from '../domain/project.ts';
import {
  insertInto,
  numberOrNull,
  reader,
  upsert,
  textOf,
  textOrNull,
  IGNORE_CONFLICT,
  type Writes,
} from './driver.ts';
import { firstOf, listOf, type Store } from './store.ts';

/** Paced separately: the service may limit each. */
export type PaceKind = 'create' | 'read';

const HINT_MS_MAX = 7 * 24 * 60 * 60 * 1000;

const hintFrom = reader({ ratePerSecond: numberOrNull, concurrency: numberOrNull });

function paceHint(store: Store, kind: PaceKind) {
  const hint = `${hintFrom.select} FROM pace_hints WHERE account = ? AND kind = ? AND learnt_at > ?`;
  return firstOf(store, hintFrom, hint, kind, store.clock.now() - HINT_MS_MAX);
}

async function keepPaceHint({ driver, clock, account, run }: Store<Writes>, kind: PaceKind, hint: PaceHint) {
  await driver.run(
    ...insertInto(
      'pace_hints',
      { account, kind, ratePerSecond: hint.ratePerSecond, concurrency: hint.concurrency, learntAt: clock.now(), run },
      upsert('account, kind', 'rate_per_second', 'concurrency', 'learnt_at', 'run'),
    ),
  );
}

const columnFrom = reader({
  list: textOf,
  path: textOf,
  keyedBy: textOrNull,
  title: textOf,
  group: textOf,
  sheet: textOf,
});

function resultColumns(store: Store) {
  const columns = 'list, path, keyed_by, title, grouped AS "group", sheet';
  return listOf(store, columnFrom, `SELECT ${columns} FROM result_columns WHERE account = ? ORDER BY id`);
}

async function addResultColumns({ driver, account, clock, run }: Store<Writes>, columns: readonly ResultColumn[]) {
  const insert = ({ list, path, keyedBy, title, group, sheet }: ResultColumn) =>
    driver.run(
      ...insertInto(
        'result_columns',
        { account, list, path, keyedBy, title, grouped: group, sheet, run, addedAt: clock.now() },
        IGNORE_CONFLICT,
      ),
    );
  await Promise.all(columns.map(insert));
}

export const settingVerbs = {
  reads: {
    /** Of the last week. */
    paceHint,
    resultColumns,
  },
  writes: { keepPaceHint, addResultColumns },
};
