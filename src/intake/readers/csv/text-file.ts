import type { FileHandle } from 'node:fs/promises';
import { fileBytes } from '../file-bytes.ts';
import type { TextEncoding } from './encoding.ts';

/** The text of a file, piece by piece, without its byte order mark and without NULs; `onNulls` is told how many a piece had. */
export async function* fileText(
  handle: FileHandle,
  encoding: TextEncoding,
  onNulls: (count: number) => void = () => {},
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder(encoding.label, { ignoreBOM: true });
  const cleaned = (text: string) => {
    if (!text.includes('\0')) return text;
    const rest = text.replaceAll('\0', '');
    onNulls(text.length - rest.length);
    return rest;
  };
  for await (const chunk of fileBytes(handle, encoding.markBytes)) yield cleaned(decoder.decode(chunk, { stream: true }));
  yield cleaned(decoder.decode());
}
