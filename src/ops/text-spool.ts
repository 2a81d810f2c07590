import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';

const BUFFER_BYTES = 256 * 1024;
/** What is read at a first guess: most texts are shorter. */
const GUESS_BYTES = 4096;
const LENGTH_BYTES = 4;

/**
 * Texts that are put aside in a file, so that they do not stand in memory: one after the other, each found again by the number that
 * `append` gave. The file is taken away at the end.
 */
export class TextSpool implements Disposable {
  readonly #path: string;
  readonly #file: number;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #buffered = 0;
  #written = 0;
  #count = 0;

  /** `path` must not exist. */
  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'wx+', 0o600);
  }

  get count(): number {
    return this.#count;
  }

  append(text: string): number {
    const at = this.#written + this.#buffered;
    // A UTF-16 unit takes at most three bytes in UTF-8.
    const bytesMax = LENGTH_BYTES + text.length * 3;
    if (this.#buffered + bytesMax > BUFFER_BYTES) this.#flush();
    if (bytesMax > BUFFER_BYTES) this.#writeLong(text);
    else {
      const bytes = this.#buffer.write(text, this.#buffered + LENGTH_BYTES);
      this.#buffer.writeUInt32LE(bytes, this.#buffered);
      this.#buffered += LENGTH_BYTES + bytes;
    }
    this.#count += 1;
    return at;
  }

  read(at: number): string {
    return this.#readNext(at).text;
  }

  /** All of them, in the order in which they came. */
  *texts(): Generator<string> {
    for (let at = 0; at < this.#written + this.#buffered; ) {
      const { text, next } = this.#readNext(at);
      yield text;
      at = next;
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }

  #readNext(at: number): { readonly text: string; readonly next: number } {
    if (at >= this.#written) {
      const start = at - this.#written + LENGTH_BYTES;
      const end = start + this.#buffer.readUInt32LE(start - LENGTH_BYTES);
      return { text: this.#buffer.toString('utf8', start, end), next: this.#written + end };
    }
    const guess = Buffer.allocUnsafe(GUESS_BYTES);
    const read = readSync(this.#file, guess, 0, GUESS_BYTES, at);
    const end = LENGTH_BYTES + guess.readUInt32LE(0);
    if (end <= read) return { text: guess.toString('utf8', LENGTH_BYTES, end), next: at + end };
    const whole = Buffer.allocUnsafe(end);
    readSync(this.#file, whole, 0, end, at);
    return { text: whole.toString('utf8', LENGTH_BYTES), next: at + end };
  }

  #writeLong(text: string): void {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(bytes.length);
    this.#write(length);
    this.#write(bytes);
  }

  #flush(): void {
    this.#write(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }

  #write(bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
    this.#written += bytes.length;
  }
}
