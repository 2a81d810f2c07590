import { ExplainedError, isOfKind, messageOf } from '../domain/errors.ts';
import type { Fleet, OnProgress, PageOutcome } from '../domain/ports.ts';
import { sentence } from '../domain/sentences.ts';
import type { Ledger, OrderMove, OrderRecord } from '../ledger/ledger.ts';
import { orderBatches } from '../ledger/orders.ts';
import { type CreateOutcome, paceOfCreate, type PaceSignal } from '../service/outcome.ts';
import type { Pacer } from '../service/pacer.ts';
import { highestVisibleProjectId, isFarAbove } from './find-projects.ts';
import { type SettleContext, settleDuplicate, settleUnresolved } from './settle.ts';
import { decideAfterAnswer, readyAgain } from './after-answer.ts';
import { isOfAnotherOrder } from './order-and-project.ts';

export type SubmitContext = SettleContext &
  Readonly<{
    pacer: Pacer;
    /** Nothing new is sent after it. */
    finishBy: number | null;
    onProgress: OnProgress;
    /** Absent if this host works alone. */
    fleet?: Fleet | undefined;
  }>;

type Turn = Readonly<{
  again: boolean;
  pace: PaceSignal;
  /** Its attempt was recorded with this outcome. */
  next: OrderRecord | null;
}>;

const NOTHING_SENT: Turn = { again: false, pace: { kind: 'nothing' }, next: null };

/**
 * Settles orders in doubt before and after sending; a fleet shares the sending. The caller must first recover
 * `submitting` orders. Never throws because of the service.
 */
export async function submitOrders(context: SubmitContext) {
  const before = await context.ledger.orderCounts();
  if (before.ready > 0) await doubtSentByOthers(context);
  await settleUnresolved(context, { isLast: false });
  let sent: Sent;
  let moved: number;
  do {
    sent = await sendReady(context);
    await context.fleet?.recoverInterrupted();
    moved = await settleUnresolved(context, { isLast: sent.stopped === null });
  } while (sent.stopped === null && (moved > 0 || (sent.done > 0 && sent.waiting > 0)));
  // Orders never leave these states, so the differences are the work of all hosts.
  const { created, linked, skipped, refused } = await context.ledger.orderCounts();
  return {
    created: created - before.created,
    linked: linked - before.linked,
    skipped: skipped - before.skipped,
    refused: refused - before.refused,
    stopped: sent.stopped,
  };
}

/** The service compares a request only with projects of its user. */
async function doubtSentByOthers({ ledger, clock, actor }: SubmitContext) {
  for (const id of await ledger.readySentByOthers(actor))
    await ledger.moveOrder(id, 'ready', {
      to: 'unresolved',
      code: 'outcome-unknown',
      reason: 'Another user sent it, and the answer was lost.',
      uncertainSince: clock.now(),
    });
}

/** Ready orders with ids above `after`, up to `last` (null: all). */
export type OrderPage = Readonly<{
  after: number;
  last: number | null;
  /** The highest visible project id when the page was made. */
  idBound: string;
}>;

type Sent = PageOutcome & Readonly<{ done: number; waiting: number }>;

async function sendReady(context: SubmitContext) {
  const { ready } = await context.ledger.orderCounts();
  const nothing = { stopped: null, done: 0, waiting: 0 };
  if (ready === 0) return nothing;
  // A later create gets a higher id.
  const idBound = await highestVisibleProjectId(context, await context.ledger.highestProjectId());
  if (idBound === null) return { ...nothing, stopped: 'The service is unavailable: it did not answer a search.' };
  const send = orderSender(context, ready);
  return context.fleet === undefined
    ? send({ after: 0, last: null, idBound })
    : sendTogether(context, context.fleet, { ready, idBound }, send);
}

