import { mkdir, mkdtempDisposable, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ensureWorkspace, forgetInbox, inboxProblem, rememberInbox, workspaceAt } from '../../../src/ops/workspace.ts';

const newFolder = () => mkdtempDisposable(join(tmpdir(), 'inbox-on-record-'));

describe('inboxProblem', () => {
  test('a new, emptied or recreated inbox is no problem', async () => {
    await using folder = await newFolder();
    const workspace = workspaceAt(folder.path);
    expect(await inboxProblem(workspace)).toBeNull();
    await ensureWorkspace(workspace);
    await rm(workspace.inbox, { recursive: true });
    await mkdir(workspace.inbox);
    expect(await inboxProblem(workspace)).toBeNull();
  });

  test('a missing inbox is reported and not made until forgotten', async () => {
    await using folder = await newFolder();
    const workspace = workspaceAt(folder.path);
    await ensureWorkspace(workspace);
    await rm(workspace.inbox, { recursive: true });
    await ensureWorkspace(workspace);
    expect(await inboxProblem(workspace)).toMatch(/inbox is gone.*mount it.*init/);
    expect(await readdir(folder.path)).not.toContain('inbox');
    await forgetInbox(workspace);
    await ensureWorkspace(workspace);
    expect(await inboxProblem(workspace)).toBeNull();
    expect(await readdir(folder.path)).toContain('inbox');
  });

  test('an inbox that became read-only is a problem, not a stop', async () => {
    await using folder = await newFolder();
    const workspace = workspaceAt(folder.path);
    await ensureWorkspace(workspace);
    const mayUse = async (path: string) => {
      if (path === workspace.inbox) throw Object.assign(new Error('read-only file system'), { code: 'EROFS' });
    };
    await ensureWorkspace(workspace, mayUse);
    expect(await inboxProblem(workspace, mayUse)).toContain('not writable');
  });

  test('an unmounted inbox is a problem until mounted again', async () => {
    await using folder = await newFolder();
    const workspace = workspaceAt(folder.path);
    await mkdir(workspace.state);
    // Another device that is there on every Linux machine stands for the share.
    const share = '/dev/shm';
    if ((await stat(share).catch(() => null))?.dev === (await stat(folder.path)).dev) return;
    await symlink(share, workspace.inbox);
    await rememberInbox(workspace);
    expect(await inboxProblem(workspace)).toBeNull();
    await rm(workspace.inbox);
    await mkdir(workspace.inbox);
    await ensureWorkspace(workspace);
    expect(await inboxProblem(workspace)).toContain(' mounted ');
    await rm(workspace.inbox, { recursive: true });
    await symlink(share, workspace.inbox);
    expect(await inboxProblem(workspace)).toBeNull();
  });

  test('an unreadable record counts as none', async () => {
    await using folder = await newFolder();
    const workspace = workspaceAt(folder.path);
    await ensureWorkspace(workspace);
    await writeFile(join(workspace.state, 'inbox.json'), '{"mounted":');
    expect(await inboxProblem(workspace)).toBeNull();
  });
});
