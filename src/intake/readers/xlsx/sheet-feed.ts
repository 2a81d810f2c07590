import { columnIndex } from '../../../domain/cells.ts';
import type { CellContext, RawCell } from './cell-values.ts';
import type { RowAssembler } from './row-assembler.ts';
import { isTrue, type XmlEvents } from './xml-events.ts';
import type { XmlFeed } from './xml-part.ts';

const ROW = /\s*<row((?: [\w:.-]+="[^"<&]*")*)(\/?)>/y;
const CELL =
  /<c r="([A-Z]{1,3})\d{1,7}"(?: s="(\d{1,9})")?(?: t="(\w+)")?(?: s="(\d{1,9})")?(?:\/>|>(?:<v>([^<&\r]*)<\/v>|<is><t(?: xml:space="preserve")?>([^<&\r]*)<\/t><\/is>)?<\/c>)/y;
const ROW_END = '</row>';
/** After these a row may begin. */
const ROW_BOUNDARY = /<\/row>|<sheetData>|<row [^<>]*\/>/g;
const HELD_CHARACTERS_MAX = 1024 * 1024;

/** Reads plain rows by patterns, since saxes takes ten times as long. Saxes reads all else. */
export class SheetFeed implements XmlFeed {
  readonly #events: XmlEvents;
  readonly #assembler: RowAssembler;
  readonly #context: CellContext;
  readonly #boundaries: () => number;
  #held = '';
  #isBetweenRows = false;

  /** @param boundaries How many places at which a row may begin `events` has reported. */
  constructor(events: XmlEvents, assembler: RowAssembler, context: CellContext, boundaries: () => number) {
    this.#events = events;
    this.#assembler = assembler;
    this.#context = context;
    this.#boundaries = boundaries;
  }

  write(piece: string): void {
    const text = this.#held + piece;
    this.#held = '';
    let at = 0;
    for (;;) {
      if (this.#isBetweenRows) at = this.#readPlainRows(text, at);
      ROW_BOUNDARY.lastIndex = at;
      if (ROW_BOUNDARY.exec(text) === null) break;
      const end = ROW_BOUNDARY.lastIndex;
      this.#writeThrough(text.slice(at, end));
      at = end;
    }
    const rest = text.slice(at);
    if (this.#isBetweenRows && rest.length <= HELD_CHARACTERS_MAX) this.#held = rest;
    else {
      this.#isBetweenRows = false;
      this.#events.write(rest);
    }
  }

  end(): void {
    this.#events.write(this.#held);
    this.#events.end();
  }

  /** In a comment it is no boundary. */
  #writeThrough(text: string): void {
    this.#events.write(text.slice(0, -1));
    const before = this.#boundaries();
    this.#events.write('>');
    this.#isBetweenRows = this.#boundaries() > before;
  }

  #readPlainRows(text: string, from: number): number {
    let at = from;
    for (;;) {
      const next = this.#readPlainRow(text, at);
      if (next === undefined) return at;
      at = next;
    }
  }

  #readPlainRow(text: string, from: number): number | undefined {
    ROW.lastIndex = from;
    const [, attributes = '', slash = ''] = ROW.exec(text) ?? [];
    let at = ROW.lastIndex;
    if (at === 0) return undefined;
    const cells: (RawCell & { readonly column: number })[] = [];
    if (slash === '') {
      for (;;) {
        CELL.lastIndex = at;
        const cell = CELL.exec(text);
        if (cell === null) break;
        const [, letters = '', style, type = 'n', otherStyle, value, inline] = cell;
        const column = columnIndex(letters);
        cells.push({ column, type, style: Number(style ?? otherStyle ?? 0), value, inline, formula: undefined });
        at = CELL.lastIndex;
      }
      if (!text.startsWith(ROW_END, at)) return undefined;
      at += ROW_END.length;
    }
    const number = / r="(\d{1,10})"/.exec(attributes)?.[1];
    this.#assembler.startRow(Number(number ?? 0) || undefined, isTrue(/ hidden="([^"]*)"/.exec(attributes)?.[1]));
    for (const cell of cells) {
      this.#assembler.startCell(cell.column);
      this.#assembler.putRaw(cell, this.#context);
    }
    this.#assembler.endRow();
    return at;
  }
}
