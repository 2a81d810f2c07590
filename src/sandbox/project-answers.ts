import { SELF_INSPECTION_SERVICE_NAMES } from '../contract/project.ts';
import type { Project } from './project-store.ts';
import { SeededRandom } from './seeded-random.ts';
import { STATE_CENTRES } from './state-centres.ts';

/** For a state without a centre on record: the middle of the contiguous states. */
const MIDDLE: readonly [number, number] = [39.8, -98.6];

/** Document: Project (detail response object). */
export function projectDetailOf(project: Project, seed: string): Record<string, unknown> {
  const { allowDuplication: _allowDuplication, ...request } = project.request;
  const random = new SeededRandom(seed, 'detail', project.id);
  const [lat, lng] = STATE_CENTRES[request.state] ?? MIDDLE;
  const self = SELF_INSPECTION_SERVICE_NAMES.includes(request.serviceName);
  const code = self ? random.code(6) : '';
  const detail: Record<string, unknown> = {
    id: project.id,
    ...request,
    country: request.country ?? 'US',
    // The document names just these two as null when absent; other absent fields are left out.
    isRenewal: request.isRenewal ?? null,
    supplementalServices: request.supplementalServices ?? null,
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

/** Document: Project search item. The document shows no more fields than these. */
export function searchItemOf(project: Project, status: string): Record<string, unknown> {
  const { streetAddress, city, state, zipcode, country, serviceName, inspectionNumber } = project.request;
  return {
    id: project.id,
    streetAddress,
    city,
    state,
    zipcode,
    country: country ?? 'US',
    serviceName,
    status,
    policyNumber: project.policyNumber ?? '',
    inspectionNumber: inspectionNumber ?? '',
  };
}
