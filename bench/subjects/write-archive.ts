/** Packs a folder with writeArchives; what it packs has been hashed when it was fetched. Arguments: folder of the archive, folder of the reports, time zone, `whole` or `only written`. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeArchives } from '../../src/results/deliver/archive.ts';
import { writeZip } from '../../src/ops/write-zip.ts';
import { argument, report } from '../measure/subject.ts';

process.env['TZ'] = argument(2);
const folder = argument(1);
const entries: { name: string; path: string; sha256: string }[] = [];
for (const name of (await readdir(folder)).toSorted()) {
  const path = join(folder, name);
  entries.push({
    name: `reports/${name}`,
    path,
    sha256: createHash('sha256')
      .update(await readFile(path))
      .digest('hex'),
  });
}

await report(async () => {
  if (argument(3) === 'whole') await writeArchives(argument(0), entries);
  else
    await writeZip(
      join(argument(0), 'reports.zip'),
      entries.map(({ name, path }) => ({ name, deflate: !name.endsWith('.pdf'), content: { path } })),
    );
  return { entries: entries.length };
});
