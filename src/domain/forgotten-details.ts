import type { OrderPayload } from './row.ts';

/** What of an order is neither a person's nor a property's, and what the service's duplicate rules compare. */
const KEPT = ['serviceName', 'policyType', 'houseType', 'insuredBy', 'policyNumber', 'policyEffectiveDate', 'inspectionNumber', 'dueDate', 'isRenewal'] as const satisfies readonly (keyof OrderPayload)[];

/** The order without people's details: numbers, dates and what was ordered stay; fields that every order has are empty. */
export function withoutDetails(payload: OrderPayload): OrderPayload {
  const kept = Object.fromEntries(KEPT.flatMap((field) => (payload[field] === undefined ? [] : [[field, payload[field]]])));
  const { serviceName, policyType, houseType } = payload;
  return { ...kept, serviceName, policyType, houseType, streetAddress: '', city: '', state: '', zipcode: '', insuredName: '', insuredPhone: '', insuredEmail: '' };
}

/** False once `withoutDetails` was there: no order can be placed without a street. */
export function hasDetails(payload: Pick<OrderPayload, 'streetAddress'>): boolean {
  return payload.streetAddress !== '';
}
