import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ExplainedError, messageOf } from '../domain/errors.ts';
import { makeFolder } from './atomic-files.ts';
import { folderMode } from './file-modes.ts';
import { inboxProblem, rememberInbox } from './inbox-on-record.ts';
import { hasCode } from './system-error.ts';

/** Rejects where this user may not read, write and enter a folder; a test gives another answer than the system's. */
type MayUse = (path: string) => Promise<void>;

const systemMayUse: MayUse = (path) => access(path, constants.R_OK | constants.W_OK | constants.X_OK);

/** The absolute paths of a workspace. DESIGN's "Workspace" says what stands in each folder. */
export interface Workspace {
  readonly root: string;
  readonly inbox: string;
  readonly processing: string;
  readonly archive: string;
  readonly corrections: string;
  readonly unreadable: string;
  readonly held: string;
  readonly deliveries: string;
  readonly state: string;
  readonly logs: string;
  /** `config.yaml`, a file that need not exist. */
  readonly config: string;
  /** `.env`, a file that need not exist. */
  readonly env: string;
}

const FOLDERS = ['inbox', 'processing', 'archive', 'corrections', 'unreadable', 'held', 'deliveries', 'state', 'logs'] as const;

/** The workspace in a folder; nothing is read or made. */
export function workspaceAt(dir: string): Workspace {
  const root = resolve(dir);
  return {
    root,
    inbox: join(root, 'inbox'),
    processing: join(root, 'processing'),
    archive: join(root, 'archive'),
    corrections: join(root, 'corrections'),
    unreadable: join(root, 'unreadable'),
    held: join(root, 'held'),
    deliveries: join(root, 'deliveries'),
    state: join(root, 'state'),
    logs: join(root, 'logs'),
    config: join(root, 'config.yaml'),
    env: join(root, '.env'),
  };
}

/**
 * Makes the folders that are missing; those that exist keep their modes. The workspace's own folder must exist: a typing error
 * must not start an empty workspace; nor is an inbox made again that was there before and is away (`inboxProblem`). Throws ExplainedError
 * (exit code 2) that names every folder that is wrong.
 */
export async function ensureWorkspace(workspace: Workspace, mayUse: MayUse = systemMayUse): Promise<void> {
  const rootProblem = await problemOf(workspace.root, mayUse);
  if (rootProblem !== null) {
    throw new ExplainedError(`The workspace ${rootProblem}.`, {
      exitCode: 2,
      hint: 'Name the right folder with --workspace, or lay out a new one with `inspection-batch init <folder>`.',
    });
  }
  const problems: string[] = [];
  const isInboxAway = (await inboxProblem(workspace)) !== null;
  for (const name of FOLDERS) {
    if (name === 'inbox' && isInboxAway) continue;
    const problem = await makeUsable(workspace[name], mayUse);
    if (problem !== null) problems.push(problem);
  }
  if (problems.length > 0) {
    throw new ExplainedError(`These folders of the workspace cannot be used:\n${problems.map((line) => `  ${line}`).join('\n')}`, {
      exitCode: 2,
      hint: 'Make them folders that the user who runs this may read and write.',
    });
  }
  if (!isInboxAway) await rememberInbox(workspace);
}

async function makeUsable(path: string, mayUse: MayUse): Promise<string | null> {
  try {
    await makeFolder(path, folderMode());
  } catch (thrown) {
    if (!hasCode(thrown, 'EEXIST')) return `${path} cannot be made: ${messageOf(thrown)}`;
  }
  return problemOf(path, mayUse);
}

/** What is wrong with a folder that should be readable and writable, or null. */
async function problemOf(path: string, mayUse: MayUse): Promise<string | null> {
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
