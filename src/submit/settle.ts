import pLimit from 'p-limit';
import type { ProjectDetail } from '../contract/document.ts';
import { orderBatches, type OrderMove, type OrderRecord } from '../ledger/orders.ts';
import { nullIfUnavailable, readOrThrow } from '../service/reads.ts';
import { findProjects, idsNamedIn, type SearchContext } from './find-projects.ts';
import { DUPLICATE_WINDOW_MS, type OrderingRules } from './row-decision.ts';
import { isOtherTerm } from './repeat-or-renewal.ts';
import { isMadeSince, isSameOrder } from './order-and-project.ts';
import {
  decideAfterDuplicate,
  decideAfterSearch,
  type Candidate,
  type SearchFindings,
  isSameNight,
  type ResendRule,
} from './after-answer.ts';

export type SettleContext = SearchContext &
  Readonly<{
    rules: OrderingRules;
    quarantineMs: number;
    maxConcurrency: number;
  }>;

type Looked = Extract<SearchFindings, { kind: 'looked' }>;

const BATCH = 200;

/**
 * Returns how many moved. `isLast`: tonight's orders were sent; an order that cannot be proven then waits for a person.
 * Ends early if the service does not answer.
 */
export async function settleUnresolved(context: SettleContext, { isLast }: { isLast: boolean }) {
  const settling = new Settling(context, isLast);
  const atOnce = pLimit(context.maxConcurrency);
  for await (const orders of orderBatches(context.ledger, 'unresolved', BATCH)) {
    await atOnce.map(orders, async (order) => (settling.goesOn ? settling.settle(order) : undefined));
    if (!settling.goesOn) break;
  }
  return settling.moved;
}

class Settling {
  moved = 0;
  readonly #isLast: boolean;
  readonly #context: SettleContext;
  #isAway = false;
  /** One by one: two similar orders must not adopt the same project. */
  #moves: Promise<void> = Promise.resolve();

  constructor(context: SettleContext, isLast: boolean) {
    this.#context = context;
    this.#isLast = isLast;
  }

  get goesOn(): boolean {
    return !this.#isAway && !this.#context.signal.aborted;
  }

  async settle(order: OrderRecord) {
    const findings = await findProjects(order, this.#context, { alsoByAddress: false });
    const repeat =
      findings.kind === 'looked' && findings.ours.length === 0
        ? await this.#mayRepeat(order, findings.startedAt)
        : 'free';
    if (findings.kind === 'looked' && repeat !== 'away') {
      this.#moves = this.#moves.then(() => this.#move(order, findings, repeat));
      return this.#moves;
    }
    const { log } = this.#context;
    if (findings.kind === 'away' && findings.isMalformed === true)
      return log.warn('not settled: the answer cannot be used', { order: order.id });
    if (!this.#isAway) log.warn('settling stopped: the service did not answer', { order: order.id });
    this.#isAway = true;
  }

  /**
   * The service would not refuse a second project, so the order waits for another night and for proof that searches do
   * not lag: a visible project of ours that is newer than the doubt.
   */
  async #mayRepeat(order: OrderRecord, searchedAt: number) {
    if (!order.allowDuplication) return 'free';
    if (isSameNight(order, searchedAt)) return 'later';
    const younger = await this.#context.ledger.projectMadeSince(order.uncertainSince ?? searchedAt);
    const shown = younger === null ? false : await this.#isShown(younger);
    if (shown === null) return 'away';
    return shown ? 'free' : this.#isLast ? 'person' : 'later';
  }

  async #isShown(projectId: string) {
    const search = () => this.#context.client.searchProjects({ startId: projectId, limit: 1 });
    return readOrThrow(search, this.#context)
      .then((items) => items?.some(({ id }) => id === projectId) ?? false)
      .catch(nullIfUnavailable);
  }

  async #move(order: OrderRecord, findings: Looked, repeat: ResendRule) {
    const { ledger, quarantineMs } = this.#context;
    const taken = await ledger.projectsOfOtherOrders(order.id, idsOf(findings));
    const [ours, others] = [findings.ours, findings.others].map((found) =>
      found.filter(({ detail }) => !taken.has(detail.id)),
    ) as [Candidate[], Candidate[]];
    // Another order took the project meanwhile, so sending again was not checked.
    const move =
      ours.length === 0 && findings.ours.length > 0
        ? null
        : decideAfterSearch(order, { ...findings, ours, others }, quarantineMs, repeat);
    if (move === null) return ledger.noteStep('order', String(order.id), 'searched for and not found');
    if (!(await ledger.moveOrder(order, 'unresolved', move))) return;
    this.moved += 1;
  }
}

export async function settleDuplicate(order: OrderRecord, message: string, context: SettleContext): Promise<OrderMove> {
  const { ledger, rules, clock } = context;
  const searched = await findProjects(order, context, { alsoByAddress: true, named: idsNamedIn(message, order) });
  const everUnknown = await ledger.hadUnknownAttempt(order.id);
  const { ours, others } = searched.kind === 'looked' ? searched : { ours: [], others: [] };
  const ids = idsOf({ ours, others });
  const taken = await ledger.projectsOfOtherOrders(order.id, ids);
  // Projects of our earlier orders are not meant.
  const recent = await ledger.projectsOfOtherOrders(order.id, ids, clock.now() - DUPLICATE_WINDOW_MS);
  const mayBeMeant = ({ detail }: Candidate) => recent.has(detail.id) || !isOtherTerm(order.payload, detail);
  const meant = others.filter(mayBeMeant);
  // Refused again after the quarantine, with nothing else to see: a project of another term is meant after all.
  const blocking = meant.length === 0 && order.attempts > 1 ? others : meant;
  const undecided = await ledger.undecidedLike(order.id);
  const contested = [...ours, ...blocking].filter(
    ({ detail }) => !taken.has(detail.id) && undecided.some((other) => mayHaveMade(other, detail)),
  );
  const findings = searched.kind === 'looked' ? { ...searched, others: blocking } : searched;
  return decideAfterDuplicate(order, findings, {
    onDuplicate: rules.onDuplicate,
    everUnknown,
    taken,
    contested: new Set(contested.map(({ detail }) => detail.id)),
    now: clock.now(),
  });
}

function mayHaveMade(order: OrderRecord, detail: ProjectDetail) {
  return isMadeSince(order, detail) && isSameOrder(order, detail);
}

function idsOf({ ours, others }: Pick<Looked, 'ours' | 'others'>) {
  return [...ours, ...others].map(({ detail }) => detail.id);
}
