import { expect, test } from 'vitest';
import { statusOverview } from '../../../src/cli/status-command.ts';
import { nextStep, orderStory } from '../../../src/cli/status-stories.ts';
import { localTime } from '../../../src/cli/terminal.ts';
import { workspaceAt } from '../../../src/ops/workspace.ts';
import { attemptOf, newOrder, newRow, recordCreated, recordOrders } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

// One that allows a duplicate is sent again only in another night.
test('nextStep says when an uncertain order may be sent again', async () => {
  await using bench = await openLedgerBench();
  const { ledger, clock } = bench;
  const quarantineMs = 300_000;
  const told: string[] = [];
  for (const id of await recordOrders(ledger, [
    newOrder({ inspectionNumber: 'A-1' }),
    newOrder({ inspectionNumber: 'A-2' }, { allowDuplication: true }),
  ])) {
    await ledger.beginAttempt(id, attemptOf());
    await ledger.moveOrder(id, 'submitting', {
      to: 'unresolved',
      code: 'outcome-unknown',
      reason: 'no answer',
      uncertainSince: clock.now(),
    });
    const order = await ledger.order(id);
    if (order !== null) told.push(nextStep(order, { project: null, updates: [], quarantineMs }));
  }
  expect(told).toEqual([
    expect.stringContaining(localTime(clock.now() + quarantineMs)),
    expect.stringContaining(localTime(clock.now() + 12 * 3_600_000)),
  ]);
});

test.each([
  ['Returned to Client', true],
  ['Project Rework', false],
  ['closed out', false],
])('nextStep names `receive` only where the service allows it: %s', async (status, isNamed) => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  await recordCreated(ledger, '101');
  await ledger.recordStatuses([{ id: '101', status: 'Returned to Client' }]);
  await ledger.markCollected('101');
  const project = (await ledger.storyOfProject('101'))?.project;
  const [order] = await ledger.findOrders('101');
  if (order === undefined || project === undefined) throw new Error('nothing is on record');
  const next = nextStep(order, { project: { ...project, status }, updates: [], quarantineMs: 0 });
  expect(next.includes('inspection-batch receive 101')).toBe(isNamed);
});

test.each([
  [{ status: 'Client Received', collectedAt: 1 }, /^nothing\./],
  [{ status: 'Client Received', collectedAt: null }, /^the next/],
  [{ status: 'A new status', collectedAt: null, returnedAt: 1 }, /fetches/],
])('nextStep of a project with %o', async (changes, expected) => {
  await using bench = await openLedgerBench();
  await recordCreated(bench.ledger, '101');
  const project = (await bench.ledger.storyOfProject('101'))?.project;
  const [order] = await bench.ledger.findOrders('101');
  if (order === undefined || project === undefined) throw new Error('nothing is on record');
  expect(nextStep(order, { project: { ...project, ...changes }, updates: [], quarantineMs: 0 })).toMatch(expected);
});

test('nextStep begins with an update whose outcome is not known', async () => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  await recordCreated(ledger, '101');
  const [order] = await ledger.findOrders('101');
  if (order === undefined) throw new Error('nothing is on record');
  const next = async () => {
    const { project, updates } = await ledger.storyOf(order.id);
    return nextStep(order, { project, updates, quarantineMs: 0 });
  };
  const request = { kind: 'amend', policyNumber: 'P-2' } as const;
  const id = await ledger.beginUpdate({ projectId: '101', request, before: {}, source: null });
  expect(await next()).toMatch(/\bwhether its amend\b/);
  await ledger.endUpdate(id ?? 0, { to: 'done', status: null, settled: true });
  expect(await next()).not.toContain('amend');
});

test('orderStory asks for a decision until a closed-out house is inspected', async () => {
  await using bench = await openLedgerBench();
  const { ledger, clock } = bench;
  for (const id of ['101', '102'])
    await recordCreated(ledger, id, { policyNumber: `P-${id}`, streetAddress: '1 Elm St' });
  const collect = async (id: string): Promise<void> => {
    await clock.advance(1000);
    await ledger.recordStatuses([{ id, status: 'Returned to Client' }]);
    await ledger.markCollected(id);
  };
  await collect('101');
  await ledger.recordCloseout('101', []);
  const [order] = await ledger.findOrders('101');
  if (order === undefined) throw new Error('nothing is on record');
  const isForPerson = async () => /Next: it was closed out without/.test((await orderStory(order, ledger, 0)).text);
  const listed = async () => {
    const { json } = await statusOverview(ledger, workspaceAt(bench.folder), {
      now: 0,
      quarantineMs: 0,
      problem: null,
    });
    return (json as { closedOut: readonly object[] }).closedOut.length;
  };
  expect([await isForPerson(), await listed()]).toEqual([true, 1]);
  await collect('102');
  expect([await isForPerson(), await listed()]).toEqual([false, 0]);
});

