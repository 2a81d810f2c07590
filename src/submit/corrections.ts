import { mkdir, rm } from 'node:fs/promises';
import { join, parse, relative } from 'node:path';
import type { Problem } from '../domain/row.ts';
import { writeCorrectionsWorkbook } from '../intake/corrections.ts';
import type { FileRecord, Ledger, StoredRow } from '../ledger/ledger.ts';
import { moveWithoutOverwriting } from '../ops/atomic-files.ts';
import { safeFileName } from '../ops/safe-file-name.ts';
import type { Workspace } from '../ops/workspace.ts';
import { senderFolder } from './take-in-claim.ts';

/** Writes the corrections workbook of every file that has rows to give back, and none yet for them. */
export async function writeAllPendingCorrections(parts: { readonly ledger: Ledger; readonly workspace: Workspace }): Promise<void> {
  for (const file of await parts.ledger.filesToCorrect()) await writePendingCorrections(parts, file);
}

/**
 * Writes the workbook with a file's rows that went back: its rejections, and the rows of orders that the service refused, with its
 * words. Does nothing where there are none. After a crash it is written again: better twice than never.
 */
export async function writePendingCorrections(parts: { readonly ledger: Ledger; readonly workspace: Workspace }, file: FileRecord): Promise<void> {
  const { ledger, workspace } = parts;
  const ids: number[] = [];
  let refusals = 0;
  for await (const row of ledger.rowsToCorrect(file.id)) {
    ids.push(row.id);
    if (row.refusal !== null) refusals += 1;
  }
  if (ids.length === 0) return;
  const building = join(workspace.state, 'corrections', `${file.hash}.xlsx`);
  await mkdir(join(workspace.state, 'corrections'), { recursive: true });
  await writeCorrectionsWorkbook(building, { file: { name: file.name, hash: file.hash }, layouts: file.layouts, rows: () => problemsOf(ledger.rowsToCorrect(file.id)) });
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
