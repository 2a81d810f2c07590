import type { Problem, RowPlace } from '../domain/row.ts';
import { rowKey } from '../intake/own-workbooks.ts';
import type { EarlierRows } from '../ledger/rows.ts';
import type { DecidedRow } from './row-decision.ts';

type Reading = Readonly<{ id: number; name: string }>;

export function nameOfReading(hash: string, before: readonly unknown[]) {
  return before.length === 0 ? hash : `${hash} ${before.length + 1}`;
}

export async function hasOpenRows(readings: readonly Pick<Reading, 'id'>[], earlier: EarlierRows) {
  for (const { id } of readings) {
    const corrected = [];
    for await (const row of earlier.rejectedRows(id)) {
      if (row.isOpen) return true;
      if (row.correctedBy !== null) corrected.push(row.id);
    }
    if ((await earlier.rowsAndLater(corrected)).some(({ isOpen }) => isOpen)) return true;
  }
  return false;
}

type OpenRow = Readonly<{
  id: number;
  /** Of corrections workbooks, or of the first row that it corrects. */
  key: string;
  errors: string;
}>;

export class RereadRows {
  hasChanged = false;
  readonly #seen = new Map<string, Set<number>>();
  readonly #open = new Map<string, OpenRow>();

  static async read(readings: readonly Reading[], earlier: EarlierRows) {
    const again = new RereadRows();
    for (const { id, name } of readings) {
      for await (const place of earlier.placesOf(id)) {
        const sheet = sheetOf({ ...place, file: name });
        again.#seen.set(sheet, (again.#seen.get(sheet) ?? new Set()).add(place.rowNumber));
      }
      for await (const row of earlier.rejectedRows(id)) {
        // It may have come again since, in another file.
        const open = row.isOpen ? row : (await earlier.rowsAndLater([row.id])).find(({ isOpen }) => isOpen);
        if (open === undefined) continue;
        again.#open.set(textOf(row.record.place), {
          id: open.id,
          key: row.record.correctsRow ?? rowKey(row.fileHash, row.record.place),
          errors: errorsIn(row.problems),
        });
      }
    }
    return again;
  }

  /** Null: no row was there. */
  at(place: RowPlace) {
    return (
      this.#open.get(textOf(place)) ?? (this.#seen.get(sheetOf(place))?.has(place.rowNumber) === true ? 'done' : null)
    );
  }

  inPlaceOf(open: OpenRow, { row }: DecidedRow) {
    // The service may accept now what it refused.
    if (row.outcome !== 'rejection' || errorsIn(row.problems) !== open.errors) this.hasChanged = true;
    return { ...row, corrects: open.id, record: { ...row.record, correctsRow: open.key } };
  }
}

function textOf(place: RowPlace) {
  return `${place.rowNumber} ${sheetOf(place)}`;
}

function sheetOf({ file, sheet }: RowPlace) {
  return file === sheet || file.endsWith(`/${sheet}`) ? '' : sheet;
}

function errorsIn(problems: readonly Problem[]) {
  return problems
    .filter(({ severity }) => severity === 'error')
    .map(({ rule, field, column, value }) => JSON.stringify([rule, field, column, value]))
    .toSorted()
    .join('\n');
}
