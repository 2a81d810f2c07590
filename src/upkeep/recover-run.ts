import type { CollectContext } from '../collect/collect-plan.ts';
import { sweepStatuses } from '../collect/sweep.ts';
import type { ProjectDetail, ProjectSearchItem } from '../contract/document.ts';
import { identityKind } from '../domain/identity.ts';
import type { OrderReason, OrderRecord, OrderState, ProjectLink, Recovery, PolicyDetails } from '../ledger/ledger.ts';
import { ordersInState } from '../ledger/orders.ts';
import {
  ACCOUNT_SEARCH_PAGES_MAX,
  firstSearchHit,
  readOrThrow,
  searchPages,
  ServiceUnavailable,
} from '../service/reads.ts';
import { highestVisibleProjectId, type SearchContext } from '../submit/find-projects.ts';
import { linkToProject } from '../submit/after-answer.ts';
import {
  fold,
  foldField,
  policyFieldOf,
  hasInspectionNumberOf,
  isUnset,
  isSameInspection,
  isNewerThanFirstAttempt,
  likenessOf,
  POLICY_FIELDS,
  type ShownPolicy,
  isOtherTerm,
} from '../submit/order-and-project.ts';
import {
  type ArchiveContext,
  recordExistingCorrections,
  takeInForgottenFiles,
  adoptStoredFiles,
} from './from-archive.ts';
import { sentence } from '../domain/sentences.ts';

// Restores later orders from the archive and the service: an old ledger would place them again.

export type RecoverContext = SearchContext &
  Omit<ArchiveContext, 'adopt' | 'adoptAmended'> &
  Pick<CollectContext, 'root' | 'store' | 'maxConcurrency' | 'onProgress' | 'images' | 'retryNights'>;

export type RecoverReport = Readonly<Awaited<ReturnType<typeof recoverLedger>>>;

const DAY_MS = 24 * 60 * 60 * 1000;
const DOUBT: OrderReason = {
  code: 'ledger-went-back',
  reason: sentence('recovered/back-in-time'),
};

/**
 * Sends nothing. Every step can be repeated after a kill. No run sends anything before it ends. Throws
 * ServiceUnavailable.
 */
export async function recoverLedger(recovery: Recovery, context: RecoverContext) {
  const { ledger } = context;
  const from = recovery.gapFrom ?? (await firstGap(recovery, context));
  const unclaimed = await UnclaimedProjects.between(from, null, context);
  const swept = await sweepStatuses(await ledger.followedProjects(), context);
  if (swept.stopped !== null) throw new ServiceUnavailable(swept.stopped);
  const matching = matchingOf(unclaimed, from, context);
  matching.count.amended += await noteAmendments(context);
  await matching.adopt();
  const archive = await takeInForgottenFiles({ ...context, ...matching });
  await recordExistingCorrections(context);
  await matching.holdDoubtful();
  const tied = await unclaimed.held();
  await ledger.recordStatuses(
    unclaimed.items.flatMap(({ id, status }) => (tied.has(id) && status ? [{ id, status }] : [])),
  );
  const received = await adoptStoredFiles(context);
  const { unresolved: inDoubt, held } = await ledger.orderCounts();
  await ledger.endRecovery();
  return {
    oldSince: recovery.oldSince,
    archive,
    ...matching.count,
    received,
    inDoubt,
    held,
  };
}

/** For this long, first attempts search before sending. The service compares as many days. */
const LOOK_BEFORE_DAYS = 30;

/**
 * A lost order may exist as a project without an order, and its row may come only now. Null if orders may be sent; else
 * why not (`stopped` is null if no order waits). Throws ServiceUnavailable.
 */
