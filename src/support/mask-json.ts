import { maskText } from './mask-text.ts';
import type { Pseudonyms } from './pseudonyms.ts';

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
