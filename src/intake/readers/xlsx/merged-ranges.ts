import { columnIndex } from '../../../domain/cells.ts';
import { type Cell, note, type Note, type RowRemark, type SheetRow } from '../../../domain/row.ts';
import type { Reading } from '../row-source.ts';
import type { Package } from './package.ts';
import { readPart, type XmlFeed } from './xml-part.ts';

/** By column indexes and row numbers. */
export interface MergedRange {
  readonly reference: string;
  readonly column: number;
  readonly lastColumn: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

const RANGE = /^\s*\$?([A-Za-z]{1,3})\$?(\d{1,7}):\$?([A-Za-z]{1,3})\$?(\d{1,7})\s*$/;

/** Undefined for a single cell. */
export function mergedRange(reference: string): MergedRange | undefined {
  const [, letters = '', first = '', lastLetters = '', last = ''] = RANGE.exec(reference) ?? [];
  const [firstRow, lastRow, column, lastColumn] = [
    Number(first),
    Number(last),
    columnIndex(letters),
    columnIndex(lastLetters),
  ];
  if (
    letters === '' ||
    firstRow < 1 ||
    lastRow < firstRow ||
    lastColumn < column ||
    (lastRow === firstRow && lastColumn === column)
  )
    return undefined;
  return { reference: reference.trim().replaceAll('$', ''), column, lastColumn, firstRow, lastRow };
}

const COVERED_CELLS_MAX = 250_000;

/** The elements after the rows. */
const MARK = /mergeCells|hyperlinks/;
const MARK_LENGTH_MAX = 10;

export interface BehindRows {
  /** Undefined if too many. */
  readonly merged: readonly MergedRange[] | undefined;
  /** Relationship ids of cell links, by address. */
  readonly links: ReadonlyMap<string, string>;
}

/** Finds the elements after the rows before the rows are read. */
class BehindRowsFeed implements XmlFeed {
  #found = '';
  #before = '';

  write(piece: string): void {
    if (this.#found !== '') {
      this.#found += piece;
      return;
    }
    const whole = this.#before + piece;
    const at = whole.search(MARK);
    if (at !== -1) this.#found = whole.slice(at);
    this.#before = whole.slice(-MARK_LENGTH_MAX);
  }

  end(): void {}

  get behindRows(): BehindRows {
    const text = this.#found.replace(/<!--[\s\S]*?(?:-->|$)/g, '');
    const elements = text.matchAll(/<(?:\w+:)?mergeCell\s[^<>]*?\bref\s*=\s*["']([^"'<>]*)["']/g);
    const ranges = Array.from(elements, ([, reference = '']) => mergedRange(reference)).filter(
      (range) => range !== undefined,
    );
    const covered = ranges.reduce((cells, { firstRow, lastRow }) => cells + lastRow - firstRow + 1, 0);
    const links = new Map<string, string>();
    for (const [, attributes = ''] of text.matchAll(/<(?:\w+:)?hyperlink(\s[^<>]*)>/g)) {
      const reference = /\sref\s*=\s*["']\s*\$?([A-Z]{1,3})\$?(\d{1,7})\s*["']/.exec(attributes);
      const id = /\s\w+:id\s*=\s*["']([^"']*)["']/.exec(attributes)?.[1];
      if (reference !== null && id !== undefined) links.set(`${reference[1] ?? ''}${reference[2] ?? ''}`, id);
    }
    return { merged: covered > COVERED_CELLS_MAX ? undefined : ranges, links };
  }
}

interface Shown {
  readonly range: MergedRange;
  cell: Cell | undefined;
}

const COLUMNS_TOLD_MAX = 64;

export class MergedCells {
  readonly #covering = new Map<number, Shown[]>();

