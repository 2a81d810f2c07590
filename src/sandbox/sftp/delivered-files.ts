import { stringifyExactJson } from '../../contract/json.ts';
import type { Deliverables } from '../deliverables/deliverables.ts';
import { reportsOf } from '../deliverables/offer.ts';
import type { Project } from '../project-store.ts';

/** A file as it is delivered. */
export interface DeliveredFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The report's PDF and its summary as the API answers it; nothing while the project offers no deliverables. */
export async function deliveredFiles(project: Project, deliverables: Deliverables): Promise<DeliveredFile[]> {
  const inspection = deliverables.offered(project);
  const report = inspection && reportsOf(inspection).find(({ format }) => format === 'pdf');
  if (inspection === undefined || report === undefined) return [];
  const stem = deliveredStem(project);
  return [
    { name: `${stem}.pdf`, bytes: await deliverables.reportFile(inspection, report, false) },
    { name: `${stem}.json`, bytes: Buffer.from(stringifyExactJson({ report: [deliverables.summary(inspection, report)] })) },
  ];
}

/**
 * Document, Events: `{POLICY_NUMBER}_{PROJECT_ID}_{INSPECTION_ORDERED_DATE}`, the date as month, day and year, here in UTC. What a file
 * name cannot hold becomes a hyphen.
 */
export function deliveredStem({ id, policyNumber = '', createdAt }: Pick<Project, 'id' | 'policyNumber' | 'createdAt'>): string {
  const [year = '', month = '', day = ''] = new Date(createdAt).toISOString().slice(0, 10).split('-');
  const policy = policyNumber.replaceAll(/[^\p{L}\p{N} ._-]/gu, '-').replace(/^\.+/, '').slice(0, 100);
  return `${policy}_${id}_${month}${day}${year}`;
}
