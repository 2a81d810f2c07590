import { orderPayload } from './order-factory.ts';

/** Which of the service's duplicate rules can recognize an order: rule 3, rule 2, or none. */
export type OrderKey = 'inspection' | 'policy' | 'none';

const KEYS: readonly OrderKey[] = ['inspection', 'policy', 'none'];

/**
 * A CSV file, under the service's own field names, of so many different and valid orders; the kinds of key take turns.
 * The same arguments give the same text, another series other orders.
 */
export function orderCsv(
  count: number,
  { keys = KEYS, series = 0 }: { keys?: readonly OrderKey[]; series?: number } = {},
): string {
  const header = ['inspectionNumber', 'policyNumber', 'policyEffectiveDate', ...Object.keys(orderPayload())];
  const rows = Array.from({ length: count }, (_, index) => {
    const key = keys[index % keys.length];
    const number = series * 1000 + index;
    const payload = orderPayload({ streetAddress: `${100 + number} Oak Street`, insuredName: `Ann Lee ${number}` });
    const identity = [
      key === 'inspection' ? `T-${10_000 + number}` : '',
      key === 'policy' ? `P-${10_000 + number}` : '',
      key === 'policy' ? '2027-01-01' : '',
    ];
    return [...identity, ...Object.values(payload)].join(',');
  });
  return `${[header.join(','), ...rows].join('\n')}\n`;
}
