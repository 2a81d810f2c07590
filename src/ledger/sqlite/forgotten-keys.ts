import { hash } from 'node:crypto';

/** A key that holds an address, as it stands once the details are forgotten. */
export function forgottenKey(key: string): string {
  return `sha256:${hash('sha256', key)}`;
}

/** The same for any key of an order: numbers of policies and inspections are nobody's details and stay as they are, as does what was hashed. */
export function keyWhenForgotten(key: string): string {
  return /^(inspection|policy|sha256):/.test(key) ? key : forgottenKey(key);
}
