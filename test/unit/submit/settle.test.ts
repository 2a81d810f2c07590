import { describe, expect, test } from 'vitest';
import { type ProjectDetail, projectDetail, projectSearchItem } from '../../../src/contract/document.ts';
import { silentLog } from '../../../src/domain/ports.ts';
import type { OrderPayload } from '../../../src/domain/row.ts';
import type { NewOrder } from '../../../src/ledger/orders.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import { settleDuplicate, settleUnresolved } from '../../../src/submit/settle.ts';
import type { SubmitContext } from '../../../src/submit/submit-run.ts';
import { attemptOf, newOrder, orderPayload, recordCreated, recordOrders } from '../../support/order-factory.ts';
import { clientThat, type LedgerBench, openLedgerBench, submitContext } from '../../support/run-bench.ts';

const QUARANTINE_MS = 300_000;
const HOUR_MS = 3_600_000;
const A1: Partial<OrderPayload> = { inspectionNumber: 'A-1' };
const AGAIN = { allowDuplication: true, rowWish: true } as const;

const project = (id: string, changes: object = A1): ProjectDetail =>
  projectDetail.parse({ id, ...orderPayload(), ...changes });

/** A service that holds these projects and is asked one thing after the other. */
function serviceWith(projects: readonly ProjectDetail[], does: Partial<ServiceClient> = {}): ServiceClient {
  return clientThat({
    searchProjects: async (query) => ({
      kind: 'ok',
      value: projects
        .filter(({ id }) => BigInt(id) >= BigInt(query.startId ?? 0))
        .filter(
          (one) =>
            query.inspectionNumber === undefined ||
            one.inspectionNumber?.toLowerCase() === query.inspectionNumber.toLowerCase(),
        )
        .map(({ id, inspectionNumber }) => projectSearchItem.parse({ id, inspectionNumber, status: 'Site Inspected' })),
    }),
    getProject: async (id) => {
      const value = projects.find((one) => one.id === id);
      return value === undefined ? { kind: 'not-found', message: 'no' } : { kind: 'ok', value };
    },
    ...does,
  });
}

/** Puts these orders on record, each in doubt from now on. */
async function inDoubt({ ledger, clock }: LedgerBench, ...orders: readonly NewOrder[]): Promise<readonly number[]> {
  const ids = await recordOrders(ledger, orders);
  for (const id of ids) {
    await ledger.beginAttempt(id, attemptOf('100'));
    await ledger.moveOrder(id, 'submitting', {
      to: 'unresolved',
      code: 'outcome-unknown',
      reason: 'HTTP 504',
      uncertainSince: clock.now(),
    });
  }
  return ids;
}

async function settle(
  bench: LedgerBench,
  client: ServiceClient,
  { isLast = false, ...changes }: Partial<SubmitContext> & { readonly isLast?: boolean } = {},
): Promise<number> {
  const context = submitContext({ ...bench, client }, { quarantineMs: QUARANTINE_MS, ...changes });
  return bench.clock.drive(settleUnresolved(context, { isLast }));
}

async function statesOf({ ledger }: LedgerBench, ids: readonly number[]): Promise<readonly string[]> {
  return Promise.all(ids.map(async (id) => (await ledger.order(id))?.state ?? 'gone'));
}

const stepsOf = async ({ ledger }: LedgerBench, id: number): Promise<readonly string[]> =>
  (await ledger.storyOf(id)).steps.map(({ event }) => event);

test('settleUnresolved asks a person once three nights of searches could not be used', async () => {
  await using bench = await openLedgerBench();
  const [id = 0] = await inDoubt(bench, newOrder(A1));
  const odd = {
    kind: 'transient',
    reason: 'HTTP 200, but odd',
    status: 200,
    retryAfterMs: null,
    aboutItem: true,
  } as const;
  const client = serviceWith([], { searchProjects: async () => odd });
  for (const state of ['unresolved', 'unresolved', 'unresolved', 'held']) {
    await settle(bench, client);
    expect((await bench.ledger.order(id))?.state).toBe(state);
    await bench.clock.advance(24 * HOUR_MS);
  }
  expect(await bench.ledger.order(id)).toMatchObject({
    code: 'search-unusable',
    reason: expect.stringContaining('HTTP 200, but odd'),
  });
});

