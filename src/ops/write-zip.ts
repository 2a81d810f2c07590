import { EventEmitter, once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ZipArchive } from 'archiver';

/** A file on its way into a ZIP. */
export interface ZipEntry {
  /** Forward slashes, no leading one. */
  readonly name: string;
  /** Whether it is worth deflating; what is packed already is stored. */
  readonly deflate: boolean;
  readonly content: Uint8Array | { readonly path: string } | { readonly stream: () => Readable };
}

/** The first day the format knows, and a plain file, read by all and written by its owner: nothing of the machine goes in. */
const SAME_FOR_ALL = { date: new Date(Date.UTC(1980, 0, 1, 12)), mode: 0o644 } as const;

/**
 * Files up to this size are read whole, so that their size and checksum stand in front of them. A larger one is streamed, and deflated in
 * any case: stored content whose size follows it cannot be read as a stream.
 */
const WHOLE_MAX = 16 * 1024 * 1024;
/** What zlib hands over at once. */
const CHUNK = 64 * 1024;

/**
 * Writes a ZIP file of these entries, in their order, synced to disk when the promise fulfils. `path` is to be a temporary name: what stood
 * there is gone. The same entries give the same bytes, on any day and in any time zone. `level` is zlib's. Throws when a file cannot be read
 * or a name comes twice; what was written is of no use then.
 */
export async function writeZip(
  path: string,
  entries: Iterable<ZipEntry>,
  { level = 6 }: { readonly level?: number } = {},
): Promise<void> {
  // Loaded on first use: it takes a moment.
  const { ZipArchive } = await import('archiver');
  const archive = new ZipArchive({ statConcurrency: 1, zlib: { level, chunkSize: CHUNK } });
  const cut = new AbortController();
  const flow = new Flow(cut.signal);
  // Opened before anything can fail: whoever removes what was of no use finds it.
  const file = await open(path, 'w');
  const written = pipeline(archive, (chunks) => flow.counted(chunks), file.createWriteStream({ flush: true }));
  written.catch((failure: unknown) => cut.abort(failure));
  try {
    for await (const entry of oneAhead(withoutTwins(entries), opened)) await append(archive, entry, flow, cut);
    await Promise.all([archive.finalize(), written]);
  } catch (failure) {
    // What cut it short before: a disk that is full, a file that could not be read to its end.
    const cause: unknown = cut.signal.aborted ? cut.signal.reason : failure;
    cut.abort(cause);
    archive.destroy();
    await written.catch(() => {});
    throw cause;
  }
}

function* withoutTwins(entries: Iterable<ZipEntry>): Generator<ZipEntry> {
  const names = new Set<string>();
  for (const entry of entries) {
    if (names.has(entry.name)) throw new Error(`the name ${entry.name} comes twice in one ZIP file`);
    names.add(entry.name);
    yield entry;
  }
}

/** One after the other: what waits would only take memory. */
async function append(
  archive: ZipArchive,
  { name, deflate, source }: OpenedEntry,
  flow: Flow,
  cut: AbortController,
): Promise<void> {
  const appended = once(archive, 'entry', { signal: cut.signal });
  if (typeof source === 'function') {
    const stream = addAbortSignal(cut.signal, source());
    // archiver leaves a stream's error to its owner.
    stream.once('error', (failure) => cut.abort(failure));
    archive.append(stream, { ...SAME_FOR_ALL, name });
  } else archive.append(source, { ...SAME_FOR_ALL, name, store: !deflate });
  await appended;
  if (deflate || typeof source === 'function') flow.caughtUp();
  else await flow.owes(source.length + name.length);
}

/** archiver takes what is stored as fast as it is given, whether or not the disk keeps up: so much may wait. */
const WAITING_MAX = 4 * 1024 * 1024;

/** How far the file lags behind what archiver was given, in bytes. */
class Flow {
  readonly #signal: AbortSignal;
  readonly #passing = new EventEmitter();
  #given = 0;
  #passed = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async *counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      yield chunk;
      this.#passed += chunk.length;
      this.#passing.emit('passed');
    }
  }

  /** What is deflated comes no faster than it is written. */
  caughtUp(): void {
    this.#given = this.#passed;
  }

  /** Waits while too much does. */
  async owes(bytes: number): Promise<void> {
    this.#given += bytes;
    while (this.#given - this.#passed > WAITING_MAX) await once(this.#passing, 'passed', { signal: this.#signal });
  }
}

interface OpenedEntry {
  readonly name: string;
  readonly deflate: boolean;
  /** A function makes a stream, which is deflated. */
  readonly source: Buffer | (() => Readable);
}

async function opened({ name, deflate, content }: ZipEntry): Promise<OpenedEntry> {
  if (content instanceof Uint8Array)
    return { name, deflate, source: Buffer.from(content.buffer, content.byteOffset, content.byteLength) };
  if ('stream' in content) return { name, deflate: true, source: content.stream };
  const { size } = await stat(content.path);
  return size > WHOLE_MAX
    ? { name, deflate: true, source: () => createReadStream(content.path) }
    : { name, deflate, source: await readFile(content.path) };
}

/** The results of `make` for each item, in order; the next is made while one is dealt with. */
async function* oneAhead<T, R>(items: Iterable<T>, make: (item: T) => Promise<R>): AsyncGenerator<R> {
  let making: Promise<R> | undefined;
  for (const item of items) {
    const next = make(item);
    // Whoever awaits it meets the failure; until then it is nobody's.
    next.catch(() => undefined);
    if (making !== undefined) yield await making;
    making = next;
  }
  if (making !== undefined) yield await making;
}
