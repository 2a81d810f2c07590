import { DUPLICATE_WINDOW_DAYS, PROJECT_ID_MAX, type ProjectSearchItem } from '../contract/document.ts';
import { addressKey, identityKind, isCommercial } from '../domain/identity.ts';
import type { RunContext } from '../domain/ports.ts';
import { sentence } from '../domain/sentences.ts';
import type { Ledger, OrderRecord } from '../ledger/ledger.ts';
import type { ProjectQuery } from '../service/client.ts';
import type { ReadOutcome } from '../service/outcome.ts';
import {
  firstSearchHit,
  MalformedResponse,
  nullIfUnavailable,
  NUMBER_SEARCH_PAGES_MAX,
  readOrThrow,
  SEARCH_PAGES_MAX,
  searchPages,
  type ApiAccess,
  ServiceUnavailable,
} from '../service/reads.ts';
import {
  addressKeyOf,
  fold,
  isUnset,
  isNewerThanFirstAttempt,
  likenessOf,
  resembles,
  isConflicting,
} from './order-and-project.ts';
import type { SearchFindings } from './after-answer.ts';

export interface SearchContext extends ApiAccess, RunContext {
  readonly ledger: Ledger;
}

interface FindContext extends ApiAccess<'searchProjects' | 'getProject' | 'getStatus'> {
  readonly ledger: Pick<Ledger, 'projectsOfOtherOrders' | 'projectsAtAddress'>;
}

/** No search takes an address. */
const NEIGHBORS_MAX = 20_000;

/**
 * By inspection and policy number or, without either, among ids above the highest known before the first attempt. Every
 * candidate is read in detail: searches match loosely.
 */
export async function findProjects(
  order: OrderRecord,
  context: FindContext,
  { alsoByAddress, named = [] }: Readonly<{ alsoByAddress: boolean; named?: readonly string[] }>,
): Promise<SearchFindings> {
  const startedAt = context.clock.now();
  try {
    const items = await searchFor(order, context);
    // The service compares a commercial address; without numbers, only address, service and insured identify an order.
    if (alsoByAddress && (isCommercial(order.payload) || hasNoNumber(order)))
      await searchAddress(order, items, context);
    const taken = await context.ledger.projectsOfOtherOrders(order.id, [...items.keys(), ...named]);
    const shown = await readShown(items, order, taken, context);
    const ofMessage = await readNamed(
      named.filter((id) => !items.has(id)),
      context,
    );
    const byLikeness = Map.groupBy([...shown, ...ofMessage], ({ detail }) =>
      isNewerThanFirstAttempt(order, detail) && !taken.has(detail.id) ? likenessOf(order, detail) : null,
    );
    const ours = byLikeness.get('exact') ?? [];
    const alike = byLikeness.get('likely') ?? [];
    const others = (byLikeness.get(null) ?? []).filter(
      (candidate) =>
        isConflicting(order, candidate.detail) || (ofMessage.includes(candidate) && resembles(order, candidate.detail)),
    );
    return ours.length > 0
      ? { kind: 'looked', startedAt, ours, others: [...others, ...alike] }
      : { kind: 'looked', startedAt, ours: alike, others };
  } catch (failure) {
    if (failure instanceof ServiceUnavailable)
      return {
        kind: 'away',
        reason: failure.message,
        ...(failure instanceof MalformedResponse && { isMalformed: true, startedAt }),
      };
    throw failure;
  }
}

type Items = Map<string, ProjectSearchItem>;

async function searchFor(order: OrderRecord, service: ApiAccess<'searchProjects'>) {
  const { inspectionNumber, policyNumber } = order.payload;
  const items: Items = new Map();
  if (inspectionNumber)
    await addPages(items, { inspectionNumber }, 0n, service, (item) => mayBe(item.inspectionNumber, inspectionNumber));
  if (policyNumber)
    await addPages(items, { policyNumber }, 0n, service, (item) => mayBe(item.policyNumber, policyNumber));
  if (hasNoNumber(order)) {
    const from = BigInt(order.idBound ?? 0) + 1n;
    // Not by address: the service may rewrite or hide it.
    const matches = (item: ProjectSearchItem) =>
      isAtAddress(item, order) || (isUnset(item.inspectionNumber) && isUnset(item.policyNumber));
    await addPages(items, {}, from, service, matches);
  }
  return items;
}

async function searchAddress(order: OrderRecord, items: Items, context: FindContext) {
  const { ledger, client, clock } = context;
  for (const id of await ledger.projectsAtAddress(addressKey(order.payload))) {
    const status = await readOrThrow(() => client.getStatus(id), context);
    if (status !== null) items.set(id, { id, status: status.status });
  }
  const highest = BigInt(await highestProjectId(0n, context));
  const from = highest > BigInt(NEIGHBORS_MAX) ? highest - BigInt(NEIGHBORS_MAX) : 0n;
  // The document names no unit: seconds, if read as milliseconds, only let more through.
  const createdTimeStart = Math.floor((clock.now() - (DUPLICATE_WINDOW_DAYS + 1) * DAY_MS) / 1000);
  await addPages(items, { createdTimeStart }, from, context, (item) => isAtAddress(item, order));
}

