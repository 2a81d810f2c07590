import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/ports.ts';
import { type RunEnd, Notifier } from '../../../src/notify/notifier.ts';
import { parseConfig } from '../../../src/ops/config.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { openLedgerBench } from '../../support/run-bench.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';
import type { VirtualClock } from '../../support/virtual-clock.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const CONTEXT = { log: silentLog, newsInWords: async () => [], signal: new AbortController().signal };

function end(run: string, changes: Partial<RunEnd> = {}): RunEnd {
  return { run, exitCode: 0, summary: {}, trouble: [], night: null, lookedIntoInbox: true, ...changes };
}

function notifierFor(notify: string, clock: VirtualClock): Notifier {
  return new Notifier({
    notify: parseConfig(`notify: ${notify}`, 'config.yaml').notify,
    secrets: { problems: [] },
    root: '/',
    commandEnvironment: {},
    clock,
    host: 'batch-1',
  });
}

describe('Notifier: ping at the end of a run', () => {
  async function pinged(exitCode: number, how: 'tell' | 'tellAtOnce'): Promise<readonly string[]> {
    await using bench = await openLedgerBench();
    await using server = await startScriptedServer((_request, response) => void response.end());
    const urls = ['start', 'success', 'failure'].map((which) => `${which}: "${server.origin}/${which}"`).join(', ');
    const notifier = notifierFor(`{ ping: { ${urls} } }`, bench.clock);
    if (how === 'tell') await notifier.notify(end('r-1', { exitCode }), bench.ledger, CONTEXT);
    else await notifier.notifyAtOnce(end('r-1', { exitCode }), silentLog);
    return server.seen.map(({ url }) => url);
  }

  test.each([
    [0, '/success'],
    [3, '/success'],
    [1, '/failure'],
    [2, '/failure'],
    [4, '/failure'],
    [5, '/failure'],
    [143, '/failure'],
  ])('maps exit code %i to %s', async (exitCode, url) => {
    expect(await pinged(exitCode, 'tell')).toEqual([url]);
    expect(await pinged(exitCode, 'tellAtOnce')).toEqual([url]);
  });
});

describe('Notifier: a mail that could not be sent', () => {
  const mailTo = ({ port }: Pick<MailServer, 'port'>): string =>
    `{ mail: { smtp: "smtp://127.0.0.1:${port}", from: us@example.com, engineers: [oncall@example.com] } }`;

  /** Noted while the mail server was away, and told so long after. */
  async function toldAfter(ms: number): Promise<readonly string[]> {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    await using mailServer = await startMailServer();
    await notifierFor(mailTo(mailServer), clock).note(
      end('r-1', { exitCode: 1, trouble: ['Trouble.'] }),
      ledger,
      CONTEXT,
    );
    await clock.advance(ms);
    await notifierFor(mailTo(mailServer), clock).notify(end('r-2'), ledger, CONTEXT);
    expect(await ledger.unsentEntries()).toEqual([]);
    return mailServer.mails.map(({ subject }) => subject);
  }

  test('sends it on the thirtieth day', async () => {
    expect(await toldAfter(30 * DAY_MS)).toEqual(['inspection-batch on batch-1: exit code 1']);
  });

  test('drops it after the thirtieth day', async () => {
    expect(await toldAfter(30 * DAY_MS + 1)).toEqual([]);
  });
});
