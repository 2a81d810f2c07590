/**
 * Two figures of several hosts, each a process of the built command (`npm run build` first) on this machine, with PostgreSQL and the sandbox beside them:
 *
 *   throughput  1, 2 and 4 hosts with 50 ms latency, without a quota and under one of 50 orders a second  → docs/measured/fleet-throughput.json
 *   kills       the host of the run is killed, then frozen, in each phase of two nights; the time until one that stood by has gone on  → docs/measured/fleet-kills.json
 *
 *   npm run fleet:figures -- [throughput] [kills] [--orders 1000] [--hosts 1,2,4] [--quota 50]
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { PACKAGE_ROOT, runToEnd, type StartedCommand, startCommand } from '../test/support/command-line.ts';
import { orderCsv } from '../test/support/order-csv.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { type SandboxProcess, startSandboxProcess, until } from '../test/support/sandbox-process.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../test/support/temporary-workspace.ts';

const LATENCY_MS = 50;
const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;
const CREATE = { method: 'POST', route: '/v1/project' } as const;
const SEARCH = { method: 'GET', route: '/v1/project' } as const;

/** A workspace on PostgreSQL, with its service. */
interface Scene extends AsyncDisposable {
  readonly workspace: TemporaryWorkspace;
  readonly sandbox: SandboxProcess;
  /** The first column of the first row. */
  readonly value: (sql: string, ...values: readonly unknown[]) => Promise<string>;
  readonly start: (command: string, ...flags: readonly string[]) => StartedCommand;
}

