import { join, posix } from 'node:path';
import type { ReportSummary } from '../contract/report.ts';
import type { FollowedProject, Ledger, StoredRow } from '../ledger/ledger.ts';
import type { OrderRecord } from '../ledger/order-record.ts';
import type { NotOrderedRow, OrderLine, ResultProject, ResultReport, SourcePlace } from '../results/results-input.ts';
import { earlierReports, readSummary } from './earlier-reports.ts';
import { thumbnailOf } from './thumbnails.ts';
import { placeArtifacts, problemsOf } from './deliverable-names.ts';
import { shownProjects, type ShownProjects } from './shown-projects.ts';

/** The projects of a delivery as the results workbook wants them; their summaries are read from the files on disk. */
export async function* resultProjects(ledger: Ledger, root: string, shown: ShownProjects): AsyncIterable<ResultProject> {
  for await (const followed of shownProjects(ledger, shown)) yield resultProject(ledger, followed, root);
}

async function resultProject(ledger: Ledger, followed: FollowedProject, root: string): Promise<ResultProject> {
  const { project, order, row } = followed;
  const amended = await ledger.amendedDetails(project.id);
  const placed = placeArtifacts(followed);
  const photos = placed.filter(({ artifact }) => artifact.kind === 'image' && artifact.lost === null).map(({ artifact, path }) => ({
    id: artifact.serviceId,
    path,
    description: [artifact.detail['direction'], artifact.detail['type']].filter(Boolean).join(' '),
    thumbnail: () => thumbnailOf(join(root, artifact.path), artifact.sha256, join(root, 'state', 'thumbnails')),
  }));
  const reports: ResultReport[] = [];
  for (const { artifact, path } of placed) {
    if (artifact.kind !== 'report') continue;
    reports.push({ id: artifact.serviceId, type: artifact.type, path: artifact.lost === null ? path : null, summary: await summaryOf(followed, artifact.serviceId, root) });
  }
  return {
    projectId: project.id,
    order: { ...order.payload, ...amended },
    status: project.status,
    statusAt: project.statusAt,
    orderedAt: order.createdAt,
    returnedAt: project.returnedAt,
    collectedAt: project.collectedAt,
    linked: order.state === 'linked',
    source: row === null ? null : placeOf(row),
    reports,
    photosPath: photos[0] === undefined ? null : posix.dirname(photos[0].path),
    photoCount: photos.length,
    photos,
    problems: problemsOf(followed),
    earlier: reports.some(({ summary }) => summary !== null) ? await earlierReports(ledger, project.id, root) : null,
  };
}

async function summaryOf({ artifacts }: FollowedProject, reportId: string, root: string): Promise<ReportSummary | null> {
  const artifact = artifacts.find(({ kind, serviceId }) => kind === 'summary' && serviceId === reportId);
  return artifact === undefined || artifact.lost !== null ? null : readSummary(root, artifact);
}

function placeOf(row: StoredRow): SourcePlace {
  return { file: row.fileName, sheet: row.record.place.sheet, rowNumber: row.record.place.rowNumber };
}

/** The rows that became no project of their own, as the sheet `Not ordered` wants them. */
export async function* notOrderedRows(ledger: Ledger, all: boolean): AsyncIterable<NotOrderedRow> {
  for await (const { row, order } of ledger.notOrdered(all)) {
    yield { ...placeOf(row), ...row.summary, kind: kindOf(row, order), reasons: reasonsOf(row, order), projectId: order?.projectId ?? null };
  }
}

function kindOf(row: StoredRow, order: OrderRecord | null): NotOrderedRow['kind'] {
  if (row.outcome === 'rejection') return 'rejection';
  if (row.outcome === 'repeat') return 'duplicate';
  const state = order?.state;
  if (state === 'linked' || state === 'skipped') return 'duplicate';
  return state === 'held' ? 'held' : 'refusal';
}

/** Warnings that say why a row is not an order of its own, and what came with it. */
const TOLD_OF_REPEATS: ReadonlySet<string> = new Set(['repeat', 'changed-after-ordering']);

function reasonsOf(row: StoredRow, order: OrderRecord | null): readonly string[] {
  const problems = row.problems.filter((problem) => problem.severity === 'error' || TOLD_OF_REPEATS.has(problem.rule)).map((problem) => problem.message);
  return row.outcome === 'order' && order?.reason ? [order.reason, ...problems] : problems;
}

/** The orders that no delivery has shown yet, as `orders.xlsx` wants them. */
export async function* orderLines(ledger: Ledger): AsyncIterable<OrderLine> {
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

function lineStateOf({ state }: OrderRecord): OrderLine['state'] {
  if (state === 'ready' || state === 'submitting') return 'waiting';
  return state === 'abandoned' ? 'skipped' : state;
}

/** What a person should know of an order that went through. */
function warningOf(row: StoredRow | null): string | null {
  const warnings = row?.problems.filter((problem) => problem.severity === 'warning').map((problem) => problem.message) ?? [];
  return warnings.length === 0 ? null : warnings.join(' ');
}
