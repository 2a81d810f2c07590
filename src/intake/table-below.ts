import type { Cell, RowOutcome, SheetRow } from '../domain/row.ts';
import { normalizedHeader } from '../domain/text.ts';
import type { OrderTable } from './header/header-row.ts';
import type { KnownHeaders } from './header/known-headers.ts';
import { type LayoutSettings, readLayout } from './layout/read-layout.ts';

export interface TableBelow {
  readonly table: OrderTable;
  /** The places of its columns in the table above. */
  readonly places: ReadonlyMap<number, number>;
}

/** Undefined unless the header `row` is certain and names the columns of the table above, in any order. */
export function findTableBelow(
  row: SheetRow,
  below: readonly SheetRow[],
  { layout, sheetIndex }: OrderTable,
  known: KnownHeaders,
  settings: LayoutSettings,
): TableBelow | undefined {
  const { table, question } = readLayout({ row, above: undefined, below }, sheetIndex, known, settings);
  const places = new Map(
    table.layout.columns.flatMap(({ index, header, field }) => {
      const name = normalizedHeader(header);
      const own =
        layout.columns.find((column) => normalizedHeader(column.header) === name) ??
        layout.columns.find((column) => field !== null && column.field === field);
      return own?.field === field ? [[index, own.index] as const] : [];
    }),
  );
  const isWhole = new Set(places.values()).size === table.layout.columns.length;
  if (question !== null || table.missing.length > 0 || !isWhole) return undefined;
  return { table: { ...table, layout: { ...table.layout, titles: layout.titles ?? [] } }, places };
}

/** The outcomes with their cells under the headers of the table above, as the corrections workbook writes them. */
export async function* underHeadersAbove(
  outcomes: AsyncIterable<RowOutcome>,
  { places }: TableBelow,
): AsyncGenerator<RowOutcome> {
  const end = Math.max(...places.values()) + 1;
  for await (const { record, ...outcome } of outcomes) {
    const cells: (Cell | undefined)[] = Array(end).fill(undefined);
    for (const [index, cell] of record.cells.entries())
      if (cell !== undefined) cells[places.get(index) ?? end + index] = cell;
    yield { ...outcome, record: { ...record, cells } };
  }
}