export async function checkBeforeSending(context: SearchContext & { readonly quarantineMs: number }) {
  const { ledger, clock, quarantineMs } = context;
  const recovery = await ledger.latestRecovery();
  if (recovery === null || recovery.endedAt === null || clock.now() > recovery.endedAt + LOOK_BEFORE_DAYS * DAY_MS)
    return null;
  const left = recovery.beganAt + quarantineMs - clock.now();
  if (left > 0) {
    const { ready, submitting, unresolved } = await ledger.orderCounts();
    const reason = sentence('recovered/wait', { seconds: Math.ceil(left / 1000) });
    return { stopped: ready + submitting + unresolved === 0 ? null : reason };
  }
  const from = recovery.gapFrom ?? '0';
  const to = recovery.gapTo ?? (await highestVisibleProjectId(context, from));
  if (to === null) throw new ServiceUnavailable('The service did not answer a search.');
  if (recovery.gapTo === null) await ledger.noteGap({ to });
  const unclaimed = await UnclaimedProjects.between(from, to, context);
  if ((await unclaimed.held()).size === unclaimed.items.length) return null;
  await matchingOf(unclaimed, from, context).adoptFirstAttempts();
  return null;
}

async function firstGap({ oldSince }: Recovery, context: RecoverContext) {
  const { ledger } = context;
  const known = BigInt((await ledger.highestProjectId()) ?? 0);
  let from = known;
  if (oldSince > 0) {
    // Seconds; read as milliseconds, they only show more. A day for clock differences.
    const createdTimeStart = Math.floor((oldSince - DAY_MS) / 1000);
    const first = await firstSearchHit({ createdTimeStart }, context);
    const since = first === undefined ? known : BigInt(first.id) - 1n;
    // Without that filter, the service shows its first project.
    if (since > from) from = since;
  }
  await ledger.noteGap({ from: from.toString() });
  return from.toString();
}

function matchingOf(unclaimed: UnclaimedProjects, bound: string, context: SearchContext) {
  const { ledger } = context;
  const count = { adopted: 0, amended: 0 };

  const each = async (states: readonly OrderState[], work: (order: OrderRecord) => Promise<void>) => {
    for (const state of states) for await (const order of ordersInState(state, ledger)) await work(order);
  };
  const tie = async (order: OrderRecord, found: FoundProject | null) => {
    if (found === null) return;
    const move = { to: 'created', project: found.tie, adopted: true } as const;
    if (!(await ledger.moveOrder(order.id, order.state, move))) return;
    count.adopted += 1;
    if (found.amended === null) return;
    count.amended += 1;
    await noteAmendment(found.tie.projectId, found.amended, order.payload, context);
  };
  const countEqual = async (...states: readonly OrderState[]) => {
    const counts = new Map<string, number>();
    await each(states, async ({ payloadHash: hash }) => void counts.set(hash, (counts.get(hash) ?? 0) + 1));
    return (order: OrderRecord) => counts.get(order.payloadHash) ?? 1;
  };
  const tieIn = async (...states: readonly OrderState[]) => {
    const equalTo = await countEqual(...states);
    await each(states, async (order) => tie(order, await unclaimed.projectOf(order, equalTo(order))));
  };
  const holdIfDoubtful = async (order: OrderRecord, { evenHeld }: { evenHeld: boolean }) => {
    const { payload, allowDuplication } = order;
    const ofOthers = evenHeld && !payload.inspectionNumber && Boolean(payload.policyNumber) && !allowDuplication;
    const project = await unclaimed.doubtfulProjectOf(order, { evenHeld: ofOthers });
    if (project === null) return;
    const reason = sentence('recovered/maybe', { project });
    await ledger.moveOrder(order.id, order.state, { to: 'held', code: 'made-since-backup', reason });
  };

  return {
    count,
    /** Any order that may have been placed is in doubt from here on. */
    adopt: async () => {
      await ledger.doubtReadyOrders(bound, DOUBT);
      await tieIn('unresolved', 'held');
    },
    adoptAmended: () => each(['unresolved'], async (order) => tie(order, await unclaimed.amendedProjectOf(order))),
    /** Without a matching number or reference a person decides: the order must have no double. */
    holdDoubtful: () => each(['unresolved'], (order) => holdIfDoubtful(order, { evenHeld: true })),
    /**
     * Orders in doubt come first: their possible projects must not go to unsent orders. A free project that only
     * resembles a new row waits for a person.
     */
    adoptFirstAttempts: async () => {
      await tieIn('unresolved');
      const equalTo = await countEqual('ready');
      await each(['ready'], async (order) => {
        if (order.attempts > 0) return;
        const found = await unclaimed.projectOf(order, equalTo(order));
        if (found === null) await holdIfDoubtful(order, { evenHeld: false });
        else if (await ledger.doubtOrder(order.id, bound, DOUBT)) await tie({ ...order, state: 'unresolved' }, found);
      });
    },
  };
}

