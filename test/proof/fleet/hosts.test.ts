import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { silentLog } from '../../../src/domain/ports.ts';
import { Host, type HeartbeatSettings, type HostRole, inspectFleet } from '../../../src/fleet/hosts.ts';
import { WorkQueue, type WorkQueueOptions } from '../../../src/fleet/work-queue.ts';
import { openPostgresLedger } from '../../../src/ledger/open-ledger.ts';
import type { PostgresTarget } from '../../../src/ledger/postgres-driver.ts';
import { packageVersion, systemClock, systemSleep } from '../../../src/ops/system.ts';
import { attemptOf, recordOrder } from '../../support/order-factory.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';

// The server, its locks and its timeouts are the real ones: nothing else can say who is alive. Each wait is for something that happens.

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Of hosts that are cut off or frozen: their end comes soon. */
const SHORT_SIGNS: HeartbeatSettings = { everyMs: 100, sureMs: 1_000, endedMs: 3_000 };
/** Of hosts that live on: a busy machine does not end them. */
const SIGNS: HeartbeatSettings = { everyMs: 100, sureMs: 60_000, endedMs: 120_000 };

async function ledgerAt(target: PostgresTarget, run: string) {
  const ledger = await openPostgresLedger(target, { clock: systemClock, account: 'an account' });
  await ledger.startRun(run, 'run');
  return ledger;
}

const hostAt = (target: PostgresTarget, run: string, role: HostRole = 'run', signs = SIGNS): Promise<Host> =>
  Host.open({ target, run, role, command: 'run', clock: systemClock, sleep: systemSleep, signs });

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  await vi.waitUntil(holds, { timeout: 120_000, interval: 20 });
}

interface HostProcess extends AsyncDisposable {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  readonly lines: readonly string[];
}

