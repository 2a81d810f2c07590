import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SandboxCredentials } from '../../src/sandbox/options.ts';

/** What a server's script under `subjects/` tells when it listens. */
export interface Served {
  readonly baseUrl: string;
  readonly credentials: SandboxCredentials;
  /** The sandbox's control server, where the script tells of it. */
  readonly controlUrl?: string;
}

/** A server in a process of its own. */
export interface Server extends Served, AsyncDisposable {
  /** Processor time that it has taken so far, in milliseconds. */
  cpuMs(): Promise<number>;
  /** From now on the thread that answers runs on this processor alone, by its number from 0; those that collect and compile run where there is room. Linux only (`taskset`). */
  pinTo(processor: number): void;
}

/** As the command starts it (`bin/`): with less room for the young its pauses are longer. */
const FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=64'];

export async function startServer(script: URL, ...args: (string | number)[]): Promise<Server> {
  const child = fork(fileURLToPath(script), args.map(String), { execArgv: FLAGS });
  const [served] = (await once(child, 'message')) as [Served];
  return {
    ...served,
    async cpuMs() {
      child.send('usage');
      const [usage] = (await once(child, 'message')) as [NodeJS.CpuUsage];
      return (usage.user + usage.system) / 1000;
    },
    pinTo: (processor) =>
      void execFileSync('taskset', ['-c', '-p', String(processor), String(child.pid)], { stdio: 'ignore' }),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** For the server's script: tells that it listens, answers how much processor time it took, and ends when its parent lets go of it. */
export function serveParent(served: Served): void {
  process.on('message', () => process.send?.(process.cpuUsage()));
  process.on('disconnect', () => process.exit());
  process.send?.(served);
}
