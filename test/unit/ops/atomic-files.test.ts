import { link, mkdir, mkdtempDisposable, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  copyDurably,
  moveToFreeName,
  publishFolder,
  sha256OfFile,
  writeDurably,
  type MoveCalls,
} from '../../../src/ops/durable-files.ts';

const newFolder = () => mkdtempDisposable(join(tmpdir(), 'atomic-'));
const text = (path: string) => readFile(path, 'utf8');

function failing(code: string): Promise<never> {
  return Promise.reject(Object.assign(new Error(code), { code }));
}

describe('durable-files', () => {
  test('a file is replaced whole, and nothing temporary stays', async () => {
    await using folder = await newFolder();
    const path = join(folder.path, 'a.txt');
    await writeDurably(path, 'one');
    await writeDurably(path, Buffer.from('two'), { mode: 0o600 });
    expect(await text(path)).toBe('two');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder.path)).toEqual(['a.txt']);
  });

  test('a write that fails leaves the old content and nothing temporary', async () => {
    await using folder = await newFolder();
    await mkdir(join(folder.path, 'taken', 'inside'), { recursive: true });
    await expect(writeDurably(join(folder.path, 'taken'), 'x')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    await expect(copyDurably(join(folder.path, 'nowhere'), join(folder.path, 'copy'))).rejects.toThrow('ENOENT');
    expect(await readdir(folder.path)).toEqual(['taken']);
  });

  test('copyDurably copies the bytes under the longest name', async () => {
    await using folder = await newFolder();
    const from = join(folder.path, 'a.bin');
    const to = join(folder.path, 'b'.repeat(255));
    await writeFile(from, Buffer.alloc(3_000_000, 7));
    await copyDurably(from, to);
    expect(await sha256OfFile(to)).toBe(await sha256OfFile(from));
  });

  test('sha256 is that of the bytes', async () => {
    await using folder = await newFolder();
    await writeFile(join(folder.path, 'abc'), 'abc');
    expect(await sha256OfFile(join(folder.path, 'abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  test('publishFolder publishes all content and no leftovers of a crash', async () => {
    await using folder = await newFolder();
    const final = join(folder.path, 'run-1');
    await mkdir(join(folder.path, '.run-1.partial', 'old'), { recursive: true });
    await publishFolder(final, async (dir) => {
      expect(await readdir(folder.path)).toEqual(['.run-1.partial']);
      await mkdir(join(dir, 'photos'));
      await writeFile(join(dir, 'photos', '1.jpg'), 'jpg');
      await symlink('photos/1.jpg', join(dir, 'cover.jpg'));
    });
    expect(await readdir(folder.path)).toEqual(['run-1']);
    expect((await readdir(final, { recursive: true })).toSorted()).toEqual(['cover.jpg', 'photos', 'photos/1.jpg']);
  });

  test('a build that fails publishes nothing', async () => {
    await using folder = await newFolder();
    const build = async (dir: string): Promise<void> => {
      await writeFile(join(dir, 'half'), '');
      throw new Error('disk full');
    };
    await expect(publishFolder(join(folder.path, 'run-1'), build)).rejects.toThrow('disk full');
    expect(await readdir(folder.path)).toEqual([]);
  });

  test('publishFolder asks mayPublish after writing everything', async () => {
    await using folder = await newFolder();
    const mayPublish = async (): Promise<void> => {
      expect(await readdir(join(folder.path, '.run-1.partial'))).toEqual(['whole']);
      throw new Error('another host');
    };
    await expect(
      publishFolder(join(folder.path, 'run-1'), (dir) => writeFile(join(dir, 'whole'), ''), mayPublish),
    ).rejects.toThrow('another host');
    expect(await readdir(folder.path)).toEqual([]);
  });

  test('publishFolder never replaces a folder', async () => {
    await using folder = await newFolder();
    const final = join(folder.path, 'run-1');
    await expect(publishFolder(final, () => mkdir(final))).rejects.toMatchObject({ code: 'EEXIST' });
    await writeFile(join(final, 'mine'), 'kept');
    await expect(publishFolder(final, () => Promise.reject(new Error('never built')))).rejects.toMatchObject({
      code: 'EEXIST',
    });
    expect(await text(join(final, 'mine'))).toBe('kept');
    expect(await readdir(folder.path)).toEqual(['run-1']);
  });

  const MOVES: readonly (readonly [string, MoveCalls])[] = [
    ['by hard link', { link, rename }],
    ['where there are no hard links', { link: () => failing('EPERM'), rename }],
    [
      'across devices',
      {
        link: (from, to) => (dirname(from) === dirname(to) ? link(from, to) : failing('EXDEV')),
        rename: (from, to) => (dirname(from) === dirname(to) ? rename(from, to) : failing('EXDEV')),
      },
    ],
    [
      'across devices, to one without hard links',
      {
        link: () => failing('EPERM'),
        rename: (from, to) => (dirname(from) === dirname(to) ? rename(from, to) : failing('EXDEV')),
      },
    ],
  ];

  test.each(MOVES)('moving %s takes the next free number and replaces nothing', async (_, calls) => {
    await using folder = await newFolder();
    const inbox = join(folder.path, 'inbox');
    const archive = join(folder.path, 'archive');
    await mkdir(inbox);
    await mkdir(archive);
    for (const content of ['first', 'second', 'third']) {
      await writeFile(join(inbox, 'orders.v1.xlsx'), content);
      await moveToFreeName(join(inbox, 'orders.v1.xlsx'), archive, 'orders.v1.xlsx', calls);
    }
    expect(await readdir(inbox)).toEqual([]);
    expect((await readdir(archive)).toSorted()).toEqual(['orders.v1 (2).xlsx', 'orders.v1 (3).xlsx', 'orders.v1.xlsx']);
    expect(await text(join(archive, 'orders.v1 (3).xlsx'))).toBe('third');
  });

  test.each(MOVES)('moving %s at the same time loses no file', async (_, calls) => {
    await using folder = await newFolder();
    const archive = join(folder.path, 'archive');
    await mkdir(archive);
    const moves = Array.from({ length: 20 }, async (__, index) => {
      const inbox = join(folder.path, `inbox-${index}`);
      await mkdir(inbox);
      await writeFile(join(inbox, 'a.csv'), String(index));
      return moveToFreeName(join(inbox, 'a.csv'), archive, 'a.csv', calls);
    });
    const paths = await Promise.all(moves);
    expect(new Set(paths).size).toBe(20);
    const contents = await Promise.all(paths.map(text));
    expect(contents).toEqual(contents.map((__, index) => String(index)));
    expect(await readdir(archive)).toHaveLength(20);
  });

  test('finishes a move that was killed between its two steps', async () => {
    await using folder = await newFolder();
    const archive = join(folder.path, 'archive');
    await mkdir(archive);
    await writeFile(join(folder.path, 'a.csv'), 'rows');
    await link(join(folder.path, 'a.csv'), join(archive, 'a.csv'));
    expect(await moveToFreeName(join(folder.path, 'a.csv'), archive, 'a.csv')).toBe(join(archive, 'a.csv'));
    expect(await readdir(folder.path)).toEqual(['archive']);
    expect(await readdir(archive)).toEqual(['a.csv']);
  });

  test('keeps a file that is moved onto itself through a link', async () => {
    await using folder = await newFolder();
    const real = join(folder.path, 'real');
    await mkdir(real);
    await symlink(real, join(folder.path, 'alias'));
    await writeFile(join(real, 'a.csv'), 'rows');
    await moveToFreeName(join(real, 'a.csv'), real, 'a.csv');
    await link(join(real, 'a.csv'), join(folder.path, 'other-name.csv'));
    await moveToFreeName(join(folder.path, 'alias', 'a.csv'), real, 'a.csv');
    expect(await text(join(real, 'a.csv'))).toBe('rows');
  });

  test('keeps a moved file if the answer of the server was lost', async () => {
    await using folder = await newFolder();
    const archive = join(folder.path, 'archive');
    await mkdir(archive);
    await writeFile(join(folder.path, 'a.csv'), 'rows');
    const calls: MoveCalls = {
      link: () => failing('EPERM'),
      rename: (from, to) => rename(from, to).then(() => failing('ETIMEDOUT')),
    };
    await expect(moveToFreeName(join(folder.path, 'a.csv'), archive, 'a.csv', calls)).rejects.toThrow('ETIMEDOUT');
    expect(await text(join(archive, 'a.csv'))).toBe('rows');
  });

  test('a move that fails leaves no reserved name behind', async () => {
    await using folder = await newFolder();
    const archive = join(folder.path, 'archive');
    await mkdir(archive);
    await writeFile(join(folder.path, 'a.csv'), 'rows');
    await expect(
      moveToFreeName(join(folder.path, 'a.csv'), archive, 'a.csv', {
        link: () => failing('EPERM'),
        rename: () => failing('EIO'),
      }),
    ).rejects.toThrow('EIO');
    expect([await readdir(archive), await text(join(folder.path, 'a.csv'))]).toEqual([[], 'rows']);
  });

  test('a copy across devices that fails leaves the original and nothing else', async () => {
    await using folder = await newFolder();
    const archive = join(folder.path, 'archive');
    await mkdir(archive);
    await writeFile(join(folder.path, 'a.csv'), 'rows');
    const calls: MoveCalls = { link: (from) => failing(dirname(from) === archive ? 'EIO' : 'EXDEV'), rename };
    await expect(moveToFreeName(join(folder.path, 'a.csv'), archive, 'a.csv', calls)).rejects.toThrow('EIO');
    expect(await text(join(folder.path, 'a.csv'))).toBe('rows');
    expect(await readdir(archive)).toEqual([]);
  });

  test.each(['', '.', '..', '../a', 'a/b', 'a\0b'])('%j is not taken as a name', async (name) => {
    await using folder = await newFolder();
    await writeFile(join(folder.path, 'a'), '');
    await expect(moveToFreeName(join(folder.path, 'a'), folder.path, name)).rejects.toThrow(JSON.stringify(name));
  });
});
