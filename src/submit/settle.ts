import pLimit from 'p-limit';
import { orderBatches, type OrderRecord } from '../ledger/orders.ts';
import { nullIfUnavailable, readOrThrow } from '../service/reads.ts';
import { findProjects, idsNamedIn, type SearchContext } from './find-projects.ts';
import { DUPLICATE_WINDOW_MS, type OrderingRules } from './row-decision.ts';
import { isNewerThanFirstAttempt, isSameOrder, isOtherTerm } from './order-and-project.ts';
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
    actor: string;
  }>;

type Looked = Extract<SearchFindings, { kind: 'looked' }>;

const BATCH = 200;

/**
 * Returns how many moved. `isLast`: tonight's orders were sent; an order that cannot be proven then waits for a person.
 * Ends early if the service does not answer.
 */
export async function settleUnresolved(context: SettleContext, { isLast }: { isLast: boolean }) {
  const { ledger, log, signal } = context;
  let moved = 0;
  let isAway = false;
  /** One by one: two similar orders must not adopt the same project. */
  let moves = Promise.resolve();
  const goesOn = () => !isAway && !signal.aborted;
  const settle = async (order: OrderRecord) => {
    if (!goesOn()) return;
    const findings = await findProjects(order, context, { alsoByAddress: false });
    const repeat =
      findings.kind === 'looked' && findings.ours.length === 0
        ? await mayRepeat(order, findings.startedAt, isLast, context)
        : 'free';
    if (findings.kind === 'looked' && repeat !== 'away') {
      moves = moves.then(async () => {
        if (await moveAfterSearch(order, findings, repeat, context)) moved += 1;
      });
      return moves;
    }
    if (findings.kind === 'away' && findings.isMalformed === true) {
      const move = decideAfterSearch(order, findings, context.quarantineMs);
      if (move !== null && (await ledger.moveOrder(order, 'unresolved', move))) moved += 1;
      return log.warn('not settled: the answer cannot be used', { order: order.id });
    }
    if (!isAway) log.warn('settling stopped: the service did not answer', { order: order.id });
    isAway = true;
  };
  const atOnce = pLimit(context.maxConcurrency);
  for await (const orders of orderBatches(ledger, 'unresolved', BATCH)) {
    await atOnce.map(orders, settle);
    if (!goesOn()) break;
  }
  return moved;
}

/**
 * The service would not refuse a second project, so the order waits for another night and for proof that searches do
 * not lag: a visible project of ours that is newer than the doubt.
 */
async function mayRepeat(order: OrderRecord, searchedAt: number, isLast: boolean, context: SettleContext) {
  // The service compares with projects of the same user only.
  if (!order.allowDuplication && !(await context.ledger.hadUnknownAttempt(order.id, { notBy: context.actor })))
    return 'free';
  if (isSameNight(order, searchedAt)) return 'later';
  const younger = await context.ledger.projectMadeSince(order.uncertainSince ?? searchedAt);
  const shown = younger === null ? false : await isShown(younger, context);
  if (shown === null) return 'away';
  return shown ? 'free' : isLast ? 'person' : 'later';
}

async function isShown(projectId: string, context: SettleContext) {
  return readOrThrow(() => context.client.searchProjects({ startId: projectId, limit: 1 }), context)
    .then((items) => items?.some(({ id }) => id === projectId) ?? false)
    .catch(nullIfUnavailable);
}

async function moveAfterSearch(
  order: OrderRecord,
  findings: Looked,
  repeat: ResendRule,
  { ledger, quarantineMs }: SettleContext,
) {
  const taken = await ledger.projectsOfOtherOrders(order.id, idsOf(findings));
  const free = (found: readonly Candidate[]) => found.filter(({ detail }) => !taken.has(detail.id));
  const [ours, others] = [free(findings.ours), free(findings.others)];
  // Another order took the project meanwhile, so sending again was not checked.
  const move =
    ours.length === 0 && findings.ours.length > 0
      ? null
      : decideAfterSearch(order, { ...findings, ours, others }, quarantineMs, repeat);
  if (move !== null) return ledger.moveOrder(order, 'unresolved', move);
  await ledger.noteStep('order', String(order.id), 'searched for and not found');
  return false;
}

export async function settleDuplicate(order: OrderRecord, message: string, context: SettleContext) {
  const { ledger, rules, clock } = context;
  const searched = await findProjects(order, context, { alsoByAddress: true, named: idsNamedIn(message, order) });
  const hadUnknownOutcome = await ledger.hadUnknownAttempt(order.id);
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
    ({ detail }) =>
      !taken.has(detail.id) &&
      undecided.some((other) => isNewerThanFirstAttempt(other, detail) && isSameOrder(other, detail)),
  );
  const findings = searched.kind === 'looked' ? { ...searched, others: blocking } : searched;
  return decideAfterDuplicate(order, findings, {
    onDuplicate: rules.onDuplicate,
    hadUnknownOutcome,
    taken,
    contested: new Set(contested.map(({ detail }) => detail.id)),
    now: clock.now(),
  });
}

function idsOf({ ours, others }: Pick<Looked, 'ours' | 'others'>) {
  return [...ours, ...others].map(({ detail }) => detail.id);
}