test('settleUnresolved waits on while the service is away', async () => {
  await using bench = await openLedgerBench();
  const ids = await inDoubt(bench, newOrder(A1));
  const away = { kind: 'transient', reason: 'HTTP 503', status: 503, retryAfterMs: null } as const;
  await bench.clock.advance(96 * HOUR_MS);
  await settle(bench, serviceWith([], { searchProjects: async () => away }));
  expect(await statesOf(bench, ids)).toEqual(['unresolved']);
});

describe('settleUnresolved', () => {
  test('adopts a found project at once', async () => {
    await using bench = await openLedgerBench();
    const [id = 0] = await inDoubt(bench, newOrder(A1));
    expect(await settle(bench, serviceWith([project('101')]))).toBe(1);
    expect(await bench.ledger.order(id)).toMatchObject({ state: 'created', projectId: '101' });
  });

  test('frees an order not found after the quarantine, not before', async () => {
    await using bench = await openLedgerBench();
    const ids = await inDoubt(bench, newOrder(A1));
    await bench.clock.advance(QUARANTINE_MS - 1);
    expect(await settle(bench, serviceWith([]))).toBe(0);
    expect(await statesOf(bench, ids)).toEqual(['unresolved']);
    await bench.clock.advance(1);
    expect(await settle(bench, serviceWith([]))).toBe(1);
    expect(await statesOf(bench, ids)).toEqual(['ready']);
  });

  describe('two similar orders that find one project at once', () => {
    /** The service takes their numbers for the same, the ledger does not. */
    async function bothInDoubt(bench: LedgerBench): Promise<readonly number[]> {
      const ids = await inDoubt(
        bench,
        newOrder({ inspectionNumber: 'A-1' }, { identity: 'one' }),
        newOrder({ inspectionNumber: 'a-1' }, { identity: 'two' }),
      );
      await bench.clock.advance(QUARANTINE_MS);
      return ids;
    }

    /** Both have looked before either of them moves. */
    function whereBothLookFirst(): ServiceClient {
      const looked = Promise.withResolvers<void>();
      let looks = 0;
      const both = serviceWith([project('101')]);
      return {
        ...both,
        getProject: async (id) => {
          looks += 1;
          if (looks === 2) looked.resolve();
          await looked.promise;
          return both.getProject(id);
        },
      };
    }

    test('lets one adopt it and leaves the other in doubt', async () => {
      await using bench = await openLedgerBench();
      const ids = await bothInDoubt(bench);
      await settle(bench, whereBothLookFirst(), { maxConcurrency: 2 });
      expect((await statesOf(bench, ids)).toSorted()).toEqual(['created', 'unresolved']);
    });

    test("checks the other again with the first one's project taken", async () => {
      await using bench = await openLedgerBench();
      const ids = await bothInDoubt(bench);
      expect(await settle(bench, whereBothLookFirst(), { maxConcurrency: 2 })).toBe(1);
      const states = await statesOf(bench, ids);
      expect(await stepsOf(bench, ids[states.indexOf('unresolved')] ?? 0)).toContain('searched for and not found');
      // Nobody waits for the other any more: it is searched for again, and free.
      expect(await settle(bench, serviceWith([project('101')]))).toBe(1);
      expect((await statesOf(bench, ids)).toSorted()).toEqual(['created', 'ready']);
    });
  });

  test('settles the other orders after an odd answer about one', async () => {
    await using bench = await openLedgerBench();
    const ids = await inDoubt(
      bench,
      newOrder(A1, { identity: 'one' }),
      newOrder({ inspectionNumber: 'A-2' }, { identity: 'two' }),
    );
    const service = serviceWith([project('101'), project('102', { inspectionNumber: 'A-2' })]);
    const getProject: ServiceClient['getProject'] = async (id) =>
      id === '101' ? { kind: 'refused', status: 400, message: 'odd' } : service.getProject(id);
    expect(await settle(bench, { ...service, getProject })).toBe(1);
    expect(await statesOf(bench, ids)).toEqual(['unresolved', 'created']);
  });

  test('stops after one order when the service is away', async () => {
    await using bench = await openLedgerBench();
    const ids = await inDoubt(
      bench,
      newOrder(A1, { identity: 'one' }),
      newOrder({ inspectionNumber: 'A-2' }, { identity: 'two' }),
    );
    let asked = 0;
    const searchProjects: ServiceClient['searchProjects'] = async () => {
      asked += 1;
      return { kind: 'stop', status: 403, message: 'not now' };
    };
    expect(await settle(bench, serviceWith([], { searchProjects }))).toBe(0);
    expect([asked, await statesOf(bench, ids)]).toEqual([1, ['unresolved', 'unresolved']]);
  });

  test('requests nothing after a stop', async () => {
    await using bench = await openLedgerBench();
    await inDoubt(bench, newOrder(A1));
    expect(await settle(bench, clientThat({}), { signal: AbortSignal.abort() })).toBe(0);
  });

  test('settles more orders than are read at once', async () => {
    await using bench = await openLedgerBench();
    const numbers = Array.from({ length: 201 }, (_, index) => `N-${index}`);
    const ids = await inDoubt(bench, ...numbers.map((inspectionNumber) => newOrder({ inspectionNumber })));
    const projects = numbers.map((inspectionNumber, index) => project(String(101 + index), { inspectionNumber }));
    expect(await settle(bench, serviceWith(projects), { maxConcurrency: 8 })).toBe(201);
    expect(new Set(await statesOf(bench, ids))).toEqual(new Set(['created']));
  });
});

