import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OutboxEntry } from '../../../src/ledger/outbox.ts';
import type { News } from '../../../src/ledger/store.ts';
import { newRow } from '../../support/order-factory.ts';
import { openNotifierBench, runEnd, type NotifierBench } from '../../support/notifier-bench.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const webhook = (run: string): OutboxEntry => ({ channel: 'webhook', about: run, facts: { run, body: `"${run}"` } });
const finished = (id: string): OutboxEntry => ({
  channel: 'webhook.projects',
  about: id,
  facts: { run: 'r-1', id, body: `"${id}"` },
});
const engineers = (run: string): OutboxEntry => ({
  channel: 'engineers',
  about: `run ${run}`,
  facts: { run, at: 0, exitCode: 1, lines: ['A fault.'] },
});
const rowsOf = (about: string, fileIds: readonly number[]): OutboxEntry => ({
  channel: 'analysts',
  about,
  facts: { sender: '', fileIds },
});

/** Puts files with one rejected row each on record; their workbooks have so many bytes, or are missing. */
async function wrongFiles(
  { ledger, folder }: NotifierBench,
  sizes: Readonly<Record<string, number | null>>,
): Promise<readonly number[]> {
  const ids: number[] = [];
  await mkdir(join(folder, 'corrections'));
  for (const [name, bytes] of Object.entries(sizes)) {
    let row = 0;
    const { id } = await ledger.recordFile(
      { hash: `hash of ${name}`, name, layouts: [], notes: [] },
      async (transaction) => void (row = transaction.addRow(newRow())),
    );
    await ledger.markCorrected(id, [row], `corrections/${name}.xlsx`);
    if (bytes !== null) await writeFile(join(folder, 'corrections', `${name}.xlsx`), Buffer.alloc(bytes));
    ids.push(id);
  }
  return ids;
}

/** A program that keeps what it was given in a file, and says something. */
async function command({ folder }: NotifierBench): Promise<string> {
  const path = join(folder, 'tell.sh');
  await writeFile(path, '#!/bin/sh\n/bin/cat > heard.txt\necho thanks\n');
  await chmod(path, 0o755);
  return path;
}

const heard = ({ folder }: NotifierBench) => readFile(join(folder, 'heard.txt'), 'utf8');
const bodies = ({ server }: NotifierBench) => server.seen.map(({ body }) => body);
const recipients = ({ mailServer }: NotifierBench) => mailServer.mails.map(({ to }) => to);
const unsentEntries = async ({ ledger }: NotifierBench) => (await ledger.unsentEntries()).map(({ about }) => about);

async function notifyAll(
  bench: NotifierBench,
  notify: object,
  changes: Partial<NotifierBench['context']> = {},
): Promise<void> {
  await bench.notifier(notify, 'key').notify(runEnd('now'), bench.ledger, { ...bench.context, ...changes });
}

