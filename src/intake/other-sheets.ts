import { cellText, isBlank } from '../domain/cells.ts';
import type { SheetRow } from '../domain/row.ts';
import { type FieldName, NUMBER_FIELDS } from './fields.ts';
import type { OrderTable } from './header/header-row.ts';
import type { RowSource } from './readers/row-source.ts';

/** A sheet with none of these, such as one of premiums, may repeat the orders of another sheet. */
const OF_INSPECTIONS: readonly FieldName[] = [
  'serviceName',
  'streetAddress',
  'city',
  'zipcode',
  'insuredPhone',
  'insuredEmail',
];

/** Tells rows whose numbers are those of an order on another sheet, and that say nothing of an inspection. */
export function ordersElsewhere(source: RowSource, tables: readonly OrderTable[]) {
  const housed = tables.filter(({ columns }) => columns.has('streetAddress'));
  const repeating = tables.filter(
    ({ columns, given }) => !OF_INSPECTIONS.some((name) => columns.has(name) || given?.has(name)),
  );
  let known: Promise<ReadonlySet<string>> | undefined;
  return async (row: SheetRow, table: OrderTable) => {
    const own = repeating.includes(table) ? numbersOf(row, table) : [];
    if (own.length === 0 || housed.length === 0) return false;
    const numbers = await (known ??= numbersIn(source, housed));
    return own.every((number) => numbers.has(number));
  };
}

async function numbersIn(source: RowSource, tables: readonly OrderTable[]) {
  const numbers = new Set<string>();
  for (const table of tables)
    for await (const row of source.rows(table.sheetIndex))
      for (const number of numbersOf(row, table)) numbers.add(number);
  return numbers;
}

function numbersOf({ cells }: SheetRow, { columns }: OrderTable) {
  return NUMBER_FIELDS.flatMap((name) =>
    (columns.get(name) ?? []).flatMap(({ index }) =>
      isBlank(cells[index]) ? [] : `${name} ${cellText(cells[index]).trim()}`,
    ),
  );
}
