import { describe, expect, test } from 'vitest';
import type { OrderPayload } from '../../../../src/domain/row.ts';
import type { ActionItem } from '../../../../src/results/model.ts';
import { overviewOf } from '../../../../src/results/deliver/overview.ts';
import { recordCreated } from '../../../support/order-factory.ts';
import { type LedgerBench, openLedgerBench } from '../../../support/run-bench.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const at = (streetAddress: string) => ({ streetAddress, policyNumber: streetAddress });

/** Project 11 closed out and 12 canceled; a delivery showed both, a day ago. */
async function openBench(serviceName: OrderPayload['serviceName'] = '4-Point'): Promise<LedgerBench> {
  const bench = await openLedgerBench();
  const { ledger, clock } = bench;
  await recordCreated(ledger, '11', { ...at('11 Oak Street'), serviceName });
  await recordCreated(ledger, '12', at('12 Oak Street'));
  await ledger.recordStatuses([{ id: '12', status: 'Scheduled' }]);
  await ledger.recordStatuses([{ id: '12', status: 'Project Canceled' }]);
  await ledger.recordCloseout('11', ['No access.']);
  await ledger.startRun('run-1', 'collect');
  await ledger.recordDelivery({
    run: 'run-1',
    folder: 'deliveries/run-1',
    contents: {},
    orderIds: [],
    results: true,
    projectIds: ['11', '12'],
    seen: await ledger.newestIds(),
  });
  await clock.advance(DAY_MS);
  return bench;
}

async function overview({ ledger, clock }: LedgerBench): ReturnType<typeof overviewOf> {
  return overviewOf(ledger, clock.now(), []);
}

const housesIn = (notes: readonly ActionItem[]): readonly string[] =>
  notes.flatMap(({ title, detail }) => `${title} ${detail}`.match(/\d+ Oak Street/g) ?? []).toSorted();

describe('overviewOf', () => {
  test('keeps ended projects that nobody acts on among what needs a person', async () => {
    await using bench = await openBench();
    const { needsPerson, ended } = await overview(bench);
    expect([housesIn(needsPerson), ended]).toEqual([['11 Oak Street', '12 Oak Street'], []]);
  });

  test('lists an ended project that is decided no more', async () => {
    await using bench = await openBench();
    const decisions = [{ projectId: '12', decision: 'Accept', by: 'Ann', notes: '' }];
    await bench.ledger.recordDecisions({ file: 'decisions.csv', writtenIn: null, decisions });
    expect(housesIn((await overview(bench)).needsPerson)).toEqual(['11 Oak Street']);
  });

  test('lists an ended project whose house is ordered again no more', async () => {
    await using bench = await openBench();
    await recordCreated(bench.ledger, '21', at('11 OAK Street'));
    expect(housesIn((await overview(bench)).needsPerson)).toEqual(['12 Oak Street']);
  });

  test.each([
    ['Roof Only', '4-Point', ['11 Oak Street', '12 Oak Street']],
    ['Snap360', '4-Point', ['12 Oak Street']],
    ['Exterior', 'Exterior', ['12 Oak Street']],
  ] as const)('lets %s settle an ended %s unless it sees less', async (later, own, houses) => {
    await using bench = await openBench(own);
    await recordCreated(bench.ledger, '21', { ...at('11 Oak Street'), serviceName: later });
    const { needsPerson } = await overview(bench);
    expect(housesIn(needsPerson)).toEqual(houses);
  });

  test('lists a canceled project that is open again no more', async () => {
    await using bench = await openBench();
    await bench.ledger.recordStatuses([{ id: '12', status: 'Scheduled' }]);
    expect(housesIn((await overview(bench)).needsPerson)).toEqual(['11 Oak Street']);
  });

  test('lists a canceled project for 90 days', async () => {
    await using bench = await openBench();
    await bench.clock.advance(90 * DAY_MS);
    expect(housesIn((await overview(bench)).needsPerson)).toEqual(['11 Oak Street']);
  });

  test('says of each open end since when', async () => {
    await using bench = await openBench();
    const [note] = (await overview(bench)).needsPerson;
    expect(note?.title).toMatch(/\(project 1\d\): .*, since [A-Z][a-z]{2} \d{1,2}, \d{4}$/);
  });

  test('says how to order again and decide only once', async () => {
    await using bench = await openBench();
    const details = (await overview(bench)).needsPerson.map(({ detail }) => detail);
    expect(details.map((detail) => detail.includes('Accept'))).toEqual([true, false]);
    expect(details[1]).toContain('Ask the service');
  });

  test('names the report of the same house from before', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    await recordCreated(ledger, '9', at('11 Oak Street'));
    await ledger.recordStatuses([{ id: '9', status: 'Returned to Client' }]);
    await ledger.markCollected('9');
    await clock.advance(DAY_MS);
    await recordCreated(ledger, '11', { ...at('11 Oak Street'), inspectionNumber: 'second' });
    await ledger.recordStatuses([{ id: '11', status: 'Project Canceled' }]);
    const { needsPerson } = await overview(bench);
    expect(needsPerson[0]?.detail).toMatch(
      /inspected before: project 9 .*, returned on [A-Z][a-z]{2} \d{1,2}, \d{4}\./,
    );
  });

  test('says of each ended project whether there is something to do', async () => {
    await using bench = await openBench();
    await recordCreated(bench.ledger, '21', at('11 Oak Street'));
    const { stillEnded } = await overview(bench);
    expect(stillEnded.map(({ kind, isSettled }) => [kind, isSettled])).toEqual([
      ['closed out', true],
      ['canceled', false],
    ]);
  });
});