describe('Notifier.notify', () => {
  test('marks news as reported only after telling', async () => {
    await using bench = await openNotifierBench();
    const notifier = bench.notifier({});
    expect(notifier.hasNotified).toBe(false);
    await notifier.notify(runEnd('now'), bench.ledger, bench.context);
    expect(notifier.hasNotified).toBe(true);
  });

  test('logs nothing without entries', async () => {
    await using bench = await openNotifierBench();
    await notifyAll(bench, {});
    expect(bench.lines).toEqual([]);
  });

  test('logs how many entries it drops', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox([engineers('r-1'), engineers('r-2')]);
    await bench.clock.advance(31 * DAY_MS);
    await notifyAll(bench, {});
    expect(bench.lines).toMatchObject([{ level: 'warn', entries: 2 }]);
  });

  test('calls no webhook with a summary that is older than 30 days', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox([webhook('r-1')]);
    await bench.clock.advance(31 * DAY_MS);
    await notifyAll(bench, { webhook: { url: bench.server.origin } });
    expect([bodies(bench), await unsentEntries(bench)]).toEqual([[], []]);
  });

  test('calls the webhook once for each run', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox([webhook('r-1'), webhook('r-2')]);
    const notify = { webhook: { url: bench.server.origin } };
    await notifyAll(bench, notify);
    await notifyAll(bench, notify);
    expect(bodies(bench)).toEqual(['"r-1"', '"r-2"']);
  });

  test('continues after a summary that the webhook refuses', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox([webhook('r-1'), webhook('r-2')]);
    bench.hook = ({ body }, response) => void response.writeHead(body.includes('r-1') ? 400 : 200).end();
    await notifyAll(bench, { webhook: { url: bench.server.origin } });
    expect([bodies(bench), await unsentEntries(bench)]).toEqual([['"r-1"', '"r-2"'], ['r-1']]);
  });

  test('asks an unreachable webhook only once', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox([webhook('r-1'), webhook('r-2')]);
    bench.hook = (_request, response) => void response.writeHead(503).end();
    await notifyAll(bench, { webhook: { url: bench.server.origin } });
    expect([bodies(bench), await unsentEntries(bench)]).toEqual([['"r-1"'], ['r-1', 'r-2']]);
  });

  test('mails a dead webhook with the other trouble of the same run', async () => {
    await using bench = await openNotifierBench();
    bench.hook = (_request, response) => void response.writeHead(503).end();
    const mail = bench.mailTo({ engineers: ['oncall@example.com'] });
    const notifier = bench.notifier({ webhook: { url: bench.server.origin }, mail }, 'key');
    const end = runEnd('r-1', { exitCode: 1, trouble: ['A fault.'] });
    await notifier.note(end, bench.ledger, bench.context);
    await notifier.notify(end, bench.ledger, bench.context);
    const text = bench.mailServer.mails[0]?.parts.get('text/plain')?.toString();
    expect(text).toMatch(/A fault\.[^]*notify\.webhook failed/);
  });

  test('drops a summary whose webhook is no longer configured', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox([webhook('r-1')]);
    await notifyAll(bench, {});
    expect([bodies(bench), await unsentEntries(bench), bench.lines]).toEqual([[], [], []]);
  });

  test('keeps a summary when the webhook has no secret', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox([webhook('r-1')]);
    const notifier = bench.notifier({ webhook: { url: bench.server.origin } });
    await notifier.notify(runEnd('now'), bench.ledger, bench.context);
    expect([bodies(bench), await unsentEntries(bench)]).toEqual([[], ['r-1']]);
  });

  test('sends a message about each finished project after the mails, once', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox([finished('7-1'), finished('8-1'), engineers('r-1')]);
    const mailsBefore: number[] = [];
    bench.hook = (_request, response) => {
      mailsBefore.push(bench.mailServer.mails.length);
      response.end();
    };
    const notify = { webhook: { url: bench.server.origin }, mail: bench.mailTo({ engineers: ['oncall@example.com'] }) };
    await notifyAll(bench, notify);
    await notifyAll(bench, notify);
    expect([bodies(bench).toSorted(), mailsBefore]).toEqual([
      ['"7-1"', '"8-1"'],
      [1, 1],
    ]);
    expect(new Set(bench.server.seen.map(({ headers }) => headers['inspection-batch-id']))).toEqual(
      new Set(['7-1', '8-1']),
    );
  });

  test('passes over a project at which the webhook fails', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox(['7-1', '8-1', '9-1', '10-1', '11-1', '12-1'].map(finished));
    bench.hook = ({ body }, response) => void response.writeHead(body === '"7-1"' ? 500 : 200).end();
    await notifyAll(bench, { webhook: { url: bench.server.origin } });
    expect(await unsentEntries(bench)).toEqual(['7-1']);
  });

  test('stops asking a webhook that fails at every project', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox(Array.from({ length: 40 }, (_, index) => finished(`${index + 10}-1`)));
    bench.hook = (_request, response) => void response.writeHead(503).end();
    await notifyAll(bench, { webhook: { url: bench.server.origin } });
    expect(bodies(bench).length).toBeLessThan(20);
  });

  test('tries every project if every second one fails', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox(Array.from({ length: 24 }, (_, index) => finished(`${index + 10}-1`)));
    bench.hook = ({ body }, response) => void response.writeHead(/[02468]-/.test(body) ? 500 : 200).end();
    await notifyAll(bench, { webhook: { url: bench.server.origin } });
    expect([bodies(bench).length, (await unsentEntries(bench)).length]).toEqual([24, 12]);
  });

  test('keeps a refused message about a project and reports it', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox([finished('7-1'), finished('8-1')]);
    bench.hook = ({ body }, response) => void response.writeHead(body === '"7-1"' ? 400 : 200).end();
    await notifyAll(bench, {
      webhook: { url: bench.server.origin },
      mail: bench.mailTo({ engineers: ['oncall@example.com'] }),
    });
    expect(await unsentEntries(bench)).toEqual(['mail now', '7-1']);
    const [trouble] = await bench.ledger.unsentEntries();
    expect(JSON.stringify(trouble?.facts)).toMatch(/notify\.webhook\.projects .*\b400\b/);
  });

  test('leaves the messages beyond its time to the next run, without trouble', async () => {
    await using bench = await openNotifierBench();
    const ids = Array.from({ length: 20 }, (_, index) => `${index + 10}-1`);
    await bench.ledger.addToOutbox(ids.map(finished));
    const stop = new AbortController();
    bench.hook = (_request, response) => {
      response.end();
      stop.abort();
    };
    const notify = { webhook: { url: bench.server.origin }, mail: bench.mailTo({ engineers: ['oncall@example.com'] }) };
    await notifyAll(bench, notify, { signal: stop.signal });
    const left = await unsentEntries(bench);
    expect(left.length).toBeGreaterThan(10);
    expect(left.filter((about) => !ids.includes(about))).toEqual([]);
    bench.hook = (_request, response) => void response.end();
    await notifyAll(bench, notify);
    expect([new Set(bodies(bench)).size, await unsentEntries(bench)]).toEqual([20, []]);
  });

  test('gives the command the summary and logs its output', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox([{ ...webhook('r-1'), channel: 'command' }]);
    await notifyAll(bench, { command: await command(bench) });
    expect(await heard(bench)).toBe('"r-1"');
    expect(bench.lines).toEqual([{ level: 'info', event: 'notify.command ran', output: 'thanks\n' }]);
  });

  test('sends nothing after a stop and keeps it', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox([webhook('r-1'), engineers('r-1')]);
    const mail = bench.mailTo({ engineers: ['oncall@example.com'] });
    await notifyAll(bench, { mail, webhook: { url: bench.server.origin } }, { signal: AbortSignal.abort() });
    expect([bodies(bench), recipients(bench)]).toEqual([[], []]);
    expect(await unsentEntries(bench)).toEqual(expect.arrayContaining(['r-1', 'run r-1']));
  });

  test('mails each night to the underwriters, once', async () => {
    await using bench = await openNotifierBench();
    const night = { run: 'r-1', at: 0, folder: 'deliveries/r-1', collected: 2, high: 1 };
    await bench.ledger.addToOutbox([{ channel: 'underwriters', about: 'r-1', facts: night }]);
    const mail = bench.mailTo({ underwriters: ['uw@example.com'] });
    await notifyAll(bench, { mail });
    await notifyAll(bench, { mail });
    expect(bench.mailServer.mails).toMatchObject([
      { to: ['uw@example.com'], subject: expect.stringMatching(/\b2\b.*\b1\b/) },
    ]);
  });

  test('mails news in words', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addNews('file-unreadable', 'x.xlsx');
    const notify = { mail: bench.mailTo({ analysts: ['ops@example.com'] }) };
    await bench.notifier(notify).note(runEnd('now'), bench.ledger, bench.context);
    const newsInWords = async (news: readonly News[]) => news.map(({ subject }) => `about:${subject}`);
    await notifyAll(bench, notify, { newsInWords });
    expect(bench.mailServer.mails[0]?.parts.get('text/plain')?.toString()).toContain('about:x.xlsx');
  });

  test('mails a question about a layout to its sender, with the workbook', async () => {
    await using bench = await openNotifierBench();
    const question = { layout: 'l', sheet: 'Orders', keys: ['contract'], columns: [], known: {} };
    const workbook = 'corrections/march - please confirm.xlsx';
    await mkdir(join(bench.folder, 'corrections'));
    await writeFile(join(bench.folder, workbook), 'workbook');
    const id = await bench.ledger.askLayout({ sender: 'smith', file: 'smith/march.csv', question, workbook });
    const facts = { sender: 'smith', fileIds: [], layoutIds: [id] };
    await bench.ledger.addToOutbox([{ channel: 'analysts', about: 'news 1 smith', facts }]);
    await notifyAll(bench, { mail: bench.mailTo({ senders: { smith: ['smith@example.com'] } }) });
    expect(recipients(bench)).toEqual([['smith@example.com']]);
    const { parts } = bench.mailServer.mails[0] ?? {};
    const text = parts?.get('text/plain')?.toString();
    expect(text).toContain('smith/march.csv');
    expect(text).toContain('Open march - please confirm.xlsx,');
    expect([...(parts?.keys() ?? [])]).toContain('march - please confirm.xlsx');
  });

  test('mails rows with their workbook once, even with two news entries', async () => {
    await using bench = await openNotifierBench();
    const [a = 0] = await wrongFiles(bench, { a: 10, b: 10 });
    await bench.ledger.addToOutbox([rowsOf('news 1', [a]), rowsOf('news 2', [a])]);
    await notifyAll(bench, { mail: bench.mailTo({ analysts: ['ops@example.com'] }) });
    expect(bench.mailServer.mails.map(({ subject, parts }) => [Number.parseInt(subject), [...parts.keys()]])).toEqual([
      [1, ['text/plain', 'text/html', 'a.xlsx']],
    ]);
  });

  test('mails rows without a missing workbook', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox([rowsOf('news 1', await wrongFiles(bench, { a: null, b: 10 }))]);
    await notifyAll(bench, { mail: bench.mailTo({ analysts: ['ops@example.com'] }) });
    expect(
      bench.mailServer.mails.map(({ subject, parts }) => [Number.parseInt(subject), [...parts.keys()].slice(2)]),
    ).toEqual([[2, ['b.xlsx']]]);
  });

  test('attaches workbooks up to 15 MB in total', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox([rowsOf('news 1', await wrongFiles(bench, { a: 1, b: 7_000_000, c: 8_000_000 }))]);
    await notifyAll(bench, { mail: bench.mailTo({ analysts: ['ops@example.com'] }) });
    expect([...(bench.mailServer.mails[0]?.parts.keys() ?? [])].slice(2)).toEqual(['c.xlsx', 'b.xlsx']);
  });

  test('attaches a small workbook after one that is too large', async () => {
    await using bench = await openNotifierBench();
    const files = await wrongFiles(bench, { small: 10, large: 15_000_001 });
    await bench.ledger.addToOutbox([rowsOf('news 1', files)]);
    await notifyAll(bench, { mail: bench.mailTo({ analysts: ['ops@example.com'] }) });
    expect([...(bench.mailServer.mails[0]?.parts.keys() ?? [])]).toEqual(['text/plain', 'text/html', 'small.xlsx']);
  });

  test('drops rows that were fixed meanwhile', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addToOutbox([rowsOf('news 1', [99])]);
    await notifyAll(bench, { mail: bench.mailTo({ analysts: ['ops@example.com'] }) });
    expect([recipients(bench), await unsentEntries(bench), bench.lines]).toEqual([[], [], []]);
  });

  test('drops a mail whose recipients are no longer configured', async () => {
    await using bench = await openNotifierBench();
    const files = await wrongFiles(bench, { a: 10 });
    await bench.ledger.addToOutbox([engineers('r-1'), rowsOf('news 1', files)]);
    await notifyAll(bench, {});
    expect([recipients(bench), await unsentEntries(bench), bench.lines]).toEqual([[], [], []]);
  });

  test('sends no second mail if the server is unreachable', async () => {
    await using bench = await openNotifierBench();
    const files = await wrongFiles(bench, { a: 10 });
    await bench.ledger.addToOutbox([engineers('r-1'), rowsOf('news 1', files)]);
    const mail = bench.mailTo({ analysts: ['ops@example.com'], engineers: ['oncall@example.com'] });
    await bench.mailServer[Symbol.asyncDispose]();
    await notifyAll(bench, { mail });
    expect(bench.lines).toMatchObject([
      { level: 'warn', reason: expect.stringContaining('ESOCKET') },
      { level: 'warn', reason: expect.not.stringContaining('ESOCKET') },
    ]);
    expect(await unsentEntries(bench)).toEqual(['run r-1', 'news 1']);
  });

  test('notifies engineers about an address that the mail server refuses', async () => {
    await using bench = await openNotifierBench(['gone@example.com']);
    await bench.ledger.addToOutbox([rowsOf('news 1', await wrongFiles(bench, { a: 10 }))]);
    const analysts = ['ops@example.com', 'gone@example.com'];
    const notify = { mail: bench.mailTo({ analysts, engineers: ['oncall@example.com'] }) };
    await notifyAll(bench, notify);
    expect(bench.lines).toEqual([{ level: 'info', event: 'mail sent', recipients: 1, refused: 1 }]);
    await notifyAll(bench, notify);
    expect(bench.mailServer.mails.at(-1)?.parts.get('text/plain')?.toString()).toContain('1 of 2');
  });
});

