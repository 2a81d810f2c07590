import { HOUSE_TYPES_BY_POLICY_TYPE, POLICY_TYPES, SERVICE_NAMES } from '../contract/project.ts';
import { PROJECT_STATUSES } from '../contract/status.ts';
import type { Pseudonyms } from './pseudonyms.ts';

/** Words that begin with a capital in our own sentences and in the document's lists. Every other such word may be a name. */
const OUR_WORDS: ReadonlySet<string> = new Set(
  [
    ...PROJECT_STATUSES,
    ...SERVICE_NAMES,
    ...POLICY_TYPES,
    ...Object.values(HOUSE_TYPES_BY_POLICY_TYPE).flat(),
    'A An The It Its If In No Not Nothing One Two More Adopt After Another Before Searched Two Tied What When Where Which Why Run Try Whether This That These All Some Each',
    'Files File Report Reports Order Orders Project Row Rows Service Policy Inspection Number Date Invalid Missing Required Unknown Bad Request Forbidden Conflict Unprocessable',
    'PDF ZIP XML JSON HTTP HTTPS TLS URL GET PUT POST DNS TCP EOF UTC SHA ECONNRESET ECONNREFUSED ETIMEDOUT ENOTFOUND EPIPE EAI_AGAIN ENOENT EACCES ENOSPC EIO EBUSY',
    'PROBLEM Node.js Gateway Timeout Time Internal Unavailable Too Many Allow Yes Client',
  ].flatMap((text) => text.split(/[\s&-]+/)),
);

const TOKENS = /"[^"]{1,400}"|[\p{L}\p{N}@._%+’'#/\\-]+/gu;

/**
 * A sentence without what could be somebody's detail: what stands in quotes, every word with a capital that is none of ours, every number
 * of more than three digits, and the words of `details`. Each gets its stand-in, so that the same detail can be followed from page to page.
 */
export function maskText(text: string, pseudonyms: Pseudonyms, details: ReadonlySet<string> = new Set()): string {
  return text.replaceAll(TOKENS, (token) => {
    if (token.startsWith('"')) return `[${pseudonyms.of('text', token.slice(1, -1))}]`;
    const end = /[.’'-]*$/.exec(token)?.[0] ?? '';
    const word = token.slice(0, token.length - end.length);
    return word === '' || isOurs(word, details) ? token : `[${pseudonyms.of('text', word)}]${end}`;
  });
}

function isOurs(word: string, details: ReadonlySet<string>): boolean {
  if (/^#?\d{1,3}$/.test(word)) return true;
  if (details.has(word.toLowerCase())) return false;
  return /^[a-z][a-z’'-]*$/.test(word) || OUR_WORDS.has(word);
}

/** The words of an order's details, for `maskText`. One letter, and what is only a number of few digits, says nothing of anybody. */
export function wordsOf(values: readonly unknown[]): ReadonlySet<string> {
  const words = values.filter((value) => typeof value === 'string').flatMap((value) => value.toLowerCase().split(/[^\p{L}\p{N}@._%+’'#-]+/u));
  return new Set(words.filter((word) => word.length > 2));
}
