import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { routeOf } from '../request-checks.ts';
import type { Project, ProjectQuery } from '../project-store.ts';
import { SeededRandom } from '../seeded-random.ts';

/** When a fault happens: instead of the work, after work that succeeded, or inside a search or a duplicate check. */
type FaultPhase = 'before' | 'after' | 'search' | 'duplicate check';

/** What can go wrong, and when. docs/sandbox.md says what each does. */
const FAULT_PHASES = {
  latency: 'before',
  hang: 'before',
  reset: 'before',
  '429': 'before',
  '500': 'before',
  '502': 'before',
  '503': 'before',
  '504': 'before',
  quota: 'before',
  html: 'before',
  'expired-url': 'before',
  'redirect-loop': 'before',
  'redirect-elsewhere': 'before',
  'commit-then-504': 'after',
  'commit-then-reset': 'after',
  'commit-then-hang': 'after',
  'commit-then-html': 'after',
  'lost-refresh': 'after',
  truncated: 'after',
  slow: 'after',
  'malformed-json': 'after',
  'cut-file': 'after',
  'corrupt-file': 'after',
  'wrong-file': 'after',
  'html-file': 'after',
  detour: 'after',
  'search-lag': 'search',
  'duplicate-lag': 'duplicate check',
} as const satisfies Record<string, FaultPhase>;
export type FaultKind = keyof typeof FAULT_PHASES;

/** One way for answers to go wrong. */
export const faultRule = z.strictObject({
  kind: z.enum(Object.keys(FAULT_PHASES) as FaultKind[]),
  /** Which requests: all of them by default. `route` is the document's, such as `/v1/project/{projectId}/status`; `*` at its end stands for anything. */
  match: z.strictObject({ method: z.string().optional(), route: z.string().optional() }).optional(),
  /** From 0 to 1; 1 by default. */
  probability: z.number().min(0).max(1).optional(),
  /** Begins so many seconds of sandbox time after it was put on; at once by default. */
  fromSeconds: z.number().nonnegative().optional(),
  /** Heals after so many bites. */
  times: z.int().nonnegative().optional(),
  /** Heals so many seconds of sandbox time after it was put on. */
  untilSeconds: z.number().nonnegative().optional(),
  /** The header Retry-After of a 429 or a 5xx, in seconds; absent by default. A quota says by itself when it ends. */
  retryAfter: z.number().nonnegative().optional(),
  /** How Retry-After is written; `seconds` by default. */
  retryAfterAs: z.enum(['seconds', 'date', 'none']).optional(),
  /** Real milliseconds of a `latency`, or over which a `slow` body is spread; 1000 by default. */
  ms: z.number().nonnegative().optional(),
  /** Sandbox seconds until search or the duplicate check knows a new project; 30 by default. */
  lagSeconds: z.number().nonnegative().optional(),
  /** A quota: so many requests of one user … */
  limit: z.int().nonnegative().optional(),
  /** … in so many sandbox seconds; 100 in 60 by default. */
  perSeconds: z.number().positive().optional(),
});
export type FaultRule = z.infer<typeof faultRule>;

type KindIn<Phase extends FaultPhase> = {
  [Kind in FaultKind]: (typeof FAULT_PHASES)[Kind] extends Phase ? Kind : never;
}[FaultKind];
/** A rule of one phase. */
export type FaultRuleIn<Phase extends FaultPhase> = FaultRule & { readonly kind: KindIn<Phase> };

/** A fault that happens to a request now. */
export interface Bite<Phase extends FaultPhase> {
  readonly rule: FaultRuleIn<Phase>;
  /** Of a quota: sandbox seconds until the user may ask again. */
  readonly secondsLeft: number | undefined;
}

/** A rule at work. */
interface ActiveFault {
  readonly rule: FaultRule;
  readonly installedAt: number;
  /** Its place in the list: it names the course of its draws. */
  readonly place: number;
  draws: number;
  bites: number;
  /** Of a quota: what each user has used of the present window. */
  readonly used: Map<string, { readonly since: number; requests: number }>;
}

/** The faults that are on. Which requests a rule hits is drawn from the seed, the rule's place and the number of the draw. */
export class FaultPlan {
  #active: readonly ActiveFault[] = [];
  #scenario = 'calm';
  readonly #bitten = new Map<FaultKind, number>();
  readonly #seed: string;
  readonly #clock: { now(): number };

  constructor(seed: string, clock: { now(): number }) {
    this.#seed = seed;
    this.#clock = clock;
  }

  /** Puts these in place of whatever was on. `scenario` is the name they go by. */
  setRules(rules: readonly FaultRule[], scenario = rules.length === 0 ? 'calm' : 'custom'): void {
    const installedAt = this.#clock.now();
    this.#active = rules.map((rule, place) => ({ rule, installedAt, place, draws: 0, bites: 0, used: new Map() }));
    this.#scenario = scenario;
  }