async function noteAmendments(context: SearchContext) {
  let amended = 0;
  const followed = new Set((await context.ledger.followedProjects()).map(({ id }) => id));
  for await (const { order, amended: known } of context.ledger.orderedProjects()) {
    if (order.state !== 'created' || !followed.has(order.projectId)) continue;
    const detail = await readOrThrow(() => context.client.getProject(order.projectId), context);
    const difference = detail === null ? null : differenceOf({ ...order.payload, ...known }, detail);
    if (difference === null) continue;
    await noteAmendment(order.projectId, difference, { ...order.payload, ...known }, context);
    amended += 1;
  }
  return amended;
}

async function noteAmendment(
  projectId: string,
  amended: PolicyDetails,
  before: ShownPolicy,
  { ledger }: SearchContext,
) {
  const held = { policyNumber: before.policyNumber ?? '', policyEffectiveDate: before.policyEffectiveDate ?? '' };
  const request = { kind: 'amend', ...amended } as const;
  const id = await ledger.beginUpdate({ projectId, request, before: held, source: null });
  if (id !== null) await ledger.endUpdate(id, { to: 'done', status: null, settled: true });
}

type FoundProject = Readonly<{
  tie: ProjectLink;
  amended: PolicyDetails | null;
}>;

/**
 * Of an ID range. Checks each time which of them an order holds, so each is found at most once. Reads throw
 * ServiceUnavailable.
 */
class UnclaimedProjects {
  readonly #context;
  readonly items;
  readonly #byNumber = new Map<string, ProjectSearchItem[]>();
  readonly #unnumbered: ProjectSearchItem[] = [];
  readonly #details = new Map<string, ProjectDetail | null>();

  private constructor(context: SearchContext, items: readonly ProjectSearchItem[]) {
    this.#context = context;
    this.items = items;
    for (const item of items) {
      for (const key of keysOf(item)) this.#byNumber.set(key, [...(this.#byNumber.get(key) ?? []), item]);
      if (isUnset(item.inspectionNumber) && (isUnset(item.policyNumber) || item.inspectionNumber === undefined))
        this.#unnumbered.push(item);
    }
  }

  static async between(from: string, to: string | null, context: SearchContext) {
    const items = [];
    for await (const page of searchPages({}, BigInt(from) + 1n, context, ACCOUNT_SEARCH_PAGES_MAX)) {
      const inRange = page.filter(({ id }) => to === null || BigInt(id) <= BigInt(to));
      items.push(...inRange);
      if (inRange.length < page.length) break;
    }
    return new UnclaimedProjects(context, items);
  }

