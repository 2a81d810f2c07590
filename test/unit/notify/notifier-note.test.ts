import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { attemptOf, newOrder, newRow } from '../../support/order-factory.ts';
import { openNotifierBench, runEnd, type NotifierBench } from '../../support/notifier-bench.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const NIGHT = {
  run: 'r-1',
  at: 0,
  folder: 'deliveries/r-1',
  ordered: 0,
  returned: 0,
  collected: 2,
  canceled: 0,
  closedOut: 0,
  wentBack: 0,
  high: 1,
  overdue: 0,
  outstanding: 0,
};

/** Puts a sender's file with one rejected row on record. */
async function oneWrong(ledger: Ledger, name: string, sender = ''): Promise<number> {
  const { id } = await ledger.recordFile(
    { hash: `hash of ${name}`, name, sender, kind: 'orders', layouts: [], notes: [] },
    async (transaction) => void transaction.addRow(newRow()),
  );
  return id;
}

/** Puts a file with one order on record that the service refused. */
async function oneRefused(ledger: Ledger, name: string): Promise<number> {
  let orderId = 0;
  const { id } = await ledger.recordFile(
    { hash: `hash of ${name}`, name, layouts: [], notes: [] },
    async (transaction) => {
      orderId = transaction.addOrder(newOrder({ inspectionNumber: name }));
      transaction.addRow(newRow({ outcome: 'order', orderId }));
    },
  );
  await ledger.beginAttempt(orderId, attemptOf());
  await ledger.moveOrder(orderId, 'submitting', { to: 'refused', code: 'service-refused', reason: 'no' });
  return id;
}

async function noted(bench: NotifierBench, notify: object, changes: Parameters<typeof runEnd>[1] = {}) {
  await bench.notifier(notify, 'key').note(runEnd('r-1', changes), bench.ledger, bench.context);
  return (await bench.ledger.unsentEntries()).map(({ channel, about, facts }) => [channel, about, facts]);
}

