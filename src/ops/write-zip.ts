import { EventEmitter, once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ZipArchive } from 'archiver';

export type ZipEntry = Readonly<{
  name: string;
  deflate: boolean;
  content: Uint8Array | { readonly path: string } | { readonly stream: () => Readable };
}>;

/** The same entries give the same bytes: the format's first day, read by all and written by the owner. */
const SAME_FOR_ALL = { date: new Date(Date.UTC(1980, 0, 1, 12)), mode: 0o644 } as const;

/**
 * Read whole, so that size and checksum precede them. Larger ones are streamed, and always deflated: stored content
 * followed by its size cannot be read as a stream.
 */
const WHOLE_MAX = 16 * 1024 * 1024;
const CHUNK = 64 * 1024;

/**
 * Synced to disk. Replaces `path`, so give a temporary name. Throws if a file cannot be read or a name is repeated; the
 * output is then unusable.
 */
export async function writeZip(path: string, entries: Iterable<ZipEntry>, { level = 6 }: { level?: number } = {}) {
  const { ZipArchive } = await import('archiver');
  const archive = new ZipArchive({ statConcurrency: 1, zlib: { level, chunkSize: CHUNK } });
  const cut = new AbortController();
  const flow = new Flow(cut.signal);
  // Opened first, so that callers can always remove it.
  const file = await open(path, 'w');
  const written = pipeline(archive, (chunks) => flow.counted(chunks), file.createWriteStream({ flush: true }));
  written.catch((failure: unknown) => cut.abort(failure));
  try {
    for await (const entry of oneAhead(withoutTwins(entries), opened)) await append(archive, entry, flow, cut);
    await Promise.all([archive.finalize(), written]);
  } catch (failure) {
    // The first failure is the cause, such as a full disk.
    const cause: unknown = cut.signal.aborted ? cut.signal.reason : failure;
    cut.abort(cause);
    archive.destroy();
    await written.catch(() => {});
    throw cause;
  }
}

function* withoutTwins(entries: Iterable<ZipEntry>) {
  const names = new Set<string>();
  for (const entry of entries) {
    if (names.has(entry.name)) throw new Error(`the name ${entry.name} appears twice in one ZIP file`);
    names.add(entry.name);
    yield entry;
  }
}

async function append(
  archive: ZipArchive,
  { name, deflate, source }: Awaited<ReturnType<typeof opened>>,
  flow: Flow,
  cut: AbortController,
) {
  const appended = once(archive, 'entry', { signal: cut.signal });
  if (typeof source === 'function') {
    const stream = addAbortSignal(cut.signal, source());
    // archiver leaves a stream's error to its owner.
    stream.once('error', (failure: unknown) => cut.abort(failure));
    archive.append(stream, { ...SAME_FOR_ALL, name });
  } else archive.append(source, { ...SAME_FOR_ALL, name, store: !deflate });
  await appended;
  if (deflate || typeof source === 'function') flow.caughtUp();
  else await flow.owes(source.length + name.length);
}

/** The most bytes that wait for a slow disk: archiver itself accepts stored content without a limit. */
const WAITING_MAX = 4 * 1024 * 1024;

class Flow {
  readonly #signal;
  readonly #passing = new EventEmitter();
  #given = 0;
  #passed = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async *counted(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      yield chunk;
      this.#passed += chunk.length;
      this.#passing.emit('passed');
    }
  }

  caughtUp() {
    this.#given = this.#passed;
  }

  async owes(bytes: number) {
    this.#given += bytes;
    while (this.#given - this.#passed > WAITING_MAX) await once(this.#passing, 'passed', { signal: this.#signal });
  }
}

async function opened({ name, deflate, content }: ZipEntry) {
  if (content instanceof Uint8Array)
    return { name, deflate, source: Buffer.from(content.buffer, content.byteOffset, content.byteLength) };
  if ('stream' in content) return { name, deflate: true, source: content.stream };
  const { size } = await stat(content.path);
  return size > WHOLE_MAX
    ? { name, deflate: true, source: () => createReadStream(content.path) }
    : { name, deflate, source: await readFile(content.path) };
}

async function* oneAhead<T, R>(items: Iterable<T>, make: (item: T) => Promise<R>) {
  let making: Promise<R> | undefined;
  for (const item of items) {
    const next = make(item);
    // Awaiting it reports the failure; until then it must not count as unhandled.
    next.catch(() => undefined);
    if (making !== undefined) yield making;
    making = next;
  }
  if (making !== undefined) yield making;
}