describe('settleUnresolved for an order that allows a duplicate', () => {
  /** In doubt for so long, and then settled. */
  async function after(
    hours: number,
    { shows, isLast = false }: { readonly shows: boolean | null; readonly isLast?: boolean },
  ): Promise<string | undefined> {
    await using bench = await openLedgerBench();
    const [id = 0] = await inDoubt(bench, newOrder(A1, AGAIN));
    await bench.clock.advance(hours * HOUR_MS);
    // Made after the order came into doubt: a search that shows it does not lag.
    if (shows !== null) await recordCreated(bench.ledger, '200', { inspectionNumber: 'younger' });
    const younger = shows === true ? [project('200', { inspectionNumber: 'younger' })] : [];
    await settle(bench, serviceWith(younger), { isLast });
    return (await bench.ledger.order(id))?.state;
  }

  test('does not send it again in the same night', async () => {
    expect(await after(11, { shows: true, isLast: true })).toBe('unresolved');
  });

  test('frees it another night if a search shows a younger project', async () => {
    expect(await after(12, { shows: true })).toBe('ready');
  });

  test('waits, then holds it, if no search shows the younger project', async () => {
    expect(await after(12, { shows: false })).toBe('unresolved');
    expect(await after(12, { shows: false, isLast: true })).toBe('held');
  });

  test('waits, then holds it, without a younger project', async () => {
    expect(await after(12, { shows: null })).toBe('unresolved');
    expect(await after(12, { shows: null, isLast: true })).toBe('held');
  });

  test('adopts a found project in any night', async () => {
    await using bench = await openLedgerBench();
    const ids = await inDoubt(bench, newOrder(A1, AGAIN));
    await settle(bench, serviceWith([project('101')]));
    expect(await statesOf(bench, ids)).toEqual(['created']);
  });

  test('leaves it in doubt when the service is away for the proof', async () => {
    await using bench = await openLedgerBench();
    const ids = await inDoubt(bench, newOrder(A1, AGAIN));
    await bench.clock.advance(12 * HOUR_MS);
    await recordCreated(bench.ledger, '200', { inspectionNumber: 'younger' });
    const searchProjects: ServiceClient['searchProjects'] = async ({ startId }) =>
      startId === '200' ? { kind: 'stop', status: 403, message: 'not now' } : { kind: 'ok', value: [] };
    expect(await settle(bench, serviceWith([], { searchProjects }), { isLast: true })).toBe(0);
    expect(await statesOf(bench, ids)).toEqual(['unresolved']);
  });
});

