import { expect } from 'vitest';
import { attemptOf, newOrder, projectTie, recordCreated, recordOrder, recordOrders } from '../support/order-factory.ts';
import { VIRTUAL_START_MS } from '../support/virtual-clock.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { mayMove, type OrderMove, type OrderState } from '../../src/ledger/orders.ts';
import { listed, type LedgerBench, type LedgerFact } from './ledger-fact.ts';

const UNCERTAIN_SINCE = VIRTUAL_START_MS + 5000;

/** A move to each state that an order can be moved to. */
const MOVES: Readonly<Record<OrderMove['to'], OrderMove>> = {
  created: { to: 'created', project: projectTie('501'), adopted: false },
  linked: { to: 'linked', code: 'duplicate-linked', project: projectTie('502'), reason: 'stood there' },
  skipped: { to: 'skipped', code: 'duplicate-skipped', reason: 'a repeat' },
  refused: { to: 'refused', code: 'service-refused', reason: 'refused' },
  unresolved: { to: 'unresolved', code: 'outcome-unknown', reason: 'HTTP 504', uncertainSince: UNCERTAIN_SINCE },
  ready: { to: 'ready', code: 'not-sent', reason: 'not found', attemptUsed: true },
  held: { to: 'held', code: 'attempts-used-up', reason: 'two of them' },
  abandoned: { to: 'abandoned', code: 'abandoned-by-person', reason: 'not wanted' },
};

/** The state diagram (RELIABILITY: An order's states), written down once more so that a slip in the code's own table shows. */
const ARROWS: Readonly<Record<OrderState, readonly OrderMove['to'][]>> = {
  ready: ['unresolved', 'held', 'abandoned'],
  submitting: ['created', 'linked', 'skipped', 'refused', 'unresolved', 'ready', 'held'],
  unresolved: ['created', 'linked', 'skipped', 'refused', 'ready', 'held', 'abandoned'],
  held: ['created', 'linked', 'ready', 'abandoned'],
  created: [],
  linked: [],
  skipped: [],
  refused: [],
  abandoned: [],
};

const STATES = Object.keys(ARROWS) as readonly OrderState[];
const GOALS = Object.keys(MOVES) as readonly OrderMove['to'][];

/** No two orders are created with one project. */
function moveOf(id: number, to: OrderMove['to']): OrderMove {
  return to === 'created' ? { to, project: projectTie(String(500 + id)), adopted: false } : MOVES[to];
}

/** A new order, brought to a state. */
async function bring(ledger: Ledger, state: OrderState, identity: string): Promise<number> {
  const id = await recordOrder(ledger, { inspectionNumber: identity });
  if (state === 'ready') return id;
  if (state !== 'abandoned') await ledger.beginAttempt(id, attemptOf());
  if (state !== 'submitting')
    expect(await ledger.moveOrder(id, state === 'abandoned' ? 'ready' : 'submitting', moveOf(id, state))).toBe(true);
  return id;
}

/** All that is on record of an order. */
async function recordOf(ledger: Ledger, id: number): Promise<object> {
  return { order: await ledger.order(id), story: await ledger.storyOf(id), counts: await ledger.orderCounts() };
}

