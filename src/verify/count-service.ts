import type { ProjectDetail, ProjectSearchItem } from '../contract/project.ts';
import { CANCELABLE_STATUSES } from '../contract/status.ts';
import { hasDetails } from '../domain/forgotten-details.ts';
import type { HeldProject } from '../ledger/census-book.ts';
import type { OrderRecord } from '../ledger/order-record.ts';
import { SEARCH_PAGES_OF_AN_ACCOUNT_MAX } from '../service/limits.ts';
import { readOrAway } from '../service/read-or-away.ts';
import { searchPages } from '../service/search-pages.ts';
import type { CensusLine } from './census.ts';
import { addressOf, agreesWithItem, asAmended, belongsTo, compareProject, type Comparison } from './compare-project.ts';
import { MarkedOrders } from './marked-orders.ts';
import type { CensusParts } from './parts.ts';

/**
 * Every order that has a project against the service, and every project there that could be an order's against the ledger: both lists go
 * by id, side by side, so that neither has to be held in memory. The service is asked even where nothing was sent yet. Throws ServiceAway.
 */
export async function* countService(parts: CensusParts): AsyncIterable<CensusLine> {
  const held = heldById(parts);
  let next = await held.next();
  const marked = new MarkedOrders(parts);
  const start = await parts.ledger.lowestIdBound();
  if (start === null) await readOrAway(() => parts.client.searchProjects({ limit: 1 }), parts);
  for await (const page of start === null ? [] : searchPages({}, BigInt(start), parts, SEARCH_PAGES_OF_AN_ACCOUNT_MAX)) {
    for (const item of page) {
      while (next.done !== true && BigInt(next.value.projectId) < BigInt(item.id)) {
        yield* notShown(next.value, parts);
        next = await held.next();
      }
      if (next.done !== true && next.value.projectId === item.id) {
        yield* compared(next.value, item, parts);
        next = await held.next();
      } else yield* stranger(item, marked, parts);
    }
  }
  for (; next.done !== true; next = await held.next()) yield* notShown(next.value, parts);
}

/** A project with all the orders that have it. */
interface Held {
  readonly projectId: string;
  readonly holders: readonly HeldProject[];
}

async function* heldById({ ledger }: CensusParts): AsyncGenerator<Held, undefined> {
  let holders: HeldProject[] = [];
  for await (const one of ledger.heldProjects()) {
    const [first] = holders;
    if (first !== undefined && first.order.projectId !== one.order.projectId) {
      yield { projectId: first.order.projectId, holders };
      holders = [];
    }
    holders.push(one);
  }
  const [first] = holders;
  if (first !== undefined) yield { projectId: first.order.projectId, holders };
}

/** What a search does not show may be there all the same. */
async function* notShown({ projectId, holders }: Held, parts: CensusParts): AsyncIterable<CensusLine> {
  const detail = await readOrAway(() => parts.client.getProject(projectId), parts);
  if (detail === null) {
    yield* holders.map(({ order }): CensusLine => ({ mark: '-', about: 'order', id: String(order.id), detail: `the service does not know its project ${projectId}` }));
    return;
  }
  const shown = await readOrAway(() => parts.client.getStatus(projectId), parts);
  yield* ofHolders({ projectId, holders }, shown?.status ?? null, async (holder) => compareProject(asAmended(holder), detail));
}

async function* compared(held: Held, item: ProjectSearchItem, parts: CensusParts): AsyncIterable<CensusLine> {
  yield* ofHolders(held, item.status ?? null, async (holder) => {
    const order = asAmended(holder);
    if (agreesWithItem(order, item)) return { wrong: null, remark: null };
    const detail = await readOrAway(() => parts.client.getProject(item.id), parts);
    return detail === null ? { wrong: 'its details are not to be had', remark: null } : compareProject(order, detail);
  });
}

async function* ofHolders({ projectId, holders }: Held, status: string | null, compare: (holder: HeldProject) => Promise<Comparison>): AsyncIterable<CensusLine> {
  const owners = holders.filter(({ order }) => order.state === 'created');
  if (owners.length > 1) {
    yield { mark: '*', about: 'project', id: projectId, detail: `it is the project of ${owners.length} orders: ${owners.map(({ order }) => order.id).join(', ')}` };
  }
  for (const holder of holders) yield await ofHolder(holder, status, compare);
}

