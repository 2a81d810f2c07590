import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { GuardedProcess, ProcessError, ExternalStopError } from '../../../src/ops/guarded-process.ts';

const ENTRY = new URL('misbehaving', import.meta.url);
const LIMITS = { processorSeconds: 3, memoryMebibytes: 320 };
const never = new AbortController().signal;

// At the same time: most of them wait, and the limits are of a process's own time.

async function lineOf(guarded: GuardedProcess): Promise<unknown> {
  const { done, value } = await guarded.lines().next();
  return done === true ? null : JSON.parse(value);
}

async function endOf(deed: string, limits = LIMITS): Promise<unknown> {
  await using guarded = new GuardedProcess(ENTRY, limits, never, [deed]);
  return await lineOf(guarded).catch((failure: unknown) => failure);
}

test.concurrent('receives arguments and answers without seeing our environment', async () => {
  expect(await endOf('answer')).toEqual({ environment: expect.not.arrayContaining(['HOME', 'PATH', 'VITEST']) });
});

test.concurrent.each([
  ['compute forever', { end: 'time', message: 'took more than 3 s' }],
  ['fill memory outside the heap', { end: 'memory', message: 'took more than 320 MB of memory' }],
  // The collector works hard before it gives up: that must not use up the time.
  ['fill the heap', { end: 'memory' }, { ...LIMITS, processorSeconds: 60 }],
  ['exit', { end: 'crash', message: 'ended it with exit code 7' }],
])('ends within its limits if it would %s', async (deed, expected, limits = LIMITS) => {
  const failure = await endOf(deed, limits);
  expect(failure).toBeInstanceOf(ProcessError);
  expect(failure).toMatchObject(expected);
});

test.concurrent('rejects if the process crashes', async () => {
  expect(await endOf('crash')).toBeInstanceOf(ProcessError);
});

test.concurrent('ends a process that neither computes nor answers', async () => {
  expect(await endOf('wait forever')).toMatchObject({ end: 'time', message: 'did nothing for 10 s' });
});

test.concurrent('distinguishes a process that somebody else stopped', async () => {
  // That is not the fault of the file on which the process worked.
  expect(await endOf('be stopped')).toBeInstanceOf(ExternalStopError);
});

test.concurrent('distinguishes a process that cannot start', async () => {
  await using guarded = new GuardedProcess(new URL('no-such-module', import.meta.url), LIMITS, never, []);
  await expect(lineOf(guarded)).rejects.toMatchObject({ end: 'no start' });
});

test.concurrent('ends with the reason of an aborted signal', async () => {
  const stop = new AbortController();
  const reason = new Error('The run was asked to stop.');
  await using guarded = new GuardedProcess(ENTRY, { ...LIMITS, processorSeconds: 600 }, stop.signal, [
    'compute forever',
  ]);
  const answer = lineOf(guarded);
  stop.abort(reason);
  await expect(answer).rejects.toBe(reason);
});

test.concurrent('ends if its parent is killed', async () => {
  for (const deed of ['wait forever', 'compute forever']) {
    const parent = execFile(process.execPath, [
      '--input-type=module',
      '-e',
      `
      const { GuardedProcess } = await import(${JSON.stringify(new URL('../../../src/ops/guarded-process.ts', import.meta.url).href)});
      const guarded = new GuardedProcess(new URL(${JSON.stringify(ENTRY.href)}), { processorSeconds: 1, memoryMebibytes: 320 }, new AbortController().signal, ['answer', ${JSON.stringify(deed)}]);
      await guarded.lines().next();
      console.log('begun');
      setInterval(() => {}, 1000);
    `,
    ]);
    if (parent.stdout === null) throw new Error('no output');
    await once(parent.stdout, 'data');
    const children = await childrenOf(parent.pid ?? 0);
    expect(children).toHaveLength(1);
    parent.kill('SIGKILL');
    await goneWithin(60_000, children);
  }
});

async function childrenOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/ +/).map(Number))
    .flatMap(([child, parent]) => (parent === pid && child !== undefined ? [child] : []));
}

/** The limit is one of patience: what ends by itself is gone at once, or once its processor time is over. */
async function goneWithin(ms: number, pids: readonly number[]): Promise<void> {
  const deadline = performance.now() + ms;
  for (const pid of pids) {
    while (isAlive(pid)) {
      if (performance.now() > deadline) throw new Error(`${pid} is still there`);
      await sleep(50);
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
