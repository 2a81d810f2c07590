import { CommanderError } from 'commander';
import { buildProgram } from '../../src/cli/commands.ts';
import { explainedIn, EXIT, exitCodeOfFailure } from '../../src/night/exit-codes.ts';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { environmentLines, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { Ended } from './command-line.ts';
import { controlsOf, type SandboxControls } from './sandbox-process.ts';

/**
 * A command line in this process, with what it would print. What only a process shows (its start, signals, closed
 * output, the file's own process) test/end-to-end and test/surface prove, with each command called there once.
 */
export async function callHere(args: readonly string[]): Promise<Ended> {
  const json = args.includes('--json');
  let ended: Ended = { code: EXIT.done, signal: null, stdout: '', stderr: '' };
  const program = buildProgram(async (work) => {
    const result = await work();
    const pieces =
      result.jsonText === undefined ? [JSON.stringify(result.json)] : await Array.fromAsync(result.jsonText());
    ended = { ...ended, code: result.exitCode, stdout: json ? pieces.join('') : `${result.text}\n` };
  }, 'test');
  for (const command of [program, ...program.commands]) command.exitOverride();
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (thrown) {
    const failure = explainedIn(thrown);
    if (failure === null || thrown instanceof CommanderError) throw thrown;
    const { code, message, hint = '' } = failure;
    const exitCode = exitCodeOfFailure(failure);
    const stdout = json ? JSON.stringify({ error: { code, message, hint }, exitCode }) : '';
    ended = { ...ended, code: exitCode, stdout, stderr: `${message}\n${hint}` };
  }
  return ended;
}

/** A sandbox in this process. */
export async function startSandboxHere(options: SandboxOptions = {}): Promise<SandboxControls & AsyncDisposable> {
  const sandbox = await startSandbox(options);
  return { ...controlsOf(environmentLines(sandbox)), [Symbol.asyncDispose]: () => sandbox.close() };
}
