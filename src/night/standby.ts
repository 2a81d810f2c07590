import type { RunOnRecord } from '../ledger/ledger.ts';
import { newRunId, systemClock, systemSleep } from '../ops/system.ts';
import { type Workspace, workspaceAt } from '../ops/workspace.ts';
import { inspectLedger } from '../upkeep/guarded-ledger.ts';
import { EXIT, explainedIn, isDone } from './exit-codes.ts';
import { listenForStop } from './stop-signal.ts';
import { leaseWorkspace } from './workspace-lease.ts';

const LOOK_MS = 2_000;
const RUNS_READ = 50;
const TONIGHT_MS = 6 * 60 * 60_000;

/**
 * Waits for the night's run on another host, and calls `continueRun` if that run is cut off, leaves work over, or did
 * not begin tonight. Returns its result; `finished` if there was nothing to continue.
 */
export async function standBy<Result>(workspaceDir: string, continueRun: () => Promise<Result>) {
  for (let pauseMs = 0; ; pauseMs = LOOK_MS) {
    const found = await waitForCutOff(workspaceDir, pauseMs);
    if (found !== 'cut off') return found;
    try {
      return await continueRun();
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
        run: newRunId(systemClock),
        role: 'standby',
      });
      while (stop.by === null && (await place.host?.isNightTaken()) === true) {
        seen = (await place.host?.runOfNight()) ?? seen;
        await pause();
      }
      return stop.by ?? ((await hasFinished(workspace, seen)) ? 'finished' : 'cut off');
    } catch (failure) {
      if (explainedIn(failure)?.kind === 'usage') throw failure;
      if (stop.by !== null) return stop.by;
      await pause();
    }
  }
}

async function hasFinished(workspace: Workspace, seen: string | null) {
  await using ledger = (await inspectLedger(workspace)).ledger;
  return runHasFinished((await ledger?.lastRuns(RUNS_READ)) ?? [], seen, systemClock.now());
}

/** A person stopped it or must fix the settings, so no other host continues. */
const ENDED_BY_PEOPLE: ReadonlySet<number> = new Set([EXIT.usage, EXIT.SIGINT, EXIT.SIGTERM]);

/** A run that was `seen` may be cut off before it is recorded. */
export function runHasFinished(runs: readonly RunOnRecord[], seen: string | null, now: number) {
  const last = runs.find(({ run, command, startedAt }) =>
    seen === null ? command === 'run' && now - startedAt < TONIGHT_MS : run === seen,
  );
  const { finishedAt = null, exitCode = null } = last ?? {};
  return finishedAt !== null && exitCode !== null && (isDone(exitCode) || ENDED_BY_PEOPLE.has(exitCode));
}
