import { readdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../../src/cli/run-command.ts';
import { listenForStop } from '../../../src/night/stop-signal.ts';
import { inRunSession } from '../../../src/night/run-session.ts';
import { PagesOfRun } from '../../../src/night/worker-host.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { sendJson, startScriptedServer } from '../../support/scripted-server.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';

// Runs and workers in this process, on a PostgreSQL server, with a service that knows no projects and makes none.

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server[Symbol.asyncDispose]());

async function withWorkspace(config: string, work: (workspace: TemporaryWorkspace) => Promise<void>): Promise<void> {
  await using service = await startScriptedServer(({ method, url }, response) => {
    if (method === 'POST' && url === '/v1/project')
      return sendJson(response, 422, { error: { message: 'Not there.' } });
    sendJson(response, 200, url === '/v1/oauth/token' ? { access_token: 't', token_type: 'bearer' } : { project: [] });
  });
  const { url, schema } = server.fresh();
  const names = {
    BASE_URL: service.origin,
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'c-secret',
    USERNAME: 'user',
    PASSWORD: 'p-secret',
    LEDGER_URL: `${url}?schema=${schema}`,
  };
  await using workspace = await temporaryWorkspace({
    env: Object.entries(names)
      .map(([name, value]) => `INSPECTION_${name}=${value}\n`)
      .join(''),
    config,
  });
  // The schema stands once a run was there.
  expect((await runCommand('collect', { workspace: workspace.path })).exitCode).toBe(0);
  await work(workspace);
}

test("inRunSession gives a worker no finishBy, but each run's pages one", async () => {
  // A worker lives for many nights, so each run says when its pages end.
  await withWorkspace('run:\n  finishBy: "05:30"\n', async (workspace) => {
    await inRunSession(workspace.path, 'collect', async (run) => expect(run.pace.finishBy).not.toBeNull());
    await inRunSession(
      workspace.path,
      'worker',
      async (session) => {
        expect(session.pace.finishBy).toBeNull();
        await using pages = new PagesOfRun(session);
        const now = session.clock.now();
        const [tonight, over] = [
          await pages.of({ run: 'tonight', finishBy: now + 3_600_000 }),
          await pages.of({ run: 'over', finishBy: now - 1 }),
        ];
        expect([tonight.pace.finishBy, over.pace.finishBy, await pages.of({ run: 'over', finishBy: now - 1 })]).toEqual(
          [now + 3_600_000, now - 1, over],
        );
        expect(over.pace.signal.reason).toMatchObject({ message: expect.stringContaining('run.finishBy') });
        expect(session.signal.aborted).toBe(false);
      },
      { role: 'worker' },
    );
  });
});

test('run delivers nothing while another host is still working', async () => {
  await withWorkspace('', async (workspace) => {
    using stop = listenForStop();
    await writeFile(workspace.at('inbox/orders.csv'), orderCsv(1));
    await inRunSession(
      workspace.path,
      'worker',
      async ({ fleet }) => {
        const { promise: released, resolve: release } = Promise.withResolvers<void>();
        const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>();
        const atWork = fleet?.share('projects', [{}], async () => (hasBegun(), await released, { stopped: null }));
        await begun;
        const ended = new AbortController();
        const run = runCommand('run', { workspace: workspace.path }).finally(() => ended.abort());
        const isWaiting = async (): Promise<boolean> => {
          const logs = await readdir(workspace.at('logs'));
          return (await Promise.all(logs.map((log) => readFile(workspace.at('logs', log), 'utf8'))))
            .join('')
            .includes('waiting for other hosts');
        };
        await waitUntil('the run to wait', async () => ended.signal.aborted || (await isWaiting()));
        expect([ended.signal.aborted, await readdir(workspace.at('deliveries'))]).toEqual([false, []]);
        release();
        await atWork;
        expect((await run).exitCode).toBe(3);
        expect(await readdir(workspace.at('deliveries'))).toHaveLength(2);
      },
      { role: 'worker', stop },
    );
  });
});
