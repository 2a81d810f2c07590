import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Cell } from '../../../domain/row.ts';
import { type Reading, tooMuch } from '../row-source.ts';
import { ENTITY_BYTES, entityAt, PlainCursor, startsAt, unescapeCharacters } from './plain-xml.ts';
import { noteFont, type TextRun } from './text-runs.ts';
import { type XmlAttributes, XmlFault } from './xml-events.ts';
import { type ListHandler, readPart, UNEXPECTED, XmlListFeed } from './xml-feed.ts';

/** `anyStruck`: a style strikes cells through, so runs without a font may be struck. */
export async function readSharedStrings(
  chunks: AsyncIterable<Uint8Array>,
  partName: string,
  reading: Reading,
  anyStruck = false,
): Promise<SharedStrings> {
  const handler = new SharedStringsHandler(reading, anyStruck);
  await readPart(chunks, new XmlListFeed(handler, reading.limits.cellCharacters), partName, reading);
  return handler.strings;
}

const STRING = Buffer.from('<si><t');
const STRING_END = Buffer.from('</t></si>');
const TAG_END = Buffer.from('>');
const SPACES_KEPT = Buffer.from(' xml:space="preserve">');

const RUN_DEPTH = 2;

class SharedStringsHandler implements ListHandler {
  readonly listName = 'sst';
  readonly itemName = 'si';
  readonly strings: SharedStrings;
  readonly #reading: Reading;
  readonly #cursor = new PlainCursor();
  #known = 0;
  #inText = false;
  #text = '';
  #runs: TextRun[] = [];
  readonly #anyStruck: boolean;

  constructor(reading: Reading, anyStruck: boolean) {
    this.#reading = reading;
    this.#anyStruck = anyStruck;
    this.strings = new SharedStrings(reading.limits.sharedStringsBytes);
  }

