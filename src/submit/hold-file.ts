import { rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { moveWithPage } from '../ops/move-with-page.ts';
import { sha256OfFile } from '../ops/atomic-files.ts';
import type { HoldReason } from './hold-limits.ts';
import { approveCommandLine, holdPage } from './hold-page.ts';
import { senderFolder } from './take-in-claim.ts';
import { type ClaimedFile, NO_ROWS, shownAs, type Taken, type TakeInParts } from './take-in-parts.ts';
import type { Snapshot } from './take-in-snapshot.ts';

/**
 * Moves a file that broke a limit to `held/<sender>/`, beside the page of reasons; nothing of it is on record. The same content that
 * waits there already is not put there twice.
 */
export async function holdFile(claimed: ClaimedFile, snapshot: Snapshot, reasons: readonly HoldReason[], { ledger, workspace, log }: TakeInParts): Promise<Taken> {
  const name = shownAs(claimed);
  const before = await ledger.findHeld(snapshot.hash);
  const waiting = before?.heldAs ?? null;
  let heldAs: string;
  if (waiting !== null && (await holdsContent(join(workspace.root, waiting), snapshot.hash))) {
    heldAs = waiting;
    await rm(claimed.path);
  } else {
    const folder = await senderFolder(workspace.held, claimed.sender);
    const pathOf = (placed: string): string => relative(workspace.root, join(folder, placed)).replaceAll('\\', '/');
    const moved = await moveWithPage(claimed.path, folder, claimed.name, (placed) => holdPage({ name, heldAs: pathOf(placed), workspace: workspace.root, reasons }));
    heldAs = pathOf(basename(moved));
  }
  const sentences = reasons.map(({ sentence }) => sentence);
  await ledger.recordHeld({ hash: snapshot.hash, name, heldAs, reasons: sentences });
  log.warn('file held', { limits: reasons.map(({ limit }) => limit).join(' ') });
  const reason = `${sentences.join(' ')} It waits in ${heldAs}: nothing in it was ordered. To let it through: ${approveCommandLine(heldAs, workspace.root)}`;
  return { report: { name, outcome: 'held', rows: NO_ROWS, corrections: null, reason }, repeats: 0 };
}

async function holdsContent(path: string, hash: string): Promise<boolean> {
  return (await sha256OfFile(path).catch(() => '')) === hash;
}
