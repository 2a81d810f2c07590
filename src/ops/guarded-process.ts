import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How much of the machine a process may take. */
export interface ProcessLimits {
  /** Processor time, so that a busy machine does not count against it. */
  readonly processorSeconds: number;
  readonly memoryMebibytes: number;
}

/** How a guarded process ended before its work was done. */
type End = 'time' | 'memory' | 'crash' | 'no start';

/** A guarded process ended before its work was done. The message is a clause, such as `took more than 3 s`. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
  readonly end: End;

  constructor(end: End, message: string) {
    super(message);
    this.end = end;
  }
}

/** What a guarded process says once it listens. */
export const READY = 'ready';

const WATCH_MS = 50;
/** A process that owes an answer, and neither computes nor answers for this long, hangs. */
const IDLE_MS = 10_000;
/** How much later the system's own limit strikes: the last resort, for a process whose parent was killed. */
const SPARE_SECONDS = 2;
/** What a process holds besides V8's old objects: its code, buffers, young objects. */
const BESIDES_HEAP_MEBIBYTES = 160;
/** Rows that pass by leave their garbage among the old objects: with little room for those they were gone through every 15 MB, a sixth of all processor time. */
const OLD_SPACE_AT_FIRST = '--initial-old-space-size=64';
/** Signals from the system or a person, not caused by what the process did. */
const STOPPED_FROM_OUTSIDE: ReadonlySet<string> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * A process of our own for work that may crash, hang or take all memory without harm to this one. It sees nothing of our environment. It is
 * killed when it exceeds its limits, when the signal aborts and when it is disposed of, and ends by itself when this process is gone.
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

  /** @param entry a module beside the caller, without its ending: TypeScript in the sources, JavaScript once built. */
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

  /** Sends a message. If the process has ended, nothing happens; the next `receive` throws. */
  send(message: unknown): void {
    if (this.#child.connected) this.#child.send(message as object, () => {});
  }

  /** The next message. Throws ProcessEnded, a system's error, or the signal's reason. */
  async receive(): Promise<unknown> {
    if (this.#messages.length > 0) return this.#messages.shift();
    if (this.#failure !== null) throw this.#failure;
    this.#waiting = Promise.withResolvers();
    this.#lastMoved = performance.now();
    return this.#waiting.promise;
  }

  /** Ends the process. */
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

  /** The first end counts. */
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
      // This system has no such figures: the clock decides, with time to spare for other work.
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

/** Somebody else ended the process: its work is not to blame. */
export class StoppedFromOutside extends Error {
  override readonly name = 'StoppedFromOutside';
}

interface Use {
  readonly processorSeconds: number;
  readonly mebibytes: number;
  readonly isRunning: boolean;
}

/** Linux counts processor time in hundredths of a second, whatever the machine. */
const TICKS_PER_SECOND = 100;

/** What a process uses, as Linux reports it; null on other systems. */
function useOf(pid: number): Use | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in brackets, may hold anything; the state is the first field after it.
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
