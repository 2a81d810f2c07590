import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, createDeflateRaw, deflateRaw } from 'node:zlib';
import { centralHeader, endOfDirectory, type EntryFacts, LARGE_FROM, localHeader, type Method } from './records.ts';

/** Content that was deflated (raw, without zlib's header) as it came. */
export interface Deflated {
  readonly chunks: readonly Uint8Array[];
  /** Of the content before deflating. */
  readonly crc: number;
  readonly size: number;
}

/** A file on its way into a ZIP. */
export interface ZipEntry {
  /** Forward slashes, no leading one. */
  readonly name: string;
  /** Whether it is worth deflating; what is deflated already is stored. Of no matter where the content comes deflated. */
  readonly deflate: boolean;
  readonly content: Uint8Array | { readonly path: string } | { readonly deflated: Deflated };
}

export interface ZipOptions {
  /** zlib's level, 6 by default. */
  readonly level?: number;
  /** Size in bytes from which an entry's header has room for 64 bits; only tests set it. */
  readonly largeFrom?: number;
}

/** Files up to this size are read whole, several at a time; larger ones in pieces, one at a time. */
const WHOLE_MAX = 4 * 1024 * 1024;
const PIECE = 1024 * 1024;
/** How many entries are made ready ahead of the one being written: with WHOLE_MAX, what memory it takes. */
const AHEAD = 8;

const deflateWhole = promisify<Uint8Array, { level: number }, Buffer>(deflateRaw);

/**
 * Writes a ZIP file of these entries, in their order, synced to disk when the promise fulfils. `path` is to be a temporary name: what stood there is gone. The same entries
 * give the same bytes. Throws when a file cannot be read, changes its size meanwhile, or a name comes twice; what was written is of no use then.
 */
export async function writeZip(path: string, entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>, options: ZipOptions = {}): Promise<void> {
  const file = new ZipFile(await open(path, 'w'), options);
  try {
    for await (const ready of aheadOf(entries, (entry) => file.prepare(entry))) await file.write(ready);
    await file.finish();
  } finally {
    await file.close();
  }
}

/** An entry whose header can be written, or one that is too large to be read whole. */
type Ready =
  | { readonly kind: 'whole'; readonly name: Buffer; readonly method: Method; readonly crc: number; readonly size: number; readonly chunks: readonly Uint8Array[] }
  | { readonly kind: 'pieces'; readonly name: Buffer; readonly method: Method; readonly size: number; readonly path: string };

class ZipFile {
  readonly #handle: FileHandle;
  readonly #level: number;
  readonly #largeFrom: number;
  readonly #names = new Set<string>();
  readonly #directory: Buffer[] = [];
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Where the next byte goes, those that are pending counted. */
  #offset = 0;

  constructor(handle: FileHandle, { level = 6, largeFrom = LARGE_FROM }: ZipOptions) {
    this.#handle = handle;
    this.#level = level;
    this.#largeFrom = largeFrom;
  }

