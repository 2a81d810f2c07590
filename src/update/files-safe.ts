import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isSettledProblem } from '../domain/project.ts';
import { type Parts, sentence } from '../domain/sentences.ts';
import type { Ledger, StoredArtifact } from '../ledger/ledger.ts';
import { checkStoredFiles } from '../ops/stored-files.ts';

function unsafe(code: string, parts?: Parts) {
  return { code, reason: `${sentence(code, parts)} ${sentence('files-unwanted')}` };
}

/**
 * Why a project's files are not yet safe here, or null: once it is received, the service no longer offers them. Records
 * damage, unless in a dry run.
 */
export async function unsafeFilesReason(
  projectId: string,
  { ledger, root }: { ledger: Ledger; root: string },
  dryRun = false,
) {
  const found = await ledger.projectWithDelivery(projectId);
  if (found === null) return unsafe('not-ordered-here');
  const { project, deliveredIn } = found;
  if (project.collectedAt === null || !isSettledProblem(project.problemCode))
    return unsafe('files-missing', { problem: project.problem === null ? '' : ` (${project.problem})` });
  const files = await ledger.filesOf(projectId);
  if (files.length === 0) return unsafe('no-files');
  const noted = dryRun ? { recordOnDisk: async () => {} } : ledger;
  for (const [{ path }, problem] of await checkStoredFiles(files, { root, ledger: noted }))
    return unsafe('file-damaged', { path, problem });
  if (deliveredIn === null || files.some(({ lost }) => lost !== null)) return unsafe('not-delivered');
  const missing = await missingFrom(join(root, deliveredIn), projectId, files);
  return missing === null ? null : unsafe('delivery-damaged', { delivery: deliveredIn, missing });
}

const indexLine = z.object({ files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })) });

async function missingFrom(folder: string, projectId: string, files: readonly StoredArtifact[]) {
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

async function listedIn(path: string, projectId: string) {
  await using index = await open(path, 'r');
  for await (const line of index.readLines())
    if (line.startsWith(`{"projectId":"${projectId}",`))
      return indexLine.parse(JSON.parse(line.replace(/,$/, ''))).files;
  return [];
}
