import { baseIdentity } from '../domain/identity.ts';
import type { Note } from '../domain/row.ts';
import { runAndUndo } from './driver.ts';
import { filesNamedLike, findFile, findFileByHashStart, type NewFile } from './files.ts';
import { learnWords, type LearnedWords } from './layouts.ts';
import {
  KnownOrders,
  mergeOrders,
  type OrderLookup,
  type OrdersOnRecord,
  ordersOnRecord,
  placesOfOrders,
  type RowKeys,
} from './lookups.ts';
import type { NewOrder, OrderRecord } from './orders.ts';
import {
  type EarlierRows,
  markCorrectedBy,
  type NewRow,
  placesOf,
  rowsAndLater,
  latestOpenRows,
  rejectedRows,
} from './rows.ts';
import { holdAbandonedOrders } from './recovery.ts';
import {
  addNews,
  addStep,
  insertRecord,
  INSERT_STEPS,
  type Store,
  updateIn,
  insertInto,
  type SqlRecord,
  type Job,
  type Driver,
} from './store.ts';
import { addIdentity } from './updates.ts';

/** Rows are sent together, before the next question. */
export interface FileTransaction extends OrderLookup, EarlierRows {
  /**
   * Asks about these rows; from here on, the look-ups answer about them, and about what is added. `others`: for a dry
   * run, what another ledger has of them and of these orders.
   */
  expect(rows: readonly RowKeys[], others?: (orderIds: readonly number[]) => Promise<OrdersOnRecord>): Promise<void>;
  addOrder(order: NewOrder): number;
  addIdentity(identity: string, order: OrderRecord): void;
  addRow(row: NewRow): number;
  addNote(note: Note): void;
  /** Adds words that a person explained in a corrections workbook; an open question stays open. */
  learnWords(words: LearnedWords): void;
}

async function fillFile(
  store: Job,
  { fileId, recordedAt }: { fileId: number; recordedAt: number },
  fill: (transaction: FileTransaction) => Promise<unknown>,
) {
  const [firstOrder, firstRow] = await Promise.all([store.driver.nextId('orders'), store.driver.nextId('rows')]);
  const ids = { order: firstOrder, row: firstRow };
  const counts = { accepted: 0, rejected: 0, open: 0 };
  const notes: Note[] = [];
  const known = new KnownOrders();
  let orders: ReturnType<typeof orderRecord>[] = [];
  let rows: ReturnType<typeof rowRecord>[] = [];
  let more: (() => Promise<unknown>)[] = [];

  const insert = async (table: string, records: readonly SqlRecord[], next: number) => {
    const [first] = records;
    if (first === undefined) return;
    const [sql] = insertInto(table, first);
    const fields = Object.keys(first);
    const values = records.map((record) => fields.map((field) => record[field] ?? null));
    if ((await store.driver.insertAll(sql, values)) !== next - 1)
      throw new Error('rows were added under other ids than expected');
  };
  const flush = () => {
    const sent = [insert('orders', orders, ids.order), insert('rows', rows, ids.row), ...more.map((one) => one())];
    [orders, rows, more] = [[], [], []];
    return Promise.all(sent);
  };
  const identify = (identity: string, order: OrderRecord) => {
    known.addIdentity(identity, order);
    more.push(() => addIdentity(store, identity, order.id));
  };
  const addOrder = (order: NewOrder) => {
    const id = ids.order;
    ids.order += 1;
    orders.push(orderRecord(store, order, recordedAt));
    known.addOrder(id, order, recordedAt);
    const placed = known.find(id);
    const renewed = order.renews === null ? null : known.find(order.renews);
    if (renewed !== null && placed !== null) {
      const own = baseIdentity(order.identity);
      for (const identity of [baseIdentity(renewed.identity), ...known.alsoKnownBy(renewed)])
        if (identity !== own) identify(identity, placed);
    }
    return id;
  };
  const addRow = (row: NewRow) => {
    const id = ids.row;
    ids.row += 1;
    counts[row.outcome === 'rejection' ? 'rejected' : 'accepted'] += 1;
    const placed = rowRecord(fileId, row, recordedAt);
    rows.push(placed);
    if (placed.openSince !== null) counts.open += 1;
    const { orderId, corrects, changes, news } = row;
    if (row.outcome === 'order' && orderId !== null) known.addPlace(orderId, row.record.place);
    if (corrects !== undefined) more.push(() => markCorrectedBy(store, corrects, id));
    if (changes !== undefined && orderId !== null)
      more.push(() => insertRecord(store, 'order_changes', { rowId: id, orderId, at: store.clock.now(), changes }));
    if (news !== undefined) more.push(() => addNews(store, 'repeat-not-ordered', news, 0));
    return id;
  };

  const own: Omit<FileTransaction, keyof OrderLookup> = {
    expect: async (keys, others) => {
      const found = await behind(flush(), ordersOnRecord(store, keys));
      const there = new Set(found.orders.map(({ id }) => id));
      const elsewhere = found.identities.map(({ orderId }) => orderId).filter((id) => !there.has(id));
      known.replaceWith(others === undefined ? found : mergeOrders(found, await others(elsewhere)));
    },
    addOrder,
    addIdentity: identify,
    addRow,
    addNote: (note) => void notes.push(note),
    learnWords: (words) => void more.push(() => learnWords(store, words)),
    findFileByHashStart: (hashStart) => findFileByHashStart(store, hashStart),
    filesNamedLike: (nameStart, limit) => filesNamedLike(store, nameStart, limit),
    latestOpenRows: (limit) => latestOpenRows(store, limit),
    rejectedRows: (id) => rejectedRows(store, id),
    placesOf: (id) => placesOf(store, id),
    rowsAndLater: (...asked) => behind(flush(), rowsAndLater(store, ...asked)),
    placesOfOrders: (ids) => behind(flush(), placesOfOrders(store, ids)),
  };
  // The look-ups are its own properties.
  await fill(Object.assign(own, known));
  await flush();
  return { ...counts, notes, placed: ids.order === firstOrder ? null : { first: firstOrder, last: ids.order - 1 } };
}

