import type { FastifyInstance } from 'fastify';
import { CANCELABLE_STATUSES, SELF_INSPECTION_SERVICE_NAMES } from '../contract/document.ts';
import { type FaultPlan, laggingDuplicate, laggingSearch } from './faults/faults.ts';
import type { NotShown } from './not-shown.ts';
import type { Project, ProjectStore } from './project-store.ts';
import { Refusal } from './refusal.ts';
import { checkedCreate, checkedQuery, checkedStatusUpdate, checkedUpdate, projectOf } from './request-checks.ts';
import { SeededRandom } from './seeded-random.ts';
import type { SandboxState } from './state.ts';

interface ProjectPath {
  readonly Params: { readonly projectId: string };
}

/** What the project routes work on. */
interface ProjectService extends Pick<SandboxState, 'projects' | 'tokens' | 'clock' | 'settings'> {
  readonly faults: FaultPlan;
}

/** Document: Endpoints, Projects. */
export function projectRoutes(app: FastifyInstance, { projects, tokens, faults, clock, settings }: ProjectService): void {
  const { seed, notShown } = settings;
  app.post('/v1/project', (request) => {
    const order = checkedCreate(request.body, notShown.failedValidation);
    const actor = tokens.actorOf(request.headers.authorization);
    // The document's default is true: a client that says nothing may order twice (READING 2).
    const duplicate = order.allowDuplication === false ? laggingDuplicate(faults, request, clock.now(), (knownUntil) => projects.duplicateOf(order, actor, knownUntil)) : undefined;
    if (duplicate !== undefined) {
      throw new Refusal(409, `Duplicate project: project ${duplicate.project.id} of the past 30 days has the same ${duplicate.rule}.`);
    }
    return { project: [projectDetailOf(projects.create(order, actor), seed, 'null')] };
  });

  app.get('/v1/project', (request) => {
    const found = laggingSearch(faults, request, clock.now(), checkedQuery(request.query, notShown.createdTimeUnit), (query) => projects.search(query));
    return { project: found.map((project) => searchItemOf(project, projects.statusOf(project), notShown.searchItem)) };
  });

  app.get<ProjectPath>('/v1/project/:projectId', (request) => ({
    project: [projectDetailOf(projectOf(projects, request.params.projectId), seed, notShown.absentInDetail)],
  }));

  app.put<ProjectPath>('/v1/project/:projectId', (request) => {
    const project = projectOf(projects, request.params.projectId);
    projects.update(project, checkedUpdate(request.body, notShown.failedValidation));
    return { project: [{ id: idOf(project), policyNumber: project.policyNumber ?? '', policyEffectiveDate: project.policyEffectiveDate ?? '' }] };
  });

  app.get<ProjectPath>('/v1/project/:projectId/status', (request) => statusAnswer(projects, projectOf(projects, request.params.projectId)));

  app.put<ProjectPath>('/v1/project/:projectId/status', (request) => {
    const project = projectOf(projects, request.params.projectId);
    const { value, comment } = checkedStatusUpdate(request.body);
    refuseTransition(project, projects.statusOf(project), value, notShown.refusedTransition);
    projects.setStatus(project, value, 'client', comment);
    return statusAnswer(projects, project);
  });
}

function statusAnswer(projects: ProjectStore, project: Project): object {
  return { project: [{ id: idOf(project), status: projects.statusOf(project) }] };
}

/** Document: States and transitions. The status code of a refused move is not shown: it is chosen. */
function refuseTransition(project: Project, from: string, to: 'Client Received' | 'Project Canceled', statusCode: 400 | 409 | 422): void {
  const allowed = to === 'Client Received' ? ['Returned to Client'] : CANCELABLE_STATUSES;
  if (allowed.includes(from)) return;
  throw new Refusal(statusCode, `Project ${project.id} is "${from}": it can be set to "${to}" only from ${allowed.map((status) => `"${status}"`).join(', ')}.`);
}

/** For a state without a centre on record: the middle of the contiguous states. */
const MIDDLE: readonly [number, number] = [39.8, -98.6];

/** An id as a number where a number holds it: that is written to JSON the shorter way. */
function idOf({ id }: Pick<Project, 'id'>): number | bigint {
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

/** Latitude and longitude of the middle of each state and territory, rounded: a project's place is drawn around it. */
const STATE_CENTRES: Readonly<Record<string, readonly [number, number]>> = {
  AL: [32.8, -86.8], AK: [64.1, -152.3], AZ: [34.3, -111.7], AR: [34.8, -92.4], CA: [37.2, -119.5], CO: [39, -105.5], CT: [41.6, -72.7],
  DE: [39, -75.5], DC: [38.9, -77], FL: [28.5, -82], GA: [32.7, -83.4], HI: [20.8, -156.4], ID: [44.2, -114.5], IL: [40, -89.2],
  IN: [39.9, -86.3], IA: [42, -93.5], KS: [38.5, -98.4], KY: [37.5, -85.3], LA: [31, -92], ME: [45.3, -69.2], MD: [39.1, -76.8],
  MA: [42.2, -71.8], MI: [44.3, -85.4], MN: [46.3, -94.3], MS: [32.7, -89.7], MO: [38.4, -92.5], MT: [47, -109.6], NE: [41.5, -99.8],
  NV: [39.3, -116.6], NH: [43.7, -71.6], NJ: [40.2, -74.7], NM: [34.4, -106.1], NY: [42.9, -75.6], NC: [35.6, -79.4], ND: [47.4, -100.5],
  OH: [40.3, -82.8], OK: [35.6, -97.5], OR: [43.9, -120.6], PA: [40.9, -77.8], RI: [41.7, -71.6], SC: [33.9, -80.9], SD: [44.4, -100.2],
  TN: [35.9, -86.4], TX: [31.5, -99.3], UT: [39.3, -111.7], VT: [44.1, -72.7], VA: [37.5, -78.9], WA: [47.4, -120.4], WV: [38.6, -80.6],
  WI: [44.6, -90], WY: [43, -107.6], AS: [-14.3, -170.7], GU: [13.4, 144.8], MP: [15.2, 145.7], PR: [18.2, -66.5], VI: [18.3, -64.9],
};
