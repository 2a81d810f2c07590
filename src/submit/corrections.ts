import { rm } from 'node:fs/promises';
import { dirname, join, parse, relative } from 'node:path';
import type { Problem } from '../domain/row.ts';
import type { FileDesk } from '../intake/read-orders.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { FileRecord } from '../ledger/files.ts';
import type { StoredRow } from '../ledger/rows.ts';
import { makeFolder, moveWithoutOverwriting } from '../ops/durable-files.ts';
import { ProcessEnded } from '../ops/guarded-process.ts';
import { safeFileName } from '../ops/safe-file-name.ts';
import type { Workspace } from '../ops/workspace.ts';
import { senderFolder } from './file-moves.ts';

/** What corrections workbooks are made with. */
export interface CorrectionsContext {
  readonly ledger: Ledger;
  readonly workspace: Workspace;
  readonly files: FileDesk;
}

/**
 * Writes the corrections workbook of every file that has rows to give back, and none yet for them. Gives the faults of the program over
 * single files, which hold up no other.
 */
export async function writeAllPendingCorrections(context: CorrectionsContext): Promise<readonly unknown[]> {
  const faults: unknown[] = [];
  for (const file of await context.ledger.filesToCorrect()) {
    try {
      await writePendingCorrections(context, file);
    } catch (failure) {
      if (!(failure instanceof ProcessEnded)) throw failure;
      faults.push(failure);
    }
  }
  return faults;
}

/**
 * Writes the workbook with a file's rows that went back: its rejections, and the rows of orders that the service refused, with its
 * words. Does nothing where there are none. After a crash it is written again: better twice than never.
 */
export async function writePendingCorrections(context: CorrectionsContext, file: FileRecord): Promise<void> {
  const { ledger, workspace, files } = context;
  const ids: number[] = [];
  let refusals = 0;
  for await (const row of ledger.rowsToCorrect(file.id)) {
    ids.push(row.id);
    if (row.refusal !== null) refusals += 1;
  }
  if (ids.length === 0) return;
  const building = join(workspace.state, 'corrections', `${file.hash}.xlsx`);
  await makeFolder(dirname(building));
  await files.writeCorrections(building, { file: { name: file.name, hash: file.hash }, layouts: file.layouts, rows: () => problemsOf(ledger.rowsToCorrect(file.id)) }, ids.length);
  const name = `${safeFileName(parse(file.name).name)} - ${refusals === ids.length ? 'refused' : 'to fix'}.xlsx`;
  const written = await moveWithoutOverwriting(building, await senderFolder(workspace.corrections, file.sender), name);
  await ledger.markCorrected(file.id, ids, relative(workspace.root, written).replaceAll('\\', '/'));
  await rm(building, { force: true });
}

async function* problemsOf(rows: AsyncIterable<StoredRow & { readonly refusal: string | null }>) {
  for await (const { record, problems, repairs, refusal } of rows) {
    yield { record, repairs, problems: refusal === null ? problems : [refusalProblem(refusal), ...problems] };
  }
}

function refusalProblem(refusal: string): Problem {
  return {
    severity: 'error',
    rule: 'refused-by-the-service',
    field: null,
    column: null,
    cell: null,
    value: '',
    message: `The service refused this order: ${refusal}`,
  };
}
