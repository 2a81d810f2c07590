import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Cell } from '../../../domain/cells.ts';
import { ENTITIES } from '../../values/plain-text.ts';
import { type Reading, tooLarge } from '../row-source.ts';
import { plainSink } from './plain-sink.ts';
import { readRunFont, type TextRun, unescapeCharacters } from './text-runs.ts';
import { type XmlAttributes, xmlEvents, XmlFault } from './xml-events.ts';
import { readPart } from './xml-part.ts';

/** `anyStruck`: a style strikes cells through, so runs without a font may be struck. */
export async function readSharedStrings(
  chunks: AsyncIterable<Uint8Array>,
  partName: string,
  reading: Reading,
  anyStruck = false,
) {
  const handler = sharedStringsHandler(reading, anyStruck);
  await readPart(chunks, plainSink(xmlEvents(handler, reading.limits.cellCharacters), handler), partName, reading);
  return handler.strings;
}

const STRING = /\s*<si><t(?: xml:space="preserve")?>([^<&\r]*(?:&(?:amp|lt|gt|quot|apos);[^<&\r]*)*)<\/t><\/si>/y;

const RUN_DEPTH = 2;

function sharedStringsHandler(reading: Reading, anyStruck: boolean) {
  const boundary = /<\/si>|<sst\b[^<>]*>/g;
  let boundaries = 0;
  let known = 0;
  let inText = false;
  let read = '';
  let runs: TextRun[] = [];
  const strings = new SharedStrings(reading.limits.sharedStringsBytes);

  function add(text: string) {
    checkLength(text);
    if (!strings.add(text)) throw tooLarge(reading, 'too-much-text');
  }

  function checkLength({ length }: string) {
    if (length > reading.limits.cellCharacters) throw tooLarge(reading, 'cell-too-long');
  }

  return {
    boundary,
    strings,
    get boundaries() {
      return boundaries;
    },
    readItem(text: string, from: number) {
      STRING.lastIndex = from;
      const string = STRING.exec(text);
      if (string === null) return undefined;
      add((string[1] ?? '').replace(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? ''));
      return STRING.lastIndex;
    },
    open(name: string, attributes: XmlAttributes, depth: number) {
      if (depth === 0 && name !== 'sst') throw new XmlFault(`it is not a table of texts but a "${name}"`);
      if (known === RUN_DEPTH + 1) readRunFont(runs.at(-1), name, attributes, depth - RUN_DEPTH);
      if (depth !== known) return;
      const runOrText = name === 't' || (name === 'r' && depth === 2);
      if (depth === 0 || (depth === 1 && name === 'si') || (depth >= 2 && depth <= 3 && runOrText && !inText)) {
        known += 1;
        if (depth === 0) boundaries += 1;
        inText = depth >= 2 && name === 't';
        if (depth === 1) {
          read = '';
          runs = [];
        }
        if (depth === RUN_DEPTH && name === 'r') runs.push({ text: '', struck: undefined });
      }
    },
    close(_name: string, depth: number) {
      if (known !== depth + 1) return;
      known = depth;
      inText = false;
      if (depth !== 1) return;
      if (runs.some(({ struck }) => struck === true || (struck === undefined && anyStruck))) strings.addRuns(runs);
      boundaries += 1;
      add(read);
    },
    text(text: string) {
      if (!inText) return;
      read += text;
      const run = runs.at(-1);
      if (run !== undefined && known > RUN_DEPTH + 1) run.text += text;
      checkLength(read);
    },
  };
}

/** A place is a block's number and an offset. */
const BLOCK_BITS = 22;
const BLOCK_BYTES = 1 << BLOCK_BITS;
const LIST_BITS = 16;
const LIST_PLACES = 1 << LIST_BITS;
const PLACE_BYTES = 4;
const RUN_BYTES = 100;

export class SharedStrings {
  readonly #bytesMax;
  readonly #blocks = new TextBlocks(BLOCK_BYTES);
  readonly #blockEnds: number[] = [];
  #block: Buffer = Buffer.alloc(0);
  #used = 0;
  readonly #places: Int32Array[] = [];
  #count = 0;
  #bytes = 0;
  readonly runs = new Map<number, readonly TextRun[]>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  addRuns(runs: readonly TextRun[]) {
    this.runs.set(this.#count, runs);
    this.#bytes += runs.reduce((sum, { text }) => sum + RUN_BYTES + 2 * text.length, 0);
  }

  /** `text`: `_x000D_` not yet decoded. False if there is no room. */
  add(text: string) {
    const bytes = Buffer.from(text);
    if (bytes.length > BLOCK_BYTES) return false;
    if (bytes.length > this.#block.length - this.#used || this.#blocks.length === 0) this.#startBlock();
    const list = this.#count >> LIST_BITS;
    if (list === this.#places.length) this.#places.push(new Int32Array(LIST_PLACES));
    const places = this.#places[list];
    if (places !== undefined)
      places[this.#count & (LIST_PLACES - 1)] = ((this.#blocks.length - 1) << BLOCK_BITS) | this.#used;
    this.#count += 1;
    this.#used += bytes.copy(this.#block, this.#used);
    this.#blockEnds[this.#blocks.length - 1] = this.#used;
    this.#bytes += bytes.length + PLACE_BYTES;
    return this.#bytes <= this.#bytesMax;
  }

  /** Undefined if empty, `missing` if there is none. */
  cell(index: number): Cell | undefined | 'missing' {
    if (!(index >= 0 && index < this.#count)) return 'missing';
    const text = this.#text(index);
    return text === '' ? undefined : { kind: 'text', text };
  }

  #text(index: number) {
    const place = this.#place(index);
    const next = index + 1 < this.#count ? this.#place(index + 1) : -1;
    const block = place >> BLOCK_BITS;
    const end = next >> BLOCK_BITS === block ? next & (BLOCK_BYTES - 1) : (this.#blockEnds[block] ?? 0);
    return unescapeCharacters(this.#blocks.block(block)?.toString('utf8', place & (BLOCK_BYTES - 1), end) ?? '');
  }

  #place(index: number) {
    return this.#places[index >> LIST_BITS]?.[index & (LIST_PLACES - 1)] ?? 0;
  }

  #startBlock() {
    this.#block = this.#blocks.start();
    this.#blockEnds.push(0);
    this.#used = 0;
  }
}

const PLAIN_BLOCKS = 8;
const UNPACKED_BLOCKS = 4;
const UNPACKED_TIMES_MAX = 8;

/** Most blocks are packed, so that very large workbooks fit in memory. */
export class TextBlocks {
  readonly #blockBytes;
  readonly #plain: (Buffer | undefined)[] = [];
  readonly #packed: (Buffer | undefined)[] = [];
  /** The oldest first. */
  readonly #unpacked: number[] = [];
  #timesUnpacked = 0;

  constructor(blockBytes: number) {
    this.#blockBytes = blockBytes;
  }

  get length() {
    return this.#plain.length;
  }

  start() {
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

  block(number: number) {
    return this.#plain[number] ?? this.#unpack(number);
  }

  #unpack(number: number) {
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
