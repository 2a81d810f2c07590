import { readOrAway } from '../service/reads.ts';
import type { CollectParts } from './parts.ts';

/**
 * Whether the service lists a report of a collected project that is not here; of a project without reports, a photo. What it lists no more
 * stays here. Throws ServiceAway.
 */
export async function listsMore(projectId: string, parts: CollectParts): Promise<boolean> {
  const { client, ledger } = parts;
  const reports = (await readOrAway(() => client.listReports(projectId), parts)) ?? [];
  const here = await ledger.artifactsOf(projectId);
  const isHere = (kind: 'report' | 'image', id: string): boolean => here.some((artifact) => artifact.kind === kind && artifact.serviceId === id);
  const isPhotosAlone = reports.length === 0 && parts.images !== 'none' && !here.some(({ kind }) => kind === 'report');
  if (!isPhotosAlone) return reports.some(({ id }) => !isHere('report', id));
  return ((await readOrAway(() => client.listImages(projectId), parts)) ?? []).some(({ id }) => !isHere('image', id));
}