const DAY_MS = 24 * 60 * 60 * 1000;

async function addPages(
  items: Items,
  query: Pick<ProjectQuery, 'inspectionNumber' | 'policyNumber' | 'createdTimeStart'>,
  from: bigint,
  service: ApiAccess<'searchProjects'>,
  matches: (item: ProjectSearchItem) => boolean,
) {
  const isByNumber = query.inspectionNumber !== undefined || query.policyNumber !== undefined;
  const pagesMax = isByNumber ? NUMBER_SEARCH_PAGES_MAX : SEARCH_PAGES_MAX;
  for await (const page of searchPages(query, from, service, pagesMax))
    for (const item of page) if (matches(item)) items.set(item.id, item);
}

async function readShown(
  items: Items,
  order: OrderRecord,
  taken: ReadonlySet<string>,
  service: ApiAccess<'getProject'>,
) {
  const found = [];
  for (const item of items.values()) {
    if (taken.has(item.id) && hasNoNumber(order) && !isAtAddress(item, order)) continue;
    const detail = await readOrThrow(() => service.client.getProject(item.id), service);
    // The service would not refuse a second project, so a visible one must be read first.
    if (detail === null && (hasNoNumber(order) || order.allowDuplication))
      throw new MalformedResponse(sentence('search-wrong/unknown', { id: item.id }));
    if (detail === null) continue;
    // A detail need not have the numbers.
    const { inspectionNumber = item.inspectionNumber, policyNumber = item.policyNumber } = detail;
    found.push({ detail: { ...detail, inspectionNumber, policyNumber }, status: item.status ?? null });
  }
  return found;
}

async function readNamed(ids: readonly string[], service: ApiAccess<'getProject' | 'getStatus'>) {
  const { client } = service;
  const found = [];
  for (const id of ids) {
    const detail = await readIfAllowed(() => client.getProject(id), service);
    if (detail === null) continue;
    const shown = await readIfAllowed(() => client.getStatus(id), service);
    found.push({ detail, status: shown?.status ?? null });
  }
  return found;
}

function readIfAllowed<T>(read: () => Promise<ReadOutcome<T>>, service: ApiAccess<never>) {
  return readOrThrow(async () => {
    const outcome = await read();
    return outcome.kind === 'stop' || outcome.kind === 'refused'
      ? { kind: 'not-found', message: outcome.message }
      : outcome;
  }, service);
}

function hasNoNumber({ payload }: OrderRecord) {
  return identityKind(payload) === 'address';
}

function mayBe(shown: string | null | undefined, wanted: string) {
  return shown == null || fold(shown) === fold(wanted);
}

function isAtAddress(item: ProjectSearchItem, order: OrderRecord) {
  return addressKeyOf(item) === addressKey(order.payload);
}

const NAMED_MAX = 5;

export function idsNamedIn(message: string, { payload }: Pick<OrderRecord, 'payload'>) {
  const own = new Set([payload.inspectionNumber, payload.policyNumber, payload.zipcode]);
  const numbers = message.match(/(?<![\w.-])\d{1,19}(?![\w-])/g) ?? [];
  return [...new Set(numbers)]
    .filter((number) => !own.has(number) && BigInt(number) <= PROJECT_ID_MAX)
    .slice(0, NAMED_MAX);
}

/** Digits, at least `known`. Null if the service is unavailable. */
export async function highestVisibleProjectId(
  service: ApiAccess<'searchProjects' | 'getProject'>,
  known: string | null = null,
) {
  return highestProjectId(BigInt(known ?? 0), service).catch(nullIfUnavailable);
}

async function highestProjectId(known: bigint, service: ApiAccess<'searchProjects' | 'getProject'>) {
  const at = async (startId: bigint) => {
    if (startId > PROJECT_ID_MAX) return null;
    const first = await firstSearchHit({ startId: startId.toString() }, service);
    if (first === undefined) return null;
    if (BigInt(first.id) < startId)
      throw new ServiceUnavailable(sentence('search-wrong/higher', { from: String(startId), id: first.id }));
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
  // One wrong answer must not set a bound that hides our own projects.
  const isShown =
    !isFarAbove(low, base) || (await readOrThrow(() => service.client.getProject(low.toString()), service)) !== null;
  return (isShown ? low : base).toString();
}

/** No account creates that many projects between two searches. */
export function isFarAbove(id: bigint, known: bigint) {
  return known > 0n && id > 1_000n * known + 1_000_000_000n;
}
