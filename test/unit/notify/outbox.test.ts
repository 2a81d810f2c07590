import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/ports.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { type RunEnd, Notifier } from '../../../src/notify/notifier.ts';
import { parseConfig } from '../../../src/ops/config.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { openLedgerBench } from '../../support/run-bench.ts';
import type { VirtualClock } from '../../support/virtual-clock.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const CONTEXT = { log: silentLog, newsInWords: async () => [], signal: new AbortController().signal };

function end(run: string, changes: Partial<RunEnd> = {}): RunEnd {
  return { run, exitCode: 0, summary: {}, trouble: [], night: null, lookedIntoInbox: true, ...changes };
}

function notifierFor({ port }: MailServer, clock: VirtualClock): Notifier {
  const mail = `{ smtp: "smtp://127.0.0.1:${port}", from: us@example.com, analysts: [ops@example.com], engineers: [oncall@example.com] }`;
  return new Notifier({
    notify: parseConfig(`notify: { mail: ${mail} }`, 'config.yaml').notify,
    secrets: { problems: [] },
    root: '/',
    commandEnvironment: {},
    clock,
    host: 'batch-1',
  });
}

test('Notifier sends a mail again rather than lose it when killed', async () => {
  await using bench = await openLedgerBench();
  await using mailServer = await startMailServer();
  const { ledger, clock } = bench;
  await notifierFor(mailServer, clock).note(end('r-1', { exitCode: 1, trouble: ['A fault.'] }), ledger, CONTEXT);
  const killedAfterSending: Ledger = {
    ...ledger,
    endEntries: async (ids) => (ids.length === 0 ? undefined : Promise.reject(new Error('killed'))),
  };
  await notifierFor(mailServer, clock).notify(end('r-2'), killedAfterSending, CONTEXT);
  await notifierFor(mailServer, clock).notify(end('r-3'), ledger, CONTEXT);
  await notifierFor(mailServer, clock).notify(end('r-4'), ledger, CONTEXT);
  expect(mailServer.mails.map(({ subject }) => subject)).toEqual([
    'inspection-batch on batch-1: exit code 1',
    'inspection-batch on batch-1: exit code 1',
  ]);
});

test('Notifier drops mail that could not be sent for 30 days', async () => {
  await using bench = await openLedgerBench();
  await using mailServer = await startMailServer();
  const { ledger, clock } = bench;
  await notifierFor(mailServer, clock).note(end('r-1', { exitCode: 1, trouble: ['Long ago.'] }), ledger, CONTEXT);
  await clock.advance(31 * DAY_MS);
  await notifierFor(mailServer, clock).notify(end('r-2'), ledger, CONTEXT);
  expect([mailServer.mails, await ledger.unsentEntries()]).toEqual([[], []]);
});

test('Notifier reports a silent sender once for each silence', async () => {
  await using bench = await openLedgerBench();
  await using mailServer = await startMailServer();
  const { ledger, clock } = bench;
  let nights = 0;
  const night = async (sends: boolean): Promise<void> => {
    nights += 1;
    if (sends)
      await ledger.recordFile(
        {
          hash: `h${nights}`,
          name: join('smith', `${nights}.csv`),
          sender: 'smith',
          kind: 'a',
          layouts: [],
          notes: [],
        },
        async () => {},
      );
    await notifierFor(mailServer, clock).note(end(`r-${nights}`), ledger, CONTEXT);
    await notifierFor(mailServer, clock).notify(end(`r-${nights}`), ledger, CONTEXT);
    await clock.advance(DAY_MS);
  };
  for (let day = 0; day < 28; day += 1) await night(true);
  for (const sends of [false, false, true, false]) await night(sends);
  const texts = mailServer.mails.map(({ parts }) => parts.get('text/plain')?.toString() ?? '');
  expect(texts.map((text) => /\bsmith\b.*[\d:]+.* since (.*)\./.exec(text)?.[1])).toEqual([
    'Wednesday, April 1',
    'Saturday, April 4',
  ]);
});