async function layOut(server: PostgresServer): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  const { url, schema } = server.fresh();
  const sandbox = opened.use(await startSandboxProcess(['--latency', String(LATENCY_MS)]));
  const config = 'submit:\n  quarantineSeconds: 5\ncollect:\n  images: none\nresults:\n  thumbnailsMax: 0\n';
  const workspace = opened.use(
    await temporaryWorkspace({ env: `${sandbox.lines}INSPECTION_LEDGER_URL=${url}?schema=${schema}\n`, config }),
  );
  const client = new Client({ connectionString: url });
  await client.connect();
  opened.defer(() => client.end());
  await client.query(`SET search_path = "${schema}"`);
  const at = ['--workspace', workspace.path];
  const first = await runToEnd(['collect', ...at]);
  if (first.code !== 0) throw new Error(first.stderr);
  const resources = opened.move();
  return {
    workspace,
    sandbox,
    value: async (sql, ...values) => {
      const { rows } = await client.query<object>(sql, [...values]);
      const [first] = Object.values(rows[0] ?? {}) as readonly (string | number | null)[];
      return String(first ?? '');
    },
    start: (command, ...flags) => startCommand([command, ...flags, '--json', ...at]),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const isThere = async ({ value }: Scene, { pid }: StartedCommand, role: string): Promise<boolean> =>
  (await value('SELECT run FROM hosts WHERE role = $1 AND pid = $2', role, pid)) !== '';

/** Runs again while work is left over. Throws for what is neither done nor left over. */
async function toItsEnd(
  scene: Scene,
  first: StartedCommand,
  command: string,
): Promise<{ readonly runs: number; readonly summary: { readonly projects: Readonly<Record<string, number>> } }> {
  let ended = await first.ended;
  for (let runs = 1; ; runs += 1) {
    if (ended.code === 0 || ended.code === 3) return { runs, summary: JSON.parse(ended.stdout) as never };
    if (ended.code !== 4 || runs > 10) throw new Error(`${command} ended with ${String(ended.code)}: ${ended.stderr}`);
    ended = await scene.start(command).ended;
  }
}

interface Throughput {
  readonly quotaPerSecond: number | null;
  readonly hosts: number;
  readonly runs: number;
  /** From the first request to the last answer, and what it comes to. */
  readonly sendingSeconds: number;
  readonly ordersPerSecond: number;
  /** Taking in, starting and writing the delivery included. */
  readonly commandSeconds: number;
  readonly hostsProcessorMsAnOrder: number;
  readonly databaseProcessorMsAnOrder: number;
  readonly sandboxProcessorMsAnOrder: number;
  /** All of them, while the command ran. */
  readonly coresBusy: number;
  readonly requests: number;
  /** The share of the requests that were answered with 429. */
  readonly wasted: number;
  /** Orders that each host sent, the most first. */
  readonly ordersOfHosts: readonly number[];
}

async function throughput(
  server: PostgresServer,
  orders: number,
  hosts: number,
  quota: number | null,
): Promise<Throughput> {
  await using scene = await layOut(server);
  const { sandbox, workspace, value } = scene;
  await using workers = new AsyncDisposableStack();
  const others = Array.from({ length: hosts - 1 }, () => workers.use(scene.start('worker')));
  for (const worker of others) await until(() => isThere(scene, worker, 'worker'), worker);
  if (quota !== null)
    await sandbox.faults([{ kind: 'quota', match: CREATE, limit: quota, perSeconds: 1, retryAfterAs: 'none' }]);
  await writeFile(join(workspace.inbox, 'orders.csv'), orderCsv(orders));
  const postmaster = await parentOf(Number(await value('SELECT pg_backend_pid()')));
  const sandboxPid = Number((await childrenOf(process.pid)).find(({ words }) => words.includes('sandbox'))?.pid);
  const used = async (pids: readonly number[]): Promise<number> =>
    (await Promise.all(pids.map(processorMs))).reduce((sum, ms) => sum + ms, 0);
  const database = async (): Promise<number> =>
    used([postmaster, ...(await childrenOf(postmaster)).map(({ pid }) => pid)]);
  const pids = others.map(({ pid }) => pid);
  const before = { hosts: await used(pids), database: await database(), sandbox: await used([sandboxPid]) };
  const began = performance.now();
  await using run = scene.start('submit');
  let ofRun = 0;
  while (!run.isOver) {
    // Of a process that has ended nothing can be read any more: the last look counts.
    ofRun = Math.max(ofRun, await used([run.pid]));
    await pause(50);
  }
  const { runs } = await toItsEnd(scene, run, 'submit');
  const commandSeconds = (performance.now() - began) / 1000;
  const spent = {
    hosts: ofRun + (await used(pids)) - before.hosts,
    database: (await database()) - before.database,
    sandbox: (await used([sandboxPid])) - before.sandbox,
  };
  for (const worker of others) worker.kill('SIGTERM');
  const { projects, doubles, requests } = await sandbox.audit();
  if (projects !== orders || doubles.length > 0)
    throw new Error(`${projects} of ${orders} orders, ${doubles.length} doubled`);
  const answers = Object.values(requests['POST /v1/project'] ?? {}).reduce((sum, count) => sum + count, 0);
  const sendingSeconds = Number(await value('SELECT (max(answered_at) - min(sent_at)) / 1000.0 FROM attempts'));
  return {
    quotaPerSecond: quota,
    hosts,
    runs,
    sendingSeconds: rounded(sendingSeconds),
    ordersPerSecond: rounded(orders / sendingSeconds),
    commandSeconds: rounded(commandSeconds),
    hostsProcessorMsAnOrder: rounded(spent.hosts / orders),
    databaseProcessorMsAnOrder: rounded(spent.database / orders),
    sandboxProcessorMsAnOrder: rounded(spent.sandbox / orders),
    coresBusy: rounded((spent.hosts + spent.database + spent.sandbox) / 1000 / commandSeconds),
    requests: answers,
    wasted: Number((1 - orders / answers).toFixed(3)),
    ordersOfHosts: (
      await value(
        `SELECT string_agg(CAST(n AS text), ',' ORDER BY n DESC) FROM (SELECT count(DISTINCT order_id) AS n FROM attempts WHERE outcome = 'created' GROUP BY run) AS each`,
      )
    )
      .split(',')
      .map(Number),
  };
}

/** Every phase of a night in which its host dies, in order; each is reached while that host is at it. */
const NIGHTS: readonly (readonly { readonly phase: string; readonly reached: (scene: Scene) => Promise<boolean> }[])[] =
  [
    [
      {
        phase: 'take-in',
        reached: async ({ workspace }) => (await readdir(workspace.at('processing')).catch(() => [])).length > 0,
      },
      {
        phase: 'submission',
        reached: async ({ value }) => Number(await value(`SELECT count(*) FROM orders WHERE state = 'created'`)) >= 20,
      },
    ],
    [
      {
        phase: 'sweep of statuses',
        reached: async ({ sandbox }) => ((await sandbox.audit()).faults[0]?.bites ?? 0) >= 2,
      },
      { phase: 'reports', reached: async ({ value }) => Number(await value('SELECT count(*) FROM artifacts')) >= 20 },
      {
        phase: 'delivery',
        reached: async ({ workspace }) =>
          (await readdir(workspace.at('deliveries'))).some((name) => name.endsWith('.partial')),
      },
    ],
  ];

interface TakenOver {
  readonly phase: string;
  readonly how: 'killed' | 'frozen';
  /** From then until the run of another host was on record, and until its first step was on record, or its delivery begun. */
  readonly runOnRecordSeconds: number;
  readonly goesOnSeconds: number;
}

async function killEachPhase(
  server: PostgresServer,
  orders: number,
  how: 'killed' | 'frozen',
): Promise<readonly TakenOver[]> {
  await using scene = await layOut(server);
  const { sandbox, workspace } = scene;
  // Each row comes four times: it is taken in for long, and ordered once.
  const [head = '', ...rows] = orderCsv(orders).trimEnd().split('\n');
  await writeFile(join(workspace.inbox, 'orders.csv'), [head, ...rows, ...rows, ...rows, ...rows, ''].join('\n'));
  const all: TakenOver[] = [];
  for (const [number, phases] of NIGHTS.entries()) {
    if (number === 1) {
      await sandbox.advance(FIFTEEN_DAYS_S);
      await sandbox.faults([{ kind: 'latency', match: SEARCH, ms: 4_000 }]);
    }
    await using hosts = new AsyncDisposableStack();
    let working = hosts.use(scene.start('run'));
    const first = working;
    await until(() => isThere(scene, first, 'run'), first);
    for (const { phase, reached } of phases) {
      const standing = hosts.use(scene.start('run', '--standby'));
      await until(() => isThere(scene, standing, 'standby'), standing);
      await until(() => reached(scene), working);
      all.push(await takenOver(scene, working, standing, phase, how));
      process.stderr.write(`${JSON.stringify(all.at(-1))}\n`);
      working = standing;
    }
    const { summary } = await toItsEnd(scene, working, 'run');
    const { projects, doubles } = await sandbox.audit();
    const archives = (await readdir(workspace.at('deliveries'), { recursive: true })).filter(
      (name) => name.endsWith('.zip') && !name.startsWith('.'),
    );
    const collected = (summary.projects['collected'] ?? 0) + (summary.projects['canceled'] ?? 0);
    if (projects !== orders || doubles.length > 0)
      throw new Error(`${projects} of ${orders} orders, ${doubles.length} doubled`);
    if (number === 1 && (collected !== orders || archives.length !== 1))
      throw new Error(`${collected} of ${orders} collected, in ${archives.length} deliveries`);
  }
  return all;
}

async function takenOver(
  scene: Scene,
  dying: StartedCommand,
  standing: StartedCommand,
  phase: string,
  how: 'killed' | 'frozen',
): Promise<TakenOver> {
  const { value, sandbox, workspace } = scene;
  const known = (await value("SELECT string_agg(id, ' ') FROM runs")).split(' ');
  const began = performance.now();
  dying.kill(how === 'killed' ? 'SIGKILL' : 'SIGSTOP');
  await sandbox.faults([]);
  let run = '';
  await until(async () => (run = await value('SELECT id FROM runs WHERE id <> ALL ($1)', known)) !== '', standing);
  const onRecord = performance.now();
  // A run that only has to deliver puts nothing on record before its end: then it is the folder that it writes.
  const isAtWork = async (): Promise<boolean> =>
    (await value('SELECT 1 FROM steps WHERE run = $1 LIMIT 1', run)) !== '' ||
    (await readdir(workspace.at('deliveries'))).some((name) => name.includes(run));
  await until(isAtWork, { isOver: false, ended: standing.ended });
  const goesOn = performance.now();
  if (how === 'frozen') {
    // One that wakes finds that it has lost its place. It ends, or stands by again where it did so before, and ends when the night is whole.
    dying.kill('SIGCONT');
    while (!dying.isOver && !(await isThere(scene, dying, 'standby'))) await pause(50);
    dying.kill('SIGTERM');
  }
  const { code, stdout, stderr } = await dying.ended;
  if (how === 'frozen' && code !== 5 && !stdout.includes('"tookOver": false'))
    throw new Error(`frozen in ${phase}, it ended with ${String(code)}: ${stderr}${stdout}`);
  return {
    phase,
    how,
    runOnRecordSeconds: rounded((onRecord - began) / 1000),
    goesOnSeconds: rounded((goesOn - began) / 1000),
  };
}

const rounded = (value: number): number => Number(value.toFixed(1));

/** What a process and those of its children that have ended have used, in ms; 0 where it has ended. Linux counts in hundredths of a second. */
async function processorMs(pid: number): Promise<number> {
  const [, , ...fields] = await fieldsOf(pid);
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

const parentOf = async (pid: number): Promise<number> => Number((await fieldsOf(pid))[3]);

async function childrenOf(parent: number): Promise<readonly { readonly pid: number; readonly words: string }[]> {
  const children: { readonly pid: number; readonly words: string }[] = [];
  for (const name of (await readdir('/proc')).filter((each) => /^\d+$/.test(each))) {
    const pid = Number(name);
    if ((await parentOf(pid)) === parent)
      children.push({ pid, words: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') });
  }
  return children;
}

/** The fields of `/proc/<pid>/stat`, the name of the process as one; none where it has ended. */
async function fieldsOf(pid: number): Promise<readonly string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const end = stat.lastIndexOf(')');
  return end < 0
    ? []
    : [
        String(pid),
        stat.slice(stat.indexOf('('), end + 1),
        ...stat
          .slice(end + 2)
          .trim()
          .split(' '),
      ];
}

async function write(name: string, orders: number, rows: readonly object[]): Promise<void> {
  const [first = {}] = rows;
  const lines = [
    Object.keys(first),
    Object.keys(first).map(() => '---'),
    ...rows.map((row) => Object.values(row).map(String)),
  ];
  process.stdout.write(`${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`);
  const measured = {
    orders,
    latencyMs: LATENCY_MS,
    cores: cpus().length,
    loadAtTheEnd: rounded(loadavg()[0] ?? 0),
    rows,
  };
  await writeFile(join(PACKAGE_ROOT, 'docs/measured', name), `${JSON.stringify(measured, null, 1)}\n`);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    orders: { type: 'string' },
    hosts: { type: 'string', default: '1,2,4' },
    quota: { type: 'string', default: '50' },
  },
});
const isMeant = (what: string): boolean => positionals.length === 0 || positionals.includes(what);
await using server = await startPostgres({ synced: true });
if (isMeant('throughput')) {
  const orders = Number(values.orders ?? 1000);
  const rows: Throughput[] = [];
  for (const quota of [null, Number(values.quota)]) {
    for (const hosts of values.hosts.split(',').map(Number)) {
      rows.push(await throughput(server, orders, hosts, quota));
      process.stderr.write(`${JSON.stringify(rows.at(-1))}\n`);
    }
  }
  await write('fleet-throughput.json', orders, rows);
}
if (isMeant('kills')) {
  const orders = Number(values.orders ?? 400);
  await write('fleet-kills.json', orders, [
    ...(await killEachPhase(server, orders, 'killed')),
    ...(await killEachPhase(server, orders, 'frozen')),
  ]);
}
