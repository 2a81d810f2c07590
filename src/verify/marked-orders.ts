import type { ProjectDetail } from '../contract/project.ts';
import type { OrderRecord, OrderState } from '../ledger/order-record.ts';
import { referencesIn } from './compare-project.ts';
import type { CensusParts } from './parts.ts';

const BATCH = 500;
const STATES = ['ready', 'submitting', 'created', 'linked', 'skipped', 'refused', 'unresolved', 'held', 'abandoned'] as const satisfies readonly OrderState[];

/** The orders that the service has no key for, by the reference they are marked with. Read when first asked for: most censuses never ask. */
export class MarkedOrders {
  readonly #ledger: CensusParts['ledger'];
  #read: Promise<ReadonlyMap<string, readonly number[]>> | null = null;

  constructor({ ledger }: CensusParts) {
    this.#ledger = ledger;
  }

  /** Whether there is any that was sent. */
  async areAny(): Promise<boolean> {
    return (await this.#byReference()).size > 0;
  }

  /** Those whose reference the project carries. */
  async marking(detail: ProjectDetail): Promise<readonly OrderRecord[]> {
    const byReference = await this.#byReference();
    const ids = referencesIn(detail).flatMap((reference) => byReference.get(reference) ?? []);
    const orders = await Promise.all(ids.map((id) => this.#ledger.order(id)));
    return orders.filter((order) => order !== null);
  }

  #byReference(): Promise<ReadonlyMap<string, readonly number[]>> {
    this.#read ??= this.#readAll();
    return this.#read;
  }

  async #readAll(): Promise<ReadonlyMap<string, readonly number[]>> {
    const found = new Map<string, number[]>();
    for (const state of STATES) {
      for (let after = 0; ; ) {
        const orders = await this.#ledger.ordersIn(state, after, BATCH);
        for (const { id, reference, idBound } of orders) {
          if (reference === null || idBound === null) continue;
          const before = found.get(reference);
          if (before === undefined) found.set(reference, [id]);
          else before.push(id);
        }
        const last = orders.at(-1);
        if (last === undefined) break;
        after = last.id;
      }
    }
    return found;
  }
}
