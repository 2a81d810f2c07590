import { pageFetcher } from '../collect/collect-run.ts';
import { messageOf } from '../domain/errors.ts';
import { visible } from '../domain/text.ts';
import type { PageWorks } from '../fleet/work-queue.ts';
import { newRunId, systemClock, systemRandom, systemSleep } from '../ops/system.ts';
import { type Workspace, workspaceAt } from '../ops/workspace.ts';
import { lookIntoLedger } from '../recover/guarded-ledger.ts';
import { pageSender } from '../submit/submit-run.ts';
import { type CommandResult, endedWith, EXIT, explainedIn, type StoppedBy } from './exit-codes.ts';
import { NIGHTLY, takePlace } from './place.ts';
import { collectContext, runCommand, submitContext } from './run-command.ts';
import { inRunSession, listenForStop, type RunSession } from './run-session.ts';

// The hosts beside the one whose run it is: `worker` shares the run's work, and `run --standby` waits to go on with it.

const PAUSE_MS = { first: 1_000, longest: 30_000 };

/**
 * Takes pages of work whenever there are some, until it is asked to stop. It outlives the database and the service: where one of them is away, or others
 * took over its place, it begins again as a new host. Throws ExplainedError (2) where its settings are wrong, and whatever is a fault of the program.
 */
export async function workerCommand(workspaceDir: string): Promise<CommandResult> {
  using stop = listenForStop();
  const done = { orders: 0, projects: 0 };
  for (let pauseMs = PAUSE_MS.first; stop.by === null; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.longest)) {
    const began = systemClock.now();
    try {
      await inRunSession(workspaceDir, 'worker', (session) => serve(session, done), { role: 'worker', stop });
    } catch (failure) {
      const told = explainedIn(failure);
      if (told === null || told.kind === 'usage') throw failure;
      process.stderr.write(`${visible(messageOf(told))}\n`);
    }
    if (systemClock.now() - began > PAUSE_MS.longest) pauseMs = PAUSE_MS.first;
    await systemSleep(pauseMs, stop.signal).catch(() => {});
  }
  const text = `Worked on ${done.orders} ${done.orders === 1 ? 'page' : 'pages'} of orders and ${done.projects} of projects.`;
  return endedWith(EXIT[stop.by ?? 'SIGTERM'], text, { pages: done });
}

async function serve(session: RunSession, done: { orders: number; projects: number }): Promise<void> {
  /** One of a kind for each run: what the answers say of the service counts over all of its pages. */
  const made = new Map<string, unknown>();
  const ofRun = <Work>(kind: string, run: string, make: () => Work): Work => {
    const key = `${kind} ${run}`;
    if (!made.has(key)) made.set(key, make());
    return made.get(key) as Work;
  };
  const works: PageWorks = {
    orders: async (page, run) => {
      const outcome = await ofRun('orders', run, () => pageSender(submitContext(session), 0))(page);
      done.orders += 1;
      return outcome;
    },
    projects: async (page, run) => {
      const outcome = await ofRun('projects', run, () => pageFetcher(collectContext(session), 0))(page);
      done.projects += 1;
      return outcome;
    },
  };
  await session.fleet?.serve(works);
}

/** How often a host that stands by looks whether the night is free. */
const LOOK_MS = 2_000;
const RUNS_READ = 50;

/** `run --standby`: waits while a run goes on at another host. Where that one is cut off, a run of this host goes on from the record; else it ends. */
export async function standByCommand(workspaceDir: string): Promise<CommandResult> {
  for (;;) {
    const found = await waitForCutOff(workspaceDir);
    if (found === 'whole') return endedWith(EXIT.done, 'No run was cut off: there is nothing to go on with.', { tookOver: false });
    if (found !== 'cut off') return endedWith(EXIT[found], 'Asked to stop.', { tookOver: false });
    try {
      return await runCommand('run', { workspace: workspaceDir });
    } catch (failure) {
      // Another one that stood by was faster, and may be cut off in turn; or the database went away.
      if ((explainedIn(failure)?.kind ?? 'usage') === 'usage') throw failure;
    }
  }
}

/** How the run that went on elsewhere has ended, or what asked this process to stop. */
async function waitForCutOff(workspaceDir: string): Promise<'cut off' | 'whole' | StoppedBy> {
  using stop = listenForStop();
  const workspace = workspaceAt(workspaceDir);
  const pause = (): Promise<void> => systemSleep(LOOK_MS, stop.signal).catch(() => {});
  /** The run that was going on when this process last looked. */
  let seen: string | null = null;
  for (;;) {
    try {
      await using place = await takePlace(workspace, { command: 'run', run: newRunId(systemClock, systemRandom), role: 'standby' });
      while (stop.by === null && (await place.host?.isNightTaken()) === true) {
        seen = (await place.host?.runOfNight()) ?? seen;
        await pause();
      }
      return stop.by ?? ((await isWhole(workspace, seen)) ? 'whole' : 'cut off');
    } catch (failure) {
      if (explainedIn(failure)?.kind === 'usage') throw failure;
      if (stop.by !== null) return stop.by;
      await pause();
    }
  }
}

/** Of a run that was seen: it may have been cut off before it was on record. Of none: the latest. */
async function isWhole(workspace: Workspace, seen: string | null): Promise<boolean> {
  const { ledger } = await lookIntoLedger(workspace, systemClock);
  if (ledger === null) return seen === null;
  await using looked = ledger;
  const runs = await looked.lastRuns(RUNS_READ);
  const last = seen === null ? runs.find(({ command }) => NIGHTLY.has(command)) : runs.find(({ run }) => run === seen);
  // One that lost its lock ended with `locked`.
  return last === undefined ? seen === null : last.finishedAt !== null && last.exitCode !== EXIT.locked;
}
