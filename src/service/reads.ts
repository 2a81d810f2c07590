/** Reads that outlast trouble: repeated while that may help, page by page, until the service is known to be away. */
import { PROJECT_ID_MAX, type ProjectSearchItem, SEARCH_LIMIT_MAX } from '../contract/document.ts';
import { ExplainedError, messageOf } from '../domain/errors.ts';
import type { ProjectQuery, ServiceClient } from './client.ts';
import { SEARCH_PAGES_MAX } from './limits.ts';
import type { ReadOutcome } from './outcome.ts';
import { type ReadContext, repeatRead } from './retry.ts';

/** The service does not answer, or the run is being stopped: what is left waits for the next run. */
export class ServiceAway extends Error {
  override readonly name: string = 'ServiceAway';
}

/** The service is there, but its answer about this one thing cannot be used; that says nothing about anything else. */
export class OddAnswer extends ServiceAway {
  override readonly name = 'OddAnswer';
}

interface StoppableRead extends ReadContext {
  /** Aborted when the run must end. */
  readonly signal: AbortSignal;
}

/** Someone who can search. */
type Searching = StoppableRead & { readonly client: Pick<ServiceClient, 'searchProjects'> };

/** The value of a read that is repeated while that may help; null where there is no such thing. Throws ServiceAway. */
export async function readOrAway<T>(read: () => Promise<ReadOutcome<T>>, context: StoppableRead): Promise<T | null> {
  if (context.signal.aborted) throw new ServiceAway(messageOf(context.signal.reason));
  const outcome = await repeatRead(read, context).catch((failure: unknown) => {
    if (context.signal.aborted) throw new ServiceAway(messageOf(context.signal.reason));
    if (failure instanceof ExplainedError && failure.kind === 'work-left') throw new ServiceAway(messageOf(failure));
    throw failure;
  });
  switch (outcome.kind) {
    case 'ok':
      return outcome.value;
    case 'not-found':
      return null;
    case 'refused':
      throw new OddAnswer(`The service answered ${outcome.status}: ${outcome.message}`);
    case 'stop':
      throw new ServiceAway(`The service answered ${outcome.status}: ${outcome.message}`);
    case 'transient':
      if (outcome.aboutItem === true)
        throw new OddAnswer(`The service answered in a way that cannot be used: ${outcome.reason}.`);
      throw new ServiceAway(`The service did not answer: ${outcome.reason}`);
  }
}

/** After this many failures in a row the service may be away. */
const FAILURES_IN_A_ROW_MAX = 5;

/**
 * Tells a service that is away from single things that get no answer: after several failures in a row it asks for something small. Only where
 * that is not answered either is the rest left for the next run: trouble with some things must not hold up the others.
 */
export class OutageWatch {
  readonly #context: Searching;
  #failures = 0;
  #verdict: Promise<boolean> = Promise.resolve(false);

  constructor(context: Searching) {
    this.#context = context;
  }

  answered(): void {
    this.#failures = 0;
  }

  /** Something got no answer. An odd answer does not count. */
  failed(failure: ServiceAway): void {
    if (failure instanceof OddAnswer) return;
    this.#failures += 1;
    if (this.#failures < FAILURES_IN_A_ROW_MAX && !this.#context.signal.aborted) return;
    this.#failures = 0;
    this.#verdict = this.#verdict.then((isOut) => isOut || this.confirm());
    this.#verdict.catch(() => undefined);
  }

  /** Whether nothing more is worth asking in this run. */
  isOut(): Promise<boolean> {
    return this.#verdict;
  }

  /** Asks now. */
  async confirm(): Promise<boolean> {
    const { signal, client } = this.#context;
    if (signal.aborted) return true;
    try {
      return (await client.searchProjects({ limit: 1 })).kind !== 'ok';
    } catch (failure) {
      if (signal.aborted || (failure instanceof ExplainedError && failure.kind === 'work-left')) return true;
      throw failure;
    }
  }
}

/** So many pages, or one full one, may be of a listing that never ends. */
const PAGES_TO_DOUBT = 8;
/** Far above every id that a service has come to. */
const FAR_ID = PROJECT_ID_MAX - 1_000_000n;

/** A listing that shows projects from whatever id it is asked for has no end. Throws ServiceAway. */
async function mustEnd(query: Omit<ProjectQuery, 'startId' | 'limit'>, context: Searching): Promise<void> {
  const far = () => context.client.searchProjects({ ...query, startId: FAR_ID.toString(), limit: 1 });
  // One that takes no such id, or makes no sense of it, has an end below.
  const [shown] = (await readOrAway(far, context).catch(nothingIfOdd)) ?? [];
  if (shown !== undefined && BigInt(shown.id) >= FAR_ID && BigInt(shown.id) < PROJECT_ID_MAX)
    throw new ServiceAway(
      `The service's search does not end: whatever id it is asked for projects from, it shows some, such as ${shown.id}.`,
    );
}

function nothingIfOdd(failure: unknown): null {
  if (failure instanceof OddAnswer) return null;
  throw failure;
}

/**
 * A search page by page, by id ascending from `from` on, to the empty page: a short one proves nothing (READING 6). Every page must bring ids above
 * those before it, and there are `pagesMax` of them: a search that does not go on, or goes on forever, has shown nothing. A long one is asked first
 * whether it has an end. Throws ServiceAway.
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
    const items = (await readOrAway(() => context.client.searchProjects(asked), context)) ?? [];
    if (items.length === 0) return;
    const fresh = items
      .filter(({ id }) => BigInt(id) >= startId)
      .toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
    const last = fresh.at(-1);
    if (last === undefined)
      throw new ServiceAway(
        `The service's search does not go on: asked for projects from ${startId} on, it shows lower ones only.`,
      );
    if (!isSureToEnd && (page >= PAGES_TO_DOUBT || items.length >= SEARCH_LIMIT_MAX)) {
      await mustEnd(query, context);
      isSureToEnd = true;
    }
    yield fresh;
    startId = BigInt(last.id) + 1n;
    if (startId > PROJECT_ID_MAX) return;
  }
  throw new ServiceAway(`The service's search does not end: it was left after ${pagesMax} pages.`);
}
