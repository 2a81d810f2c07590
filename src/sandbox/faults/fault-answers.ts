import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { redirectTo, sendError } from '../http-server.ts';
import { errorBodyOf, Refusal, sentence } from '../refusal.ts';
import { realDelay, realNow } from '../virtual-clock.ts';
import type { FaultHit, FaultPlan, FaultRule, FaultRuleIn } from './faults.ts';

export type FaultContext = Readonly<{
  plan: FaultPlan;
  onLost: (request: FastifyRequest, outcome: 'reset' | 'hang') => void;
  userOf: (request: FastifyRequest) => string;
  elsewhere: () => string;
  clock: { readonly scale: number };
}>;

export function attachFaults(app: FastifyInstance, context: FaultContext) {
  app.addHook('onRequest', async (request, reply) => {
    const hit = context.plan.draw('before', request, undefined, () => context.userOf(request));
    return hit && insteadOfWork(hit, request, reply, context);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode >= 400) return payload;
    const hit = context.plan.draw('after', request, (rule) => canSpoil(rule, request, reply, payload));
    return hit === undefined ? payload : await afterWork(hit.rule, request, reply, payload, context);
  });
}

async function insteadOfWork(
  hit: FaultHit<'before'>,
  request: FastifyRequest,
  reply: FastifyReply,
  context: FaultContext,
) {
  const { rule } = hit;
  const announced = withRetryAfter(reply, rule, rule.retryAfter);
  switch (rule.kind) {
    case 'latency':
      await realDelay(rule.ms ?? 1000);
      return undefined;
    case 'hang':
      context.onLost(request, 'hang');
      return reply.hijack();
    case 'reset':
      context.onLost(request, 'reset');
      reply.hijack();
      request.raw.socket.resetAndDestroy();
      return reply;
    case 'quota':
      return sendError(
        withRetryAfter(reply, rule, realSeconds(hit.secondsLeft ?? 0, context.clock.scale)),
        429,
        sentence('quota', { limit: 100, perSeconds: 60, ...rule }),
      );
    case '502':
      return announced.code(502).type('text/html').send(HTML_PAGE);
    case '429':
    case '500':
    case '503':
    case '504':
      return sendError(announced, Number(rule.kind), ERRORS[rule.kind]);
    case 'html':
      return reply.code(200).type('text/html').send(HTML_PAGE);
    case 'expired-url':
      return sendError(reply, 403, 'The signed URL is expired.');
    case 'redirect-loop':
      return redirectTo(reply, `http://${request.host}${request.url}`);
    case 'redirect-elsewhere':
      return redirectTo(reply, `${context.elsewhere()}${request.url}`);
  }
}

const ERRORS = {
  429: 'The quota is exhausted. Try again later.',
  500: 'Internal error.',
  503: 'Service unavailable.',
  504: 'Deadline reached.',
} as const;

function canSpoil({ kind }: FaultRuleIn<'after'>, request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  if (kind === 'lost-refresh') return Object(request.body).grant_type === 'refresh_token';
  if (kind === 'truncated' || kind === 'slow') return bytesOf(payload).length > 1;
  if (kind === 'malformed-json') return String(reply.getHeader('content-type')).includes('json');
  if (kind === 'detour') return reply.hasHeader('location');
  return !kind.endsWith('-file') || Buffer.isBuffer(payload);
}

async function afterWork(
  { kind, ms }: FaultRuleIn<'after'>,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  context: FaultContext,
) {
  const body = bytesOf(payload);
  switch (kind) {
    case 'commit-then-504':
      reply.code(504).type('application/json');
      return errorBodyOf('Deadline reached.');
    case 'commit-then-reset':
    case 'lost-refresh':
      context.onLost(request, 'reset');
      request.raw.socket.resetAndDestroy();
      return payload;
    case 'commit-then-hang':
      context.onLost(request, 'hang');
      return new Promise<never>(() => undefined);
    case 'commit-then-html':
      reply.code(200).type('text/html');
      return HTML_PAGE;
    case 'truncated':
      reply.header('content-length', body.length);
      return Readable.from(withoutItsEnd(body));
    case 'slow':
      reply.header('content-length', body.length);
      return Readable.from(inPieces(body, ms ?? 1000));
    case 'malformed-json':
    case 'cut-file':
      return cut(body);
    case 'corrupt-file':
      return corrupted(body);
    case 'wrong-file':
      return OTHER_FILE;
    case 'html-file':
      return HTML_PAGE;
    case 'detour':
      reply.header(
        'location',
        `${context.elsewhere()}/detour?to=${encodeURIComponent(String(reply.getHeader('location')))}`,
      );
      return payload;
  }
}

function bytesOf(payload: unknown) {
  return Buffer.isBuffer(payload) ? payload : Buffer.from(typeof payload === 'string' ? payload : '');
}

/** Real time: clients wait by their own clocks. */
function withRetryAfter(reply: FastifyReply, { retryAfterAs = 'seconds' }: FaultRule, seconds: number | undefined) {
  if (seconds === undefined || retryAfterAs === 'none') return reply;
  return reply.header(
    'retry-after',
    retryAfterAs === 'date' ? new Date(realNow() + seconds * 1000).toUTCString() : String(seconds),
  );
}

function realSeconds(sandboxSeconds: number, scale: number) {
  return Math.max(1, Math.ceil(scale > 0 ? sandboxSeconds / scale : sandboxSeconds));
}

const HTML_PAGE =
  '<!DOCTYPE html>\n<html><head><title>Please wait</title></head><body><h1>We will be right back</h1></body></html>\n';

const OTHER_FILE = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');

const PIECES = 10;
const LAST_BYTES_MS = 20;

function cut(body: Buffer) {
  return body.subarray(0, Math.ceil(body.length / 2));
}

function corrupted(body: Buffer) {
  const third = Math.ceil(body.length / 3);
  return Buffer.from(body.map((byte, index) => (Math.floor(index / third) === 1 ? byte ^ 0x55 : byte)));
}

/** Sends half, then closes: a client that counts notices missing bytes. */
async function* withoutItsEnd(body: Buffer) {
  yield cut(body);
  await realDelay(LAST_BYTES_MS);
  throw new Error('the connection ends before the body does');
}

async function* inPieces(body: Buffer, ms: number) {
  const size = Math.ceil(body.length / PIECES);
  for (let start = 0; start < body.length; start += size) {
    await realDelay(ms / PIECES);
    yield body.subarray(start, start + size);
  }
}

const detour = z.object({ to: z.url() });

export function detourRoutes(app: FastifyInstance, record: { requests: number; authorization: number }) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null));
  app.addHook('onRequest', async (request) => {
    record.requests += 1;
    if (request.headers.authorization !== undefined) record.authorization += 1;
  });
  app.get('/detour', (request, reply) => {
    const { data } = detour.safeParse(request.query);
    if (data === undefined) throw new Refusal(400, 'to: must be a URL.');
    return redirectTo(reply, data.to);
  });
  app.all('*', (_request, reply) => reply.code(404).type('text/html').send(HTML_PAGE));
}
