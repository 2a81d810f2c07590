import { DUPLICATE_WINDOW_DAYS, PROJECT_ID_MAX, type ProjectDetail } from '../contract/document.ts';
import type { RunContext } from '../domain/ports.ts';
import type { OrderRecord } from '../ledger/orders.ts';
import type { ServiceClient } from '../service/client.ts';
import { OddAnswer, readOrAway } from '../service/reads.ts';
import { isOfAnotherTerm } from '../submit/repeat-or-renewal.ts';
import { folded, foldedIn, isForTheSame, isMarkedForAnother } from '../submit/same-order.ts';

type SearchContext = Omit<RunContext, 'log'> & { readonly client: Pick<ServiceClient, 'searchProjects'> };

/** Of the service's own rules: how long after another one a project can be its double. A day more for clocks that do not agree. */
const WINDOW_MS = (DUPLICATE_WINDOW_DAYS + 1) * 24 * 60 * 60 * 1000;

/** Which projects without an order are an order's second ones by their content, wherever their ids are. Reads throw ServiceAway. */
export class SecondProjects {
  readonly #context: SearchContext;
  readonly #firsts = new Map<number, Promise<bigint | null>>();
  /** So many ms make one unit of the service's creation times, which the document does not name; null where it compares none. */
  #unitMs: Promise<number | null> | null = null;

  constructor(context: SearchContext) {
    this.#context = context;
  }

  /** No project before it can be one. */
  async mayBeginAt(lowest: { readonly id: string; readonly at: number }): Promise<bigint> {
    const first = (await this.#firstSince(lowest.at - WINDOW_MS)) ?? 0n;
    return first < BigInt(lowest.id) ? first : BigInt(lowest.id);
  }

  /** The order with a project that this one doubles: of its time, for the same service, insured and house, and with no other number or date. */
  async orderLike(orders: readonly OrderRecord[], detail: ProjectDetail): Promise<OrderRecord | undefined> {
    for (const order of orders) {
      const isLike =
        order.projectId !== null &&
        !isMarkedForAnother(order.payload, detail) &&
        !isOfAnotherTerm(order.payload, detail) &&
        isForTheSame(order, detail, 'surely') &&
        NUMBERS.every((field) => agreesWhereBothSay(order, field, detail));
      if (isLike && (await this.#isOfItsTime(order, detail))) return order;
    }
    return undefined;
  }

  async #isOfItsTime(order: OrderRecord, detail: ProjectDetail): Promise<boolean> {
    const [from, to] = [
      await this.#firstSince(order.createdAt - WINDOW_MS),
      await this.#firstSince(order.createdAt + WINDOW_MS),
    ];
    if (from !== null && to !== null) return BigInt(detail.id) >= from && BigInt(detail.id) < to;
    // Nobody can tell last year's from this year's by anything but a date of its own.
    return DATES.some(
      (field) => folded(detail[field]) !== '' && foldedIn(order.payload, field) === foldedIn(detail, field),
    );
  }

  /** The lowest id of a project that was made at this time or later, above all ids where there is none; null where the service compares no times. */
  #firstSince(at: number): Promise<bigint | null> {
    const known = this.#firsts.get(at) ?? this.#askFirst(at);
    this.#firsts.set(at, known);
    return known;
  }

  async #askFirst(at: number): Promise<bigint | null> {
    const unitMs = await (this.#unitMs ??= this.#findUnit());
    return unitMs === null ? null : await this.#ask(Math.floor(at / unitMs));
  }

  /** In the right unit, nothing was made at the last instant that 32 bits of seconds hold. */
  async #findUnit(): Promise<number | null> {
    for (const unitMs of [1000, 1]) {
      const shown = await this.#ask(Math.floor((INT32_MAX * 1000) / unitMs)).catch((failure: unknown) => {
        if (!(failure instanceof OddAnswer)) throw failure;
        return null;
      });
      if (shown !== null && shown > PROJECT_ID_MAX) return unitMs;
    }
    return null;
  }

  async #ask(createdTimeStart: number): Promise<bigint> {
    const { client } = this.#context;
    const items = await readOrAway(() => client.searchProjects({ createdTimeStart, limit: 1 }), this.#context);
    return BigInt(items?.[0]?.id ?? PROJECT_ID_MAX + 1n);
  }
}

const INT32_MAX = 2 ** 31 - 1;
const NUMBERS = ['inspectionNumber', 'policyNumber', 'policyEffectiveDate'] as const;
const DATES = ['policyEffectiveDate', 'dueDate'] as const;

function agreesWhereBothSay(
  { payload, reference }: OrderRecord,
  field: (typeof NUMBERS)[number],
  detail: ProjectDetail,
): boolean {
  // One that we minted is no number of the sender's.
  const own = field === 'inspectionNumber' && payload.inspectionNumber === reference ? '' : foldedIn(payload, field);
  const shown = foldedIn(detail, field);
  return own === '' || shown === '' || own === shown;
}
