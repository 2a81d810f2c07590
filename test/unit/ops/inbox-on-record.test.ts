import { mkdir, mkdtempDisposable, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureWorkspace, forgetInbox, inboxProblem, rememberInbox, workspaceAt } from '../../../src/ops/workspace.ts';

const newFolder = () => mkdtempDisposable(join(tmpdir(), 'inbox-on-record-'));

test('an inbox that was never seen is no problem, nor is one of the same disk that was emptied or made anew', async () => {
  await using folder = await newFolder();
  const workspace = workspaceAt(folder.path);
  expect(await inboxProblem(workspace)).toBeNull();
  await ensureWorkspace(workspace);
  await rm(workspace.inbox, { recursive: true });
  await mkdir(workspace.inbox);
  expect(await inboxProblem(workspace)).toBeNull();
});

test('one that was there and is gone is told and not made again, until `init` forgets it', async () => {
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

test('a mounted inbox is told from the bare folder that it is mounted on, and comes back by itself', async () => {
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

test('a record that is no record is as good as none', async () => {
  await using folder = await newFolder();
  const workspace = workspaceAt(folder.path);
  await ensureWorkspace(workspace);
  await writeFile(join(workspace.state, 'inbox.json'), '{"mounted":');
  expect(await inboxProblem(workspace)).toBeNull();
});