async function ofHolder(holder: HeldProject, status: string | null, compare: (holder: HeldProject) => Promise<Comparison>): Promise<CensusLine> {
  const { order } = holder;
  const line = { about: 'order', id: String(order.id) } as const;
  if (status !== null && contradicts(holder.status, status)) {
    return { ...line, mark: '*', detail: `its project ${order.projectId} is on record as ${holder.status ?? ''}, and the service shows ${status}` };
  }
  if (order.state === 'linked') return { ...line, mark: '=', detail: `it is tied to project ${order.projectId}, which stood there already` };
  if (!hasDetails(order.payload)) return { ...line, mark: '=', detail: `project ${order.projectId} is its own; its details are forgotten` };
  const { wrong, remark } = await compare(holder);
  if (wrong !== null) return { ...line, mark: '*', detail: `project ${order.projectId} is not what it asked for: ${wrong}` };
  return { ...line, mark: '=', detail: `project ${order.projectId} is its own${remark === null ? '' : `, in the service’s own words: ${remark}`}` };
}

const ENDS: ReadonlySet<string> = new Set(['Project Canceled', 'Client Received']);

/** The ledger may be behind the service until the next collection, but it never saw an end that is none. */
function contradicts(onRecord: string | null, shown: string): boolean {
  return onRecord !== null && ENDS.has(onRecord) && onRecord !== shown && (CANCELABLE_STATUSES.includes(shown) || shown === 'Returned to Client');
}

/** A project that no order has: is it one that an order on record asked for? Others' projects are none of ours. */
async function* stranger(item: ProjectSearchItem, marked: MarkedOrders, parts: CensusParts): AsyncIterable<CensusLine> {
  const isNumbered = !isBlank(item.inspectionNumber) || !isBlank(item.policyNumber);
  const shown = isNumbered ? await ordersLike(item, parts) : null;
  if (shown === null ? !(await mayBeOurs(item, marked, parts)) : shown.length === 0) return;
  const detail = await readOrAway(() => parts.client.getProject(item.id), parts);
  if (detail === null) return;
  const candidates = shown ?? [...(await ordersLike(detail, parts)), ...(await marked.marking(detail))];
  const order = candidates.filter((candidate) => isNewerThan(candidate, item) && belongsTo(candidate, detail)).toSorted((a, b) => rank(a) - rank(b))[0];
  if (order === undefined) return;
  const isCanceled = item.status === 'Project Canceled';
  if (isCanceled && !isInDoubt(order)) return;
  yield order.projectId === null
    ? { mark: '+', about: 'project', id: item.id, detail: `it is what order ${order.id} asked for (${order.state}), and no order has it` }
    : { mark: '*', about: 'order', id: String(order.id), detail: `it has project ${order.projectId}, and project ${item.id} is the same: two projects for one order. If one is too many, cancel it` };
}

/**
 * Whether an item that shows neither number is worth a look at its detail: one that does not show the fields always, one that shows them empty
 * where orders without a number were sent. Its address does not tell: it may be written in another way, or not be shown.
 */
async function mayBeOurs(item: ProjectSearchItem, marked: MarkedOrders, parts: CensusParts): Promise<boolean> {
  if (item.inspectionNumber === undefined || item.policyNumber === undefined) return true;
  return (await marked.areAny()) || (await ordersLike(item, parts)).length > 0;
}

async function ordersLike(shown: ProjectSearchItem | ProjectDetail, { ledger }: CensusParts): Promise<readonly OrderRecord[]> {
  const like = { inspectionNumber: shown.inspectionNumber ?? '', policyNumber: shown.policyNumber ?? '', addressKey: addressOf(shown) };
  return (await ledger.ordersLike(like)).filter((order) => isNewerThan(order, shown));
}

/** Whether the project came after the order's first attempt was begun. */
function isNewerThan({ idBound }: OrderRecord, { id }: { readonly id: string }): boolean {
  return idBound !== null && BigInt(id) > BigInt(idBound);
}

function isBlank(shown: string | null | undefined): boolean {
  return (shown ?? '').trim() === '';
}

/** An order that looks for its project comes before one that has one. */
function rank(order: OrderRecord): number {
  if (isInDoubt(order)) return 0;
  return order.projectId === null ? 1 : 2;
}

function isInDoubt({ state }: OrderRecord): boolean {
  return state === 'submitting' || state === 'unresolved' || state === 'held' || state === 'ready';
}
