import {
  projectDetailResponse,
  projectSearchResponse,
  updateProjectResponse,
  type ProjectSearchItem,
} from '../contract/project.ts';
import { projectStatusResponse } from '../contract/status.ts';
import { onlyItem, parseStrictly } from './answer.ts';
import type { Calls } from './calls.ts';
import type { ServiceClient } from './service-client.ts';
import { parseMended } from '../contract/parse-mended.ts';

type ProjectMethods = Pick<ServiceClient, 'createProject' | 'getProject' | 'updateProject' | 'getStatus' | 'putStatus' | 'searchProjects'>;

/** Document: Endpoints, Projects. */
export function projectMethods(calls: Calls): ProjectMethods {
  const project = '/v1/project/{projectId}';
  const status = '/v1/project/{projectId}/status';
  const statusOf = (id: string) => (json: unknown) => onlyItem(parseStrictly(projectStatusResponse, json)?.project, id);

  return {
    createProject: (payload) => calls.create({ method: 'POST', route: '/v1/project', body: payload }),

    getProject: (id, { signal } = {}) =>
      calls.read({ method: 'GET', route: project, id, signal }, (json) => onlyItem(parseMended(projectDetailResponse, json)?.project, id)),

    updateProject: (id, body) =>
      calls.read({ method: 'PUT', route: project, id, body }, (json) => onlyItem(parseMended(updateProjectResponse, json)?.project, id)),

    getStatus: (id, { signal } = {}) => calls.read({ method: 'GET', route: status, id, signal }, statusOf(id)),

    putStatus: (id, body) => calls.read({ method: 'PUT', route: status, id, body }, statusOf(id)),

    searchProjects: ({ createdTimeStart, createdTimeEnd, ...rest }, { signal } = {}) =>
      calls.read<readonly ProjectSearchItem[]>(
        {
          method: 'GET',
          route: '/v1/project',
          query: { ...rest, 'createdTime.start': createdTimeStart, 'createdTime.end': createdTimeEnd },
          signal,
        },
        (json) => parseMended(projectSearchResponse, json)?.project,
      ),
  };
}