/** `answer` was sent after `sent`; fails if either fails. */
async function behind<T>(sent: Promise<unknown>, answer: Promise<T>) {
  const [, found] = await Promise.all([sent, answer]);
  return found;
}

function orderRecord({ account, run }: Store, order: NewOrder, createdAt: number) {
  return {
    ...order,
    account,
    state: 'ready',
    allowDuplication: Number(order.allowDuplication),
    rowWish: order.rowWish === null ? null : Number(order.rowWish),
    run: run ?? '',
    createdAt,
    updatedAt: createdAt,
  };
}

function rowRecord(fileId: number, row: NewRow, recordedAt: number) {
  const { outcome, orderId, record, corrects, problems, repairs, summary, content = null, dismissedIn } = row;
  const isDismissed = dismissedIn !== undefined;
  return {
    fileId,
    sheet: record.place.sheet,
    rowNumber: record.place.rowNumber,
    outcome,
    orderId,
    record: corrects === undefined ? record : { ...record, corrects },
    problems,
    repairs,
    summary,
    content,
    corrections: dismissedIn ?? null,
    dismissedAt: isDismissed ? recordedAt : null,
    openSince: outcome === 'rejection' && !isDismissed ? recordedAt : null,
  };
}

async function recordFile(
  store: Store<Driver>,
  file: NewFile,
  fill: (transaction: FileTransaction) => Promise<unknown>,
) {
  return store.driver.writeExclusively(async (driver) => {
    const job = { ...store, driver };
    const recordedAt = file.recordedAt ?? store.clock.now();
    const { hash, name, sender = '', kind = null, layouts } = file;
    const record = { account: store.account, hash, name, sender, kind, run: store.run ?? '', recordedAt, layouts };
    const fileId = await driver.insert(
      ...insertInto('files', { ...record, notes: file.notes, rowsAccepted: 0, rowsRejected: 0 }),
    );
    const { accepted, rejected, open, notes, placed } = await fillFile(job, { fileId, recordedAt }, fill);
    const known = { rowsAccepted: accepted, rowsRejected: rejected, notes: [...file.notes, ...notes] };
    await updateIn(job, 'files', fileId, known);
    if (placed !== null) {
      await noteAccepted(job, placed);
      await holdAbandonedOrders(job, placed);
    }
    await addStep(job, 'file', fileId, 'recorded', { name, hash, accepted, rejected });
    if (open > 0) await addNews(job, 'rows-went-back', fileId);
    const recorded = await findFile(job, hash);
    if (recorded === null) throw new Error('the file is not on record right after it was put there');
    return recorded;
  });
}

async function rehearseFile(store: Store<Driver>, fill: (transaction: FileTransaction) => Promise<unknown>) {
  const file = { hash: 'rehearsal', name: '', layouts: [], notes: [] };
  await runAndUndo((work) => recordFile(store, file, work), fill);
}

async function noteAccepted({ driver, clock, account, run }: Job, { first, last }: { first: number; last: number }) {
  await driver.run(
    `${INSERT_STEPS}
     SELECT account, ?, ?, 'order', CAST(id AS TEXT), 'accepted', NULL FROM orders NOT INDEXED WHERE account = ? AND id BETWEEN ? AND ? ORDER BY id`,
    clock.now(),
    run,
    account,
    first,
    last,
  );
}

export const fileTransactionVerbs = {
  own: {
    /** If `fill` throws, records nothing. */
    recordFile,
    /** Does what `recordFile` would, then undoes it. */
    rehearseFile,
  },
};
