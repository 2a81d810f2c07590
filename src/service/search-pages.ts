import { SEARCH_LIMIT_MAX, type ProjectSearchItem } from '../contract/project.ts';
import { SEARCH_PAGES_MAX } from './limits.ts';
import { readOrAway, ServiceAway } from './read-or-away.ts';
import type { ProjectQuery, ServiceClient } from './service-client.ts';

type World = Parameters<typeof readOrAway>[1];

/**
 * A search page by page, by id ascending from `from` on, to the empty page: a short one proves nothing (READING 6). Every page must bring ids above
 * those before it, and there are `pagesMax` of them: a search that does not go on, or goes on for ever, has shown nothing. Throws ServiceAway.
 */
export async function* searchPages(
  query: Omit<ProjectQuery, 'startId' | 'limit'>,
  from: bigint,
  parts: World & { readonly client: Pick<ServiceClient, 'searchProjects'> },
  pagesMax: number = SEARCH_PAGES_MAX,
): AsyncGenerator<readonly ProjectSearchItem[], void> {
  let startId = from;
  for (let page = 0; page < pagesMax; page += 1) {
    const asked = { ...query, startId: startId.toString(), limit: SEARCH_LIMIT_MAX };
    const items = (await readOrAway(() => parts.client.searchProjects(asked), parts)) ?? [];
    if (items.length === 0) return;
    const fresh = items.filter(({ id }) => BigInt(id) >= startId).toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
    const last = fresh.at(-1);
    if (last === undefined) throw new ServiceAway(`The service's search does not go on: asked for projects from ${startId} on, it shows lower ones only.`);
    yield fresh;
    startId = BigInt(last.id) + 1n;
    if (startId > PROJECT_ID_MAX) return;
  }
  throw new ServiceAway(`The service's search does not end: it was left after ${pagesMax} pages.`);
}

/** Ids are int64 (READING 18). */
export const PROJECT_ID_MAX = 2n ** 63n - 1n;
