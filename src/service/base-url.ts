import { createHash } from 'node:crypto';
import { ExplainedError } from '../domain/errors.ts';

/** True for localhost, 127.0.0.0/8 and ::1: hosts that a request does not leave this machine to reach. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname.toLowerCase();
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * The service's base URL, checked: https, or http to loopback; no credentials, query or fragment in it; a path is kept.
 * Throws ExplainedError (2). Its message never repeats the URL, which may hold a password.
 */
export function readBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const wrong = (what: string): ExplainedError =>
    new ExplainedError(`The service's base URL ${what}.`, { exitCode: 2, hint: 'Set INSPECTION_BASE_URL to something like https://api.example.com, without /v1.' });
  if (url === null || url.hostname === '') throw wrong('is not a URL');
  if (url.protocol === 'http:' && !isLoopback(url)) throw wrong('is plain http, which is allowed to this machine only: credentials would travel in the clear');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw wrong('is not an https URL');
  if (url.username !== '' || url.password !== '') throw wrong('holds a user name or a password; give those as INSPECTION_USERNAME and INSPECTION_PASSWORD');
  if (url.search !== '' || url.hash !== '') throw wrong('holds a query or a fragment');
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** False for what cannot be an id in a path: nothing, dots that would climb out of it, text that cannot be encoded. */
export function isPathPart(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && part.isWellFormed();
}

/** The URL of a path below the base; every part of the path is encoded, and parameters without a value are left out. */
export function urlOf(base: URL, parts: readonly string[], query: Readonly<Record<string, string | number | boolean | undefined>> = {}): URL {
  const url = new URL(base);
  url.pathname = [base.pathname.replace(/\/$/, ''), ...parts.map((part) => encodeURIComponent(part))].join('/');
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

/** A short key of the account at the service: identity, and everything on record, is scoped to it. It gives nothing away. */
export function accountKey(base: URL, clientId: string, username: string): string {
  const place = base.origin + base.pathname.replace(/\/$/, '');
  return createHash('sha256').update(JSON.stringify([place, clientId, username])).digest('hex').slice(0, 16);
}
