import { type ProjectDetail, type ProjectSearchItem, SEARCH_LIMIT_MAX } from '../contract/project.ts';
import { STATUS_NOT_SEEN } from '../domain/project-status.ts';
import type { OrderRecord, ProjectTie } from '../ledger/orders.ts';
import type { PolicyDetails } from '../ledger/updates.ts';
import { readOrAway } from '../service/read-or-away.ts';
import type { SubmitParts } from '../submit/parts.ts';
import { isForTheSame, likenessOf } from '../submit/same-order.ts';

export type StrayParts = Pick<SubmitParts, 'ledger' | 'client' | 'clock' | 'sleep' | 'random' | 'signal' | 'retryBudget'>;

/** The project of an order, with what it was amended to since; null where it stands as it was ordered. */
export interface Found {
  readonly tie: ProjectTie;
  readonly amended: PolicyDetails | null;
}

/**
 * The service's projects that may be of orders which the ledger has forgotten: those with ids in a range. Which of them an order holds is asked
 * each time, so that each is found once at most. Reads throw ServiceAway.
 */
export class Strays {
  readonly #parts: StrayParts;
  readonly #items: readonly ProjectSearchItem[];
  readonly #byNumber = new Map<string, ProjectSearchItem[]>();
  /** Those that do not show all of their numbers. */
  readonly #unnumbered: ProjectSearchItem[] = [];
  readonly #details = new Map<string, ProjectDetail | null>();

  private constructor(parts: StrayParts, items: readonly ProjectSearchItem[]) {
    this.#parts = parts;
    this.#items = items;
    for (const item of items) {
      const { inspectionNumber, policyNumber } = item;
      for (const key of [keyOf('inspection', inspectionNumber), keyOf('policy', policyNumber)]) {
        if (key !== null) this.#byNumber.set(key, [...(this.#byNumber.get(key) ?? []), item]);
      }
      if (isBlank(inspectionNumber) && (isBlank(policyNumber) || inspectionNumber === undefined)) this.#unnumbered.push(item);
    }
  }

