import { addDays } from 'date-fns/addDays';
import { addMinutes } from 'date-fns/addMinutes';
import { format } from 'date-fns/format';
import { parse as parseTime } from 'date-fns/parse';
import type { RunContext } from '../domain/ports.ts';
import { sentence } from '../domain/sentences.ts';
import type { Ledger, PaceKind } from '../ledger/ledger.ts';
import type { ServiceClient } from '../service/client.ts';
import { paceOfRead } from '../service/outcome.ts';
import { createPacer, pacedReads } from '../service/pacer.ts';
import { RetryBudget } from '../service/retry.ts';

/** Disposing saves the learned speed. */
export type PacedClient = Awaited<ReturnType<typeof openPacedClient>>;

export function pacedService(pace: PacedClient) {
  const { client, retryBudget, signal, finishBy, creates: pacer } = pace;
  return { client, retryBudget, signal, finishBy, pacer, pace };
}

type PaceContext = RunContext &
  Readonly<{
    client: ServiceClient;
    ledger: Ledger;
    maxConcurrency: number;
    finishBy: number | null;
    beforeSend: () => Promise<void>;
  }>;

export async function openPacedClient(context: PaceContext) {
  const { client, ledger, finishBy } = context;
  const ending = new AbortController();
  const closing = new AbortController();
  if (finishBy !== null) void endAt(finishBy, ending, closing.signal, context);
  const signal = AbortSignal.any([context.signal, ending.signal]);
  const outage = { since: null };
  const pacerOf = async (kind: PaceKind) =>
    createPacer({
      ...context,
      signal,
      outage,
      hint: await ledger.paceHint(kind),
      probe: async () => paceOfRead(await client.searchProjects({ limit: 1 })),
    });
  const creates = await pacerOf('create');
  const reads = await pacerOf('read');
  return {
    /** Nothing new is sent after it. */
    finishBy,
    /** The run is stopped or its time is over; the reason is a sentence. */
    signal,
    creates,
    client: pacedReads(client, reads, signal),
    retryBudget: new RetryBudget(),
    async [Symbol.asyncDispose]() {
      closing.abort();
      if (creates.learnt !== null) await ledger.keepPaceHint('create', creates.learnt);
      if (reads.learnt !== null) await ledger.keepPaceHint('read', reads.learnt);
    },
  };
}

/**
 * The next moment (epoch ms) at which local clocks show `time`. In the hour that autumn repeats, there are two; a time
 * in the hour that spring skips moves past the change.
 */
export function nextTime(time: string, now: number) {
  const coming = [0, 1].flatMap((days) => onDay(time, addDays(now, days))).find((at) => at >= now);
  return coming ?? parseTime(time, 'HH:mm', addDays(now, 2)).getTime();
}

const SET_BACK_MINUTES = [30, 60, 120] as const;

function onDay(time: string, day: Date) {
  const first = parseTime(time, 'HH:mm', day);
  const again = SET_BACK_MINUTES.map((minutes) => addMinutes(first, minutes)).filter(
    (later) => format(later, 'HH:mm') === time,
  );
  return [first, ...again].map((at) => at.getTime());
}

/** Even if the clock is set or the machine sleeps. */
async function endAt(finishBy: number, ending: AbortController, closed: AbortSignal, { clock, sleep }: RunContext) {
  try {
    for (let left = finishBy - clock.now(); left > 0; left = finishBy - clock.now())
      await sleep(Math.min(left, 60_000), closed);
  } catch {
    return;
  }
  ending.abort(new Error(sentence('stopped/finish-by')));
}
