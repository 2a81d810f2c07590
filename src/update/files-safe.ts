import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { holdsNothingUp } from '../domain/project-status.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { checkStoredFiles } from '../ops/stored-files.ts';

/**
 * Why the files of a project, or the delivery that holds them, are not safe on disk: then it must not be received, since the service
 * offers them no longer afterwards (DESIGN: promise 3). Null where they are.
 */
export async function whyFilesAreNotSafe(projectId: string, { ledger, root }: { readonly ledger: Ledger; readonly root: string }): Promise<string | null> {
  const found = await ledger.projectWithDelivery(projectId);
  if (found === null) return `No order on record has it, so none of its files are here. ${SAY_SO}`;
  const { project, deliveredIn } = found;
  if (project.collectedAt === null || !holdsNothingUp(project.problem)) {
    return `Its files are not all here${project.problem === null ? '' : ` (${project.problem})`}. Run \`inspection-batch collect\` first. ${SAY_SO}`;
  }
  const files = await ledger.filesOf(projectId);
  if (files.length === 0) return `No file of it is here. ${SAY_SO}`;
  for (const [{ path }, problem] of await checkStoredFiles(files, { root, ledger })) return `Its file ${path} ${problem}. \`inspection-batch collect\` fetches it again. ${SAY_SO}`;
  if (deliveredIn === null || files.some(({ lost }) => lost !== null)) return `No delivery holds it as it stands. Run \`inspection-batch collect\` first. ${SAY_SO}`;
  if ((await readdir(join(root, deliveredIn)).catch(() => [])).length === 0) {
    return `The delivery that holds it, ${deliveredIn}, is not there any more. \`inspection-batch collect --all\` writes another. ${SAY_SO}`;
  }
  return null;
}

const SAY_SO = 'Where its files are not wanted, say --without-files.';
