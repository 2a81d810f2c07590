import { stat } from 'node:fs/promises';
import { moveWithPage } from '../ops/move-with-page.ts';
import { senderFolder } from './take-in-claim.ts';
import { type ClaimedFile, NO_ROWS, shownAs, type Taken, type TakeInParts } from './take-in-parts.ts';

/** Moves a file that cannot be read to `unreadable/<sender>/`, beside a page that says why. */
export async function setAside(claimed: ClaimedFile, reason: string, { ledger, workspace, log }: TakeInParts): Promise<Taken> {
  const { size } = await stat(claimed.path);
  const name = shownAs(claimed);
  await ledger.addNews('file-unreadable', name);
  await moveWithPage(claimed.path, await senderFolder(workspace.unreadable, claimed.sender), claimed.name, () => {
    return `${name} could not be read, and nothing in it was ordered.\n\n${reason}\n`;
  });
  log.warn('file unreadable', { bytes: size });
  return { report: { name, outcome: 'unreadable', rows: NO_ROWS, corrections: null, reason }, repeats: 0 };
}
