import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runSubject, runWhole } from './measure/child.ts';
import { interleaved, type Measured } from './measure/measured.ts';
import {
  atMost,
  count,
  printTable,
  printTargets,
  TIME_AND_MEMORY_HEAD,
  timeAndMemory,
  times,
} from './measure/table.ts';
import { tempFolder } from './measure/temp-folder.ts';
import type { BenchOptions, Growing } from './options.ts';
import { tableText } from './words.ts';

const ARCHIVE_BARE = new URL('./subjects/archive-bare.ts', import.meta.url);
const WRITE_ARCHIVE = new URL('./subjects/write-archive.ts', import.meta.url);

const PDF_BYTES = 160_000;
const XML_BYTES = 50_000;
const TIME_ZONES = ['UTC', 'Asia/Kathmandu', 'America/Los_Angeles'];

/** The reports archive of N projects, a PDF and an XML each, and `zip` with the same choices: PDFs stored, the others deflated at level 6. */
export async function benchArchive({ rounds, projects = 300 }: BenchOptions): Promise<Growing> {
  await using folder = await tempFolder();
  const reports = join(folder.path, 'reports');
  await mkdir(reports);
  for (let project = 0; project < projects; project += 1) await writeReports(reports, project);
  const zipped = join(folder.path, 'by zip.zip');
  const hashes = new Set<string>();
  const path = join(folder.path, 'reports.zip');
  const ours = async (round: number): Promise<Measured> => {
    const measured = await runSubject(
      WRITE_ARCHIVE,
      folder.path,
      reports,
      TIME_ZONES[round % TIME_ZONES.length] ?? 'UTC',
      'whole',
    );
    hashes.add(
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    );
    await rm(path);
    return measured;
  };
  const written = async (): Promise<Measured> => {
    const measured = await runSubject(WRITE_ARCHIVE, folder.path, reports, 'UTC', 'only written');
    await rm(path);
    return measured;
  };
  const byArchiver = async (): Promise<Measured> => {
    const bare = join(folder.path, 'by archiver.zip');
    const measured = await runSubject(ARCHIVE_BARE, bare, reports);
    await rm(bare);
    return measured;
  };
  const byZip = async (): Promise<Measured> => {
    await rm(zipped, { force: true });
    return runWhole('zip', ['-q', '-6', '-X', '-r', '-n', '.pdf', zipped, reports]);
  };
  const hasZip = await runWhole('zip', ['-v']).then(
    () => true,
    () => false,
  );
  const packers: Record<string, (round: number) => Promise<Measured>> = hasZip
    ? { zip: byZip, archiver: byArchiver, ours, written }
    : { archiver: byArchiver, ours, written };
  const { zip, archiver, ours: own, written: unread } = await interleaved(rounds, packers);
  printTable(
    `archive: ${count(projects)} PDFs stored and ${count(projects)} XMLs deflated, ${count((projects * (PDF_BYTES + XML_BYTES)) / 1e6)} MB`,
    ['packer', ...TIME_AND_MEMORY_HEAD, '× archiver'],
    Object.entries({
      'zip -6 -n .pdf, whole process': zip,
      'archiver alone, the same choices': archiver,
      'writeArchives, read back and compared': own,
      'the same without reading back, as zip does': unread,
    }).map(([name, taken]) =>
      taken === undefined
        ? [name, 'skipped: needs zip']
        : [name, ...timeAndMemory(taken), archiver === undefined ? '' : times(taken.wallMs / archiver.wallMs)],
    ),
  );
  printTargets([
    ...(archiver === undefined || unread === undefined
      ? []
      : [
          atMost(
            'at most 1.2 × archiver alone with the same choices, not read back (stretch: 1.05 ×)',
            unread.cpuMs / archiver.cpuMs,
            1.2,
            times,
          ),
        ]),
    {
      target: 'the same bytes each time, in any time zone',
      measured: `${hashes.size} distinct file in ${rounds} runs`,
      met: rounds > 1 ? hashes.size === 1 : null,
    },
  ]);
  return own === undefined ? {} : { archive: own };
}

/** A PDF's bytes do not pack; an XML's do. */
async function writeReports(folder: string, project: number): Promise<void> {
  await writeFile(join(folder, `${project}.pdf`), unpackable(project));
  let xml = `<report project="${project}">`;
  for (let field = 0; xml.length < XML_BYTES; field += 1)
    xml += `<attribute id="${(project * 31 + field * 17) % 9973}">${tableText(project, field)}</attribute>\n`;
  await writeFile(join(folder, `${project}.xml`), `${xml}</report>`);
}

/** Bytes that look random and are the same each time. */
function unpackable(seed: number): Buffer {
  const blocks: Buffer[] = [];
  for (let block = 0; block * 32 < PDF_BYTES; block += 1)
    blocks.push(createHash('sha256').update(`${seed} ${block}`).digest());
  return Buffer.concat(blocks);
}