describe('settleUnresolved under another user than sent it', () => {
  /** Its answer was lost so long ago; the workspace's user has another name since. */
  async function after(hours: number, changes: Parameters<typeof settle>[2]): Promise<string | undefined> {
    await using bench = await openLedgerBench();
    const [id = 0] = await inDoubt(bench, newOrder(A1));
    await bench.clock.advance(hours * HOUR_MS);
    await settle(bench, serviceWith([]), changes);
    return (await bench.ledger.order(id))?.state;
  }

  test('holds an order that no search shows', async () => {
    expect(await after(12, { actor: 'renamed@example.com' })).toBe('unresolved');
    expect(await after(12, { actor: 'renamed@example.com', isLast: true })).toBe('held');
  });

  test('frees it for the user who sent it', async () => {
    expect(await after(12, {})).toBe('ready');
  });
});

describe('settleDuplicate', () => {
  /** An order that is being sent, and was answered 409 in these words. */
  async function answered409(
    bench: LedgerBench,
    projects: readonly ProjectDetail[],
    {
      message = 'exists',
      does = {},
      attempts = 1,
      payload = A1,
    }: {
      readonly message?: string;
      readonly does?: Partial<ServiceClient>;
      readonly attempts?: number;
      readonly payload?: typeof A1;
    } = {},
  ) {
    const [id = 0] = await recordOrders(bench.ledger, [newOrder(payload, { identity: 'asked' })], 'asked.csv');
    for (let attempt = 1; attempt < attempts; attempt += 1) {
      await bench.ledger.beginAttempt(id, attemptOf('100'));
      const again = { to: 'ready', code: 'not-found', reason: '', attemptUsed: true } as const;
      await bench.ledger.moveOrder(id, 'submitting', again);
    }
    await bench.ledger.beginAttempt(id, attemptOf('100'));
    const order = await bench.ledger.order(id);
    if (order === null) throw new Error('no order is on record');
    const context = submitContext({ ...bench, client: serviceWith(projects, does) }, { quarantineMs: QUARANTINE_MS });
    return bench.clock.drive(settleDuplicate(order, message, context));
  }

  test('links a project that existed before', async () => {
    await using bench = await openLedgerBench();
    expect(await answered409(bench, [project('99')])).toMatchObject({ to: 'linked', project: { projectId: '99' } });
  });

  test('adopts a newer project that matches exactly', async () => {
    await using bench = await openLedgerBench();
    expect(await answered409(bench, [project('101')])).toMatchObject({ to: 'created', project: { projectId: '101' } });
  });

  test('reads a project that the service names but no search shows', async () => {
    await using bench = await openLedgerBench();
    const does = {
      searchProjects: async () => ({ kind: 'ok', value: [] }) as const,
      getStatus: async (id: string) => ({ kind: 'ok', value: { id, status: 'Site Inspected' } }) as const,
    };
    expect(await answered409(bench, [project('99')], { does })).toMatchObject({ to: 'unresolved' });
    await using other = await openLedgerBench();
    expect(await answered409(other, [project('99')], { does, message: 'see 99' })).toMatchObject({ to: 'linked' });
  });

  const payload = { ...A1, policyEffectiveDate: '2027-01-26' };
  const LAST_YEAR = project('99', { ...A1, policyEffectiveDate: '2026-02-01' });

  test('waits for another project than one of an earlier term', async () => {
    await using bench = await openLedgerBench();
    expect(await answered409(bench, [LAST_YEAR], { payload })).toMatchObject({
      to: 'unresolved',
      code: 'duplicate-not-visible',
    });
  });

  test('names a project of an earlier term that is found again alone', async () => {
    await using bench = await openLedgerBench();
    expect(await answered409(bench, [LAST_YEAR], { attempts: 2, payload })).toMatchObject({
      to: 'refused',
      code: 'duplicate-of-other-term',
      reason: expect.stringContaining('project 99'),
    });
  });

  test('does not link a project that another order has', async () => {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, '99', { inspectionNumber: 'a-1' });
    expect(await answered409(bench, [project('99')])).toMatchObject({ to: 'refused' });
  });

  test('leaves it in doubt when the service is away', async () => {
    await using bench = await openLedgerBench();
    const does = { searchProjects: async () => ({ kind: 'stop', status: 403, message: 'not now' }) as const };
    expect(await answered409(bench, [], { does })).toMatchObject({ to: 'unresolved', answered409: true });
  });
});

