import { inWords, quoted } from './cells.ts';

/** Rows below the header that are not data. */
export type SkippedKind = 'total' | 'repeated-header' | 'only-its-key' | 'example' | 'no-order' | 'beside';

const NUMBERS_NAMED_MAX = 20;

/** Remembers which rows were not taken for data, so that a person can check. */
export class SkippedRows {
  readonly #rows = new Map<string, { sheet: string; kind: SkippedKind; count: number; first: number[] }>();

  add(sheet: string, kind: SkippedKind, rowNumber: number): void {
    const key = `${kind} ${sheet}`;
    const entry = this.#rows.get(key) ?? { sheet, kind, count: 0, first: [] };
    entry.count += 1;
    if (entry.first.length < NUMBERS_NAMED_MAX) entry.first.push(rowNumber);
    this.#rows.set(key, entry);
  }

  clear(): void {
    this.#rows.clear();
  }

  /** One sentence for each sheet and kind. */
  notes(): string[] {
    return [...this.#rows.values()].map(({ sheet, kind, count, first }) => {
      const more = count > first.length ? [`${String(count - first.length)} more`] : [];
      return `Sheet ${quoted(sheet)}: ${count === 1 ? 'row' : 'rows'} ${inWords([...first.map(String), ...more])} ${sentenceEnd(kind, count)}.`;
    });
  }
}

function sentenceEnd(kind: SkippedKind, count: number): string {
  const one = count === 1;
  switch (kind) {
    case 'total':
      return `${one ? 'is a total' : 'are totals'}, not ${one ? 'an order' : 'orders'}`;
    case 'repeated-header':
      return `${one ? 'repeats' : 'repeat'} the header`;
    case 'example':
      return `${one ? 'is the example' : 'are the example'} of the template and ${one ? 'was' : 'were'} not ordered`;
    case 'no-order':
      return one ? 'is no order, but the title of a group, a page number or the like' : 'are no orders, but titles of groups, page numbers and the like';
    case 'beside':
      return `${one ? 'holds' : 'hold'} nothing but what stands apart from the table`;
    case 'only-its-key':
      return `${one ? 'holds' : 'hold'} nothing but the hidden row key and ${one ? 'was' : 'were'} taken for withdrawn`;
  }
}
