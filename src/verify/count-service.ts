import {
  CANCELABLE_STATUSES,
  POLICY_TYPES,
  type ProjectDetail,
  type ProjectSearchItem,
  SERVICE_NAMES,
} from '../contract/document.ts';
import { addressKey } from '../domain/identity.ts';
import type { RunContext } from '../domain/ports.ts';
import { hasDetails } from '../domain/row.ts';
import type { OrderedProject } from '../ledger/census.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { everyOrderIn, type OrderRecord, type OrderState } from '../ledger/orders.ts';
import type { ProjectRecord } from '../ledger/projects.ts';
import type { PolicyDetails } from '../ledger/updates.ts';
import type { ServiceClient } from '../service/client.ts';
import { SEARCH_PAGES_OF_AN_ACCOUNT_MAX } from '../service/limits.ts';
import { readOrAway, searchPages } from '../service/reads.ts';
import { addressOf, carriesReference, folded, foldedIn, isBlank, isSameOrder } from '../submit/same-order.ts';
import { SecondProjects } from './second-projects.ts';
import { isOfAnotherTerm } from '../submit/repeat-or-renewal.ts';

/**
 * rclone's marks: `=` both sides agree; `-` on record, and missing where it should be; `+` there, and not on record; `*` on both sides,
 * and not the same; `!` could not be told.
 */
export type Mark = '=' | '-' | '+' | '*' | '!';

/** One thing that was counted. */
export interface CensusLine {
  readonly mark: Mark;
  readonly about: 'ledger' | 'order' | 'project' | 'row' | 'file' | 'artifact' | 'delivery' | 'update';
  readonly id: string;
  /** What was found, in a sentence. */
  readonly detail: string;
  /** A person has to decide: no run and no later census can. */
  readonly isForPerson?: true;
}

export type CensusCounts = Readonly<Record<Mark, number>>;

export function countMarks(lines: readonly CensusLine[]): CensusCounts {
  const counts = { '=': 0, '-': 0, '+': 0, '*': 0, '!': 0 };
  for (const { mark } of lines) counts[mark] += 1;
  return counts;
}

/** `= order 12: project 100012 is its own`. */
export function lineInWords({ mark, about, id, detail }: CensusLine): string {
  return `${mark} ${about} ${id}: ${detail}`;
}

/** What a census is taken with. Nothing in it writes. */
export interface CensusContext extends Omit<RunContext, 'log'> {
  readonly ledger: Ledger;
  readonly client: Pick<ServiceClient, 'searchProjects' | 'getProject' | 'getStatus'>;
  /** The workspace's root: paths in the ledger are relative to it. */
  readonly root: string;
  /** The workspace's `archive/`, an absolute path. */
  readonly archive: string;
}

/**
 * Every order that has a project against the service, and every project there that could be an order's against the ledger: both lists go
 * in order of id, side by side, so that neither need be kept in memory. The service is asked even where nothing was sent yet. Throws ServiceAway.
 */
export async function* countService(context: CensusContext): AsyncIterable<CensusLine> {
  const projects = projectsWithOrders(context);
  let next = await projects.next();
  const seconds = new SecondProjects(context);
  const marked = new MarkedOrders(context);
  const amended = await context.ledger.amendedWithoutOrder();
  const lowest = await context.ledger.lowestIdBound();
  if (lowest === null) await readOrAway(() => context.client.searchProjects({ limit: 1 }), context);
  for await (const page of lowest === null
    ? []
    : searchPages({}, await seconds.mayBeginAt(lowest), context, SEARCH_PAGES_OF_AN_ACCOUNT_MAX)) {
    for (const item of page) {
      while (next.done !== true && BigInt(next.value.projectId) < BigInt(item.id)) {
        yield* notShown(next.value, context);
        next = await projects.next();
      }
      if (next.done !== true && next.value.projectId === item.id) {
        yield* compared(next.value, item, context);
        next = await projects.next();
      } else yield* stranger(item, amended.get(item.id) ?? null, { seconds, marked }, context);
    }
  }
  for (; next.done !== true; next = await projects.next()) yield* notShown(next.value, context);
  for (const project of await context.ledger.projectsMadeElsewhere()) yield await madeElsewhere(project, context);
}

/** No order tells what it should be; that it is there, and where it stands, can be compared. */
async function madeElsewhere({ id, status }: ProjectRecord, context: CensusContext): Promise<CensusLine> {
  const line = { about: 'project', id } as const;
  const shown = await readOrAway(() => context.client.getStatus(id), context);
  if (shown === null)
    return { ...line, mark: '-', detail: 'it was made elsewhere and is followed, and the service does not know it' };
  if (contradicts(status, shown.status))
    return { ...line, mark: '*', detail: `it is on record as ${status}, and the service shows ${shown.status}` };
  return { ...line, mark: '=', detail: 'it was made elsewhere, and is followed' };
}

