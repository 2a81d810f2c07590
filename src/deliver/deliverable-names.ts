import type { OrderPayload } from '../domain/row.ts';
import type { ArtifactRecord, FollowedProject } from '../ledger/ledger.ts';
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
  readonly artifact: ArtifactRecord;
  readonly path: string;
}

/** Gives every file of a project its place in a folder of the project: reports and summaries under the document's names, photos in `photos/`. */
export function placeArtifacts({ order, project, artifacts }: FollowedProject): readonly PlacedArtifact[] {
  const stem = deliverableStem(order.payload, project.id, order.createdAt);
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
