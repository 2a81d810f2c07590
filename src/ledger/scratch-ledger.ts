import { SCRATCH_IDS_FROM } from './driver.ts';
import type { FileTransaction } from './file-transaction.ts';
import type { Ledger } from './ledger.ts';
import { mergeOrders } from './lookups.ts';
import type { EarlierRow, EarlierRows } from './rows.ts';

export type TakeInLedger = EarlierRows &
  Pick<
    Ledger,
    | 'findFile'
    | 'readingsOf'
    | 'recordFile'
    | 'rehearseFile'
    | 'findHeld'
    | 'filesLike'
    | 'layoutsOf'
    | 'acceptedLayouts'
    | 'ordersOnRecord'
  >;

const joined =
  <L>(first: L, then: L) =>
  async <T>(ask: (ledger: L) => Promise<readonly T[]>) => [...(await ask(first)), ...(await ask(then))];

export function isScratch({ id }: { id: number }) {
  return id >= SCRATCH_IDS_FROM;
}

export function discardDetails(transaction: FileTransaction): FileTransaction {
  return {
    ...transaction,
    addRow: (row) =>
      transaction.addRow(
        row.outcome === 'rejection' ? row : { ...row, record: { ...row.record, cells: [] }, problems: [], repairs: [] },
      ),
  };
}

/** Reads both ledgers, and writes to `scratch`. Everything in `scratch` is newer. */
export function createScratchLedger(scratch: Ledger, below: TakeInLedger | null): TakeInLedger {
  if (below === null) return scratch;
  const corrections = new Map<number, number>();
  const newestFirst = joined<TakeInLedger>(scratch, below);
  const over = (transaction: FileTransaction): FileTransaction => ({
    ...transaction,
    ...earlierRowsOver(transaction, below, corrections),
    expect: (rows) => transaction.expect(rows, (orderIds) => below.ordersOnRecord(rows, orderIds)),
    addRow: (row) => {
      const id = transaction.addRow(row);
      if (row.corrects !== undefined && row.corrects < SCRATCH_IDS_FROM) corrections.set(row.corrects, id);
      return id;
    },
  });
  const undoing = async <T>(work: () => Promise<T>, always = false) => {
    const before = new Set(corrections.keys());
    let isDone = false;
    try {
      const result = await work();
      isDone = !always;
      return result;
    } finally {
      if (!isDone) for (const id of corrections.keys()) if (!before.has(id)) corrections.delete(id);
    }
  };
  return {
    ...earlierRowsOver(scratch, below, corrections),
    ordersOnRecord: async (rows, orderIds) => {
      const own = await scratch.ordersOnRecord(rows, orderIds);
      const others = own.identities.map(({ orderId }) => orderId);
      return mergeOrders(own, await below.ordersOnRecord(rows, [...(orderIds ?? []), ...others]));
    },
    findFile: async (hash) => (await scratch.findFile(hash)) ?? below.findFile(hash),
    readingsOf: (hash) => joined(below, scratch)((ledger) => ledger.readingsOf(hash)),
    layoutsOf: (sender) => newestFirst((ledger) => ledger.layoutsOf(sender)),
    acceptedLayouts: (sender, limit) => newestFirst((ledger) => ledger.acceptedLayouts(sender, limit)),
    findHeld: async (hash) => (await scratch.findHeld(hash)) ?? below.findHeld(hash),
    filesLike: async (like, limit) => {
      const files = await newestFirst((ledger) => ledger.filesLike(like, limit));
      const alike = files.filter(({ kind }) => kind === like.kind);
      return (alike.length > 0 ? alike : files).slice(0, limit);
    },
    recordFile: (file, fill) => undoing(() => scratch.recordFile(file, (transaction) => fill(over(transaction)))),
    rehearseFile: (fill) => undoing(() => scratch.rehearseFile((transaction) => fill(over(transaction))), true),
  };
}

/** Orders, follows and delivers only what it took in itself. Closing it leaves `below` open. */
export function createRehearsalLedger(scratch: Ledger, below: Ledger | null): Ledger {
  if (below === null) return scratch;
  return {
    ...scratch,
    ...createScratchLedger(scratch, below),
    correctionsOf: (fileId) => (isScratch({ id: fileId }) ? scratch : below).correctionsOf(fileId),
    // Columns keep their places in the workspace's workbooks.
    resultColumns: () => joined(below, scratch)((ledger) => ledger.resultColumns()),
  };
}

function earlierRowsOver(
  scratch: EarlierRows,
  below: EarlierRows,
  corrections: ReadonlyMap<number, number>,
): EarlierRows {
  const of = (id: number) => (id >= SCRATCH_IDS_FROM ? scratch : below);
  const corrected = (row: EarlierRow) =>
    row.correctedBy === null && corrections.has(row.id)
      ? { ...row, correctedBy: corrections.get(row.id) ?? null, isOpen: false }
      : row;
  return {
    findFileByHashStart: async (hashStart) =>
      (await scratch.findFileByHashStart(hashStart)) ?? below.findFileByHashStart(hashStart),
    filesNamedLike: async (nameStart, limit) =>
      (await joined(scratch, below)((ledger) => ledger.filesNamedLike(nameStart, limit))).slice(0, limit),
    latestOpenRows: async (limit) =>
      (await joined(scratch, below)((ledger) => ledger.latestOpenRows(limit))).filter(({ id }) => !corrections.has(id)),
    async *rejectedRows(fileId) {
      for await (const row of of(fileId).rejectedRows(fileId)) yield corrected(row);
    },
    placesOf: (fileId) => of(fileId).placesOf(fileId),
    placesOfOrders: async (ids) =>
      new Map([...(await below.placesOfOrders(ids)), ...(await scratch.placesOfOrders(ids))]),
    rowsAndLater: async (rowIds, contents) => {
      const under = (
        await below.rowsAndLater(
          rowIds.filter((id) => id < SCRATCH_IDS_FROM),
          contents,
        )
      ).map(corrected);
      const later = [...rowIds, ...under.flatMap(({ correctedBy }) => correctedBy ?? [])];
      return [
        ...under,
        ...(await scratch.rowsAndLater(
          later.filter((id) => id >= SCRATCH_IDS_FROM),
          contents,
        )),
      ];
    },
  };
}