  async prepare({ name, deflate, content }: ZipEntry): Promise<Ready> {
    if (this.#names.has(name)) throw new Error(`the name ${name} comes twice in one ZIP file`);
    this.#names.add(name);
    const bytes = Buffer.from(name, 'utf8');
    if ('deflated' in content) return { kind: 'whole', name: bytes, method: 'deflated', ...content.deflated };
    if (content instanceof Uint8Array) return this.#whole(bytes, content, deflate);
    const { size, whole } = await readUnlessLarge(content.path);
    if (whole !== null) return this.#whole(bytes, whole, deflate);
    return { kind: 'pieces', name: bytes, method: deflate ? 'deflated' : 'stored', size, path: content.path };
  }

  async #whole(name: Buffer, content: Uint8Array, deflate: boolean): Promise<Ready> {
    const common = { kind: 'whole', name, crc: crc32(content), size: content.length } as const;
    const deflated = deflate && content.length > 0 ? await deflateWhole(content, { level: this.#level }) : content;
    return deflated.length < content.length ? { ...common, method: 'deflated', chunks: [deflated] } : { ...common, method: 'stored', chunks: [content] };
  }

  async write(ready: Ready): Promise<void> {
    if (ready.kind === 'pieces') return this.#writePieces(ready);
    const packedSize = ready.chunks.reduce((sum, { length }) => sum + length, 0);
    const large = Math.max(ready.size, packedSize) >= this.#largeFrom;
    const facts = { ...ready, packedSize, large, offset: this.#offset };
    await this.#append(localHeader(facts));
    for (const chunk of ready.chunks) await this.#append(chunk);
    this.#directory.push(centralHeader(facts));
  }

  /** The header is written twice: first to keep its place, then with what was found out on the way. */
  async #writePieces({ name, method, size, path }: Extract<Ready, { kind: 'pieces' }>): Promise<void> {
    await this.#flush();
    const offset = this.#offset;
    // Deflating can make a file a little larger: a size just below the limit gets room as well.
    const large = size + size / 1000 + 1024 >= this.#largeFrom;
    const blank: EntryFacts = { name, method, crc: 0, size, packedSize: 0, offset, large };
    await this.#append(localHeader(blank));
    const start = this.#offset;
    const read = await (method === 'deflated' ? this.#deflatePieces(path) : this.#storePieces(path));
    if (read.size !== size) throw changedItsSize(path);
    const facts: EntryFacts = { ...blank, crc: read.crc, packedSize: this.#offset - start };
    await this.#flush();
    await writeAll(this.#handle, localHeader(facts), offset);
    this.#directory.push(centralHeader(facts));
  }

  async #storePieces(path: string): Promise<{ crc: number; size: number }> {
    const buffer = Buffer.allocUnsafe(PIECE);
    const source = await open(path, 'r');
    let crc = 0;
    let size = 0;
    try {
      await this.#flush();
      for (;;) {
        const { bytesRead } = await source.read(buffer, 0, PIECE, size);
        if (bytesRead === 0) return { crc, size };
        const piece = buffer.subarray(0, bytesRead);
        crc = crc32(piece, crc);
        size += bytesRead;
        await writeAll(this.#handle, piece, this.#offset);
        this.#offset += bytesRead;
      }
    } finally {
      await source.close();
    }
  }

  async #deflatePieces(path: string): Promise<{ crc: number; size: number }> {
    let crc = 0;
    let size = 0;
    const deflating = createDeflateRaw({ level: this.#level, chunkSize: PIECE });
    const source = createReadStream(path, { highWaterMark: PIECE });
    source.on('data', (piece) => {
      crc = crc32(piece, crc);
      size += piece.length;
    });
    source.once('error', (failure) => deflating.destroy(failure));
    for await (const packed of source.pipe(deflating)) await this.#append(packed as Buffer);
    return { crc, size };
  }

  async finish(): Promise<void> {
    const offset = this.#offset;
    await this.#append(Buffer.concat(this.#directory));
    await this.#append(endOfDirectory(this.#directory.length, { offset, size: this.#offset - offset }));
    await this.#flush();
    await this.#handle.sync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #append(bytes: Uint8Array): Promise<void> {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#offset += bytes.length;
    if (this.#pendingBytes >= PIECE) await this.#flush();
  }

  async #flush(): Promise<void> {
    const pending = this.#pending;
    const at = this.#offset - this.#pendingBytes;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (pending.length > 0) await writeTogether(this.#handle, pending, at);
  }
}

/** One call for all of them; what it leaves unwritten, as on a full disk, is written singly: that says what is wrong. */
async function writeTogether(handle: FileHandle, pieces: readonly Uint8Array[], position: number): Promise<void> {
  const { bytesWritten } = await handle.writev(pieces, position);
  let from = 0;
  for (const piece of pieces) {
    const to = from + piece.length;
    if (to > bytesWritten) await writeAll(handle, piece.subarray(Math.max(0, bytesWritten - from)), position + Math.max(from, bytesWritten));
    from = to;
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

/** A byte more than it should have is asked for: so it is seen when a file has grown. */
async function readUnlessLarge(path: string): Promise<{ readonly size: number; readonly whole: Buffer | null }> {
  await using source = await open(path, 'r');
  const { size } = await source.stat();
  if (size > WHOLE_MAX) return { size, whole: null };
  const room = Buffer.allocUnsafeSlow(size + 1);
  let read = 0;
  for (let more = 1; more > 0 && read < size; read += more) ({ bytesRead: more } = await source.read(room, read, room.length - read, read));
  if (read !== size) throw changedItsSize(path);
  return { size, whole: room.subarray(0, size) };
}

function changedItsSize(path: string): Error {
  return new Error(`${path} changed its size while it was packed`);
}

/** The results of `make` for each item, in order; some are made while an earlier one is dealt with. */
async function* aheadOf<T, R>(items: Iterable<T> | AsyncIterable<T>, make: (item: T) => Promise<R>): AsyncGenerator<R> {
  const made: Promise<R>[] = [];
  for await (const item of items) {
    const making = make(item);
    // Whoever awaits it meets the failure; until then it is nobody's.
    making.catch(() => undefined);
    made.push(making);
    const first = made.length > AHEAD ? made.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  for (const making of made) yield await making;
}
