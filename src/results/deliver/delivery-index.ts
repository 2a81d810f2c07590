import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { DeliveryIndex } from '../../domain/delivery.ts';
import type { OrderPayload } from '../../domain/row.ts';
import { escapeInvisible } from '../../domain/text.ts';
import type { StoredArtifact, FollowedProject } from '../../ledger/ledger.ts';
import { cutToBytes, safeFileName } from '../../ops/safe-file-name.ts';
import { isoTime } from '../csv-and-jsonl.ts';

/** So that the project id is never cut. */
const POLICY_BYTES_MAX = 80;

/**
 * As in the document (Events): `{POLICY_NUMBER}_{PROJECT_ID}_{INSPECTION_ORDERED_DATE}`, the date as MMDDYYYY. Unique
 * by the project id.
 */
function deliverableStem(order: OrderPayload, projectId: string, orderedAt: number) {
  const policy = cutToBytes(safeFileName(order.policyNumber || 'NO-POLICY'), POLICY_BYTES_MAX);
  // UTC, so that names do not depend on the time zone.
  const [year = '', month = '', day = ''] = new Date(orderedAt).toISOString().slice(0, 10).split('-');
  return safeFileName(`${policy}_${projectId}_${month}${day}${year}`);
}

export function presentArtifacts(followed: FollowedProject) {
  return assignArtifactPaths(followed).filter(({ artifact }) => artifact.lost === null);
}

export function projectFolderOfPath(path: string) {
  return path.split('/').slice(0, 2).join('/');
}

const LOST_LISTED_MAX = 5;

export function problemsOf({ project, artifacts }: FollowedProject) {
  const lost = artifacts
    .flatMap(({ kind, serviceId, lost: problem }) =>
      problem === null ? [] : [`${kind} ${serviceId} (its stored file ${problem})`],
    )
    .toReversed();
  const listed =
    lost.length <= LOST_LISTED_MAX
      ? lost
      : [...lost.slice(0, LOST_LISTED_MAX), `and ${lost.length - LOST_LISTED_MAX} more`];
  return [
    ...(project.problem === null ? [] : [project.problem]),
    ...(listed.length === 0 ? [] : [`Not in this delivery: ${listed.join(', ')}.`]),
  ];
}

/** Reports and summaries get the document's names; photos go to `photos/`. `path`: in the delivery, with forward slashes. */
export function assignArtifactPaths({ order, payload, project, artifacts }: FollowedProject) {
  const stem = deliverableStem(payload, project.id, order?.createdAt ?? project.firstSeenAt);
  const reportIds = [...new Set(artifacts.flatMap(({ kind, serviceId }) => (kind === 'image' ? [] : serviceId)))];
  let photo = 0;
  return artifacts.map((artifact) => {
    const extension = artifact.path.slice(artifact.path.lastIndexOf('.'));
    if (artifact.kind === 'image') {
      photo += 1;
      const what = photoName(artifact) || 'photo';
      return {
        artifact,
        path: `reports/${stem}/photos/${safeFileName(`${String(photo).padStart(2, '0')} ${what}${extension}`)}`,
      };
    }
    const number = reportIds.indexOf(artifact.serviceId) + 1;
    return { artifact, path: `reports/${stem}/${stem}${number > 1 ? `_${number}` : ''}${extension}` };
  });
}

export function photoName({ detail }: StoredArtifact) {
  return [...new Set([detail['direction'], detail['type']])].filter(Boolean).join(' ');
}

type IndexHead = Omit<DeliveryIndex, 'version' | 'projects'>;

export async function writeDeliveryJson(
  path: string,
  head: IndexHead,
  projects: AsyncIterable<FollowedProject> | null,
) {
  await pipeline(indexText(head, projects), createWriteStream(path));
}

async function* indexText(head: IndexHead, projects: AsyncIterable<FollowedProject> | null) {
  yield `${escapeInvisible(JSON.stringify({ version: 1, ...head })).slice(0, -1)},\n"projects":[`;
  let separator = '\n';
  for await (const followed of projects ?? []) {
    yield `${separator}${escapeInvisible(JSON.stringify(indexed(followed)))}`;
    separator = ',\n';
  }
  yield '\n]}\n';
}

function indexed(followed: FollowedProject) {
  const { project, order, payload } = followed;
  const files = presentArtifacts(followed).map(({ artifact, path }) => {
    const { kind, serviceId: id, version, type, bytes, sha256 } = artifact;
    return { kind, id, version, type, path, bytes, sha256 };
  });
  return {
    projectId: project.id,
    orderId: order?.id ?? null,
    policyNumber: payload.policyNumber ?? null,
    inspectionNumber: payload.inspectionNumber ?? null,
    status: project.status,
    statusAt: isoTime(project.statusAt),
    orderedAt: isoTime(order?.createdAt ?? project.firstSeenAt),
    returnedAt: isoTime(project.returnedAt),
    collectedAt: isoTime(project.collectedAt),
    problem: problemsOf(followed).join(' ') || null,
    files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}
