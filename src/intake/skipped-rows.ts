import { cellText, formatList, isBlank, quoted, type Cell } from '../domain/cells.ts';
import type { SheetRow } from '../domain/row.ts';
import { noteFor } from '../domain/sentences.ts';

const NUMBERS_NAMED_MAX = 20;
const QUOTED_MAX = 5;

export class SkippedRows {
  readonly #rows = new Map<
    string,
    { sheet: string; code: string; count: number; first: number[]; texts: Set<string> }
  >();

  add({ sheet, rowNumber, cells }: SheetRow, code: string) {
    const key = `${code} ${sheet}`;
    const entry = this.#rows.get(key) ?? { sheet, code, count: 0, first: [], texts: new Set() };
    entry.count += 1;
    if (entry.first.length < NUMBERS_NAMED_MAX) entry.first.push(rowNumber);
    if (entry.texts.size < QUOTED_MAX) entry.texts.add(quoted(rowText(cells)));
    this.#rows.set(key, entry);
  }

  clear() {
    this.#rows.clear();
  }

  notes() {
    return [...this.#rows.values()].map(({ sheet, code, count, first, texts }) => {
      const more = count > first.length ? [`${count - first.length} more`] : [];
      const rows = formatList([...first.map(String), ...more]);
      return noteFor(count === 1 ? code : `${code}/several`, { sheet, rows, texts: [...texts].join(', ') });
    });
  }
}

export function rowText(cells: readonly (Cell | null | undefined)[], joiner = ' ') {
  return cells
    .map((cell) => cell ?? undefined)
    .filter((cell) => !isBlank(cell))
    .map(cellText)
    .join(joiner);
}
