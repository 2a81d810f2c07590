import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunSummary } from '../../src/cli/run-command.ts';
import { type Ended, runToEnd } from '../support/command-line.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { orderCsv } from '../support/order-csv.ts';
import { type SandboxProcess, startSandboxProcess } from '../support/sandbox-process.ts';
import { type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../support/temporary-workspace.ts';
import { summaryOf } from './summary.ts';

// Three nights of the built command: everybody who is told away, everybody back, and a good night.

const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;

let sandbox: SandboxProcess;
let web: ScriptedServer;
let mailServer: MailServer;
let workspace: TemporaryWorkspace;
let isWebAway = true;

const run = (...args: readonly string[]): Promise<Ended> => runToEnd(['run', '--workspace', workspace.path, ...args]);

/** The paths called since there were so many calls. */
const calledSince = (count: number): readonly string[] =>
  web.seen
    .slice(count)
    .map(({ url }) => url)
    .toSorted();

beforeAll(async () => {
  sandbox = await startSandboxProcess();
  web = await startScriptedServer((_request, response) => response.writeHead(isWebAway ? 503 : 200).end());
  // A port that nobody listens on: the server of the next night takes it.
  const { port } = (mailServer = await startMailServer());
  await mailServer[Symbol.asyncDispose]();
  const { origin } = web;
  workspace = await temporaryWorkspace({
    env: `${sandbox.lines}INSPECTION_WEBHOOK_SECRET=w-secret\n`,
    config: `notify:
  mail: { smtp: "smtp://127.0.0.1:${port}", from: batch@example.com, analysts: [ops@example.com], underwriters: [uw@example.com], engineers: [oncall@example.com] }
  webhook: { url: "${origin}/hook" }
  ping: { start: "${origin}/start", success: "${origin}/success", failure: "${origin}/failure" }
`,
    inbox: { 'orders.csv': orderCsv(3, { keys: ['inspection'] }).replace('102 Oak Street', '') },
  });
});

afterAll(async () => {
  for (const one of [sandbox, web, mailServer, workspace]) await one[Symbol.asyncDispose]();
});

test('mail server, webhook and pings away: the run is what it is, its exit code and its one document too', async () => {
  const ended = await run('--json');
  const summary: RunSummary = summaryOf(ended);
  expect([ended.code, ended.stderr, summary.exitCode, summary.orders.created]).toEqual([3, '', 3, 2]);
  expect(summary.delivery?.report).not.toBeNull();
});

test('the next night tells it, once: the rows, the delivery, the webhook, and that something was away', async () => {
  isWebAway = false;
  const { port } = mailServer;
  mailServer = await startMailServer({ port });
  const before = web.seen.length;
  expect((await run()).code).toBe(0);
  expect(mailServer.mails.map(({ to, subject }) => [to, subject])).toEqual([
    [['oncall@example.com'], expect.stringMatching(/^inspection-batch on /)],
    [['uw@example.com'], expect.stringMatching(/^Inspections, \w+day, \w+ \d+: 0 new reports, 0 houses at High$/)],
    [['ops@example.com'], '1 row to fix in orders.csv'],
  ]);
  expect(calledSince(before)).toEqual(['/hook', '/hook', '/start', '/success']);
});

test('a good night prints nothing under cron, mails once, pings twice', async () => {
  await sandbox.advance(FIFTEEN_DAYS_S);
  const before = { web: web.seen.length, mails: mailServer.mails.length };
  expect(await run('--quiet')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const mails = mailServer.mails.slice(before.mails);
  expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
    [['uw@example.com'], expect.stringContaining('2 new reports')],
  ]);
  expect(calledSince(before.web)).toEqual(['/hook', '/start', '/success']);
  const newest = (await readdir(workspace.at('deliveries'))).toSorted().at(-1) ?? '';
  expect(mails[0]?.parts.get('text/plain')?.toString()).toContain(join(workspace.path, 'deliveries', newest));
});
