import type { OrderMove, OrderRecord } from '../ledger/order-record.ts';
import { findProjects } from './find-projects.ts';
import type { SubmitParts } from './parts.ts';
import { areTwins, resembles } from './same-order.ts';
import { afterDuplicate, afterSearch, type Findings } from './submit-plan.ts';
import type { Tally } from './tally.ts';

const BATCH = 200;

/**
 * Searches for the project of every unresolved order, several at a time, and frees those whose doubt is settled. Returns how many became
 * ready again. It ends early where the service does not answer.
 */
export async function settleUnresolved(parts: SubmitParts, tally: Tally): Promise<number> {
  const settling = new Settling(parts, tally);
  for (let after = 0; settling.goesOn; ) {
    const orders = await parts.ledger.ordersIn('unresolved', after, BATCH);
    const queue = orders.values();
    const worker = async (): Promise<void> => {
      for (const order of queue) {
        if (!settling.goesOn) return;
        await settling.settle(order);
      }
    };
    await Promise.all(Array.from({ length: parts.maxConcurrency }, worker));
    const last = orders.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  return settling.freed;
}

class Settling {
  freed = 0;
  readonly #parts: SubmitParts;
  readonly #tally: Tally;
  #isAway = false;
  /** Orders move one after the other: two that are alike must not adopt one project. */
  #moves: Promise<void> = Promise.resolve();

  constructor(parts: SubmitParts, tally: Tally) {
    this.#parts = parts;
    this.#tally = tally;
  }

  get goesOn(): boolean {
    return !this.#isAway && !this.#parts.signal.aborted;
  }

  async settle(order: OrderRecord): Promise<void> {
    const findings = await findProjects(order, this.#parts, { alsoByAddress: false });
    if (findings.kind === 'looked') {
      this.#moves = this.#moves.then(() => this.#move(order, findings));
      return this.#moves;
    }
    if (!this.#isAway) this.#parts.log.warn('settling stopped: the service did not answer', { order: order.id });
    this.#isAway = true;
  }

  async #move(order: OrderRecord, findings: Extract<Findings, { kind: 'looked' }>): Promise<void> {
    const { ledger, quarantineMs } = this.#parts;
    const taken = await ledger.projectsOfOtherOrders(order.id, findings.ours.map(({ detail }) => detail.id));
    const ours = findings.ours.filter(({ detail }) => !taken.has(detail.id));
    const move = afterSearch(order, { ...findings, ours }, quarantineMs);
    if (move === null) return ledger.noteStep('order', String(order.id), 'searched for and not found');
    if (!(await ledger.moveOrder(order.id, 'unresolved', move))) return;
    this.#tally.add(move);
    if (move.to === 'ready') this.freed += 1;
  }
}

/** A create was answered 409: looks for whose project stands there, and moves the order accordingly. */
export async function settleDuplicate(order: OrderRecord, parts: SubmitParts): Promise<OrderMove> {
  const findings = await findProjects(order, parts, { alsoByAddress: true });
  const contested = findings.kind === 'looked' && findings.ours.length > 0 && (await hasTwinInDoubt(order, parts));
  const everUnknown = await parts.ledger.hadUnknownAttempt(order.id);
  const mayBeOwn = everUnknown && findings.kind === 'looked' ? await resemblingProject(order, findings, parts) : null;
  return afterDuplicate(order, findings, { onDuplicate: parts.rules.onDuplicate, contested, everUnknown, mayBeOwn, now: parts.clock.now() });
}

async function resemblingProject(order: OrderRecord, { others }: Extract<Findings, { kind: 'looked' }>, { ledger }: SubmitParts): Promise<string | null> {
  const newer = others.filter(({ detail }) => BigInt(detail.id) > BigInt(order.idBound ?? 0) && resembles(order, detail)).map(({ detail }) => detail.id);
  const taken = await ledger.projectsOfOtherOrders(order.id, newer);
  return newer.find((id) => !taken.has(id)) ?? null;
}

/** Whether another order that is the same to the letter may have made the project that was found: its answer is still to come. */
async function hasTwinInDoubt(order: OrderRecord, { ledger }: SubmitParts): Promise<boolean> {
  for (const state of ['submitting', 'unresolved'] as const) {
    for (let after = 0; ; ) {
      const others = await ledger.ordersIn(state, after, BATCH);
      if (others.some((other) => areTwins(order, other))) return true;
      const last = others.at(-1);
      if (last === undefined) break;
      after = last.id;
    }
  }
  return false;
}
