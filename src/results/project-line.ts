import { stringifyExactJson } from '../contract/json.ts';
import { visible } from '../domain/visible-text.ts';
import type { Finding } from './attention/findings.ts';
import type { FlatRecord } from './flatten.ts';
import type { ProjectRecord } from './project-columns.ts';

/**
 * A project as one line of JSON for other systems: identity, order, status, findings, what changed, and under `values` every value of its
 * reports by source path, raw as the service gave it: percentages 40 for 40 %, epoch seconds, null for not assessed; what the report does
 * not cover has no key. Lists of objects are arrays of such objects. Times of ours are ISO 8601 in UTC, paths relative to the delivery.
 */
export function projectLine({ project, record, reports, points, changes }: ProjectRecord, findings: readonly Finding[]): string {
  const { projectId, order, status, linked, source, problems, photos, earlier } = project;
  return `${visible(stringifyExactJson({
    projectId,
    policyNumber: order.policyNumber ?? null,
    inspectionNumber: order.inspectionNumber ?? null,
    status,
    statusAt: isoOrNull(project.statusAt),
    orderedAt: isoOrNull(project.orderedAt),
    returnedAt: isoOrNull(project.returnedAt),
    collectedAt: isoOrNull(project.collectedAt),
    linked,
    source,
    order,
    problems,
    attentionPoints: points,
    findings: findings.map(({ weight, reason, paths }) => ({ weight, reason, paths })),
    reports: reports.map(({ id, type, path }) => ({ id, type, path })),
    photos: photos.map(({ id, path, description }) => ({ id, path, description })),
    earlier: earlier === null ? null : { projectId: earlier.projectId, at: isoOrNull(earlier.at), known: earlier.known, changes: changes.map(({ path, before, now }) => ({ path, before, now })) },
    values: valuesOf(record),
  }))}\n`;
}

function valuesOf({ values, lists }: FlatRecord): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...values.values()].map(({ path, leaf, counted }) => [path, counted ? (lists.get(path)?.items ?? []).map(valuesOf) : leaf]),
  );
}

function isoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}
