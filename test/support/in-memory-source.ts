import { type Cell, isBlank } from '../../src/domain/cells.ts';
import type { SheetRow } from '../../src/domain/row.ts';
import type { RowSource } from '../../src/intake/readers/row-source.ts';

/** What a test writes for a cell: a text, a number, a cell, or nothing. */
export type CellLike = string | number | Cell | undefined;

function cellOf(held: CellLike): Cell | undefined {
  if (typeof held === 'string') return held === '' ? undefined : { kind: 'text', text: held };
  return typeof held === 'number' ? { kind: 'number', value: held, raw: String(held) } : held;
}

/** A spreadsheet held in memory, for tests. A name that begins with `!` is a hidden sheet. `reads` counts how often a sheet was read. */
export function inMemorySource(
  sheets: Readonly<Record<string, readonly (readonly CellLike[])[]>>,
): RowSource & { reads: number; closed: boolean } {
  const entries = Object.entries(sheets);
  return {
    reads: 0,
    closed: false,
    sheets: entries.map(([name]) => ({ name: name.replace(/^!/, ''), visible: !name.startsWith('!') })),
    notes: [],
    async *rows(sheetIndex) {
      this.reads += 1;
      const [name = '', rows = []] = entries[sheetIndex] ?? [];
      for (const [index, held] of rows.entries()) {
        const row: SheetRow = { sheet: name, rowNumber: index + 1, cells: held.map(cellOf) };
        if (!row.cells.every(isBlank)) yield await Promise.resolve(row);
      }
    },
    async [Symbol.asyncDispose]() {
      this.closed = true;
      return Promise.resolve();
    },
  };
}

/** Everything that an iteration gives, for tests. */
export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