/** Orders that wait for another host, and those of a lost page, stay ready for the next pass. */
async function sendTogether(
  { ledger }: SubmitContext,
  fleet: Fleet,
  { ready, idBound }: { ready: number; idBound: string },
  send: SendPage,
) {
  let stopped: string | null = null;
  const outcomes = await fleet.share(
    'orders',
    await readyPages(ledger, fleet.pageSize(ready), idBound),
    async (page: OrderPage) => {
      const sent = await send(page);
      stopped ??= sent.stopped;
      return sent;
    },
  );
  const { ready: left } = await ledger.orderCounts();
  const isAllReached = outcomes.every((outcome) => outcome?.stopped === null);
  return { stopped, done: isAllReached ? ready - left : ready, waiting: left };
}

async function readyPages(ledger: Ledger, size: number, idBound: string) {
  const pages: OrderPage[] = [];
  for await (const orders of orderBatches(ledger, 'ready', size)) {
    pages.push({ after: pages.at(-1)?.last ?? 0, last: orders.at(-1)?.id ?? 0, idBound });
  }
  return pages;
}

type SendPage = (page: OrderPage) => Promise<Sent>;

export function orderSender(context: SubmitContext, total: number): SendPage {
  const breakers = new SendingBreakers();
  let done = 0;
  return async (page) => {
    const sending = new Sending(context, page, breakers, () => context.onProgress('ordering', ++done, total));
    await sending.all();
    return { stopped: sending.stopped, done: sending.done, waiting: sending.waiting };
  };
}

class Sending {
  stopped: string | null = null;
  done = 0;
  readonly #context;
  readonly #breakers;
  readonly #onTurn;
  readonly #queue;
  /** Their attempt is recorded, but they were not sent yet. */
  readonly #begunAhead = new Set<OrderRecord>();
  /** By the earlier order's id: the service could mistake one for the other. */
  readonly #waiting = new Map<number, OrderRecord[]>();
  readonly #free = new Set<number>();
  readonly #released: OrderRecord[] = [];
  #idBound;

  constructor(context: SubmitContext, page: OrderPage, breakers: SendingBreakers, onTurn: () => void) {
    this.#context = context;
    this.#breakers = breakers;
    this.#onTurn = onTurn;
    this.#idBound = BigInt(page.idBound);
    this.#queue = readyOrders(context.ledger, page, this.#free)[Symbol.asyncIterator]();
  }

  get waiting() {
    return this.#waiting.size + this.#released.length;
  }

  async all() {
    const { maxConcurrency, fleet } = this.#context;
    const workers = Array.from({ length: fleet?.atOnce(maxConcurrency) ?? maxConcurrency }, () => this.#work());
    const ended = await Promise.allSettled(workers);
    const faults = ended.filter((worker) => worker.status === 'rejected').map(({ reason }): unknown => reason);
    // After a fault of the program or a lost lock, begun orders stay in doubt.
    if (faults.every((fault) => isOfKind(fault, 'usage')))
      for (const order of this.#begunAhead) await this.#putBack(order);
    if (faults.length > 0) throw faults[0];
  }

  async #work() {
    try {
      for (let order = await this.#nextReady(); order !== null;) {
        const next = await this.#sendUntilAnswered(order);
        this.done += 1;
        this.#onTurn();
        order = next ?? (await this.#nextReady());
      }
    } catch (failure) {
      // Stopped before its turn: nothing was sent.
      if (isOfKind(failure, 'work-left') || (this.#context.signal.aborted && failure === this.#context.signal.reason)) {
        this.stopped ??= messageOf(failure);
        return;
      }
      this.stopped ??= 'A fault of the program stopped the run.';
      throw failure;
    }
  }

  async #nextReady() {
    while (this.#maySend()) {
      const next = this.#released.shift() ?? (await this.#queue.next()).value;
      if (next === undefined) return null;
      const before = this.#free.delete(next.id) ? null : await this.#context.ledger.orderBefore(next.id);
      if (before === null) return next;
      this.#waiting.set(before.id, [...(this.#waiting.get(before.id) ?? []), next]);
    }
    return null;
  }

  #release(order: OrderRecord) {
    this.#released.push(...(this.#waiting.get(order.id) ?? []));
    this.#waiting.delete(order.id);
  }

  #maySend() {
    const { signal, finishBy, clock } = this.#context;
    if (finishBy !== null && clock.now() >= finishBy) this.stopped ??= sentence('stopped/finish-by');
    if (signal.aborted) this.stopped ??= messageOf(signal.reason);
    return this.stopped === null;
  }

