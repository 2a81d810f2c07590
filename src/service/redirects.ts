import type { Readable } from 'node:stream';
import type { Clock } from '../domain/ports.ts';
import { isLoopback } from '../domain/service-address.ts';
import type { Failure, OpenResponse, Transport } from './exchange.ts';
import { readRetryAfter, type ReadOutcome, readOutcomeOf } from './outcome.ts';

const ERROR_BYTES_MAX = 64 * 1024;
const ERROR_BODY_MS_MAX = 30_000;
const REDIRECT_HOPS_MAX = 3;

type NextHop = Readonly<{ kind: 'go'; url: URL } | { kind: 'refuse'; reason: string }>;

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/**
 * Follows https only, http only between loopback hosts, no credentials, no repeated URL, at most 3 hops. `visited`
 * begins with our URL. The reason never holds the URL, which is signed.
 */
export function nextHop(visited: readonly URL[], location: string | undefined): NextHop {
  const refuse = (why: string): NextHop => ({ kind: 'refuse', reason: `the redirect was not followed: ${why}` });
  const [first] = visited;
  if (first === undefined) return refuse('there is nothing to redirect');
  if (!location) return refuse('it names no address');
  const url = URL.parse(location, visited.at(-1)?.href);
  if (url === null) return refuse('the address it names is not a URL');
  url.hash = '';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url) && isLoopback(first)))
    return refuse('it leads away from https');
  if (url.username !== '' || url.password !== '') return refuse('the address it names holds credentials');
  if (visited.some((other) => other.href === url.href)) return refuse('it is a redirect loop');
  if (visited.length > REDIRECT_HOPS_MAX) return refuse(`more than ${REDIRECT_HOPS_MAX} in a row`);
  return { kind: 'go', url };
}

// Compression would hide the file's length.
const HEADERS = { accept: '*/*', 'accept-encoding': 'identity' };

export type RedirectResult = Readonly<{
  kind: 'arrived';
  hops: number;
  atService: boolean;
  answer: OpenResponse;
}>;

export async function openFollowing(
  transport: Transport,
  start: URL,
  token: string,
  signal?: AbortSignal,
): Promise<RedirectResult | Failure> {
  const visited: URL[] = [];
  const left: Readable[] = [];
  using _ = { [Symbol.dispose]: () => left.forEach((stream) => stream.destroy()) };
  const authorized = { ...HEADERS, authorization: `Bearer ${token}` };
  for (let url = start; ;) {
    visited.push(url);
    const open = (headers: Readonly<Record<string, string>>) => transport.open({ method: 'GET', url, headers, signal });
    let answer = await open(url === start ? authorized : HEADERS);
    // A signed address needs no token, but the service's own server may ask for it.
    if (url !== start && url.origin === start.origin && answer.kind !== 'failed' && answer.status === 401) {
      left.push(answer.stream.resume());
      answer = await open(authorized);
    }
    if (answer.kind === 'failed') return answer;
    if (!REDIRECT_STATUSES.has(answer.status))
      return { kind: 'arrived', hops: visited.length - 1, atService: url.origin === start.origin, answer };
    // Its small body may end on its own; then the connection is reused.
    left.push(answer.stream.resume());
    const hop = nextHop(visited, answer.headers.location);
    if (hop.kind === 'refuse') return { kind: 'failed', sent: 'maybe', reason: hop.reason, aboutItem: true };
    url = hop.url;
  }
}

export type OpenFile = Readonly<{
  /** Read it to its end or destroy it. */
  stream: Readable;
  /** Lower case, without parameters. */
  contentType: string | null;
  contentLength: number | null;
}>;

/** No deliverable has these types: a proxy answered. */
const NOT_A_FILE = new Set(['text/html', 'application/json']);

/**
 * After a redirect, 404 means that the file does not exist (document: Images). Any other refusal is about the signed
 * URL; the next try gets a new one.
 */
export async function openFileOutcome(arrival: RedirectResult, clock: Clock): Promise<ReadOutcome<OpenFile>> {
  const { status, headers, stream } = arrival.answer;
  const contentType = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? null;
  if (status === 200 && !(contentType !== null && NOT_A_FILE.has(contentType))) {
    const said = headers['content-length'] ?? '';
    return { kind: 'ok', value: { stream, contentType, contentLength: /^\d+$/.test(said) ? Number(said) : null } };
  }
  if (arrival.hops === 0) {
    const body = await readStart(stream, clock);
    return readOutcomeOf<OpenFile>({ kind: 'answer', status, headers, body }, () => undefined, clock.now());
  }
  stream.destroy();
  if (status === 404 || status === 410)
    return { kind: 'not-found', message: 'there is no file at the address that the service gave' };
  const reason = status === 200 ? 'not a file, but a page' : `HTTP ${status} from the address that the service gave`;
  const retryAfterMs = readRetryAfter(headers['retry-after'], clock.now());
  const transient = { kind: 'transient', reason, status, retryAfterMs } as const;
  return status < 500 && status !== 429 ? { ...transient, aboutItem: true } : transient;
}

async function readStart(stream: Readable, clock: Clock) {
  const until = clock.now() + ERROR_BODY_MS_MAX;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > ERROR_BYTES_MAX || clock.now() > until) break;
    }
  } catch {}
  return Buffer.concat(chunks);
}
