import { expect, test } from 'vitest';
import { statusOverview } from '../../../src/cli/status-command.ts';
import { projectStory } from '../../../src/cli/status-stories.ts';
import { localTime, wrapLines } from '../../../src/cli/terminal.ts';
import { workspaceAt } from '../../../src/ops/workspace.ts';
import { attemptOf, newOrder, recordCreated, recordOrders } from '../../support/order-factory.ts';
import { type LedgerBench, openLedgerBench } from '../../support/run-bench.ts';

const LATE = {
  dueDate: '2020-01-01',
  insuredName: 'Ann Lee',
  insuredPhone: '555-0101',
  agentName: 'Rita Perez',
  agentPhone: '555-0142',
  agentEmail: 'rita@example.com',
};

async function shown({ ledger, clock, folder }: LedgerBench, isBrief: boolean): Promise<string> {
  const options = { now: clock.now(), quarantineMs: 0, problem: null, isBrief };
  return (await statusOverview(ledger, workspaceAt(folder), options)).text;
}

test.each([0, 1, 5, 60])(
  'statusOverview, brief, fits one screen and ends in the next step: %i of a kind',
  async (count) => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const orderAs = async (from: number, status: string): Promise<void> => {
      for (let id = from; id < from + count; id += 1) {
        await recordCreated(ledger, String(id), { ...LATE, policyNumber: `P-${id}`, streetAddress: `${id} Elm St` });
        await ledger.recordStatuses([{ id: String(id), status }]);
      }
    };
    await orderAs(1000, 'Pending Acceptance');
    await orderAs(2000, 'Project Canceled');
    const text = await shown(bench, true);
    const lines = wrapLines(text, 80).split('\n');
    expect(lines.length).toBeLessThan(40);
    expect(text).toMatch(/\nNext: .*$/);
    expect(text.includes('\nOverdue (')).toBe(count > 0);
  },
);

test('overview ends with when to run again while an order is unresolved', async () => {
  await using bench = await openLedgerBench();
  const { ledger, clock, folder } = bench;
  const [id = 0] = await recordOrders(ledger, [newOrder()]);
  await ledger.beginAttempt(id, attemptOf());
  const unresolved = {
    to: 'unresolved',
    code: 'outcome-unknown',
    reason: 'HTTP 504',
    uncertainSince: clock.now(),
  } as const;
  await ledger.moveOrder(id, 'submitting', unresolved);
  const after = async (quarantineMs: number): Promise<string> => {
    const options = { now: clock.now(), quarantineMs, problem: null };
    return (await statusOverview(ledger, workspaceAt(folder), options)).text;
  };
  const text = await after(300_000);
  expect(text).toMatch(/: HTTP 504\. Next: /);
  expect(text.split('\nNext: ')[1]).toContain(localTime(clock.now() + 300_000));
  expect(await after(0)).toMatch(/\nNext: run again: 1 order .*$/);
});

test('overview names whom to call about a late house, briefly and in full', async () => {
  await using bench = await openLedgerBench();
  await recordCreated(bench.ledger, '101', { ...LATE, streetAddress: '1 Elm St', city: 'Tampa', state: 'FL' });
  const said =
    /due 2020-01-01: Ann Lee, 1 Elm St, Tampa FL \(project 101\), agent Rita Perez 555-0142 rita@example\.com; insured 555-0101/;
  const [brief, full] = [await shown(bench, true), await shown(bench, false)];
  expect([brief, full]).toEqual([expect.stringMatching(said), expect.stringMatching(said)]);
  expect([brief, full].map((text) => text.includes('Not inspected yet'))).toEqual([false, true]);
});

test('projectStory lists the files of a day in one line', async () => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  await recordCreated(ledger, '101');
  const story = await ledger.storyOfProject('101');
  if (story === null) throw new Error('nothing is on record');
  const [at, subject, detail] = [bench.clock.now(), 'project', {}] as const;
  const steps = Array.from({ length: 9 }, () => ({ at, subject, event: 'file stored', detail }));
  const artifacts = Array.from({ length: 9 }, (_, index) => ({
    kind: index === 0 ? 'report' : 'image',
    path: `state/downloads/101/${index}`,
    bytes: 1,
    lost: index === 8 ? 'is missing' : null,
  }));
  const { text } = projectStory({ ...story, steps, artifacts } as unknown as typeof story);
  expect(text.match(/stored/g)).toHaveLength(1);
  expect(text).toContain('project files stored: 9');
  expect(text).toContain('state/downloads/101 (7 images, 1 report)');
  expect(text).toMatch(/downloads\/101\/8 \(1 image\): .*\bmissing$/m);
});
