import type { Cell } from '../../../domain/row.ts';
import { unescapeCharacters } from './escaped-characters.ts';

const BLOCK_BYTES = 1024 * 1024;
/** What a string takes beside its text. */
const PLACE_BYTES = 16;
/** A place is the block's number times this, plus the offset in the block. */
const PLACE_BLOCK = 2 ** 32;
const KEPT_CELLS = 1 << 14;

/** A workbook's table of texts, kept as UTF-8: a third of what as many JavaScript strings would take. */
export class SharedStrings {
  readonly #bytesMax: number;
  /** Blocks of text; where each string begins and ends is counted over all of them laid end to end. */
  readonly #blocks: Buffer[] = [];
  #block = Buffer.alloc(0);
  #used = 0;
  #places = new Float64Array(1024);
  #count = 0;
  #bytes = 0;
  /** Cells looked up last, each in the slot of its index. */
  readonly #keptIndex = new Int32Array(KEPT_CELLS).fill(-1);
  readonly #keptCell: (Cell | undefined)[] = Array.from({ length: KEPT_CELLS });

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Adds the next string, the UTF-8 between two positions, `_x000D_` not yet decoded. Says false when there is no room for it. */
  addUtf8(bytes: Buffer, start: number, end: number): boolean {
    const length = end - start;
    if (this.#used + length > this.#block.length) this.#startBlock(length);
    bytes.copy(this.#block, this.#used, start, end);
    if (this.#count * 2 + 2 > this.#places.length) this.#growPlaces();
    this.#places[this.#count * 2] = (this.#blocks.length - 1) * PLACE_BLOCK + this.#used;
    this.#places[this.#count * 2 + 1] = length;
    this.#count += 1;
    this.#used += length;
    this.#bytes += length + PLACE_BYTES;
    return this.#bytes <= this.#bytesMax;
  }

  /** The text cell of a string; undefined where the string is empty; `missing` where there is no such string. */
  cell(index: number): Cell | undefined | 'missing' {
    if (!(index >= 0 && index < this.#count)) return 'missing';
    const slot = index & (KEPT_CELLS - 1);
    if (this.#keptIndex[slot] === index) return this.#keptCell[slot];
    const text = unescapeCharacters(this.#text(index));
    const cell: Cell | undefined = text === '' ? undefined : { kind: 'text', text };
    this.#keptIndex[slot] = index;
    this.#keptCell[slot] = cell;
    return cell;
  }

  #text(index: number): string {
    const place = this.#places[index * 2] ?? 0;
    const start = place % PLACE_BLOCK;
    const block = this.#blocks[Math.floor(place / PLACE_BLOCK)];
    return block?.toString('utf8', start, start + (this.#places[index * 2 + 1] ?? 0)) ?? '';
  }

  #startBlock(room: number): void {
    this.#block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, room));
    this.#blocks.push(this.#block);
    this.#used = 0;
  }

  #growPlaces(): void {
    const grown = new Float64Array(this.#places.length * 2);
    grown.set(this.#places);
    this.#places = grown;
  }
}