/** A project with all the orders that have it. */
interface ProjectWithOrders {
  readonly projectId: string;
  readonly holders: readonly OrderedProject[];
}

async function* projectsWithOrders({ ledger }: CensusContext): AsyncGenerator<ProjectWithOrders, undefined> {
  let holders: OrderedProject[] = [];
  for await (const one of ledger.orderedProjects()) {
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

/** A project that the search did not show may exist all the same. */
async function* notShown({ projectId, holders }: ProjectWithOrders, context: CensusContext): AsyncIterable<CensusLine> {
  const detail = await readOrAway(() => context.client.getProject(projectId), context);
  if (detail === null) {
    yield* holders.map(({ order }): CensusLine => ({
      mark: '-',
      about: 'order',
      id: String(order.id),
      detail: `the service does not know its project ${projectId}`,
    }));
    return;
  }
  const shown = await readOrAway(() => context.client.getStatus(projectId), context);
  yield* ofHolders({ projectId, holders }, shown?.status ?? null, async (holder) =>
    compareProject(asAmended(holder), detail),
  );
}

async function* compared(
  project: ProjectWithOrders,
  item: ProjectSearchItem,
  context: CensusContext,
): AsyncIterable<CensusLine> {
  yield* ofHolders(project, item.status ?? null, async (holder) => {
    const order = asAmended(holder);
    if (agreesWithItem(order, item)) return { wrong: null, remark: null };
    const detail = await readOrAway(() => context.client.getProject(item.id), context);
    return detail === null ? { wrong: 'its details are not to be had', remark: null } : compareProject(order, detail);
  });
}

async function* ofHolders(
  { projectId, holders }: ProjectWithOrders,
  status: string | null,
  compare: (holder: OrderedProject) => Promise<Comparison>,
): AsyncIterable<CensusLine> {
  const owners = holders.filter(({ order }) => order.state === 'created');
  if (owners.length > 1) {
    yield {
      mark: '*',
      about: 'project',
      id: projectId,
      detail: `it is the project of ${owners.length} orders: ${owners.map(({ order }) => order.id).join(', ')}`,
    };
  }
  for (const holder of holders) yield await ofHolder(holder, status, compare);
}

async function ofHolder(
  holder: OrderedProject,
  status: string | null,
  compare: (holder: OrderedProject) => Promise<Comparison>,
): Promise<CensusLine> {
  const { order } = holder;
  const line = { about: 'order', id: String(order.id) } as const;
  if (status !== null && contradicts(holder.status, status)) {
    return {
      ...line,
      mark: '*',
      detail: `its project ${order.projectId} is on record as ${holder.status ?? ''}, and the service shows ${status}`,
    };
  }
  if (order.state === 'linked')
    return { ...line, mark: '=', detail: `it is tied to project ${order.projectId}, which existed already` };
  if (!hasDetails(order.payload))
    return { ...line, mark: '=', detail: `project ${order.projectId} is its own; its details are forgotten` };
  const { wrong, remark } = await compare(holder);
  if (wrong !== null)
    return { ...line, mark: '*', detail: `project ${order.projectId} is not what it asked for: ${wrong}` };
  return {
    ...line,
    mark: '=',
    detail: `project ${order.projectId} is its own${remark === null ? '' : `, in the service’s own words: ${remark}`}`,
  };
}

const ENDS: ReadonlySet<string> = new Set(['Project Canceled', 'Client Received']);

/** The ledger may be behind the service until the next collection, but it never saw an end that is none. */
function contradicts(onRecord: string | null, shown: string): boolean {
  return (
    onRecord !== null &&
    ENDS.has(onRecord) &&
    onRecord !== shown &&
    (CANCELABLE_STATUSES.includes(shown) || shown === 'Returned to Client')
  );
}

/**
 * A project that no order has: is it one that an order on record asked for? Others' projects are none of ours. `before`: what one held that was
 * amended from here; as that it is compared.
 */
async function* stranger(
  shownItem: ProjectSearchItem,
  before: PolicyDetails | null,
  { seconds, marked }: { readonly seconds: SecondProjects; readonly marked: MarkedOrders },
  context: CensusContext,
): AsyncIterable<CensusLine> {
  const item = { ...shownItem, ...before };
  const isNumbered = !isBlank(item.inspectionNumber) || !isBlank(item.policyNumber);
  const shown = isNumbered ? await ordersLike(item, context) : null;
  if (shown === null ? !(await mayBeOurs(item, marked, context)) : shown.length === 0) return;
  const shownDetail = await readOrAway(() => context.client.getProject(item.id), context);
  if (shownDetail === null) return;
  const detail = { ...shownDetail, ...before };
  const candidates = shown ?? [...(await ordersLike(detail, context)), ...(await marked.marking(detail))];
  const order =
    candidates.filter((candidate) => isOwn(candidate, detail)).toSorted((a, b) => rank(a) - rank(b))[0] ??
    (await seconds.orderLike(candidates, detail));
  if (order === undefined) return;
  const isCanceled = item.status === 'Project Canceled';
  if (isCanceled && !isInDoubt(order)) return;
  const amended = before === null ? '' : ', but for its amendment';
  yield order.projectId === null
    ? {
        mark: '+',
        about: 'project',
        id: item.id,
        detail: `it is what order ${order.id} asked for (${order.state})${amended}, and no order has it`,
      }
    : {
        mark: '*',
        about: 'order',
        id: String(order.id),
        detail: `it has project ${order.projectId}, and project ${item.id} is the same${amended}: two projects for one order. If one is too many, cancel it`,
      };
}

/**
 * Whether an item that shows neither number is worth a look at its detail: one that does not show the fields always, one that shows them empty
 * where orders without a number were sent. Its address does not tell: it may be written in another way, or not be shown.
 */
async function mayBeOurs(item: ProjectSearchItem, marked: MarkedOrders, context: CensusContext): Promise<boolean> {
  if (item.inspectionNumber === undefined || item.policyNumber === undefined) return true;
  return (await marked.areAny()) || (await ordersLike(item, context)).length > 0;
}

async function ordersLike(
  shown: ProjectSearchItem | ProjectDetail,
  { ledger }: CensusContext,
): Promise<readonly OrderRecord[]> {
  const like = {
    inspectionNumber: shown.inspectionNumber ?? '',
    policyNumber: shown.policyNumber ?? '',
    addressKey: addressOf(shown),
  };
  return (await ledger.ordersLike(like)).filter(({ idBound }) => idBound !== null);
}

/** What carries the order's reference is its own, or its second one, whatever its id; what came after the first attempt, where it has the order's keys. */
function isOwn(order: OrderRecord, detail: ProjectDetail): boolean {
  return (
    (order.reference !== null && carriesReference(order.reference, detail)) ||
    (isNewerThan(order, detail) && belongsTo(order, detail))
  );
}

/** Whether the project came after the order's first attempt was begun. */
function isNewerThan({ idBound }: OrderRecord, { id }: { readonly id: string }): boolean {
  return idBound !== null && BigInt(id) > BigInt(idBound);
}

/** An order that looks for its project comes before one that has one. */
function rank(order: OrderRecord): number {
  if (isInDoubt(order)) return 0;
  return order.projectId === null ? 1 : 2;
}

function isInDoubt({ state }: OrderRecord): boolean {
  return state === 'submitting' || state === 'unresolved' || state === 'held' || state === 'ready';
}

const STATES = [
  'ready',
  'submitting',
  'created',
  'linked',
  'skipped',
  'refused',
  'unresolved',
  'held',
  'abandoned',
] as const satisfies readonly OrderState[];

/** The orders for which the service has no key, by the reference that marks them. Read when first needed: most censuses never do. */
class MarkedOrders {
  readonly #ledger: CensusContext['ledger'];
  #read: Promise<ReadonlyMap<string, readonly number[]>> | null = null;

  constructor({ ledger }: CensusContext) {
    this.#ledger = ledger;
  }

  /** Whether any of them was sent. */
  async areAny(): Promise<boolean> {
    return (await this.#byReference()).size > 0;
  }

  /** Those whose reference the project carries. */
  async marking(detail: ProjectDetail): Promise<readonly OrderRecord[]> {
    const byReference = await this.#byReference();
    const ids = referencesIn(detail).flatMap((reference) => byReference.get(reference) ?? []);
    const orders = await Promise.all(ids.map((id) => this.#ledger.order(id)));
    return orders.filter((order) => order !== null);
  }

  #byReference(): Promise<ReadonlyMap<string, readonly number[]>> {
    this.#read ??= this.#readAll();
    return this.#read;
  }

  async #readAll(): Promise<ReadonlyMap<string, readonly number[]>> {
    const found = new Map<string, number[]>();
    for (const state of STATES) {
      for await (const { id, reference, idBound } of everyOrderIn(state, this.#ledger)) {
        if (reference === null || idBound === null) continue;
        const before = found.get(reference);
        if (before === undefined) found.set(reference, [id]);
        else before.push(id);
      }
    }
    return found;
  }
}

/** The order as its project stands since it was amended. */
function asAmended({ order, amended }: Pick<OrderedProject, 'order' | 'amended'>): OrderRecord {
  return { ...order, payload: { ...order.payload, ...amended } };
}

/** Whether all that a search shows of a project is what the order asked for; a field it does not show says nothing. */
function agreesWithItem({ payload }: OrderRecord, item: ProjectSearchItem): boolean {
  const agrees = (shown: string | null | undefined, wanted: string | undefined): boolean =>
    shown === undefined || (shown ?? '').trim() === (wanted ?? '').trim();
  return (
    agrees(item.policyNumber, payload.policyNumber) &&
    agrees(item.inspectionNumber, payload.inspectionNumber) &&
    (!hasDetails(payload) || addressOf(item) === addressKey(payload))
  );
}

type Field =
  | 'inspectionNumber'
  | 'policyNumber'
  | 'policyEffectiveDate'
  | 'serviceName'
  | 'policyType'
  | 'houseType'
  | 'insuredName'
  | 'streetAddress'
  | 'city'
  | 'state'
  | 'zipcode';

/** Fields that nobody rewrites: an order's project carries them as they were sent. */
const KEYS: readonly Field[] = ['inspectionNumber', 'policyNumber', 'policyEffectiveDate'];
const CHOICES = { serviceName: SERVICE_NAMES, policyType: POLICY_TYPES } as const;
const WORDING: readonly Field[] = ['serviceName', 'policyType', 'houseType', 'insuredName'];
const ADDRESS: readonly Field[] = ['streetAddress', 'city', 'state', 'zipcode'];

/** How a project compares with the order that has it. Names of fields only: what they hold is for `status` to show. */
export interface Comparison {
  /** Why it is not what the order asked for; null where it is. */
  readonly wrong: string | null;
  /** What the service tells in words of its own, such as a street as the post writes it; null where there is nothing. */
  readonly remark: string | null;
}

/**
 * An order's own project carries its keys: both numbers and the date, for an order with neither number the reference; and it is for no other
 * service than the one ordered. Address, names and kind of house may be in the service's words.
 */
function compareProject({ payload, reference }: OrderRecord, detail: ProjectDetail): Comparison {
  const differs = (field: Field): boolean => foldedIn(payload, field) !== foldedIn(detail, field);
  const sameAddress = addressOf(detail) === addressKey(payload);
  const odd = [...KEYS, ...WORDING, ...(sameAddress ? [] : ADDRESS)].filter(differs);
  const isWrong = odd.some((field) => KEYS.includes(field) || isAnotherChoice(field, detail));
  if (isWrong) return { wrong: inWords(odd), remark: null };
  if (reference !== null && !carriesReference(reference, detail))
    return { wrong: 'it does not carry the order’s reference', remark: null };
  return { wrong: null, remark: odd.length === 0 ? null : inWords(odd) };
}

/** Whether a project that no order has is one that this order asked for: by its reference or its keys, without either to the letter. */
function belongsTo(order: OrderRecord, detail: ProjectDetail): boolean {
  if (order.reference !== null) return carriesReference(order.reference, detail);
  if (isOfAnotherTerm(order.payload, detail)) return false;
  const hasNumber = Boolean(order.payload.inspectionNumber) || Boolean(order.payload.policyNumber);
  return hasNumber ? compareProject(order, detail).wrong === null : isSameOrder(order, detail);
}

/** Every reference that a project carries: in its note, where `mark` writes it, or as its inspection number, where `mint` does. */
function referencesIn({ note, inspectionNumber }: ProjectDetail): readonly string[] {
  const marks = [...(note ?? '').matchAll(/\[ref (IB-[^\]]+)\]/g)].map(([, reference = '']) => reference);
  return inspectionNumber ? [...marks, inspectionNumber] : marks;
}

/** Whether it is another one of the document's list. A name that is not in it is a word of the service's own. */
function isAnotherChoice(field: Field, detail: ProjectDetail): boolean {
  if (field !== 'serviceName' && field !== 'policyType') return false;
  return CHOICES[field].some((name) => folded(name) === folded(detail[field]));
}

function inWords(fields: readonly Field[]): string {
  return `${fields.join(', ')} ${fields.length === 1 ? 'differs' : 'differ'}`;
}
