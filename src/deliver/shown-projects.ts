import type { FollowedProject, Ledger } from '../ledger/ledger.ts';

/** Which projects a delivery shows: every one on record, those that changed since a time (ms since the epoch), or what no delivery has shown yet. */
export interface ShownProjects {
  readonly all: boolean;
  readonly since?: number | undefined;
}

/** Those projects, in order of their ids. */
export async function* shownProjects(ledger: Pick<Ledger, 'projectsForResults'>, { all, since }: ShownProjects): AsyncIterable<FollowedProject> {
  for await (const followed of ledger.projectsForResults(all || since !== undefined)) {
    if (since === undefined || changedAt(followed) >= since) yield followed;
  }
}

/** When a project was ordered, moved, returned or collected last. */
function changedAt({ project, order }: FollowedProject): number {
  return Math.max(order.createdAt, project.firstSeenAt, project.statusAt, project.returnedAt ?? 0, project.collectedAt ?? 0);
}