  /**
   * An order that was not handled (429, no connection). Every send is recorded first. Returns the order begun
   * meanwhile.
   */
  async #sendUntilAnswered(order: OrderRecord) {
    const { pacer, ledger } = this.#context;
    if (this.#begunAhead.has(order) && this.#maySend() && !pacer.isFree) await this.#putBack(order);
    let current: OrderRecord | null = order;
    let next: OrderRecord | null = null;
    while (current !== null && this.#maySend()) {
      const sent: OrderRecord = current;
      const turn: Turn = await pacer.run(
        () => this.#sendOnce(sent),
        (result) => result.pace,
      );
      next = turn.next;
      current = turn.again ? await ledger.order(order.id) : null;
    }
    return next;
  }

  async #sendOnce(order: OrderRecord): Promise<Turn> {
    if (!this.#maySend()) return NOTHING_SENT;
    const { client, clock, log } = this.#context;
    if (!this.#begunAhead.delete(order) && !(await this.#begin(order))) return NOTHING_SENT;
    const create = () => client.createProject({ ...order.payload, allowDuplication: order.allowDuplication });
    const answered = await create().catch((failure: unknown) => this.#giveBack(order, failure));
    const outcome = this.#unlessOdd(order, answered);
    const after = decideAfterAnswer(outcome, clock.now());
    log.info('answer', { order: order.id, outcome: outcome.kind, status: 'status' in outcome ? outcome.status : null });
    const move = after.kind === 'look' ? await this.#lookAtDuplicate(order, after.message) : after.move;
    const again = after.kind === 'again' || move.to === 'ready';
    const pace = paceOfCreate(outcome);
    this.#takeNote(move, after.kind === 'again' ? after.why : null);
    if (after.kind === 'stop') this.stopped ??= after.reason;
    const next = !again && pace.kind === 'ok' && this.#context.pacer.isFree ? await this.#nextReady() : null;
    return { again, pace, next: await this.#record(order, move, next) };
  }

  #unlessOdd(order: OrderRecord, outcome: CreateOutcome): CreateOutcome {
    if (outcome.kind !== 'created') return outcome;
    const { project } = outcome;
    const unknown = (reason: string) => ({ kind: 'unknown' as const, reason, status: null, retryAfterMs: null });
    if (isFarAbove(BigInt(project.id), this.#idBound)) return unknown(sentence('odd-answer/far-above'));
    return isOfAnotherOrder(order, project)
      ? unknown(sentence('odd-answer/other-order', { project: project.id }))
      : outcome;
  }

  #begin(order: OrderRecord) {
    return this.#context.ledger.beginAttempt(order.id, {
      actor: this.#context.actor,
      idBound: this.#idBound.toString(),
      payload: order.payload,
      payloadHash: order.payloadHash,
    });
  }

  async #putBack(order: OrderRecord) {
    this.#begunAhead.delete(order);
    await this.#context.ledger.moveOrder(order.id, 'submitting', readyAgain('not-sent', 'It was not sent.'));
  }

