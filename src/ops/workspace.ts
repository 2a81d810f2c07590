import { constants, existsSync } from 'node:fs';
import { access, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { messageOf, hasCode, usageErrorOf } from '../domain/errors.ts';
import { sentence } from '../domain/sentences.ts';
import { folderMode, makeFolder, writeDurably } from './durable-files.ts';
import { parsedOrNull } from './system.ts';

const systemMayUse = (path: string) => access(path, constants.R_OK | constants.W_OK | constants.X_OK);
type MayUse = typeof systemMayUse;

export const FOLDERS = [
  'inbox',
  'processing',
  'archive',
  'corrections',
  'unreadable',
  'held',
  'deliveries',
  'state',
  'logs',
] as const;

export type Workspace = Readonly<Record<(typeof FOLDERS)[number] | 'receipts' | 'root' | 'config' | 'env', string>>;

export function workspaceAt(dir: string) {
  const root = resolve(dir);
  const folders = [...FOLDERS, 'receipts'].map((name) => [name, join(root, name)]);
  const files = { root, config: join(root, 'config.yaml'), env: join(root, '.env') };
  return { ...Object.fromEntries(folders), ...files } as Workspace;
}

export function isWorkspace({ inbox, config }: Workspace) {
  return existsSync(inbox) || existsSync(config);
}

export function nothingOnRecord(workspace: Workspace) {
  return isWorkspace(workspace)
    ? usageErrorOf('nothing-on-record')
    : usageErrorOf('not-a-workspace', { root: workspace.root });
}

/**
 * Existing folders keep their modes. The workspace's own folder must exist, in case of a typo. A missing inbox that
 * existed before is not made again (`inboxProblem`). Throws ExplainedError (`usage`) that names every wrong folder.
 */
export async function ensureWorkspace(workspace: Workspace, mayUse = systemMayUse) {
  const rootProblem = await problemOf(workspace.root, mayUse);
  if (rootProblem !== null) throw usageErrorOf('not-a-workspace/unusable', { rootProblem });
  const problems = [];
  const isInboxAway = (await inboxProblem(workspace, mayUse)) !== null;
  for (const name of FOLDERS) {
    if (name === 'inbox' && isInboxAway) continue;
    const problem = await makeUsable(workspace[name], mayUse);
    if (problem !== null) problems.push(`\n  ${problem}`);
  }
  if (problems.length > 0) throw usageErrorOf('folders-not-usable/several', { problems: problems.join('') });
  if (!isInboxAway) await rememberInbox(workspace);
}

async function makeUsable(path: string, mayUse: MayUse) {
  try {
    await makeFolder(path, folderMode());
  } catch (thrown) {
    if (!hasCode(thrown, 'EEXIST')) return `${path} cannot be made: ${messageOf(thrown)}`;
  }
  return problemOf(path, mayUse);
}

async function problemOf(path: string, mayUse: MayUse) {
  try {
    if (!(await stat(path)).isDirectory()) return `${path} is not a folder`;
    await mayUse(path);
    return null;
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT')) return `${path} does not exist`;
    if (hasCode(thrown, 'EACCES', 'EPERM', 'EROFS')) return `${path} is not writable`;
    return `${path} cannot be used: ${messageOf(thrown)}`;
  }
}

// Often a network share. If it is not mounted, there is an empty folder instead, and "nothing to do" would be wrong.

const inboxOnRecord = z.object({ mounted: z.boolean() });

/**
 * Null if it is the same folder as before and writable. A former share that is a plain folder now is not mounted; a missing inbox is
 * not made again.
 */
export async function inboxProblem(workspace: Workspace, mayUse = systemMayUse) {
  const before = await inboxBefore(workspace);
  if (before === null) return null;
  const away = (code: string, message = '') =>
    `${sentence(code, { inbox: workspace.inbox, message })} ${sentence('inbox-away/hint')}`;
  try {
    const now = await lookAtInbox(workspace);
    await readdir(workspace.inbox);
    await mayUse(workspace.inbox);
    return before.mounted && !now.mounted ? away('inbox-away/unmounted') : null;
  } catch (failure) {
    if (hasCode(failure, 'ENOTDIR')) return null;
    if (hasCode(failure, 'EACCES', 'EPERM', 'EROFS')) return away('inbox-away/not-writable');
    if (hasCode(failure, 'ENOENT')) return away('inbox-away/gone');
    return away('inbox-away/not-listed', messageOf(failure));
  }
}

/** Call only if `inboxProblem` returns null. */
export async function rememberInbox(workspace: Workspace) {
  const now = await lookAtInbox(workspace);
  const before = await inboxBefore(workspace);
  if (before?.mounted !== now.mounted) await writeDurably(recordAt(workspace), `${JSON.stringify(now)}\n`);
}

/** The inbox may be another folder from now on. */
export async function forgetInbox(workspace: Workspace) {
  await rm(recordAt(workspace), { force: true });
}

async function inboxBefore(workspace: Workspace) {
  return parsedOrNull(inboxOnRecord, await readFile(recordAt(workspace), 'utf8').catch(() => ''));
}

async function lookAtInbox({ root, inbox }: Workspace) {
  const [own, theirs] = await Promise.all([stat(root), stat(inbox)]);
  if (!theirs.isDirectory()) throw Object.assign(new Error(`${inbox} is not a folder`), { code: 'ENOTDIR' });
  return { mounted: own.dev !== theirs.dev };
}

function recordAt({ state }: Workspace) {
  return join(state, 'inbox.json');
}
