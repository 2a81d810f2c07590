import { type CreateProjectRequest, DUPLICATE_WINDOW_DAYS } from '../../src/contract/document.ts';
import { addressKey, houseKey, identityKind, identityOf, isSameHouse, payloadHash } from '../../src/domain/identity.ts';
import type { OrderPayload } from '../../src/domain/row.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { OrderRecord } from '../../src/ledger/orders.ts';
import type { Project } from '../../src/sandbox/project-store.ts';
import type { OrderingRules } from '../../src/submit/row-decision.ts';
import type { SimulatedRow } from './schedule.ts';

/** What became of a row in the ledger. */
export interface RowFate {
  readonly outcome: 'order' | 'repeat' | 'rejection';
  readonly orderId: number | null;
}

/** What was dropped, and what the ledger made of it. */
export interface DroppedFile {
  readonly hash: string;
  readonly rows: readonly SimulatedRow[];
  /** What went on record, row by row; undefined while it has not. */
  readonly outcomes: readonly RowFate[] | undefined;
}

export interface Evidence {
  readonly ledger: Ledger;
  readonly projects: readonly Project[];
  readonly files: readonly DroppedFile[];
  readonly rules: OrderingRules;
  /** The service reads rule 2 literally: orders with neither number are compared with each other. */
  readonly keylessAreDuplicates: boolean;
  /** The ledger went back, and was recovered: what it had forgotten is told from others' like projects of that day by nothing. */
  readonly wasRecovered?: boolean;
}

/** What a campaign counts. */
export type Counts = Map<string, number>;

export interface Judgement {
  readonly violations: readonly string[];
  readonly counts: Counts;
}

/**
 * Judges how a schedule ended by the service's own list of projects. The runner's word is only held against it: an order says which project
 * is its own, and the service's list says whose that project is.
 */
export async function judge(evidence: Evidence): Promise<Judgement> {
  return new Oracle(evidence).judge();
}

/** The service compares what is not older. */
const COMPARED_MS = DUPLICATE_WINDOW_DAYS * 24 * 60 * 60 * 1000;

/** An order in one of these has no project of its own. */
const HAS_NONE: ReadonlySet<OrderRecord['state']> = new Set(['linked', 'skipped', 'refused', 'abandoned']);

