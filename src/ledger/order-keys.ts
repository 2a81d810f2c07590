import { hash } from 'node:crypto';
import { baseIdentity } from '../domain/identity.ts';

export function hashKey(key: string) {
  return `sha256:${hash('sha256', key)}`;
}

/** Keeps policy and inspection numbers, which are no personal details, and the endings of repeats and later terms. */
export function anonymousKey(key: string) {
  if (/^(inspection|policy|sha256):/.test(key)) return key;
  const identity = baseIdentity(key);
  return `${hashKey(identity)}${key.slice(identity.length)}`;
}

/** The range of the keys with this policy number and any date. A key is JSON: `["P-1","2026-11-01"]`. */
export function policyKeyRange(policyNumber: string): readonly [from: string, before: string] {
  const begin = JSON.stringify([policyNumber]).slice(0, -1);
  // A hyphen follows a comma.
  return [`${begin},`, `${begin}-`];
}
