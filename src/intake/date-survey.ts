import type { Cell, SheetRow } from '../domain/row.ts';
import { fieldNamed } from './fields.ts';
import type { OrderTable } from './header-row.ts';
import type { DateOrder } from './values/coercion.ts';
import { dateEvidence, isAmbiguousDate } from './values/date.ts';
import { oneLine } from './values/plain-text.ts';

function dateColumns({ layout }: OrderTable): readonly number[] {
  return layout.columns.filter(({ field }) => field !== null && fieldNamed(field)?.kind === 'date').map(({ index }) => index);
}

function textOf(cell: Cell | undefined): string | undefined {
  return cell?.kind === 'text' ? oneLine(cell.text).text : undefined;
}

/** True when a row holds a date that only the rest of its column can decide. */
export function needsDateSurvey(row: SheetRow, table: OrderTable, today: string): boolean {
  return dateColumns(table).some((index) => {
    const text = textOf(row.cells[index]);
    return text !== undefined && isAmbiguousDate(text, today);
  });
}

/** Reads a whole sheet for what its date columns show: which part of a date such as 13/05/2026 is the day. */
export async function surveyDates(rows: AsyncIterable<SheetRow>, table: OrderTable, today: string): Promise<ReadonlyMap<number, DateOrder>> {
  const orders = new Map<number, DateOrder>(dateColumns(table).map((index) => [index, 'no evidence']));
  for await (const row of rows) {
    if (row.rowNumber <= table.layout.headerRow) continue;
    for (const [index, order] of orders) {
      const text = textOf(row.cells[index]);
      const shown = text === undefined ? undefined : dateEvidence(text, today);
      if (shown !== undefined) orders.set(index, order === 'no evidence' || order === shown ? shown : 'contradictory');
    }
  }
  return orders;
}
