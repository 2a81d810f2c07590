import type { FastifyInstance } from 'fastify';
import { CANCELABLE_STATUSES } from '../../contract/status.ts';
import { laggingDuplicate, laggingSearch } from '../faults/lagging.ts';
import type { FaultPlan } from '../faults.ts';
import type { SandboxSettings } from '../options.ts';
import { idOf, projectDetailOf, searchItemOf } from '../project-answers.ts';
import type { Project, ProjectStore } from '../project-store.ts';
import { Refusal } from '../refusal.ts';
import { checkedCreate, checkedId, checkedQuery, checkedStatusUpdate, checkedUpdate } from '../request-checks.ts';
import type { TokenStore } from '../token-store.ts';

interface ProjectPath {
  readonly Params: { readonly projectId: string };
}

/** What the project routes work on. */
interface ProjectService {
  readonly projects: ProjectStore;
  readonly tokens: TokenStore;
  readonly faults: FaultPlan;
  readonly clock: { now(): number };
}

/** Document: Endpoints, Projects. */
export function projectRoutes(app: FastifyInstance, service: ProjectService, { seed, notShown }: Pick<SandboxSettings, 'seed' | 'notShown'>): void {
  const { projects, tokens, faults, clock } = service;
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

/** The project behind a path. Throws Refusal 400 or 404. */
export function projectOf(projects: ProjectStore, projectId: string): Project {
  const project = projects.find(checkedId(projectId, 'projectId'));
  if (project === undefined) throw new Refusal(404, `There is no project ${projectId}.`);
  return project;
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