describe('settleUnresolved: log', () => {
  const warnings = async (does: Partial<ServiceClient>): Promise<readonly unknown[][]> => {
    await using bench = await openLedgerBench();
    await inDoubt(bench, newOrder(A1, { identity: 'one' }), newOrder({ inspectionNumber: 'A-2' }, { identity: 'two' }));
    const said: unknown[][] = [];
    const log = { ...silentLog, warn: (...line: unknown[]) => void said.push(line) };
    await settle(bench, serviceWith([project('101'), project('102', { inspectionNumber: 'A-2' })], does), {
      log,
      maxConcurrency: 2,
    });
    return said;
  };

  test('names the order of an odd answer', async () => {
    const said = await warnings({ getProject: async () => ({ kind: 'refused', status: 400, message: 'odd' }) });
    expect(said.map(([, fields]) => fields)).toEqual([{ order: 1 }, { order: 2 }]);
  });

  test('mentions once that the service is away', async () => {
    const said = await warnings({ searchProjects: async () => ({ kind: 'stop', status: 403, message: 'not now' }) });
    expect(said.map(([, fields]) => fields)).toEqual([{ order: 1 }]);
  });
});

describe('settleUnresolved: search for a younger project', () => {
  const lookFor = async (searchProjects: ServiceClient['searchProjects']): Promise<string | undefined> => {
    await using bench = await openLedgerBench();
    const [id = 0] = await inDoubt(bench, newOrder(A1, AGAIN));
    await bench.clock.advance(12 * HOUR_MS);
    await recordCreated(bench.ledger, '200', { inspectionNumber: 'younger' });
    await settle(bench, serviceWith([], { searchProjects }), { isLast: true });
    return (await bench.ledger.order(id))?.state;
  };

  test('does not accept another project as proof', async () => {
    const [other] = [projectSearchItem.parse({ id: '201' })];
    expect(await lookFor(async ({ startId }) => ({ kind: 'ok', value: startId === '200' ? [other] : [] }))).toBe(
      'held',
    );
  });

  test('passes on our own fault', async () => {
    await expect(
      lookFor(async ({ startId }) => {
        if (startId === '200') throw new TypeError('a bug');
        return { kind: 'ok', value: [] };
      }),
    ).rejects.toThrow('a bug');
  });
});

describe('settleDuplicate while a similar order is in doubt', () => {
  /** Order 1 is in doubt since project 100 was the highest; order 2 is answered 409, and this project is found. */
  async function moveOf(found: ProjectDetail, more: { readonly isTaken?: boolean } = {}) {
    await using bench = await openLedgerBench();
    const [, second = 0] = await recordOrders(bench.ledger, [
      newOrder({ inspectionNumber: 'A-1' }, { identity: 'one' }),
      newOrder({ inspectionNumber: 'A-1' }, { identity: 'two' }),
    ]);
    await bench.ledger.beginAttempt(1, attemptOf('100'));
    await bench.ledger.moveOrder(1, 'submitting', {
      to: 'unresolved',
      code: 'outcome-unknown',
      reason: 'HTTP 504',
      uncertainSince: bench.clock.now(),
    });
    if (more.isTaken === true) await recordCreated(bench.ledger, found.id, { inspectionNumber: 'B-9' });
    await bench.ledger.moveOrder(second, 'ready', { to: 'held', code: 'unproven', reason: '' });
    const order = await bench.ledger.order(second);
    if (order === null) throw new Error('no order is on record');
    const context = submitContext({ ...bench, client: serviceWith([found]) }, { quarantineMs: QUARANTINE_MS });
    return await bench.clock.drive(settleDuplicate({ ...order, idBound: '100' }, 'exists', context));
  }

  test('leaves a project undecided that either may have made', async () => {
    expect(await moveOf(project('101'))).toMatchObject({ to: 'unresolved', code: 'duplicate-undecided' });
  });

  test('links a project older than the doubt', async () => {
    expect(await moveOf(project('100'))).toMatchObject({ to: 'linked', project: { projectId: '100' } });
  });

  test('does not contest a newer project unlike both', async () => {
    const other = project('101', { ...A1, insuredName: 'Bo Ash' });
    expect(await moveOf(other)).toMatchObject({ to: 'linked', project: { projectId: '101' } });
  });

  test('does not contest a project that a third order has', async () => {
    expect(await moveOf(project('101'), { isTaken: true })).toMatchObject({ to: 'refused' });
  });
});