export const ORDER_FACTS: readonly LedgerFact[] = [
  {
    fact: 'moveOrder allows exactly the moves of the state diagram',
    holds: async ({ ledger }) => {
      for (const from of STATES) {
        for (const to of GOALS) {
          const allowed = ARROWS[from].includes(to);
          expect([from, to, mayMove(from, to)]).toEqual([from, to, allowed]);
          const id = await bring(ledger, from, `${from} ${to}`);
          const before = await recordOf(ledger, id);
          if (allowed) {
            expect(await ledger.moveOrder(id, from, moveOf(id, to))).toBe(true);
            expect((await ledger.order(id))?.state).toBe(to);
          } else {
            await expect(ledger.moveOrder(id, from, moveOf(id, to))).rejects.toThrow(
              `never goes from ${from} to ${to}`,
            );
            expect(await recordOf(ledger, id)).toEqual(before);
          }
        }
      }
    },
  },
  {
    fact: 'moveOrder returns false if the order is in another state',
    holds: async ({ ledger }) => {
      for (const state of STATES) {
        const id = await bring(ledger, state, state);
        const before = await recordOf(ledger, id);
        for (const from of STATES.filter((other) => other !== state)) {
          for (const to of ARROWS[from])
            expect([from, to, await ledger.moveOrder(id, from, moveOf(id, to))]).toEqual([from, to, false]);
        }
        expect(await recordOf(ledger, id)).toEqual(before);
      }
      expect(await ledger.moveOrder(4711, 'ready', MOVES.held)).toBe(false);
    },
  },
  {
    fact: 'moveOrder does each of many moves once, or returns false',
    holds: async ({ ledger }) => {
      const sending = [
        await bring(ledger, 'submitting', 'A-1'),
        await bring(ledger, 'submitting', 'A-2'),
        await bring(ledger, 'submitting', 'A-3'),
      ] as const;
      const [ready, held] = [await bring(ledger, 'ready', 'A-4'), await bring(ledger, 'held', 'A-5')];
      const moved = await Promise.all([
        ledger.moveOrder(sending[0], 'submitting', MOVES.created),
        ledger.moveOrder(held, 'submitting', MOVES.refused),
        ledger.beginAttempt(ready, attemptOf()),
        ledger.moveOrder(sending[1], 'submitting', MOVES.ready),
        ledger.beginAttempt(ready, attemptOf()),
        ledger.moveOrder(sending[2], 'submitting', MOVES.unresolved),
      ]);
      expect(moved).toEqual([true, false, true, true, false, true]);
      expect(await ledger.orderCounts()).toMatchObject({
        created: 1,
        submitting: 1,
        ready: 1,
        unresolved: 1,
        held: 1,
        refused: 0,
      });
      const outcomes = await Promise.all(
        [sending[0], ready].map(async (id) => (await ledger.storyOf(id)).attempts.map(({ outcome }) => outcome)),
      );
      expect(outcomes).toEqual([['created'], [null]]);
    },
  },
  {
    fact: 'keeps the code of a move until the order is sent again',
    holds: async ({ ledger }) => {
      const id = await bring(ledger, 'held', 'A-1');
      expect((await ledger.order(id))?.code).toBe('attempts-used-up');
      expect((await ledger.storyOf(id)).steps.at(-1)?.detail).toMatchObject({ code: 'attempts-used-up' });
      await ledger.moveOrder(id, 'held', MOVES.ready);
      await ledger.beginAttempt(id, attemptOf());
      expect((await ledger.order(id))?.code).toBeNull();
    },
  },
  {
    fact: 'ordersWithNoneBefore omits orders after an open one like them',
    holds: async ({ ledger }) => {
      const payload = { inspectionNumber: 'A-1' };
      const [first, alike, other] = (await recordOrders(ledger, [
        newOrder(payload),
        newOrder(payload, { identity: 'alike' }),
        newOrder({ inspectionNumber: 'A-2' }),
      ])) as [number, number, number];
      expect([await ledger.ordersWithNoneBefore([first, alike, other]), (await ledger.orderBefore(alike))?.id]).toEqual(
        [new Set([first, other]), first],
      );
      await ledger.moveOrder(first, 'ready', MOVES.abandoned);
      expect([await ledger.ordersWithNoneBefore([alike]), await ledger.ordersWithNoneBefore([])]).toEqual([
        new Set([alike]),
        new Set(),
      ]);
    },
  },
  {
    fact: 'beginAttempt starts from a ready order only',
    holds: async ({ ledger }) => {
      for (const state of STATES) {
        const id = await bring(ledger, state, state);
        const before = await recordOf(ledger, id);
        expect([state, await ledger.beginAttempt(id, attemptOf())]).toEqual([state, state === 'ready']);
        if (state !== 'ready') expect(await recordOf(ledger, id)).toEqual(before);
      }
    },
  },
  {
    fact: 'lets only one of two callers move an order',
    holds: async ({ ledger, openAgain }) => {
      const other = await openAgain();
      const id = await recordOrder(ledger);
      const began = await Promise.all([ledger, other, ledger].map((one) => one.beginAttempt(id, attemptOf())));
      expect(began.filter(Boolean)).toHaveLength(1);
      const moved = await Promise.all([
        ledger.moveOrder(id, 'submitting', MOVES.created),
        other.moveOrder(id, 'submitting', MOVES.unresolved),
      ]);
      expect(moved.filter(Boolean)).toHaveLength(1);
    },
  },
  {
    fact: 'ignores late moves of a run that another took over',
    holds: async ({ ledger, openAgain }) => {
      await ledger.startRun('run 1', 'run');
      const other = await openAgain();
      await other.startRun('run 2', 'run');
      const id = await bring(ledger, 'submitting', 'A-1');
      expect(await other.moveOrder(id, 'submitting', MOVES.ready)).toBe(false);
      expect(await other.recoverInterrupted(['run 3'])).toBe(0);
      expect([await other.sendingRuns(), await other.recoverInterrupted(['run 1'])]).toEqual([['run 1'], 1]);
      expect(
        await other.moveOrder({ id, attempts: 2 }, 'unresolved', MOVES.ready),
        'what was found out of another attempt',
      ).toBe(false);
      expect(await other.moveOrder({ id, attempts: 1 }, 'unresolved', MOVES.ready)).toBe(true);
      expect(await other.beginAttempt(id, attemptOf())).toBe(true);
      for (const late of ['ready', 'created', 'unresolved'] as const)
        expect(await ledger.moveOrder(id, 'submitting', MOVES[late])).toBe(false);
      expect([await other.sendingRuns(), await other.order(id)]).toEqual([
        ['run 2'],
        expect.objectContaining({ state: 'submitting', attempts: 2 }),
      ]);
      expect(await other.moveOrder(id, 'submitting', MOVES.created)).toBe(true);
    },
  },
  {
    fact: 'lets only one of two hosts adopt a project',
    holds: async ({ ledger, openAgain }) => {
      const other = await openAgain();
      const ids = [await bring(ledger, 'unresolved', 'A-1'), await bring(ledger, 'unresolved', 'A-2')] as const;
      const adoption: OrderMove = { to: 'created', project: projectTie('700'), adopted: true };
      const adopted = await Promise.all([
        ledger.moveOrder(ids[0], 'unresolved', adoption),
        other.moveOrder(ids[1], 'unresolved', adoption),
      ]);
      expect(adopted.filter(Boolean)).toHaveLength(1);
      expect((await ledger.orderCounts()).unresolved).toBe(1);
    },
  },
  {
    fact: 'keeps project, reason or start of doubt with each state',
    holds: async ({ ledger }) => {
      const seen: Record<string, unknown> = {};
      for (const to of GOALS) {
        const id = await bring(ledger, to, to);
        const order = await ledger.order(id);
        seen[to] = [order?.projectId, order?.reason, order?.uncertainSince];
      }
      expect(seen).toEqual({
        created: ['501', null, null],
        linked: ['502', 'stood there', null],
        skipped: [null, 'a repeat', null],
        refused: [null, 'refused', null],
        unresolved: [null, 'HTTP 504', UNCERTAIN_SINCE],
        ready: [null, null, null],
        held: [null, 'two of them', null],
        abandoned: [null, 'not wanted', null],
      });
    },
  },
  {
    fact: 'moveOrder dates doubt from when it was recorded',
    holds: async ({ ledger, clock }) => {
      // The machine may have slept since the answer.
      const id = await recordOrder(ledger);
      await ledger.beginAttempt(id, attemptOf());
      await ledger.moveOrder(id, 'submitting', {
        to: 'unresolved',
        code: 'outcome-unknown',
        reason: 'HTTP 504',
        uncertainSince: clock.now() - 3_600_000,
      });
      expect((await ledger.order(id))?.uncertainSince).toBe(clock.now());
    },
  },
  {
    fact: 'counts attempts, and gives back those that sent nothing',
    holds: async ({ ledger }) => {
      const id = await recordOrder(ledger);
      const attempts: unknown[] = [];
      const send = async (move: OrderMove): Promise<void> => {
        await ledger.beginAttempt(id, attemptOf());
        attempts.push((await ledger.order(id))?.attempts);
        await ledger.moveOrder(id, 'submitting', move);
        attempts.push((await ledger.order(id))?.attempts);
      };
      await send({ to: 'ready', code: 'not-sent', reason: '429', attemptUsed: false });
      await send({ to: 'ready', code: 'not-sent', reason: '429', attemptUsed: false });
      await send(MOVES.unresolved);
      await ledger.moveOrder(id, 'unresolved', MOVES.ready);
      await send({ to: 'ready', code: 'not-sent', reason: 'not sent', attemptUsed: false });
      await send(MOVES.created);
      expect(attempts).toEqual([1, 0, 1, 0, 1, 1, 2, 1, 2, 2]);
      expect((await ledger.storyOf(id)).steps.filter((step) => step.event === 'sending')).toHaveLength(5);
    },
  },
  {
    fact: 'keeps the id bound of the first attempt',
    holds: async ({ ledger }) => {
      const id = await recordOrder(ledger);
      expect((await ledger.order(id))?.idBound).toBeNull();
      await ledger.beginAttempt(id, attemptOf('700'));
      await ledger.moveOrder(id, 'submitting', MOVES.unresolved);
      await ledger.moveOrder(id, 'unresolved', MOVES.ready);
      await ledger.beginAttempt(id, attemptOf('900'));
      expect(await ledger.order(id)).toMatchObject({ idBound: '700', attempts: 2, state: 'submitting' });
    },
  },
  {
    fact: 'keeps the decision to allow a duplicate',
    holds: async ({ ledger }) => {
      const id = await bring(ledger, 'submitting', 'A-1');
      await ledger.moveOrder(id, 'submitting', {
        to: 'ready',
        code: 'not-sent',
        reason: '409',
        attemptUsed: true,
        allowDuplication: true,
      });
      await ledger.beginAttempt(id, attemptOf());
      await ledger.moveOrder(id, 'submitting', { to: 'ready', code: 'not-sent', reason: '429', attemptUsed: false });
      expect((await ledger.order(id))?.allowDuplication).toBe(true);
    },
  },
  {
    fact: 'recoverInterrupted puts orders being sent in doubt, and no others',
    holds: async ({ ledger, clock }) => {
      for (const state of STATES) await bring(ledger, state, state);
      const second = await bring(ledger, 'submitting', 'second');
      const others = async (): Promise<unknown> =>
        Promise.all(
          STATES.filter((state) => state !== 'submitting' && state !== 'unresolved').map((state) =>
            ledger.ordersIn(state, 0, 10),
          ),
        );
      const before = await others();
      await clock.advance(60_000);
      expect(await ledger.recoverInterrupted()).toBe(2);
      expect(await ledger.order(second)).toMatchObject({
        state: 'unresolved',
        uncertainSince: clock.now(),
        attempts: 1,
      });
      expect(await others()).toEqual(before);
      await clock.advance(60_000);
      expect(await ledger.recoverInterrupted()).toBe(0);
      expect((await ledger.order(second))?.uncertainSince).toBe(clock.now() - 60_000);
    },
  },
  {
    fact: 'ordersIn pages through a state by id',
    holds: async ({ ledger }) => {
      const ids = await recordOrders(
        ledger,
        Array.from({ length: 5 }, (_, index) => newOrder({ inspectionNumber: `A-${index}` })),
      );
      await ledger.moveOrder(ids[1] ?? 0, 'ready', MOVES.held);
      const page = async (after: number): Promise<readonly number[]> =>
        (await ledger.ordersIn('ready', after, 2)).map(({ id }) => id);
      expect([await page(0), await page(ids[2] ?? 0), await page(ids[4] ?? 0)]).toEqual([
        [ids[0], ids[2]],
        [ids[3], ids[4]],
        [],
      ]);
      expect(await ledger.orderCounts()).toEqual({
        ready: 4,
        submitting: 0,
        created: 0,
        linked: 0,
        skipped: 0,
        refused: 0,
        unresolved: 0,
        held: 1,
        abandoned: 0,
      });
    },
  },
  { fact: 'keeps project ids exact up to the largest int64', holds: exactIds },
  {
    fact: 'findOrders finds an order by project id, even the largest',
    holds: async ({ ledger }) => {
      const one = await recordCreated(ledger, '100001');
      const largest = await recordCreated(ledger, '9223372036854775807');
      expect((await ledger.findOrders('100001')).map(({ id }) => id)).toEqual([one]);
      expect((await ledger.findOrders('9223372036854775807')).map(({ id }) => id)).toEqual([largest]);
      expect(await ledger.findOrders('99999999999999999999999')).toEqual([]);
    },
  },
  {
    fact: 'hadUnknownAttempt remembers an unknown outcome through later attempts',
    holds: async ({ ledger, openAgain }) => {
      // A 409 and an attempt that was given back are none.
      const id = await recordOrder(ledger);
      const attempt = { actor: 'a', idBound: '0', payload: {}, payloadHash: 'h' };
      const again = { to: 'ready', code: 'not-sent', reason: 'searched for', attemptUsed: true } as const;
      await ledger.beginAttempt(id, attempt);
      await ledger.moveOrder(id, 'submitting', {
        to: 'unresolved',
        code: 'outcome-unknown',
        reason: '409',
        uncertainSince: UNCERTAIN_SINCE,
        answered409: true,
      });
      await ledger.moveOrder(id, 'unresolved', again);
      await ledger.beginAttempt(id, attempt);
      await ledger.moveOrder(id, 'submitting', { to: 'ready', code: 'not-sent', reason: '429', attemptUsed: false });
      await ledger.beginAttempt(id, attempt);
      expect(await ledger.hadUnknownAttempt(id)).toBe(false);
      const reopened = await openAgain();
      await reopened.recoverInterrupted();
      await reopened.moveOrder(id, 'unresolved', again);
      await reopened.beginAttempt(id, attempt);
      expect(await reopened.hadUnknownAttempt(id)).toBe(true);
      expect(await reopened.hadUnknownAttempt(id, { notBy: 'a' })).toBe(false);
      expect(await reopened.hadUnknownAttempt(id, { notBy: 'b' })).toBe(true);
    },
  },
  {
    fact: 'readySentByOthers lists what another user may have ordered',
    holds: async ({ ledger }) => {
      const proven = { to: 'ready', code: 'not-found', reason: 'searched for', attemptUsed: true } as const;
      const released = { ...proven, code: 'resent-by-person' } as const;
      const ids: number[] = [];
      for (const [identity, move] of [
        ['proven', proven],
        ['released', released],
      ] as const) {
        const id = await bring(ledger, 'unresolved', identity);
        await ledger.moveOrder(id, 'unresolved', move);
        ids.push(id);
      }
      ids.push(await bring(ledger, 'ready', 'never sent'));
      expect(await ledger.readySentByOthers(attemptOf().actor)).toEqual([]);
      expect(await ledger.readySentByOthers('renamed@example.com')).toEqual([ids[0]]);
    },
  },
  {
    fact: "projectsOfOtherOrders excludes this order's own projects",
    holds: async ({ ledger }) => {
      const one = await recordCreated(ledger, '11');
      const two = await recordCreated(ledger, '12');
      expect(await ledger.projectsOfOtherOrders(one, ['11', '12', '13'])).toEqual(new Set(['12']));
      expect(await ledger.projectsOfOtherOrders(two, ['11', '12', '13'])).toEqual(new Set(['11']));
    },
  },
  {
    fact: 'projectsAtAddress lists projects latest first, by number',
    holds: async ({ ledger }) => {
      for (const id of ['9', '100', '20']) await recordCreated(ledger, id);
      await recordCreated(ledger, '30', { streetAddress: '14 Oak Street' });
      expect(await ledger.projectsAtAddress(newOrder().addressKey)).toEqual(['100', '20', '9']);
      expect(await ledger.highestProjectId()).toBe('100');
    },
  },
  {
    fact: "storyOf lists every step with its run, including the file's",
    holds: async ({ ledger, clock }) => {
      await ledger.startRun('run-1', 'run');
      const id = await recordOrder(ledger);
      await clock.advance(1000);
      await ledger.beginAttempt(id, attemptOf());
      await ledger.moveOrder(id, 'submitting', MOVES.created);
      await ledger.noteStep('order', String(id), 'looked at', { by: 'a person' });
      await ledger.finishRun('run-1', 0, {});
      const { steps, project } = await ledger.storyOf(id);
      expect(steps.map(({ at, run, event }) => [at - VIRTUAL_START_MS, run, event])).toEqual([
        [0, 'run-1', 'accepted'],
        [0, 'run-1', 'recorded'],
        [1000, 'run-1', 'sending'],
        [1000, 'run-1', 'followed'],
        [1000, 'run-1', 'created'],
        [1000, 'run-1', 'looked at'],
      ]);
      expect(steps.at(-1)?.detail).toEqual({ by: 'a person' });
      expect(project?.id).toBe('501');
    },
  },
];

