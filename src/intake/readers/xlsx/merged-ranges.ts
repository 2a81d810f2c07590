import { columnIndex, type Cell } from '../../../domain/cells.ts';
import type { RowRemark, SheetRow } from '../../../domain/row.ts';
import type { Package } from './package.ts';
import { readPart } from './xml-part.ts';

export type MergedRange = Readonly<{ column: number; lastColumn: number; firstRow: number; lastRow: number }>;

const RANGE = /^\s*\$?([A-Za-z]{1,3})\$?(\d{1,7}):\$?([A-Za-z]{1,3})\$?(\d{1,7})\s*$/;

/** Empty for a single cell. */
function mergedRange(reference: string) {
  const [, letters = '', first, lastLetters = '', last] = RANGE.exec(reference) ?? [];
  const [firstRow, lastRow] = [Number(first), Number(last)];
  const [column, lastColumn] = [columnIndex(letters), columnIndex(lastLetters)];
  const isRange = lastRow >= firstRow && lastColumn >= column && (lastRow > firstRow || lastColumn > column);
  return firstRow >= 1 && isRange ? [{ column, lastColumn, firstRow, lastRow }] : [];
}

/** The element after the rows. */
const MARK = /mergeCells/;
const MARK_LENGTH_MAX = 10;

export async function readMergedRanges(pack: Package, partName: string) {
  let found = '';
  let before = '';
  const write = (piece: string) => {
    const whole = found === '' ? before + piece : piece;
    const at = found === '' ? whole.search(MARK) : 0;
    if (at !== -1) found += whole.slice(at);
    before = whole.slice(-MARK_LENGTH_MAX);
  };
  await readPart(pack.chunks(partName), { write, end: () => {} }, partName, pack.reading);
  const text = found.replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  const elements = text.matchAll(/<(?:\w+:)?mergeCell\s[^<>]*?\bref\s*=\s*["']([^"'<>]*)["']/g);
  return [...elements].flatMap(([, reference = '']) => mergedRange(reference));
}

type Shown = Readonly<{ range: MergedRange; cell: Cell | undefined }>;

const COLUMNS_SHOWN_MAX = 64;

/** The result adds remarks to rows; it needs all of the sheet's rows in order. */
export function mergedCells(merged: readonly MergedRange[]) {
  const ranges = merged.toSorted((a, b) => a.firstRow - b.firstRow);
  let next = 0;
  let covering: Shown[] = [];
  return (rows: readonly SheetRow[]) =>
    rows.map((row) => {
      const { rowNumber } = row;
      covering = covering.filter(({ range }) => range.lastRow >= rowNumber);
      for (let range = ranges[next]; range !== undefined && range.firstRow <= rowNumber; range = ranges[(next += 1)]) {
        const cell = range.firstRow === rowNumber ? row.cells[range.column] : undefined;
        if (range.lastRow >= rowNumber) covering.push({ range, cell });
      }
      const remarks = covering.flatMap((shown) => coveredCells(shown, row));
      return remarks.length === 0 ? row : { ...row, remarks: [...(row.remarks ?? []), ...remarks] };
    });
}

function coveredCells(
  { range: { column: firstColumn, lastColumn, firstRow }, cell: shows }: Shown,
  { rowNumber, cells }: SheetRow,
) {
  const remarks: RowRemark[] = [];
  const end = Math.min(lastColumn, Math.max(cells.length - 1, firstColumn + COLUMNS_SHOWN_MAX));
  for (let column = rowNumber === firstRow ? firstColumn + 1 : firstColumn; column <= end; column += 1) {
    if (cells[column] !== undefined || (shows !== undefined && column <= firstColumn + COLUMNS_SHOWN_MAX))
      remarks.push({ kind: 'merged', column, firstColumn, firstRow, shows });
  }
  return remarks;
}
