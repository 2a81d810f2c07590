import { isAscii, isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { fileBytes, unfinishedUtf8Bytes } from '../file-bytes.ts';
import type { TextEncoding } from './encoding.ts';
import type { TextMark } from './text-marks.ts';
import { isTellingUtf8, utf8CharacterBytes } from './utf8-characters.ts';

/** Encodings of which each byte beyond ASCII is looked at by itself. */
const MIXED: ReadonlySet<TextEncoding['label']> = new Set(['utf-8 with strays', 'windows-1252 with utf-8', 'windows-1252 in doubt']);

/** Told of a place in the text before the piece that holds it comes. */
export type MarkWatch = (mark: TextMark) => void;

/** The end-of-file mark of old DOS programs. */
const DOS_END = 0x1a;

/** The text of a file as UTF-8, piece by piece, without its byte order mark, its NULs and the end-of-file mark of DOS. A character may be cut in two. */
export async function* fileText(handle: FileHandle, encoding: TextEncoding, watch: MarkWatch = () => {}): AsyncGenerator<Buffer, void, undefined> {
  const chunks = fileBytes(handle, encoding.markBytes, await endOfText(handle));
  const { label } = encoding;
  const isMixed = label !== 'utf-8' && MIXED.has(label);
  let place = 0;
  for await (const piece of isMixed ? wholeCharacters(chunks) : label === 'utf-8' ? chunks : decoded(chunks, label)) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    const isPlain = !bytes.includes(0) && (!isMixed || (label === 'utf-8 with strays' ? isUtf8(bytes) : isAscii(bytes)));
    const text = isPlain ? bytes : cleaned(bytes, label, place, watch);
    place += text.length;
    yield text;
  }
}

async function endOfText(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat();
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
  return bytesRead === 1 && buffer[0] === DOS_END ? size - 1 : size;
}

async function* decoded(chunks: AsyncIterable<Uint8Array>, label: string): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** The bytes, cut only between characters of UTF-8. */
async function* wholeCharacters(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let heldBack: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks) {
    const bytes = heldBack.length === 0 ? chunk : Buffer.concat([heldBack, chunk]);
    const cut = bytes.length - unfinishedUtf8Bytes(bytes);
    yield bytes.subarray(0, cut);
    heldBack = bytes.subarray(cut);
  }
  yield heldBack;
}

/** Each byte as windows-1252 has it, in UTF-8. */
const WINDOWS_1252: readonly Buffer[] = Array.from({ length: 256 }, (_, byte) => Buffer.from(new TextDecoder('windows-1252').decode(Uint8Array.of(byte))));

/** The bytes without NULs, and all of them in UTF-8. @param place where they stand in the text. */
function cleaned(bytes: Buffer, label: TextEncoding['label'], place: number, watch: MarkWatch): Buffer {
  const isMixed = MIXED.has(label);
  const parts: Buffer[] = [];
  let length = 0;
  const put = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  let start = 0;
  const putUpTo = (end: number): void => {
    if (end > start) put(bytes.subarray(start, end));
  };
  for (let at = 0; at < bytes.length; ) {
    const code = bytes[at] ?? 0;
    const characterBytes = code < 0x80 || !isMixed ? 1 : utf8CharacterBytes(bytes, at);
    const isUtf8Here = characterBytes > 0 && (code < 0x80 || label !== 'windows-1252 in doubt') && (label !== 'windows-1252 with utf-8' || isTellingUtf8(bytes, at, characterBytes));
    if (code === 0) {
      putUpTo(at);
      watch({ kind: 'null', at: place + length });
      start = at + 1;
    } else if (code >= 0x80 && isMixed && !isUtf8Here) {
      putUpTo(at);
      if (label === 'utf-8 with strays') watch({ kind: 'stray', at: place + length });
      if (label === 'windows-1252 in doubt') watch({ kind: 'unknown', at: place + length });
      put(WINDOWS_1252[code] ?? Buffer.alloc(0));
      start = at + 1;
    } else if (characterBytes > 1 && label === 'windows-1252 with utf-8') {
      putUpTo(at);
      watch({ kind: 'utf-8', at: place + length });
      start = at;
    }
    at += isUtf8Here ? characterBytes : 1;
  }
  putUpTo(bytes.length);
  return Buffer.concat(parts);
}
