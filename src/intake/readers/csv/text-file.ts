import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { fileBytes, unfinishedUtf8Bytes } from '../file-bytes.ts';
import type { TextEncoding } from './encoding.ts';
import { utf8CharacterBytes } from './utf8-characters.ts';

/** Told of what a text holds that no text means, right after what stood before it came. */
export interface TextWatch {
  /** NUL characters that were left out. */
  nulls(count: number): void;
  /** A byte that is not UTF-8, though the text is: it was read as windows-1252. */
  stray(): void;
}

const NO_WATCH: TextWatch = { nulls() {}, stray() {} };

/** The end-of-file mark of old DOS programs. */
const DOS_END = 0x1a;

/** The text of a file as UTF-8, piece by piece, without its byte order mark, its NULs and the end-of-file mark of DOS. A character may be cut in two. */
export async function* fileText(handle: FileHandle, encoding: TextEncoding, watch: TextWatch = NO_WATCH): AsyncGenerator<Buffer, void, undefined> {
  const chunks = fileBytes(handle, encoding.markBytes, await endOfText(handle));
  for await (const piece of encoding.label === 'utf-8' ? chunks : inUtf8(chunks, encoding.label, watch)) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    yield bytes.includes(0) ? withoutNulls(bytes, watch) : bytes;
  }
}

async function endOfText(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat();
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
  return bytesRead === 1 && buffer[0] === DOS_END ? size - 1 : size;
}

function withoutNulls(bytes: Buffer, watch: TextWatch): Buffer {
  const rest = bytes.filter((code) => code !== 0);
  watch.nulls(bytes.length - rest.length);
  return Buffer.from(rest.buffer, rest.byteOffset, rest.length);
}

async function* inUtf8(chunks: AsyncIterable<Uint8Array>, label: Exclude<TextEncoding['label'], 'utf-8'>, watch: TextWatch): AsyncGenerator<Uint8Array, void, undefined> {
  if (label === 'utf-8 with strays') return yield* mended(chunks, watch);
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

async function* mended(chunks: AsyncIterable<Uint8Array>, watch: TextWatch): AsyncGenerator<Uint8Array, void, undefined> {
  let heldBack: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks) {
    const bytes = heldBack.length === 0 ? chunk : Buffer.concat([heldBack, chunk]);
    const cut = bytes.length - unfinishedUtf8Bytes(bytes);
    yield* mendedPieces(bytes.subarray(0, cut), watch);
    heldBack = bytes.subarray(cut);
  }
  yield* mendedPieces(heldBack, watch);
}

function* mendedPieces(bytes: Uint8Array, watch: TextWatch): Generator<Uint8Array, void, undefined> {
  if (isUtf8(bytes)) return yield bytes;
  const windows = new TextDecoder('windows-1252');
  let start = 0;
  let at = 0;
  while (at < bytes.length) {
    const length = utf8CharacterBytes(bytes, at);
    if (length <= 0) {
      yield bytes.subarray(start, at);
      watch.stray();
      yield Buffer.from(windows.decode(bytes.subarray(at, at + 1)));
      start = at + 1;
    }
    at += Math.max(1, length);
  }
  yield bytes.subarray(start);
}
