import { DUPLICATE_WINDOW_DAYS, PROJECT_ID_MAX, type ProjectSearchItem } from '../contract/document.ts';
import { addressKey, identityKind, isCommercial } from '../domain/identity.ts';
import type { RunContext } from '../domain/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { OrderRecord } from '../ledger/orders.ts';
import type { ProjectQuery, ServiceClient } from '../service/client.ts';
import { SEARCH_PAGES_MAX, SEARCH_PAGES_OF_A_NUMBER_MAX } from '../service/limits.ts';
import { OddAnswer, readOrAway, searchPages, ServiceAway } from '../service/reads.ts';
import type { RetryBudget } from '../service/retry.ts';
import { addressOf, folded, isBlank, likenessOf, resembles, standsInTheWay } from './same-order.ts';
import type { Candidate, Findings } from './send-again.ts';

export interface SearchContext extends RunContext {
  readonly ledger: Ledger;
  readonly client: ServiceClient;
  readonly retryBudget?: RetryBudget | undefined;
}

/** No search takes an address. */
const NEIGHBOURS_MAX = 20_000;

interface Search {
  readonly alsoByAddress: boolean;
  /** Ids named by the service: read even if no search shows them. */
  readonly named?: readonly string[];
}

type Query = Pick<ProjectQuery, 'inspectionNumber' | 'policyNumber' | 'createdTimeStart'>;

/**
 * Looks for the project of an order in doubt or answered 409: by inspection and policy number, or, without either,
 * among ids above the highest known before its first attempt. Reads every candidate in detail and compares here
 * (RELIABILITY: Settling).
 */
export async function findProjects(
  order: OrderRecord,
  context: SearchContext,
  { alsoByAddress, named = [] }: Search,
): Promise<Findings> {
  const startedAt = context.clock.now();
  try {
    const items = await searchFor(order, context);
    if (alsoByAddress && comparesAddresses(order)) merge(items, await searchAddress(order, context));
    const taken = await context.ledger.projectsOfOtherOrders(order.id, [...items.keys(), ...named]);
    const ours: Candidate[] = [];
    const alike: Candidate[] = [];
    const others: Candidate[] = [];
    const sort = (candidate: Candidate, stands: boolean): void => {
      const { id } = candidate.detail;
      const likeness =
        BigInt(id) > BigInt(order.idBound ?? 0) && !taken.has(id) ? likenessOf(order, candidate.detail) : null;
      if (likeness === 'to the letter') ours.push(candidate);
      else if (likeness === 'by its signs') alike.push(candidate);
      else if (stands) others.push(candidate);
    };
    for (const item of items.values()) {
      // Skips other orders' projects: there are many.
      if (taken.has(item.id) && hasNoNumber(order) && !isAtAddress(item, order)) continue;
      const candidate = await readInDetail(item, context);
      // The service would not refuse a second project, so a visible one must be read first.
      if (candidate === null && (hasNoNumber(order) || order.allowDuplication))
        throw new OddAnswer(`A search shows project ${item.id}, and the service does not know it (404).`);
      if (candidate !== null) sort(candidate, standsInTheWay(order, candidate.detail));
    }
    for (const id of named) {
      const candidate = items.has(id) ? null : await readNamed(id, context);
      if (candidate !== null)
        sort(candidate, standsInTheWay(order, candidate.detail) || resembles(order, candidate.detail));
    }
    return ours.length > 0
      ? { kind: 'looked', startedAt, ours, others: [...others, ...alike] }
      : { kind: 'looked', startedAt, ours: alike, others };
  } catch (failure) {
    if (failure instanceof ServiceAway)
      return { kind: 'away', reason: failure.message, ...(failure instanceof OddAnswer && { isOdd: true }) };
    throw failure;
  }
}

/** Rule 4 compares a commercial address; a keyless order is recognized only by address, service and insured. */
function comparesAddresses({ payload }: OrderRecord): boolean {
  return isCommercial(payload) || identityKind(payload) === 'address';
}

type ReadContext = Pick<SearchContext, 'client' | 'clock' | 'sleep' | 'random' | 'signal'>;
type Items = Map<string, ProjectSearchItem>;

async function searchFor(order: OrderRecord, context: SearchContext): Promise<Items> {
  const { inspectionNumber, policyNumber } = order.payload;
  const items: Items = new Map();
  if (inspectionNumber) {
    merge(
      items,
      await allPages({ inspectionNumber }, 0n, context, (item) => mayBe(item.inspectionNumber, inspectionNumber)),
    );
  }
  if (policyNumber)
    merge(items, await allPages({ policyNumber }, 0n, context, (item) => mayBe(item.policyNumber, policyNumber)));
  if (hasNoNumber(order)) {
    const bound = BigInt(order.idBound ?? 0);
    // Not by address: the service may rewrite or hide it.
    merge(
      items,
      await allPages(
        {},
        bound + 1n,
        context,
        (item) => isAtAddress(item, order) || (isBlank(item.inspectionNumber) && isBlank(item.policyNumber)),
      ),
    );
  }
  return items;
}

