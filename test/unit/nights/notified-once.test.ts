import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunSummary } from '../../../src/night/run.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import type { Ended } from '../../support/command-line.ts';
import { type Door, startDoor } from '../../support/door.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { orderCsv } from '../../support/order-csv.ts';
import type { SandboxControls } from '../../support/sandbox-process.ts';
import { type ScriptedServer, startScriptedServer } from '../../support/scripted-server.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';
import { summaryOf } from '../../end-to-end/summary.ts';

// Three nights: no receiver of notifications answers, all answer again, and a good night.

const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;

let sandbox: SandboxControls & AsyncDisposable;
let web: ScriptedServer;
let mailServer: MailServer;
let mailDoor: Door;
let workspace: TemporaryWorkspace;
let isWebAway = true;

/** The end of a night, and its notifications. */
interface Night {
  readonly ended: Ended;
  readonly mails: MailServer['mails'];
  /** The paths that were called, in order of their names. */
  readonly called: readonly string[];
}

async function night(...args: readonly string[]): Promise<Night> {
  const before = { web: web.seen.length, mails: mailServer.mails.length };
  const ended = await callHere(['run', '--workspace', workspace.path, ...args]);
  const called = web.seen.slice(before.web).map(({ url }) => url);
  return { ended, mails: mailServer.mails.slice(before.mails), called: called.toSorted() };
}

const subjectsOf = ({ mails }: Night) => mails.map(({ to, subject }) => [to, subject]);

beforeAll(async () => {
  sandbox = await startSandboxHere();
  web = await startScriptedServer((_request, response) => response.writeHead(isWebAway ? 503 : 200).end());
  mailServer = await startMailServer();
  mailDoor = await startDoor(mailServer.port);
  mailDoor.close();
  const { origin } = web;
  workspace = await temporaryWorkspace({
    env: `${sandbox.lines}INSPECTION_WEBHOOK_SECRET=w-secret\n`,
    config: `notify:
  mail: { smtp: "smtp://127.0.0.1:${mailDoor.port}", from: batch@example.com, analysts: [ops@example.com], underwriters: [uw@example.com], engineers: [oncall@example.com] }
  webhook: { url: "${origin}/hook" }
  ping: { start: "${origin}/start", success: "${origin}/success", failure: "${origin}/failure" }
`,
    inbox: { 'orders.csv': orderCsv(3, { keys: ['inspection'] }).replace('102 Oak Street', '') },
  });
});

afterAll(async () => {
  for (const one of [sandbox, web, mailDoor, mailServer, workspace]) await one[Symbol.asyncDispose]();
});

// Each night follows the one around it, so that any test can be run by itself.
describe('run, while mail server, webhook and pings are away', () => {
  let first: Night;

  beforeAll(async () => {
    first = await night('--json');
  });

  test('ends with 3 and prints one document, as on any night', () => {
    const summary: RunSummary = summaryOf(first.ended);
    expect(summary).toMatchObject({ exitCode: 3, orders: { created: 2 } });
    expect(first.ended).toMatchObject({ code: 3, stderr: '' });
    expect(summary.delivery?.report).not.toBeNull();
  });

  test('sends no mail', () => {
    expect(first.mails).toEqual([]);
  });

  describe('run, on the night after', () => {
    let second: Night;

    beforeAll(async () => {
      isWebAway = false;
      mailDoor.open();
      second = await night();
    });

    test('ends with 0', () => {
      expect(second.ended.code).toBe(0);
    });

    test('mails the rows, the delivery and the outage', () => {
      expect(subjectsOf(second)).toEqual([
        [['oncall@example.com'], expect.stringMatching(/^inspection-batch on /)],
        [['uw@example.com'], expect.stringMatching(/^Inspections, .*; 2 .*, 1 row /)],
        [['ops@example.com'], '1 row to fix in orders.csv'],
      ]);
    });

    test('calls the webhook for both nights, and pings', () => {
      expect(second.called).toEqual(['/hook', '/hook', '/start', '/success']);
    });

    describe('run, on a good night', () => {
      let third: Night;

      beforeAll(async () => {
        await sandbox.advance(FIFTEEN_DAYS_S);
        third = await night('--quiet');
      });

      test('prints nothing under cron', () => {
        expect(third.ended).toMatchObject({ code: 0, stdout: '\n', stderr: '' });
      });

      test('mails once, with the newest delivery', async () => {
        expect(subjectsOf(third)).toEqual([[['uw@example.com'], expect.stringContaining('2 new reports')]]);
        const newest =
          (await readdir(workspace.at('deliveries')))
            .filter((name) => name !== 'index.html')
            .toSorted()
            .at(-1) ?? '';
        const text = third.mails[0]?.parts.get('text/plain')?.toString();
        expect(text).toContain(`deliveries/${newest}:`);
      });

      test('pings twice and calls the webhook once', () => {
        expect(third.called).toEqual(['/hook', '/start', '/success']);
      });
    });
  });
});
