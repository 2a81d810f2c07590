import { appendFile, writeFile } from 'node:fs/promises';

/** In characters. */
const BATCH = 256 * 1024;

/** A UTF-8 file that is written bit by bit: neither held in memory nor kept open, so there may be any number of them. */
export class GrowingFile {
  readonly #path: string;
  #waiting: string[] = [];
  #length = 0;
  #begun = false;

  constructor(path: string) {
    this.#path = path;
  }

  async add(text: string): Promise<void> {
    this.#waiting.push(text);
    this.#length += text.length;
    if (this.#length >= BATCH) await this.#write();
  }

  /** Nothing may be added afterwards. */
  async finish(): Promise<void> {
    await this.#write();
  }

  async #write(): Promise<void> {
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#length = 0;
    if (this.#begun) await appendFile(this.#path, text);
    else await writeFile(this.#path, text);
    this.#begun = true;
  }
}
