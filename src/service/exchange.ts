import { Agent as HttpAgent, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import got, { RequestError, TimeoutError } from 'got';
import { ANSWER_BYTES_MAX, IDLE_SOCKET_MS } from './limits.ts';

/** One request as it leaves. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Ends the request at once; then the promise rejects with its reason. Never given for a create. */
  readonly signal?: AbortSignal | undefined;
}

/** Whatever the service, or somebody in between, answered. */
export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** An answer whose body is still on its way. */
export interface OpenAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** To be read to its end or destroyed. Its errors are TransportErrors. */
  readonly stream: Readable;
}

/** No answer. `sent: 'no'` means that no byte of the request can have left: no connection was ever made for it. */
export interface Failure {
  readonly kind: 'failed';
  readonly sent: 'no' | 'maybe';
  readonly reason: string;
  /** It is about where one file was said to be, not about the service. */
  readonly aboutFile?: true;
}

export type Exchange = Answer | Failure;

/** A request that failed, without the URL, the headers and the body that the HTTP library's own errors carry. */
class TransportError extends Error {
  readonly code: string;
  readonly sent: 'no' | 'maybe';

  constructor(reason: string, code: string, sent: 'no' | 'maybe') {
    super(reason);
    this.name = 'TransportError';
    this.code = code;
    this.sent = sent;
  }
}

/** Sends one request and follows nothing, repeats nothing and interprets nothing. */
export interface Transport {
  exchange(request: HttpRequest): Promise<Exchange>;
  open(request: HttpRequest): Promise<OpenAnswer | Failure>;
  close(): void;
}

export function createTransport(options: { timeoutMs: number; connectTimeoutMs: number; socketsMax: number }): Transport {
  const sockets = { keepAlive: true, maxSockets: options.socketsMax, maxFreeSockets: options.socketsMax, timeout: IDLE_SOCKET_MS };
  const agent = { http: new HttpAgent(sockets), https: new HttpsAgent(sockets) };
  const connecting = { lookup: options.connectTimeoutMs, connect: options.connectTimeoutMs, secureConnect: options.connectTimeoutMs };
  const client = got.extend({
    agent,
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: true,
    headers: { 'user-agent': 'inspection-batch' },
    timeout: { ...connecting, send: options.timeoutMs, response: options.timeoutMs },
    hooks: { beforeError: [withoutSecrets] },
  });

  return {
    async exchange({ method, url, headers, body, signal }) {
      const tooLong = new AbortController();
      try {
        const promise = client(url, {
          method,
          headers: { ...headers },
          responseType: 'buffer',
          timeout: { read: options.timeoutMs },
          signal: signal === undefined ? tooLong.signal : AbortSignal.any([tooLong.signal, signal]),
          ...(body === undefined ? {} : { body }),
        });
        void promise.on('downloadProgress', ({ transferred }) => {
          if (transferred > ANSWER_BYTES_MAX) tooLong.abort();
        });
        const response = await promise;
        return { kind: 'answer', status: response.statusCode, headers: response.headers, body: bytesOf(response.body) };
      } catch (thrown) {
        return failureOf(thrown, signal);
      }
    },

    async open({ method, url, headers, signal }) {
      const stream = client.stream(url, {
        method,
        headers: { ...headers },
        timeout: { socket: options.timeoutMs },
        ...(signal === undefined ? {} : { signal }),
      });
      try {
        const response = await new Promise<{ statusCode: number; headers: IncomingHttpHeaders }>((resolve, reject) => {
          stream.once('response', resolve);
          // Stays for the stream's whole life: an error before the reader has come must not bring the process down.
          stream.on('error', reject);
        });
        return { kind: 'answer', status: response.statusCode, headers: response.headers, stream };
      } catch (thrown) {
        return failureOf(thrown, signal);
      }
    },

    close() {
      agent.http.destroy();
      agent.https.destroy();
    },
  };
}

function bytesOf(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

function failureOf(thrown: unknown, signal: AbortSignal | undefined): Failure {
  signal?.throwIfAborted();
  if (!(thrown instanceof TransportError)) throw thrown;
  return { kind: 'failed', sent: thrown.sent, reason: thrown.message };
}

/** The library's errors hold the URL, the Authorization header and the body: none of them goes further than this. */
function withoutSecrets(error: RequestError): TransportError {
  return new TransportError(reasonOf(error), error.code, canHaveBeenSent(error) ? 'maybe' : 'no');
}

/**
 * A request is proven unsent only when its own, fresh connection was never ready: over https nothing is written before the handshake is
 * done. A socket used before proves nothing, since the service may have read the request before it closed.
 */
function canHaveBeenSent({ request, timings, options }: RequestError): boolean {
  if (request === undefined || timings === undefined || request.reusedSocket === true) return true;
  const secure = options.url instanceof URL && options.url.protocol === 'https:';
  return (secure ? timings.secureConnect : timings.connect) !== undefined;
}

function reasonOf(error: RequestError): string {
  if (error instanceof TimeoutError) return `no answer in time (waiting for: ${error.event})`;
  switch (error.code) {
    case 'ECONNREFUSED':
      return 'the connection was refused (ECONNREFUSED)';
    case 'ENOTFOUND':
      return 'the name of the host is not known (ENOTFOUND)';
    case 'EAI_AGAIN':
      return 'the name of the host could not be looked up (EAI_AGAIN)';
    case 'ECONNRESET':
    case 'EPIPE':
      return `the connection was cut (${error.code})`;
    case 'ERR_ABORTED':
      return 'the answer was too long, or the request was stopped (ERR_ABORTED)';
    case 'ERR_HTTP_CONTENT_LENGTH_MISMATCH':
      return 'the answer was cut short (ERR_HTTP_CONTENT_LENGTH_MISMATCH)';
    default:
      return `the connection failed (${error.code})`;
  }
}
