import { CommanderError } from 'commander';
import { vi } from 'vitest';
import { buildProgram } from '../../src/cli/commands.ts';
import { explainedIn, EXIT, exitCodeOfFailure } from '../../src/night/exit-codes.ts';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { environmentLines, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { Ended } from './command-line.ts';
import { controlsOf, type SandboxControls } from './sandbox-process.ts';

/**
 * A command line in this process, with what it would print. What only a process shows (its start, signals, closed
 * output, the file's own process) test/end-to-end proves, with each command called there once.
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

/** `sandbox` in this process, until `use` is done with what it printed. */
export async function serveHere(
  args: readonly string[],
  use: (stdout: string) => Promise<void>,
): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const textOf = (spy: typeof out): string => spy.mock.calls.map(([piece]) => String(piece)).join('');
  const ended = callHere(['sandbox', ...args]);
  try {
    await Promise.race([ended, vi.waitUntil(() => /^The sandbox is serving/m.test(textOf(err)), { timeout: 60_000 })]);
    const [stdout, stderr] = [textOf(out), textOf(err)];
    for (const spy of [out, err]) spy.mockRestore();
    await use(stdout);
    process.emit('SIGTERM');
    return { code: (await ended).code, stderr };
  } finally {
    for (const spy of [out, err]) spy.mockRestore();
    process.emit('SIGTERM');
  }
}

/** A sandbox in this process. */
export async function startSandboxHere(options: SandboxOptions = {}): Promise<SandboxControls & AsyncDisposable> {
  const sandbox = await startSandbox(options);
  return { ...controlsOf(environmentLines(sandbox)), [Symbol.asyncDispose]: () => sandbox.close() };
}
