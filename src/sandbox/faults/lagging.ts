import type { FastifyRequest } from 'fastify';
import type { FaultPlan } from '../faults.ts';
import type { Project, ProjectQuery } from '../project-store.ts';

const LAG_SECONDS = 30;

/** A search that may lag: new projects are not in it yet (READING 7). It bites where the lag hides something. */
export function laggingSearch(plan: FaultPlan, request: FastifyRequest, now: number, query: ProjectQuery, search: (query: ProjectQuery) => Project[]): Project[] {
  const found = search(query);
  let shown = found;
  const bite = plan.draw('search', request, ({ lagSeconds = LAG_SECONDS }) => {
    const known = now - lagSeconds * 1000;
    shown = search({ ...query, createdBefore: Math.min(query.createdBefore ?? known, known) });
    return shown.length < found.length || shown.at(-1)?.id !== found.at(-1)?.id;
  });
  return bite === undefined ? found : shown;
}

/**
 * A duplicate check that may lag: it does not compare with new projects yet. `find` gives the duplicate among the projects created until
 * a time, in milliseconds since the UNIX epoch. It bites where the lag hides the duplicate.
 */
export function laggingDuplicate<Found extends object>(plan: FaultPlan, request: FastifyRequest, now: number, find: (knownUntil: number) => Found | undefined): Found | undefined {
  const found = find(now);
  if (found === undefined) return undefined;
  let known: Found | undefined = found;
  const bite = plan.draw('duplicate check', request, ({ lagSeconds = LAG_SECONDS }) => {
    known = find(now - lagSeconds * 1000);
    return known === undefined;
  });
  return bite === undefined ? found : known;
}
