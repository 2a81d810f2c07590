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
import type { Ledger, OrderedProject, OrderRecord, ProjectRecord, PolicyDetails } from '../ledger/ledger.ts';
import { isNotFinal } from '../ledger/orders.ts';
import type { ServiceClient } from '../service/client.ts';
import { ACCOUNT_SEARCH_PAGES_MAX, readOrThrow, searchPages } from '../service/reads.ts';
import {
  addressKeyOf,
  carriesReference,
  fold,
  foldField,
  isUnset,
  isNewerThanFirstAttempt,
  isSameOrder,
  KEY_FIELDS,
  isOtherTerm,
} from '../submit/order-and-project.ts';
import { SecondProjects } from './second-projects.ts';
import { codeOf, type Parts, sentence } from '../domain/sentences.ts';

/** rclone's marks: `=` equal; `-` recorded but missing; `+` present but not recorded; `*` different; `!` unknown. */
export type CensusMark = '=' | '-' | '+' | '*' | '!';

export type CensusLine = Readonly<{
  mark: CensusMark;
  about: 'ledger' | 'order' | 'project' | 'row' | 'file' | 'artifact' | 'delivery' | 'update';
  id: string;
  code: string;
  detail: string;
  isForPerson?: true;
}>;

export type CensusLineMaker = ReturnType<typeof censusLineFor>;

/** `code` also names the sentence. */
export function censusLineFor(about: CensusLine['about'], id: string | number) {
  return (mark: CensusMark, code: string, parts?: Parts) => ({
    mark,
    about,
    id: String(id),
    code: codeOf(code),
    detail: sentence(`census/${code}`, parts),
  });
}

export type CensusCounts = Readonly<Record<CensusMark, number>>;

export function countMarks(lines: readonly CensusLine[]) {
  const counts = { '=': 0, '-': 0, '+': 0, '*': 0, '!': 0 };
  for (const { mark } of lines) counts[mark] += 1;
  return counts;
}

export function describeCensusLine({ mark, about, id, detail }: CensusLine) {
  return `${mark} ${about} ${id}: ${detail}`;
}

export type CensusContext = Omit<RunContext, 'log'> &
  Readonly<{
    ledger: Ledger;
    client: Pick<ServiceClient, 'searchProjects' | 'getProject' | 'getStatus'>;
    root: string;
    archive: string;
  }>;

/** Project by project. Searches at least once, even if nothing was sent. Throws ServiceUnavailable. */
export async function* compareWithService(context: CensusContext) {
  const projects = projectsWithOrders(context);
  let next = await projects.next();
  const seconds = new SecondProjects(context);
  const marked = markedOrders(context);
  const amended = await context.ledger.amendedWithoutOrder();
  const lowest = await context.ledger.lowestIdBound();
  if (lowest === null) await readOrThrow(() => context.client.searchProjects({ limit: 1 }), context);
  for await (const page of lowest === null
    ? []
    : searchPages({}, await seconds.mayBeginAt(lowest), context, ACCOUNT_SEARCH_PAGES_MAX)) {
    // A page may show a project twice.
    for (const item of new Map(page.map((one) => [one.id, one])).values()) {
      while (next.done !== true && BigInt(next.value.projectId) < BigInt(item.id)) {
        yield* compareHidden(next.value, context);
        next = await projects.next();
      }
      if (next.done !== true && next.value.projectId === item.id) {
        yield* compareOrdered(next.value, item, context);
        next = await projects.next();
      } else yield* compareUnordered(item, amended.get(item.id) ?? null, { seconds, marked }, context);
    }
  }
  for (; next.done !== true; next = await projects.next()) yield* compareHidden(next.value, context);
  for (const project of await context.ledger.projectsMadeElsewhere()) yield await compareForeign(project, context);
}

async function compareForeign({ id, status }: ProjectRecord, context: CensusContext) {
  const line = censusLineFor('project', id);
  const shown = await readOrThrow(() => context.client.getStatus(id), context);
  if (shown === null) return line('-', 'project-unknown/made-elsewhere');
  if (contradicts(status, shown.status))
    return line('*', 'status-went-back', { what: 'it', status, shown: shown.status });
  return line('=', 'project-followed');
}

type ProjectWithOrders = Readonly<{
  projectId: string;
  holders: readonly OrderedProject[];
}>;