  /** The name of what is on: a scenario's, `custom`, or `calm` when nothing is. */
  get scenario(): string {
    return this.#scenario;
  }

  /** Every rule that is on, and how often it bit. */
  report(): { rule: FaultRule; bites: number }[] {
    return this.#active.map(({ rule, bites }) => ({ rule, bites }));
  }

  /** How often each kind bit since the sandbox started, whatever rule it came from. */
  bitten(): Record<string, number> {
    return Object.fromEntries(this.#bitten);
  }

  /**
   * The first rule that hits this request in this phase. `suits` leaves out rules that have nothing to spoil here: they are not drawn.
   * `userOf` names whose quota a request uses.
   */
  draw<Phase extends FaultPhase>(
    phase: Phase,
    request: FastifyRequest,
    suits: (rule: FaultRuleIn<Phase>) => boolean = () => true,
    userOf: () => string = () => '',
  ): Bite<Phase> | undefined {
    for (const fault of this.#active) {
      const { rule } = fault;
      if (!isIn(phase, rule) || !this.#applies(fault, request) || !suits(rule)) continue;
      fault.draws += 1;
      const chance = rule.probability ?? 1;
      if (chance < 1 && !new SeededRandom(this.#seed, 'fault', fault.place, fault.draws).chance(chance)) continue;
      const secondsLeft = rule.kind === 'quota' ? this.#overQuota(fault, userOf()) : undefined;
      if (rule.kind === 'quota' && secondsLeft === undefined) continue;
      fault.bites += 1;
      this.#bitten.set(rule.kind, (this.#bitten.get(rule.kind) ?? 0) + 1);
      return { rule, secondsLeft };
    }
    return undefined;
  }

  #applies({ rule, installedAt, bites }: ActiveFault, request: FastifyRequest): boolean {
    const { times, fromSeconds, untilSeconds, match } = rule;
    if (times !== undefined && bites >= times) return false;
    const seconds = (this.#clock.now() - installedAt) / 1000;
    if (seconds < (fromSeconds ?? 0) || seconds >= (untilSeconds ?? Number.POSITIVE_INFINITY)) return false;
    if (match?.method !== undefined && match.method.toUpperCase() !== request.method) return false;
    return match?.route === undefined || leadsTo(match.route, routeOf(request));
  }

  /** Uses one request of the user's quota; where none is left, tells the seconds until the window ends. */
  #overQuota({ rule, used }: ActiveFault, user: string): number | undefined {
    const { limit = 100, perSeconds = 60 } = rule;
    const now = this.#clock.now();
    let window = used.get(user);
    if (window === undefined || now >= window.since + perSeconds * 1000)
      used.set(user, (window = { since: now, requests: 0 }));
    if (window.requests >= limit) return window.since / 1000 + perSeconds - now / 1000;
    window.requests += 1;
    return undefined;
  }
}

function isIn<Phase extends FaultPhase>(phase: Phase, rule: FaultRule): rule is FaultRuleIn<Phase> {
  return FAULT_PHASES[rule.kind] === phase;
}

function leadsTo(pattern: string, route: string): boolean {
  return pattern.endsWith('*') ? route.startsWith(pattern.slice(0, -1)) : pattern === route;
}

const LAG_SECONDS = 30;

/** A search that may lag behind: new projects are not in it yet (READING 7). The fault counts only where the lag hides something. */
export function laggingSearch(
  plan: FaultPlan,
  request: FastifyRequest,
  now: number,
  query: ProjectQuery,
  search: (query: ProjectQuery) => Project[],
): Project[] {
  const found = search(query);
  let shown = found;
  const bite = plan.draw('search', request, ({ lagSeconds = LAG_SECONDS }) => {
    const known = now - lagSeconds * 1000;
    shown = search({ ...query, createdBefore: Math.min(query.createdBefore ?? known, known) });
    return shown.length < found.length || shown.at(-1)?.id !== found.at(-1)?.id;
  });
  return bite === undefined ? found : shown;
}

/**
 * A duplicate check that may lag: it does not compare with new projects yet. `find` gives the duplicate among the projects created until
 * a time, in milliseconds since the UNIX epoch. It bites where the lag hides the duplicate.
 */
export function laggingDuplicate<Found extends object>(
  plan: FaultPlan,
  request: FastifyRequest,
  now: number,
  find: (knownUntil: number) => Found | undefined,
): Found | undefined {
  const found = find(now);
  if (found === undefined) return undefined;
  let known: Found | undefined = found;
  const bite = plan.draw('duplicate check', request, ({ lagSeconds = LAG_SECONDS }) => {
    known = find(now - lagSeconds * 1000);
    return known === undefined;
  });
  return bite === undefined ? found : known;
}