test('orderStory shows a repeat found by its own numbers', async () => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  await ledger.recordFile({ hash: 'aa', name: 'oct.csv', layouts: [], notes: [] }, async (file) => {
    const orderId = file.addOrder(newOrder({ policyNumber: 'P-1' }));
    file.addRow(newRow({ outcome: 'order', orderId }, 4));
    file.addRow(newRow({ outcome: 'repeat', orderId, summary: { ...newRow().summary, policyNumber: 'CP-2' } }, 5));
  });
  const [order] = await ledger.findOrders('cp-2');
  if (order === undefined) throw new Error('nothing is on record');
  expect((await orderStory(order, ledger, 0)).text).toMatch(/repeat from oct\.csv.* row 5: policy CP-2,/);
});

test('orderStory names the later inspection of a canceled house', async () => {
  await using bench = await openLedgerBench();
  const { ledger, clock } = bench;
  for (const id of ['101', '102'])
    await recordCreated(ledger, id, { policyNumber: `P-${id}`, streetAddress: '1 Elm St' });
  await ledger.recordStatuses([{ id: '101', status: 'Project Canceled' }]);
  const [order] = await ledger.findOrders('101');
  if (order === undefined) throw new Error('nothing is on record');
  const namesOther = async () => (await orderStory(order, ledger, 0)).text.includes('project 102 (');
  expect(await namesOther()).toBe(false);
  await clock.advance(1000);
  await ledger.recordStatuses([{ id: '102', status: 'Returned to Client' }]);
  await ledger.markCollected('102');
  expect(await namesOther()).toBe(true);
});

test('nextStep says how to follow a project again that was given up', async () => {
  await using bench = await openLedgerBench();
  await recordCreated(bench.ledger, '101');
  await bench.ledger.giveUpProject('101', 'A person gave the project up.');
  const [order] = await bench.ledger.findOrders('101');
  if (order === undefined) throw new Error('nothing is on record');
  const { project, isGivenUp } = await bench.ledger.storyOf(order.id);
  const next = nextStep(order, { project, isGivenUp, updates: [], quarantineMs: 0 });
  expect(next).toMatch(/^nothing\..*inspection-batch follow 101/);
});

test('statusOverview counts the messages that wait to be sent', async () => {
  await using bench = await openLedgerBench();
  const { ledger, clock } = bench;
  const shown = async (): Promise<string> => {
    const options = { now: clock.now(), quarantineMs: 0, problem: null };
    return (await statusOverview(ledger, workspaceAt('/nowhere'), options)).text;
  };
  expect(await shown()).not.toContain('Unsent');
  const entry = { channel: 'underwriters', facts: {} } as const;
  await ledger.addToOutbox([
    { ...entry, about: 'night 1' },
    { ...entry, about: 'night 2' },
  ]);
  await clock.advance(3 * 24 * 3_600_000);
  expect(await shown()).toMatch(/^Unsent {4}2 messages since [A-Z][a-z]{2} \d{1,2}, \d{4}$/m);
});

test('statusOverview says first that the run must be repeated, then what to fix', async () => {
  await using bench = await openLedgerBench();
  const { ledger, clock } = bench;
  const { id } = await ledger.recordFile({ hash: 'aa', name: 'oct.csv', layouts: [], notes: [] }, async (file) => {
    file.addRow(newRow({}, 4));
  });
  await ledger.markCorrected(
    id,
    (await ledger.openRowsOf(id)).map((row) => row.id),
    'corrections/oct - to fix.xlsx',
  );
  const shown: string[] = [];
  for (const exitCode of [4, 3]) {
    await clock.advance(1000);
    await ledger.startRun(`run-${exitCode}`, 'run');
    await ledger.finishRun(`run-${exitCode}`, exitCode, {});
    const options = { now: clock.now(), quarantineMs: 0, problem: null };
    shown.push((await statusOverview(ledger, workspaceAt('/nowhere'), options)).text);
  }
  expect(shown).toEqual([
    expect.stringMatching(/^Next: .*`inspection-batch run`/m),
    expect.stringMatching(/^Next: .*oct - to fix\.xlsx/m),
  ]);
  expect(shown[0]).toContain('inspection-batch status "oct.csv"');
});

test('orderStory names dismissed rows only if they are its own', async () => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  const { id } = await ledger.recordFile({ hash: 'aa', name: 'oct.csv', layouts: [], notes: [] }, async (file) => {
    file.addRow(newRow({ outcome: 'order', orderId: file.addOrder(newOrder()) }, 4));
    file.addRow(newRow({}, 5));
  });
  const [order] = await ledger.findOrders('12 Oak Street');
  if (order === undefined) throw new Error('nothing is on record');
  const isNamed = async () => (await orderStory(order, ledger, 0)).text.includes('dismissed');
  await ledger.dismissRows(await ledger.openRowsOf(id));
  expect(await isNamed()).toBe(false);
  await ledger.beginAttempt(order.id, attemptOf());
  await ledger.moveOrder(order.id, 'submitting', { to: 'refused', code: 'service-refused', reason: 'no' });
  await ledger.dismissRows(await ledger.openRowsOf(id));
  expect(await isNamed()).toBe(true);
});
