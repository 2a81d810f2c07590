import { cp, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { RunSummary } from '../../../src/night/run.ts';
import { openPostgresLedger } from '../../../src/ledger/open-ledger.ts';
import { advisoryKeyOf } from '../../../src/ledger/postgres-driver.ts';
import { packageVersion } from '../../../src/ops/system.ts';
import { neededProgram } from '../../end-to-end/needed-program.ts';
import { summaryOf } from '../../end-to-end/summary.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { CRON_ENVIRONMENT, type Ended, oneDocument, startCommand } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { type PostgresServer, startPostgres, startTlsPostgres } from '../../support/postgres-server.ts';
import { inProof } from '../../support/proof-size.ts';
import { type SandboxControls, until } from '../../support/sandbox-process.ts';
import { sampleFiles, temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';

// The commands on a ledger in PostgreSQL: from its first night on, and moved there and back. A command that others work beside is the built one.

/** In a share, the smallest workbook. */
const SAMPLES = inProof({ share: [3, 4], whole: [0, 5] });
const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;

let server: PostgresServer;
let sandbox: SandboxControls & AsyncDisposable;
beforeAll(async () => {
  [server, sandbox] = await Promise.all([startPostgres(), startSandboxHere()]);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await sandbox[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const calls =
  (workspace: TemporaryWorkspace, url: string | null) =>
  async (...args: readonly string[]): Promise<Ended> => {
    vi.stubEnv('INSPECTION_LEDGER_URL', url ?? undefined);
    return callHere([...args, '--workspace', workspace.path]);
  };

test('run orders, collects and delivers the samples on PostgreSQL', async () => {
  await using workspace = await temporaryWorkspace({ env: sandbox.lines });
  const drop = async (): Promise<void> => {
    for (const path of (await sampleFiles()).slice(...SAMPLES)) await cp(path, join(workspace.inbox, basename(path)));
  };
  await drop();
  const { url, schema } = server.fresh();
  const run = calls(workspace, `${url}?schema=${schema}`);
  const first: RunSummary = summaryOf(await run('run', '--json'));
  expect(first).toMatchObject({ exitCode: 3, orders: { unresolved: 0, waiting: 0 } });
  expect(first.orders.created).toBeGreaterThan(10);
  expect(await readdir(workspace.at('state'))).not.toContain('ledger.sqlite');
  await drop();
  expect(summaryOf(await run('run', '--json'))).toMatchObject({ orders: { created: 0 } });
  await sandbox.advance(FIFTEEN_DAYS_S);
  const { projects } = summaryOf(await run('run', '--json'));
  expect(projects).toMatchObject({ outstanding: 0, failed: 0 });
  expect(await sandbox.audit()).toMatchObject({ projects: first.orders.created, doubles: [] });
  expect(await run('verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('Everything matches') });
  for (const looking of ['status', 'doctor']) expect((await run(looking)).stdout).not.toContain('secret');
  const backup = await run('backup', '--to', workspace.at('copy.sqlite'), '--json');
  expect(backup).toMatchObject({ code: 0 });
  using copy = new DatabaseSync(workspace.at('copy.sqlite'), { readOnly: true });
  expect(copy.prepare(`SELECT count(*) AS n FROM orders WHERE state = 'created'`).get()).toEqual({
    n: first.orders.created,
  });
});

test('ledger move keeps every record; the old ledger refuses further runs', async () => {
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'a.csv': orderCsv(3) } });
  const { url, schema } = server.fresh();
  const onFile = calls(workspace, null);
  const inDatabase = calls(workspace, `${url}?schema=${schema}`);
  expect(summaryOf(await onFile('submit', '--json'))).toMatchObject({ orders: { created: 3 } });
  // Not moved yet: two ledgers would each forget what the other ordered.
  expect(await inDatabase('submit')).toMatchObject({ code: 2, stderr: expect.stringContaining('ledger move') });
  expect(await inDatabase('ledger', 'move')).toMatchObject({ code: 0, stdout: expect.stringContaining('3 orders') });
  expect(await onFile('submit')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('INSPECTION_LEDGER_URL is not set'),
  });
  expect(await inDatabase('ledger', 'move')).toMatchObject({ code: 2 });
  expect(await inDatabase('verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('Everything matches') });
  expect(await inDatabase('recover', '--from', workspace.at('state', 'ledger.sqlite'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('pg_restore'),
  });
  const again = await inDatabase('submit', '--json');
  expect(again).toMatchObject({ code: 0 });
  {
    await using _worker = await openPostgresLedger({ url, schema }, { clock: null, account: 'a worker' });
    expect(await inDatabase('ledger', 'move', 'sqlite')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('has the ledger open'),
    });
  }
  expect(await inDatabase('ledger', 'move', 'sqlite')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('3 orders'),
  });
  expect(await inDatabase('submit')).toMatchObject({ code: 2 });
  expect(await onFile('verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('Everything matches') });
  expect(await readdir(workspace.at('state'))).toContain('replaced-1');
});

test('submit locks others out before a schema is named', async () => {
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'a.csv': orderCsv(1) } });
  const run = calls(workspace, server.url);
  await sandbox.faults([{ kind: 'latency', match: { method: 'POST', route: '/v1/project' }, ms: 8000 }]);
  await using first = startCommand(['submit', '--workspace', workspace.path], {
    environment: { ...CRON_ENVIRONMENT, INSPECTION_LEDGER_URL: server.url },
  });
  // Its file is on record and put away: now it is sending.
  await until(async () => (await readdir(workspace.at('archive')).catch(() => [])).length > 0, first);
  expect(await run('submit')).toMatchObject({ code: 5, stderr: expect.stringContaining('Another run holds the lock') });
  expect(await first.ended).toMatchObject({ code: 0 });
  await sandbox.faults([]);
  expect(summaryOf(await run('submit', '--json'))).toMatchObject({
    exitCode: 0,
    orders: { created: 0, unresolved: 0 },
  });
});

test('ledger move takes no password from the command line', async () => {
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'a.csv': orderCsv(1) } });
  const onFile = calls(workspace, null);
  expect(await onFile('submit')).toMatchObject({ code: 0 });
  expect(await onFile('ledger', 'move', server.url)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('INSPECTION_LEDGER_URL'),
  });
});