  open(name: string, attributes: XmlAttributes, depth: number): void {
    if (depth === 0 && name !== 'sst') throw new XmlFault(`it is no table of texts but a "${name}"`);
    if (this.#known === RUN_DEPTH + 1) noteFont(this.#runs.at(-1), name, attributes, depth - RUN_DEPTH);
    if (depth !== this.#known) return;
    const runOrText = name === 't' || (name === 'r' && depth === 2);
    if (depth === 0 || (depth === 1 && name === 'si') || (depth >= 2 && depth <= 3 && runOrText && !this.#inText)) {
      this.#known += 1;
      this.#inText = depth >= 2 && name === 't';
      if (depth === 1) {
        this.#text = '';
        this.#runs = [];
      }
      if (depth === RUN_DEPTH && name === 'r') this.#runs.push({ text: '', struck: undefined });
    }
  }

  close(_name: string, depth: number): void {
    if (this.#known !== depth + 1) return;
    this.#known = depth;
    this.#inText = false;
    if (depth !== 1) return;
    if (this.#runs.some(({ struck }) => struck === true || (struck === undefined && this.#anyStruck)))
      this.strings.addRuns(this.#runs);
    this.#mustHaveRoom(this.strings.add(this.#text));
  }

  text(text: string): void {
    if (!this.#inText) return;
    this.#text += text;
    const run = this.#runs.at(-1);
    if (run !== undefined && this.#known > RUN_DEPTH + 1) run.text += text;
    if (this.#text.length > this.#reading.limits.cellCharacters)
      throw tooMuch(this.#reading, 'cell-too-long', 'a text in it is longer than a cell can be');
  }

  betweenItems(depth: number): boolean {
    return depth === 1 && this.#known === 1;
  }

  scanItem(bytes: Buffer, position: number): number {
    const cursor = this.#cursor;
    cursor.bytes = bytes;
    cursor.position = position;
    if (!cursor.literal(STRING)) return UNEXPECTED;
    if (!cursor.literal(TAG_END) && !cursor.literal(SPACES_KEPT)) return UNEXPECTED;
    const end = this.strings.stage(bytes, cursor.position);
    if (end === -1 || end - cursor.position > this.#reading.limits.cellCharacters || !startsAt(bytes, end, STRING_END))
      return UNEXPECTED;
    this.#mustHaveRoom(this.strings.addStaged());
    return end + STRING_END.length;
  }

  #mustHaveRoom(hadRoom: boolean): void {
    if (!hadRoom) throw tooMuch(this.#reading, 'too-much-text', 'the texts of its cells are too many and too long');
  }
}

/** A place is a block's number and an offset. */
const BLOCK_BITS = 22;
const BLOCK_BYTES = 1 << BLOCK_BITS;
const LIST_BITS = 16;
const LIST_PLACES = 1 << LIST_BITS;
const PLACE_BYTES = 4;
const RUN_BYTES = 100;
const KEPT_CELLS = 1 << 14;
const KEPT_CHARACTERS_MAX = 256;

const LESS = 0x3c;
const AMPERSAND = 0x26;
const CR = 0x0d;
const LF = 0x0a;
const UNDERSCORE = 0x5f;

/** Texts are in UTF-8 to save memory. */
export class SharedStrings {
  readonly #bytesMax: number;
  readonly #blocks = new TextBlocks(BLOCK_BYTES);
  readonly #blockEnds: number[] = [];
  #block: Buffer = Buffer.alloc(0);
  #used = 0;
  readonly #places: Int32Array[] = [];
  #count = 0;
  #bytes = 0;
  #staged = 0;
  #escapes = false;
  readonly #keptIndex = new Int32Array(KEPT_CELLS).fill(-1);
  readonly #keptCell: (Cell | undefined)[] = Array.from({ length: KEPT_CELLS });
  readonly runs = new Map<number, readonly TextRun[]>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Copies a plain element's text, decoded, for `addStaged`. Returns the position of the next `<`, or -1 if it is
   * incomplete, too long, or not plain.
   */
  stage(bytes: Uint8Array, start: number): number {
    const end = this.#copy(bytes, start);
    if (end !== -1 || bytes.length - start <= this.#block.length - this.#used) return end;
    this.#startBlock();
    return this.#copy(bytes, start);
  }

  /** False if there is no room. */
  addStaged(): boolean {
    const list = this.#count >> LIST_BITS;
    if (list === this.#places.length) this.#places.push(new Int32Array(LIST_PLACES));
    const places = this.#places[list];
    if (places !== undefined)
      places[this.#count & (LIST_PLACES - 1)] = ((this.#blocks.length - 1) << BLOCK_BITS) | this.#used;
    this.#count += 1;
    this.#bytes += this.#staged - this.#used + PLACE_BYTES;
    this.#used = this.#staged;
    this.#blockEnds[this.#blocks.length - 1] = this.#used;
    return this.#bytes <= this.#bytesMax;
  }

  addRuns(runs: readonly TextRun[]): void {
    this.runs.set(this.#count, runs);
    this.#bytes += runs.reduce((sum, { text }) => sum + RUN_BYTES + 2 * text.length, 0);
  }

  /** `text`: `_x000D_` not yet decoded. False if there is no room. */
  add(text: string): boolean {
    const bytes = Buffer.from(text);
    if (bytes.length > BLOCK_BYTES) return false;
    if (bytes.length > this.#block.length - this.#used || this.#blocks.length === 0) this.#startBlock();
    this.#staged = this.#used + bytes.copy(this.#block, this.#used);
    if (text.includes('_')) this.#escapes = true;
    return this.addStaged();
  }

  /** Undefined if empty, `missing` if there is none. */
  cell(index: number): Cell | undefined | 'missing' {
    const slot = index & (KEPT_CELLS - 1);
    if (this.#keptIndex[slot] === index) return this.#keptCell[slot];
    if (!(index >= 0 && index < this.#count)) return 'missing';
    const text = this.#text(index);
    const cell: Cell | undefined = text === '' ? undefined : { kind: 'text', text };
    if (text.length > KEPT_CHARACTERS_MAX) return cell;
    this.#keptIndex[slot] = index;
    this.#keptCell[slot] = cell;
    return cell;
  }

  #text(index: number): string {
    const place = this.#place(index);
    const next = index + 1 < this.#count ? this.#place(index + 1) : -1;
    const block = place >> BLOCK_BITS;
    const end = next >> BLOCK_BITS === block ? next & (BLOCK_BYTES - 1) : (this.#blockEnds[block] ?? 0);
    const text = this.#blocks.block(block)?.toString('utf8', place & (BLOCK_BYTES - 1), end) ?? '';
    return this.#escapes ? unescapeCharacters(text) : text;
  }

  #place(index: number): number {
    return this.#places[index >> LIST_BITS]?.[index & (LIST_PLACES - 1)] ?? 0;
  }

  #copy(bytes: Uint8Array, start: number): number {
    const block = this.#block;
    const end = Math.min(bytes.length, start + block.length - this.#used);
    let used = this.#used;
    for (let at = start; at < end; at += 1) {
      let code = bytes[at] ?? 0;
      if (code === LESS) {
        this.#staged = used;
        return at;
      }
      if (code === UNDERSCORE) this.#escapes = true;
      else if (code === AMPERSAND) {
        code = entityAt(bytes, at);
        if (code === 0) return -1;
        at += ENTITY_BYTES[code] ?? 0;
      } else if (code === CR) {
        if (bytes[at + 1] === LF) continue;
        code = LF;
      }
      block[used] = code;
      used += 1;
    }
    return -1;
  }

  #startBlock(): void {
    this.#block = this.#blocks.start();
    this.#blockEnds.push(0);
    this.#used = 0;
  }
}

/** Never packed: enough for usual files. */
const PLAIN_BLOCKS = 8;
/** Kept unpacked, since texts are mostly read in order. */
const UNPACKED_BLOCKS = 4;
/** Unpacked more often, the order is random: they all stay unpacked. */
const UNPACKED_TIMES_MAX = 8;

/** Most blocks are packed, so that very large workbooks fit in memory. */
export class TextBlocks {
  readonly #blockBytes: number;
  /** Undefined if only packed. */
  readonly #plain: (Buffer | undefined)[] = [];
  readonly #packed: (Buffer | undefined)[] = [];
  /** Packed blocks that are also unpacked, the oldest first. */
  readonly #unpacked: number[] = [];
  #timesUnpacked = 0;

  constructor(blockBytes: number) {
    this.#blockBytes = blockBytes;
  }

  get length(): number {
    return this.#plain.length;
  }

  start(): Buffer {
    const last = this.#plain.length - 1;
    const done = this.#plain[last];
    let fresh: Buffer | undefined;
    if (done !== undefined && last >= PLAIN_BLOCKS) {
      this.#packed[last] = zstdCompressSync(done);
      this.#plain[last] = undefined;
      fresh = done;
    }
    fresh ??= Buffer.allocUnsafeSlow(this.#blockBytes);
    this.#plain.push(fresh);
    return fresh;
  }

  block(number: number): Buffer | undefined {
    return this.#plain[number] ?? this.#unpack(number);
  }

  #unpack(number: number): Buffer | undefined {
    const packed = this.#packed[number];
    if (packed === undefined) return undefined;
    const plain = zstdDecompressSync(packed);
    this.#plain[number] = plain;
    this.#unpacked.push(number);
    this.#timesUnpacked += 1;
    if (this.#unpacked.length > UNPACKED_BLOCKS && this.#timesUnpacked <= UNPACKED_TIMES_MAX * this.#plain.length) {
      const oldest = this.#unpacked.shift();
      if (oldest !== undefined) this.#plain[oldest] = undefined;
    }
    return plain;
  }
}
