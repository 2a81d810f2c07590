import { relative, resolve } from 'node:path';
import { usageError } from '../domain/errors.ts';
import { openSqliteLedger } from '../ledger/open-ledger.ts';
import { systemClock } from '../ops/system.ts';
import { inboxProblem, type Workspace, workspaceAt } from '../ops/workspace.ts';
import { accountOfCurrentLedger, ledgerPathOf } from '../recover/guarded-ledger.ts';
import { shownAs } from '../submit/file-moves.ts';
import { approve, backToInbox, type WaitingFile, waitingFiles } from '../submit/hold.ts';
import { type CommandResult, done } from './exit-codes.ts';

/**
 * Lets a held file through: the approval goes on record with the file's hash, and the file back to the inbox, where the next run takes it
 * in. A run may be going on meanwhile. Throws ExplainedError (2) where no file, or more than one, answers to the name.
 */
export async function approveCommand(file: string, workspaceDir: string): Promise<CommandResult> {
  const workspace = workspaceAt(workspaceDir);
  const held = await heldFileNamed(file, workspace);
  const account = await accountOfCurrentLedger(workspace);
  if (account === null) throw usageError('Nothing is on record here yet, so nothing is held.', 'Name the workspace with --workspace.');
  await using ledger = openSqliteLedger(ledgerPathOf(workspace), { clock: systemClock, account });
  await approve(held, ledger);
  const away = await inboxProblem(workspace);
  const moved = away === null ? await backToInbox(held, workspace) : held.path;
  const movedTo = relative(workspace.root, moved).replaceAll('\\', '/');
  const where = away === null ? `It is in ${movedTo} again` : `It stays in held/ until then, since the inbox is away`;
  const text = `${shownAs(held)} is approved as it is now. ${where}; the next run takes it in. If it is changed before that, it is judged again.`;
  return done(text, { file: shownAs(held), movedTo });
}

/** Found by its name, with or without its sender, or by its path from here or from the workspace. */
async function heldFileNamed(text: string, workspace: Workspace): Promise<WaitingFile> {
  const waiting = await waitingFiles(workspace).catch(() => []);
  const byPath = waiting.filter(({ path }) => path === resolve(text) || path === resolve(workspace.root, text));
  const byName = waiting.filter((file) => shownAs(file) === text || file.name === text);
  const found = byPath.length > 0 ? byPath : byName;
  const [file] = found;
  if (found.length > 1) throw usageError(`More than one held file is named ${text}: ${found.map(({ heldAs }) => heldAs).join(', ')}.`, 'Name one of these paths.');
  if (file !== undefined) return file;
  const others = waiting.length === 0 ? 'No file is held.' : `Held are: ${waiting.map(({ heldAs }) => heldAs).join(', ')}.`;
  throw usageError(`No held file is named ${text}.`, others);
}
