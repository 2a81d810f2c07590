import {
  type AskedColumn,
  columnKeys,
  type LayoutAnswer,
  layoutId,
  type LayoutQuestion,
  type WordMeaning,
} from '../domain/layout.ts';
import type { SheetLayout } from '../domain/row.ts';
import {
  insertIfAbsent,
  addNews,
  addStep,
  markReportedWhere,
  firstOf,
  listOf,
  type Store,
  updateIn,
  insertInto,
  isTrue,
  jsonOf,
  numberOrNull,
  orNull,
  rowReader,
  textOf,
  textOrNull,
  type Job,
} from './store.ts';

/** Holds no values of cells: they are people's details. */
interface OpenQuestion extends Pick<LayoutQuestion, 'missing'> {
  readonly columns: readonly Omit<AskedColumn, 'samples'>[];
}

export type LayoutRecord = ReturnType<typeof recordFrom>;

type AskedLayout = Readonly<{
  sender: string;
  file: string;
  question: LayoutQuestion;
  workbook: string | null;
}>;

const waitFrom = rowReader({ hash: textOf, isOpen: isTrue });

const recordFrom = rowReader({
  id: Number,
  sender: textOf,
  layout: textOf,
  keys: jsonOf<readonly string[]>,
  file: textOf,
  sheet: textOf,
  columns: jsonOf<LayoutAnswer['columns']>,
  words: jsonOf<LayoutAnswer['words']>,
  question: orNull(jsonOf<OpenQuestion>),
  /** Relative to the workspace. */
  workbook: textOrNull,
  askedAt: Number,
  answeredAt: numberOrNull,
  answeredBy: textOrNull,
});

function layoutsOnRecord(store: Store) {
  return listOf(store, recordFrom, 'SELECT * FROM layouts WHERE account = ? ORDER BY id DESC');
}

async function openQuestions(store: Store) {
  return (await layoutsOnRecord(store)).filter(({ question }) => question !== null);
}

async function layoutsOf(store: Store, sender: string) {
  return (await layoutsOnRecord(store)).filter((layout) => layout.sender === sender);
}

async function acceptedLayouts(store: Store, sender: string, limit: number) {
  const layouts = await listOf(
    store,
    (row) => jsonOf<readonly SheetLayout[]>(row['layouts']),
    'SELECT layouts FROM files WHERE account = ? AND sender = ? AND kind IS NOT NULL AND rows_accepted > 0 ORDER BY id DESC LIMIT ?',
    sender,
    limit,
  );
  return layouts.flat();
}

async function askLayout(store: Job, { sender, file, question, workbook }: AskedLayout) {
  const { driver, account, clock } = store;
  const before = (await layoutsOf(store, sender)).find(({ layout }) => layout === question.layout);
  const { layout, keys, known: columns, sheet, missing } = question;
  const open: OpenQuestion = { columns: question.columns.map(({ samples: _samples, ...column }) => column), missing };
  const asked = { file, sheet, question: open, workbook, askedAt: clock.now() };
  let id = before?.id;
  if (id === undefined)
    id = await driver.insert(...insertInto('layouts', { account, sender, layout, keys, columns, words: [], ...asked }));
  else await updateIn(store, 'layouts', id, asked);
  // Rows with words that no list knows are news themselves.
  if (open.columns.length > 0) await addNews(store, 'layout-asked', id);
  return id;
}

async function answerLayout(
  store: Job,
  id: number,
  { columns, by }: Pick<LayoutAnswer, 'columns'> & { readonly by: string },
) {
  const before = await firstOf(store, recordFrom, 'SELECT * FROM layouts WHERE account = ? AND id = ?', id);
  if (before === null) return false;
  const answered = { question: null, answeredAt: store.clock.now(), answeredBy: by };
  await updateIn(store, 'layouts', id, { columns: { ...before.columns, ...columns }, ...answered });
  await endNews(store, id);
  if (
    before.answeredAt !== null &&
    Object.entries(columns).some(([key, field]) => key in before.columns && before.columns[key] !== field)
  )
    await addNews(store, 'layout-answer-changed', `${before.file}: ${by} replaces ${before.answeredBy}`);
  await addStep(store, 'file', `layout ${before.layout}`, 'layout answered', { by, columns });
  return true;
}

