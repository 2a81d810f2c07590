import { createHmac } from 'node:crypto';

/** Gives the same stand-in for the same detail, in every bundle of a workspace; without the workspace's key nobody can go back, or try. */
export interface Pseudonyms {
  /** Such as `insured-3fa9c1d2`. Case and white space make no difference. */
  of(what: string, value: string): string;
}

/** `key` is secret, and stays in the workspace. */
export function createPseudonyms(key: Uint8Array): Pseudonyms {
  return {
    of: (what, value) => `${what}-${createHmac('sha256', key).update(value.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase()).digest('hex').slice(0, 8)}`,
  };
}
