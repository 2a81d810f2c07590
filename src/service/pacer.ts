import pLimit from 'p-limit';
import { messageOf, workLeftErrorOf } from '../domain/errors.ts';
import type { Optional, PaceHint, RunContext } from '../domain/ports.ts';
import type { ReadOptions, ServiceClient } from './client.ts';
import { Concurrency, CubicRate } from './pace.ts';
import { type PauseCause, Gate, type Outage, type SendPermit } from './gate.ts';
import { paceOfRead, type PaceSignal, type ReadOutcome } from './outcome.ts';

/** Not counting pauses that the service asked for. */
const AWAY_PATIENCE_MS = 15 * 60 * 1000;
/** The service throttles and accepts nothing: long enough for an hourly quota. */
const THROTTLED_PATIENCE_MS = 2 * 60 * 60 * 1000;

export type Pacer = Readonly<{
  /**
   * Learns from `classify`. If the task throws, rethrows and learns nothing. On abort, waiting requests reject with the
   * signal's reason; those in flight continue. A request that would wait beyond `finishBy` rejects at once with an
   * ExplainedError (`work-left`).
   */
  run<T>(task: (signal: AbortSignal) => Promise<T>, classify: (result: T) => PaceSignal): Promise<T>;
  isFree: boolean;
  concurrency: number;
  learnt: PaceHint | null;
}>;

export type PacerOptions = Omit<RunContext, 'signal'> &
  Readonly<{ maxConcurrency: number }> &
  Optional<{
    signal: AbortSignal;
    hint: PaceHint | null;
    /** A pause that ends later is not waited for. */
    finishBy: number | null;
    /** Only one of a run's pacers waits for a dead service. */
    outage: Outage;
    /** If absent, the next request is the probe. */
    probe: () => Promise<PaceSignal>;
    beforeSend: () => Promise<void>;
  }>;

export function createPacer(options: PacerOptions): Pacer {
  const { clock, sleep, maxConcurrency, hint } = options;
  const signal = options.signal ?? new AbortController().signal;
  const rate = new CubicRate(clock.now(), hint?.ratePerSecond ?? null);
  const limit = pLimit(Math.max(1, Math.min(maxConcurrency, hint?.concurrency ?? maxConcurrency)));
  const concurrency = new Concurrency(limit, maxConcurrency);
  const gate = new Gate({
    ...options,
    outage: options.outage ?? { since: null },
    signal,
    forOneRequestMs: () => rate.everyMs ?? 0,
    checkPause: (until, cause, inVainMs) => checkPause(until, cause, inVainMs, options.finishBy),
    onOpen: (closedMs) => rate.reopened(clock.now(), closedMs),
  });

  let sentAny = false;
  let lastInRow = Promise.resolve();
  const waitForRate = async (permit: SendPermit) => {
    if (permit.era !== gate.era) return;
    const waitMs = rate.reserve(clock.now());
    if (waitMs > 0) await sleep(waitMs, signal);
  };

  const leave = async () => {
    const permit = gate.tryPass();
    if (permit === null || permit.probe || !rate.isLimited) return permit;
    const turn = lastInRow.then(() => waitForRate(permit));
    lastInRow = turn.catch(() => {});
    await turn;
    return permit.era === gate.era ? permit : null;
  };

  const send = async <T>(
    permit: SendPermit,
    task: (signal: AbortSignal) => Promise<T>,
    classify: (result: T) => PaceSignal,
  ) => {
    sentAny = true;
    const cutsBefore = concurrency.cuts;
    const sentAt = clock.now();
    rate.sent(sentAt);
    let sign: PaceSignal = { kind: 'nothing' };
    try {
      if (options.beforeSend !== undefined) await options.beforeSend();
      const result = await task(signal);
      sign = classify(result);
      return result;
    } finally {
      const now = clock.now();
      if (sign.kind === 'ok') rate.accepted(now);
      if (!permit.probe) concurrency.learn(sign, now - sentAt, cutsBefore);
      if (sign.kind === 'throttled' && !permit.probe && permit.era === gate.era) rate.throttled(now);
      gate.report(permit, sign);
    }
  };

  return {
    async run(task, classify) {
      for (;;) {
        // No request holds a slot while the gate is closed.
        const outcome = await limit(async () => {
          const permit = await leave();
          return permit === null ? null : { result: await send(permit, task, classify) };
        });
        if (outcome !== null) return outcome.result;
        await gate.opening();
      }
    },
    get isFree() {
      return gate.isOpen && !rate.isLimited && limit.pendingCount === 0 && limit.activeCount <= limit.concurrency;
    },
    get concurrency() {
      return limit.concurrency;
    },
    get learnt() {
      return sentAny ? { ratePerSecond: rate.learnt(clock.now()), concurrency: concurrency.learnt } : null;
    },
  };
}

function checkPause(until: number, cause: PauseCause, inVainMs: number, finishBy: number | null | undefined) {
  if (cause === 'away' && inVainMs > AWAY_PATIENCE_MS)
    throw workLeftErrorOf('service-unavailable/away', { minutes: AWAY_PATIENCE_MS / 60_000 });
  if (cause === 'throttled' && inVainMs > THROTTLED_PATIENCE_MS)
    throw workLeftErrorOf('service-throttles', { hours: THROTTLED_PATIENCE_MS / 3_600_000 });
  if (until >= (finishBy ?? Infinity)) throw workLeftErrorOf('run-window-over');
}

const READS = [
  'getProject',
  'getStatus',
  'searchProjects',
  'listReports',
  'getReportUrl',
  'getReportSummary',
  'listImages',
  'openReportFile',
  'openImageFile',
] as const satisfies readonly (keyof ServiceClient)[];

type Read = (asked: never, options?: ReadOptions) => Promise<ReadOutcome<unknown>>;

/**
 * Submission paces creates together with their records, by its own pacer: a create may need a read while it holds its
 * slot. On abort, waiting reads give `transient`; a PUT that was sent is waited for.
 */
export function pacedReads(client: ServiceClient, pacer: Pacer, signal: AbortSignal): ServiceClient {
  const paced = async <T>(read: (signal: AbortSignal) => Promise<ReadOutcome<T>>): Promise<ReadOutcome<T>> => {
    try {
      return await pacer.run(read, paceOfRead);
    } catch (failure) {
      if (!signal.aborted || failure !== signal.reason) throw failure;
      return { kind: 'transient', reason: messageOf(failure), status: null, retryAfterMs: null };
    }
  };
  const readOf =
    (name: (typeof READS)[number]): Read =>
    (asked, options) =>
      paced((stop) => (client[name] as Read)(asked, { signal: stop, ...options }));
  return {
    ...client,
    ...Object.fromEntries(READS.map((name) => [name, readOf(name)])),
    updateProject: (id, body) => paced(() => client.updateProject(id, body)),
    putStatus: (id, body) => paced(() => client.putStatus(id, body)),
  };
}
