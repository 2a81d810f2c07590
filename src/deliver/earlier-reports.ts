import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ReportSummary, summariesIn } from '../contract/report.ts';
import type { ArtifactRecord, Ledger } from '../ledger/ledger.ts';
import type { EarlierReports } from '../results/results-input.ts';

/** A summary from the file it was stored in; null where the file holds none. */
export async function readSummary(root: string, { path }: ArtifactRecord): Promise<ReportSummary | null> {
  return summariesIn(await readFile(join(root, path), 'utf8'))?.[0] ?? null;
}

/** The reports on the house that stood before those of a project, with their summaries; null where there are none. */
export async function earlierReports(ledger: Ledger, projectId: string, root: string): Promise<EarlierReports | null> {
  const found = await ledger.earlierSummaries(projectId);
  if (found === null) return null;
  const reports = await Promise.all(
    found.summaries.map(async (artifact) => ({
      id: artifact.serviceId,
      type: artifact.type,
      path: null,
      // A file that is gone costs the comparison, not the delivery: it is not part of what is handed over.
      summary: await readSummary(root, artifact).catch(() => null),
    })),
  );
  const read = reports.filter(({ summary }) => summary !== null);
  return read.length === 0 ? null : { projectId: found.projectId, at: found.at, known: found.known, reports: read };
}
