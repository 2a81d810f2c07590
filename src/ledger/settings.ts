import type { PaceHint } from '../domain/ports.ts';
import type { ResultColumn } from '../domain/project.ts';
import {
  insertIfAbsent,
  firstOf,
  listOf,
  replaceIn,
  type Store,
  numberOrNull,
  rowReader,
  textOf,
  textOrNull,
  type Job,
} from './store.ts';

/** Paced separately: the service may limit each. */
export type PaceKind = 'create' | 'read';

const HINT_MS_MAX = 7 * 24 * 60 * 60 * 1000;

const hintFrom = rowReader({ ratePerSecond: numberOrNull, concurrency: numberOrNull });

function paceHint(store: Store, kind: PaceKind) {
  const hint = `${hintFrom.select} FROM pace_hints WHERE account = ? AND kind = ? AND learnt_at > ?`;
  return firstOf(store, hintFrom, hint, kind, store.clock.now() - HINT_MS_MAX);
}

async function keepPaceHint(store: Job, kind: PaceKind, { ratePerSecond, concurrency }: PaceHint) {
  const hint = { ratePerSecond, concurrency, learntAt: store.clock.now(), run: store.run };
  await replaceIn(store, 'pace_hints', { kind }, hint);
}

const columnFrom = rowReader({
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

async function addResultColumns(store: Job, columns: readonly ResultColumn[]) {
  const added = { run: store.run, addedAt: store.clock.now() };
  const add = ({ list, path, keyedBy, title, group, sheet }: ResultColumn) =>
    insertIfAbsent(store, 'result_columns', { list, path, keyedBy, title, grouped: group, sheet, ...added });
  await Promise.all(columns.map(add));
}

export const settingVerbs = {
  reads: {
    /** Of the last week. */
    paceHint,
    resultColumns,
  },
  writes: { keepPaceHint, addResultColumns },
};