async function* projectsWithOrders({ ledger }: CensusContext) {
  let holders = [];
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

async function* compareHidden({ projectId, holders }: ProjectWithOrders, context: CensusContext) {
  const detail = await readOrThrow(() => context.client.getProject(projectId), context);
  if (detail === null) {
    for (const { order } of holders) yield censusLineFor('order', order.id)('-', 'project-unknown', { projectId });
    return;
  }
  const shown = await readOrThrow(() => context.client.getStatus(projectId), context);
  yield* compareHolders({ projectId, holders }, shown?.status ?? null, async (order) => compareProject(order, detail));
}

async function* compareOrdered(project: ProjectWithOrders, item: ProjectSearchItem, context: CensusContext) {
  yield* compareHolders(project, item.status ?? null, async (order) => {
    if (agreesWithItem(order, item)) return { wrong: null, remark: null };
    const detail = await readOrThrow(() => context.client.getProject(item.id), context);
    return detail === null ? { wrong: 'its details are unavailable', remark: null } : compareProject(order, detail);
  });
}

async function* compareHolders(
  { projectId, holders }: ProjectWithOrders,
  status: string | null,
  compare: (order: OrderRecord) => Promise<ProjectComparison>,
) {
  const owners = holders.filter(({ order }) => order.state === 'created');
  if (owners.length > 1) {
    const orders = owners.map(({ order }) => order.id).join(', ');
    yield censusLineFor('project', projectId)('*', 'project-shared', { count: owners.length, orders });
  }
  for (const holder of holders) yield await compareHolder(holder, status, compare);
}

async function compareHolder(
  holder: OrderedProject,
  status: string | null,
  compare: (order: OrderRecord) => Promise<ProjectComparison>,
) {
  const { order } = holder;
  const project = `project ${order.projectId}`;
  const line = censusLineFor('order', order.id);
  if (status !== null && contradicts(holder.status, status))
    return line('*', 'status-went-back', { what: `its ${project}`, status: holder.status ?? '', shown: status });
  if (order.state === 'linked') return line('=', 'order-linked', { project });
  if (!hasDetails(order.payload)) return line('=', 'details-forgotten', { project });
  const { wrong, remark } = await compare({ ...order, payload: { ...order.payload, ...holder.amended } });
  if (wrong !== null) return line('*', 'project-differs', { project, wrong });
  return remark === null
    ? line('=', 'order-created', { project })
    : line('=', 'order-created/reworded', { project, remark });
}

const ENDS = new Set(['Project Canceled', 'Client Received']);

/** The ledger may lag until the next collection, but an end that it recorded must be final. */
function contradicts(onRecord: string | null, shown: string) {
  return (
    onRecord !== null &&
    ENDS.has(onRecord) &&
    onRecord !== shown &&
    (CANCELABLE_STATUSES.includes(shown) || shown === 'Returned to Client')
  );
}

/**
 * Looks at a project that no order has; skips other users' projects. `before`: the values that our amendment replaced;
 * these are compared.
 */
async function* compareUnordered(
  shownItem: ProjectSearchItem,
  before: PolicyDetails | null,
  { seconds, marked }: { seconds: SecondProjects; marked: MarkedOrders },
  context: CensusContext,
) {
  const item = { ...shownItem, ...before };
  const isNumbered = !isUnset(item.inspectionNumber) || !isUnset(item.policyNumber);
  const shown = isNumbered ? await ordersLike(item, context) : null;
  if (shown === null ? !(await mayBeOurs(item, marked, context)) : shown.length === 0) return;
  const shownDetail = await readOrThrow(() => context.client.getProject(item.id), context);
  if (shownDetail === null) return;
  const detail = { ...shownDetail, ...before };
  const candidates = shown ?? [...(await ordersLike(detail, context)), ...(await marked.marking(detail))];
  const order =
    candidates.filter((candidate) => isOwn(candidate, detail)).toSorted((a, b) => rank(a) - rank(b))[0] ??
    (await seconds.orderLike(candidates, detail));
  if (order === undefined) return;
  if (item.status === 'Project Canceled' && !isNotFinal(order)) return;
  const amended = before === null ? '' : ', except for its amendment';
  yield order.projectId === null
    ? censusLineFor('project', item.id)('+', 'project-without-order', { order: order.id, state: order.state, amended })
    : censusLineFor('order', order.id)('*', 'second-project', { projectId: order.projectId, id: item.id, amended });
}

/**
 * An item without numbers: always if it lacks the fields; if they are empty, only if we sent orders without numbers.
 * Its address may be rewritten or hidden.
 */
async function mayBeOurs(item: ProjectSearchItem, marked: MarkedOrders, context: CensusContext) {
  if (item.inspectionNumber === undefined || item.policyNumber === undefined) return true;
  return (await marked.areAny()) || (await ordersLike(item, context)).length > 0;
}

async function ordersLike(shown: ProjectSearchItem | ProjectDetail, { ledger }: CensusContext) {
  const like = {
    inspectionNumber: shown.inspectionNumber ?? '',
    policyNumber: shown.policyNumber ?? '',
    addressKey: addressKeyOf(shown),
  };
  return (await ledger.ordersLike(like)).filter(({ idBound }) => idBound !== null);
}

/** By the order's reference, whatever its ID, or, after its first attempt, by its keys. */
function isOwn(order: OrderRecord, detail: ProjectDetail) {
  return (
    (order.reference !== null && carriesReference(order.reference, detail)) ||
    (isNewerThanFirstAttempt(order, detail) && belongsTo(order, detail))
  );
}

function rank(order: OrderRecord) {
  if (isNotFinal(order)) return 0;
  return order.projectId === null ? 1 : 2;
}

type MarkedOrders = ReturnType<typeof markedOrders>;

function markedOrders({ ledger }: CensusContext) {
  let read: Promise<ReadonlyMap<string, readonly { readonly id: number }[]>> | null = null;
  const byReference = () =>
    (read ??= ledger.markedOrders().then((orders) => Map.groupBy(orders, ({ reference }) => reference)));
  return {
    areAny: async () => (await byReference()).size > 0,
    marking: async (detail: ProjectDetail) => {
      const known = await byReference();
      const marked = referencesIn(detail).flatMap((reference) => known.get(reference) ?? []);
      return (await Promise.all(marked.map(({ id }) => ledger.order(id)))).filter((order) => order !== null);
    },
  };
}

function agreesWithItem({ payload }: OrderRecord, item: ProjectSearchItem) {
  const agrees = (shown: string | null | undefined, wanted: string | undefined) =>
    shown === undefined || (shown ?? '').trim() === (wanted ?? '').trim();
  return (
    agrees(item.policyNumber, payload.policyNumber) &&
    agrees(item.inspectionNumber, payload.inspectionNumber) &&
    (!hasDetails(payload) || addressKeyOf(item) === addressKey(payload))
  );
}

const CHOICES = { serviceName: SERVICE_NAMES, policyType: POLICY_TYPES } as const;
const WORDING = ['serviceName', 'policyType', 'houseType', 'insuredName'] as const;
const ADDRESS = ['streetAddress', 'city', 'state', 'zipcode'] as const;

type Field = (typeof KEY_FIELDS | typeof WORDING | typeof ADDRESS)[number];

/** Field names only: `status` shows the values. */
type ProjectComparison = Readonly<{
  wrong: string | null;
  /** Written in the service's own way, such as a street. */
  remark: string | null;
}>;

/**
 * It has the keys (numbers and date, or the reference) and the service. Address, names and kind of house may be in the
 * service's words.
 */
function compareProject({ payload, reference }: OrderRecord, detail: ProjectDetail) {
  const differs = (field: Field) => foldField(payload, field) !== foldField(detail, field);
  const odd = [...KEY_FIELDS, ...WORDING, ...(addressKeyOf(detail) === addressKey(payload) ? [] : ADDRESS)].filter(
    differs,
  );
  const isWrong = odd.some(
    (field) => (KEY_FIELDS as readonly Field[]).includes(field) || isAnotherChoice(field, detail),
  );
  if (isWrong) return { wrong: formatDifferences(odd), remark: null };
  if (reference !== null && !carriesReference(reference, detail))
    return { wrong: 'it does not carry the order’s reference', remark: null };
  return { wrong: null, remark: odd.length === 0 ? null : formatDifferences(odd) };
}

/** By reference or keys; without keys, only if exactly equal. */
function belongsTo(order: OrderRecord, detail: ProjectDetail) {
  if (order.reference !== null) return carriesReference(order.reference, detail);
  if (isOtherTerm(order.payload, detail)) return false;
  const hasNumber = Boolean(order.payload.inspectionNumber) || Boolean(order.payload.policyNumber);
  return hasNumber ? compareProject(order, detail).wrong === null : isSameOrder(order, detail);
}

function referencesIn({ note, inspectionNumber }: ProjectDetail) {
  const marks = [...(note ?? '').matchAll(/\[ref (IB-[^\]]+)\]/g)].map(([, reference = '']) => reference);
  return inspectionNumber ? [...marks, inspectionNumber] : marks;
}

/** An unlisted name may be the service's own. */
function isAnotherChoice(field: Field, detail: ProjectDetail) {
  if (field !== 'serviceName' && field !== 'policyType') return false;
  return CHOICES[field].some((name) => fold(name) === fold(detail[field]));
}

function formatDifferences(fields: readonly Field[]) {
  return `${fields.join(', ')} ${fields.length === 1 ? 'differs' : 'differ'}`;
}
