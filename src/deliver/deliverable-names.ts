import type { OrderPayload } from '../domain/row.ts';
import type { FollowedProject } from '../ledger/deliveries.ts';
import type { StoredArtifact } from '../ledger/artifacts.ts';
import { cutToBytes, safeFileName } from '../ops/safe-file-name.ts';

/** However long a policy number is, the project id behind it stays whole. */
const POLICY_BYTES_MAX = 80;

/** In UTC: the same content gives the same names wherever it is packed. */
function monthDayYear(time: number): string {
  const [year = '', month = '', day = ''] = new Date(time).toISOString().slice(0, 10).split('-');
  return `${month}${day}${year}`;
}

/**
 * The document's file-name form (Events): `{POLICY_NUMBER}_{PROJECT_ID}_{INSPECTION_ORDERED_DATE}`, the date as month, day and year
 * without separators. The project id keeps it unique.
 */
function deliverableStem(order: OrderPayload, projectId: string, orderedAt: number): string {
  const policy = cutToBytes(safeFileName(order.policyNumber || 'NO-POLICY'), POLICY_BYTES_MAX);
  return safeFileName(`${policy}_${projectId}_${monthDayYear(orderedAt)}`);
}

/** A file of a project with its place in the delivery folder (forward slashes). */
export interface PlacedArtifact {
  readonly artifact: StoredArtifact;
  readonly path: string;
}

/** Those that are here as recorded: what a delivery holds. */
export function placedHere(followed: FollowedProject): readonly PlacedArtifact[] {
  return placeArtifacts(followed).filter(({ artifact }) => artifact.lost === null);
}

/** The folder of the project in a place that was given to one of its files. */
export function projectFolderOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

/** Of the files that a project misses, so many are named; reports before photos. */
const LOST_LISTED_MAX = 5;

/** Why its files are not all in the delivery, in words. */
export function problemsOf({ project, artifacts }: FollowedProject): readonly string[] {
  const lost = artifacts.flatMap(({ kind, serviceId, lost: problem }) => (problem === null ? [] : [`${kind} ${serviceId} (its stored file ${problem})`])).toReversed();
  const listed = lost.length <= LOST_LISTED_MAX ? lost : [...lost.slice(0, LOST_LISTED_MAX), `and ${lost.length - LOST_LISTED_MAX} more`];
  return [...(project.problem === null ? [] : [project.problem]), ...(listed.length === 0 ? [] : [`Not in this delivery: ${listed.join(', ')}.`])];
}

/** Gives every file of a project its place in a folder of the project: reports and summaries under the document's names, photos in `photos/`. */
export function placeArtifacts({ order, payload, project, artifacts }: FollowedProject): readonly PlacedArtifact[] {
  const stem = deliverableStem(payload, project.id, order?.createdAt ?? project.firstSeenAt);
  const reportIds = [...new Set(artifacts.filter((artifact) => artifact.kind !== 'image').map((artifact) => artifact.serviceId))];
  let photo = 0;
  return artifacts.map((artifact) => {
    const extension = artifact.path.slice(artifact.path.lastIndexOf('.'));
    if (artifact.kind === 'image') {
      photo += 1;
      const what = [artifact.detail['direction'], artifact.detail['type']].filter(Boolean).join(' ') || 'photo';
      return { artifact, path: `reports/${stem}/photos/${safeFileName(`${String(photo).padStart(2, '0')} ${what}${extension}`)}` };
    }
    const number = reportIds.indexOf(artifact.serviceId) + 1;
    return { artifact, path: `reports/${stem}/${stem}${number > 1 ? `_${number}` : ''}${extension}` };
  });
}
