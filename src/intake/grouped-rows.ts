import { cellAddress, cellText, isBlank, type Cell } from '../domain/cells.ts';
import type { Repair, SheetLayout, SheetRow } from '../domain/row.ts';

type Columns = SheetLayout['columns'];

const SUBTOTAL = /^\s*sub-?\s?total/i;
const CELLS_MIN = 4;

/** The columns that a report fills once for each group: an arrow is in the header, and subtotals are below. */
export function groupedColumns(columns: Columns, below: readonly SheetRow[]) {
  return columns.filter(
    ({ index, header, field }) =>
      field !== null && /[↑↓]$/.test(header) && below.some((row) => SUBTOTAL.test(cellText(row.cells[index]))),
  );
}

export function groupFiller(grouped: Columns): (row: SheetRow) => { row: SheetRow; repairs: readonly Repair[] } {
  const above = new Map<number, Readonly<{ cell: Cell; rowNumber: number }>>();
  return (row) => {
    const cells = [...row.cells];
    const isOrder = cells.filter((cell) => !isBlank(cell)).length >= CELLS_MIN;
    const repairs = grouped.flatMap(({ index, header, field }) => {
      const cell = cells[index];
      const group = above.get(index);
      if (cell !== undefined && !isBlank(cell)) {
        if (SUBTOTAL.test(cellText(cell))) above.delete(index);
        else above.set(index, { cell, rowNumber: row.rowNumber });
        return [];
      }
      if (group === undefined || !isOrder) return [];
      cells[index] = group.cell;
      const why = `taken from ${cellAddress(index, group.rowNumber)}, which heads the group`;
      const held = { field: field ?? '', column: header, cell: cellAddress(index, row.rowNumber), held: '' };
      return { ...held, sent: cellText(group.cell), why };
    });
    return { row: repairs.length === 0 ? row : { ...row, cells }, repairs };
  };
}