/** Returns our orders' projects and those that the duplicate rules still compare. */
async function searchAddress(order: OrderRecord, context: SearchContext): Promise<Items> {
  const items = await knownAtAddress(order, context.ledger, context);
  const highest = BigInt(await highestProjectId(0n, context));
  const from = highest > BigInt(NEIGHBOURS_MAX) ? highest - BigInt(NEIGHBOURS_MAX) : 0n;
  // The document names no unit: seconds, if read as milliseconds, only let more through.
  const createdTimeStart = Math.floor((context.clock.now() - (DUPLICATE_WINDOW_DAYS + 1) * DAY_MS) / 1000);
  merge(items, await allPages({ createdTimeStart }, from, context, (item) => isAtAddress(item, order)));
  return items;
}

const DAY_MS = 24 * 60 * 60 * 1000;

async function knownAtAddress(order: OrderRecord, ledger: Ledger, context: SearchContext): Promise<Items> {
  const items: Items = new Map();
  for (const projectId of await ledger.projectsAtAddress(addressKey(order.payload))) {
    const status = await readOrAway(() => context.client.getStatus(projectId), context);
    if (status !== null) items.set(projectId, { id: projectId, status: status.status });
  }
  return items;
}

async function allPages(
  query: Query,
  from: bigint,
  context: SearchContext,
  matches: (item: ProjectSearchItem) => boolean,
): Promise<Items> {
  const found: Items = new Map();
  const isByNumber = query.inspectionNumber !== undefined || query.policyNumber !== undefined;
  for await (const page of searchPages(
    query,
    from,
    context,
    isByNumber ? SEARCH_PAGES_OF_A_NUMBER_MAX : SEARCH_PAGES_MAX,
  )) {
    for (const item of page) if (matches(item)) found.set(item.id, item);
  }
  return found;
}

function hasNoNumber({ payload }: OrderRecord): boolean {
  return !payload.inspectionNumber && !payload.policyNumber;
}

/** A missing field is judged by the detail. */
function mayBe(shown: string | null | undefined, wanted: string): boolean {
  return shown === null || shown === undefined || folded(shown) === folded(wanted);
}

function isAtAddress(item: ProjectSearchItem, order: OrderRecord): boolean {
  return addressOf(item) === addressKey(order.payload);
}

async function readInDetail(item: ProjectSearchItem, context: SearchContext): Promise<Candidate | null> {
  const detail = await readOrAway(() => context.client.getProject(item.id), context);
  return detail === null ? null : { detail, status: item.status ?? null };
}

/** May be unreadable for us, or no project. */
async function readNamed(id: string, context: SearchContext): Promise<Candidate | null> {
  const detail = await readOrAway(async () => {
    const outcome = await context.client.getProject(id);
    return outcome.kind === 'stop' || outcome.kind === 'refused'
      ? ({ kind: 'not-found', message: outcome.message } as const)
      : outcome;
  }, context);
  return detail === null ? null : { detail, status: null };
}

const NAMED_MAX = 5;

/** Possible project ids in a 409's message: numbers that are not the order's own. */
export function idsNamedIn(message: string, { payload }: Pick<OrderRecord, 'payload'>): readonly string[] {
  const own = new Set([payload.inspectionNumber, payload.policyNumber, payload.zipcode]);
  const numbers = message.match(/(?<![\w.-])\d{1,19}(?![\w-])/g) ?? [];
  return [...new Set(numbers)]
    .filter((number) => !own.has(number) && BigInt(number) <= PROJECT_ID_MAX)
    .slice(0, NAMED_MAX);
}

function merge(into: Items, more: Items): void {
  for (const [id, item] of more) into.set(id, item);
}

/** The highest visible project id, at least `known` (digits); '0' if none. Null if the service is away. */
export async function highestVisibleProjectId(
  context: ReadContext,
  known: string | null = null,
): Promise<string | null> {
  try {
    return await highestProjectId(BigInt(known ?? 0), context);
  } catch (failure) {
    if (failure instanceof ServiceAway) return null;
    throw failure;
  }
}

async function highestProjectId(known: bigint, context: ReadContext): Promise<string> {
  const at = async (startId: bigint): Promise<bigint | null> => {
    if (startId > PROJECT_ID_MAX) return null;
    const first = (
      await readOrAway(() => context.client.searchProjects({ startId: startId.toString(), limit: 1 }), context)
    )?.[0];
    if (first === undefined) return null;
    if (BigInt(first.id) < startId)
      throw new ServiceAway(
        `The service's search does not go on: asked for projects from ${startId} on, it shows ${first.id}.`,
      );
    return BigInt(first.id);
  };
  const base = known === 0n ? ((await at(0n)) ?? 0n) : known;
  let low = base;
  let gap = 1n;
  for (let next = await at(low + gap); next !== null; next = await at(low + gap)) {
    low = next;
    gap *= 2n;
  }
  while (gap > 1n) {
    gap /= 2n;
    const next = await at(low + gap);
    if (next !== null) low = next;
  }
  // One odd answer must not set a bound that hides our own projects.
  const isShown =
    !isFarAbove(low, base) || (await readOrAway(() => context.client.getProject(low.toString()), context)) !== null;
  return (isShown ? low : base).toString();
}

/** No account gets this far between two looks. */
export function isFarAbove(id: bigint, known: bigint): boolean {
  return known > 0n && id > 1_000n * known + 1_000_000_000n;
}
