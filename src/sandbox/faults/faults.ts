import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { routeOf } from '../request-checks.ts';
import type { Project, ProjectSearch } from '../project-store.ts';
import { SeededRandom } from '../seeded-random.ts';

const FAULT_KINDS = {
  before: [
    '429',
    '500',
    '502',
    '503',
    '504',
    'latency',
    'hang',
    'reset',
    'quota',
    'html',
    'expired-url',
    'redirect-loop',
    'redirect-elsewhere',
  ],
  after: [
    'commit-then-504',
    'commit-then-reset',
    'commit-then-hang',
    'commit-then-html',
    'lost-refresh',
    'truncated',
    'slow',
    'malformed-json',
    'cut-file',
    'corrupt-file',
    'wrong-file',
    'html-file',
    'detour',
  ],
  search: ['search-lag'],
  'duplicate check': ['duplicate-lag'],
} as const;
type FaultPhase = keyof typeof FAULT_KINDS;
type KindIn<Phase extends FaultPhase> = (typeof FAULT_KINDS)[Phase][number];

export const faultRule = z.strictObject({
  kind: z.enum(Object.values(FAULT_KINDS).flat()),
  /**
   * Default: all. `route` as in the document, such as `/v1/project/{projectId}/status`; a final `*` matches anything.
   */
  match: z.strictObject({ method: z.string().optional(), route: z.string().optional() }).optional(),
  /** 0 to 1; default 1. */
  probability: z.number().min(0).max(1).optional(),
  /** Starts after this many sandbox seconds; default 0. */
  fromSeconds: z.number().nonnegative().optional(),
  times: z.int().nonnegative().optional(),
  /** Ends after this many sandbox seconds. */
  untilSeconds: z.number().nonnegative().optional(),
  /** Seconds; default: none. A quota computes its own. */
  retryAfter: z.number().nonnegative().optional(),
  retryAfterAs: z.enum(['seconds', 'date', 'none']).optional(),
  /** Real ms of `latency`, or of a `slow` body; default 1000. */
  ms: z.number().nonnegative().optional(),
  /** Sandbox seconds until search or duplicate check know a new project; default 30. */
  lagSeconds: z.number().nonnegative().optional(),
  /** Of a quota: requests per user … */
  limit: z.int().nonnegative().optional(),
  /** … in this many sandbox seconds; default: 100 in 60. */
  perSeconds: z.number().positive().optional(),
});
export type FaultRule = z.infer<typeof faultRule>;

export type FaultRuleIn<Phase extends FaultPhase> = FaultRule & { readonly kind: KindIn<Phase> };

export type FaultHit<Phase extends FaultPhase> = Readonly<{
  rule: FaultRuleIn<Phase>;
  secondsLeft: number | undefined;
}>;

type ActiveFault = ReturnType<typeof activeFault>;

function activeFault(rule: FaultRule, place: number, installedAt: number) {
  /** Of a quota, by user. */
  const windows = new Map<string, { readonly since: number; requests: number }>();
  return { rule, installedAt, place, draws: 0, bites: 0, windows };
}

/** Equal seeds and rules draw equally. */
export class FaultPlan {
  #active: readonly ActiveFault[] = [];
  #scenario = 'calm';
  readonly #bitten = new Map<string, number>();
  readonly #seed;
  readonly #clock;

  constructor(seed: string, clock: { now(): number }) {
    this.#seed = seed;
    this.#clock = clock;
  }

  setRules(rules: readonly FaultRule[], scenario = rules.length === 0 ? 'calm' : 'custom') {
    const installedAt = this.#clock.now();
    this.#active = rules.map((rule, place) => activeFault(rule, place, installedAt));
    this.#scenario = scenario;
  }

  get scenario() {
    return this.#scenario;
  }

  report() {
    return this.#active.map(({ rule, bites }) => ({ rule, bites }));
  }

  bitten() {
    return Object.fromEntries(this.#bitten);
  }

  /** `suits`: false for a rule without effect on this request, which then draws no random number. */
  draw<Phase extends FaultPhase>(
    phase: Phase,
    request: FastifyRequest,
    suits: (rule: FaultRuleIn<Phase>) => boolean = () => true,
    userOf: () => string = () => '',
  ): FaultHit<Phase> | undefined {
    for (const fault of this.#active) {
      const { rule } = fault;
      if (!isIn(phase, rule) || !this.#applies(fault, request) || !suits(rule)) continue;
      fault.draws += 1;
      const chance = rule.probability ?? 1;
      if (chance < 1 && !new SeededRandom(this.#seed, 'fault', fault.place, fault.draws).chance(chance)) continue;
      const secondsLeft = rule.kind === 'quota' ? secondsWithout(fault, userOf(), this.#clock.now()) : undefined;
      if (rule.kind === 'quota' && secondsLeft === undefined) continue;
      fault.bites += 1;
      this.#bitten.set(rule.kind, (this.#bitten.get(rule.kind) ?? 0) + 1);
      return { rule, secondsLeft };
    }
    return undefined;
  }

  #applies({ rule, installedAt, bites }: ActiveFault, request: FastifyRequest) {
    if (rule.times !== undefined && bites >= rule.times) return false;
    const seconds = (this.#clock.now() - installedAt) / 1000;
    if (seconds < (rule.fromSeconds ?? 0) || seconds >= (rule.untilSeconds ?? Infinity)) return false;
    if (rule.match?.method !== undefined && rule.match.method.toUpperCase() !== request.method) return false;
    return rule.match?.route === undefined || matchesRoute(rule.match.route, routeOf(request));
  }
}

/** Counts this request (`now` in epoch ms); returns the seconds until the user's next window if it is one too many. */
function secondsWithout({ windows, rule: { limit = 100, perSeconds = 60 } }: ActiveFault, user: string, now: number) {
  let window = windows.get(user);
  if (window === undefined || now >= window.since + perSeconds * 1000)
    windows.set(user, (window = { since: now, requests: 0 }));
  if (window.requests >= limit) return window.since / 1000 + perSeconds - now / 1000;
  window.requests += 1;
  return undefined;
}

function isIn<Phase extends FaultPhase>(phase: Phase, rule: FaultRule): rule is FaultRuleIn<Phase> {
  return FAULT_KINDS[phase].some((kind) => kind === rule.kind);
}

function matchesRoute(pattern: string, route: string) {
  return pattern.endsWith('*') ? route.startsWith(pattern.slice(0, -1)) : pattern === route;
}

const LAG_SECONDS = 30;

export function laggingSearch(
  plan: FaultPlan,
  request: FastifyRequest,
  now: number,
  query: ProjectSearch,
  search: (query: ProjectSearch) => Project[],
) {
  const found = search(query);
  let shown = found;
  const hit = plan.draw('search', request, ({ lagSeconds = LAG_SECONDS }) => {
    const known = now - lagSeconds * 1000;
    shown = search({ ...query, createdBefore: Math.min(query.createdBefore ?? known, known) });
    return shown.length < found.length || shown.at(-1)?.id !== found.at(-1)?.id;
  });
  return hit === undefined ? found : shown;
}

export function laggingDuplicate<Found extends object>(
  plan: FaultPlan,
  request: FastifyRequest,
  now: number,
  find: (knownUntil: number) => Found | undefined,
) {
  const found = find(now);
  if (found === undefined) return undefined;
  let known: Found | undefined = found;
  const hit = plan.draw('duplicate check', request, ({ lagSeconds = LAG_SECONDS }) => {
    known = find(now - lagSeconds * 1000);
    return known === undefined;
  });
  return hit === undefined ? found : known;
}