export type LearnedWords = Readonly<{
  sender: string;
  file: string;
  layout: SheetLayout;
  words: readonly WordMeaning[];
  by: string;
}>;

export async function learnWords(store: Job, { sender, file, layout, words, by }: LearnedWords) {
  const { driver, account, clock } = store;
  const keys = columnKeys(layout.columns.map(({ header }) => header));
  const name = layoutId(keys);
  const before = (await layoutsOf(store, sender)).find((known) => known.layout === name);
  const meant = ({ field, word }: WordMeaning) =>
    words.find((said) => said.field === field && said.word.toLowerCase() === word.toLowerCase());
  const kept = (before?.words ?? []).filter((word) => meant(word) === undefined);
  const known = [...kept, ...words.map((word) => ({ ...word, by }))];
  const asked = { file, sheet: layout.sheet, askedAt: clock.now(), answeredAt: clock.now(), answeredBy: by };
  const learned = { account, sender, layout: name, keys, columns: {}, words: known, ...asked };
  if (before === undefined) await driver.insert(...insertInto('layouts', learned));
  else await updateIn(store, 'layouts', before.id, { words: known });
  const replaced = before?.words.find((word) => (meant(word)?.value ?? word.value) !== word.value);
  if (replaced !== undefined)
    await addNews(store, 'layout-answer-changed', `${file}: ${by} replaces ${replaced.by ?? before?.answeredBy}`);
  await addStep(store, 'file', `layout ${name}`, 'words learned', { by, words });
}

async function endNews(store: Job, id: number) {
  await markReportedWhere(store, 'news', `kind = 'layout-asked' AND subject = ?`, String(id));
}

async function forgetLayout(store: Job, id: number) {
  await store.driver.run('DELETE FROM layout_waits WHERE account = ? AND layout_id = ?', store.account, id);
  await endNews(store, id);
  const changed = await store.driver.run(
    `UPDATE layouts SET columns = '{}', words = '[]', question = NULL, workbook = NULL, answered_at = NULL, answered_by = NULL WHERE account = ? AND id = ?`,
    store.account,
    id,
  );
  return changed > 0;
}

async function waitForLayouts(store: Job, hash: string, ids: readonly number[]) {
  for (const layoutId of ids) await insertIfAbsent(store, 'layout_waits', { hash, layoutId });
}

function layoutWaits(store: Store) {
  return listOf(
    store,
    waitFrom,
    `SELECT hash, max(CASE WHEN layouts.question IS NULL THEN 0 ELSE 1 END) AS is_open
       FROM layout_waits LEFT JOIN layouts ON layouts.id = layout_waits.layout_id WHERE layout_waits.account = ? GROUP BY hash ORDER BY hash`,
  );
}

function layoutsAwaitedBy(store: Store, hash: string) {
  const awaited = 'SELECT layout_id FROM layout_waits WHERE account = ? AND hash = ?';
  return listOf(store, ({ layout_id: id }) => Number(id), awaited, hash);
}

async function endLayoutWait({ driver, account }: Job, hash: string) {
  await driver.run('DELETE FROM layout_waits WHERE account = ? AND hash = ?', account, hash);
}

export const layoutVerbs = {
  reads: { layoutsOnRecord, openQuestions, layoutsOf, acceptedLayouts, layoutWaits, layoutsAwaitedBy },
  writes: {
    /** Opens or extends a question about a layout; earlier answers stay. Returns the layout's id. */
    askLayout,
    /** Closes the question. False if the layout is not on record. */
    answerLayout,
    forgetLayout,
    waitForLayouts,
    endLayoutWait,
  },
};
