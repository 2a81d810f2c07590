import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sentence } from '../domain/sentences.ts';
import { makeFolder } from '../ops/durable-files.ts';
import { systemClock } from '../ops/system.ts';
import type { SandboxOptions } from '../sandbox/options.ts';
import { environmentLines, startSandbox } from '../sandbox/sandbox.ts';
import { EXIT } from './exit-codes.ts';
import { progressBar } from './progress-bar.ts';
import { run, type RunOptions, type RunSummary } from './run.ts';
import { explainFolderFaults } from './scratch.ts';
import { usageErrorOf } from '../domain/errors.ts';

export type OwnSandbox = Awaited<ReturnType<typeof startOwnSandbox>>;

export async function startOwnSandbox(startAt: number, options: SandboxOptions) {
  let ahead = startAt - systemClock.now();
  const clock = { now: () => systemClock.now() + ahead };
  const sandbox = await startSandbox({ ...options, startAt: clock.now() });
  return {
    clock,
    environment: environmentLines(sandbox),
    async moveTo(at: number) {
      const ms = Math.max(0, at - clock.now());
      const answer = await fetch(`${sandbox.controlUrl}/time`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ advanceSeconds: ms / 1000 }),
      });
      if (!answer.ok) throw new Error(`the sandbox did not move its clock: ${answer.status}`);
      ahead += ms;
    },
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

/**
 * Makes the folder, or empties an earlier one of the command. Throws ExplainedError (2) and changes nothing if it holds
 * anything else.
 */
export async function freshFolder(root: string, command: 'demo' | 'rehearse') {
  const mark = `.inspection-batch-${command}`;
  await explainFolderFaults(root, async () => {
    if (existsSync(root) && (await readdir(root)).length > 0) {
      if (!existsSync(join(root, mark)))
        throw usageErrorOf('folder-not-empty', { root, command, elsewhere: sentence(`${command}/elsewhere`) });
      await rm(root, { recursive: true });
    }
    await makeFolder(root, command === 'rehearse' ? 0o700 : 0o777);
    await writeFile(
      join(root, mark),
      `Made by \`inspection-batch ${command}\`, which may remove and remake this folder.\n`,
    );
  });
}

export type DryNight = Pick<RunOptions, 'all'> &
  Readonly<{
    command: RunSummary['command'];
    at: number;
    story: string;
    begin?: () => Promise<void>;
  }>;

/** Notifies nobody. If a night is stopped, the later ones are not run. */
export async function runDryNights(
  nights: readonly DryNight[],
  sandbox: OwnSandbox,
  options: Pick<RunOptions, 'workspace' | 'openLedger' | 'notice'>,
) {
  const ended = [];
  const kept = Object.entries(process.env).filter(([name]) => name.startsWith('INSPECTION_'));
  for (const [name] of kept) delete process.env[name];
  try {
    for (const { command, at, story, begin, all = false } of nights) {
      await sandbox.moveTo(at);
      await begin?.();
      progressBar.say(story);
      const { summary } = await run(command, { ...options, all, clock: sandbox.clock, notifies: false });
      ended.push(summary);
      if (wasStopped(summary)) break;
    }
    return ended;
  } finally {
    for (const [name, value] of kept) process.env[name] = value;
  }
}

export function wasStopped({ exitCode }: RunSummary) {
  return exitCode === EXIT.SIGINT || exitCode === EXIT.SIGTERM;
}
