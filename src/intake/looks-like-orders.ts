import { POLICY_TYPES, SERVICE_NAMES } from '../contract/document.ts';
import type { SheetRow } from '../domain/row.ts';
import { cellText, isBlank } from './cells.ts';
import { coerceChoice } from './values/choice.ts';
import { coerceState } from './values/place.ts';
import { trimmed } from './values/plain-text.ts';

/** More cells of a row are not looked at: what order is that wide? */
const CELLS_LOOKED_AT = 200;

/** True for a row that may be an order though its sheet has no header: a state beside a ZIP code, or a service beside a policy type. */
export function looksLikeOrders(row: SheetRow): boolean {
  const { place, service, policyType } = signsOf(row);
  return place || (service && policyType);
}

/** True for a row that may well be an order, and not an entry of a list of places: it names a service as well, or a street. */
export function mayBeAnOrder(row: SheetRow): boolean {
  const { place, service, policyType, street } = signsOf(row);
  return (service && (place || policyType)) || (place && street);
}

function signsOf(row: SheetRow): { readonly place: boolean; readonly service: boolean; readonly policyType: boolean; readonly street: boolean } {
  const texts = row.cells.filter((cell) => !isBlank(cell)).slice(0, CELLS_LOOKED_AT).map((cell) => trimmed(cellText(cell)));
  const some = (test: (text: string) => boolean): boolean => texts.some(test);
  const state = some((text) => coerceState(text).kind === 'value');
  const zip = some((text) => /^\d{4,5}(?:-\d{4})?$/.test(text));
  const service = some((text) => coerceChoice(text, SERVICE_NAMES).kind === 'value');
  const policyType = some((text) => coerceChoice(text, POLICY_TYPES).kind === 'value');
  return { place: state && zip, service, policyType, street: some((text) => /^\d+[a-z]?\s+\p{L}/iu.test(text)) };
}
