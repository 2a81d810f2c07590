import { SCRATCH_IDS_FROM } from './driver.ts';
import type { FileTransaction } from './files.ts';
import type { Ledger } from './ledger.ts';
import type { KnownProjects, OrderLookup, WentBackLookup } from './lookups.ts';
import type { OrderRecord } from './orders.ts';
import type { EarlierRow } from './rows.ts';

// A dry run writes to a scratch ledger, a temporary file, and reads the rest from the ledger below it: it sees what a
// run would see, and leaves no trace.

export type TakeInLedger = Pick<
  Ledger,
  'findFile' | 'readingsOf' | 'recordFile' | 'rehearseFile' | 'findHeld' | 'filesLike' | 'lookup'
>;

/** Whether an order exists only in a dry run. */
export function isScratchOrder({ id }: { readonly id: number }): boolean {
  return id >= SCRATCH_IDS_FROM;
}

export function isScratchFile({ id }: { readonly id: number }): boolean {
  return id >= SCRATCH_IDS_FROM;
}

/**
 * A dry run's transaction that keeps only what later rows are compared with: an order's payload without hash, an
 * accepted row's place and names.
 */
export function withoutDetails(transaction: FileTransaction): FileTransaction {
  return {
    ...transaction,
    addOrder: (order) => transaction.addOrder({ ...order, payloadHash: '' }),
    addRow: (row) =>
      transaction.addRow(
        row.outcome === 'rejection' ? row : { ...row, record: { ...row.record, cells: [] }, problems: [], repairs: [] },
      ),
  };
}

/** `scratch` over the ledger `below`, if any. Everything in `scratch` is newer. */
export function scratchOver(
  scratch: Ledger,
  below: (TakeInLedger & { readonly knownProjects: KnownProjects }) | null,
): TakeInLedger {
  if (below === null) return scratch;
  const seenSoFar: Seen = { corrections: new Map(), identities: new Map() };
  const seen = (transaction: FileTransaction): FileTransaction => ({
    ...lookupOver(transaction, below.lookup, seenSoFar),
    addOrder: (order) => transaction.addOrder(order),
    addIdentity: (identity, order) => {
      if (isScratchOrder(order)) transaction.addIdentity(identity, order);
      else if (!seenSoFar.identities.has(identity)) seenSoFar.identities.set(identity, order);
    },
    addRow: (row) => {
      const id = transaction.addRow(row);
      if (row.corrects !== undefined && row.corrects < SCRATCH_IDS_FROM) seenSoFar.corrections.set(row.corrects, id);
      return id;
    },
    addNote: (note) => transaction.addNote(note),
  });
  const undoing = async <T>(work: () => Promise<T>, always = false): Promise<T> => {
    const before = Object.values(seenSoFar).map((seen) => new Set<unknown>(seen.keys()));
    let isDone = false;
    try {
      const result = await work();
      isDone = !always;
      return result;
    } finally {
      if (!isDone)
        for (const [index, seen] of Object.values(seenSoFar).entries())
          for (const key of seen.keys()) if (before[index]?.has(key) !== true) seen.delete(key as never);
    }
  };
  return {
    lookup: lookupOver(scratch.lookup, below.lookup, seenSoFar),
    findFile: async (hash) => (await scratch.findFile(hash)) ?? below.findFile(hash),
    readingsOf: async (hash) => [...(await below.readingsOf(hash)), ...(await scratch.readingsOf(hash))],
    findHeld: async (hash) => (await scratch.findHeld(hash)) ?? below.findHeld(hash),
    filesLike: async (like, limit) => {
      const files = [...(await scratch.filesLike(like, limit)), ...(await below.filesLike(like, limit))];
      const alike = files.filter(({ kind }) => kind === like.kind);
      return (alike.length > 0 ? alike : files).slice(0, limit);
    },
    recordFile: (file, fill) => undoing(() => scratch.recordFile(file, (transaction) => fill(seen(transaction)))),
    rehearseFile: (fill) => undoing(() => scratch.rehearseFile((transaction) => fill(seen(transaction))), true),
  };
}

/**
 * A throwaway ledger for a whole night: compares rows with everything `below`, but orders, follows and delivers only
 * what came in. `scratch` is opened as `rehearsal`; closing closes it, not `below`.
 */
export function rehearsalOver(scratch: Ledger, below: Ledger | null): Ledger {
  if (below === null) return scratch;
  return {
    ...scratch,
    ...scratchOver(scratch, below),
    correctionsOf: (fileId) => (isScratchFile({ id: fileId }) ? scratch : below).correctionsOf(fileId),
    // Columns keep their places in the workspace's workbooks.
    resultColumns: async () => [...(await below.resultColumns()), ...(await scratch.resultColumns())],
  };
}

type Lookup = OrderLookup & WentBackLookup;

interface Seen {
  /** From rows below to the dry run's. */
  readonly corrections: Map<number, number>;
  readonly identities: Map<string, OrderRecord>;
}

function lookupOver(scratch: Lookup, below: Lookup, { corrections, identities }: Seen): Lookup {
  const of = (id: number): Lookup => (id >= SCRATCH_IDS_FROM ? scratch : below);
  const corrected = (row: EarlierRow): EarlierRow =>
    row.correctedBy === null && corrections.has(row.id)
      ? { ...row, correctedBy: corrections.get(row.id) ?? null, isOpen: false }
      : row;
  return {
    keysOnRecord: (rows) => scratch.keysOnRecord(rows).union(below.keysOnRecord(rows)),
    findLivingOrder: (identity) =>
      scratch.findLivingOrder(identity) ?? below.findLivingOrder(identity) ?? identities.get(identity) ?? null,
    findOrderedAgain: (identity) => scratch.findOrderedAgain(identity) ?? below.findOrderedAgain(identity),
    findOrderAtAddress: (address, since) =>
      scratch.findOrderAtAddress(address, since) ?? below.findOrderAtAddress(address, since),
    findOrderOfPolicy: (policy) => scratch.findOrderOfPolicy(policy) ?? below.findOrderOfPolicy(policy),
    ordersOf: (keys) => {
      const known = identities.get(keys.identity);
      const found = below.ordersOf(keys);
      const isFound = known === undefined || found.some(({ id }) => id === known.id);
      return [...scratch.ordersOf(keys), ...found, ...(isFound ? [] : [known])];
    },
    ordersOfSubject: (key, since) => [...scratch.ordersOfSubject(key, since), ...below.ordersOfSubject(key, since)],
    alsoKnownBy: (order) => [
      ...of(order.id).alsoKnownBy(order),
      ...[...identities].flatMap(([identity, { id }]) => (id === order.id ? identity : [])),
    ],
    placeOfOrder: (order) => of(order.id).placeOfOrder(order),
    statusOfProject: (projectId) => below.statusOfProject(projectId),
    endOfProject: (projectId) => below.endOfProject(projectId),
    amendedPolicy: (projectId) => below.amendedPolicy(projectId),
    findFileByHashStart: (hashStart) => scratch.findFileByHashStart(hashStart) ?? below.findFileByHashStart(hashStart),
    filesNamedLike: (nameStart, limit) =>
      [...scratch.filesNamedLike(nameStart, limit), ...below.filesNamedLike(nameStart, limit)].slice(0, limit),
    *rowsThatWentBack(fileId) {
      for (const row of of(fileId).rowsThatWentBack(fileId)) yield corrected(row);
    },
    placesOf: (fileId) => of(fileId).placesOf(fileId),
    findRow: (rowId) => {
      const row = of(rowId).findRow(rowId);
      return row === null ? null : corrected(row);
    },
  };
}
