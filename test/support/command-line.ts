import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** The checkout: where bin/, samples/ and dist/ lie. */
export const PACKAGE_ROOT = join(import.meta.dirname, '../..');

/** The command as a person has it after an installation. */
export const BIN = join(PACKAGE_ROOT, 'bin/inspection-batch');

export const SAMPLES = join(PACKAGE_ROOT, 'samples');

/** All that cron gives a command. Whatever names nothing else runs under it. */
export const CRON_ENVIRONMENT: Readonly<Record<string, string>> = { PATH: '/usr/bin:/bin', LANG: 'C' };

export interface CommandOptions {
  /** The folder it is called in. */
  readonly cwd?: string;
  /** All of its environment; cron's when it is left out. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What is called; the built command when it is left out. */
  readonly file?: string;
  /** Puts it in a process group of its own, of the id `pid`: whatever it leaves running is found there. */
  readonly ownGroup?: boolean;
}

/** How a command ended. */
export interface Ended {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that is under way. Disposing of it kills what is left of it and waits for its end. */
export interface StartedCommand extends AsyncDisposable {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  readonly isOver: boolean;
  readonly stdoutSoFar: string;
  kill(signal: NodeJS.Signals): void;
}

export function startCommand(args: readonly string[], options: CommandOptions = {}): StartedCommand {
  const child = spawn(options.file ?? BIN, args, {
    cwd: options.cwd ?? tmpdir(),
    env: { ...(options.environment ?? CRON_ENVIRONMENT) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: options.ownGroup === true,
  });
  const stdout = gather(child.stdout);
  const stderr = gather(child.stderr);
  let isOver = false;
  const end = async (): Promise<Ended> => {
    await once(child, 'close');
    isOver = true;
    return { code: child.exitCode, signal: child.signalCode, stdout: stdout.text, stderr: stderr.text };
  };
  const ended = end();
  return {
    pid: child.pid ?? -1,
    ended,
    get isOver() {
      return isOver;
    },
    get stdoutSoFar() {
      return stdout.text;
    },
    kill: (signal) => child.kill(signal),
    async [Symbol.asyncDispose]() {
      if (!isOver) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Runs a command to its end. */
export async function runToEnd(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  return startCommand(args, options).ended;
}

/** The one JSON document that `--json` promises. Throws, showing what came, where stdout holds anything else. */
export function oneDocument({ stdout, stderr }: Ended): unknown {
  try {
    return JSON.parse(stdout) as unknown;
  } catch (failure) {
    throw new Error(`stdout is not exactly one JSON document:\n${stdout}\nstderr:\n${stderr}`, { cause: failure });
  }
}

function gather(stream: Readable): { readonly text: string } {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (piece: string) => {
    text += piece;
  });
  return {
    get text() {
      return text;
    },
  };
}
