import { readdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type DroppedFile, listDropped } from '../ops/inbox.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { sha256OfFile } from '../ops/atomic-files.ts';
import type { Workspace } from '../ops/workspace.ts';
import { APPROVAL_ENDING } from './hold-page.ts';
import { claim, containingFaults, putIntoInbox, senderOf } from './take-in-claim.ts';
import { type ClaimedFile, shownAs, type Taken } from './take-in-parts.ts';

/** A file in `held/`. */
export interface WaitingFile extends ClaimedFile, DroppedFile {
  /** Its path relative to the workspace. */
  readonly heldAs: string;
}

/** The files that wait in `held/`, without the pages beside them and the approvals. */
export async function waitingFiles({ root, held }: Workspace): Promise<readonly WaitingFile[]> {
  const { files } = await listDropped(held);
  const paths = new Set(files.map(({ path }) => path));
  // A text file may be a held file or the page of one: the held one has a page of its own.
  const isHeld = ({ path, name }: (typeof files)[number]): boolean => !isApproval(name) && (!name.toLowerCase().endsWith('.txt') || paths.has(`${path}.txt`));
  return files.filter(isHeld).map((file) => ({ ...file, sender: senderOf(file.folder), heldAs: relative(root, file.path).replaceAll('\\', '/') }));
}

/** Puts on record that a person lets a held file through, as it is now. Returns the hash that the approval is bound to. */
export async function approve(file: WaitingFile, ledger: Ledger): Promise<string> {
  const hash = await sha256OfFile(file.path);
  await ledger.approveContent(hash, shownAs(file));
  return hash;
}

/** Moves a held file back to the inbox and takes its page away. Returns its new path. */
export async function backToInbox(file: WaitingFile, workspace: Workspace): Promise<string> {
  const moved = await putIntoInbox(file.path, workspace, file.sender, file.name);
  await clearBeside(file);
  return moved;
}

async function clearBeside(file: WaitingFile): Promise<void> {
  for (const beside of [`${file.path}.txt`, ...approvalsOf(file)]) await rm(beside, { force: true });
}

/**
 * Moves every held file that a person lets through to `processing/`: on record, by `approve`, or by a `<name>.approve` beside it. What is
 * there is judged by its content once more when it is taken in.
 */
export async function releaseApproved({ ledger, workspace }: { readonly ledger: Ledger; readonly workspace: Workspace }): Promise<readonly Taken[]> {
  const kept: Taken[] = [];
  for (const file of await waitingFiles(workspace)) {
    const left = await containingFaults(shownAs(file), async () => {
      if (await hasApprovalBeside(file)) {
        await approve(file, ledger);
        for (const path of approvalsOf(file)) await rm(path, { force: true });
      }
      const known = await ledger.findHeld(await sha256OfFile(file.path));
      if (known === null || known.approvedAt === null) return null;
      if ((await claim(file, workspace)) !== null) await clearBeside(file);
      return null;
    });
    if (left !== null) kept.push(left);
  }
  await removeStaleApprovals(workspace);
  return kept;
}

/** Editors that know nothing of such an ending add their own. */
function approvalsOf({ path }: WaitingFile): readonly string[] {
  return [`${path}${APPROVAL_ENDING}`, `${path}${APPROVAL_ENDING}.txt`];
}

function isApproval(name: string): boolean {
  return name.endsWith(APPROVAL_ENDING) || name.endsWith(`${APPROVAL_ENDING}.txt`);
}

async function hasApprovalBeside(file: WaitingFile): Promise<boolean> {
  const beside = new Set(await readdir(dirname(file.path)));
  return approvalsOf(file).some((path) => beside.has(path.slice(dirname(path).length + 1)));
}

/** One whose file is gone must not let another of that name through some day. */
async function removeStaleApprovals({ held }: Workspace): Promise<void> {
  const { files } = await listDropped(held);
  const paths = new Set(files.map(({ path }) => path));
  for (const { path, name } of files) {
    if (!isApproval(name)) continue;
    const about = join(dirname(path), name.replace(/\.approve(\.txt)?$/, ''));
    if (!paths.has(about)) await rm(path, { force: true });
  }
}