  held() {
    return this.#context.ledger.projectsOfOtherOrders(
      0,
      this.items.map(({ id }) => id),
    );
  }

  /**
   * By an exact match, else a likely one. Equal orders find theirs one by one, in the order of take-in. Null if more
   * projects than orders are equal.
   */
  async projectOf(order: OrderRecord, equalOrders: number) {
    const candidates = await this.#free(this.#numberedLike(order), order);
    for (const likeness of ['exact', 'likely'] as const) {
      const alike = candidates.filter((candidate) => likenessOf(order, candidate) === likeness);
      if (alike.length > (order.state === 'held' ? 1 : equalOrders)) return null;
      if (alike[0] !== undefined) return this.#found(alike[0], order.payload);
    }
    return null;
  }

  /**
   * An order with a number whose policy was amended: the same inspection number or none, house, insured, service and
   * kind of policy, created since, and free. Null unless exactly one matches.
   */
  async amendedProjectOf(order: OrderRecord) {
    const { payload } = order;
    if (identityKind(payload) === 'address') return null;
    const alike = this.items.filter((item) => hasInspectionNumberOf(payload, item));
    const same = (await this.#free(alike, order)).filter(
      (detail) =>
        hasInspectionNumberOf(payload, detail) &&
        isSameInspection(order, detail, 'surely') &&
        detail.policyType === payload.policyType &&
        !isOtherTerm(payload, detail),
    );
    const [detail] = same;
    return detail === undefined || same.length > 1 ? null : this.#found(detail, payload);
  }

  /** A project that may be this order's: same house, other values may differ. `evenHeld`: also one of another order. */
  async doubtfulProjectOf(order: OrderRecord, { evenHeld }: { evenHeld: boolean }) {
    const items = this.items.filter(
      (item) =>
        hasInspectionNumberOf(order.payload, item) ||
        (isUnset(item.inspectionNumber) ? order.allowDuplication : !order.payload.inspectionNumber),
    );
    // An effective date may be amended, so it excludes no free project. For another order's project, it excludes last
    // year's.
    const { dueDate } = order.payload;
    const mayBe = (detail: ProjectDetail) =>
      isSameInspection(order, detail, 'maybe') && !isOtherTerm({ dueDate }, detail);
    const free = (await this.#free(items, order)).find(mayBe);
    if (free !== undefined || !evenHeld) return free?.id ?? null;
    const held = await this.#free(items, order, true);
    return held.find((detail) => mayBe(detail) && !isOtherTerm(order.payload, detail))?.id ?? null;
  }

  #numberedLike({ payload, reference }: OrderRecord) {
    if (reference !== null)
      return this.items.filter(
        ({ inspectionNumber }) => isUnset(inspectionNumber) || fold(inspectionNumber) === fold(reference),
      );
    return [...new Set([...keysOf(payload).flatMap((key) => this.#byNumber.get(key) ?? []), ...this.#unnumbered])];
  }

  /** Newer than the order's first attempt, oldest first. */
  async #free(items: readonly ProjectSearchItem[], order: OrderRecord, evenHeld = false) {
    const newer = items.filter((item) => isNewerThanFirstAttempt(order, item));
    const held = evenHeld
      ? new Set<string>()
      : await this.#context.ledger.projectsOfOtherOrders(
          order.id,
          newer.map(({ id }) => id),
        );
    const details = [];
    for (const { id } of newer.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))) {
      const detail = held.has(id) ? null : await this.#detail(id);
      if (detail !== null) details.push(detail);
    }
    return details;
  }

  async #detail(id: string) {
    const known = this.#details.get(id);
    if (known !== undefined) return known;
    const detail = await readOrThrow(() => this.#context.client.getProject(id), this.#context);
    this.#details.set(id, detail);
    return detail;
  }

  #found(detail: ProjectDetail, sent: ShownPolicy) {
    const status = this.items.find(({ id }) => id === detail.id)?.status;
    return { tie: linkToProject(detail, status || null), amended: differenceOf(sent, detail) };
  }
}

function differenceOf(sent: ShownPolicy, detail: ProjectDetail) {
  const fields = POLICY_FIELDS.filter(
    (field) => detail[field] !== undefined && foldField(detail, field) !== foldField(sent, field),
  );
  return fields.length === 0 ? null : Object.fromEntries(fields.map((field) => [field, policyFieldOf(detail, field)]));
}

function keysOf(numbered: Pick<ProjectSearchItem, 'inspectionNumber' | 'policyNumber'>) {
  return (['inspectionNumber', 'policyNumber'] as const).flatMap((kind) =>
    isUnset(numbered[kind]) ? [] : `${kind} ${fold(numbered[kind])}`,
  );
}
