import type { FileHandle } from 'node:fs/promises';

/** Larger ones would live among V8's large objects, which only a full collection frees. */
const CHUNK_BYTES = 64 * 1024;

/** The bytes of a file from `start` up to `end`, or to the file's end; each chunk is a buffer of its own, read while the one before is at work. The handle stays open. */
export async function* fileBytes(handle: FileHandle, start = 0, end = Number.MAX_SAFE_INTEGER): AsyncGenerator<Uint8Array, void, undefined> {
  let position = start;
  let coming = readChunk(handle, position, end);
  try {
    for (;;) {
      const chunk = await coming;
      if (chunk.length === 0) return;
      position += chunk.length;
      coming = readChunk(handle, position, end);
      yield chunk;
    }
  } finally {
    // Whoever leaves in the middle may close the file next.
    await Promise.allSettled([coming]);
  }
}

async function readChunk(handle: FileHandle, position: number, end: number): Promise<Uint8Array> {
  const length = Math.min(CHUNK_BYTES, end - position);
  if (length <= 0) return new Uint8Array(0);
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
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
