import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { ZipArchive } from 'archiver';
import yauzl from 'yauzl';

/** A file on its way into the archive. */
export interface ArchiveEntry {
  /** Its name in the archive, forward slashes. */
  readonly name: string;
  /** Where it lies now. */
  readonly path: string;
  readonly sha256: string;
}

const MANIFEST_NAME = 'manifest.sha256';

/** The same content gives the same bytes, whenever and wherever it is packed. */
const FIXED = { date: new Date(Date.UTC(1980, 0, 1, 12)), mode: 0o100644 } as const;

/** Packed already: deflating them again costs time and gains nothing. */
const PACKED = /\.(pdf|zip|jpe?g|png|gif|webp|heic)$/i;

/** Files under way at once: their handles stay few however long the list is. */
const SLICE = 32;

/**
 * Writes a ZIP of these files and a manifest that `sha256sum -c` accepts, reads it back with another library, and compares every
 * hash. Throws when what was read back is not what went in.
 */
export async function writeArchive(path: string, entries: readonly ArchiveEntry[]): Promise<void> {
  const zip = new ZipArchive({ forceZip64: false, statConcurrency: 1, zlib: { level: 6 } });
  const output = createWriteStream(path, { flush: true });
  const written = finished(output);
  const failed = new Promise<never>((_resolve, reject) => {
    zip.on('error', reject);
    zip.on('warning', reject);
  });
  zip.pipe(output);
  const pack = async (): Promise<void> => {
    for (let start = 0; start < entries.length; start += SLICE) await packSlice(zip, entries.slice(start, start + SLICE));
    zip.append(manifestOf(entries), { name: MANIFEST_NAME, ...FIXED });
    await zip.finalize();
    await written;
  };
  await Promise.race([pack(), failed]);
  await compare(path, entries);
}

async function packSlice(zip: ZipArchive, slice: readonly ArchiveEntry[]): Promise<void> {
  let left = slice.length;
  const packed = new Promise<void>((resolve) => {
    const count = (): void => {
      left -= 1;
      if (left > 0) return;
      zip.off('entry', count);
      resolve();
    };
    zip.on('entry', count);
  });
  for (const { name, path } of slice) {
    // `store` is archiver's own option for one entry of a ZIP; its published types leave it out.
    const entry = { name, store: PACKED.test(name), ...FIXED };
    zip.file(path, entry);
  }
  await packed;
}

function manifestOf(entries: readonly ArchiveEntry[]): string {
  return entries.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
}

async function compare(path: string, entries: readonly ArchiveEntry[]): Promise<void> {
  const expected = new Map(entries.map(({ name, sha256 }) => [name, sha256]));
  for await (const { name, sha256 } of hashesIn(path)) {
    if (name === MANIFEST_NAME) continue;
    if (expected.get(name) !== sha256) throw new Error(`the archive, read back, holds another ${name} than was put in`);
    expected.delete(name);
  }
  if (expected.size > 0) throw new Error(`the archive, read back, lacks ${[...expected.keys()][0] ?? ''}`);
}

async function* hashesIn(path: string): AsyncIterable<{ readonly name: string; readonly sha256: string }> {
  const zip = await yauzl.openPromise(path, { lazyEntries: true });
  for await (const entry of zip.eachEntry()) {
    const stream = await zip.openReadStreamPromise(entry);
    const hash = createHash('sha256');
    for await (const chunk of stream) hash.update(chunk as Buffer);
    yield { name: entry.fileName, sha256: hash.digest('hex') };
  }
}
