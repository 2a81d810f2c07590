import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { errorBodyOf } from './refusal.ts';
import { routeOf } from './request-counts.ts';
import { SeededRandom } from './seeded-random.ts';
import { realDelay } from './virtual-clock.ts';

/** What can go wrong. The first two happen after the work is done and only where it succeeded; the others instead of it. */
const FAULT_KINDS = ['commit-then-504', 'commit-then-reset', '504', '503', '500', '429', 'hang', 'latency'] as const;

/** One way for answers to go wrong. */
export const faultRule = z.strictObject({
  kind: z.enum(FAULT_KINDS),
  /** Which requests: all of them by default. `route` is the document's, such as `/v1/project/{projectId}/status`. */
  match: z.strictObject({ method: z.string().optional(), route: z.string().optional() }).optional(),
  /** From 0 to 1; 1 by default. */
  probability: z.number().min(0).max(1).optional(),
  /** Heals after so many bites. */
  times: z.int().nonnegative().optional(),
  /** Heals after so many seconds of sandbox time. */
  untilSeconds: z.number().nonnegative().optional(),
  /** The header Retry-After of a 429 or 503, in seconds; absent by default. */
  retryAfter: z.number().nonnegative().optional(),
  /** Real milliseconds of a `latency`; 1000 by default. */
  ms: z.number().nonnegative().optional(),
});
export type FaultRule = z.infer<typeof faultRule>;

/** A rule at work, and how often it bit. */
interface ActiveFault {
  readonly rule: FaultRule;
  readonly installedAt: number;
  bites: number;
}

/** The faults that are on. Which request is hit is drawn from the seed and the number of the draw. */
export class FaultPlan {
  #active: ActiveFault[] = [];
  #draws = 0;
  readonly #seed: string;
  readonly #clock: { now(): number };

  constructor(seed: string, clock: { now(): number }) {
    this.#seed = seed;
    this.#clock = clock;
  }

  /** Puts these in place of whatever was on. */
  replace(rules: readonly FaultRule[]): void {
    this.#active = rules.map((rule) => ({ rule, installedAt: this.#clock.now(), bites: 0 }));
  }

  /** Every rule, and how often it bit. */
  report(): { rule: FaultRule; bites: number }[] {
    return this.#active.map(({ rule, bites }) => ({ rule, bites }));
  }

  /** The first rule that hits this request, before or after its work. */
  draw(phase: 'before' | 'after', request: FastifyRequest): FaultRule | undefined {
    for (const fault of this.#active) {
      if (fault.rule.kind.startsWith('commit') !== (phase === 'after') || !this.#applies(fault, request)) continue;
      this.#draws += 1;
      if (!new SeededRandom(this.#seed, 'fault', this.#draws).chance(fault.rule.probability ?? 1)) continue;
      fault.bites += 1;
      return fault.rule;
    }
    return undefined;
  }

  #applies({ rule, installedAt, bites }: ActiveFault, request: FastifyRequest): boolean {
    if (rule.times !== undefined && bites >= rule.times) return false;
    if (rule.untilSeconds !== undefined && this.#clock.now() >= installedAt + rule.untilSeconds * 1000) return false;
    if (rule.match?.method !== undefined && rule.match.method.toUpperCase() !== request.method) return false;
    return rule.match?.route === undefined || rule.match.route === routeOf(request);
  }
}

/** Lets the faults of a plan happen on a server. `onReset` hears of each connection that is cut: no answer is counted for it. */
export function attachFaults(app: FastifyInstance, plan: FaultPlan, onReset: (request: FastifyRequest) => void): void {
  app.addHook('onRequest', async (request, reply) => {
    const rule = plan.draw('before', request);
    return rule === undefined ? undefined : await insteadOfWork(rule, reply);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const rule = reply.statusCode < 400 ? plan.draw('after', request) : undefined;
    if (rule === undefined) return payload;
    if (rule.kind === 'commit-then-reset') {
      onReset(request);
      request.raw.socket.resetAndDestroy();
      return payload;
    }
    reply.code(504).type('application/json');
    return errorBodyOf('Deadline reached.');
  });
}

async function insteadOfWork(rule: FaultRule, reply: FastifyReply): Promise<FastifyReply | undefined> {
  switch (rule.kind) {
    case 'latency':
      await realDelay(rule.ms ?? 1000);
      return undefined;
    case 'hang':
      return reply.hijack();
    case '429':
      return refuse(reply, rule, 429, 'The quota is exhausted. Try again later.');
    case '500':
      return refuse(reply, rule, 500, 'Internal error.');
    case '503':
      return refuse(reply, rule, 503, 'Service unavailable.');
    case '504':
      return refuse(reply, rule, 504, 'Deadline reached.');
    case 'commit-then-504':
    case 'commit-then-reset':
      return undefined;
  }
}

function refuse(reply: FastifyReply, rule: FaultRule, status: number, message: string): FastifyReply {
  if (rule.retryAfter !== undefined) reply.header('retry-after', String(rule.retryAfter));
  return reply.code(status).type('application/json').send(errorBodyOf(message));
}
