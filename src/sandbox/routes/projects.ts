import type { FastifyInstance } from 'fastify';
import { CANCELABLE_STATUSES } from '../../contract/status.ts';
import { projectDetailOf, searchItemOf } from '../project-answers.ts';
import type { Project, ProjectStore } from '../project-store.ts';
import { Refusal } from '../refusal.ts';
import { checkedCreate, checkedId, checkedQuery, checkedStatusUpdate, checkedUpdate } from '../request-checks.ts';
import type { TokenStore } from '../token-store.ts';

interface ProjectPath {
  readonly Params: { readonly projectId: string };
}

/** Document: Endpoints, Projects. */
export function projectRoutes(app: FastifyInstance, projects: ProjectStore, tokens: TokenStore, seed: string): void {
  app.post('/v1/project', (request) => {
    const order = checkedCreate(request.body);
    const actor = tokens.actorOf(request.headers.authorization);
    // The document's default is true: a client that says nothing may order twice (READING 2).
    const duplicate = order.allowDuplication === false ? projects.duplicateOf(order, actor) : undefined;
    if (duplicate !== undefined) {
      throw new Refusal(409, `Duplicate project: project ${duplicate.project.id} of the past 30 days has the same ${duplicate.rule}.`);
    }
    return { project: [projectDetailOf(projects.create(order, actor), seed)] };
  });

  app.get('/v1/project', (request) => {
    const found = projects.search(checkedQuery(request.query));
    return { project: found.map((project) => searchItemOf(project, projects.statusOf(project))) };
  });

  app.get<ProjectPath>('/v1/project/:projectId', (request) => ({
    project: [projectDetailOf(projectOf(projects, request.params.projectId), seed)],
  }));

  app.put<ProjectPath>('/v1/project/:projectId', (request) => {
    const project = projectOf(projects, request.params.projectId);
    projects.update(project, checkedUpdate(request.body));
    return { project: [{ id: project.id, policyNumber: project.policyNumber ?? '', policyEffectiveDate: project.policyEffectiveDate ?? '' }] };
  });

  app.get<ProjectPath>('/v1/project/:projectId/status', (request) => statusAnswer(projects, projectOf(projects, request.params.projectId)));

  app.put<ProjectPath>('/v1/project/:projectId/status', (request) => {
    const project = projectOf(projects, request.params.projectId);
    const { value, comment } = checkedStatusUpdate(request.body);
    refuseTransition(project, projects.statusOf(project), value);
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
  return { project: [{ id: project.id, status: projects.statusOf(project) }] };
}

/** Document: States and transitions. The status of a refused move is not shown; 409 is this sandbox's choice. */
function refuseTransition(project: Project, from: string, to: 'Client Received' | 'Project Canceled'): void {
  const allowed = to === 'Client Received' ? ['Returned to Client'] : CANCELABLE_STATUSES;
  if (allowed.includes(from)) return;
  throw new Refusal(409, `Project ${project.id} is "${from}": it can be set to "${to}" only from ${allowed.map((status) => `"${status}"`).join(', ')}.`);
}