  /** Pages to the empty page: a short one proves nothing. `to` is the last id that counts; all there are, where it is null. */
  static async between(from: string, to: string | null, parts: StrayParts): Promise<Strays> {
    const items = new Map<string, ProjectSearchItem>();
    const end = to === null ? null : BigInt(to);
    for (let startId = BigInt(from) + 1n, isOver = false; !isOver; ) {
      const query = { startId: startId.toString(), limit: SEARCH_LIMIT_MAX };
      const page = ((await readOrAway(() => parts.client.searchProjects(query), parts)) ?? []).filter(({ id }) => BigInt(id) >= startId);
      for (const item of page) if (end === null || BigInt(item.id) <= end) items.set(item.id, item);
      startId = page.reduce((last, { id }) => (BigInt(id) > last ? BigInt(id) : last), startId) + 1n;
      isOver = page.length === 0 || (end !== null && startId > end);
    }
    return new Strays(parts, [...items.values()].toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)));
  }

  get items(): readonly ProjectSearchItem[] {
    return this.#items;
  }

  /**
   * The project that this order asked for: to the letter, or else by its signs. Of several that are the same the first: orders that are the
   * same find theirs one after the other, in the order in which they were taken in.
   */
  async projectOf(order: OrderRecord): Promise<Found | null> {
    const candidates = await this.#free(this.#numberedLike(order), order);
    for (const likeness of ['to the letter', 'by its signs'] as const) {
      const alike = candidates.filter((candidate) => likenessOf(order, candidate) === likeness);
      // What a person was asked about is a person's to decide.
      if (alike.length > 1 && order.state === 'held') return null;
      if (alike[0] !== undefined) return { tie: this.#tieTo(alike[0]), amended: null };
    }
    return null;
  }

  /**
   * The project of an order that nothing but its policy tells, where that was amended since: the same house, insured, service and kind of
   * policy, made since, and of no other order. Null where there is none, or more than one.
   */
  async amendedProjectOf(order: OrderRecord): Promise<Found | null> {
    const { payload } = order;
    if (payload.inspectionNumber || !payload.policyNumber) return null;
    const free = await this.#free(this.#items.filter(({ inspectionNumber }) => isBlank(inspectionNumber)), order);
    const same = free.filter((detail) => isBlank(detail.inspectionNumber) && isForTheSame(order, detail, 'surely') && detail.policyType === payload.policyType);
    const [detail] = same;
    return detail === undefined || same.length > 1 ? null : { tie: this.#tieTo(detail), amended: differenceOf(payload, detail) };
  }

  /** A project that may be this order's, told in another way; null where there is none. `evenHeld`: also one that another order holds. */
  async doubtfulProjectOf(order: OrderRecord, { evenHeld }: { readonly evenHeld: boolean }): Promise<string | null> {
    const items = this.#items.filter(({ inspectionNumber }) => isBlank(inspectionNumber) || !order.payload.inspectionNumber);
    const details = await this.#free(items, order, evenHeld);
    return details.find((detail) => isForTheSame(order, detail, 'maybe'))?.id ?? null;
  }

  #numberedLike({ payload, reference }: OrderRecord): readonly ProjectSearchItem[] {
    const keys = [keyOf('inspection', payload.inspectionNumber ?? reference), keyOf('policy', payload.policyNumber)];
    return [...new Set([...keys.flatMap((key) => (key === null ? [] : (this.#byNumber.get(key) ?? []))), ...this.#unnumbered])];
  }

  /** The details of those that came after the order's first attempt and that no other order holds, the oldest first. */
  async #free(items: readonly ProjectSearchItem[], order: OrderRecord, evenHeld = false): Promise<readonly ProjectDetail[]> {
    const newer = items.filter(({ id }) => BigInt(id) > BigInt(order.idBound ?? 0));
    const held = evenHeld ? new Set<string>() : await this.#parts.ledger.projectsOfOtherOrders(order.id, newer.map(({ id }) => id));
    const details: ProjectDetail[] = [];
    for (const { id } of newer.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))) {
      const detail = held.has(id) ? null : await this.#detail(id);
      if (detail !== null) details.push(detail);
    }
    return details;
  }

  async #detail(id: string): Promise<ProjectDetail | null> {
    const known = this.#details.get(id);
    if (known !== undefined) return known;
    const detail = await readOrAway(() => this.#parts.client.getProject(id), this.#parts);
    this.#details.set(id, detail);
    return detail;
  }

  #tieTo({ id, inspectionCode, inspectionLink }: ProjectDetail): ProjectTie {
    const status = this.#items.find((item) => item.id === id)?.status;
    return { projectId: id, status: status || STATUS_NOT_SEEN, inspectionCode: inspectionCode || null, inspectionLink: inspectionLink || null };
  }
}

/** The two fields that can be amended, as an order or a project has them. */
export type Policy = { readonly [Field in keyof PolicyDetails]?: string | undefined };

/** What a project's policy details are, where they are not what was sent; null where they are. */
export function differenceOf(sent: Policy, detail: ProjectDetail): PolicyDetails | null {
  const now = { policyNumber: detail.policyNumber ?? '', policyEffectiveDate: detail.policyEffectiveDate ?? '' };
  const fields = (['policyNumber', 'policyEffectiveDate'] as const).filter((field) => now[field].trim() !== (sent[field] ?? '').trim());
  return fields.length === 0 ? null : Object.fromEntries(fields.map((field) => [field, now[field]]));
}

function keyOf(kind: 'inspection' | 'policy', number: string | null | undefined): string | null {
  return isBlank(number) ? null : `${kind} ${(number ?? '').trim()}`;
}

function isBlank(shown: string | null | undefined): boolean {
  return (shown ?? '').trim() === '';
}
