import { cellText } from '../domain/cells.ts';
import type { SheetRow } from '../domain/row.ts';
import { NUMBER_FIELDS } from './fields.ts';
import type { OrderTable } from './header/header-row.ts';
import type { RowSource } from './readers/row-source.ts';

const OF_INSPECTIONS = ['serviceName', 'streetAddress', 'city', 'zipcode', 'insuredPhone', 'insuredEmail'] as const;

/** For a sheet that says nothing of an inspection: whether a row's numbers are those of a row with an address. */
export function ordersElsewhere(source: RowSource, tables: readonly OrderTable[]) {
  const housed = tables.filter(({ columns }) => columns.has('streetAddress'));
  let known: Promise<ReadonlySet<string>> | undefined;
  return async (row: SheetRow, table: OrderTable) => {
    const { columns, given } = table;
    if (housed.length === 0 || OF_INSPECTIONS.some((name) => columns.has(name) || given?.has(name))) return false;
    const own = numbersOf(row, table);
    const numbers = await (known ??= numbersIn(source, housed));
    return own.length > 0 && own.every((number) => numbers.has(number));
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
  return NUMBER_FIELDS.flatMap((name) => {
    const texts = (columns.get(name) ?? []).map(({ index }) => cellText(cells[index]).trim());
    return texts.flatMap((text) => (text === '' ? [] : `${name} ${text}`));
  });
}
