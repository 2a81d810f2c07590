import type { Cell, RowRemark, SheetRow } from '../../../domain/row.ts';
import type { XmlFeed } from './xml-feed.ts';

/** Cells merged over several rows: its first cell holds what all of them show. Columns are indexes, rows are numbers. */
export interface MergedRange {
  /** As the file writes it, such as `M2:M5`. */
  readonly reference: string;
  readonly column: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

const RANGE = /^\s*\$?([A-Za-z]{1,3})\$?(\d{1,7}):\$?[A-Za-z]{1,3}\$?(\d{1,7})\s*$/;

/** A `ref` that stands for cells of several rows; undefined for any other. */
export function mergedRange(reference: string): MergedRange | undefined {
  const [, letters = '', first = '', last = ''] = RANGE.exec(reference) ?? [];
  const [firstRow, lastRow] = [Number(first), Number(last)];
  if (letters === '' || firstRow < 1 || lastRow <= firstRow) return undefined;
  const column = Array.from(letters.toUpperCase()).reduce((index, letter) => index * 26 + (letter.codePointAt(0) ?? 0) - 0x40, 0) - 1;
  return { reference: reference.trim().replaceAll('$', ''), column, firstRow, lastRow };
}

/** More merged cells than a person makes are not filled, lest they take all memory. */
const COVERED_CELLS_MAX = 250_000;

const MARK = Buffer.from('mergeCells');

/** Finds the merged ranges of a sheet part before its rows are read: they stand behind them. */
export class MergedRangesFeed implements XmlFeed {
  readonly #found: Buffer[] = [];
  #before: Buffer = Buffer.alloc(0);

  write(piece: Buffer): void {
    if (this.#found.length > 0) {
      this.#found.push(piece);
      return;
    }
    const seam = Buffer.concat([this.#before, piece.subarray(0, MARK.length)]);
    const at = piece.indexOf(MARK);
    if (seam.includes(MARK)) this.#found.push(this.#before, piece);
    else if (at !== -1) this.#found.push(piece.subarray(at));
    this.#before = piece.length < MARK.length ? seam.subarray(-MARK.length) : piece.subarray(-MARK.length);
  }

  end(): void {}

  /** Undefined where there are more of them than can be told. */
  get ranges(): readonly MergedRange[] | undefined {
    const text = Buffer.concat(this.#found).toString('utf8').replace(/<!--[\s\S]*?-->/g, '');
    const elements = text.matchAll(/<(?:\w+:)?mergeCell\s[^<>]*?\bref\s*=\s*["']([^"'<>]*)["']/g);
    const ranges = Array.from(elements, ([, reference = '']) => mergedRange(reference)).filter((range) => range !== undefined);
    const covered = ranges.reduce((cells, { firstRow, lastRow }) => cells + lastRow - firstRow, 0);
    return covered > COVERED_CELLS_MAX ? undefined : ranges;
  }
}

interface Shown {
  readonly range: MergedRange;
  cell: Cell | undefined;
}

/** Says of each row which of its cells are merged with one above. */
export class MergedCells {
  readonly #startingAt = new Map<number, Shown[]>();
  readonly #covering = new Map<number, Shown[]>();

  constructor(ranges: readonly MergedRange[]) {
    for (const range of ranges) {
      const shown: Shown = { range, cell: undefined };
      listAt(this.#startingAt, range.firstRow).push(shown);
      for (let row = range.firstRow + 1; row <= range.lastRow; row += 1) listAt(this.#covering, row).push(shown);
    }
  }

  /** The rows, with remarks on their merged cells; to be given all rows of the sheet in their order. */
  remarkOn(rows: readonly SheetRow[]): readonly SheetRow[] {
    return rows.map((row) => {
      for (const shown of this.#startingAt.get(row.rowNumber) ?? []) shown.cell = row.cells[shown.range.column];
      const covering = this.#covering.get(row.rowNumber);
      if (covering === undefined) return row;
      const remarks = covering.flatMap(({ range: { column, firstRow }, cell }): RowRemark[] => (cell === undefined ? [] : [{ kind: 'merged', column, firstRow, shows: cell }]));
      return remarks.length === 0 ? row : { ...row, remarks };
    });
  }
}

function listAt(lists: Map<number, Shown[]>, row: number): Shown[] {
  const found = lists.get(row);
  if (found !== undefined) return found;
  const list: Shown[] = [];
  lists.set(row, list);
  return list;
}

const RANGES_NAMED_MAX = 12;

/** What people should know of ranges that were found only after their rows. `firstRow` is the sheet's first that holds anything: merging titles does no harm. */
export function noteOnUnfilled(sheet: string, ranges: readonly MergedRange[], firstRow: number): readonly string[] {
  const below = ranges.filter((range) => range.firstRow > firstRow);
  if (below.length === 0) return [];
  const named = below.slice(0, RANGES_NAMED_MAX).map((range) => {
    const [from, to] = [range.firstRow + 1, range.lastRow];
    return `${range.reference} (not ${from === to ? `row ${from}` : `rows ${from} to ${to}`})`;
  });
  const more = below.length - named.length;
  return [`sheet "${sheet}": cells are merged over several rows, and what they show was read for the first of their rows only: ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`];
}