  constructor(ranges: readonly MergedRange[]) {
    for (const range of ranges) {
      const shown: Shown = { range, cell: undefined };
      for (let row = range.firstRow; row <= range.lastRow; row += 1) listAt(this.#covering, row).push(shown);
    }
  }

  /** Needs all of the sheet's rows in order. */
  remarkOn(rows: readonly SheetRow[]): readonly SheetRow[] {
    return rows.map((row) => {
      const covering = this.#covering.get(row.rowNumber);
      if (covering === undefined) return row;
      const remarks = covering.flatMap((shown) => {
        if (shown.range.firstRow === row.rowNumber) shown.cell = row.cells[shown.range.column];
        return coveredCells(shown, row);
      });
      return remarks.length === 0 ? row : { ...row, remarks: [...(row.remarks ?? []), ...remarks] };
    });
  }
}

function coveredCells(
  { range: { column: firstColumn, lastColumn, firstRow }, cell: shows }: Shown,
  { rowNumber, cells }: SheetRow,
): RowRemark[] {
  const remarks: RowRemark[] = [];
  const end = Math.min(lastColumn, Math.max(cells.length - 1, firstColumn + COLUMNS_TOLD_MAX));
  for (let column = rowNumber === firstRow ? firstColumn + 1 : firstColumn; column <= end; column += 1) {
    if (cells[column] !== undefined || (shows !== undefined && column <= firstColumn + COLUMNS_TOLD_MAX))
      remarks.push({ kind: 'merged', column, firstColumn, firstRow, shows });
  }
  return remarks;
}

function listAt(lists: Map<number, Shown[]>, row: number): Shown[] {
  const found = lists.get(row);
  if (found !== undefined) return found;
  const list: Shown[] = [];
  lists.set(row, list);
  return list;
}

const RANGES_NAMED_MAX = 12;

/** `firstRow` is the first with content: merged titles do no harm. */
export function noteOnUnfilled(sheet: string, ranges: readonly MergedRange[], firstRow: number): readonly Note[] {
  const below = ranges.filter((range) => range.firstRow > firstRow);
  const [down, across] = [
    below.filter((range) => range.lastRow > range.firstRow),
    below.filter((range) => range.lastColumn > range.column),
  ];
  const notes: Note[] = [];
  if (down.length > 0) {
    const rows = ({ reference, firstRow: first, lastRow: to }: MergedRange): string =>
      `${reference} (not ${first + 1 === to ? `row ${to}` : `rows ${first + 1} to ${to}`})`;
    notes.push(
      note(
        'merged-rows',
        `sheet "${sheet}": cells are merged over several rows, and what they show was read for the first of their rows only: ${named(down, rows)}`,
      ),
    );
  }
  if (across.length > 0)
    notes.push(
      note(
        'merged-columns',
        `sheet "${sheet}": cells are merged over several columns, and what they hide was read like the other cells: ${named(across, ({ reference }) => reference)}`,
      ),
    );
  return notes;
}

function named(ranges: readonly MergedRange[], name: (range: MergedRange) => string): string {
  const more = ranges.length - RANGES_NAMED_MAX;
  return `${ranges.slice(0, RANGES_NAMED_MAX).map(name).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const LOOKED_AT_BYTES_MAX = 32 * 1024 * 1024;
const KEPT_BYTES_MAX = 32 * 1024 * 1024;

export class LookAhead {
  readonly #pack: Package;
  readonly #reading: Reading;
  readonly #found = new Map<string, BehindRows>();
  readonly #kept = new Map<string, readonly Uint8Array[]>();
  #keptBytes = 0;

  constructor(pack: Package, reading: Reading) {
    this.#pack = pack;
    this.#reading = reading;
  }

  /** Finds nothing if the part is too long. */
  async behindRows(partName: string): Promise<BehindRows> {
    const found = this.#found.get(partName) ?? (await this.#look(partName));
    this.#found.set(partName, found);
    return found;
  }

  /** Frees kept bytes once read. */
  async *chunks(partName: string): AsyncGenerator<Uint8Array, void, undefined> {
    const kept = this.#kept.get(partName);
    if (kept === undefined) return yield* this.#pack.chunks(partName);
    yield* kept;
    if (this.#kept.delete(partName)) this.#keptBytes -= bytesOf(kept);
  }

  async #look(partName: string): Promise<BehindRows> {
    const bytes = this.#pack.bytes(partName);
    if (bytes > LOOKED_AT_BYTES_MAX) return { merged: undefined, links: new Map() };
    const kept: Uint8Array[] = [];
    const keeps = this.#keptBytes + bytes <= KEPT_BYTES_MAX;
    async function* seen(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
      for await (const chunk of chunks) {
        if (keeps) kept.push(chunk);
        yield chunk;
      }
    }
    const feed = new BehindRowsFeed();
    await readPart(seen(this.#pack.chunks(partName)), feed, partName, this.#reading);
    if (keeps && !this.#kept.has(partName)) {
      this.#kept.set(partName, kept);
      this.#keptBytes += bytesOf(kept);
    }
    return feed.behindRows;
  }
}

function bytesOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((bytes, { length }) => bytes + length, 0);
}
