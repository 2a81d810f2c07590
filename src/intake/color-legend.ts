import { cellAddress, cellText, isBlank, quoted } from '../domain/cells.ts';
import type { SheetRow } from '../domain/row.ts';
import type { OrderTable } from './header/header-row.ts';
import { saysNoOrder } from './not-ordered.ts';
import { colorWordsIn, isLegendTitle, LABELED_MAX } from './row-kinds.ts';

const WHITE = /F{6}$|^0$/i;

const RGB = /^(?:..)?([\dA-F]{2})([\dA-F]{2})([\dA-F]{2})$/i;
const SPAN_MIN = 30;

/** The other colors of a theme may have any name but gray. */
function isNamed(fill: string, { strong }: ReturnType<typeof colorWordsIn>[number]) {
  const parts = (RGB.exec(fill) ?? []).slice(1).map((part) => Number.parseInt(part, 16));
  if (parts.length === 0) return /^[0-3](?:,|$)/.test(fill) === strong.includes('');
  const least = Math.min(...parts);
  const limit = least + 0.55 * Math.max(Math.max(...parts) - least, SPAN_MIN);
  return (
    strong.length === 0 || strong.includes(parts.map((part, at) => (part > limit ? 'rgb'.charAt(at) : '')).join(''))
  );
}

function isColor(text: string) {
  return (
    colorWordsIn(text)
      .map(({ name }) => name)
      .join(' ') === text.trim().toLowerCase()
  );
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
      const swatch = cellText(cells[index - 1]).trim();
      const isSwatch = isColor(swatch);
      const shown = [fills[index], isSwatch ? fills[index - 1] : undefined].find(
        (one = 'FFFFFF') => !WHITE.test(one) && !colors.includes(one),
      );
      const text = `${isSwatch ? swatch : ''} ${cellText(cell)}`.trim();
      const says = `its color is that of ${quoted(text)} (${cellAddress(index, rowNumber)})`;
      const parts = text.split(/[,;\n]+/);
      // `yellow, orange = hold`, or `yellow = hold, green = done`
      for (const part of parts.some(isColor) ? [text] : parts) {
        const names = colorWordsIn(part);
        const fill = names.length === 0 || names.some((name) => isNamed(shown ?? '', name)) ? shown : undefined;
        // Below the headers, a text that names no color may be the title of the next rows.
        const before = isLine && rowNumber > headerRow && names.length === 0 ? rowNumber : Infinity;
        texts.push({ text, says, fill, names, before, holds: saysNoOrder(part) });
      }
    }
  }
  const legend = texts.filter(({ before }) => before > last);
  const meant = new Map(
    [...used].flatMap((color) => {
      const shown = legend.filter(({ fill }) => fill === color);
      const named = legend.filter(
        ({ names, fill = '' }) => names.some((name) => isNamed(color, name)) && (RGB.test(color) || !used.has(fill)),
      );
      const entry = (shown.length > 0 ? shown : named).find(({ holds }) => holds);
      return entry === undefined ? [] : [[color, entry] as const];
    }),
  );
  return {
    of: (row: SheetRow) =>
      colorsOf(row)
        .map((color) => meant.get(color))
        .find(Boolean),
    /** Then it is not about the rows below. */
    explains: (text: string) =>
      [...meant.values()].some((entry) => entry.text === text && colorWordsIn(text).length > 0),
  };
}
