import type { FastifyInstance } from 'fastify';
import { errorBodyOf } from './refusal.ts';

/** Codes as other services have them, by status. */
const ERROR_CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
  422: 'UNPROCESSABLE',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const PLAIN_ERROR = errorBodyOf('').slice(0, -'""}}'.length);

/** Adds `error.code` to every error body: the document shows none. */
export function attachErrorCodes(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    const code = ERROR_CODES[reply.statusCode];
    if (code === undefined || typeof payload !== 'string' || !payload.startsWith(PLAIN_ERROR)) return payload;
    return `{"error":{"code":"${code}",${payload.slice('{"error":{'.length)}`;
  });
}

/** Announces on every answer that this version goes away: the document shows no schedule (RFC 9745 and RFC 8594). */
export function attachDeprecation(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('deprecation', '@1767225600').header('sunset', 'Fri, 31 Dec 2027 23:59:59 GMT');
  });
}