describe('Notifier.notifyAtOnce', () => {
  test('calls webhook and command with the summary, and mails the engineers', async () => {
    await using bench = await openNotifierBench();
    const notifier = bench.notifier(
      {
        mail: bench.mailTo({ engineers: ['oncall@example.com'] }),
        webhook: { url: bench.server.origin },
        command: await command(bench),
      },
      'key',
    );
    await notifier.notifyAtOnce(runEnd('r-1', { exitCode: 2, trouble: ['No password.'] }), bench.context.log);
    expect([bodies(bench), await heard(bench)]).toEqual([['{"run":"r-1"}'], '{"run":"r-1"}']);
    expect(bench.server.seen[0]?.headers).toMatchObject({ 'inspection-batch-run': 'r-1' });
    expect(recipients(bench)).toEqual([['oncall@example.com']]);
    expect([notifier.hasNotified, bench.lines]).toEqual([true, []]);
  });

  test('calls no webhook without its secret', async () => {
    await using bench = await openNotifierBench();
    await bench.notifier({ webhook: { url: bench.server.origin } }).notifyAtOnce(runEnd('r-1'), bench.context.log);
    expect([bodies(bench), bench.lines]).toEqual([[], []]);
  });

  test('does nothing if nothing is configured', async () => {
    await using bench = await openNotifierBench();
    await bench.notifier({}, 'key').notifyAtOnce(runEnd('r-1'), bench.context.log);
    expect([bodies(bench), recipients(bench), bench.lines]).toEqual([[], [], []]);
  });

  test('logs only what was not sent', async () => {
    await using bench = await openNotifierBench();
    bench.hook = (_request, response) => void response.writeHead(503).end();
    const notify = {
      mail: bench.mailTo({ engineers: ['oncall@example.com'] }),
      webhook: { url: bench.server.origin },
    };
    await bench.notifier(notify, 'key').notifyAtOnce(runEnd('r-1', { trouble: ['No password.'] }), bench.context.log);
    expect(bench.lines).toEqual([{ level: 'warn', event: 'not sent', problem: expect.stringContaining('503') }]);
    expect(recipients(bench)).toEqual([['oncall@example.com']]);
  });
});

describe('Notifier.secrets', () => {
  test('contains a path of twelve characters, and no shorter one', async () => {
    await using bench = await openNotifierBench();
    const start = 'https://ping.example.com/12345678901';
    const success = 'https://ping.example.com/1234567890';
    expect(bench.notifier({ ping: { start, success } }).secrets).toEqual([start, success, '/12345678901']);
  });
});
