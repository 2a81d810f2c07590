import { readdir } from 'node:fs/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunSummary } from '../../../src/night/run.ts';
import { entriesOf, manifestProblems } from '../../end-to-end/delivery-archive.ts';
import { sum, summaryOf } from '../../end-to-end/summary.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { oneDocument, startCommand } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { inProof } from '../../support/proof-size.ts';
import { killOnce, type SandboxControls, until } from '../../support/sandbox-process.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';

// The built command and a PostgreSQL server: three hosts in as many processes. Each moment is something that has happened.

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server[Symbol.asyncDispose]());

const ORDERS = inProof({ share: 80, whole: 120 });
const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;

async function downloads(sandbox: SandboxControls): Promise<number> {
  const { requests } = await sandbox.audit();
  return sum(
    Object.entries(requests).map(([route, answers]) => (route.startsWith('GET /files/') ? (answers['200'] ?? 0) : 0)),
  );
}

test('submit and its workers order each row once, though hosts die', { timeout: 900_000 }, async () => {
  const { url, schema } = server.fresh();
  const ledgerUrl = new URL(url);
  ledgerUrl.searchParams.set('schema', schema);
  await using sandbox = await startSandboxHere({ latencyMs: 60 });
  await using workspace = await temporaryWorkspace({
    env: `${sandbox.lines}INSPECTION_LEDGER_URL=${ledgerUrl.href}\n`,
    config:
      'submit:\n  quarantineSeconds: 2\n  maxConcurrency: 2\ncollect:\n  images: none\nresults:\n  thumbnailsMax: 0\n',
    inbox: { 'orders.csv': orderCsv(ORDERS) },
  });
  const at = ['--workspace', workspace.path];
  const database = new Client({ connectionString: url });
  await database.connect();
  await using _database = { [Symbol.asyncDispose]: () => database.end() };
  const numberOf = async (sql: string): Promise<number> =>
    Number((await database.query<{ n: string }>(sql)).rows[0]?.n ?? 0);
  /** Orders that hosts other than the run's have sent. */
  const ofWorkers = (): Promise<number> =>
    numberOf(`SELECT count(*) AS n FROM "${schema}".attempts WHERE run NOT IN (SELECT id FROM "${schema}".runs)`);

  // The schema stands once a run was there; there is nothing to do yet.
  expect((await callHere(['collect', ...at])).code).toBe(0);
  await using killed = startCommand(['worker', ...at]);
  await using frozen = startCommand(['worker', ...at, '--json']);
  const workers = (): Promise<number> => numberOf(`SELECT count(*) AS n FROM "${schema}".hosts WHERE role = 'worker'`);
  await until(async () => (await workers()) === 2, killed);

  await using night = startCommand(['submit', ...at, '--json']);
  expect(await killOnce(async () => (await ofWorkers()) >= 8 && (await sandbox.audit()).creates >= 20, killed)).toBe(
    true,
  );
  await until(async () => (await sandbox.audit()).creates >= 45, night);
  frozen.kill('SIGSTOP');
  expect((await callHere(['submit', ...at])).code).toBe(5);
  const first = summaryOf(await night.ended);
  expect(first.orders.created).toBeGreaterThan(ORDERS / 2);
  // Woken after others took over for it, it sends nothing of what it had in hand. Between two pages nobody waited for its end.
  await until(
    async () =>
      (await numberOf(
        `SELECT count(*) AS n FROM "${schema}".hosts JOIN pg_stat_activity ON starts_with(application_name, 'inspection-batch host ' || run || ' ') WHERE role = 'worker'`,
      )) === 0,
    frozen,
  );
  frozen.kill('SIGCONT');
  let last: RunSummary = first;
  for (let run = 0; last.exitCode === 4 && run < 5; run += 1)
    last = summaryOf(await callHere(['submit', ...at, '--json']));
  expect(last.exitCode).toBe(0);
  const audit = await sandbox.audit();
  expect([audit.doubles, audit.projects, audit.internalErrors]).toEqual([[], ORDERS, []]);
  expect(await numberOf(`SELECT count(DISTINCT project_id) AS n FROM "${schema}".orders WHERE state = 'created'`)).toBe(
    ORDERS,
  );

  await sandbox.advance(FIFTEEN_DAYS_S);
  await using cutOff = startCommand(['run', ...at, '--json']);
  await until(
    async () => (await numberOf(`SELECT count(*) AS n FROM "${schema}".hosts WHERE role = 'run'`)) === 1,
    cutOff,
  );
  await using standing = startCommand(['run', '--standby', ...at, '--json']);
  await until(
    async () => (await numberOf(`SELECT count(*) AS n FROM "${schema}".hosts WHERE role = 'standby'`)) === 1,
    standing,
  );
  expect(await killOnce(async () => (await downloads(sandbox)) >= 5, cutOff)).toBe(true);
  const stood = await standing.ended;
  expect(`${stood.stdout}${stood.stderr}`).toContain('"delivery"');
  const { projects, delivery, exitCode } = summaryOf(stood);
  expect({ exitCode, ...projects }).toMatchObject({ exitCode: 3, outstanding: 0, returned: 0, failed: 0 });
  expect(projects.collected + projects.canceled).toBe(ORDERS);
  const entries = new Map(await entriesOf(workspace.at(delivery?.archive ?? '')));
  const manifest = entries.get('manifest.sha256')?.toString('utf8') ?? '';
  entries.delete('manifest.sha256');
  expect(manifestProblems(manifest, entries)).toEqual([]);
  expect([...entries.keys()].filter((name) => /_\d{8}\.pdf$/.test(name))).toHaveLength(projects.collected);
  // One with the results; of those with the orders, each says something else.
  const withReports = (await readdir(workspace.at('deliveries'), { recursive: true })).filter((name) =>
    name.endsWith('.zip'),
  );
  expect(withReports).toHaveLength(1);

  frozen.kill('SIGTERM');
  const ended = await frozen.ended;
  expect([ended.code, oneDocument(ended)]).toEqual([143, expect.objectContaining({ exitCode: 143 })]);
  // With their last sign of life: the one that was killed, and the one that was frozen, before it came back as another.
  expect(await workers()).toBe(2);
});
