import { SELF_INSPECTION_SERVICE_NAMES } from '../contract/project.ts';
import type { NotShown } from './not-shown.ts';
import type { Project } from './project-store.ts';
import { SeededRandom } from './seeded-random.ts';
import { STATE_CENTRES } from './state-centres.ts';

/** For a state without a centre on record: the middle of the contiguous states. */
const MIDDLE: readonly [number, number] = [39.8, -98.6];

/** An id as a number where a number holds it: that is written to JSON the shorter way. */
export function idOf({ id }: Pick<Project, 'id'>): number | bigint {
  return id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : id;
}

/** Document: Project (detail response object). `absent`: how isRenewal and supplementalServices show that the order left them out. */
export function projectDetailOf(project: Project, seed: string, absent: NotShown['absentInDetail']): Record<string, unknown> {
  const { request } = project;
  const random = new SeededRandom(seed, 'detail', project.id);
  const [lat, lng] = STATE_CENTRES[request.state] ?? MIDDLE;
  const self = SELF_INSPECTION_SERVICE_NAMES.includes(request.serviceName);
  const code = self ? random.code(6) : '';
  const detail: Record<string, unknown> = {
    id: idOf(project),
    ...request,
    // Is not shown: undefined is left out of JSON.
    allowDuplication: undefined,
    country: request.country ?? 'US',
    // The document names just these two as null when absent, in the answer to a create; other absent fields are left out.
    ...(absent === 'null' ? { isRenewal: request.isRenewal ?? null, supplementalServices: request.supplementalServices ?? null } : {}),
    lat: Number((lat + random.next() - 0.5).toFixed(6)),
    lng: Number((lng + random.next() - 0.5).toFixed(6)),
    operatingCompany: 'Sandbox Inspection Services',
    inspectionCode: code,
    inspectionLink: self ? `https://self-inspection.example/start/${code}` : '',
  };
  if (project.policyNumber !== undefined) detail.policyNumber = project.policyNumber;
  if (project.policyEffectiveDate !== undefined) detail.policyEffectiveDate = project.policyEffectiveDate;
  return detail;
}

/** Document: Project search item. The document shows no more fields than those of the newer sample; the last two of them are not in the older one. */
export function searchItemOf(project: Project, status: string, fields: NotShown['searchItem']): Record<string, unknown> {
  const { streetAddress, city, state, zipcode, country, serviceName, inspectionNumber, insuredName } = project.request;
  const item = {
    id: idOf(project),
    streetAddress,
    city,
    state,
    zipcode,
    country: country ?? 'US',
    serviceName,
    status,
  };
  if (fields === 'older') return item;
  const newer = { ...item, policyNumber: project.policyNumber ?? '', inspectionNumber: inspectionNumber ?? '' };
  return fields === 'newer' ? newer : { ...newer, policyEffectiveDate: project.policyEffectiveDate ?? '', insuredName };
}
