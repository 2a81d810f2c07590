import type { Clock, Log } from '../domain/ports.ts';
import { createOutcomeOf, ownWords, readOutcomeOf } from './answer.ts';
import { isPathPart, urlOf } from './base-url.ts';
import type { Answer, Exchange, Failure, Transport } from './exchange.ts';
import { openFileOutcome, type OpenFile } from './open-file.ts';
import type { CreateOutcome, ReadOutcome } from './outcome.ts';
import { openFollowing, type Arrival } from './redirects.ts';
import { withToken, type TokenSource } from './token-source.ts';

/** A request in the words of the document: parameters go into the query, `{…}` parts of the path are the ids. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The document's own path, such as `/v1/project/{projectId}`: also what the log shows instead of the URL. */
  readonly route: string;
  /** What stands for `{…}` in the route. */
  readonly id?: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
}

/** The three ways of asking the service. */
export interface Calls {
  create(call: Call): Promise<CreateOutcome>;
  /** `parse` gives undefined for a 2xx that is not what was asked for. */
  read<T>(call: Call, parse: (json: unknown, answer: Answer) => T | undefined): Promise<ReadOutcome<T>>;
  openFile(call: Call): Promise<ReadOutcome<OpenFile>>;
}

interface Parts {
  readonly transport: Transport;
  readonly tokens: TokenSource;
  readonly baseUrl: URL;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends every read that is not given another. */
  readonly signal?: AbortSignal | undefined;
}

export function createCalls(parts: Parts): Calls {
  const { transport, tokens, baseUrl, clock } = parts;
  return {
    async create(call) {
      const exchange = await withToken(tokens, (token) => send(parts, call, token), isOwn401);
      return createOutcomeOf(exchange, clock.now());
    },

    async read(asked, parse) {
      const call = asked.method === 'GET' ? { ...asked, signal: asked.signal ?? parts.signal } : asked;
      if (!isPathPart(call.id ?? '-')) return noSuchId;
      // Reading twice does no harm, so here any 401 will do.
      const exchange = await withToken(tokens, (token) => send(parts, call, token), is401, call.signal);
      return readOutcomeOf(exchange, parse, clock.now());
    },

    async openFile(asked) {
      const call = { ...asked, signal: asked.signal ?? parts.signal };
      if (!isPathPart(call.id ?? '-')) return noSuchId;
      const started = clock.now();
      const url = urlOfCall(baseUrl, call);
      const arrival = await withToken(tokens, (token) => openFollowing(transport, url, token, call.signal), dropIfTokenRefused, call.signal);
      if (arrival.kind === 'failed') {
        record(parts, call, arrival, started);
        return { kind: 'transient', reason: arrival.reason, status: null, retryAfterMs: null, ...(arrival.aboutItem && { aboutItem: true }) };
      }
      record(parts, call, arrival.answer, started);
      return openFileOutcome(arrival, clock);
    },
  };
}

const noSuchId: ReadOutcome<never> = { kind: 'not-found', message: 'this cannot be an id of the service' };

async function send(parts: Parts, call: Call, token: string): Promise<Exchange> {
  const started = parts.clock.now();
  const body = call.body === undefined ? undefined : JSON.stringify(withoutNulls(call.body));
  const exchange = await parts.transport.exchange({
    method: call.method,
    url: urlOfCall(parts.baseUrl, call),
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body,
    signal: call.signal,
  });
  record(parts, call, exchange, started);
  return exchange;
}

function urlOfCall(baseUrl: URL, call: Call): URL {
  const path = call.route.split('/').slice(1).map((part) => (part.startsWith('{') ? (call.id ?? '') : part));
  return urlOf(baseUrl, path, call.query);
}

/** Null is never sent (document: Conventions): a field without a value is left out. */
function withoutNulls(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** One line for what did not go smoothly: the route, never the URL; the status, never the body. */
function record({ clock, log }: Parts, call: Call, exchange: { kind: 'answer'; status: number } | { kind: 'failed'; reason: string }, started: number): void {
  const fields = { route: `${call.method} ${call.route}`, ms: clock.now() - started };
  if (exchange.kind === 'failed') log.warn('service.failed', { ...fields, reason: exchange.reason });
  else if (exchange.status >= 500 || exchange.status === 429) log.warn('service.answered', { ...fields, status: exchange.status });
  else if (exchange.status >= 300) log.info('service.answered', { ...fields, status: exchange.status });
}

function is401(exchange: Exchange): boolean {
  return exchange.kind === 'answer' && exchange.status === 401;
}

/** Only this proves that a create was not handled, and may be sent again. */
function isOwn401(exchange: Exchange): boolean {
  return exchange.kind === 'answer' && exchange.status === 401 && ownWords(exchange) !== null;
}

/** A 401 from where a redirect led is not about our token. The body of one that is will not be wanted any more. */
function dropIfTokenRefused(result: Arrival | Failure): boolean {
  const refused = result.kind === 'arrived' && result.atService && result.answer.status === 401;
  if (refused) result.answer.stream.destroy();
  return refused;
}
