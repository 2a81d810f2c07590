import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { entriesOf } from '../../end-to-end/delivery-archive.ts';

/** Where any of these texts stands: in which file below the folder, those inside zips and workbooks included. */
export async function findInFiles(
  folder: string,
  texts: readonly string[],
  isLeftOut: (name: string) => boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  const look = (name: string, bytes: Buffer): void => {
    for (const text of texts) if (bytes.includes(text)) found.push(`${text} in ${name}`);
  };
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || isLeftOut(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    look(path, await readFile(path));
    if (/\.(zip|xlsx)$/.test(entry.name))
      for (const [name, bytes] of await entriesOf(path)) look(`${path} ${name}`, bytes);
  }
  return found;
}
