import type { SheetRow } from '../domain/row.ts';
import { isBlank } from './cells.ts';
import { HEADER_SEARCH_ROWS } from './header-row.ts';
import type { RowSource } from './readers/row-source.ts';

/** The rows of a sheet among which its header is looked for: the first ones that hold anything. */
export async function firstRows(source: RowSource, sheetIndex: number): Promise<SheetRow[]> {
  const rows: SheetRow[] = [];
  for await (const row of source.rows(sheetIndex)) {
    if (row.cells.every(isBlank)) continue;
    rows.push(row);
    if (rows.length === HEADER_SEARCH_ROWS) break;
  }
  return rows;
}
