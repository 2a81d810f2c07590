import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { stringifyExactJson } from '../contract/json.ts';
import { errorBodyOf, Refusal, wrongContentType } from './refusal.ts';
import { routeOf } from './request-checks.ts';

type FinishedBody = (status: number, body: string) => string;

const unchanged: FinishedBody = (_status, body) => body;

const BODY_BYTES_MAX = 1024 * 1024;

/**
 * A server that answers as the document does: JSON with exact ids, errors as `{ error: { message } }` with the
 * document's statuses only. Any other exception is the sandbox's own fault: it answers 500 and calls `onFault`.
 * `finished` edits the bodies of errors that no hook sees.
 */
export function createHttpServer(
  onFault: (thrown: unknown) => void,
  finished: FinishedBody = unchanged,
): FastifyInstance {
  const badSocket = (socket: Duplex, message: string) => refuseSocket(socket, finished(400, errorBodyOf(message)));
  const app = fastify({
    logger: false,
    forceCloseConnections: true,
    bodyLimit: BODY_BYTES_MAX,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: (error, _request, reply) => {
      void sendError(reply, 400, error.message, finished);
    },
    http: { requireHostHeader: false },
    clientErrorHandler: (_error, socket) => badSocket(socket, 'The request is not valid HTTP.'),
  });
  app.server.on('connect', (_request, socket: Duplex) => badSocket(socket, 'This is not a proxy.'));
  app.server.on('checkExpectation', (request) =>
    badSocket(request.socket, 'The header Expect can only be 100-continue.'),
  );
  app.removeContentTypeParser('text/plain');
  app.setReplySerializer(serialized);
  app.setNotFoundHandler((request, reply) =>
    sendError(reply, 404, `There is no ${request.method} ${request.url.split('?')[0]?.slice(0, 200) ?? ''}.`),
  );
  app.setErrorHandler<FastifyError>((thrown, request, reply) => {
    const { code, statusCode = 500 } = thrown;
    const refusal =
      code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
        ? wrongContentType('application/json', request.headers['content-type'])
        : thrown;
    if (refusal instanceof Refusal) return sendError(reply, refusal.status, refusal.message);
    // The framework's refusals (bad JSON, content type, length) are the document's "Bad request format".
    if (statusCode >= 400 && statusCode < 500) return sendError(reply, 400, thrown.message);
    onFault(thrown);
    return sendError(reply, 500, 'Internal error.');
  });
  return app;
}

function serialized(payload: unknown) {
  try {
    return JSON.stringify(payload);
  } catch (thrown) {
    if (thrown instanceof TypeError) return stringifyExactJson(payload);
    throw thrown;
  }
}

export async function listen(app: FastifyInstance, host: string, port = 0) {
  await app.listen({ host, port });
  const { port: taken } = app.server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
}

function refuseSocket(socket: Duplex, body: string) {
  if (!socket.writable) return;
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

export function sendError(reply: FastifyReply, status: number, message: string, finished: FinishedBody = unchanged) {
  return reply
    .code(status)
    .type('application/json')
    .send(finished(status, errorBodyOf(message)));
}

export function redirectTo(reply: FastifyReply, location: string) {
  return reply.code(307).header('location', location).send('');
}

/** By endpoint and outcome: a status, `reset` or `hang`. */
export type RequestCounts = Record<string, Record<string, number>>;

export function countRequest(counts: RequestCounts, request: FastifyRequest, outcome: string) {
  const outcomes = (counts[`${request.method} ${routeOf(request)}`] ??= {});
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
}
