import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { holdsNothingUp } from '../domain/project.ts';
import type { StoredArtifact } from '../ledger/artifacts.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { checkStoredFiles } from '../ops/stored-files.ts';

const SAY_WITHOUT_FILES = 'Where its files are not wanted, say --without-files.';

/**
 * Why the files of a project, or the delivery that holds them, are not safe on disk: then it must not be received, since the service
 * offers them no longer afterwards (DESIGN: promise 3). Null where they are. What is found to be damaged goes on record, unless in a dry run.
 */
export async function whyFilesAreNotSafe(
  projectId: string,
  { ledger, root }: { readonly ledger: Ledger; readonly root: string },
  dryRun = false,
): Promise<string | null> {
  const found = await ledger.projectWithDelivery(projectId);
  if (found === null) return `No order on record has it, so none of its files are here. ${SAY_WITHOUT_FILES}`;
  const { project, deliveredIn } = found;
  if (project.collectedAt === null || !holdsNothingUp(project.problem)) {
    return `Its files are not all here${project.problem === null ? '' : ` (${project.problem})`}. Run \`inspection-batch collect\` first. ${SAY_WITHOUT_FILES}`;
  }
  const files = await ledger.filesOf(projectId);
  if (files.length === 0) return `No file of it is here. ${SAY_WITHOUT_FILES}`;
  const noted = dryRun ? { recordOnDisk: async () => {} } : ledger;
  for (const [{ path }, problem] of await checkStoredFiles(files, { root, ledger: noted }))
    return `Its file ${path} ${problem}. \`inspection-batch collect\` fetches it again. ${SAY_WITHOUT_FILES}`;
  if (deliveredIn === null || files.some(({ lost }) => lost !== null))
    return `No delivery holds it as it stands. Run \`inspection-batch collect\` first. ${SAY_WITHOUT_FILES}`;
  const missing = await missingFrom(join(root, deliveredIn), projectId, files);
  return missing === null
    ? null
    : `The delivery that held it, ${deliveredIn}, is not whole any more: ${missing}. \`inspection-batch collect --all\` writes another. ${SAY_WITHOUT_FILES}`;
}

/** What is read of a project's line in `index.json` (deliver/ writes it). */
const indexLine = z.object({ files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })) });

/** What a delivery lacks of these files of a project, by its own index: each must lie there in its full size. Null where it lacks nothing. */
async function missingFrom(
  folder: string,
  projectId: string,
  files: readonly StoredArtifact[],
): Promise<string | null> {
  const listed = await listedIn(join(folder, 'index.json'), projectId).catch(() => []);
  const lacks = files.find(({ sha256 }) => !listed.some((file) => file.sha256 === sha256));
  if (lacks !== undefined) return `its index.json is missing, or does not list ${lacks.kind} ${lacks.serviceId}`;
  for (const { path, bytes } of listed) {
    const there = await stat(join(folder, path)).catch(() => null);
    if (there === null) return `${path} is missing`;
    if (there.size !== bytes) return `${path} has ${there.size} bytes instead of ${bytes}`;
  }
  return null;
}

/** The index can be long, and has a project a line. Throws where it cannot be read. */
async function listedIn(path: string, projectId: string): Promise<z.output<typeof indexLine>['files']> {
  await using index = await open(path, 'r');
  for await (const line of index.readLines())
    if (line.startsWith(`{"projectId":"${projectId}",`))
      return indexLine.parse(JSON.parse(line.replace(/,$/, ''))).files;
  return [];
}
