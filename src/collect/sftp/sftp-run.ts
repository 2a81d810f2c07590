import { hash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type ReportSummary, summariesIn } from '../../contract/document.ts';
import { messageOf } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { codeOf, type Parts, sentence } from '../../domain/sentences.ts';
import { isSettledProblem } from '../../domain/project.ts';
import { makeFolder } from '../../ops/durable-files.ts';
import type { SftpTarget } from '../../ops/environment.ts';
import { checkStoredFiles, wereAllHere } from '../../ops/stored-files.ts';
import type { CollectContext } from '../collect-plan.ts';
import { ProjectFiles, storeFile, transferProblem } from '../project-files.ts';
import { type RemoteFile, RemoteFolder, SftpUnavailable, SftpRefused } from './remote-folder.ts';

const SUMMARY_BYTES_MAX = 32 * 1024 * 1024;

export interface SftpContext extends Pick<
  CollectContext,
  'ledger' | 'clock' | 'sleep' | 'log' | 'signal' | 'root' | 'store'
> {
  readonly settleMs: number;
}

export type SftpIntake = Readonly<{
  taken: SftpTaken;
  stopped: string | null;
}>;

export async function takeInFromSftp(target: SftpTarget, context: SftpContext) {
  try {
    await using folder = await RemoteFolder.open(target, context.signal);
    return { taken: await takeInSftp(folder, context), stopped: null };
  } catch (failure) {
    return { taken: { sets: [], left: [], stored: 0 }, stopped: reasonOf(failure, context) };
  }
}

/**
 * Call only after the delivery is published: for the service, the files are then received. Returns why it failed, or
 * null.
 */
export async function clearSftp(
  { taken: { sets } }: SftpIntake,
  target: SftpTarget,
  context: ClearContext & Pick<SftpContext, 'signal'>,
) {
  if (sets.length === 0) return null;
  try {
    await using folder = await RemoteFolder.open(target, context.signal);
    context.log.info('SFTP folder cleared', { files: await removeTaken(sets, folder, context) });
    return null;
  } catch (failure) {
    return reasonOf(failure, context);
  }
}

function reasonOf(failure: unknown, { log, signal }: Pick<SftpContext, 'log' | 'signal'>) {
  const wasStopped = signal.aborted && failure === signal.reason;
  if (!wasStopped && !(failure instanceof SftpUnavailable)) throw failure;
  log.warn('SFTP intake stopped', { reason: messageOf(failure) });
  return messageOf(failure);
}

/** Their copies on the server may be removed once a delivery holds them. */
type TakenSet = Readonly<{
  projectId: string;
  /** The report first: a summary alone is still recognized. */
  files: readonly RemoteFile[];
}>;

export type SftpTaken = Readonly<Awaited<ReturnType<typeof takeInSftp>>>;

class NotTaken extends Error {
  readonly code: string;

  constructor(code: string, parts?: Parts) {
    super(sentence(code, parts));
    this.code = codeOf(code);
  }
}

/** Stores and records the files, and leaves the folder unchanged. Throws SftpUnavailable. */
export async function takeInSftp(folder: RemoteFolder, context: SftpContext) {
  const { settled, left } = await settledFiles(folder, context);
  const stems = new Map<string, { readonly projectId: string; report?: RemoteFile; summary?: RemoteFile }>();
  for (const file of settled) {
    const name = parseDeliveredName(file.name);
    if (name === null) {
      if (!file.name.startsWith('.')) left.push(leftAlone(file, 'name-unknown'));
      continue;
    }
    const set = stems.get(name.stem) ?? { projectId: name.projectId };
    set[name.kind] = file;
    stems.set(name.stem, set);
  }
  const sets = [];
  let stored = 0;
  await makeFolder(context.store);
  for (const { projectId, report, summary } of stems.values()) {
    if (context.signal.aborted) break;
    const files = [report, summary].filter((file) => file !== undefined);
    try {
      stored += await takeSet(projectId, { report, summary }, folder, context);
      sets.push({ projectId, files });
    } catch (failure) {
      if (!(failure instanceof NotTaken)) throw failure;
      const { code, message: why } = failure;
      context.log.warn('left in the SFTP folder', { project: projectId, code, reason: why });
      left.push(...files.map(({ name }) => ({ name, code, why })));
    }
  }
  return { sets, left, stored };
}

async function settledFiles(folder: RemoteFolder, { sleep, settleMs, signal }: SftpContext) {
  const before = new Map((await folder.files()).map((file) => [file.name, file]));
  if (before.size === 0) return { settled: [], left: [] };
  await sleep(settleMs, signal);
  const settled = [];
  const left = [];
  for (const file of await folder.files()) {
    if (isSame(file, before.get(file.name))) settled.push(file);
    else left.push(leftAlone(file, 'still-written'));
  }
  return { settled, left };
}

function leftAlone({ name }: RemoteFile, code: string) {
  return { name, code, why: sentence(code) };
}

function isSame(one: RemoteFile, other: RemoteFile | null | undefined) {
  return one.bytes === other?.bytes && one.changedAt === other.changedAt;
}

/** Throws NotTaken unless all are stored. */
async function takeSet(
  projectId: string,
  { report, summary }: Readonly<Record<'report' | 'summary', RemoteFile | undefined>>,
  folder: RemoteFolder,
  context: SftpContext,
) {
  const project = (await context.ledger.projectWithDelivery(projectId))?.project;
  if (project === undefined) throw new NotTaken('project-not-on-record/sftp', { projectId });
  const projectFiles = await ProjectFiles.open(project, context);
  try {
    const found = summary === undefined ? null : await takeSummary(summary, projectId, projectFiles, folder, context);
    const isNew =
      report !== undefined && (await takeReport(report, found?.report ?? null, projectFiles, folder, context));
    if (report === undefined && (found === null || !projectFiles.hasReport(found.report.id)))
      throw new NotTaken('report-missing');
    return Number(found?.isNew === true) + Number(isNew);
  } finally {
    await projectFiles.flush();
  }
}

