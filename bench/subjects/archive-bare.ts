/** Packs a folder with archiver alone: PDFs stored, the others deflated. Arguments: the archive, folder of the reports. */
import { createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { ZipArchive } from 'archiver';
import { argument, report } from '../measure/subject.ts';

const folder = argument(1);
const names = (await readdir(folder)).toSorted();

await report(async () => {
  const archive = new ZipArchive({ zlib: { level: 6 }, statConcurrency: 1 });
  const packed = finished(archive.pipe(createWriteStream(argument(0))));
  for (const name of names)
    archive.file(join(folder, name), { name: `reports/${name}`, ...(name.endsWith('.pdf') && { store: true }) });
  await archive.finalize();
  await packed;
  return { entries: names.length };
});
