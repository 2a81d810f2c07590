import { cellAddress, cellText, quoted } from '../domain/cells.ts';
import type { SheetRow } from '../domain/row.ts';
import type { OrderTable } from './header/header-row.ts';
import { namesNoOrders } from './not-ordered.ts';
import { isLegendTitle } from './row-kinds.ts';

const WHITE = /F{6}$|^0$/i;

/** Of a row's color, if a text outside the table explains it, such as `Do not order (cancelled)` on red. */
export async function readColorLegend(rows: AsyncIterable<SheetRow>, { columns, columnAt }: OrderTable) {
  const own = [...columns.values()].flat().map(({ index }) => index);
  const legend = new Map<string, Readonly<{ text: string; says: string }>>();
  for await (const { rowNumber, cells, fills = [] } of rows)
    for (const [index, fill = ''] of fills.entries()) {
      const isOutside = isLegendTitle(columnAt[index]?.header ?? 'Legend');
      if (!isOutside || WHITE.test(fill) || own.some((at) => fills[at] === fill)) continue;
      const text = cellText(cells[index]).trim();
      const says = `its color is that of ${quoted(text)} (${cellAddress(index, rowNumber)})`;
      if (namesNoOrders(text, 'title')) legend.set(fill, { text, says });
    }
  return ({ fills = [] }: SheetRow) => own.map((index) => legend.get(fills[index] ?? '')).find(Boolean);
}
