import type { Problem, RowPlace } from '../domain/row.ts';
import { rowKey } from '../intake/own-workbooks.ts';
import type { WentBackLookup } from '../ledger/lookups.ts';
import type { NewRow } from '../ledger/rows.ts';
import type { DecidedRow } from './row-decision.ts';

// Content on record whose rows went back is read again when it is dropped again: the settings, or its folder, may be right by now. Each reading is
// a file of its own on record, of only the rows that are still open; a row that is done is never looked at again, whatever it would be read as.

/** A reading of the same content that is on record. */
interface Reading {
  readonly id: number;
  readonly name: string;
}

/** Under what a reading of this content goes on record: its hash, and from the second reading on the number behind it. */
export function nameOfReading(hash: string, before: readonly unknown[]): string {
  return before.length === 0 ? hash : `${hash} ${before.length + 1}`;
}

/** Whether a row of this content went back and waits still. */
export function hasOpenRows(readings: readonly Pick<Reading, 'id'>[], lookup: WentBackLookup): boolean {
  for (const { id } of readings) for (const { isOpen } of lookup.rowsThatWentBack(id)) if (isOpen) return true;
  return false;
}

/** A row that waits. */
interface OpenRow {
  readonly id: number;
  /** The hidden key that it, or the first one in its place, has in corrections workbooks. */
  readonly key: string;
  /** Null for one that was never an order. */
  readonly payloadHash: string | null;
  readonly errors: string;
}

/** The rows of earlier readings of one content, by the place where they stand. */
export class ReadAgain {
  /** Whether a row has another outcome than it had. */
  hasChanged = false;
  readonly #seen = new Map<string, Set<number>>();
  readonly #open = new Map<string, OpenRow>();

  constructor(readings: readonly Reading[], lookup: WentBackLookup) {
    for (const { id, name } of readings) {
      for (const place of lookup.placesOf(id)) {
        const sheet = sheetOf({ ...place, file: name });
        const numbers = this.#seen.get(sheet) ?? new Set();
        this.#seen.set(sheet, numbers.add(place.rowNumber));
      }
      for (const row of lookup.rowsThatWentBack(id)) {
        const { place } = row.record;
        if (!row.isOpen) continue;
        this.#open.set(textOf(place), {
          id: row.id,
          key: row.record.correctsRow ?? rowKey(row.fileHash, place),
          payloadHash: row.payloadHash,
          errors: errorsIn(row.problems),
        });
      }
    }
  }

  /** `done` for a row that needs nothing any more, the row that is open at this place, or null where none stood there. */
  at(place: RowPlace): 'done' | OpenRow | null {
    return (
      this.#open.get(textOf(place)) ?? (this.#seen.get(sheetOf(place))?.has(place.rowNumber) === true ? 'done' : null)
    );
  }

  /** The row as it comes in place of the one that is open. */
  inPlaceOf(open: OpenRow, { row, decision }: DecidedRow): NewRow {
    const isSame =
      row.outcome === 'rejection'
        ? open.payloadHash === null && errorsIn(row.problems) === open.errors
        : decision?.kind === 'order' && decision.order.payloadHash === open.payloadHash;
    if (!isSame) this.hasChanged = true;
    return { ...row, corrects: open.id, record: { ...row.record, correctsRow: open.key } };
  }
}

function textOf(place: RowPlace): string {
  return `${place.rowNumber} ${sheetOf(place)}`;
}

/** The one sheet of a text file has the file's name, and a copy may have another. */
function sheetOf({ file, sheet }: RowPlace): string {
  return file === sheet || file.endsWith(`/${sheet}`) ? '' : sheet;
}

/** What sends a row back, apart from the words. */
function errorsIn(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error');
  return errors
    .map(({ rule, field, column, value }) => JSON.stringify([rule, field, column, value]))
    .toSorted()
    .join('\n');
}