async function exactIds({ ledger }: LedgerBench): Promise<void> {
  const ids = ['9007199254740992', '9007199254740993', '9223372036854775806', '9223372036854775807'] as const;
  const orders: number[] = [];
  for (const projectId of ids) orders.push(await recordCreated(ledger, projectId));
  const [first, second] = orders;
  if (first === undefined || second === undefined) throw new Error('no orders');
  expect((await ledger.followedProjects()).map(({ id }) => id)).toEqual(ids);
  expect((await ledger.order(second))?.projectId).toBe(ids[1]);
  expect(await ledger.highestProjectId()).toBe(ids[3]);
  expect(await ledger.projectsOfOtherOrders(first, ids)).toEqual(new Set(ids.slice(1)));
  expect(await ledger.recordStatuses([{ id: ids[1], status: 'Returned to Client' }])).toEqual([ids[1]]);
  await ledger.recordArtifact({
    projectId: ids[3],
    kind: 'image',
    serviceId: 'I-1',
    version: 1,
    type: 'image/png',
    detail: {},
    path: 'a.png',
    bytes: 1,
    sha256: 'aa',
  });
  expect([(await ledger.artifactsOf(ids[2])).length, (await ledger.artifactsOf(ids[3]))[0]?.projectId]).toEqual([
    0,
    ids[3],
  ]);
  expect((await listed(ledger.projectsForResults(true))).map(({ project }) => [project.id, project.status])).toEqual([
    [ids[0], 'Project Created'],
    [ids[1], 'Returned to Client'],
    [ids[2], 'Project Created'],
    [ids[3], 'Project Created'],
  ]);
  const waiting = await recordOrder(ledger, { inspectionNumber: 'bound' });
  await ledger.beginAttempt(waiting, attemptOf(ids[3]));
  expect((await ledger.order(waiting))?.idBound).toBe(ids[3]);
}
