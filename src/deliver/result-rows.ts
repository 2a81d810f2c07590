import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseExactJson } from '../contract/json.ts';
import { reportSummaryResponse, type ReportSummary } from '../contract/report.ts';
import type { FollowedProject, Ledger, StoredRow } from '../ledger/ledger.ts';
import type { OrderRecord } from '../ledger/order-record.ts';
import type { NotOrderedRow, OrderLine, ResultProject, ResultReport, SourcePlace } from '../results/results-input.ts';
import { placeArtifacts } from './deliverable-names.ts';

/** The projects of a delivery as the results workbook wants them; their summaries are read from the files on disk. */
export async function* resultProjects(ledger: Ledger, root: string, all: boolean): AsyncIterable<ResultProject> {
  for await (const followed of ledger.projectsForResults(all)) yield resultProject(followed, root);
}

async function resultProject(followed: FollowedProject, root: string): Promise<ResultProject> {
  const { project, order, row } = followed;
  const placed = placeArtifacts(followed);
  const photos = placed.filter(({ artifact }) => artifact.kind === 'image').map(({ artifact, path }) => ({ id: artifact.serviceId, path }));
  const reports: ResultReport[] = [];
  for (const { artifact, path } of placed) {
    if (artifact.kind !== 'report') continue;
    reports.push({ id: artifact.serviceId, type: artifact.type, path, summary: await summaryOf(followed, artifact.serviceId, root) });
  }
  return {
    projectId: project.id,
    order: order.payload,
    status: project.status,
    statusAt: project.statusAt,
    orderedAt: order.createdAt,
    returnedAt: project.returnedAt,
    collectedAt: project.collectedAt,
    linked: order.state === 'linked',
    source: row === null ? null : placeOf(row),
    reports,
    photosPath: photos[0]?.path ?? null,
    photoCount: photos.length,
    photos,
    problems: project.problem === null ? [] : [project.problem],
  };
}

async function summaryOf({ artifacts }: FollowedProject, reportId: string, root: string): Promise<ReportSummary | null> {
  const artifact = artifacts.find(({ kind, serviceId }) => kind === 'summary' && serviceId === reportId);
  if (artifact === undefined) return null;
  const envelope = reportSummaryResponse.safeParse(parseExactJson(await readFile(join(root, artifact.path), 'utf8')));
  return envelope.data?.report[0] ?? null;
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

function reasonsOf(row: StoredRow, order: OrderRecord | null): readonly string[] {
  const problems = row.problems.filter((problem) => problem.severity === 'error' || problem.rule === 'repeat').map((problem) => problem.message);
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
