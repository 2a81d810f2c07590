import { Agent as HttpAgent, type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import got, { RequestError, TimeoutError } from 'got';

/** Before servers usually close a socket (5 s): a create on a closing one would be in doubt. */
const IDLE_SOCKET_MS = 3_000;
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** Larger bodies are written in pieces. */
const WRITTEN_AT_ONCE = 65_536;

export type HttpRequest = Readonly<{
  method: 'GET' | 'POST' | 'PUT';
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** Ends the request at once with the signal's reason. Never set for a create. */
  signal?: AbortSignal | undefined;
}>;

export type HttpResponse = Readonly<{
  kind: 'answer';
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}>;

export interface OpenResponse extends Omit<HttpResponse, 'body'> {
  /** Read it to its end or destroy it. Its errors are TransportErrors. */
  readonly stream: Readable;
}

/** `sent: 'no'`: there never was a connection. */
export type Failure = Readonly<{
  kind: 'failed';
  sent: 'no' | 'maybe';
  reason: string;
  aboutItem?: true;
}>;

export type Exchange = HttpResponse | Failure;

/** The HTTP library's errors hold URL, headers and body. */
class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code;
  readonly sent: Failure['sent'];
  readonly isSlowBody;

  constructor(error: RequestError) {
    super(reasonOf(error));
    this.code = error.code;
    this.sent = canHaveBeenSent(error) ? 'maybe' : 'no';
    this.isSlowBody = error instanceof TimeoutError && error.event === 'read';
  }
}

export function urlOf(
  base: URL,
  parts: readonly string[],
  query: Readonly<Record<string, string | number | boolean | undefined>> = {},
) {
  const url = new URL(base);
  url.pathname = [base.pathname.replace(/\/$/, ''), ...parts.map((part) => encodeURIComponent(part))].join('/');
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

/** Follows, repeats and interprets nothing. */
export interface Transport {
  exchange(request: HttpRequest): Promise<Exchange>;
  open(request: HttpRequest): Promise<OpenResponse | Failure>;
  close(): void;
}

export function guardWriteRequests(may: () => boolean, transport: Transport): Transport {
  return {
    ...transport,
    exchange: async (request) =>
      request.method === 'GET' || may()
        ? transport.exchange(request)
        : { kind: 'failed', sent: 'no', reason: 'another host has taken over' },
  };
}

type TransportOptions = Readonly<{
  timeoutMs: number;
  connectTimeoutMs: number;
  socketsMax: number;
}>;

export function createTransport({ timeoutMs, connectTimeoutMs, socketsMax }: TransportOptions): Transport {
  const sockets = { keepAlive: true, maxSockets: socketsMax, maxFreeSockets: socketsMax, timeout: IDLE_SOCKET_MS };
  const agent = { http: new HttpAgent(sockets), https: new HttpsAgent(sockets) };
  const connecting = { lookup: connectTimeoutMs, connect: connectTimeoutMs, secureConnect: connectTimeoutMs };
  const client = got.extend({
    agent,
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: true,
    headers: { 'user-agent': 'inspection-batch' },
    timeout: { ...connecting, send: timeoutMs, response: timeoutMs },
    hooks: { beforeError: [(error) => new TransportError(error)] },
  });

  const open = async (
    { method, url, headers, body, signal }: HttpRequest,
    timeout: { read?: number; socket?: number },
  ): Promise<OpenResponse | Failure> => {
    const stream = client.stream(url, {
      method,
      headers: { ...headers },
      timeout,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
    // Or got closes the connection if the answer begins before its own write of the body has settled.
    if (body !== undefined && Buffer.byteLength(body) <= WRITTEN_AT_ONCE)
      stream.once('request', (sent: ClientRequest) => sent.once('response', () => sent.end()));
    try {
      const response = await new Promise<{ statusCode: number; headers: IncomingHttpHeaders }>((resolve, reject) => {
        stream.once('response', resolve);
        // Kept while the stream exists: an error before anybody reads must not end the process.
        stream.on('error', reject);
      });
      return { kind: 'answer', status: response.statusCode, headers: response.headers, stream };
    } catch (thrown) {
      return failureOf(thrown, signal);
    }
  };

  return {
    async exchange(request) {
      const opened = await open(request, { read: timeoutMs });
      if (opened.kind === 'failed') return opened;
      try {
        const body = await wholeBody(opened.stream);
        return body === null ? TOO_LONG : { kind: 'answer', status: opened.status, headers: opened.headers, body };
      } catch (thrown) {
        return failureOf(thrown, request.signal);
      }
    },

    open: (request) => open(request, { socket: timeoutMs }),

    close() {
      agent.http.destroy();
      agent.https.destroy();
    },
  };
}

const TOO_LONG: Failure = {
  kind: 'failed',
  sent: 'maybe',
  reason: `the answer is longer than ${ANSWER_BYTES_MAX / 1024 ** 2} MiB`,
  aboutItem: true,
};

/** Decompressed; null if it is too long. Content-Length is not trusted. */
async function wholeBody(stream: Readable) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > ANSWER_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function failureOf(thrown: unknown, signal: AbortSignal | undefined): Failure {
  signal?.throwIfAborted();
  if (!(thrown instanceof TransportError)) throw thrown;
  return { kind: 'failed', sent: thrown.sent, reason: thrown.message, ...(thrown.isSlowBody && { aboutItem: true }) };
}

/**
 * False only if the request had its own new connection, which was never ready: with https nothing is written before
 * the handshake ends. After a reused socket it is true: the service may have read the request before it closed.
 */
export function canHaveBeenSent({ request, timings, options }: RequestError) {
  if (request === undefined || timings === undefined || request.reusedSocket === true) return true;
  const secure = options.url instanceof URL && options.url.protocol === 'https:';
  return (secure ? timings.secureConnect : timings.connect) !== undefined;
}

function reasonOf(error: RequestError) {
  if (error instanceof TimeoutError) return `no answer in time (waiting for: ${error.event})`;
  return `${REASONS[error.code] ?? 'the connection failed'} (${error.code})`;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ERR_ABORTED: 'the answer was too long, or the request was stopped',
  ERR_HTTP_CONTENT_LENGTH_MISMATCH: 'the answer was cut short',
};
