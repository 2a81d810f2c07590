import { projectFetcher } from '../collect/collect-run.ts';
import { messageOf } from '../domain/errors.ts';
import { formatCount, escapeInvisible } from '../domain/text.ts';
import type { PageWorks, SharedRun } from '../fleet/work-queue.ts';
import type { RunOnRecord } from '../ledger/history.ts';
import { newRunId, systemClock, systemRandom, systemSleep } from '../ops/system.ts';
import { type Workspace, workspaceAt } from '../ops/workspace.ts';
import { inspectLedger } from '../upkeep/guarded-ledger.ts';
import { orderSender } from '../submit/submit-run.ts';
import { type CommandResult, commandResult } from './command-result.ts';
import { EXIT, explainedIn, isDone } from '../night/exit-codes.ts';
import { leaseWorkspace } from '../night/workspace-lease.ts';
import { runCommand } from './run-command.ts';
import { type RunPace, servicePaced } from '../night/pace.ts';
import { inRunSession, type RunSession } from '../night/run-session.ts';
import { listenForStop } from '../night/stop-signal.ts';

const PAUSE_MS = { first: 1_000, longest: 30_000 };

/**
 * Starts again as a new host if the database or the service is unavailable, or its place was lost. Throws
 * ExplainedError (2) for wrong settings, and faults of the program.
 */
export async function workerCommand(workspaceDir: string): Promise<CommandResult> {
  using stop = listenForStop();
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
  const text = `Worked on ${formatCount(done.orders, 'page')} of orders and ${done.projects} of projects.`;
  return commandResult(EXIT[stop.by ?? 'SIGTERM'], text, { pages: done });
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

interface RunWorks {
  readonly run: string;
  readonly pace: RunPace;
  readonly send: ReturnType<typeof orderSender>;
  readonly fetch: ReturnType<typeof projectFetcher>;
}

/** Breakers count over all pages of one run. */
export class PagesOfRun implements AsyncDisposable {
  readonly #session: RunSession;
  #current: RunWorks | null = null;

  constructor(session: RunSession) {
    this.#session = session;
  }

  async of({ run, finishBy }: SharedRun): Promise<RunWorks> {
    if (this.#current?.run === run) return this.#current;
    await this[Symbol.asyncDispose]();
    const pace = await this.#session.openPace(finishBy);
    const session = { ...this.#session, ...servicePaced(pace) };
    this.#current = { run, pace, send: orderSender(session, 0), fetch: projectFetcher(session, 0) };
    return this.#current;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.#current;
    this.#current = null;
    await ended?.pace[Symbol.asyncDispose]();
  }
}

const LOOK_MS = 2_000;
const RUNS_READ = 50;
/** Too short costs an idle run, too long a missed night. */
const TONIGHT_MS = 6 * 60 * 60_000;

/** Continues a run of another host if it is cut off, leaves work over, or did not begin tonight. */
export async function standByCommand(workspaceDir: string): Promise<CommandResult> {
  for (let pauseMs = 0; ; pauseMs = LOOK_MS) {
    const found = await waitForCutOff(workspaceDir, pauseMs);
    if (found === 'whole')
      return commandResult(EXIT.done, 'Tonight’s run has finished: there is nothing to continue.', { tookOver: false });
    if (found !== 'cut off') return commandResult(EXIT[found], 'Asked to stop.', { tookOver: false });
    try {
      return await runCommand('run', { workspace: workspaceDir });
    } catch (failure) {
      // Another standby host was faster, or the database became unavailable.
      if ((explainedIn(failure)?.kind ?? 'usage') === 'usage') throw failure;
    }
  }
}

async function waitForCutOff(workspaceDir: string, pauseMs: number) {
  using stop = listenForStop();
  const workspace = workspaceAt(workspaceDir);
  const pause = (ms = LOOK_MS) => systemSleep(ms, stop.signal).catch(() => {});
  await pause(pauseMs);
  let seen: string | null = null;
  for (;;) {
    try {
      await using place = await leaseWorkspace(workspace, {
        command: 'run',
        run: newRunId(systemClock, systemRandom),
        role: 'standby',
      });
      while (stop.by === null && (await place.host?.isNightTaken()) === true) {
        seen = (await place.host?.runOfNight()) ?? seen;
        await pause();
      }
      return stop.by ?? ((await wasWhole(workspace, seen)) ? 'whole' : 'cut off');
    } catch (failure) {
      if (explainedIn(failure)?.kind === 'usage') throw failure;
      if (stop.by !== null) return stop.by;
      await pause();
    }
  }
}

async function wasWhole(workspace: Workspace, seen: string | null) {
  const { ledger } = await inspectLedger(workspace, systemClock);
  if (ledger === null) return false;
  await using looked = ledger;
  return runHasFinished(await looked.lastRuns(RUNS_READ), seen, systemClock.now());
}

/** A person stopped it or must fix the settings, so no other host continues. */
const ENDED_BY_PEOPLE: ReadonlySet<number> = new Set([EXIT.usage, EXIT.SIGINT, EXIT.SIGTERM]);

/** A run that was `seen` may be cut off before it is recorded. */
export function runHasFinished(runs: readonly RunOnRecord[], seen: string | null, now: number): boolean {
  const last = runs.find(({ run, command, startedAt }) =>
    seen === null ? command === 'run' && now - startedAt < TONIGHT_MS : run === seen,
  );
  return (
    last !== undefined &&
    last.finishedAt !== null &&
    last.exitCode !== null &&
    (isDone(last.exitCode) || ENDED_BY_PEOPLE.has(last.exitCode))
  );
}