class Oracle {
  readonly #evidence: Evidence;
  readonly #violations: string[] = [];
  readonly #counts: Counts = new Map();
  readonly #byTwins: ReadonlyMap<string, readonly Project[]>;
  readonly #byId: ReadonlyMap<string, Project>;
  /** Which order each project is tied to: the one that it was made for, where there is one. */
  readonly #tied = new Map<string, number>();
  readonly #createdFor = new Map<string, number>();
  /** Orders that are to have a project of their own, by what they ask for. */
  readonly #asking = new Map<string, Set<number>>();

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
    const ours = evidence.projects.filter(({ request }) => request.insuredPhone !== 'foreign');
    this.#byTwins = Map.groupBy(ours, ({ request }) => twinKey(request));
    this.#byId = new Map(evidence.projects.map((project) => [project.id.toString(), project]));
  }

  async judge(): Promise<Judgement> {
    for (const file of this.#evidence.files) await this.#tie(file);
    for (const file of this.#evidence.files) await this.#judgeFile(file);
    for (const [twins, projects] of this.#byTwins) {
      this.#count('created', projects.length);
      const asking = this.#asking.get(twins)?.size ?? 0;
      if (projects.length > asking)
        this.#violated(
          'doubled',
          `${projects[0]?.request.insuredPhone} has the projects ${ids(projects)}, for ${asking} orders`,
        );
      for (const { id, request } of projects)
        if (!this.#tied.has(id.toString()))
          this.#violated('orphaned', `project ${id} of ${request.insuredPhone} is tied to no order`);
    }
    return { violations: this.#violations, counts: this.#counts };
  }

  /** Takes note of which orders there are, and what they say is theirs. */
  async #tie({ rows, outcomes = [] }: DroppedFile): Promise<void> {
    for (const [index, { tag }] of rows.entries()) {
      const { outcome, orderId } = outcomes[index] ?? {};
      const order =
        outcome === 'order' && typeof orderId === 'number' ? await this.#evidence.ledger.order(orderId) : null;
      if (order === null) continue;
      const twins = twinKey(order.payload);
      if (!HAS_NONE.has(order.state)) this.#asking.set(twins, (this.#asking.get(twins) ?? new Set()).add(order.id));
      if (order.projectId === null) continue;
      const other = this.#createdFor.get(order.projectId);
      if (order.state === 'created') {
        if (other !== undefined)
          this.#violated('unexpected', `project ${order.projectId} was made for order ${other} and for ${tag}`);
        this.#createdFor.set(order.projectId, order.id);
      }
      if (other === undefined) this.#tied.set(order.projectId, order.id);
    }
  }

  async #judgeFile({ hash, rows, outcomes }: DroppedFile): Promise<void> {
    this.#count('rows', rows.length);
    if (outcomes === undefined || (await this.#evidence.ledger.findFile(hash)) === null) {
      this.#violated('lost', `file ${hash} is not on record`);
      return;
    }
    for (const [index, row] of rows.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) this.#violated('lost', `${row.tag} has no outcome`);
      else await this.#judgeRow(row, outcome);
    }
  }

  async #judgeRow(row: SimulatedRow, outcome: RowFate): Promise<void> {
    const { onDuplicate, whenNoKey } = this.#evidence.rules;
    if (row.isRenewal === true && whenNoKey !== 'hold') await this.#judgeRenewal(row);
    if (outcome.outcome === 'rejection') {
      if (this.#isAmbiguous(row)) this.#count('rows of one policy for two houses or services, sent back');
      else if (onDuplicate !== 'reject' && whenNoKey !== 'hold')
        this.#violated('lost', `${row.tag} was rejected without a reason`);
      this.#count('rejected rows');
      return;
    }
    const order = outcome.orderId === null ? null : await this.#evidence.ledger.order(outcome.orderId);
    if (order === null) this.#violated('lost', `${row.tag} has no order`);
    else if (outcome.outcome === 'repeat') this.#judgeRepeat(row, order);
    else await this.#judgeOrder(row, order);
  }

  /**
   * However often it comes: an order, and at the service no more than one project of its own. It is ordered anew only where the service had refused
   * it, for a project that the service still compares it with; and last year's project never counts as its own.
   */
  async #judgeRenewal({ tag }: SimulatedRow): Promise<void> {
    this.#count('renewals');
    const fates = this.#evidence.files.flatMap(({ rows, outcomes = [] }) =>
      outcomes.filter((_, index) => rows[index]?.tag === tag),
    );
    const ids = fates.flatMap(({ outcome, orderId }) => (outcome === 'order' && orderId !== null ? [orderId] : []));
    const orders = (await Promise.all(ids.map((id) => this.#evidence.ledger.order(id)))).filter((one) => one !== null);
    if (orders.length === 0) this.#violated('lost', `${tag}, a renewal, was not ordered`);
    const projects = this.#evidence.projects.filter(({ request }) => request.insuredPhone === tag);
    if (projects.length > 1)
      this.#violated('doubled', `${tag}, a renewal, has ${projects.length} projects at the service`);
    const refused = orders.filter(({ state }) => state === 'refused');
    if (orders.length - refused.length > 1)
      this.#violated('doubled', `${tag}, a renewal, was ordered ${orders.length - refused.length} times`);
    for (const { id, state, payload, createdAt } of orders) {
      if (state === 'linked' || state === 'skipped')
        this.#violated('lost', `${tag}, a renewal, is ${state}, though nothing of its term was there`);
      const isCompared = (project: Project): boolean =>
        project.request.insuredPhone !== tag &&
        collides(payload, project.request) &&
        project.createdAt >= createdAt - COMPARED_MS;
      if (state === 'refused' && payload.state !== 'XX' && !this.#evidence.projects.some(isCompared))
        this.#violated('lost', `${tag}, a renewal, is refused as order ${id} for a project of last year`);
    }
    if (refused.length > 0) this.#count('orders of renewals refused', refused.length);
  }

  /** Another row has its policy and date, neither with an inspection number, for another house or another service. */
  #isAmbiguous({ payload }: SimulatedRow): boolean {
    if (identityKind(payload) !== 'policy') return false;
    const what = (one: OrderPayload): string => `${houseKey(one)} ${one.serviceName}`;
    return this.#evidence.files.some(({ rows }) =>
      rows.some((other) => identityOf(other.payload) === identityOf(payload) && what(other.payload) !== what(payload)),
    );
  }

  #judgeRepeat({ tag, payload }: SimulatedRow, order: OrderRecord): void {
    this.#count('repeated rows');
    const alike = order.identity === identityOf(payload) || order.identity.startsWith(`${identityOf(payload)}#`);
    const beside =
      payload.policyType === 'Commercial Property Insurance' && addressKey(payload) === addressKey(order.payload);
    if (!alike && !beside) this.#violated('lost', `${tag} was taken for a repeat of order ${order.id}`);
    const ofItsOwn = isSameHouse(order.payload, payload) && order.payload.serviceName === payload.serviceName;
    if (identityKind(payload) === 'policy' && alike && !ofItsOwn)
      this.#violated('lost', `${tag} was taken for a repeat of order ${order.id}, of another house or service`);
  }

  async #judgeOrder(row: SimulatedRow, order: OrderRecord): Promise<void> {
    const { tag, payload } = row;
    this.#count(`orders ${order.state}`);
    await this.#countSteps(order);
    // Rows that are alike in all that the service shows are as good as each other: whose project is whose makes no difference.
    const own = (this.#byTwins.get(twinKey(order.payload)) ?? []).filter(
      ({ id }) => (this.#tied.get(id.toString()) ?? order.id) === order.id,
    );
    const tied = order.projectId === null ? undefined : this.#byId.get(order.projectId);
    const rivals = this.#evidence.projects.filter(
      ({ request }) => request.insuredPhone !== tag && collides(order.payload, request),
    );
    if (order.state === 'ready' && (await this.#waitsForHeld(order)))
      return this.#count('orders that wait for a held one');
    switch (order.state) {
      case 'created':
        if (own.length === 0 && this.#isOthersLikeIt(order, tied))
          this.#count('tied to another’s like project by a recovery');
        else if (own.length === 0)
          this.#violated('lost', `${tag} is said to be project ${order.projectId}, which is another's`);
        else if (tied === undefined || !own.includes(tied))
          this.#violated(
            'unexpected',
            `${tag} is tied to project ${order.projectId} of ${tied?.request.insuredPhone ?? 'nobody'}`,
          );
        return;
      case 'linked':
        if (own.length > 0)
          this.#violated('unexpected', `${tag} is linked to ${order.projectId} though project ${ids(own)} is its own`);
        else if (tied === undefined || !rivals.includes(tied))
          this.#violated('lost', `${tag} is linked to project ${order.projectId}, which does not stand in its way`);
        else if (!isSameHouse(payload, tied.request))
          this.#violated('lost', `${tag} is linked to project ${order.projectId}, of another house`);
        else if (this.#createdFor.has(tied.id.toString()))
          this.#violated('lost', `${tag} is linked to project ${order.projectId}, which another order of ours made`);
        return;
      case 'skipped':
      case 'refused':
        if (own.length > 0) this.#violated('orphaned', `${tag} is ${order.state} though it has project ${ids(own)}`);
        else if (rivals.length === 0 && payload.state !== 'XX')
          this.#violated('lost', `${tag} is ${order.state} without a reason: ${order.reason}`);
        return;
      case 'held':
        // A person looks. Whatever it has at the service is not more than one.
        if (!this.#mayBeHeld(order, rivals.length > 0))
          this.#violated('lost', `${tag} is held after ${order.attempts} attempts: ${order.reason}`);
        for (const { id } of own) this.#tied.set(id.toString(), order.id);
        return;
      case 'ready':
      case 'submitting':
      case 'unresolved':
      case 'abandoned':
        this.#violated('unsettled', `${tag} is ${order.state} in the end: ${order.reason}`);
        for (const { id } of own) this.#tied.set(id.toString(), order.id);
    }
  }

  /**
   * Five attempts without a known outcome; two rows that are alike; a row that has no number to tell whether it is a duplicate, and wants none, or
   * whose attempts were not all answered; a row that may not be tied to what stands there, after an attempt of which nothing is known; a row that
   * allows a duplicate, after such an attempt; one that a recovery cannot tell from a like project.
   */
  #mayBeHeld(order: OrderRecord, hasRivals: boolean): boolean {
    const alike = this.#asking.get(twinKey(order.payload))?.size ?? 0;
    const comparedWithNothing = this.#evidence.keylessAreDuplicates && identityKind(order.payload) === 'address';
    if (this.#evidence.wasRecovered === true && order.reason?.includes('made since the ledger was copied') === true)
      return true;
    if (order.allowDuplication || (hasRivals && order.attempts > 1)) return true;
    return order.attempts >= 5 || alike > 1 || (comparedWithNothing && (order.rowWish === false || order.attempts > 2));
  }

  #isOthersLikeIt({ payload }: OrderRecord, tied: Project | undefined): boolean {
    return (
      this.#evidence.wasRecovered === true &&
      tied?.request.insuredPhone === 'foreign' &&
      isSameHouse(payload, tied.request) &&
      payload.insuredName === tied.request.insuredName &&
      payload.serviceName === tied.request.serviceName
    );
  }

  /** Behind an order that a person has to decide about, those with its key wait too. */
  async #waitsForHeld(order: OrderRecord): Promise<boolean> {
    const before = await this.#evidence.ledger.orderBefore(order.id);
    return (
      before !== null && (before.state === 'held' || (before.state === 'ready' && (await this.#waitsForHeld(before))))
    );
  }

  async #countSteps({ id }: OrderRecord): Promise<void> {
    const { steps } = await this.#evidence.ledger.storyOf(id);
    for (const { event, detail } of steps) {
      if (event === 'created' && detail?.['adopted'] === true) this.#count('adopted');
      if (event === 'unresolved') this.#count('came into doubt');
      if (event === 'ready' && detail?.['attemptUsed'] === true) this.#count('sent again after the quarantine');
    }
  }

  #violated(kind: string, what: string): void {
    this.#violations.push(`${kind}: ${what}`);
    this.#count(kind);
  }

  #count(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }
}

/** By the document's duplicate rules, actor and age aside. */
function collides(ours: OrderPayload, theirs: CreateProjectRequest): boolean {
  if (ours.inspectionNumber) {
    if (ours.inspectionNumber === theirs.inspectionNumber) return true;
  } else if (
    (ours.policyNumber ?? '') === (theirs.policyNumber ?? '') &&
    (ours.policyEffectiveDate ?? '') === (theirs.policyEffectiveDate ?? '')
  ) {
    // Rule 2 read literally compares orders without any number as well.
    return true;
  }
  return ours.policyType === 'Commercial Property Insurance' && addressKey(ours) === addressKey(theirs);
}

/** What of a request the service shows when it is asked for a project: the tag aside. */
function twinKey({ insuredPhone: _tag, ...payload }: OrderPayload | CreateProjectRequest): string {
  return payloadHash({ ...payload, allowDuplication: undefined });
}

function ids(projects: readonly Project[]): string {
  return projects.map(({ id }) => id).join(', ');
}
