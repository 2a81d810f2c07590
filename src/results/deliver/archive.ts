import { createHash, hash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { crc32, inflateRawSync } from 'node:zlib';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import type { OnProgress } from '../../domain/ports.ts';
import { writeZip } from '../../ops/write-zip.ts';

export type ArchiveEntry = Readonly<{
  /** Forward slashes. */
  name: string;
  path: string;
  sha256: string;
}>;

const PACKED = /\.(pdf|zip|jpe?g|png|gif|webp|heic)$/i;

/**
 * Writes `reports.zip`; beyond `bytesMax`, `reports-01.zip` and so on, each complete and with a manifest for `sha256sum
 * -c`. Equal files give equal bytes. Returns the names. Throws if another library reads back other content.
 */
export async function writeArchives(
  folder: string,
  entries: readonly ArchiveEntry[],
  bytesMax: number | null = null,
  onProgress: OnProgress = () => {},
) {
  const volumes = bytesMax === null ? [entries] : await split(entries, bytesMax);
  const names = [];
  let packed = 0;
  const onPacked = () => onProgress('packing', ++packed, entries.length);
  for (const [index, volume] of volumes.entries()) {
    const suffix = volumes.length === 1 ? '' : `-${String(index + 1).padStart(2, '0')}`;
    const name = `reports${suffix}.zip`;
    await writeArchive(join(folder, name), volume, `manifest${suffix}.sha256`, onPacked);
    names.push(name);
  }
  return names;
}

/** Neighbors stay together; a file above the limit gets its own volume. Sizes are uncompressed. */
async function split(entries: readonly ArchiveEntry[], bytesMax: number) {
  const volumes = [];
  let left = 0;
  for (const entry of entries) {
    const { size } = await stat(entry.path);
    const last = volumes.at(-1);
    if (last === undefined || size > left) {
      volumes.push([entry]);
      left = bytesMax - size;
    } else {
      last.push(entry);
      left -= size;
    }
  }
  return volumes;
}

async function writeArchive(path: string, entries: readonly ArchiveEntry[], manifest: string, onPacked: () => void) {
  const content = Buffer.from(entries.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''), 'utf8');
  await writeZip(path, zipEntries(entries, { name: manifest, content }, onPacked));
  await verifyArchive(path, entries, { name: manifest, sha256: hash('sha256', content) });
}

function* zipEntries(
  entries: readonly ArchiveEntry[],
  manifest: Readonly<{ name: string; content: Uint8Array }>,
  onPacked: () => void,
) {
  for (const { name, path } of entries) {
    yield { name, deflate: !PACKED.test(name), content: { path } };
    onPacked();
  }
  yield { ...manifest, deflate: true };
}

export async function verifyArchive(
  path: string,
  entries: readonly ArchiveEntry[],
  manifest: Pick<ArchiveEntry, 'name' | 'sha256'>,
) {
  const found = await hashArchiveEntries(path);
  for (const { name, sha256 } of [...entries, manifest]) {
    const sum = found.get(name);
    if (sum === undefined) throw new Error(`the archive, read back, lacks ${name}`);
    if (sum !== sha256) throw new Error(`the archive, read back, holds another ${name} than was put in`);
  }
  if (found.size !== entries.length + 1) throw new Error('the archive, read back, holds more than was put in');
}

const WHOLE_MAX = 4 * 1024 * 1024;
const PIECE = 1024 * 1024;

/**
 * SHA-256 by name, read by another library than the writer's. Throws if the ZIP is incomplete, a checksum is wrong, or
 * a name repeats.
 */
export async function hashArchiveEntries(path: string) {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const reader = new PiecewiseReader(file);
  const zip = await yauzl.fromRandomAccessReaderPromise(reader, size, { lazyEntries: true, autoClose: false });
  const hashes = new Map<string, string>();
  for (const entry of await Array.fromAsync(zip.eachEntry())) {
    if (hashes.has(entry.fileName)) throw new Error(`${entry.fileName} is there twice`);
    const { crc, sha256 } =
      entry.compressedSize > WHOLE_MAX || entry.uncompressedSize > WHOLE_MAX
        ? await streamed(zip, entry)
        : await whole(zip, reader, entry);
    if (crc !== entry.crc32) throw new Error(`${entry.fileName} does not fit its checksum`);
    hashes.set(entry.fileName, sha256);
  }
  return hashes;
}

async function whole(zip: ZipFile, reader: PiecewiseReader, entry: Entry) {
  if (!entry.canDecodeFileData()) throw new Error(`${entry.fileName} is packed in a way that is not ours`);
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const packed = await reader.bytes(fileDataStart, entry.compressedSize);
  const content =
    entry.compressionMethod === 0
      ? packed
      : inflateRawSync(packed, { chunkSize: Math.max(64, entry.uncompressedSize + 1) });
  return { crc: crc32(content), sha256: hash('sha256', content) };
}

async function streamed(zip: ZipFile, entry: Entry) {
  const sha256 = createHash('sha256');
  let crc = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    crc = crc32(chunk as Buffer, crc);
    sha256.update(chunk as Buffer);
  }
  return { crc, sha256: sha256.digest('hex') };
}

class PiecewiseReader extends yauzl.RandomAccessReader {
  readonly #file;
  #room: Buffer = Buffer.allocUnsafeSlow(PIECE);
  #piece: Buffer = this.#room.subarray(0, 0);
  #from = 0;

  readonly #copy = callbackify(async (buffer: Buffer, offset: number, length: number, position: number) => {
    (await this.bytes(position, length)).copy(buffer, offset);
  });

  constructor(file: FileHandle) {
    super();
    this.#file = file;
  }

  /** Valid until the next call. Throws beyond the end. */
  async bytes(position: number, length: number) {
    const start = position - this.#from;
    if (start >= 0 && start + length <= this.#piece.length) return this.#piece.subarray(start, start + length);
    if (length > this.#room.length) this.#room = Buffer.allocUnsafeSlow(length);
    const room = this.#room;
    let read = 0;
    for (let more = 1; more > 0 && read < length; read += more)
      ({ bytesRead: more } = await this.#file.read(room, read, room.length - read, position + read));
    this.#piece = room.subarray(0, read);
    this.#from = position;
    if (read < length) throw new Error('the file ends too early');
    return room.subarray(0, length);
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (failure: Error | null) => void,
  ) {
    this.#copy(buffer, offset, length, position, done);
  }

  override _readStreamForRange(start: number, end: number) {
    return Readable.from(this.#pieces(start, end));
  }

  async *#pieces(start: number, end: number) {
    for (let at = start; at < end; at += PIECE) yield Buffer.from(await this.bytes(at, Math.min(PIECE, end - at)));
  }
}
