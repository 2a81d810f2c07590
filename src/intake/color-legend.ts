import { cellAddress, cellText, isBlank, quoted } from '../domain/cells.ts';
import type { SheetRow } from '../domain/row.ts';
import type { OrderTable } from './header/header-row.ts';
import { saysNoOrder } from './not-ordered.ts';
import { colorsIn, isLegendTitle, LABELED_MAX } from './row-kinds.ts';

const WHITE = /F{6}$|^0$/i;

/** In degrees. They overlap, as people name colors loosely. */
const HUES = new Map<string, readonly [from: number, to: number]>([
  ['red', [-20, 15]],
  ['orange', [12, 48]],
  ['yellow', [42, 72]],
  ['green', [70, 175]],
  ['blue', [170, 262]],
  ['purple', [250, 315]],
  ['pink', [285, 372]],
]);
const GRAY_SPAN_MAX = 16;
const HEX = /([\dA-F]{2})([\dA-F]{2})([\dA-F]{2})$/i;
const THEME_GRAY = /^(?:[0-3]|6[45])(?:,|$)/;

/** The other colors of a theme may have any name. */
function isNamed(fill: string, name: string) {
  const [, ...parts] = HEX.exec(fill) ?? [];
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseInt(part, 16));
  const most = Math.max(red, green, blue);
  const span = most - Math.min(red, green, blue);
  const isGray = parts.length === 0 ? THEME_GRAY.test(fill) : span < GRAY_SPAN_MAX;
  if (/^gr[ae]y$/.test(name) || isGray) return isGray && !HUES.has(name);
  const range = HUES.get(name);
  if (range === undefined || parts.length === 0) return true;
  const turned =
    most === red ? (green - blue) / span : most === green ? 2 + (blue - red) / span : 4 + (red - green) / span;
  return [60 * turned, 60 * turned + 360].some((hue) => range[0] <= hue && hue <= range[1]);
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
  let legend: Readonly<{
    text: string;
    says: string;
    fill: string | undefined;
    names: readonly string[];
    holds: boolean;
    isTitle: boolean;
  }>[] = [];
  for await (const row of rows) {
    const { rowNumber, cells, fills = [] } = row;
    const filled = cells.flatMap((cell, index) => (isBlank(cell) ? [] : index));
    if (rowNumber === headerRow) continue;
    const isLine = rowNumber < headerRow || filled.length <= LABELED_MAX;
    if (!isLine) {
      for (const fill of colorsOf(row)) used.add(fill);
      legend = legend.filter(({ isTitle }) => !isTitle);
    }
    for (const index of filled) {
      if (!isLine && !isLegendTitle(columnAt[index]?.header ?? 'Legend')) continue;
      const held = cellText(cells[index]).trim();
      const isColorAlone = colorsIn(held).every(({ rest }) => rest === '');
      const text = isColorAlone ? `${held} ${cellText(cells[index + 1]).trim()}` : held;
      const swatch = isBlank(cells[index - 1]) ? fills[index - 1] : undefined;
      const shown = [fills[index], swatch].find((fill) => fill !== undefined && !WHITE.test(fill));
      const fill = isLine || !colorsOf(row).includes(shown ?? '') ? shown : undefined;
      const says = `its color is that of ${quoted(text)} (${cellAddress(index, rowNumber)})`;
      // Below the headers, a text that names no color may be the title of the next rows.
      for (const { names, rest } of colorsIn(text))
        legend.push({
          text,
          says,
          fill,
          names,
          holds: saysNoOrder(rest, names.length > 0),
          isTitle: isLine && rowNumber > headerRow && names.length === 0,
        });
    }
  }
  const meant = new Map(
    [...used].flatMap((color) => {
      const entry =
        legend.find(({ fill }) => fill === color) ??
        legend.find(
          ({ names, holds, fill }) =>
            holds &&
            names.some((name) => isNamed(color, name)) &&
            (HEX.test(color) || fill === undefined || !used.has(fill)),
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
