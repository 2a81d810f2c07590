import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtempDisposable, readFile, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';
import yauzl from 'yauzl';
import { writeArchives, type ArchiveEntry } from '../../../../src/results/deliver/archive.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The tool that people check a manifest with; coreutils brings it. */
const CHECKER = 'sha256sum';

const newFolder = () => mkdtempDisposable(join(tmpdir(), 'archive-'));
const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** Writes these files and gives their entries. */
async function filesIn(
  folder: string,
  contents: Readonly<Record<string, string | Buffer>>,
): Promise<readonly ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for (const [name, content] of Object.entries(contents)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    entries.push({ name, path, sha256: sha256(content) });
  }
  return entries;
}

async function unzipped(path: string): Promise<ReadonlyMap<string, Buffer>> {
  const zip = await yauzl.openPromise(path, { lazyEntries: true });
  const found = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry())
    found.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
  return found;
}

const CONTENTS = {
  'reports/HO-1_100001_03052026.pdf': `%PDF-1.7 ${'a'.repeat(5000)}`,
  'reports/HO-1_100001_03052026.json': '{"report":[]}',
  'photos/HO-1_100001_03052026/01 Front Ähre 物件.jpg': Buffer.from([0xff, 0xd8, 0xff, 0xd9]),
  'reports/empty.xml': '',
};

test('keeps every file unchanged with a manifest that sha256sum accepts', async () => {
  await using folder = await newFolder();
  const entries = await filesIn(join(folder.path, 'in'), CONTENTS);
  const path = join(folder.path, 'reports.zip');
  expect(await writeArchives(folder.path, entries)).toEqual(['reports.zip']);
  const out = await unzipped(path);
  expect([...out.keys()]).toEqual([...Object.keys(CONTENTS), 'manifest.sha256']);
  for (const [name, content] of Object.entries(CONTENTS)) expect(out.get(name)).toEqual(Buffer.from(content));
  for (const [name, bytes] of out) await filesIn(join(folder.path, 'out'), { [name]: bytes });
  const said = execFileSync(CHECKER, ['--check', '--strict', 'manifest.sha256'], {
    cwd: join(folder.path, 'out'),
    encoding: 'utf8',
  });
  expect(said.trim().split('\n')).toHaveLength(4);
});

test('gives the same bytes at other times, places, and time zones', async () => {
  await using folder = await newFolder();
  const packed: string[] = [];
  for (const [index, zone] of ['UTC', 'Pacific/Kiritimati', 'America/New_York'].entries()) {
    vi.stubEnv('TZ', zone);
    const place = join(folder.path, `place ${index}`);
    const entries = await filesIn(place, CONTENTS);
    for (const { path } of entries) await utimes(path, 1_000_000_000 + index * 1e7, 1_000_000_000 + index * 1e7);
    await writeArchives(place, entries);
    packed.push(sha256(await readFile(join(place, 'reports.zip'))));
  }
  expect(new Set(packed).size).toBe(1);
});

test('keeps the order of more entries than are packed at once', async () => {
  await using folder = await newFolder();
  const names = Array.from(
    { length: 150 },
    (_, index) => `photos/${String((index * 7919) % 150).padStart(3, '0')}.jpg`,
  );
  const entries = await filesIn(folder.path, Object.fromEntries(names.map((name) => [name, name])));
  await writeArchives(folder.path, entries);
  expect([...(await unzipped(join(folder.path, 'reports.zip'))).keys()]).toEqual([...names, 'manifest.sha256']);
});

test('refuses a file that differs from the ledger, by its name', async () => {
  await using folder = await newFolder();
  const entries = await filesIn(folder.path, CONTENTS);
  await writeFile(join(folder.path, 'reports/HO-1_100001_03052026.json'), '{"report":[1]}');
  await expect(writeArchives(folder.path, entries)).rejects.toThrow('reports/HO-1_100001_03052026.json');
});

test('refuses a missing file', async () => {
  await using folder = await newFolder();
  const entries = await filesIn(folder.path, CONTENTS);
  const gone: ArchiveEntry = { name: 'reports/gone.pdf', path: join(folder.path, 'gone.pdf'), sha256: sha256('') };
  await expect(writeArchives(folder.path, [...entries, gone])).rejects.toThrow('ENOENT');
});

// One would hide the other.
test('refuses two entries with the same name', async () => {
  await using folder = await newFolder();
  const [first] = await filesIn(folder.path, CONTENTS);
  if (first === undefined) throw new Error('no file');
  await expect(writeArchives(folder.path, [first, first])).rejects.toThrow(first.name);
});

test('splits an archive above the limit into complete archives', async () => {
  await using folder = await newFolder();
  const contents = Object.fromEntries(
    Array.from({ length: 5 }, (_, index) => [`reports/${index}.pdf`, Buffer.alloc(index === 3 ? 2500 : 400, index)]),
  );
  const entries = await filesIn(folder.path, contents);
  const names = await writeArchives(folder.path, entries, 1000);
  expect(names).toEqual(['reports-01.zip', 'reports-02.zip', 'reports-03.zip', 'reports-04.zip']);
  const held = await Promise.all(names.map(async (name) => [...(await unzipped(join(folder.path, name))).keys()]));
  expect(held).toEqual([
    ['reports/0.pdf', 'reports/1.pdf', 'manifest-01.sha256'],
    ['reports/2.pdf', 'manifest-02.sha256'],
    ['reports/3.pdf', 'manifest-03.sha256'],
    ['reports/4.pdf', 'manifest-04.sha256'],
  ]);
});
