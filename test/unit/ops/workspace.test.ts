import { chmod, mkdtempDisposable, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ensureWorkspace, workspaceAt } from '../../../src/ops/workspace.ts';

const newFolder = () => mkdtempDisposable(join(tmpdir(), 'workspace-'));

describe('ensureWorkspace', () => {
  test('every path is absolute, whatever folder was named', () => {
    const workspace = workspaceAt('.');
    expect(Object.values(workspace).every((path: string) => isAbsolute(path))).toBe(true);
    expect(relative(workspace.root, workspace.env)).toBe('.env');
  });

  test('ensureWorkspace makes missing folders, private ones for their owner', async () => {
    await using folder = await newFolder();
    const workspace = workspaceAt(folder.path);
    await ensureWorkspace(workspace);
    expect((await readdir(folder.path)).toSorted()).toEqual([
      'archive',
      'corrections',
      'deliveries',
      'held',
      'inbox',
      'logs',
      'processing',
      'state',
      'unreadable',
    ]);
    expect((await stat(workspace.state)).mode & 0o777).toBe(0o700);
    expect((await stat(workspace.logs)).mode & 0o777).toBe(0o700);
    await chmod(workspace.logs, 0o750);
    await ensureWorkspace(workspace);
    expect((await stat(workspace.logs)).mode & 0o777).toBe(0o750);
  });

  test('a workspace that does not exist is not made', async () => {
    await using folder = await newFolder();
    await expect(ensureWorkspace(workspaceAt(join(folder.path, 'typo')))).rejects.toMatchObject({
      kind: 'usage',
      code: 'not-a-workspace',
      message: expect.stringContaining('typo '),
      hint: expect.stringContaining('init'),
    });
    expect(await readdir(folder.path)).toEqual([]);
  });

  test('ensureWorkspace names every wrong folder', async () => {
    await using folder = await newFolder();
    const workspace = workspaceAt(folder.path);
    await writeFile(workspace.held, '');
    await symlink(join(folder.path, 'not-mounted'), workspace.inbox);
    await expect(ensureWorkspace(workspace)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/inbox .*exist[^]*held .*folder/),
    });
  });

  test('a folder that may not be written is named', async () => {
    await using folder = await newFolder();
    const workspace = workspaceAt(folder.path);
    // Modes do not bind root, as whom the tests may run: the system's no is given here.
    const mayUse = async (path: string) => {
      if (path === workspace.inbox) throw Object.assign(new Error('permission denied'), { code: 'EACCES' });
    };
    await expect(ensureWorkspace(workspace, mayUse)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/inbox .*writable/),
    });
  });
});
