import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 256 * 1024;

/** The bytes of a file from `start` up to `end`, or to the file's end; each chunk is a buffer of its own. The handle stays open. */
export async function* fileBytes(handle: FileHandle, start = 0, end = Number.MAX_SAFE_INTEGER): AsyncGenerator<Uint8Array, void, undefined> {
  let position = start;
  while (position < end) {
    const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - position));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** How many bytes at the end begin a UTF-8 character that they do not finish: 0 to 3. */
export function unfinishedUtf8Bytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? back : 0;
    }
  }
  return 0;
}
