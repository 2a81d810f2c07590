import type { Problem, RowPlace } from '../domain/row.ts';
import { rowKey } from '../intake/own-workbooks.ts';
import type { EarlierRows } from '../ledger/ledger.ts';
import type { DecidedRow } from './row-decision.ts';

type Reading = Readonly<{ id: number; name: string }>;

export function nameOfReading(hash: string, before: readonly unknown[]) {
  return before.length === 0 ? hash : `${hash} ${before.length + 1}`;
}

export async function hasOpenRows(readings: readonly Pick<Reading, 'id'>[], earlier: EarlierRows) {
  return (await openRows(readings, earlier)).size > 0;
}

type OpenRow = Readonly<{
  id: number;
  /** Of corrections workbooks, or of the first row that it corrects. */
  key: string;
  errors: string;
}>;

async function openRows(readings: readonly Pick<Reading, 'id'>[], earlier: EarlierRows) {
  const open = new Map<string, OpenRow>();
  for (const { id } of readings)
    for await (const row of earlier.rejectedRows(id)) {
      const { record, fileHash, problems } = row;
      // It may have come again since, in another file.
      const latest = row.isOpen ? row : (await earlier.rowsAndLater([row.id])).find(({ isOpen }) => isOpen);
      const key = record.correctsRow ?? rowKey(fileHash, record.place);
      if (latest !== undefined) open.set(textOf(record.place), { id: latest.id, key, errors: errorsIn(problems) });
    }
  return open;
}

/** The rows of a content that is read again: only its open ones are taken in. */
export class RereadRows {
  hasChanged = false;
  readonly #seen = new Set<string>();
  #open: ReadonlyMap<string, OpenRow> = new Map();

  static async read(readings: readonly Reading[], earlier: EarlierRows) {
    const again = new RereadRows();
    for (const { id, name } of readings)
      for await (const place of earlier.placesOf(id)) again.#seen.add(textOf({ ...place, file: name }));
    again.#open = await openRows(readings, earlier);
    return again;
  }

  /** Null: no row was there. */
  at(place: RowPlace) {
    const text = textOf(place);
    return this.#open.get(text) ?? (this.#seen.has(text) ? 'done' : null);
  }

  inPlaceOf(open: OpenRow, { row }: DecidedRow) {
    // The service may accept now what it refused.
    if (row.outcome !== 'rejection' || errorsIn(row.problems) !== open.errors) this.hasChanged = true;
    return { ...row, corrects: open.id, record: { ...row.record, correctsRow: open.key } };
  }
}

function textOf({ file, sheet, rowNumber }: RowPlace) {
  return `${rowNumber} ${file === sheet || file.endsWith(`/${sheet}`) ? '' : sheet}`;
}

function errorsIn(problems: readonly Problem[]) {
  return problems
    .filter(({ severity }) => severity === 'error')
    .map(({ rule, field, column, value }) => JSON.stringify([rule, field, column, value]))
    .toSorted()
    .join('\n');
}
