import { closeSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

const PIECE = 256 * 1024;

export class TextSpool implements Disposable {
  readonly #path;
  readonly #file;
  #unwritten = '';

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'ax+', 0o600);
  }

  append(text: string) {
    this.#unwritten += `${text}\n`;
    if (this.#unwritten.length > PIECE) this.#write();
  }

  *texts() {
    this.#write();
    const piece = Buffer.allocUnsafe(PIECE);
    const decoder = new StringDecoder('utf8');
    let begun = '';
    for (let at = 0; ;) {
      const read = readSync(this.#file, piece, 0, PIECE, at);
      if (read === 0) return;
      at += read;
      const lines = decoder.write(piece.subarray(0, read)).split('\n');
      lines[0] = begun + (lines[0] ?? '');
      begun = lines.pop() ?? '';
      yield* lines;
    }
  }

  [Symbol.dispose]() {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }

  #write() {
    writeFileSync(this.#file, this.#unwritten);
    this.#unwritten = '';
  }
}