  /**
   * Rethrows. If the order was not handled (no token, or the run was stopped), it is `ready` again, and the run sends
   * no more. After any other failure it remains `submitting`.
   */
  async #giveBack(order: OrderRecord, failure: unknown): Promise<never> {
    const { ledger, signal } = this.#context;
    if (failure instanceof ExplainedError || (signal.aborted && failure === signal.reason)) {
      const reason = messageOf(failure);
      await ledger.moveOrder(order.id, 'submitting', readyAgain('run-stopped', reason));
      this.stopped ??= reason;
    }
    throw failure;
  }

  async #lookAtDuplicate(order: OrderRecord, message: string) {
    return settleDuplicate((await this.#context.ledger.order(order.id)) ?? order, message, this.#context);
  }

  /** Before the outcome is recorded: it may forbid to begin the next order. */
  #takeNote(move: OrderMove, givenBack: ReleaseReason) {
    if (move.to === 'created' && BigInt(move.project.projectId) > this.#idBound)
      this.#idBound = BigInt(move.project.projectId);
    const reason = this.#breakers.afterMove(move, givenBack);
    if (reason !== null) this.stopped ??= reason;
  }

  /** Records `move` and begins `next` in one commit. Returns `next` if it was begun, otherwise null. */
  async #record(order: OrderRecord, move: OrderMove, next: OrderRecord | null) {
    const [moved, begun] = await Promise.all([
      this.#context.ledger.moveOrder(order.id, 'submitting', move),
      next !== null && this.#begin(next),
    ]);
    if (!moved && !(await this.#stayInDoubt(order, move)))
      throw new Error(`order ${order.id} was not in the state its own attempt had put it in`);
    this.#release(order);
    if (next === null || !begun) return null;
    this.#begunAhead.add(next);
    return next;
  }

  /** The project is another order's. */
  async #stayInDoubt(order: OrderRecord, move: OrderMove) {
    if (move.to !== 'created') return false;
    const { projectId: project } = move.project;
    const doubt: OrderMove = {
      to: 'unresolved',
      uncertainSince: this.#context.clock.now(),
      ...(move.adopted
        ? { code: 'duplicate-undecided', reason: sentence('duplicate-of-ours', { project }), answered409: true }
        : { code: 'outcome-unknown', reason: sentence('odd-answer/other-order', { project }) }),
    };
    this.#takeNote(doubt, null);
    return this.#context.ledger.moveOrder(order.id, 'submitting', doubt);
  }
}

async function* readyOrders(ledger: Ledger, page: OrderPage, free: Set<number>) {
  for await (const orders of orderBatches(ledger, 'ready', undefined, page.after)) {
    for (const id of await ledger.ordersWithNoneBefore(orders.map((order) => order.id))) free.add(id);
    for (const order of orders) {
      if (page.last !== null && order.id > page.last) return undefined;
      yield order;
    }
  }
  return undefined;
}

export type ReleaseReason = 'away' | 'throttled' | null;

const BREAKER_LIMITS = { unresolvedMax: 20, awayMax: 40, throttledMax: 200, sameRefusalMax: 25 };

export class SendingBreakers {
  readonly #limits;
  #unresolved = 0;
  #away = 0;
  #throttled = 0;
  #refusal = '';
  #refusals = 0;

  constructor(limits = BREAKER_LIMITS) {
    this.#limits = limits;
  }

  /** A reason to stop sending. */
  afterMove(move: OrderMove, givenBack: ReleaseReason) {
    switch (move.to) {
      case 'created':
      case 'linked':
      case 'skipped':
        this.#answered();
        this.#refusals = 0;
        return null;
      case 'unresolved':
        this.#unresolved += 1;
        return this.#unresolved >= this.#limits.unresolvedMax
          ? sentence('stopped/unresolved', { count: this.#unresolved, reason: move.reason })
          : null;
      case 'refused':
        this.#answered();
        this.#refusals = move.reason === this.#refusal ? this.#refusals + 1 : 1;
        this.#refusal = move.reason;
        return this.#refusals >= this.#limits.sameRefusalMax
          ? sentence('stopped/refused', { count: this.#refusals, reason: move.reason })
          : null;
      case 'ready':
        return this.#afterGivenBack(move.reason, givenBack);
      case 'held':
      case 'abandoned':
        return null;
    }
  }

  #answered() {
    this.#unresolved = 0;
    this.#away = 0;
    this.#throttled = 0;
  }

  #afterGivenBack(reason: string, givenBack: ReleaseReason) {
    if (givenBack === 'away') this.#away += 1;
    if (givenBack === 'throttled') this.#throttled += 1;
    if (this.#away >= this.#limits.awayMax) return sentence('stopped/away', { reason });
    return this.#throttled >= this.#limits.throttledMax ? sentence('stopped/throttled') : null;
  }
}
