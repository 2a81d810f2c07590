import { createHmac } from 'node:crypto';
import { HOUSE_TYPES_BY_POLICY_TYPE, POLICY_TYPES, PROJECT_STATUSES, SERVICE_NAMES } from '../contract/document.ts';

/**
 * Gives the same detail the same stand-in, in every support bundle of a workspace. Without the workspace's key nobody can turn a stand-in back
 * into the detail, or guess it by trying.
 */
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
 * of more than three digits, and the words of `details`. Each gets its stand-in, so that the same detail can be followed from file to file.
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

/** Values that are identifiers of ours, and of nobody else: runs, hashes, times, words in lower case, versions. */
const PLAIN = /^(?:[a-z][a-z-]{0,30}|[0-9a-f]{40,64}|\d{4}-\d{2}-\d{2}T[\d:.]{6,12}Z?(?:-[0-9a-f]{4})?|\d{2}:\d{2}|(?:GET|PUT|POST) \/v1\/[A-Za-z{}/]*)$/;

/** Fields whose values hold no details of people, whatever they look like. */
const OUR_FIELDS: ReadonlySet<string> = new Set(['at', 'run', 'project', 'projectId', 'idBound', 'status', 'event', 'kind', 'payloadHash', 'hash', 'sha256']);

/** The same JSON with every text masked that is none of ours. Names of fields stay. */
export function maskJson(value: unknown, pseudonyms: Pseudonyms, details: ReadonlySet<string> = new Set(), field = ''): unknown {
  if (typeof value === 'string') return isPlain(value, field) && !details.has(value.toLowerCase()) ? value : maskText(value, pseudonyms, details);
  if (Array.isArray(value)) return value.map((item) => maskJson(item, pseudonyms, details, field));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskJson(inner, pseudonyms, details, name)]));
}

function isPlain(text: string, field: string): boolean {
  return PLAIN.test(text) || (OUR_FIELDS.has(field) && /^[\w :.-]{1,80}$/.test(text));
}
