import { SEARCH_LIMIT_MAX, type ProjectSearchItem } from '../contract/project.ts';
import { addressKey, isCommercial } from '../domain/identity.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { OrderRecord } from '../ledger/order-record.ts';
import { readOrAway, ServiceAway } from '../service/read-or-away.ts';
import type { SubmitParts } from './parts.ts';
import { isSameOrder, standsInTheWay } from './same-order.ts';
import type { Candidate, Findings } from './submit-plan.ts';

/** Pages read in search of somebody else's project at an address, which the service cannot be asked for directly. */
const ADDRESS_PAGES_MAX = 40;

type Query = { readonly inspectionNumber: string } | { readonly policyNumber: string } | Readonly<Record<string, never>>;

/**
 * Looks for the project of an order in doubt, or of one answered 409: by inspection number and by policy number, with neither by the
 * window of ids after the one known before its first attempt; reads every candidate in detail and compares on this side
 * (RELIABILITY: Settling).
 */
export async function findProjects(order: OrderRecord, parts: SubmitParts, options: { readonly alsoByAddress: boolean }): Promise<Findings> {
  const startedAt = parts.clock.now();
  try {
    const items = await searchFor(order, parts);
    if (options.alsoByAddress && isCommercial(order.payload)) merge(items, await searchAddress(order, parts));
    const taken = await parts.ledger.projectsOfOtherOrders(order.id, [...items.keys()]);
    const ours: Candidate[] = [];
    const others: Candidate[] = [];
    for (const item of items.values()) {
      const candidate = await readInDetail(item, parts);
      if (candidate === null) continue;
      const isNew = BigInt(item.id) > BigInt(order.idBound ?? 0);
      if (isNew && !taken.has(item.id) && isSameOrder(order, candidate.detail)) ours.push(candidate);
      else if (standsInTheWay(order, candidate.detail)) others.push(candidate);
    }
    return { kind: 'looked', startedAt, ours, others };
  } catch (failure) {
    if (failure instanceof ServiceAway) return { kind: 'away', reason: failure.message };
    throw failure;
  }
}

type ReadParts = Pick<SubmitParts, 'client' | 'clock' | 'sleep' | 'random' | 'signal'>;
type Items = Map<string, ProjectSearchItem>;

async function searchFor(order: OrderRecord, parts: SubmitParts): Promise<Items> {
  const { inspectionNumber, policyNumber } = order.payload;
  const items: Items = new Map();
  if (inspectionNumber) {
    merge(items, await allPages({ inspectionNumber }, 0n, parts, (item) => mayBe(item.inspectionNumber, inspectionNumber)));
  }
  if (policyNumber) merge(items, await allPages({ policyNumber }, 0n, parts, (item) => mayBe(item.policyNumber, policyNumber)));
  if (!inspectionNumber && !policyNumber) {
    const bound = BigInt(order.idBound ?? 0);
    merge(items, await allPages({}, bound + 1n, parts, (item) => isAtAddress(item, order)));
  }
  return items;
}

/** Rule 4 compares addresses, which no search does: first the orders on record, then the service's own list. */
async function searchAddress(order: OrderRecord, parts: SubmitParts): Promise<Items> {
  const known = await knownAtAddress(order, parts.ledger, parts);
  if (known.size > 0) return known;
  return allPages({}, 0n, parts, (item) => isAtAddress(item, order), ADDRESS_PAGES_MAX);
}

async function knownAtAddress(order: OrderRecord, ledger: Ledger, parts: SubmitParts): Promise<Items> {
  const items: Items = new Map();
  for (const projectId of await ledger.projectsAtAddress(addressKey(order.payload))) {
    const status = await readOrAway(() => parts.client.getStatus(projectId), parts);
    if (status !== null) items.set(projectId, { id: projectId, status: status.status });
  }
  return items;
}

/** Pages to the empty page: a short one proves nothing. What the server matched is compared again here, exactly. */
async function allPages(
  query: Query,
  from: bigint,
  parts: SubmitParts,
  matches: (item: ProjectSearchItem) => boolean,
  pagesMax = Number.POSITIVE_INFINITY,
): Promise<Items> {
  const found: Items = new Map();
  let startId = from;
  for (let page = 0; page < pagesMax; page += 1) {
    const search = { ...query, startId: startId.toString(), limit: SEARCH_LIMIT_MAX };
    const items = (await readOrAway(() => parts.client.searchProjects(search), parts)) ?? [];
    const last = items.reduce((highest, item) => (BigInt(item.id) > highest ? BigInt(item.id) : highest), -1n);
    if (last < startId) break;
    for (const item of items) if (matches(item)) found.set(item.id, item);
    startId = last + 1n;
  }
  return found;
}

/** An item that does not show the field (the older sample of the document does not) is judged by its detail. */
function mayBe(shown: string | null | undefined, wanted: string): boolean {
  return shown === null || shown === undefined || shown.trim() === wanted.trim();
}

function isAtAddress(item: ProjectSearchItem, order: OrderRecord): boolean {
  const { streetAddress, city, state, zipcode } = item;
  return addressKey({ streetAddress: streetAddress ?? '', city: city ?? '', state: state ?? '', zipcode: (zipcode ?? '').padStart(5, '0') }) === addressKey(order.payload);
}

async function readInDetail(item: ProjectSearchItem, parts: SubmitParts): Promise<Candidate | null> {
  const detail = await readOrAway(() => parts.client.getProject(item.id), parts);
  return detail === null ? null : { detail, status: item.status ?? null };
}

function merge(into: Items, more: Items): void {
  for (const [id, item] of more) into.set(id, item);
}

/** The highest project id that the service shows, by a few searches of one item each; '0' where it shows none. Null where it is away. */
export async function highestVisibleProjectId(parts: ReadParts): Promise<string | null> {
  const at = async (startId: bigint): Promise<bigint | null> => {
    const first = (await readOrAway(() => parts.client.searchProjects({ startId: startId.toString(), limit: 1 }), parts))?.[0];
    return first === undefined ? null : BigInt(first.id);
  };
  try {
    let low = await at(0n);
    if (low === null) return '0';
    let gap = 1n;
    for (let next = await at(low + gap); next !== null; next = await at(low + gap)) {
      low = next;
      gap *= 2n;
    }
    // A project is at `low`; none is at `low + gap` or beyond.
    while (gap > 1n) {
      gap /= 2n;
      const next = await at(low + gap);
      if (next !== null) low = next;
    }
    return low.toString();
  } catch (failure) {
    if (failure instanceof ServiceAway) return null;
    throw failure;
  }
}
