import { describe, expect, test } from 'vitest';
import { collectProjects, type CollectReport } from '../../../src/collect/collect-run.ts';
import type { Fleet, PageOutcome } from '../../../src/domain/ports.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';
import { newOrder, recordOrders } from '../../support/order-factory.ts';
import { collectContext, openRunBench, type RunBench, submitContext } from '../../support/run-bench.ts';

/** What became of a page on another host; 'here': this one works on it. */
type Elsewhere = 'here' | 'lost' | 'stopped';

/** Hands out pages of two, one after the other. */
class TwoAtATime implements Fleet {
  readonly pages: unknown[] = [];
  readonly #elsewhere: readonly Elsewhere[];

  constructor(...elsewhere: readonly Elsewhere[]) {
    this.#elsewhere = elsewhere;
  }

  pageSize = (): number => 2;
  atOnce = (own: number): number => own;
  recoverInterrupted = async (): Promise<number> => 0;

  async share<Page extends object, Outcome extends PageOutcome>(
    _kind: string,
    pages: readonly Page[],
    work: (page: Page) => Promise<Outcome>,
  ): Promise<readonly (Outcome | null)[]> {
    this.pages.push(...pages);
    return Array.fromAsync(pages, async (page, at) => {
      const fate = this.#elsewhere[at] ?? 'here';
      if (fate === 'lost') return null;
      const outcome = await work(page);
      return fate === 'stopped' ? { ...outcome, stopped: 'The other host was stopped.', left: 2 } : outcome;
    });
  }
}

async function withOrders(count: number): Promise<RunBench> {
  const bench = await openRunBench();
  const orders = Array.from({ length: count }, (_, index) => newOrder({ inspectionNumber: `A-${index}` }));
  await recordOrders(bench.ledger, orders);
  return bench;
}

async function submit(bench: RunBench, fleet?: Fleet): Promise<void> {
  await bench.clock.drive(submitOrders(submitContext(bench, { fleet })));
}

async function collect(bench: RunBench, fleet: Fleet): Promise<CollectReport> {
  await submit(bench);
  for (const { id } of await bench.ledger.followedProjects()) await bench.service.setStatus(id, 'Returned to Client');
  return bench.clock.drive(collectProjects(collectContext(bench, { fleet })));
}

describe('submitOrders', () => {
  test('hands out every order once, the last partial page included', async () => {
    await using bench = await withOrders(3);
    const fleet = new TwoAtATime();
    await submit(bench, fleet);
    expect(fleet.pages).toMatchObject([
      { after: 0, last: 2 },
      { after: 2, last: 3 },
    ]);
    expect(await bench.ledger.orderCounts()).toMatchObject({ created: 3, ready: 0 });
  });
});

describe('collectProjects', () => {
  test('hands out every project once, the last partial page included', async () => {
    await using bench = await withOrders(3);
    const fleet = new TwoAtATime();
    expect(await collect(bench, fleet)).toMatchObject({ collected: 3, left: 0, stopped: null });
    expect(fleet.pages).toMatchObject([{ ids: ['100001', '100002'] }, { ids: ['100003'] }]);
  });

  test.each<Elsewhere>(['lost', 'stopped'])('fetches a page itself that was %s elsewhere', async (fate) => {
    await using bench = await withOrders(3);
    const report = await collect(bench, new TwoAtATime('here', fate));
    expect(report).toMatchObject({ left: 0, stopped: null });
    expect((await bench.ledger.projectCounts()).collected).toBe(3);
  });
});
