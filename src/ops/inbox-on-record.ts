import { readFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../domain/errors.ts';
import { writeFileDurably } from './atomic-files.ts';
import { hasCode } from './system-error.ts';
import type { Workspace } from './workspace.ts';

// The inbox is often a network share. Where it is not mounted, an empty folder stands in its place, and "nothing to do" would be a lie.

/** What is remembered of the inbox: a folder of the workspace's own disk, or one that is mounted from elsewhere. */
const inboxOnRecord = z.object({ mounted: z.boolean() });

type InboxOnRecord = z.infer<typeof inboxOnRecord>;

/**
 * Why the inbox is not the folder it was, in a sentence; null where all is well. A mounted inbox that is a plain folder now is not mounted;
 * one that was there and is gone is not made again, since that may be the place that a share is mounted on.
 */
export async function inboxProblem(workspace: Workspace): Promise<string | null> {
  const before = await inboxBefore(workspace);
  if (before === null) return null;
  try {
    const now = await lookAtInbox(workspace);
    // A share that can be reached can be listed; one whose server is gone may still have a folder.
    await readdir(workspace.inbox);
    return before.mounted && !now.mounted ? `The inbox ${workspace.inbox} was a mounted folder, and now it is an empty place on this machine's own disk. ${NEXT_STEP}` : null;
  } catch (failure) {
    // A folder that may not be used, or is none, is told with the other folders of the workspace.
    if (hasCode(failure, 'EACCES', 'EPERM', 'ENOTDIR')) return null;
    if (hasCode(failure, 'ENOENT')) return `The inbox ${workspace.inbox} is gone. ${NEXT_STEP}`;
    return `The inbox ${workspace.inbox} cannot be listed (${messageOf(failure)}). ${NEXT_STEP}`;
  }
}

const NEXT_STEP = 'Nothing was taken from it. If it is a share, mount it and run again; if it moved on purpose, `inspection-batch init` makes and remembers it anew.';

/** Remembers what the inbox is now. Only where `inboxProblem` knows of none. */
export async function rememberInbox(workspace: Workspace): Promise<void> {
  const now = await lookAtInbox(workspace);
  const before = await inboxBefore(workspace);
  if (before?.mounted !== now.mounted) await writeFileDurably(recordAt(workspace), `${JSON.stringify(now)}\n`);
}

/** What `init` does: the inbox may be another one from now on. */
export async function forgetInbox(workspace: Workspace): Promise<void> {
  await rm(recordAt(workspace), { force: true });
}

async function inboxBefore(workspace: Workspace): Promise<InboxOnRecord | null> {
  try {
    const parsed = inboxOnRecord.safeParse(JSON.parse(await readFile(recordAt(workspace), 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    // Not there, or not to be read: what is wrong with state/ is told elsewhere.
    return null;
  }
}

async function lookAtInbox({ root, inbox }: Workspace): Promise<InboxOnRecord> {
  const [own, theirs] = await Promise.all([stat(root), stat(inbox)]);
  if (!theirs.isDirectory()) throw Object.assign(new Error(`${inbox} is not a folder`), { code: 'ENOTDIR' });
  return { mounted: own.dev !== theirs.dev };
}

function recordAt({ state }: Workspace): string {
  return join(state, 'inbox.json');
}
