import { DUPLICATE_WINDOW_DAYS, PROJECT_ID_MAX, type ProjectDetail } from '../contract/document.ts';
import type { RunContext } from '../domain/ports.ts';
import type { OrderRecord } from '../ledger/ledger.ts';
import type { ServiceClient } from '../service/client.ts';
import { firstSearchHit, nullIfMalformed } from '../service/reads.ts';
import {
  fold,
  foldField,
  isSameInspection,
  isMarkedForAnother,
  KEY_FIELDS,
  DATE_FIELDS,
  isOtherTerm,
} from '../submit/order-and-project.ts';

/** The service's window for doubles, and a day for clock differences. */
const WINDOW_MS = (DUPLICATE_WINDOW_DAYS + 1) * 24 * 60 * 60 * 1000;

/** By content, without an order. Reads throw ServiceUnavailable. */
export class SecondProjects {
  readonly #context;
  readonly #firsts = new Map<number, Promise<bigint | null>>();
  /** Of the service's creation times: the document names no unit; null if it does not compare them. */
  #unitMs: Promise<number | null> | null = null;

  constructor(context: Omit<RunContext, 'log'> & { readonly client: Pick<ServiceClient, 'searchProjects'> }) {
    this.#context = context;
  }

  async mayBeginAt(lowest: Readonly<{ id: string; at: number }>) {
    const first = (await this.#firstSince(lowest.at - WINDOW_MS)) ?? 0n;
    return first < BigInt(lowest.id) ? first : BigInt(lowest.id);
  }

  /** Of the same time, service, insured and house, with no different number or date. */
  async orderLike(orders: readonly OrderRecord[], detail: ProjectDetail) {
    for (const order of orders) {
      const isLike =
        order.projectId !== null &&
        !isMarkedForAnother(order.payload, detail) &&
        !isOtherTerm(order.payload, detail) &&
        isSameInspection(order, detail, 'surely') &&
        KEY_FIELDS.every((field) => agreesWhereBothSay(order, field, detail));
      if (isLike && (await this.#isOfItsTime(order, detail))) return order;
    }
    return undefined;
  }

  async #isOfItsTime(order: OrderRecord, detail: ProjectDetail) {
    const from = await this.#firstSince(order.createdAt - WINDOW_MS);
    const to = await this.#firstSince(order.createdAt + WINDOW_MS);
    if (from !== null && to !== null) return BigInt(detail.id) >= from && BigInt(detail.id) < to;
    // Only its date distinguishes last year's project from this year's.
    return DATE_FIELDS.some(
      (field) => fold(detail[field]) !== '' && foldField(order.payload, field) === foldField(detail, field),
    );
  }

  /** The lowest ID made at this time or later, above all IDs if none; null if the service compares no times. */
  #firstSince(at: number) {
    const known = this.#firsts.get(at) ?? this.#askFirst(at);
    this.#firsts.set(at, known);
    return known;
  }

  async #askFirst(at: number) {
    const unitMs = await (this.#unitMs ??= this.#findUnit());
    return unitMs === null ? null : await this.#ask(Math.floor(at / unitMs));
  }

  /** In the right unit, nothing was made at the last second of an int32. */
  async #findUnit() {
    for (const unitMs of [1000, 1]) {
      const shown = await this.#ask(Math.floor((INT32_MAX * 1000) / unitMs)).catch(nullIfMalformed);
      if (shown !== null && shown > PROJECT_ID_MAX) return unitMs;
    }
    return null;
  }

  async #ask(createdTimeStart: number) {
    return BigInt((await firstSearchHit({ createdTimeStart }, this.#context))?.id ?? PROJECT_ID_MAX + 1n);
  }
}

const INT32_MAX = 2 ** 31 - 1;

function agreesWhereBothSay(
  { payload, reference }: OrderRecord,
  field: (typeof KEY_FIELDS)[number],
  detail: ProjectDetail,
) {
  // A number that we minted is not the sender's.
  const own = field === 'inspectionNumber' && payload.inspectionNumber === reference ? '' : foldField(payload, field);
  const shown = foldField(detail, field);
  return own === '' || shown === '' || own === shown;
}
