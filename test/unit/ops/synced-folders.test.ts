import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  copyDurably,
  makeFolder,
  moveToFreeName,
  publishFolder,
  writeDurably,
} from '../../../src/ops/durable-files.ts';
import { pathsSyncedBy } from '../../support/synced-paths.ts';

const newFolder = () => mkdtempDisposable(join(tmpdir(), 'synced-'));

describe.runIf(process.platform === 'linux')('what is synced', () => {
  test('a new folder: the one above it', async () => {
    await using folder = await newFolder();
    expect(await pathsSyncedBy(folder.path, () => makeFolder(join(folder.path, 'a/b')))).toEqual(['.', 'a']);
  });

  test('makeFolder fails if a file system refuses the folder', async () => {
    await expect(makeFolder('/proc/no-folder/here')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a move syncs the target folder, then the source folder', async () => {
    await using folder = await newFolder();
    for (const name of ['from', 'to']) await mkdir(join(folder.path, name));
    await writeFile(join(folder.path, 'from/a.csv'), 'a');
    const found = await pathsSyncedBy(folder.path, () =>
      moveToFreeName(join(folder.path, 'from/a.csv'), join(folder.path, 'to'), 'a.csv'),
    );
    expect(found.at(0)).toBe('to');
    expect(found.at(-1)).toBe('from');
  });

  test('a move to another device syncs the copy and both folders', async () => {
    await using folder = await newFolder();
    for (const name of ['from', 'to']) await mkdir(join(folder.path, name));
    await writeFile(join(folder.path, 'from/a.csv'), 'a');
    let isFirst = true;
    const { link, rename } = await import('node:fs/promises');
    const calls = {
      rename,
      link: async (from: string, to: string) => {
        if (!isFirst) return link(from, to);
        isFirst = false;
        throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' });
      },
    };
    const found = await pathsSyncedBy(folder.path, () =>
      moveToFreeName(join(folder.path, 'from/a.csv'), join(folder.path, 'to'), 'a.csv', calls),
    );
    expect(found.at(0)).toMatch(/^to\/\.a\.csv\..*\.partial$/);
    expect(found.slice(1)).toEqual(expect.arrayContaining(['to']));
    expect(found.at(-1)).toBe('from');
  });

  test('writing a file syncs it, then its folder', async () => {
    await using folder = await newFolder();
    const found = await pathsSyncedBy(folder.path, () => writeDurably(join(folder.path, 'a.txt'), 'a'));
    expect(found).toEqual([expect.stringMatching(/^\.a\.txt\..*\.partial$/), '.']);
  });

  test('a copy: itself, then its folder', async () => {
    await using folder = await newFolder();
    await writeFile(join(folder.path, 'a.txt'), 'a');
    const found = await pathsSyncedBy(folder.path, () =>
      copyDurably(join(folder.path, 'a.txt'), join(folder.path, 'b.txt')),
    );
    expect(found).toEqual([expect.stringMatching(/^\.b\.txt\..*\.partial$/), '.']);
  });

  test('publishing a folder syncs its files, folders and parent', async () => {
    await using folder = await newFolder();
    const found = await pathsSyncedBy(folder.path, () =>
      publishFolder(join(folder.path, 'run-1'), async (dir) => {
        await mkdir(join(dir, 'photos'));
        await writeFile(join(dir, 'photos/1.jpg'), 'jpg');
      }),
    );
    expect(found).toEqual(['.run-1.partial/photos/1.jpg', '.run-1.partial/photos', '.run-1.partial', '.']);
  });
});