describe('Notifier.note', () => {
  test('records the summary for webhook and command', async () => {
    await using bench = await openNotifierBench();
    const facts = { run: 'r-1', body: '{"run":"r-1"}' };
    expect(await noted(bench, { webhook: { url: bench.server.origin }, command: 'tell' })).toEqual([
      ['webhook', 'r-1', facts],
      ['command', 'r-1', facts],
    ]);
  });

  test('records the night for underwriters and trouble for engineers', async () => {
    await using bench = await openNotifierBench();
    const mail = bench.mailTo({ underwriters: ['uw@example.com'], engineers: ['oncall@example.com'] });
    expect(await noted(bench, { mail }, { night: NIGHT, trouble: ['A fault.'], exitCode: 1 })).toEqual([
      ['underwriters', 'r-1', NIGHT],
      ['engineers', 'run r-1', { run: 'r-1', at: bench.clock.now(), exitCode: 1, lines: ['A fault.'] }],
    ]);
  });

  test('records nothing for people without addresses', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addNews('file-unreadable', 'x.xlsx');
    const mail = bench.mailTo({});
    expect(await noted(bench, { mail }, { night: NIGHT, trouble: ['A fault.'] })).toEqual([]);
  });

  test('records nothing for underwriters and engineers if senders alone have addresses', async () => {
    await using bench = await openNotifierBench();
    await bench.ledger.addNews('file-unreadable', 'x.xlsx');
    const mail = bench.mailTo({ senders: { smith: ['ann@example.com'] } });
    expect(await noted(bench, { mail }, { night: NIGHT, trouble: ['A fault.'] })).toMatchObject([
      ['analysts', 'news 1', { news: { kind: 'file-unreadable', subject: 'x.xlsx' } }],
    ]);
  });

  test('records nothing for a night without results', async () => {
    await using bench = await openNotifierBench();
    expect(await noted(bench, { mail: bench.mailTo({ underwriters: ['uw@example.com'] }) })).toEqual([]);
  });

  test('records rows that went back for their own sender with other news', async () => {
    await using bench = await openNotifierBench();
    const smith = await oneWrong(bench.ledger, 's.csv', 'smith');
    const jones = await oneWrong(bench.ledger, 'j.csv', 'jones');
    await bench.ledger.addNews('file-unreadable', 'x.xlsx');
    expect(await noted(bench, { mail: bench.mailTo({ analysts: ['ops@example.com'] }) })).toMatchObject([
      ['analysts', 'news 1 smith', { sender: 'smith', fileIds: [smith] }],
      ['analysts', 'news 2 jones', { sender: 'jones', fileIds: [jones] }],
      ['analysts', 'news 3', { news: { subject: 'x.xlsx' } }],
    ]);
  });

  test('records known content for the sender who dropped it again', async () => {
    await using bench = await openNotifierBench();
    const subject = 'jones/b.csv: taken in as smith/a.csv';
    await bench.ledger.addNews('known-content', subject);
    const entries = await noted(bench, { mail: bench.mailTo({ analysts: ['ops@example.com'] }) });
    expect(entries.map(([, , facts]) => facts)).toEqual([{ sender: 'jones', fileIds: [], silence: subject }]);
  });

  test('records a refused order with its own file', async () => {
    await using bench = await openNotifierBench();
    const files = [await oneRefused(bench.ledger, 'a.csv'), await oneRefused(bench.ledger, 'b.csv')];
    const entries = await noted(bench, { mail: bench.mailTo({ analysts: ['ops@example.com'] }) });
    expect(entries.map(([, , facts]) => facts)).toEqual(files.map((id) => ({ sender: '', fileIds: [id] })));
  });

  test('records a reminder of all waiting rows, one entry per sender', async () => {
    await using bench = await openNotifierBench();
    const files = [];
    for (const name of ['a.csv', 'b.csv']) files.push(await oneWrong(bench.ledger, name, 'smith'));
    await oneWrong(bench.ledger, 'j.csv', 'jones');
    await bench.ledger.markReported((await bench.ledger.openNews()).map(({ id }) => id));
    await bench.ledger.addNews('still-open', '');
    const entries = await noted(bench, { mail: bench.mailTo({ analysts: ['ops@example.com'] }) });
    expect(entries.map(([, about]) => about)).toEqual(['news 4 jones', 'news 4 smith']);
    expect(entries[1]?.[2]).toEqual({ sender: 'smith', fileIds: files.toReversed(), isReminder: true });
  });

  test('records a question for its sender, whatever file has that number', async () => {
    await using bench = await openNotifierBench();
    const file = await oneWrong(bench.ledger, 'j.csv', 'jones');
    const column = { key: 'contract', letter: 'A', header: 'Contract', samples: [], proposal: null };
    const columns = [{ ...column, code: 'header-unclear', why: '', holds: false } as const];
    const question = { layout: 'l', sheet: 'Orders', keys: ['contract'], columns, known: {} };
    const id = await bench.ledger.askLayout({ sender: 'smith', file: 'smith/a.csv', question, workbook: null });
    expect(id).toBe(file);
    expect(await noted(bench, { mail: bench.mailTo({ analysts: ['ops@example.com'] }) })).toEqual([
      ['analysts', 'news 1 jones', { sender: 'jones', fileIds: [file] }],
      ['analysts', 'news 2 smith', { sender: 'smith', fileIds: [], layoutIds: [id] }],
    ]);
  });

  test('records a reminder of open questions for their own sender', async () => {
    await using bench = await openNotifierBench();
    const question = { layout: 'l', sheet: 'Orders', keys: ['contract'], columns: [], known: {} };
    const ids = new Map<string, number>();
    for (const sender of ['smith', 'jones'])
      ids.set(sender, await bench.ledger.askLayout({ sender, file: `${sender}/a.csv`, question, workbook: null }));
    await bench.ledger.markReported((await bench.ledger.openNews()).map(({ id }) => id));
    await bench.ledger.addNews('still-open', '');
    const entries = await noted(bench, { mail: bench.mailTo({ analysts: ['ops@example.com'] }) });
    expect(new Set(entries.map(([, , facts]) => facts))).toEqual(
      new Set(
        ['smith', 'jones'].map((sender) => ({ sender, fileIds: [], layoutIds: [ids.get(sender)], isReminder: true })),
      ),
    );
  });

  /** Three files of one sender, the first a minute earlier in the day than now. */
  async function nothingThisWeek({ ledger, clock }: NotifierBench): Promise<void> {
    for (const week of [4, 3, 2]) {
      await oneWrong(ledger, `${week}.csv`, 'smith');
      await clock.advance(7 * DAY_MS);
    }
    await clock.advance(7 * DAY_MS + 60_000);
    await ledger.markReported((await ledger.openNews()).map(({ id }) => id));
  }

  test('reports a sender whose first of three files came four weeks ago', async () => {
    await using bench = await openNotifierBench();
    await nothingThisWeek(bench);
    expect(await noted(bench, { mail: bench.mailTo({ analysts: ['ops@example.com'] }) })).toMatchObject([
      ['analysts', expect.stringMatching(/^silent smith /), { silence: expect.stringContaining('smith') }],
    ]);
  });

  test('reports no silence after a run without an inbox', async () => {
    await using bench = await openNotifierBench();
    await nothingThisWeek(bench);
    const mail = bench.mailTo({ analysts: ['ops@example.com'] });
    expect(await noted(bench, { mail }, { lookedIntoInbox: false })).toEqual([]);
  });

  test('logs a failure and throws nothing', async () => {
    await using bench = await openNotifierBench();
    const ledger = { ...bench.ledger, addToOutbox: () => Promise.reject(new Error('ENOSPC')) };
    await bench.notifier({}).note(runEnd('r-1'), ledger, bench.context);
    expect(bench.lines).toEqual([{ level: 'error', event: 'notifying failed', reason: 'ENOSPC' }]);
  });
});
