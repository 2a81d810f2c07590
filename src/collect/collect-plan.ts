import { SEARCH_LIMIT_MAX } from '../contract/project.ts';
import { PROJECT_STATUSES } from '../contract/status.ts';
import { STATUS_NOT_SEEN } from '../domain/project-status.ts';
import type { ProjectRecord } from '../ledger/ledger.ts';

/** How the statuses of the followed projects are asked for. */
export type SweepPlan =
  /** So few that a request each costs no more than a page. */
  | { readonly kind: 'singly'; readonly ids: readonly string[] }
  /** By pages of the search, each beginning at the next id not seen yet. */
  | { readonly kind: 'pages'; readonly ids: readonly string[]; readonly limit: number };

const SINGLY_MAX = 2;

/** Plans the sweep: a pure function of what is followed (ids in ascending order). */
export function planSweep(followed: readonly ProjectRecord[]): SweepPlan {
  const ids = followed.map((project) => project.id);
  return ids.length <= SINGLY_MAX ? { kind: 'singly', ids } : { kind: 'pages', ids, limit: SEARCH_LIMIT_MAX };
}

/** Before these statuses end there is nothing to fetch; listed ones only: an unknown status may mean anything (READING 9). */
const DELIVERABLE: ReadonlySet<string> = new Set(['Returned to Client', 'Client Received']);
const NOTHING_YET: ReadonlySet<string> = new Set([STATUS_NOT_SEEN, ...PROJECT_STATUSES.filter((status) => !DELIVERABLE.has(status))]);

/** What a project needs from a follow-up run, by its status. */
export type Need =
  | { readonly kind: 'nothing' }
  /** Its deliverables are, or (unknown status) may be, there. `expected`: the document promises them. */
  | { readonly kind: 'fetch'; readonly expected: boolean };

/** Decides what to fetch: `Returned to Client` promises deliverables; an unlisted status such as `closed out` may have some. */
export function needOf(project: Pick<ProjectRecord, 'status' | 'collectedAt'>): Need {
  if (project.collectedAt !== null || NOTHING_YET.has(project.status)) return { kind: 'nothing' };
  return { kind: 'fetch', expected: project.status === 'Returned to Client' };
}
