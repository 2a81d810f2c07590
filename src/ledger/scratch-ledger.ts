import { SCRATCH_IDS_FROM } from './driver.ts';
import type { FileTransaction } from './files.ts';
import type { Ledger } from './ledger.ts';
import type { KnownProjects, OrderLookup, WentBackLookup } from './lookups.ts';
import type { EarlierRow } from './rows.ts';

// A dry run is a run on a scratch ledger: what it puts on record goes into a file that is thrown away, and what that file does not know is asked
// of the ledger below it, which is only read. So a dry run sees what a run would see, and nobody sees the dry run.

/** What taking in files asks of the ledger, and puts into it. */
export type TakeInLedger = Pick<
  Ledger,
  'findFile' | 'recordFile' | 'rehearseFile' | 'findHeld' | 'filesLike' | 'lookup'
>;

/** Whether the order with this id is one of a dry run, and so on no record that is kept. */
export function isScratchOrder({ id }: { readonly id: number }): boolean {
  return id >= SCRATCH_IDS_FROM;
}

/** Whether a file is one of a dry run. */
export function isScratchFile({ id }: { readonly id: number }): boolean {
  return id >= SCRATCH_IDS_FROM;
}

/** The transaction of a dry run, that keeps only what later rows are compared with: of an order its payload without the hash, of a row that does not go back its place and its names. */
export function withoutDetails(transaction: FileTransaction): FileTransaction {
  return {
    ...transaction,
    addOrder: ({ identity, addressKey, policyKey, payload, allowDuplication, rowWish, reference }) =>
      transaction.addOrder({
        identity,
        addressKey,
        policyKey,
        payload,
        payloadHash: '',
        allowDuplication,
        rowWish,
        reference,
      }),
    addRow: (row) =>
      transaction.addRow(
        row.outcome === 'rejection' ? row : { ...row, record: { ...row.record, cells: [] }, problems: [], repairs: [] },
      ),
  };
}

/** `scratch` over the ledger `below` it, or on its own where that is null. What is in `scratch` came later than all that is below. */
export function scratchOver(
  scratch: Ledger,
  below: (TakeInLedger & { readonly knownProjects: KnownProjects }) | null,
): TakeInLedger {
  if (below === null) return scratch;
  /** Rows of the ledger below in whose place one of the dry run has come. */
  const corrections = new Map<number, number>();
  const seen = (transaction: FileTransaction): FileTransaction => ({
    ...lookupOver(transaction, below.lookup, corrections),
    addOrder: (order) => transaction.addOrder(order),
    addRow: (row) => {
      const id = transaction.addRow(row);
      if (row.corrects !== undefined && row.corrects < SCRATCH_IDS_FROM) corrections.set(row.corrects, id);
      return id;
    },
    addNote: (note) => transaction.addNote(note),
  });
  /** What a file's transaction corrected is as it was before where the file is taken back. */
  const undoing = async <T>(work: () => Promise<T>): Promise<T> => {
    const before = new Set(corrections.keys());
    return work().catch((failure: unknown) => {
      for (const id of corrections.keys()) if (!before.has(id)) corrections.delete(id);
      throw failure;
    });
  };
  return {
    lookup: lookupOver(scratch.lookup, below.lookup, corrections),
    findFile: async (hash) => (await scratch.findFile(hash)) ?? below.findFile(hash),
    findHeld: async (hash) => (await scratch.findHeld(hash)) ?? below.findHeld(hash),
    filesLike: async (like, limit) => {
      const files = [...(await scratch.filesLike(like, limit)), ...(await below.filesLike(like, limit))];
      const alike = files.filter(({ kind }) => kind === like.kind);
      return (alike.length > 0 ? alike : files).slice(0, limit);
    },
    recordFile: (file, fill) => undoing(() => scratch.recordFile(file, (transaction) => fill(seen(transaction)))),
    rehearseFile: (fill) => scratch.rehearseFile((transaction) => undoing(() => fill(seen(transaction)))),
  };
}

/**
 * A ledger for a whole night that is thrown away: what comes in is compared with all that is on record `below`, and only what came in is ordered,
 * followed and handed over. `scratch` is opened as `rehearsal`; closing the rehearsal closes it, not `below`.
 */
export function rehearsalOver(scratch: Ledger, below: Ledger | null): Ledger {
  if (below === null) return scratch;
  return {
    ...scratch,
    ...scratchOver(scratch, below),
    correctionsOf: (fileId) => (isScratchFile({ id: fileId }) ? scratch : below).correctionsOf(fileId),
    // Columns keep the places that they have in the workspace's own workbooks.
    resultColumns: async () => [...(await below.resultColumns()), ...(await scratch.resultColumns())],
  };
}

type Lookup = OrderLookup & WentBackLookup;

function lookupOver(scratch: Lookup, below: Lookup, corrections: ReadonlyMap<number, number>): Lookup {
  const of = (id: number): Lookup => (id >= SCRATCH_IDS_FROM ? scratch : below);
  const corrected = (row: EarlierRow): EarlierRow =>
    row.correctedBy === null && corrections.has(row.id)
      ? { ...row, correctedBy: corrections.get(row.id) ?? null }
      : row;
  return {
    keysOnRecord: (rows) => scratch.keysOnRecord(rows).union(below.keysOnRecord(rows)),
    findLivingOrder: (identity) => scratch.findLivingOrder(identity) ?? below.findLivingOrder(identity),
    findOrderedAgain: (identity) => scratch.findOrderedAgain(identity) ?? below.findOrderedAgain(identity),
    findOrderAtAddress: (address, since) =>
      scratch.findOrderAtAddress(address, since) ?? below.findOrderAtAddress(address, since),
    findOrderOfPolicy: (policy) => scratch.findOrderOfPolicy(policy) ?? below.findOrderOfPolicy(policy),
    findOrderOfPolicyAt: (policy, house) =>
      scratch.findOrderOfPolicyAt(policy, house) ?? below.findOrderOfPolicyAt(policy, house),
    placeOfOrder: (order) => of(order.id).placeOfOrder(order),
    statusOfProject: (projectId) => below.statusOfProject(projectId),
    amendedPolicy: (projectId) => below.amendedPolicy(projectId),
    findFileByHashStart: (hashStart) => scratch.findFileByHashStart(hashStart) ?? below.findFileByHashStart(hashStart),
    filesNamedLike: (nameStart, limit) =>
      [...scratch.filesNamedLike(nameStart, limit), ...below.filesNamedLike(nameStart, limit)].slice(0, limit),
    *rowsThatWentBack(fileId) {
      for (const row of of(fileId).rowsThatWentBack(fileId)) yield corrected(row);
    },
    findRow: (rowId) => {
      const row = of(rowId).findRow(rowId);
      return row === null ? null : corrected(row);
    },
  };
}
