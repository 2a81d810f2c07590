import { PROJECT_ID_MAX, type ProjectSearchItem, SEARCH_LIMIT_MAX } from '../contract/document.ts';
import { isOfKind, messageOf } from '../domain/errors.ts';
import { sentence } from '../domain/sentences.ts';
import type { ProjectQuery, ServiceClient } from './client.ts';
import { type ReadContext, repeatRead } from './retry.ts';
import type { ReadOutcome } from './outcome.ts';

export const SEARCH_PAGES_MAX = 400;
export const NUMBER_SEARCH_PAGES_MAX = 40;
export const ACCOUNT_SEARCH_PAGES_MAX = 4_000;

/** No usable answer came, even after repeats, or the run is stopping. */
export class ServiceUnavailable extends Error {
  override readonly name: string = 'ServiceUnavailable';
}

export function nullIfUnavailable(failure: unknown) {
  if (failure instanceof ServiceUnavailable) return null;
  throw failure;
}

/** The answer about one item is unusable. */
export class MalformedResponse extends ServiceUnavailable {
  override readonly name = 'MalformedResponse';
}

export type ApiAccess<Method extends keyof ServiceClient = keyof ServiceClient> = ReadContext &
  Readonly<{
    client: Pick<ServiceClient, Method>;
    signal: AbortSignal;
  }>;

type Searching = ApiAccess<'searchProjects'>;

/** Throws ServiceUnavailable. */
export async function readOrThrow<T>(read: () => Promise<ReadOutcome<T>>, context: Omit<ApiAccess, 'client'>) {
  const { signal } = context;
  if (signal.aborted) throw new ServiceUnavailable(messageOf(signal.reason));
  const outcome = await repeatRead(read, context).catch((failure: unknown) => {
    if (signal.aborted) throw new ServiceUnavailable(messageOf(signal.reason));
    if (isOfKind(failure, 'work-left')) throw new ServiceUnavailable(failure.message);
    throw failure;
  });
  switch (outcome.kind) {
    case 'ok':
      return outcome.value;
    case 'not-found':
      return null;
    case 'refused':
      throw new MalformedResponse(`The service answered ${outcome.status}: ${outcome.message}`);
    case 'stop':
      throw new ServiceUnavailable(`The service answered ${outcome.status}: ${outcome.message}`);
    case 'transient':
      if (outcome.aboutItem === true)
        throw new MalformedResponse(sentence('answer-unusable', { reason: outcome.reason }));
      throw new ServiceUnavailable(`The service did not answer: ${outcome.reason}`);
  }
}

const FAILURES_IN_A_ROW_MAX = 5;

/** After several failures in a row, makes one small request; if that fails too, the rest waits for the next run. */
export class OutageWatch {
  readonly #context;
  #failures = 0;
  #verdict = Promise.resolve(false);

  constructor(context: Searching) {
    this.#context = context;
  }

  answered() {
    this.#failures = 0;
  }

  failed(failure: ServiceUnavailable) {
    if (failure instanceof MalformedResponse) return;
    this.#failures += 1;
    if (this.#failures < FAILURES_IN_A_ROW_MAX && !this.#context.signal.aborted) return;
    this.#failures = 0;
    this.#verdict = this.#verdict.then((isOut) => isOut || this.confirm());
    this.#verdict.catch(() => undefined);
  }

  isOut() {
    return this.#verdict;
  }

  async confirm() {
    const { signal, client } = this.#context;
    if (signal.aborted) return true;
    try {
      return (await client.searchProjects({ limit: 1 })).kind !== 'ok';
    } catch (failure) {
      if (signal.aborted || isOfKind(failure, 'work-left')) return true;
      throw failure;
    }
  }
}

const PAGES_TO_DOUBT = 8;
const FAR_ID = PROJECT_ID_MAX - 1_000_000n;

/** A listing that shows projects from any start ID would never end. Throws ServiceUnavailable. */
async function mustEnd(query: Omit<ProjectQuery, 'startId' | 'limit'>, context: Searching) {
  // If the service rejects or ignores this ID, the pages below are checked instead.
  const shown = await firstSearchHit({ ...query, startId: FAR_ID.toString() }, context).catch(nullIfMalformed);
  if (shown && BigInt(shown.id) >= FAR_ID && BigInt(shown.id) < PROJECT_ID_MAX)
    throw new ServiceUnavailable(sentence('search-wrong/no-end', { id: shown.id }));
}

/** Throws ServiceUnavailable. */
export async function firstSearchHit(query: ProjectQuery, context: Searching) {
  return (await readOrThrow(() => context.client.searchProjects({ ...query, limit: 1 }), context))?.[0];
}

export function nullIfMalformed(failure: unknown) {
  if (failure instanceof MalformedResponse) return null;
  throw failure;
}

/**
 * Ascending by ID from `from`, until an empty page: a short page proves nothing. Throws ServiceUnavailable if the
 * search fails, or IDs do not rise from page to page.
 */
export async function* searchPages(
  query: Omit<ProjectQuery, 'startId' | 'limit'>,
  from: bigint,
  context: Searching,
  pagesMax: number = SEARCH_PAGES_MAX,
  limit: number = SEARCH_LIMIT_MAX,
): AsyncGenerator<readonly ProjectSearchItem[], void> {
  let startId = from;
  let isSureToEnd = false;
  for (let page = 0; page < pagesMax; page += 1) {
    const asked = { ...query, startId: startId.toString(), limit };
    const items = (await readOrThrow(() => context.client.searchProjects(asked), context)) ?? [];
    if (items.length === 0) return;
    const fresh = items
      .filter(({ id }) => BigInt(id) >= startId)
      .toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
    const last = fresh.at(-1);
    if (last === undefined) throw new ServiceUnavailable(sentence('search-wrong/lower', { from: String(startId) }));
    if (!isSureToEnd && (page >= PAGES_TO_DOUBT || items.length >= SEARCH_LIMIT_MAX)) {
      await mustEnd(query, context);
      isSureToEnd = true;
    }
    yield fresh;
    startId = BigInt(last.id) + 1n;
    if (startId > PROJECT_ID_MAX) return;
  }
  throw new ServiceUnavailable(sentence('search-wrong/pages', { pages: pagesMax }));
}