test('status and doctor report a database that is away without the password', async () => {
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'a.csv': orderCsv(1) } });
  const ended = await calls(workspace, 'postgres://someone:hidden-word@127.0.0.1:9/none?schema=s')('status');
  expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining('is unavailable') });
  expect(await calls(workspace, 'postgres://someone:hidden-word@127.0.0.1:9/none?schema=s')('doctor')).toMatchObject({
    code: 4,
    stdout: expect.stringMatching(/PROBLEM {2}ledger: .*database/),
  });
  expect(`${ended.stdout}${ended.stderr}`).not.toContain('hidden-word');
});

interface Doctor {
  readonly findings: readonly { readonly what: string; readonly state: string; readonly detail: string }[];
  readonly fleet: {
    readonly hosts: readonly { readonly host: string; readonly isAlive: boolean; readonly version: string | null }[];
  };
}

test('doctor reports hosts that live, died, or differ in version or folder', async () => {
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'a.csv': orderCsv(1) } });
  const { url, schema } = server.fresh();
  const run = calls(workspace, `${url}?schema=${schema}`);
  expect((await run('run')).code).toBe(0);
  await using worker = startCommand(['worker', '--workspace', workspace.path], {
    environment: { ...CRON_ENVIRONMENT, INSPECTION_LEDGER_URL: `${url}?schema=${schema}` },
  });
  // As a process of an earlier version would be there, on a machine that mounted another folder; and one that died.
  const elsewhere = new Client({ connectionString: url, application_name: 'inspection-batch host far 0.0.1' });
  await elsewhere.connect();
  await using _elsewhere = { [Symbol.asyncDispose]: () => elsewhere.end() };
  await elsewhere.query('SELECT pg_advisory_lock($1)', [advisoryKeyOf(schema, 'host far')]);
  const rowOf = (name: string, host: string, workingOn: string | null): Promise<unknown> =>
    elsewhere.query(
      `INSERT INTO "${schema}".hosts SELECT $1, $2, 77, 'worker', ms - 3600000, ms - 600000, $3 FROM (SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS ms) AS now`,
      [name, host, workingOn],
    );
  await rowOf('far', 'far-host', 'a page');
  await rowOf('dead', 'dead-host', null);
  await until(
    async () =>
      Number(
        (await elsewhere.query<{ n: string }>(`SELECT count(*) AS n FROM "${schema}".hosts WHERE role = 'worker'`))
          .rows[0]?.n,
      ) === 3,
    worker,
  );
  const looked = await run('doctor', '--json');
  const { findings, fleet } = oneDocument(looked) as Doctor;
  const told = (what: string): readonly string[] =>
    findings.filter((finding) => finding.what === what).map(({ state, detail }) => `${state}: ${detail}`);
  expect(looked.code).toBe(0);
  expect(told('database')).toEqual([expect.stringMatching(/PostgreSQL \d+\.\d+ answers in \d+\.\d ms/)]);
  expect(told('database clock')).toEqual([expect.stringMatching(/^ok: agrees/)]);
  expect(told('host')).toEqual([
    expect.stringMatching(/^warning: far-host, process 77 \(worker, version 0\.0\.1\) uses another folder/),
    expect.stringMatching(/^ok: .*\(worker, version .*\) is alive; last sign of life \d+ s ago; no work in hand/),
    expect.stringMatching(/^warning: dead-host \(worker\) died: its last sign of life was 1\d min ago/),
  ]);
  expect(told('host versions')).toEqual([
    expect.stringMatching(new RegExp(`^warning: .*\\(0\\.0\\.1, ${packageVersion().replaceAll('.', '\\.')}\\)`)),
  ]);
  expect(fleet.hosts.map(({ isAlive, version }) => [isAlive, version])).toEqual(
    expect.arrayContaining([
      [true, '0.0.1'],
      [false, null],
      [true, packageVersion()],
    ]),
  );
  const counted = await run('verify', '--json');
  expect(oneDocument(counted)).toMatchObject({ balanced: true, atWork: [{ host: 'far-host', run: 'far' }] });
  expect((await run('verify')).stdout).toContain('Process 77 on far-host (worker) was still working');
});

