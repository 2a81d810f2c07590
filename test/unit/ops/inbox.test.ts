import { appendFile, mkdir, mkdtempDisposable, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listDropped, awaitSettled, shownName, type DroppedFile } from '../../../src/ops/list-inbox.ts';

const newFolder = () => mkdtempDisposable(join(tmpdir(), 'inbox-'));

async function dropped(folder: string, names: readonly string[]): Promise<readonly DroppedFile[]> {
  for (const name of names) await writeFile(join(folder, name), name);
  return (await listDropped(folder)).files;
}

const names = (files: readonly DroppedFile[]) => files.map(({ name }) => name);

/** Time as it is `afterMs` after the last change of these files; sleeping passes it, and may do something meanwhile. */
async function worldAfter(
  files: readonly DroppedFile[],
  afterMs: number,
  meanwhile: () => Promise<void> = async () => {},
) {
  const changes = await Promise.all(files.map(async ({ path }) => (await stat(path)).ctimeMs));
  let now = Math.max(...changes) + afterMs;
  const slept: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms);
    await meanwhile();
    now += ms;
  };
  return { world: { clock: { now: () => now }, sleep }, slept };
}

describe('listDropped', () => {
  test('lists files by name, without temporary ones', async () => {
    await using folder = await newFolder();
    const taken = ['B.xlsx', 'a.csv', 'März (2).tsv', 'no ending', 'report.tmp.csv'];
    const ignored = [
      '~$B.xlsx',
      '.hidden.csv',
      '.DS_Store',
      'x.tmp',
      'x.TMP',
      'x.part',
      'x.csv.crdownload',
      'Thumbs.db',
      'desktop.ini',
    ];
    const files = await dropped(folder.path, [...taken, ...ignored]);
    await mkdir(join(folder.path, 'folder.csv'));
    await symlink(join(folder.path, 'a.csv'), join(folder.path, 'link.csv'));
    expect(names(files)).toEqual(['B.xlsx', 'März (2).tsv', 'a.csv', 'no ending', 'report.tmp.csv']);
    expect((await listDropped(folder.path)).files).toEqual(files);
  });

  test('each folder is a sender, except deeper, linked and system folders', async () => {
    await using folder = await newFolder();
    const at = (...parts: readonly string[]) => join(folder.path, ...parts);
    for (const dir of ['Smith', 'Ähre & Co', 'Smith/deeper', '.Trash', '@eaDir', 'lost+found', '$RECYCLE.BIN']) {
      await mkdir(at(dir));
      await writeFile(at(dir, 'orders.csv'), dir);
    }
    await writeFile(at('orders.csv'), 'nobody');
    await writeFile(at('Smith', '~$orders.csv'), '');
    await symlink(at('Smith'), at('linked'));
    const { files, closed } = await listDropped(folder.path);
    expect(files.map(shownName)).toEqual(['orders.csv', 'Smith/orders.csv', 'Ähre & Co/orders.csv']);
    expect(files.map(({ path }) => path)).toEqual([
      at('orders.csv'),
      at('Smith/orders.csv'),
      at('Ähre & Co/orders.csv'),
    ]);
    expect(closed).toEqual([]);
  });

  test('reports links and folders within folders, but no system folders', async () => {
    await using folder = await newFolder();
    await mkdir(join(folder.path, 'Smith/november'), { recursive: true });
    await mkdir(join(folder.path, 'Smith/@eaDir'));
    await symlink(join(folder.path, 'Smith'), join(folder.path, 'link.csv'));
    const { odd } = await listDropped(folder.path);
    expect(odd.map(({ name, code }) => [name, code])).toEqual([
      ['link.csv', 'not-a-file'],
      ['Smith/november/', 'not-a-file'],
    ]);
  });

  test('lists names that differ in case, long and odd ones', async () => {
    await using folder = await newFolder();
    const odd = [
      'A.csv',
      'a.csv',
      `${'ä'.repeat(125)}.csv`,
      "Sarah's; rm -rf $HOME.csv",
      'line\nbreak.csv',
      '-n.csv',
      '物件 😀.csv',
    ];
    expect(new Set(names(await dropped(folder.path, odd)))).toEqual(new Set(odd));
  });

  test('reports a name that is not UTF-8 and lists the others', async () => {
    await using folder = await newFolder();
    await writeFile(
      Buffer.concat([Buffer.from(`${folder.path}/M`), Buffer.from([0xe4]), Buffer.from('rz.csv')]),
      'latin1',
    );
    await writeFile(join(folder.path, 'b.csv'), '');
    const { files, closed } = await listDropped(folder.path);
    expect(names(files)).toEqual(['b.csv']);
    expect(closed).toMatchObject([{ name: 'M\uFFFDrz.csv', code: 'name-not-utf8' }]);
  });

  test('a folder that is not there is not an empty one', async () => {
    await using folder = await newFolder();
    await expect(listDropped(join(folder.path, 'gone'))).rejects.toThrow('ENOENT');
  });

  test('thousands of files are waited for once', async () => {
    await using folder = await newFolder();
    const files = await dropped(
      folder.path,
      Array.from({ length: 2000 }, (_, index) => `${index}.csv`),
    );
    const { world, slept } = await worldAfter(files, 0);
    expect((await awaitSettled(files, 10_000, world)).settled).toHaveLength(2000);
    expect(slept).toHaveLength(1);
  });

  test('a file that was left alone long enough is settled without waiting', async () => {
    await using folder = await newFolder();
    const files = await dropped(folder.path, ['a.csv', 'b.csv']);
    const { world, slept } = await worldAfter(files, 10_001);
    expect(await awaitSettled(files, 10_000, world)).toEqual({ settled: files, settling: [] });
    expect(slept).toEqual([]);
  });

  test("waits once for the rest of a younger file's time", async () => {
    await using folder = await newFolder();
    const files = await dropped(folder.path, ['a.csv']);
    const { world, slept } = await worldAfter(files, 4000);
    expect(names((await awaitSettled(files, 10_000, world)).settled)).toEqual(['a.csv']);
    expect(slept).toHaveLength(1);
    expect(slept[0]).toBeGreaterThanOrEqual(5999);
    expect(slept[0]).toBeLessThanOrEqual(6001);
  });

  test('leaves a file that changes for the next run', async () => {
    await using folder = await newFolder();
    const files = await dropped(folder.path, ['a.csv', 'b.csv']);
    const { world, slept } = await worldAfter(files, 0, () => appendFile(join(folder.path, 'b.csv'), 'more'));
    const { settled, settling } = await awaitSettled(files, 10_000, world);
    expect([names(settled), names(settling), slept.length]).toEqual([['a.csv'], ['b.csv'], 1]);
  });

  test('a copy with an old modification time must still settle', async () => {
    await using folder = await newFolder();
    const files = await dropped(folder.path, ['a.csv']);
    await utimes(join(folder.path, 'a.csv'), 1_000_000_000, 1_000_000_000);
    const { world, slept } = await worldAfter(files, 1000);
    await awaitSettled(files, 10_000, world);
    expect(slept).toHaveLength(1);
  });

  test('waits for a file from the future at most the whole time', async () => {
    await using folder = await newFolder();
    const files = await dropped(folder.path, ['a.csv']);
    await utimes(join(folder.path, 'a.csv'), 4_000_000_000, 4_000_000_000);
    const { world, slept } = await worldAfter(files, -86_400_000);
    await awaitSettled(files, 10_000, world);
    expect(slept).toEqual([10_000]);
  });

  test('a file that somebody took away meanwhile is neither settled nor settling', async () => {
    await using folder = await newFolder();
    const files = await dropped(folder.path, ['a.csv', 'b.csv']);
    const { world } = await worldAfter(files, 0, () => rm(join(folder.path, 'a.csv')));
    const { settled, settling } = await awaitSettled(files, 10_000, world);
    expect([names(settled), names(settling)]).toEqual([['b.csv'], []]);
  });

  test('a run that is asked to stop ends the wait', async () => {
    await using folder = await newFolder();
    const files = await dropped(folder.path, ['a.csv']);
    const { world } = await worldAfter(files, 0);
    const reason = new Error('asked to stop');
    const sleep = (_ms: number, signal?: AbortSignal): Promise<void> => Promise.reject(signal?.reason as Error);
    await expect(awaitSettled(files, 10_000, { ...world, sleep }, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test('an empty inbox is settled at once', async () => {
    const sleep = (): Promise<void> => Promise.reject(new Error('nobody should wait'));
    expect(await awaitSettled([], 10_000, { clock: { now: () => 0 }, sleep })).toEqual({
      settled: [],
      settling: [],
    });
  });
});
