import { localDay } from '../domain/day.ts';
import { identityKind } from '../domain/identity.ts';
import type { OrderPayload } from '../domain/row.ts';
import type { OrderLookup, OrderRecord } from '../ledger/ledger.ts';
import { isScratch } from '../ledger/scratch-ledger.ts';

/** `row 7 of sheet Orders in june.xlsx, ordered on 2026-06-02 as project 100017`. */
export function describeOrder(
  order: Pick<OrderRecord, 'id' | 'projectId' | 'createdAt'>,
  ledger: Pick<OrderLookup, 'placeOfOrder'>,
) {
  const place = ledger.placeOfOrder(order);
  const row = place === null ? `order ${order.id}` : `row ${place.rowNumber} of sheet ${place.sheet} in ${place.file}`;
  if (isScratch(order)) return row;
  const when = localDay(order.createdAt);
  return order.projectId === null
    ? `${row}, on record since ${when}`
    : `${row}, ordered on ${when} as project ${order.projectId}`;
}

export function describeIdentity(payload: OrderPayload) {
  switch (identityKind(payload)) {
    case 'inspection':
      return `Inspection number ${payload.inspectionNumber ?? ''}`;
    case 'policy':
      return `Policy number ${payload.policyNumber ?? ''} with effective date ${payload.policyEffectiveDate ?? '(none)'}`;
    case 'address':
      return 'This service for this insured at this address';
  }
}
