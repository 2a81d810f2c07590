import type { CreateProjectRequest } from '../contract/project.ts';
import { addressKey, comparable } from './duplicate-index.ts';
import type { Project } from './project-store.ts';

/** Projects that are the same order placed again. */
export interface DoubledOrder {
  /** What they share, such as `inspection number A-17`. */
  readonly identity: string;
  readonly projectIds: readonly bigint[];
}

/**
 * Orders that were placed more than once, except where the request itself said `allowDuplication: true`. Two requests are the same order
 * when they share the inspection number; without one, policy number and effective date; with neither, address, service and insured.
 * Whatever the age and the actor: to whoever ordered, a second inspection is one too many.
 */
export function doubledOrders(projects: readonly Project[]): DoubledOrder[] {
  const byIdentity = new Map<string, bigint[]>();
  for (const { id, request } of projects) {
    if (request.allowDuplication === true) continue;
    const identity = identityOf(request);
    const held = byIdentity.get(identity);
    if (held === undefined) byIdentity.set(identity, [id]);
    else held.push(id);
  }
  return [...byIdentity].filter(([, ids]) => ids.length > 1).map(([identity, projectIds]) => ({ identity, projectIds }));
}

/** A project as it was created: by whom and when, and what it is known by. */
interface CreatedProject {
  readonly id: bigint;
  readonly actor: string;
  /** In sandbox time, ISO 8601. */
  readonly createdAt: string;
  readonly identity: string;
  /** What the request said; null where it said nothing. */
  readonly allowDuplication: boolean | null;
}

/** Every project, in the order of creation. */
export function createdProjects(projects: readonly Project[]): CreatedProject[] {
  return projects.map(({ id, actor, createdAt, request }) => ({
    id,
    actor,
    createdAt: new Date(createdAt).toISOString(),
    identity: identityOf(request),
    allowDuplication: request.allowDuplication ?? null,
  }));
}

/** How many projects each platform user created. */
export function projectsByActor(projects: readonly Project[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { actor } of projects) counts.set(actor, (counts.get(actor) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function identityOf(request: CreateProjectRequest): string {
  if (request.inspectionNumber) return `inspection number ${request.inspectionNumber}`;
  if (request.policyNumber) return `policy number ${request.policyNumber}, effective ${request.policyEffectiveDate ?? '(no date)'}`;
  return `address ${addressKey(request)}, service ${request.serviceName}, insured ${comparable(request.insuredName)}`;
}
