import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { linesOf } from './lines.ts';

type ProcessLimits = Readonly<{
  /** Processor time: a busy machine does not count. */
  processorSeconds: number;
  memoryMebibytes: number;
}>;

type End = 'time' | 'memory' | 'crash' | 'no start';

/** The message is a clause, such as `took more than 3 s`. */
export class ProcessError extends Error {
  override readonly name = 'ProcessError';
  readonly end: End;

  constructor(end: End, message: string) {
    super(message);
    this.end = end;
  }
}

/** An exit code of the module itself, with its stderr; null: it crashed. */
type FailureOf = (code: number | null, said: string) => Error | null;

const WATCH_MS = 50;
/** A process that owes an answer hangs if it uses no processor time for this long. */
const IDLE_MS = 10_000;
/** For a process whose parent was killed, the system's own limit comes this much later. */
const SPARE_SECONDS = 2;
const BESIDES_HEAP_MEBIBYTES = 160;
const STOPPED_FROM_OUTSIDE = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * For work that may crash, hang or use too much memory: lines in, lines out. It sees nothing of our environment, is
 * killed beyond its limits, on abort and on disposal, and ends with its input, so also without its parent.
 */
export class GuardedProcess implements AsyncDisposable {
  readonly #child;
  readonly #limits;
  readonly #signal;
  readonly #failureOf;
  readonly #exited = Promise.withResolvers<readonly [number | null, NodeJS.Signals | null]>();
  readonly #said;
  readonly #fed;
  readonly #watch;
  #reason: Error | null = null;
  #isReady = false;
  #isAwaited = false;
  #isInputWhole = false;
  #processorSeconds = 0;
  #lastMoved = performance.now();

  /**
   * @param entry A module next to the caller, without ending. Its first line says that it has started; then it gets
   * `input`, which never ends for it while we live.
   */
  constructor(
    entry: URL,
    limits: ProcessLimits,
    signal: AbortSignal,
    input: Iterable<string> | AsyncIterable<string>,
    failureOf: FailureOf = () => null,
  ) {
    this.#limits = limits;
    this.#signal = signal;
    this.#failureOf = failureOf;
    const heap = Math.max(64, Math.floor(limits.memoryMebibytes) - BESIDES_HEAP_MEBIBYTES);
    const node = [
      process.execPath,
      '--no-warnings',
      `--max-old-space-size=${heap}`,
      '--max-semi-space-size=8',
      '--initial-old-space-size=32',
      fileURLToPath(entry) + extname(import.meta.filename),
    ];
    const seconds = String(Math.ceil(limits.processorSeconds) + SPARE_SECONDS);
    this.#child = spawn('/bin/sh', ['-c', 'ulimit -c 0; ulimit -S -t "$0"; exec "$@"', seconds, ...node], {
      env: { MALLOC_ARENA_MAX: '2' },
    });
    this.#child.on('error', (failure) => this.#end(failure));
    this.#child.once('exit', (...how) => this.#exited.resolve(how));
    this.#child.stdin.on('error', () => undefined);
    this.#said = text(this.#child.stderr).catch(() => '');
    this.#watch = setInterval(() => this.#look(), WATCH_MS);
    signal.addEventListener('abort', this.#stop);
    if (signal.aborted) this.#stop();
    this.#fed = this.#feed(input).catch((failure: unknown) => this.#end(failure));
  }

  /**
   * Unless the exit code is 0, throws the failure that `failureOf` returns, ProcessError, a system error, the failure
   * of its input, or the signal's reason.
   */
  async *lines() {
    const lines = linesOf(this.#child.stdout);
    for (;;) {
      this.#lastMoved = performance.now();
      this.#isAwaited = true;
      const { done, value } = await lines.next();
      this.#isAwaited = false;
      if (done === true) break;
      if (this.#isReady) yield value;
      this.#isReady = true;
    }
    const failure = this.#failure(...(await this.#exited.promise), await this.#said);
    if (failure !== null) throw failure;
  }

  async [Symbol.asyncDispose]() {
    this.#end(new Error('the process was disposed of'));
    await this.#exited.promise;
    await this.#fed;
  }

  readonly #stop = () => this.#end(this.#signal.reason);

  async #feed(input: Iterable<string> | AsyncIterable<string>) {
    const { stdin } = this.#child;
    for await (const line of input) {
      if (!stdin.writable) return;
      if (!stdin.write(`${line}\n`)) await Promise.race([once(stdin, 'drain').catch(() => {}), this.#exited.promise]);
    }
    this.#isInputWhole = true;
  }

  #end(reason: unknown) {
    clearInterval(this.#watch);
    this.#signal.removeEventListener('abort', this.#stop);
    this.#reason ??= reason instanceof Error ? reason : new Error(String(reason));
    if (this.#child.pid === undefined) this.#exited.resolve([null, null]);
    else this.#child.kill('SIGKILL');
  }

  #failure(code: number | null, killedBy: NodeJS.Signals | null, said: string) {
    if (this.#reason !== null) return this.#reason;
    if (code === 0) return null;
    const how = killedBy ?? `exit code ${code ?? 0}`;
    if (killedBy !== null && STOPPED_FROM_OUTSIDE.has(killedBy)) return new ExternalStopError(how);
    if (killedBy === 'SIGXCPU') return this.#tooSlow();
    if (killedBy === 'SIGABRT' || killedBy === 'SIGTRAP' || code === 134) return this.#tooLarge();
    if (!this.#isReady) return new ProcessError('no start', `did not start (${how})`);
    return this.#failureOf(code, said) ?? new ProcessError('crash', `ended it with ${how}`);
  }

  #tooSlow() {
    return new ProcessError('time', `took more than ${Math.ceil(this.#limits.processorSeconds)} s`);
  }

  #tooLarge() {
    return new ProcessError('memory', `took more than ${Math.ceil(this.#limits.memoryMebibytes)} MB of memory`);
  }

  #look() {
    const { pid } = this.#child;
    const use = pid === undefined ? null : useOf(pid);
    const now = performance.now();
    // If it has taken all of its input so far, it may wait for more.
    const owes = this.#isAwaited && (this.#isInputWhole || this.#child.stdin.writableLength > 0);
    if (use === null) {
      if (owes && now - this.#lastMoved > this.#limits.processorSeconds * 4000 + IDLE_MS) this.#end(this.#tooSlow());
      return;
    }
    if (use.isRunning || use.processorSeconds > this.#processorSeconds || !owes) this.#lastMoved = now;
    this.#processorSeconds = use.processorSeconds;
    if (use.mebibytes > this.#limits.memoryMebibytes) this.#end(this.#tooLarge());
    else if (use.processorSeconds > this.#limits.processorSeconds) this.#end(this.#tooSlow());
    else if (now - this.#lastMoved > IDLE_MS)
      this.#end(new ProcessError('time', `did nothing for ${IDLE_MS / 1000} s`));
  }
}

/** Not the fault of its work. */
export class ExternalStopError extends Error {
  override readonly name = 'ExternalStopError';
}

const TICKS_PER_SECOND = 100;

function useOf(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const kilobytes = /^VmRSS:\s+(\d{1,15}) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '0';
    return {
      processorSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
      mebibytes: Number(kilobytes) / 1024,
      isRunning: fields[0] === 'R' || fields[0] === 'D',
    };
  } catch {
    return null;
  }
}
