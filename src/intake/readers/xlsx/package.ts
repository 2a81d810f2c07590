import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { messageOf } from '../../../domain/errors.ts';
import { damagedFile, readChunks, type Reading, tooLarge, unreadable, UnreadableFileError } from '../row-source.ts';

/** V8 maps memory for each longer text, which is slow. */
const INFLATED_CHUNK_BYTES = 16 * 1024;

export interface Package {
  readonly reading: Reading;
  readonly partNames: readonly string[];
  /** The name as spelled in the zip (part names ignore case); undefined if missing. */
  find(partName: string): string | undefined;
  /** Unpacked size in bytes, as the ZIP's directory states it. */
  bytes(partName: string): number;
  chunks(partName: string): AsyncIterable<Uint8Array>;
  /** Refuses a large part. */
  smallChunks(partName: string): AsyncIterable<Uint8Array>;
}

/** Checks the zip against the limits. The caller closes the handle. */
export async function openPackage(handle: FileHandle, reading: Reading): Promise<Package> {
  const zip = await openZip(handle, reading);
  const entries = await listEntries(zip, reading);
  const find = (partName: string) => entries.get(partName.toLowerCase());
  const entryOf = (partName: string) => {
    const found = find(partName);
    if (found === undefined) throw damagedFile(reading, 'part-missing', { partName });
    return found.entry;
  };
  return {
    reading,
    partNames: [...entries.values()].map((found) => found.name),
    find: (partName) => find(partName)?.name,
    bytes: (partName) => entryOf(partName).uncompressedSize,
    chunks: (partName) => entryChunks(zip, entryOf(partName), handle, reading),
    smallChunks(partName) {
      const entry = entryOf(partName);
      if (entry.uncompressedSize > reading.limits.smallPartBytes)
        throw tooLarge(reading, 'part-too-long', { partName });
      return entryChunks(zip, entry, handle, reading);
    },
  };
}

async function openZip(handle: FileHandle, reading: Reading) {
  try {
    return await fromFdPromise(handle.fd, { autoClose: false, lazyEntries: true, decodeStrings: false });
  } catch (error) {
    throw asDamage(reading, error);
  }
}

async function listEntries(zip: ZipFile, reading: Reading) {
  const { limits } = reading;
  if (zip.entryCount > limits.entries) throw tooLarge(reading, 'too-many-parts', { entryCount: zip.entryCount });
  const entries = new Map<string, Readonly<{ name: string; entry: Entry }>>();
  let inflatedBytes = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      const name = partNameOf(entry);
      if (name.endsWith('/')) continue;
      const key = name.toLowerCase();
      if (entries.has(key)) throw damagedFile(reading, 'part-twice', { name });
      entries.set(key, { name, entry });
      inflatedBytes += entry.uncompressedSize;
      refuseBomb(entry, inflatedBytes, reading);
    }
  } catch (error) {
    throw asDamage(reading, error);
  }
  refuseOverlap(
    Array.from(entries.values(), ({ entry }) => entry),
    reading,
  );
  return entries;
}

/** With `decodeStrings: false` the name is in bytes. It is never used as a file name. */
function partNameOf(entry: Entry) {
  return entry.fileNameRaw.toString('utf8').replaceAll('\\', '/').replace(/^\/+/, '');
}

/** By the claimed sizes; `entryChunks` checks the real ones. */
function refuseBomb(entry: Entry, inflatedBytes: number, reading: Reading) {
  const { limits } = reading;
  if (inflatedBytes > limits.inflatedBytes) throw tooLarge(reading, 'unpacks-too-large');
  if (
    entry.uncompressedSize > limits.inflationRatioFreeBytes &&
    entry.uncompressedSize > limits.inflationRatio * entry.compressedSize
  )
    throw tooLarge(reading, 'zip-bomb');
}

const LOCAL_HEADER_BYTES = 30;

/** A bomb packs the same bytes into many parts; real parts never overlap. */
function refuseOverlap(entries: readonly Entry[], reading: Reading) {
  let end = 0;
  for (const entry of entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    if (entry.relativeOffsetOfLocalHeader < end) throw damagedFile(reading, 'parts-overlap');
    end = entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.fileNameRaw.length + entry.compressedSize;
  }
}

async function* entryChunks(zip: ZipFile, entry: Entry, handle: FileHandle, reading: Reading) {
  let bytes = 0;
  let checksum = 0;
  try {
    for await (const chunk of await openEntry(zip, entry, handle, reading)) {
      bytes += chunk.length;
      if (bytes > entry.uncompressedSize) throw damagedFile(reading, 'part-longer-than-stated');
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  } catch (error) {
    throw asDamage(reading, error);
  }
  if (bytes !== entry.uncompressedSize || checksum !== entry.crc32) throw damagedFile(reading, 'checksum-wrong');
}

async function openEntry(zip: ZipFile, entry: Entry, handle: FileHandle, reading: Reading) {
  if (!entry.canDecodeFileData()) {
    const why = entry.isEncrypted() ? 'protected by a password' : 'packed in a way that Excel does not use';
    throw unreadable(reading, 'password-protected', { why });
  }
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const packed = readChunks(handle, fileDataStart, fileDataStart + entry.compressedSize);
  if (entry.compressionMethod === 0) return packed;
  // Iterating over the last stream reports all errors.
  return pipeline(packed, createInflateRaw({ chunkSize: INFLATED_CHUNK_BYTES }), () => {});
}

/** Disk failures stay as they are; any other error means damage. */
function asDamage(reading: Reading, error: unknown) {
  if (error instanceof UnreadableFileError) return error;
  if (error instanceof Error && 'syscall' in error) return error;
  return damagedFile(reading, 'not-a-whole-zip', { error: messageOf(error).replace(/\.$/, '') }, error);
}
