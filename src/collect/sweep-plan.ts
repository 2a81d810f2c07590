import { SEARCH_LIMIT_MAX } from '../contract/document.ts';

/** One request of a sweep. */
export type Ask =
  /** A page of the search, which begins at this id. */
  | { readonly kind: 'page'; readonly startId: string; readonly limit: number }
  | { readonly kind: 'singly'; readonly id: string };

/** What the last pages taught. */
export interface Evidence {
  /** How far the last id of the last page lay above its first. */
  readonly reach: bigint;
  /** So many pages running showed no more than one followed project. */
  readonly lonePages: number;
}

/** Ids are whole numbers: a full page reaches at least this far, where every id between is a project of this account. */
const CLOSEST_REACH = BigInt(SEARCH_LIMIT_MAX - 1);
const NO_EVIDENCE: Evidence = { reach: CLOSEST_REACH, lonePages: 0 };

/** So few that a request each costs no more than a page. */
const SINGLY_MAX = 2;
/** After so many, a page that looks as if it would show one project alone is not worth its size. */
const LONE_PAGES_MAX = 3;

/**
 * Plans the sweep: a pure function of the ids that are followed, ascending. A page begins at the next id that was not seen yet, so a gap
 * costs nothing: no sweep takes more requests than one a project, and ids that lie close take ⌈N/500⌉. The length of the plan is its cost
 * in requests at the worst, every id in between being a project of this account; what a page should show and does not is asked for besides.
 */
export function planSweep(ids: readonly string[]): readonly Ask[] {
  const asks: Ask[] = [];
  for (let index = 0; index < ids.length; ) {
    const ask = nextAsk(ids, index, NO_EVIDENCE);
    asks.push(ask);
    index = ask.kind === 'singly' ? index + 1 : firstAbove(ids, index, BigInt(ask.startId) + CLOSEST_REACH);
  }
  return asks;
}

/** The next request, for what is followed from `index` on. */
export function nextAsk(ids: readonly string[], index: number, { reach, lonePages }: Evidence): Ask {
  const id = ids[index] ?? '';
  const next = ids[index + 1];
  const isAlone = next === undefined || (lonePages >= LONE_PAGES_MAX && BigInt(next) - BigInt(id) > reach);
  return ids.length <= SINGLY_MAX || isAlone ? { kind: 'singly', id } : { kind: 'page', startId: id, limit: SEARCH_LIMIT_MAX };
}

/** The place of the first id above this one, from `index` on. */
export function firstAbove(ids: readonly string[], index: number, id: bigint): number {
  let place = index;
  while (place < ids.length && BigInt(ids[place] ?? '') <= id) place += 1;
  return place;
}

/** What a page adds to the evidence. `shown`: how many followed projects it showed. */
export function learn(before: Evidence | null, startId: string, last: bigint, shown: number): Evidence {
  return { reach: last - BigInt(startId), lonePages: shown > 1 ? 0 : (before?.lonePages ?? 0) + 1 };
}
