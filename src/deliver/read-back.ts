import { createHash, hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { crc32, inflateRawSync } from 'node:zlib';
import yauzl, { type Entry, type ZipFile } from 'yauzl';

/** Entries up to this size are held whole, one at a time; larger ones are streamed. */
const WHOLE_MAX = 4 * 1024 * 1024;
/** The file is read in pieces of at least this size, from its beginning to its end. */
const PIECE = 1024 * 1024;

/**
 * Reads a ZIP file to its end with another library than writes ours, and gives the SHA-256 of each entry by its name. Throws where the file
 * is no whole ZIP, an entry does not fit its checksum, or a name comes twice.
 */
export async function readBack(path: string): Promise<ReadonlyMap<string, string>> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const reader = new PiecewiseReader(file);
  const zip = await yauzl.fromRandomAccessReaderPromise(reader, size, { lazyEntries: true, autoClose: false });
  const hashes = new Map<string, string>();
  // Their list stands at the file's end: once it is known, the rest is read in one go.
  for (const entry of await Array.fromAsync(zip.eachEntry())) {
    if (hashes.has(entry.fileName)) throw new Error(`${entry.fileName} is there twice`);
    const { crc, sha256 } = entry.compressedSize > WHOLE_MAX || entry.uncompressedSize > WHOLE_MAX ? await streamed(zip, entry) : await whole(zip, reader, entry);
    if (crc !== entry.crc32) throw new Error(`${entry.fileName} does not fit its checksum`);
    hashes.set(entry.fileName, sha256);
  }
  return hashes;
}

interface Sums {
  readonly crc: number;
  readonly sha256: string;
}

async function whole(zip: ZipFile, reader: PiecewiseReader, entry: Entry): Promise<Sums> {
  if (!entry.canDecodeFileData()) throw new Error(`${entry.fileName} is packed in a way that is not ours`);
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const packed = await reader.bytes(fileDataStart, entry.compressedSize);
  // All of it in one go: room for one byte more, so that zlib need not ask for another buffer to find the end.
  const content = entry.compressionMethod === 0 ? packed : inflateRawSync(packed, { chunkSize: Math.max(64, entry.uncompressedSize + 1) });
  return { crc: crc32(content), sha256: hash('sha256', content) };
}

async function streamed(zip: ZipFile, entry: Entry): Promise<Sums> {
  const sha256 = createHash('sha256');
  let crc = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    crc = crc32(chunk as Buffer, crc);
    sha256.update(chunk as Buffer);
  }
  return { crc, sha256: sha256.digest('hex') };
}

/** Answers the many small reads of a ZIP's headers from pieces that are read one after the other. */
class PiecewiseReader extends yauzl.RandomAccessReader {
  readonly #file: FileHandle;
  #room: Buffer = Buffer.allocUnsafeSlow(PIECE);
  /** What of the file is in there. */
  #piece: Buffer = this.#room.subarray(0, 0);
  #from = 0;

  readonly #copy = callbackify(async (buffer: Buffer, offset: number, length: number, position: number): Promise<void> => {
    (await this.bytes(position, length)).copy(buffer, offset);
  });

  constructor(file: FileHandle) {
    super();
    this.#file = file;
  }

  /** So many bytes of the file; they stand there until others are asked for. Throws where it ends before. */
  async bytes(position: number, length: number): Promise<Buffer> {
    const start = position - this.#from;
    if (start >= 0 && start + length <= this.#piece.length) return this.#piece.subarray(start, start + length);
    if (length > this.#room.length) this.#room = Buffer.allocUnsafeSlow(length);
    const room = this.#room;
    let read = 0;
    for (let more = 1; more > 0 && read < length; read += more) ({ bytesRead: more } = await this.#file.read(room, read, room.length - read, position + read));
    this.#piece = room.subarray(0, read);
    this.#from = position;
    if (read < length) throw new Error('the file ends too early');
    return room.subarray(0, length);
  }

  override read(buffer: Buffer, offset: number, length: number, position: number, done: (failure: Error | null) => void): void {
    this.#copy(buffer, offset, length, position, done);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#pieces(start, end));
  }

  async *#pieces(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; at += PIECE) yield Buffer.from(await this.bytes(at, Math.min(PIECE, end - at)));
  }
}
