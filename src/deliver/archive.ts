import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeZip, type ZipEntry } from '../zip/write-zip.ts';
import { readBack } from './read-back.ts';

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
  const content = Buffer.from(entries.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''), 'utf8');
  await writeZip(path, zipEntries(entries, { name: manifest, content }));
  await compare(path, entries, { name: manifest, sha256: hash('sha256', content) });
}

function* zipEntries(entries: readonly ArchiveEntry[], manifest: { readonly name: string; readonly content: Uint8Array }): Iterable<ZipEntry> {
  for (const { name, path } of entries) yield { name, deflate: !PACKED.test(name), content: { path } };
  yield { ...manifest, deflate: true };
}

/** The manifest too: it is what a person would trust. */
async function compare(path: string, entries: readonly ArchiveEntry[], manifest: Pick<ArchiveEntry, 'name' | 'sha256'>): Promise<void> {
  const found = await readBack(path);
  for (const { name, sha256 } of [...entries, manifest]) {
    const sum = found.get(name);
    if (sum === undefined) throw new Error(`the archive, read back, lacks ${name}`);
    if (sum !== sha256) throw new Error(`the archive, read back, holds another ${name} than was put in`);
  }
  if (found.size !== entries.length + 1) throw new Error('the archive, read back, holds more than was put in');
}
