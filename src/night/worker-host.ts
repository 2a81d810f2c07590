import { projectFetcher } from '../collect/collect-run.ts';
import { messageOf } from '../domain/errors.ts';
import { escapeInvisible } from '../domain/text.ts';
import type { PageWorks, SharedRun } from '../fleet/work-queue.ts';
import { systemClock, systemSleep } from '../ops/system.ts';
import { orderSender } from '../submit/submit-run.ts';
import { explainedIn } from './exit-codes.ts';
import { type PacedClient, pacedService } from './paced-client.ts';
import { inRunSession, type RunSession } from './run-session.ts';
import type { StopSignal } from './stop-signal.ts';

const PAUSE_MS = { first: 1_000, longest: 30_000 };

/**
 * Works on pages of other hosts' runs until stopped; returns their number. Starts again as a new host after an outage
 * or a lost place. Throws ExplainedError (2) for wrong settings, and faults of the program.
 */
export async function workOnPages(workspaceDir: string, stop: StopSignal) {
  const done = { orders: 0, projects: 0 };
  for (let pauseMs = PAUSE_MS.first; stop.by === null; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.longest)) {
    const began = systemClock.now();
    try {
      await inRunSession(workspaceDir, 'worker', (session) => serve(session, done), { role: 'worker', stop });
    } catch (failure) {
      const explained = explainedIn(failure);
      if (explained === null || explained.kind === 'usage') throw failure;
      process.stderr.write(`${escapeInvisible(messageOf(explained))}\n`);
    }
    if (systemClock.now() - began > PAUSE_MS.longest) pauseMs = PAUSE_MS.first;
    await systemSleep(pauseMs, stop.signal).catch(() => {});
  }
  return done;
}

async function serve(session: RunSession, done: { orders: number; projects: number }) {
  await using pages = new PagesOfRun(session);
  const works: PageWorks = {
    orders: async (page, of) => {
      const outcome = await (await pages.of(of)).send(page);
      done.orders += 1;
      return outcome;
    },
    projects: async (page, of) => {
      const outcome = await (await pages.of(of)).fetch(page);
      done.projects += 1;
      return outcome;
    },
  };
  await session.fleet?.serve(works);
}

type RunWorks = Readonly<{
  run: string;
  pace: PacedClient;
  send: ReturnType<typeof orderSender>;
  fetch: ReturnType<typeof projectFetcher>;
}>;

/** Breakers count over all pages of one run. */
export class PagesOfRun implements AsyncDisposable {
  readonly #session;
  #current: RunWorks | null = null;

  constructor(session: RunSession) {
    this.#session = session;
  }

  async of({ run, finishBy }: SharedRun) {
    if (this.#current?.run === run) return this.#current;
    await this[Symbol.asyncDispose]();
    const pace = await this.#session.openPace(finishBy);
    const session = { ...this.#session, ...pacedService(pace) };
    this.#current = { run, pace, send: orderSender(session, 0), fetch: projectFetcher(session, 0) };
    return this.#current;
  }

  async [Symbol.asyncDispose]() {
    const ended = this.#current;
    this.#current = null;
    await ended?.pace[Symbol.asyncDispose]();
  }
}
