import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { summariesIn } from '../../contract/document.ts';
import { batchesOf } from '../../domain/batches.ts';
import { isClosedOutStatus, type UndecidedHouse } from '../../domain/project.ts';
import { messageInFile } from '../../domain/row.ts';
import type {
  Ledger,
  FollowedProject,
  ArtifactRecord,
  StoredArtifact,
  StoredRow,
  OrderRecord,
  PolicyDetails,
} from '../../ledger/ledger.ts';
import { type NotOrderedRow, type OrderLine, type ResultProject, THUMBNAIL } from '../model.ts';
import { photoName, assignArtifactPaths, problemsOf } from './delivery-index.ts';
import { describeEnding } from './overview.ts';

export async function* resultProjects(
  ledger: Ledger,
  root: string,
  shown: ShownProjects,
  undecided: readonly UndecidedHouse[] = [],
): AsyncIterable<ResultProject> {
  const waiting = new Map(
    undecided.map(({ projectId, since, level }) => [projectId, { since, level: isNightly(shown) ? level : null }]),
  );
  for await (const batch of batchesOf(projectsToDeliver(ledger, shown), BATCH)) {
    const ids = batch.map(({ project }) => project.id);
    const [amended, decisions, endings, later] = await Promise.all([
      ledger.amendedDetailsByProject(ids),
      ledger.decisionsOn(ids),
      ledger.endings(ids),
      ledger.laterInspections(ids),
    ]);
    for (const followed of batch) {
      const { id } = followed.project;
      const ending = endings.get(id);
      yield resultProject(ledger, followed, root, {
        amended: amended.get(id),
        decision: decisions.get(id) ?? null,
        waiting: waiting.get(id) ?? null,
        ending: ending && describeEnding(ending),
        laterInspection: later.get(id),
        isShownAgain: isNightly(shown) && !followed.hasNewReport,
      });
    }
  }
}

const BATCH = 200;

type Said = Pick<ResultProject, 'decision' | 'waiting' | 'ending' | 'laterInspection' | 'isShownAgain'> & {
  readonly amended: PolicyDetails | undefined;
};

async function resultProject(ledger: Ledger, followed: FollowedProject, root: string, { amended, ...said }: Said) {
  const { project, order, payload, row } = followed;
  const placed = assignArtifactPaths(followed);
  const photos = placed
    .filter(({ artifact }) => artifact.kind === 'image' && artifact.lost === null)
    .map(({ artifact, path }) => ({
      id: artifact.serviceId,
      path,
      description: photoName(artifact),
      // A closure would keep all that was read of its house.
      thumbnail: thumbnailOf.bind(null, root, artifact.path, artifact.sha256),
    }));
  const files = placed.filter(({ artifact }) => artifact.kind === 'report');
  const isAlone = ({ kind, serviceId }: StoredArtifact) =>
    kind === 'summary' && !files.some(({ artifact }) => artifact.serviceId === serviceId);
  // A summary counts even if the file of its report is missing.
  const listed = [
    ...files,
    ...placed.filter(({ artifact }) => isAlone(artifact)).map((one) => ({ ...one, path: null })),
  ];
  const inOrder = listed.toSorted((one, other) => placeIn(one) - placeIn(other));
  const reports = await Array.fromAsync(inOrder, async ({ artifact, path }) => ({
    id: artifact.serviceId,
    type: artifact.type,
    path: artifact.lost === null ? path : null,
    summary: await summaryOf(followed, artifact.serviceId, root),
    recordedAt: artifact.recordedAt,
  }));
  const { id: projectId, status, statusAt, returnedAt, collectedAt } = project;
  return {
    projectId,
    order: { ...payload, ...amended },
    status,
    statusAt,
    orderedAt: order?.createdAt ?? null,
    returnedAt,
    collectedAt,
    linked: order?.state === 'linked',
    source: row && placeOf(row),
    reports,
    photosPath: photos[0] === undefined ? null : posix.dirname(photos[0].path),
    photoCount: photos.length,
    photos,
    problems: problemsOf(followed),
    earlier: reports.some(({ summary }) => summary !== null) ? await earlierReports(ledger, projectId, root) : null,
    isNew: followed.hasNewReport,
    finishedAt: followed.isUndelivered ? finishedAt(followed) : null,
    ...said,
  };
}

/** Null while its first files may come. A later version of a report or summary counts as finished again. */
function finishedAt({ project: { status, statusAt, collectedAt }, artifacts }: FollowedProject) {
  const isEnded = status === 'Project Canceled' || isClosedOutStatus(status);
  const recorded = artifacts.flatMap(({ kind, recordedAt }) => (kind === 'image' ? [] : recordedAt));
  return Math.max(...(collectedAt === null ? [] : [collectedAt, ...recorded]), isEnded ? statusAt : 0) || null;
}

/** Files without a place are the oldest. */
function placeIn({ artifact }: { readonly artifact: StoredArtifact }) {
  return artifact.place ?? -1;
}

async function summaryOf({ artifacts }: FollowedProject, reportId: string, root: string) {
  const artifact = artifacts.find(({ kind, serviceId }) => kind === 'summary' && serviceId === reportId);
  return artifact === undefined || artifact.lost !== null ? null : readSummary(root, artifact);
}

function placeOf(row: StoredRow) {
  return { ...row.record.place, file: row.fileName };
}

