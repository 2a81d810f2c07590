import { createHash, randomBytes } from 'node:crypto';
import { open, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { writeZip, type ZipEntry } from '../../../../src/ops/write-zip.ts';
import { hashArchiveEntries } from '../../../../src/results/deliver/archive.ts';

const LARGE = Buffer.concat([Buffer.from('a line that deflates well\n'.repeat(200_000)), randomBytes(4_500_000)]);
const SMALL = Buffer.from('a small file\n'.repeat(20));

const ENTRIES: readonly ZipEntry[] = [
  { name: 'small stored.pdf', deflate: false, content: SMALL },
  { name: 'small deflated.xml', deflate: true, content: SMALL },
  { name: 'large stored.pdf', deflate: false, content: LARGE },
  { name: 'large deflated.xml', deflate: true, content: LARGE },
  { name: 'näme/empty', deflate: true, content: Buffer.alloc(0) },
];

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Writes a ZIP of these entries. */
async function zipOf(folder: string, entries: readonly ZipEntry[]): Promise<string> {
  const path = join(folder, 'made.zip');
  await writeZip(path, entries);
  return path;
}

async function flipByte(path: string, position: number): Promise<void> {
  const bytes = await readFile(path);
  await using file = await open(path, 'r+');
  await file.write(Buffer.from([(bytes[position] ?? 0) ^ 1]), 0, 1, position);
}

test('returns the hash of every entry, stored or deflated, large or small', async () => {
  await using folder = await temporaryFolder();
  const found = await hashArchiveEntries(await zipOf(folder.path, ENTRIES));
  expect([...found]).toEqual(ENTRIES.map(({ name, content }) => [name, sha256(content as Uint8Array)]));
});

test('reads more entries than one piece of the file holds', async () => {
  await using folder = await temporaryFolder();
  const entries = Array.from({ length: 1000 }, (_, index) => ({
    name: `${index}.pdf`,
    deflate: index % 2 === 0,
    content: Buffer.from(`${index} `.repeat(600)),
  }));
  const found = await hashArchiveEntries(await zipOf(folder.path, entries));
  expect([...found]).toEqual(entries.map(({ name, content }) => [name, sha256(content)]));
});

test.each(ENTRIES.slice(0, 4))('notices a changed byte in the content of $name', async (entry) => {
  await using folder = await temporaryFolder();
  const path = await zipOf(folder.path, [entry]);
  await flipByte(path, 30 + Buffer.byteLength(entry.name) + 10);
  const found = await hashArchiveEntries(path).catch((failure: unknown) => failure);
  expect(found).toBeInstanceOf(Error);
});

test('refuses a wrong checksum in the central directory', async () => {
  await using folder = await temporaryFolder();
  const path = await zipOf(folder.path, ENTRIES.slice(0, 1));
  const directory = (await readFile(path)).indexOf(Buffer.from('PK\u0001\u0002', 'latin1'));
  await flipByte(path, directory + 16);
  await expect(hashArchiveEntries(path)).rejects.toThrow(/small stored\.pdf .*\bchecksum\b/);
});

test('refuses a cut ZIP and a file that is no ZIP', async () => {
  await using folder = await temporaryFolder();
  const path = await zipOf(folder.path, ENTRIES);
  await truncate(path, 1000);
  await expect(hashArchiveEntries(path)).rejects.toThrow('central directory');
  await writeFile(path, '');
  await expect(hashArchiveEntries(path)).rejects.toThrow('central directory');
});

// One entry would hide the other.
test('refuses a name that occurs twice', async () => {
  await using folder = await temporaryFolder();
  const path = await zipOf(folder.path, [
    { name: 'one.pdf', deflate: false, content: SMALL },
    { name: 'two.pdf', deflate: false, content: SMALL },
  ]);
  await writeFile(path, (await readFile(path)).toString('latin1').replaceAll('two.pdf', 'one.pdf'), 'latin1');
  await expect(hashArchiveEntries(path)).rejects.toThrow(/one\.pdf .*\btwice\b/);
});