async function takeSummary(
  file: RemoteFile,
  projectId: string,
  projectFiles: ProjectFiles,
  folder: RemoteFolder,
  { clock }: SftpContext,
) {
  const content = await contentOf(file, folder, clock);
  const report = summariesIn(content.toString('utf8'))?.[0];
  if (report === undefined) throw new NotTaken('summary-not-readable');
  if (!isAbout(report, projectId)) throw new NotTaken('other-project', { projectId });
  const isNew = !projectFiles.hasContent('summary', hash('sha256', content), report.id);
  if (isNew) await projectFiles.keepSummary(report.id, report.type ?? '', content, null);
  return { report, isNew };
}

async function contentOf(file: RemoteFile, folder: RemoteFolder, clock: Clock) {
  if (file.bytes > SUMMARY_BYTES_MAX) throw new NotTaken('summary-too-long', { bytes: file.bytes });
  const began = clock.now();
  const pieces = [];
  let bytes = 0;
  try {
    for await (const piece of folder.read(file) as AsyncIterable<Buffer>) {
      pieces.push(piece);
      bytes += piece.length;
      const problem = transferProblem(bytes, clock.now() - began);
      if (problem !== null) throw new NotTaken('transfer-given-up', { problem });
    }
  } catch (failure) {
    if (failure instanceof SftpUnavailable) throw failure;
    throw new NotTaken('not-readable', { failure: messageOf(failure) });
  }
  if (bytes !== file.bytes) throw new NotTaken('incomplete/length', { bytes, all: file.bytes });
  return Buffer.concat(pieces);
}

/** `found`: the summary that names this report; without it, only stored content is accepted. Returns whether it is new. */
async function takeReport(
  file: RemoteFile,
  found: ReportSummary | null,
  projectFiles: ProjectFiles,
  folder: RemoteFolder,
  { clock }: SftpContext,
) {
  const opened = { stream: folder.read(file), contentType: null, contentLength: file.bytes };
  const result = await storeFile(opened, projectFiles.targetOf('report', found?.id ?? 'sftp'), 'report', clock);
  if (result.kind === 'broken') {
    // Throws SftpUnavailable after a lost connection: then the file is not at fault.
    await folder.find(file.name);
    throw new NotTaken('incomplete', { reason: result.reason });
  }
  const isHere = projectFiles.hasContent('report', result.sha256, found?.id);
  if (found !== null && !isHere) {
    const detail = { mediaType: result.mediaType };
    projectFiles.keep({ kind: 'report', serviceId: found.id, type: found.type ?? '', detail }, result);
    return true;
  }
  await rm(result.path);
  if (!isHere) throw new NotTaken('summary-missing');
  return false;
}

/** Without a project in the summary, the file name decides. */
function isAbout({ project }: ReportSummary, projectId: string) {
  const said = project?.['id'];
  return !['number', 'bigint', 'string'].includes(typeof said) || String(said) === projectId;
}

/**
 * Parses `{POLICY_NUMBER}_{PROJECT_ID}_{INSPECTION_ORDERED_DATE}.pdf` or `.json`, with an eight-digit date; the policy
 * number may be empty or contain underscores.
 */
export function parseDeliveredName(name: string) {
  const found = /^((?!\.).*_([1-9]\d{0,18})_\d{8})\.(pdf|json)$/i.exec(name);
  if (found === null) return null;
  const [, stem = '', projectId = '', ending = ''] = found;
  return { stem, projectId, kind: ending.toLowerCase() === 'pdf' ? ('report' as const) : ('summary' as const) };
}

const TAKEN_FOLDER = 'taken';

interface ClearContext extends Pick<SftpContext, 'ledger' | 'log' | 'root'> {
  readonly afterwards: 'move' | 'delete';
}

/**
 * To the service, this means `Client Received` (document: Events, 4). So only once the delivery is published, and
 * everything, photos included, is stored and was delivered unchanged. A replaced file stays. Throws SftpUnavailable.
 */
export async function removeTaken(sets: readonly TakenSet[], folder: RemoteFolder, context: ClearContext) {
  const { ledger, log, afterwards } = context;
  const delivered = await ledger.deliveredProjects();
  let cleared = 0;
  for (const { projectId, files } of sets) {
    if (!delivered.has(projectId) || !(await isSafe(projectId, context))) continue;
    const now = await Promise.all(files.map(({ name }) => folder.find(name)));
    if (!files.every((file, index) => isSame(file, now[index]))) continue;
    const names = files.map(({ name }) => name);
    await ledger.noteStep('project', projectId, 'clearing the SFTP folder', { files: names, how: afterwards });
    try {
      for (const name of names) {
        await (afterwards === 'move' ? folder.moveInto(TAKEN_FOLDER, name) : folder.remove(name));
        cleared += 1;
      }
    } catch (failure) {
      if (!(failure instanceof SftpRefused)) throw failure;
      log.warn('a file stays in the SFTP folder', { project: projectId, reason: failure.message });
    }
  }
  return cleared;
}

/** All is stored, or the service offers nothing more. */
async function isSafe(projectId: string, { ledger, root }: ClearContext) {
  const files = await ledger.filesOf(projectId);
  if (!wereAllHere(files, await checkStoredFiles(files, { ledger, root }))) return false;
  const project = (await ledger.projectWithDelivery(projectId))?.project;
  if (project === undefined) return false;
  const isEnded = project.status === 'Client Received' || project.status === 'Project Canceled';
  return isEnded || (project.collectedAt !== null && isSettledProblem(project.problemCode));
}
