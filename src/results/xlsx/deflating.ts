import { once } from 'node:events';
import { crc32, createDeflateRaw } from 'node:zlib';
import type { Deflated } from '../../zip/write-zip.ts';

/** Text is handed to zlib in batches of about so many characters. */
const BATCH = 128 * 1024;

/** A part of a workbook that grows: only its deflated bytes stay in memory. */
export class DeflatingPart {
  readonly #deflate;
  readonly #chunks: Buffer[] = [];
  readonly #ended: Promise<unknown>;
  #text: string[] = [];
  #characters = 0;
  #crc = 0;
  #size = 0;

  constructor(level: number) {
    this.#deflate = createDeflateRaw({ level });
    this.#deflate.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    this.#ended = once(this.#deflate, 'end');
    this.#ended.catch(() => undefined);
  }

  /** Adds text; true when it is time to `flush`. */
  add(text: string): boolean {
    this.#text.push(text);
    this.#characters += text.length;
    return this.#characters >= BATCH;
  }

  /** Hands over what was added, and waits while zlib has more than it can take. */
  async flush(): Promise<void> {
    if (this.#characters === 0) return;
    const bytes = Buffer.from(this.#text.join(''), 'utf8');
    this.#text = [];
    this.#characters = 0;
    this.#crc = crc32(bytes, this.#crc);
    this.#size += bytes.length;
    if (!this.#deflate.write(bytes)) await once(this.#deflate, 'drain');
  }

  /** Nothing may be added afterwards. */
  async finish(): Promise<Deflated> {
    await this.flush();
    this.#deflate.end();
    await this.#ended;
    return { chunks: this.#chunks, crc: this.#crc, size: this.#size };
  }
}
