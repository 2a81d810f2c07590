import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { stringifyExactJson } from '../contract/json.ts';
import { errorBodyOf, Refusal } from './refusal.ts';

/** Paths are short, and so are bodies: a project with every field filled in takes a few kilobytes. */
const BODY_BYTES_MAX = 1024 * 1024;

/**
 * A server that answers everything, good or bad, as the document does: JSON with exact ids, errors as `{ error: { message } }` and with
 * the document's statuses only. `onFault` hears of what was thrown and is no refusal: a fault of the sandbox itself, answered 500.
 */
export function createHttpServer(onFault: (thrown: unknown) => void): FastifyInstance {
  const app = fastify({
    logger: false,
    forceCloseConnections: true,
    bodyLimit: BODY_BYTES_MAX,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: (error, _request, reply) => {
      void sendError(reply, 400, error.message);
    },
    clientErrorHandler: (_error, socket) => {
      const body = errorBodyOf('The request is not valid HTTP.');
      if (socket.writable) {
        socket.end(`HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
      }
    },
  });
  app.removeContentTypeParser('text/plain');
  app.setReplySerializer((payload) => stringifyExactJson(payload));
  app.setNotFoundHandler((request, reply) => sendError(reply, 404, `There is no ${request.method} ${request.url.split('?')[0]?.slice(0, 200) ?? ''}.`));
  app.setErrorHandler((thrown, _request, reply) => {
    if (thrown instanceof Refusal) return sendError(reply, thrown.status, thrown.message);
    const status = thrown instanceof Error && 'statusCode' in thrown ? thrown.statusCode : undefined;
    // What the framework refuses (bad JSON, another content type, too long a body) is "Bad request format" in the document's words.
    if (thrown instanceof Error && typeof status === 'number' && status >= 400 && status < 500) return sendError(reply, 400, thrown.message);
    onFault(thrown);
    return sendError(reply, 500, 'Internal error.');
  });
  return app;
}

/** Listens, and gives the origin: `http://127.0.0.1:40123`. Port 0 takes any that is free. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  await app.listen({ host, port });
  const address = app.server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
}

function sendError(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).type('application/json').send(errorBodyOf(message));
}
