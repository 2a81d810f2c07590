import { contentReference, identityOf, payloadHash } from '../../src/domain/identity.ts';
import type { OrderPayload, RowPlace } from '../../src/domain/row.ts';
import type { OrderLookup } from '../../src/ledger/lookups.ts';
import type { OrderRecord } from '../../src/ledger/orders.ts';
import type { PolicyDetails } from '../../src/ledger/updates.ts';
import { orderPayload } from './order-factory.ts';
import { VIRTUAL_START_MS } from './virtual-clock.ts';

/** An order on record, with project 501. */
export function orderOnRecord(changes: Partial<OrderPayload> = {}, more: Partial<OrderRecord> = {}): OrderRecord {
  const payload = orderPayload(changes);
  return {
    id: 1,
    identity: identityOf(payload),
    state: 'created',
    payload,
    payloadHash: payloadHash(payload),
    allowDuplication: false,
    rowWish: null,
    reference: null,
    attempts: 1,
    idBound: '100',
    uncertainSince: null,
    projectId: '501',
    code: null,
    reason: null,
    createdAt: VIRTUAL_START_MS,
    renews: null,
    ...more,
  };
}

/** An order without numbers whose reference was sent as its inspection number (`whenNoKey: mint`). */
export function mintedOrder(changes: Partial<OrderPayload> = {}): OrderRecord {
  const payload = orderPayload(changes);
  const reference = contentReference(payload);
  return orderOnRecord({ ...changes, inspectionNumber: reference }, { identity: identityOf(payload), reference });
}

/** What a test has on record. */
interface OnRecord {
  readonly ofIdentity?: readonly OrderRecord[];
  readonly ofSubject?: readonly OrderRecord[];
  readonly atAddress?: OrderRecord;
  readonly ofPolicy?: OrderRecord;
  /** By identity. */
  readonly living?: Readonly<Record<string, OrderRecord>>;
  readonly orderedAgain?: OrderRecord;
  readonly alsoKnownBy?: readonly string[];
  readonly place?: RowPlace;
  /** By project. */
  readonly amended?: Readonly<Record<string, PolicyDetails>>;
  readonly ends?: Readonly<Record<string, ReturnType<OrderLookup['endOfProject']>>>;
  readonly status?: string;
}

/** Answers from these records; everything else is not on record. Orders at an address have an age. */
export function lookupOf(on: OnRecord = {}): OrderLookup {
  const isSince = (since: number) => (order: OrderRecord) => order.createdAt >= since;
  return {
    findLivingOrder: (identity) => on.living?.[identity] ?? null,
    findOrderedAgain: () => on.orderedAgain ?? null,
    findOrderAtAddress: (_address, since) =>
      [on.atAddress].filter((one) => one !== undefined).find(isSince(since)) ?? null,
    findOrderOfPolicy: () => on.ofPolicy ?? null,
    ordersOf: () => on.ofIdentity ?? [],
    ordersOfSubject: () => on.ofSubject ?? [],
    alsoKnownBy: () => on.alsoKnownBy ?? [],
    placeOfOrder: () => on.place ?? null,
    statusOfProject: () => on.status ?? null,
    endOfProject: (project) => on.ends?.[project ?? ''] ?? null,
    amendmentsOf: (project) => [on.amended?.[project ?? '']].filter((one) => one !== undefined),
  };
}