export async function* notOrderedRows(ledger: Ledger, all: boolean): AsyncIterable<NotOrderedRow> {
  for await (const batch of batchesOf(ledger.notOrdered(all), BATCH)) {
    const ordered = await ledger.orderedElsewhere(batch.map(({ row }) => row.summary));
    for (const [index, { row, order, sender, since, corrections, isUndelivered }] of batch.entries())
      yield {
        ...placeOf(row),
        ...row.summary,
        kind: kindOf(row, order),
        reasons: reasonsOf(row, order),
        mayBeWanted: row.problems.some(({ rule }) => rule.startsWith('repeat-')),
        projectId: order?.projectId ?? null,
        orderedElsewhere: order?.projectId == null ? ordered[index] : undefined,
        openSince: since,
        sender: sender || null,
        corrections,
        isNew: isUndelivered,
      };
  }
}

function kindOf(row: StoredRow, order: OrderRecord | null) {
  if (row.outcome === 'rejection') return 'rejection';
  if (row.outcome === 'repeat') return 'duplicate';
  const state = order?.state;
  if (state === 'linked' || state === 'skipped') return 'duplicate';
  if (state === 'abandoned') return 'given up';
  return state === 'held' ? 'held' : 'refusal';
}

const ABOUT_REPEATS = /^(?:repeat(?:-.*)?|changed-after-ordering)$/;

function reasonsOf(row: StoredRow, order: OrderRecord | null) {
  const problems = row.problems
    .filter((problem) => problem.severity === 'error' || ABOUT_REPEATS.test(problem.rule))
    .map((problem) => messageInFile(problem, row.fileName));
  return row.outcome === 'order' && order?.reason ? [order.reason, ...problems] : problems;
}

export async function* ordersWorkbookRows(ledger: Ledger): AsyncIterable<OrderLine> {
  for await (const { order, row, project } of ledger.ordersToHandOver()) {
    yield {
      state: lineStateOf(order),
      reason: order.reason ?? warningOf(row),
      projectId: order.projectId,
      source: row === null ? { file: '', sheet: '', rowNumber: 0 } : placeOf(row),
      order: order.payload,
      repairs: row?.repairs ?? [],
      inspectionCode: project?.inspectionCode ?? null,
      inspectionLink: project?.inspectionLink ?? null,
    };
  }
}

function lineStateOf({ state }: OrderRecord) {
  if (state === 'ready' || state === 'submitting') return 'waiting';
  return state === 'abandoned' ? 'skipped' : state;
}

function warningOf(row: StoredRow | null) {
  const warnings = row?.problems.filter(({ severity }) => severity === 'warning');
  return warnings?.map(({ message }) => message).join(' ') || null;
}

async function readSummary(root: string, { path }: ArtifactRecord) {
  return summariesIn(await readFile(join(root, path), 'utf8'))?.[0] ?? null;
}

async function earlierReports(ledger: Ledger, projectId: string, root: string) {
  const found = await ledger.earlierSummaries(projectId);
  if (found === null) return null;
  const reports = await Promise.all(
    found.summaries.map(async (artifact) => ({
      id: artifact.serviceId,
      type: artifact.type,
      path: null,
      // A missing file costs only the comparison.
      summary: await readSummary(root, artifact).catch(() => null),
    })),
  );
  const read = reports.filter(({ summary }) => summary !== null);
  return read.length === 0 ? null : { ...found, reports: read };
}

const QUALITY = 65;
/** No camera makes larger pictures, but a small hostile file may declare one. */
const PIXELS_MAX = 200_000_000;
const SECONDS_MAX = 20;

/** Cached by the photo's hash. Null if the photo is unreadable. */
async function thumbnailOf(root: string, photo: string, sha256: string, times: 1 | 2 = 1) {
  const kept = join(root, 'state', 'thumbnails', `${sha256}${times === 1 ? '' : '-large'}.jpg`);
  const known = await readFile(kept).catch(() => null);
  if (known !== null && isWholeJpeg(known)) return known;
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  const made = await sharp(join(root, photo), { limitInputPixels: PIXELS_MAX })
    .timeout({ seconds: SECONDS_MAX })
    .rotate()
    .resize(THUMBNAIL.width * times, THUMBNAIL.height * times, { fit: 'cover' })
    .jpeg({ quality: QUALITY })
    .toBuffer()
    .catch(() => null);
  if (made === null) return null;
  await keep(made, kept).catch(() => {});
  return made;
}

async function keep(made: Uint8Array, kept: string) {
  const building = `${kept}.part`;
  await mkdir(dirname(kept), { recursive: true });
  await writeFile(building, made);
  await rename(building, kept);
}

/** Part of the file may be lost. */
function isWholeJpeg(bytes: Buffer) {
  return bytes.length > 4 && bytes.readUInt16BE(0) === 0xffd8 && bytes.readUInt16BE(bytes.length - 2) === 0xffd9;
}

/** All projects, those changed since a time (epoch ms), or those that no delivery has shown. */
export type ShownProjects = Readonly<{
  all: boolean;
  since?: number | undefined;
}>;

/** The others rank all their houses again. */
export function isNightly({ all, since }: ShownProjects) {
  return !all && since === undefined;
}

/** By id. `onlyWithFiles` skips others without reading them. */
export async function* projectsToDeliver(
  ledger: Pick<Ledger, 'projectsForResults'>,
  { all, since }: ShownProjects,
  onlyWithFiles = false,
) {
  for await (const followed of ledger.projectsForResults(all || since !== undefined, onlyWithFiles)) {
    if (since === undefined || changedAt(followed) >= since) yield followed;
  }
}

function changedAt({ project, order }: FollowedProject) {
  return Math.max(
    order?.createdAt ?? 0,
    project.firstSeenAt,
    project.statusAt,
    project.returnedAt ?? 0,
    project.collectedAt ?? 0,
  );
}