async function startHost(target: PostgresTarget, run: string, signs = SIGNS): Promise<HostProcess> {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      fileURLToPath(new URL('host-process.ts', import.meta.url)),
      JSON.stringify({ target, run, signs }),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  await until(() => lines.includes('may send'));
  return {
    child,
    lines,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null)
        await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

test('deadAmong names a killed host at once, and takeNight succeeds', async () => {
  const target = server.fresh();
  await using _ledger = await ledgerAt(target, 'run 1');
  await using watcher = await hostAt(target, 'watcher', 'worker');
  await using killed = await startHost(target, 'killed');
  await expect(watcher.takeNight()).rejects.toThrow(`Another run holds the lock: process ${killed.child.pid} on`);
  expect([await watcher.isNightTaken(), await watcher.deadAmong(['killed', 'never was'])]).toEqual([
    true,
    ['never was'],
  ]);
  killed.child.kill('SIGKILL');
  await until(async () => (await watcher.deadAmong(['killed'])).length === 1);
  expect(await watcher.isNightTaken()).toBe(false);
  await using _night = await watcher.takeNight();
  expect((await watcher.living()).map(({ run }) => run)).toEqual(['watcher']);
});

test('deadAmong names a frozen host, which sends nothing when it wakes', async () => {
  const target = server.fresh();
  await using _ledger = await ledgerAt(target, 'run 1');
  await using watcher = await hostAt(target, 'watcher', 'worker');
  await using frozen = await startHost(target, 'frozen', SHORT_SIGNS);
  frozen.child.kill('SIGSTOP');
  await until(async () => !(await watcher.isNightTaken()));
  await using _night = await watcher.takeNight();
  expect(await watcher.deadAmong(['frozen'])).toEqual(['frozen']);
  const before = frozen.lines.length;
  frozen.child.kill('SIGCONT');
  await until(() => frozen.lines.includes('may not send'));
  expect(frozen.lines.slice(before + 1)).not.toContain('may send');
});

/** Between a host and the server; once it is cut, nothing goes through and nothing is closed. */
async function proxyTo(
  target: PostgresTarget,
): Promise<AsyncDisposable & { readonly target: PostgresTarget; cut(): void }> {
  const url = new URL(target.url);
  const sockets: Socket[] = [];
  const proxy: Server = createServer((near) => {
    const far = connect(Number(url.port), url.hostname);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) sockets.push(socket.on('error', () => {}));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => proxy.once('listening', resolve));
  const through = new URL(url);
  through.port = String((proxy.address() as { port: number }).port);
  return {
    target: { ...target, url: through.href },
    cut: () => sockets.forEach((socket) => socket.unpipe().pause()),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

test('check fails on a cut-off host before the server declares it dead', async () => {
  const target = server.fresh();
  await using _ledger = await ledgerAt(target, 'run 1');
  await using watcher = await hostAt(target, 'watcher', 'worker');
  await using proxy = await proxyTo(target);
  await using cut = await hostAt(proxy.target, 'cut', 'run', SHORT_SIGNS);
  expect((await cut.takeNight()).owner.command).toBe('run');
  await cut.check();
  proxy.cut();
  await expect(cut.check('now')).rejects.toMatchObject({ kind: 'lost-place' });
  expect(await watcher.deadAmong(['cut'])).toEqual([]);
  await until(async () => (await watcher.deadAmong(['cut'])).length === 1);
  await using _night = await watcher.takeNight();
});

test('runOfNight names the run, not a host that waits for it', async () => {
  const target = server.fresh();
  await using _ledger = await ledgerAt(target, 'run 1');
  await using standby = await hostAt(target, 'standby', 'standby');
  expect(await standby.runOfNight()).toBeNull();
  await using _run = await hostAt(target, 'run');
  expect(await standby.runOfNight()).toBe('run');
});

test('takeNight succeeds once a living host has let go of the night', async () => {
  const target = server.fresh();
  await using _ledger = await ledgerAt(target, 'run 1');
  await using first = await hostAt(target, 'first');
  await using other = await hostAt(target, 'other', 'worker');
  {
    await using _night = await first.takeNight();
    await expect(other.takeNight()).rejects.toMatchObject({ kind: 'locked' });
  }
  await using _night = await other.takeNight();
  expect(await first.isNightTaken()).toBe(true);
});

test('inspectFleet finds living hosts, their version, and a clock that is ahead', async () => {
  const target = server.fresh();
  const ahead = { now: () => systemClock.now() + 3_600_000 };
  expect((await inspectFleet(target, ahead)).hosts).toEqual([]);
  await using _ledger = await ledgerAt(target, 'run 1');
  await using _host = await hostAt(target, 'run');
  const { clockAheadMs, ...found } = await inspectFleet(target, ahead);
  expect(Math.round(clockAheadMs / 3_600_000)).toBe(1);
  expect(found).toMatchObject({
    endsSilentSessions: true,
    hosts: [{ run: 'run', role: 'run', pid: process.pid, version: packageVersion(), workingOn: null, isAlive: true }],
  });
});

/** A host with its end of the queue. */
async function endOf(
  target: PostgresTarget,
  run: string,
  role: 'run' | 'worker',
  more: Partial<WorkQueueOptions> = {},
) {
  await using opened = new AsyncDisposableStack();
  const ledger = opened.use(await ledgerAt(target, run));
  const host = opened.use(await hostAt(target, run, role));
  const queue = opened.use(
    await WorkQueue.open({
      target,
      host,
      ledger,
      sleep: systemSleep,
      log: silentLog,
      signal: new AbortController().signal,
      account: 'an account',
      finishBy: null,
      atOnceOfAll: null,
      everyMs: 20,
      lostMs: 60_000,
      ...more,
    }),
  );
  const resources = opened.move();
  return { ledger, host, queue, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

const PAGES = Array.from({ length: 12 }, (_, page) => ({ page }));

test('share splits pages with a worker, or does all of them alone', async () => {
  const target = server.fresh();
  await using run = await endOf(target, 'run', 'run', { finishBy: 1_800_000_000_000 });
  const alone = await run.queue.share('orders', PAGES.slice(0, 3), async ({ page }) => ({
    page,
    by: 'run',
    stopped: null,
  }));
  expect(alone).toEqual(PAGES.slice(0, 3).map(({ page }) => ({ page, by: 'run', stopped: null })));
  const stop = new AbortController();
  await using worker = await endOf(target, 'worker', 'worker', { signal: stop.signal, atOnceOfAll: 5 });
  expect(worker.queue.atOnce(4)).toBe(2);
  const done: unknown[] = [];
  let serving = Promise.resolve();
  const { promise: oneDone, resolve: isDone } = Promise.withResolvers<void>();
  const outcomes = await run.queue.share('orders', PAGES, async ({ page }) => {
    // The worker begins while this host is at its first page, and that page waits for it.
    if (page === 0)
      serving = worker.queue.serve({
        orders: async (one: object, of) => (
          done.push({ ...one, of }),
          isDone(),
          { ...one, by: 'worker', stopped: null }
        ),
        projects: async () => ({ stopped: 'the wrong kind' }),
      });
    await oneDone;
    return { page, by: 'run', stopped: null };
  });
  expect(outcomes.map((outcome) => outcome?.page)).toEqual(PAGES.map(({ page }) => page));
  expect(done.length).toBe(outcomes.filter((outcome) => outcome?.by === 'worker').length);
  expect([done.length > 0, done[0]]).toEqual([
    true,
    expect.objectContaining({ of: { run: 'run', finishBy: 1_800_000_000_000 } }),
  ]);
  expect([worker.queue.atOnce(4), worker.queue.atOnce(1), run.queue.atOnce(4)]).toEqual([2, 1, 4]);
  stop.abort();
  await serving;
});

test('pageSize and atOnce divide by the living hosts, without standbys', async () => {
  const target = server.fresh();
  await using _run = await endOf(target, 'run', 'run');
  await using _standby = await hostAt(target, 'standby', 'standby');
  await using worker = await endOf(target, 'worker', 'worker', { atOnceOfAll: 1 });
  expect([480, 24, 1_000_000].map((items) => worker.queue.pageSize(items))).toEqual([30, 10, 200]);
  expect(worker.queue.atOnce(4)).toBe(1);
});

test('recoverInterrupted forgets hosts that were not seen for a week', async () => {
  const target = server.fresh();
  await using run = await endOf(target, 'run', 'run');
  const database = new Client({ connectionString: target.url });
  await database.connect();
  await using _database = { [Symbol.asyncDispose]: () => database.end() };
  for (const days of [6, 8])
    await database.query(
      `INSERT INTO "${target.schema}".hosts (run, host, pid, role, began_at, seen_at) VALUES ($1, 'h', 1, 'worker', 0, $2)`,
      [`${days} days`, systemClock.now() - days * 86_400_000],
    );
  await run.queue.recoverInterrupted();
  expect(new Set((await run.ledger.hosts()).map((host) => host.run))).toEqual(new Set(['6 days', 'run']));
});

test('serve sits out for minutes after its work was stopped', async () => {
  const target = server.fresh();
  const stop = new AbortController();
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
    stop.abort();
  };
  await using run = await endOf(target, 'run', 'run');
  await using worker = await endOf(target, 'worker', 'worker', { signal: stop.signal, sleep });
  const work = async () => ({ stopped: 'no access' });
  await run.queue.share('orders', PAGES.slice(0, 2), async ({ page }) => {
    await worker.queue.serve({ orders: work, projects: work });
    return { page, stopped: null };
  });
  expect(slept).toEqual([300_000]);
});

test("share loses a dead host's page; recoverInterrupted doubts its orders", async () => {
  const target = server.fresh();
  await using run = await endOf(target, 'run', 'run', { lostMs: 200 });
  await using other = await endOf(target, 'other', 'worker');
  const dead = await endOf(target, 'dead', 'worker');
  const [ofDead, ofOther] = [
    await recordOrder(run.ledger, { inspectionNumber: 'A-1' }),
    await recordOrder(run.ledger, { inspectionNumber: 'A-2' }),
  ];
  const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  const outcomes = await run.queue.share('orders', PAGES.slice(0, 2), async ({ page }) => {
    if (page !== 0) return { page, stopped: null };
    await other.ledger.beginAttempt(ofOther, attemptOf());
    const work = async (): Promise<never> => {
      await dead.ledger.beginAttempt(ofDead, attemptOf());
      hasBegun();
      return never;
    };
    void dead.queue.serve({ orders: work, projects: work }).catch(() => {});
    await begun;
    await dead.host[Symbol.asyncDispose]();
    return { page, stopped: null };
  });
  expect(outcomes).toEqual([{ page: 0, stopped: null }, null]);
  expect(await run.queue.recoverInterrupted()).toBe(1);
  expect([(await run.ledger.order(ofDead))?.state, (await run.ledger.order(ofOther))?.state]).toEqual([
    'unresolved',
    'submitting',
  ]);
  await dead.queue[Symbol.asyncDispose]();
  await dead.ledger[Symbol.asyncDispose]();
});

test('share withdraws the remaining pages if the run stops', async () => {
  const target = server.fresh();
  await using run = await endOf(target, 'run', 'run');
  const outcomes = await run.queue.share('projects', PAGES.slice(0, 3), async ({ page }) => ({
    page,
    stopped: page === 1 ? 'enough' : null,
  }));
  expect(outcomes).toEqual([{ page: 0, stopped: null }, { page: 1, stopped: 'enough' }, null]);
  expect(await run.queue.share('projects', [], async () => ({ stopped: null }))).toEqual([]);
});

test('share leaves no page to other hosts if the run stops', async () => {
  const target = server.fresh();
  await using run = await endOf(target, 'run', 'run');
  await run.queue.share('projects', PAGES.slice(0, 3), async () => ({ stopped: 'enough' }));
  const stop = new AbortController();
  const sleep = async () => stop.abort();
  await using worker = await endOf(target, 'worker', 'worker', { signal: stop.signal, sleep });
  const pages: object[] = [];
  const work = async (page: object) => {
    pages.push(page);
    return { stopped: null };
  };
  await worker.queue.serve({ orders: work, projects: work });
  expect(pages).toEqual([]);
});

test('share leaves an order in doubt if its outcome was not recorded', async () => {
  const target = server.fresh();
  await using run = await endOf(target, 'run', 'run');
  const id = await recordOrder(run.ledger, { inspectionNumber: 'A-1' });
  await run.queue.share('orders', PAGES.slice(0, 1), async () => {
    await run.ledger.beginAttempt(id, attemptOf());
    return { stopped: 'the database was away' };
  });
  expect((await run.ledger.order(id))?.state).toBe('unresolved');
});

/** A worker that begins the first page it gets, and ends it when it is let go. */
async function busyWorker(target: PostgresTarget) {
  const worker = await endOf(target, 'busy worker', 'worker');
  const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const work = async (page: object) => (
    begun.resolve(),
    await release.promise,
    { ...page, by: 'worker', stopped: null }
  );
  const serving = worker.queue.serve({ orders: work, projects: work }).catch(() => {});
  return {
    hasBegun: begun.promise,
    letGo: release.resolve,
    async [Symbol.asyncDispose]() {
      release.resolve();
      await worker[Symbol.asyncDispose]();
      await serving;
    },
  };
}

test("share waits after a stop, within a limit, for another host's page", async () => {
  const target = server.fresh();
  const stop = new AbortController();
  const waiting = Promise.withResolvers<void>();
  const log = { ...silentLog, info: (event: string) => event === 'waiting for other hosts' && waiting.resolve() };
  await using run = await endOf(target, 'run', 'run', { signal: stop.signal, log, stoppedMs: 60_000 });
  await using worker = await busyWorker(target);
  const shared = run.queue.share('projects', PAGES.slice(0, 2), async ({ page }) => {
    await worker.hasBegun;
    stop.abort(new Error('Enough.'));
    return { page, by: 'run', stopped: 'Enough.' };
  });
  await Promise.race([waiting.promise, shared]);
  await using impatient = await endOf(target, 'impatient run', 'run', { signal: AbortSignal.abort(), stoppedMs: 0 });
  expect(await impatient.queue.othersDone()).toBe(false);
  worker.letGo();
  expect(new Set((await shared).map((outcome) => outcome?.by))).toEqual(new Set(['run', 'worker']));
  expect(await impatient.queue.othersDone()).toBe(true);
});

test("share waits for a dead run's page at another host", async () => {
  const target = server.fresh();
  await using worker = await busyWorker(target);
  {
    await using died = await endOf(target, 'died', 'run');
    void died.queue.share('projects', PAGES.slice(0, 2), () => new Promise<never>(() => {})).catch(() => {});
    await worker.hasBegun;
  }
  const waiting = Promise.withResolvers<'waits'>();
  const log = {
    ...silentLog,
    info: (event: string) => event === 'waiting for other hosts' && waiting.resolve('waits'),
  };
  await using run = await endOf(target, 'run', 'run', { log, lostMs: 2000 });
  const shared = run.queue.share('projects', PAGES.slice(2, 3), async ({ page }) => ({ page, stopped: null }));
  expect(await Promise.race([waiting.promise, shared])).toBe('waits');
  worker.letGo();
  expect(await shared).toEqual([{ page: 2, stopped: null }]);
});

test('serve rejects if the run has another account', async () => {
  // The ledger of that account is empty: the worker would call the page done.
  const target = server.fresh();
  await using run = await endOf(target, 'run', 'run');
  await using other = await endOf(target, 'other', 'worker', { account: 'another account' });
  const never = (): Promise<never> => Promise.reject(new Error('it worked on the page'));
  let said: unknown = null;
  const outcomes = await run.queue.share('orders', PAGES.slice(0, 2), async ({ page }) => {
    said ??= await other.queue.serve({ orders: never, projects: never }).catch((failure: unknown) => failure);
    return { page, stopped: null };
  });
  expect(said).toMatchObject({ kind: 'usage', code: 'host-of-another-account' });
  expect(outcomes).toEqual([{ page: 0, stopped: null }, null]);
});

test('share and serve report a lost database as work left', async () => {
  const target = server.fresh();
  const proxy = await proxyTo(target);
  await using run = await endOf(target, 'run', 'run', { target: proxy.target });
  const shared = run.queue.share('orders', PAGES.slice(0, 2), async () => {
    await proxy[Symbol.asyncDispose]();
    return { stopped: null };
  });
  await expect(shared).rejects.toMatchObject({
    kind: 'work-left',
    message: expect.stringContaining('database is unavailable'),
  });
  await expect(
    run.queue.serve({ orders: async () => ({ stopped: null }), projects: async () => ({ stopped: null }) }),
  ).rejects.toMatchObject({ kind: 'work-left' });
});

test('explains that the database user may not create the schema', async () => {
  const target = server.fresh();
  const database = new Client({ connectionString: target.url });
  await database.connect();
  await using _database = { [Symbol.asyncDispose]: () => database.end() };
  // The server of TEST_POSTGRES_URL keeps it from the last time.
  await database.query("DROP ROLE IF EXISTS poor; CREATE ROLE poor LOGIN PASSWORD 'poor'");
  const poor = new URL(target.url);
  [poor.username, poor.password] = ['poor', 'poor'];
  await expect(endOf(target, 'run', 'run', { target: { ...target, url: poor.href } })).rejects.toMatchObject({
    kind: 'usage',
    hint: expect.stringContaining('create a schema'),
  });
});
