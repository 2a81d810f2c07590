import { cellAddress, cellText, isBlank, quoted } from '../domain/cells.ts';
import type { SheetRow } from '../domain/row.ts';
import type { OrderTable } from './header/header-row.ts';
import { saysNoOrder } from './not-ordered.ts';
import { colorsIn, isLegendTitle, LABELED_MAX } from './row-kinds.ts';

const WHITE = /F{6}$|^0$/i;

/** Which of red, green and blue are strong; people name colors loosely. */
const STRONG: Readonly<Record<string, string>> = {
  red: 'r',
  orange: 'r rg',
  yellow: 'rg',
  green: 'g',
  blue: 'b gb',
  purple: 'b rb',
  pink: 'r rb',
};
const RGB = /^(?:..)?([\dA-F]{2})([\dA-F]{2})([\dA-F]{2})$/i;
const GRAY_SPAN_MAX = 16;
const THEME_GRAY = /^[0-3](?:,|$)/;

/** The other colors of a theme may have any name. */
function isNamed(fill: string, name: string) {
  const parts = (RGB.exec(fill) ?? []).slice(1).map((part) => Number.parseInt(part, 16));
  const least = Math.min(...parts);
  const span = Math.max(...parts) - least;
  const names = STRONG[name]?.split(' ');
  if (parts.length === 0 ? THEME_GRAY.test(fill) : span < GRAY_SPAN_MAX) return names === undefined;
  const strong = parts.map((part, at) => (part > least + 0.55 * span ? 'rgb'.charAt(at) : '')).join('');
  return names === undefined ? !name.startsWith('gr') : strong === '' || names.includes(strong);
}

/** What texts outside the rows say of their colors, such as `Do not order (cancelled)` on red, or `yellow = hold`. */
export async function readColorLegend(
  rows: AsyncIterable<SheetRow>,
  { columns, columnAt, layout: { headerRow } }: OrderTable,
) {
  const own = [...columns.values()].flat().map(({ index }) => index);
  const colorsOf = ({ fills = [] }: SheetRow) =>
    own.flatMap((index) => fills[index] ?? []).filter((fill) => !WHITE.test(fill));
  const used = new Set<string>();
  const texts = [];
  let last = headerRow;
  for await (const row of rows) {
    const { rowNumber, cells, fills = [] } = row;
    const isLine = rowNumber < headerRow || cells.filter((cell) => !isBlank(cell)).length <= LABELED_MAX;
    const colors = isLine ? [] : colorsOf(row);
    if (rowNumber === headerRow) continue;
    if (!isLine) last = rowNumber;
    for (const color of colors) used.add(color);
    for (const [index, cell] of cells.entries()) {
      if (isBlank(cell) || !(isLine || isLegendTitle(columnAt[index]?.header ?? 'Legend'))) continue;
      const beside = cellText(cells[index - 1]).trim();
      const isSwatch = colorsIn(beside).every(({ rest }) => rest === '');
      const fill = [fills[index], isSwatch ? fills[index - 1] : undefined].find(
        (one = 'FFFFFF') => !WHITE.test(one) && !colors.includes(one),
      );
      const text = `${isSwatch ? beside : ''} ${cellText(cell)}`.trim();
      const says = `its color is that of ${quoted(text)} (${cellAddress(index, rowNumber)})`;
      for (const { names, rest } of colorsIn(text)) {
        // Below the headers, a text that names no color may be the title of the next rows.
        const before = isLine && rowNumber > headerRow && names.length === 0 ? rowNumber : Infinity;
        texts.push({ text, says, fill, names, before, holds: saysNoOrder(rest) });
      }
    }
  }
  const legend = texts.filter(({ before }) => before > last);
  const meant = new Map(
    [...used].flatMap((color) => {
      const entry =
        legend.find(({ fill }) => fill === color) ??
        legend.find(
          ({ names, holds, fill = '' }) =>
            holds && names.some((name) => isNamed(color, name)) && (RGB.test(color) || !used.has(fill)),
        );
      return entry?.holds === true ? [[color, entry] as const] : [];
    }),
  );
  return {
    of: (row: SheetRow) =>
      colorsOf(row)
        .map((color) => meant.get(color))
        .find(Boolean),
    /** Then it says nothing of the rows below it. */
    explains: (text: string) => [...meant.values()].some((entry) => entry.text === text && entry.names.length > 0),
  };
}