const OPENSSL = neededProgram('openssl');

test.skipIf(OPENSSL.mayBeSkipped)(
  `${OPENSSL.note}run reaches its database by TLS only with a trusted certificate`,
  async () => {
    await using secured = await startTlsPostgres(OPENSSL.path);
    const { url, schema } = secured.fresh();
    const [byName, byAddress] = [url.replace('127.0.0.1', 'localhost'), url];
    const trusted = `&sslrootcert=${secured.certificate}`;
    await using workspace = await temporaryWorkspace({
      env: sandbox.lines,
      inbox: { 'a.csv': orderCsv(2, { series: 7 }) },
    });
    const runWith = (address: string, parameters: string): Promise<Ended> =>
      calls(workspace, `${address}?schema=${schema}${parameters}`)('run', '--json');
    for (const [address, parameters, why] of [
      [byName, '', 'The database refuses the connection'],
      [
        byName,
        '&sslmode=require',
        "does not trust the certificate of the ledger's database: self-signed certificate.\nCheck the host",
      ],
      [
        byAddress,
        `&sslmode=verify-full${trusted}`,
        "does not trust the certificate of the ledger's database: Hostname/IP does not match",
      ],
      [
        byName,
        '&sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
        'The file that sslrootcert names in INSPECTION_LEDGER_URL cannot be read',
      ],
    ] as const) {
      expect([parameters, await runWith(address, parameters)]).toEqual([
        parameters,
        expect.objectContaining({ code: 2, stderr: expect.stringContaining(why) as string }),
      ]);
    }
    const ended = await runWith(byName, `&sslmode=require${trusted}`);
    expect(ended.stderr).not.toContain('SECURITY WARNING');
    expect(summaryOf(ended)).toMatchObject({ exitCode: 0, orders: { created: 2 } });
    expect(summaryOf(await runWith(byName, `&sslmode=verify-full${trusted}`))).toMatchObject({ exitCode: 0 });
  },
);
