import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Blocks that are never packed: files of the usual size have no more. */
const PLAIN_BLOCKS = 8;
/** Packed blocks that are held unpacked as well: texts are mostly asked for in their order. */
const UNPACKED_BLOCKS = 4;
/** Where blocks are unpacked so many times each, texts are asked for in no order: then those unpacked stay so. */
const UNPACKED_TIMES_MAX = 8;

/** A growing store of bytes in blocks of one size. All but the first and the one at work are packed, so that the texts of a very large workbook fit into memory. */
export class TextBlocks {
  readonly #blockBytes: number;
  /** A block as it is, or undefined where it is only packed. */
  readonly #plain: (Buffer | undefined)[] = [];
  readonly #packed: (Buffer | undefined)[] = [];
  /** The packed blocks that are unpacked as well, the oldest first. */
  readonly #unpacked: number[] = [];
  #timesUnpacked = 0;

  constructor(blockBytes: number) {
    this.#blockBytes = blockBytes;
  }

  get length(): number {
    return this.#plain.length;
  }

  /** Starts the next block; the one before is not written to any more. */
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

  /** A block that was started; undefined where there is none of this number. */
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
