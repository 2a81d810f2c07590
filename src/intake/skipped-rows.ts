import { cellText, formatList, isBlank, quoted } from '../domain/cells.ts';
import { type Cell, note, type Note, type SheetRow } from '../domain/row.ts';
import type { RowKind } from './row-kinds.ts';

type SkippedKind = Exclude<RowKind, 'data' | 'other-header'> | 'example' | 'hidden' | 'header-below';

type Said = readonly [one: string, several: string, code: string];

const NUMBERS_NAMED_MAX = 20;

const QUOTED_MAX = 5;

export class SkippedRows {
  readonly #rows = new Map<string, { sheet: string; said: Said; count: number; first: number[]; texts: Set<string> }>();

  add({ sheet, rowNumber, cells }: SheetRow, kind: SkippedKind): void {
    const said = SAID_OF[kind];
    const key = `${said[0]} ${sheet}`;
    const entry = this.#rows.get(key) ?? { sheet, said, count: 0, first: [], texts: new Set() };
    entry.count += 1;
    if (entry.first.length < NUMBERS_NAMED_MAX) entry.first.push(rowNumber);
    if (said === NO_ORDER && entry.texts.size < QUOTED_MAX) entry.texts.add(quoted(rowText(cells)));
    this.#rows.set(key, entry);
  }

  clear(): void {
    this.#rows.clear();
  }

  notes(): Note[] {
    return [...this.#rows.values()].map(({ sheet, said, count, first, texts }) => {
      const more = count > first.length ? [`${count - first.length} more`] : [];
      const what = texts.size === 0 ? '' : `: ${[...texts].join(', ')}`;
      return note(
        said[2],
        `Sheet ${quoted(sheet)}: ${count === 1 ? 'row' : 'rows'} ${formatList([...first.map(String), ...more])} ${said[count === 1 ? 0 : 1]}${what}.`,
      );
    });
  }
}

export function rowText(cells: readonly (Cell | null | undefined)[], joiner = ' '): string {
  return cells
    .map((cell) => cell ?? undefined)
    .filter((cell) => !isBlank(cell))
    .map(cellText)
    .join(joiner);
}

const NO_ORDER = [
  'is not an order but the title of a group, a page number or the like',
  'are not orders but titles of groups, page numbers and the like',
  'rows-no-orders',
] as const;

const SAID_OF: Readonly<Record<SkippedKind, Said>> = {
  total: ['is a total, not an order', 'are totals, not orders', 'rows-totals'],
  'repeated-header': ['repeats the header', 'repeat the header', 'rows-repeat-header'],
  'header-below': [
    'is the header of a table below, whose rows are read by it',
    'are headers of tables below, whose rows are read by them',
    'rows-repeat-header',
  ],
  example: [
    'is the example of the template and was not ordered',
    'are the example of the template and were not ordered',
    'rows-example',
  ],
  hidden: ['is hidden and was left out', 'are hidden and were left out', 'rows-hidden'],
  'no-order': NO_ORDER,
  title: NO_ORDER,
  beside: ['holds only cells outside the table', 'hold only cells outside the table', 'rows-apart'],
  'only-its-key': [
    'holds nothing but the hidden row key and was taken for withdrawn',
    'hold nothing but the hidden row key and were taken for withdrawn',
    'rows-only-key',
  ],
};
