import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ProcessLimits {
  /** Processor time: a busy machine does not count. */
  readonly processorSeconds: number;
  readonly memoryMebibytes: number;
}

type End = 'time' | 'memory' | 'crash' | 'no start';

/** A guarded process ended too early. The message is a clause, such as `took more than 3 s`. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
  readonly end: End;

  constructor(end: End, message: string) {
    super(message);
    this.end = end;
  }
}

export const READY = 'ready';

const WATCH_MS = 50;
/** A process that owes an answer and uses no processor time this long hangs. */
const IDLE_MS = 10_000;
/** For a process whose parent was killed: the system's own limit comes this much later. */
const SPARE_SECONDS = 2;
const BESIDES_HEAP_MEBIBYTES = 160;
/** With less room, V8 spends much time collecting garbage. */
const OLD_SPACE_AT_FIRST = '--initial-old-space-size=64';
const STOPPED_FROM_OUTSIDE: ReadonlySet<string> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * A child process for work that may crash, hang or use too much memory. It sees nothing of our environment, is killed
 * beyond its limits, on abort and on disposal, and ends without its parent.
 */
export class GuardedProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #limits: ProcessLimits;
  readonly #signal: AbortSignal;
  readonly #messages: unknown[] = [];
  readonly #exited = Promise.withResolvers<void>();
  readonly #watch: NodeJS.Timeout;
  #waiting: PromiseWithResolvers<unknown> | null = null;
  #failure: Error | null = null;
  #isReady = false;
  #processorSeconds = 0;
  #lastMoved = performance.now();

  /** @param entry A module next to the caller, without ending: TypeScript in the sources, JavaScript when built. */
  constructor(entry: URL, limits: ProcessLimits, signal: AbortSignal) {
    this.#limits = limits;
    this.#signal = signal;
    const heap = Math.max(64, Math.floor(limits.memoryMebibytes) - BESIDES_HEAP_MEBIBYTES);
    const node = [
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      `--max-old-space-size=${heap}`,
      '--max-semi-space-size=8',
      OLD_SPACE_AT_FIRST,
      fileURLToPath(entry) + extname(import.meta.filename),
    ];
    const seconds = String(Math.ceil(limits.processorSeconds) + SPARE_SECONDS);
    this.#child = spawn('/bin/sh', ['-c', 'ulimit -c 0; ulimit -S -t "$0"; exec "$@"', seconds, ...node], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {},
      serialization: 'advanced',
    });
    this.#child.on('message', (message) => this.#take(message));
    this.#child.on('error', (failure) => this.#end(failure));
    this.#child.once('exit', (code, killedBy) => {
      this.#end(this.#failureOf(code, killedBy));
      this.#exited.resolve();
    });
    this.#watch = setInterval(() => this.#look(), WATCH_MS);
    signal.addEventListener('abort', this.#stop);
    if (signal.aborted) this.#stop();
  }

  /** After the process's end it does nothing; the next `receive` throws. */
  send(message: unknown): void {
    if (this.#child.connected) this.#child.send(message as object, () => {});
  }

  /** The next message. Throws ProcessEnded, a system error, or the signal's reason. */
  async receive(): Promise<unknown> {
    if (this.#messages.length > 0) return this.#messages.shift();
    if (this.#failure !== null) throw this.#failure;
    this.#waiting = Promise.withResolvers();
    this.#lastMoved = performance.now();
    return this.#waiting.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end(new Error('the process was disposed of'));
    await this.#exited.promise;
  }

  readonly #stop = (): void => {
    const { reason } = this.#signal;
    this.#end(reason instanceof Error ? reason : new Error(String(reason)));
  };

  #take(message: unknown): void {
    if (message === READY) {
      this.#isReady = true;
      return;
    }
    this.#messages.push(message);
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(this.#messages.shift());
  }

  #end(failure: Error): void {
    if (this.#failure !== null) return;
    this.#failure = failure;
    clearInterval(this.#watch);
    this.#signal.removeEventListener('abort', this.#stop);
    if (this.#child.pid === undefined) this.#exited.resolve();
    else this.#child.kill('SIGKILL');
    this.#waiting?.reject(failure);
    this.#waiting = null;
  }

  #failureOf(code: number | null, killedBy: NodeJS.Signals | null): Error {
    const how = killedBy ?? `exit code ${code ?? 0}`;
    if (killedBy !== null && STOPPED_FROM_OUTSIDE.has(killedBy)) return new StoppedFromOutside(how);
    if (killedBy === 'SIGXCPU') return this.#tooSlow();
    if (killedBy === 'SIGABRT' || killedBy === 'SIGTRAP' || code === 134) return this.#tooLarge();
    return this.#isReady
      ? new ProcessEnded('crash', `ended it with ${how}`)
      : new ProcessEnded('no start', `did not start (${how})`);
  }

  #tooSlow(): ProcessEnded {
    return new ProcessEnded('time', `took more than ${Math.ceil(this.#limits.processorSeconds)} s`);
  }

  #tooLarge(): ProcessEnded {
    return new ProcessEnded('memory', `took more than ${Math.ceil(this.#limits.memoryMebibytes)} MB of memory`);
  }

  #look(): void {
    const { pid } = this.#child;
    const use = pid === undefined ? null : useOf(pid);
    const now = performance.now();
    if (use === null) {
      // If the system gives no figures, the clock decides, with a margin.
      if (this.#waiting !== null && now - this.#lastMoved > this.#limits.processorSeconds * 4000 + IDLE_MS)
        this.#end(this.#tooSlow());
      return;
    }
    if (use.isRunning || use.processorSeconds > this.#processorSeconds || this.#waiting === null) this.#lastMoved = now;
    this.#processorSeconds = use.processorSeconds;
    if (use.mebibytes > this.#limits.memoryMebibytes) this.#end(this.#tooLarge());
    else if (use.processorSeconds > this.#limits.processorSeconds) this.#end(this.#tooSlow());
    else if (now - this.#lastMoved > IDLE_MS)
      this.#end(new ProcessEnded('time', `did nothing for ${IDLE_MS / 1000} s`));
  }
}

/** Somebody else ended the process; its work is not at fault. */
export class StoppedFromOutside extends Error {
  override readonly name = 'StoppedFromOutside';
}

interface Use {
  readonly processorSeconds: number;
  readonly mebibytes: number;
  readonly isRunning: boolean;
}

const TICKS_PER_SECOND = 100;

/** Null on systems other than Linux. */
function useOf(pid: number): Use | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything.
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
