import { relative } from 'node:path';
import { format } from 'date-fns/format';
import type { FileRecord } from '../ledger/files.ts';
import { moveWithoutOverwriting, sha256OfFile } from '../ops/atomic-files.ts';
import { safeFileName } from '../ops/safe-file-name.ts';
import { dayFolder } from './finish-interrupted.ts';
import { putIntoInbox, senderFolder } from './take-in-claim.ts';
import { type ClaimedFile, NO_ROWS, shownAs, type Taken, type TakeInParts } from './take-in-parts.ts';
import { dropSnapshot, type Snapshot } from './take-in-snapshot.ts';

/**
 * Moves the original into `archive/YYYY/MM/DD/<sender>/`, of today. Where it was written to meanwhile, the snapshot goes there and the
 * file back to the inbox.
 */
export async function archive(claimed: ClaimedFile, snapshot: Snapshot, recorded: FileRecord, parts: TakeInParts): Promise<void> {
  const { ledger, workspace } = parts;
  const unchanged = (await sha256OfFile(claimed.path)) === snapshot.hash;
  const archived = await intoArchive(unchanged ? claimed.path : snapshot.path, claimed, parts);
  await ledger.markArchived(recorded.id, relative(workspace.root, archived).replaceAll('\\', '/'));
  if (unchanged) await dropSnapshot(snapshot);
  else await putIntoInbox(claimed.path, workspace, claimed.sender, claimed.name);
}

/** The same content again: it goes beside the first, and nothing else happens. */
export async function alreadyProcessed(claimed: ClaimedFile, snapshot: Snapshot, known: FileRecord, parts: TakeInParts): Promise<Taken> {
  const { ledger } = parts;
  await dropSnapshot(snapshot);
  await intoArchive(claimed.path, claimed, parts);
  const name = shownAs(claimed);
  await ledger.noteStep('file', String(known.id), 'came again', { name });
  const reason =
    `The same content was taken in on ${format(known.recordedAt, 'yyyy-MM-dd HH:mm')} as ${known.name}: ` +
    `${known.rowsAccepted} rows accepted, ${known.rowsRejected} rejected. Nothing was done again.`;
  return { report: { name, outcome: 'already-processed', rows: NO_ROWS, corrections: await ledger.correctionsOf(known.id), reason }, repeats: 0 };
}

async function intoArchive(path: string, claimed: ClaimedFile, { workspace, clock }: TakeInParts): Promise<string> {
  const folder = await senderFolder(dayFolder(workspace, clock.now()), claimed.sender);
  return moveWithoutOverwriting(path, folder, safeFileName(claimed.name));
}
