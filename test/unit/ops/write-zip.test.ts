import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import yauzl from 'yauzl';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { writeZip, type ZipEntry } from '../../../src/ops/write-zip.ts';

async function contentsOf(path: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  const zip = await yauzl.openPromise(path, { lazyEntries: true });
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    const content = Buffer.concat(chunks);
    expect(crc32(content)).toBe(entry.crc32);
    found.set(entry.fileName, content);
  }
  return found;
}

const text = (length: number): Buffer =>
  Buffer.from('a line that deflates well\n'.repeat(Math.ceil(length / 26))).subarray(0, length);

describe('writeZip', () => {
  test('another library reads back the same content', async () => {
    await using folder = await temporaryFolder();
    const large = Buffer.concat([text(4_000_000), randomBytes(1000)]);
    await writeFile(join(folder.path, 'large'), large);
    await writeFile(join(folder.path, 'small'), 'small');
    const pieces = [text(200_000), Buffer.from('Ünïcode')];
    const entries: ZipEntry[] = [
      { name: 'empty.txt', deflate: true, content: new Uint8Array() },
      { name: 'Ünïcode/näme.txt', deflate: true, content: text(100_000) },
      { name: 'noise.jpg', deflate: true, content: randomBytes(50_000) },
      { name: 'stored.pdf', deflate: false, content: { path: join(folder.path, 'large') } },
      { name: 'deflated.xml', deflate: true, content: { path: join(folder.path, 'large') } },
      { name: 'small.txt', deflate: true, content: { path: join(folder.path, 'small') } },
      { name: 'sheet.xml', deflate: true, content: { stream: () => Readable.from(pieces) } },
    ];
    const path = join(folder.path, 'made.zip');
    await writeZip(path, entries);
    const contents = await contentsOf(path);
    expect([...contents.keys()]).toEqual(entries.map(({ name }) => name));
    expect(contents.get('Ünïcode/näme.txt')?.equals(text(100_000))).toBe(true);
    expect(contents.get('stored.pdf')?.equals(large)).toBe(true);
    expect(contents.get('deflated.xml')?.equals(large)).toBe(true);
    expect(contents.get('small.txt')?.toString()).toBe('small');
    expect(contents.get('sheet.xml')?.equals(Buffer.concat(pieces))).toBe(true);
    const python =
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(len(z.namelist()))';
    const second = await promisify(execFile)('python3', ['-c', python, path]).catch((failure: unknown) => failure);
    if (second instanceof Error && 'code' in second && second.code === 'ENOENT') return;
    expect(second).toMatchObject({ stdout: '7\n' });
  });

  test('the same entries give the same bytes', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'file'), text(2_000_000));
    const digests = [];
    for (const name of ['one.zip', 'two.zip']) {
      const path = join(folder.path, name);
      await writeZip(path, [
        { name: 'a', deflate: true, content: text(9000) },
        { name: 'b', deflate: true, content: { path: join(folder.path, 'file') } },
      ]);
      digests.push(
        createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      );
    }
    expect(digests[0]).toBe(digests[1]);
  });

  test('stored content follows its size', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'made.zip');
    await writeZip(path, [{ name: 'a.pdf', deflate: false, content: Buffer.from('stored') }]);
    const header = await readFile(path);
    expect([header.readUInt16LE(6) & 0x8, header.readUInt32LE(18), header.readUInt32LE(22)]).toEqual([0, 6, 6]);
  });

  test('a repeated name, a missing file and a broken stream are errors', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'made.zip');
    const entry = { name: 'a', deflate: false, content: Buffer.from('a') };
    await expect(writeZip(path, [entry, entry])).rejects.toThrow('appears twice');
    await rm(path);
    await expect(
      writeZip(path, [{ name: 'a', deflate: false, content: { path: join(folder.path, 'absent') } }]),
    ).rejects.toThrow('ENOENT');
    await rm(path);
    const broken: ZipEntry = {
      name: 'broken',
      deflate: true,
      content: {
        stream: () =>
          Readable.from(
            (function* () {
              yield Buffer.from('a');
              throw new Error('cut off');
            })(),
          ),
      },
    };
    await expect(writeZip(path, [entry, broken, { ...entry, name: 'last' }])).rejects.toThrow('cut off');
  });

  test('reports a place that cannot be written to', async () => {
    await using folder = await temporaryFolder();
    await expect(
      writeZip(join(folder.path, 'absent', 'made.zip'), [{ name: 'a', deflate: false, content: Buffer.from('a') }]),
    ).rejects.toThrow('ENOENT');
    const full = '/dev/full';
    if (!existsSync(full)) return;
    await expect(writeZip(full, [{ name: 'a', deflate: false, content: randomBytes(3_000_000) }])).rejects.toThrow(
      'ENOSPC',
    );
  });
});
