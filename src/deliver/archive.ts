import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { writeZip, type ZipEntry } from '../zip/write-zip.ts';

/** A file on its way into the archive. */
export interface ArchiveEntry {
  /** Its name in the archive, forward slashes. */
  readonly name: string;
  /** Where it lies now. */
  readonly path: string;
  readonly sha256: string;
}

/** Packed already: deflating them again costs time and gains nothing. */
const PACKED = /\.(pdf|zip|jpe?g|png|gif|webp|heic)$/i;

/**
 * Writes the archive of these files into `folder`: `reports.zip`, or, where it would pass `bytesMax`, `reports-01.zip`, `reports-02.zip`
 * and so on, each complete in itself. Each holds a manifest that `sha256sum -c` accepts, and is read back with another library and
 * compared, hash by hash. The same files give the same bytes. Returns the archives' names; throws when what was read back is not
 * what went in.
 */
export async function writeArchives(folder: string, entries: readonly ArchiveEntry[], bytesMax: number | null = null): Promise<readonly string[]> {
  const volumes = bytesMax === null ? [entries] : await split(entries, bytesMax);
  const names: string[] = [];
  for (const [index, volume] of volumes.entries()) {
    const suffix = volumes.length === 1 ? '' : `-${String(index + 1).padStart(2, '0')}`;
    const name = `reports${suffix}.zip`;
    await writeArchive(join(folder, name), volume, `manifest${suffix}.sha256`);
    names.push(name);
  }
  return names;
}

/** Neighbours stay together; a file larger than the limit has a volume of its own. Sizes count as if nothing were deflated. */
async function split(entries: readonly ArchiveEntry[], bytesMax: number): Promise<readonly (readonly ArchiveEntry[])[]> {
  const volumes: ArchiveEntry[][] = [];
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

async function writeArchive(path: string, entries: readonly ArchiveEntry[], manifest: string): Promise<void> {
  await writeZip(path, zipEntries(entries, manifest));
  await compare(path, entries, manifest);
}

function* zipEntries(entries: readonly ArchiveEntry[], manifest: string): Iterable<ZipEntry> {
  for (const { name, path } of entries) yield { name, deflate: !PACKED.test(name), content: { path } };
  const lines = entries.map(({ name, sha256 }) => `${sha256}  ${name}\n`);
  yield { name: manifest, deflate: true, content: Buffer.from(lines.join(''), 'utf8') };
}

/** Entries read back at once: while one is waited for, another is inflated. */
const READ_AT_ONCE = 4;

async function compare(path: string, entries: readonly ArchiveEntry[], manifest: string): Promise<void> {
  const expected = new Map(entries.map(({ name, sha256 }) => [name, sha256]));
  const zip = await yauzl.openPromise(path, { lazyEntries: true, autoClose: false });
  try {
    const limit = pLimit(READ_AT_ONCE);
    const reading: Promise<void>[] = [];
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName === manifest) continue;
      const compared = limit(async () => {
        if (expected.get(entry.fileName) !== (await hashOf(entry, zip))) throw new Error(`the archive, read back, holds another ${entry.fileName} than was put in`);
        expected.delete(entry.fileName);
      });
      compared.catch(() => undefined);
      reading.push(compared);
    }
    await Promise.all(reading);
  } finally {
    zip.close();
  }
  if (expected.size > 0) throw new Error(`the archive, read back, lacks ${[...expected.keys()][0] ?? ''}`);
}

async function hashOf(entry: Entry, zip: ZipFile): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of await zip.openReadStreamPromise(entry)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
