import { expect } from 'vitest';
import {
  attemptOf,
  newOrder,
  newRow,
  projectTie,
  recordCreated,
  recordOrder,
  recordOrders,
} from '../support/order-factory.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { NewDelivery } from '../../src/ledger/deliveries.ts';
import { listed, type LedgerFact } from './ledger-fact.ts';

const RETURNED = 'Returned to Client';

async function shown(ledger: Ledger): Promise<readonly string[]> {
  return (await listed(ledger.projectsForResults(false))).map(({ project }) => project.id);
}

async function waitingOrders(ledger: Ledger): Promise<readonly (readonly [number, string])[]> {
  return (await listed(ledger.ordersToHandOver())).map(({ order }) => [order.id, order.state] as const);
}

/** Hands over all there is, as a run does. */
async function handOver(ledger: Ledger, run: string, more: Partial<NewDelivery> = {}): Promise<void> {
  const seen = await ledger.newestIds();
  const orders = await listed(ledger.ordersToHandOver());
  const contents: NewDelivery = {
    run,
    folder: `deliveries/${run}`,
    contents: { workbook: 'results.xlsx', report: 'report.html' },
    orderIds: orders.map(({ order }) => order.id),
    results: true,
    projectIds: await shown(ledger),
    seen,
    ...more,
  };
  await ledger.recordDelivery(contents);
}

const NOTHING = { orders: false, results: false };

export const HAND_OVER_FACTS: readonly LedgerFact[] = [
  {
    fact: 'somethingToHandOver sees each change after a delivery once',
    holds: async ({ ledger }) => {
      expect(await ledger.somethingToHandOver()).toEqual(NOTHING);
      await recordCreated(ledger, '11');
      expect(await ledger.somethingToHandOver()).toEqual({ orders: true, results: true });
      await handOver(ledger, 'run-1');
      expect(await ledger.somethingToHandOver()).toEqual(NOTHING);
      const changes: readonly (() => Promise<unknown>)[] = [
        () => ledger.recordStatuses([{ id: '11', status: RETURNED }]),
        () => ledger.markCollectionProblem('11', { code: 'files-incomplete', text: 'broken' }),
        () =>
          ledger.recordArtifact({
            projectId: '11',
            kind: 'report',
            serviceId: 'R1',
            version: 1,
            type: '',
            detail: {},
            path: 'a.pdf',
            bytes: 1,
            sha256: 'aa',
          }),
        () => ledger.markCollected('11'),
        () => ledger.recordStatuses([{ id: '11', status: 'Project Rework' }]),
      ];
      for (const [index, change] of changes.entries()) {
        await change();
        expect([index, await ledger.somethingToHandOver(), await shown(ledger)]).toEqual([
          index,
          { orders: false, results: true },
          ['11'],
        ]);
        await handOver(ledger, `run-${index + 2}`);
        expect([index, await ledger.somethingToHandOver()]).toEqual([index, NOTHING]);
      }
    },
  },
  {
    fact: 'somethingToHandOver ignores a status that is seen again',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '11', {}, { status: 'Site Inspected' });
      await handOver(ledger, 'run-1');
      await ledger.recordStatuses([{ id: '11', status: 'Site Inspected' }]);
      expect(await ledger.somethingToHandOver()).toEqual(NOTHING);
    },
  },
  {
    fact: 'somethingToHandOver ignores statuses before the return and rewordings, not rework',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '11', {}, { status: 'Pending Acceptance' });
      await handOver(ledger, 'run-1');
      for (const status of ['Assigned to Pilot', 'Project Rework', 'Image Uploaded']) {
        await ledger.recordStatuses([{ id: '11', status }]);
        expect([status, await ledger.somethingToHandOver(), await shown(ledger)]).toEqual([status, NOTHING, ['11']]);
      }
      await ledger.recordStatuses([{ id: '11', status: RETURNED }]);
      await ledger.markCollectionProblem('11', { code: 'files-incomplete', text: 'It was asked for in 3 nights.' });
      expect((await ledger.somethingToHandOver()).results).toBe(true);
      await handOver(ledger, 'run-2');
      await ledger.markCollectionProblem('11', { code: 'files-incomplete', text: 'It was asked for in 4 nights.' });
      expect([await ledger.somethingToHandOver(), await shown(ledger)]).toEqual([NOTHING, ['11']]);
      await ledger.recordStatuses([{ id: '11', status: 'Project Rework' }]);
      expect((await ledger.somethingToHandOver()).results).toBe(true);
    },
  },
  {
    fact: 'nightCounts counts a decision until a delivery shows it',
    holds: async ({ ledger, clock }) => {
      await recordCreated(ledger, '11');
      await ledger.markCollected('11');
      await ledger.startRun('run-1', 'run');
      await handOver(ledger, 'run-1');
      await clock.advance(1000);
      const decisions = [{ projectId: '11', decision: 'Refer', by: 'Ann', notes: '' }];
      await ledger.recordDecisions({ file: 'decisions/a.csv', writtenIn: null, decisions });
      expect([(await ledger.somethingToHandOver()).results, await shown(ledger)]).toEqual([true, ['11']]);
      expect(await ledger.nightCounts()).toMatchObject({ decided: 1, collected: 0 });
      await ledger.startRun('run-2', 'run');
      await handOver(ledger, 'run-2');
      await ledger.recordDecisions({ file: 'decisions/b.csv', writtenIn: null, decisions });
      expect(await ledger.somethingToHandOver()).toEqual(NOTHING);
      expect(await ledger.nightCounts()).toMatchObject({ decided: 0 });
      await clock.advance(1000);
      const note = [{ projectId: '11', decision: '', by: 'Ben', notes: 'Call first.' }];
      await ledger.recordDecisions({ file: 'decisions/c.csv', writtenIn: null, decisions: note });
      expect([await shown(ledger), (await ledger.nightCounts()).decided]).toEqual([['11'], 0]);
    },
  },
  {
    fact: 'projectsForResults shows outstanding projects every night, others once',
    holds: async ({ ledger }) => {
      // Outstanding projects alone are no news.
      for (const id of ['11', '12', '13', '9']) await recordCreated(ledger, id);
      await ledger.recordStatuses([
        { id: '12', status: RETURNED },
        { id: '13', status: 'Project Canceled' },
      ]);
      await ledger.markCollected('12');
      expect(await shown(ledger)).toEqual(['9', '11', '12', '13']);
      await handOver(ledger, 'run-1');
      expect([await shown(ledger), await ledger.somethingToHandOver()]).toEqual([['9', '11'], NOTHING]);
      expect((await listed(ledger.projectsForResults(true))).map(({ project }) => project.id)).toEqual([
        '9',
        '11',
        '12',
        '13',
      ]);
    },
  },
  {
    fact: 'somethingToHandOver ignores receipt of a project that a delivery showed',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '11');
      await handOver(ledger, 'run-1');
      await ledger.recordStatuses([{ id: '11', status: 'Client Received' }]);
      expect([await shown(ledger), await ledger.somethingToHandOver()]).toEqual([[], NOTHING]);
      await recordCreated(ledger, '12');
      await ledger.recordStatuses([{ id: '12', status: 'Client Received' }]);
      expect(await shown(ledger)).toEqual(['12']);
    },
  },
  {
    fact: 'ordersToHandOver lists an order once, and again after it moves',
    holds: async ({ ledger }) => {
      const id = await recordOrder(ledger, { inspectionNumber: 'A-1' });
      expect(await waitingOrders(ledger)).toEqual([[id, 'ready']]);
      await handOver(ledger, 'run-1');
      expect(await waitingOrders(ledger)).toEqual([]);
      await ledger.beginAttempt(id, attemptOf());
      await ledger.moveOrder(id, 'submitting', {
        to: 'created',
        project: projectTie('11', { inspectionCode: 'ABC123' }),
        adopted: false,
      });
      const [line] = await listed(ledger.ordersToHandOver());
      expect(line).toMatchObject({
        order: { id, state: 'created' },
        row: { orderId: id, fileName: 'inspection:A-1.csv' },
        project: { id: '11', inspectionCode: 'ABC123' },
      });
      await handOver(ledger, 'run-2');
      expect(await waitingOrders(ledger)).toEqual([]);
    },
  },
  {
    fact: 'notOrdered lists open rows until they end, other rows once',
    holds: async ({ ledger, clock }) => {
      // Open are rejections, refusals and held orders; repeats, links and skips come once.
      const moves = [
        { to: 'refused', code: 'service-refused', reason: 'no' },
        { to: 'skipped', code: 'duplicate-skipped', reason: 'repeat' },
        { to: 'linked', code: 'duplicate-linked', project: projectTie('11'), reason: 'stood there' },
        { to: 'held', code: 'attempts-used-up', reason: 'two' },
        { to: 'created', project: projectTie('12'), adopted: false },
        { to: 'unresolved', code: 'outcome-unknown', reason: '504', uncertainSince: 0 },
      ] as const;
      const ids = await recordOrders(
        ledger,
        moves.map(({ to }) => newOrder({ inspectionNumber: to })),
      );
      for (const [index, id] of ids.entries()) {
        await ledger.beginAttempt(id, attemptOf());
        const move = moves[index];
        if (move !== undefined) await ledger.moveOrder(id, 'submitting', move);
      }
      await ledger.recordFile({ hash: 'bb', name: 'second.csv', layouts: [], notes: [] }, async (transaction) => {
        transaction.addRow(newRow({ outcome: 'repeat', orderId: ids[4] ?? null }));
        transaction.addRow(newRow());
      });
      const told = async (all: boolean): Promise<unknown> =>
        (await listed(ledger.notOrdered(all))).map(({ row, order }) => [row.outcome, order?.state ?? null]);
      const expected = [
        ['order', 'refused'],
        ['order', 'skipped'],
        ['order', 'linked'],
        ['order', 'held'],
        ['repeat', 'created'],
        ['rejection', null],
      ];
      expect(await told(false)).toEqual(expected);
      await handOver(ledger, 'run-1');
      const open = [
        ['order', 'refused'],
        ['order', 'held'],
        ['rejection', null],
      ];
      expect([await told(false), await told(true), (await ledger.somethingToHandOver()).results]).toEqual([
        open,
        expected,
        false,
      ]);
      expect(
        (await listed(ledger.notOrdered(false))).every(
          ({ isOpen, isUndelivered, since }) => isOpen && !isUndelivered && since === clock.now(),
        ),
      ).toBe(true);
    },
  },
  {
    fact: 'nightCounts counts from the last delivery of results',
    holds: async ({ ledger, clock }) => {
      // Repeats of rows change nothing.
      await recordCreated(ledger, '11');
      await recordCreated(ledger, '12');
      await ledger.recordFile({ hash: 'bb', name: 'second.csv', layouts: [], notes: [] }, async (transaction) => {
        for (const row of [newRow(), newRow(), newRow()]) transaction.addRow(row);
      });
      const quiet = {
        ordered: 0,
        returned: 0,
        collected: 0,
        wentBack: 0,
        fixed: 0,
        changed: 0,
        canceled: 0,
        closedOut: 0,
        decided: 0,
      };
      expect(await ledger.nightCounts()).toEqual({ ...quiet, since: null, ordered: 2, wentBack: 3 });
      await ledger.startRun('run-1', 'run');
      await handOver(ledger, 'run-1');
      const since = clock.now();
      await clock.advance(1000);
      expect(await ledger.nightCounts()).toEqual({ ...quiet, since });
      await ledger.recordStatuses([
        { id: '11', status: RETURNED },
        { id: '12', status: 'Project Canceled' },
      ]);
      await ledger.recordArtifact({
        projectId: '11',
        kind: 'report',
        serviceId: 'R1',
        version: 1,
        type: '',
        detail: {},
        path: 'a.pdf',
        bytes: 1,
        sha256: 'aa',
      });
      await ledger.markCollected('11');
      const orderId = await recordOrder(ledger, { inspectionNumber: 'A-1' });
      await ledger.recordFile(
        { hash: 'cc', name: 'second - to fix.xlsx', layouts: [], notes: [] },
        async (transaction) => {
          transaction.addRow(
            newRow({ outcome: 'repeat', orderId, corrects: 3, changes: [{ field: 'note', ordered: 'a', now: 'b' }] }),
          );
          transaction.addRow(newRow({ corrects: 4 }));
        },
      );
      expect(await ledger.nightCounts()).toEqual({
        ...quiet,
        since,
        returned: 1,
        collected: 1,
        wentBack: 1,
        fixed: 1,
        changed: 1,
        canceled: 1,
      });
      const isNew = async (): Promise<unknown> =>
        (await listed(ledger.projectsForResults(true))).map(({ project, hasNewReport }) => [project.id, hasNewReport]);
      expect(await isNew()).toEqual([
        ['11', true],
        ['12', false],
      ]);
      await clock.advance(1000);
      await ledger.startRun('run-2', 'run');
      await handOver(ledger, 'run-2');
      expect([await ledger.nightCounts(), await isNew()]).toEqual([
        { ...quiet, since: clock.now() },
        [
          ['11', false],
          ['12', false],
        ],
      ]);
    },
  },
  {
    fact: 'undecidedHouses lists those of the last results without a decision',
    holds: async ({ ledger, clock, openAgain }) => {
      for (const id of ['11', '12']) await recordCreated(ledger, id);
      const first = { projectId: '11', level: 'High', points: 90, since: 5 } as const;
      const second = { ...first, projectId: '12' };
      expect(await ledger.undecidedHouses()).toEqual([]);
      for (const run of ['run-1', 'run-2', 'run-3']) await ledger.startRun(run, 'run');
      await handOver(ledger, 'run-1', { undecided: [first, second] });
      await handOver(ledger, 'run-2', { contents: { orders: 'orders.xlsx' }, results: false });
      expect(await ledger.undecidedHouses()).toEqual([first, second]);
      expect(await (await openAgain('another')).undecidedHouses()).toEqual([]);
      const decide = (projectId: string, decision: string, notes = '') =>
        ledger.recordDecisions({ file: 'a', writtenIn: null, decisions: [{ projectId, decision, by: '', notes }] });
      await decide('11', 'Accept');
      await decide('12', '', 'A note decides nothing.');
      expect(await ledger.undecidedHouses()).toEqual([second]);
      await clock.advance(1000);
      await handOver(ledger, 'run-3');
      expect(await ledger.undecidedHouses()).toEqual([]);
    },
  },
  {
    fact: 'redeliver shows delivered projects once more, without a new report',
    holds: async ({ ledger }) => {
      for (const id of ['11', '12']) {
        await recordCreated(ledger, id);
        await ledger.recordStatuses([{ id, status: RETURNED }]);
        await ledger.markCollected(id);
      }
      await ledger.startRun('run-1', 'run');
      await handOver(ledger, 'run-1');
      await ledger.redeliver(['12']);
      expect((await listed(ledger.projectsForResults(false))).map((one) => [one.project.id, one.hasNewReport])).toEqual(
        [['12', false]],
      );
      await handOver(ledger, 'run-2');
      expect(await shown(ledger)).toEqual([]);
    },
  },
  {
    fact: 'notOrdered lists a held row again when its order ends',
    holds: async ({ ledger }) => {
      const id = await recordOrder(ledger);
      await ledger.moveOrder(id, 'ready', { to: 'held', code: 'attempts-used-up', reason: 'waits for a person' });
      await handOver(ledger, 'run-1');
      await ledger.moveOrder(id, 'held', { to: 'abandoned', code: 'abandoned-by-person', reason: 'not wanted' });
      expect((await listed(ledger.notOrdered(false))).map(({ order }) => order?.state)).toEqual(['abandoned']);
      expect((await ledger.somethingToHandOver()).results).toBe(true);
    },
  },
  {
    fact: 'deliveredProjects keeps a project until something new is recorded',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '11');
      await recordCreated(ledger, '12');
      expect(await ledger.deliveredProjects()).toEqual(new Set());
      await handOver(ledger, 'run-1');
      expect(await ledger.deliveredProjects()).toEqual(new Set(['11', '12']));
      await ledger.recordStatuses([{ id: '12', status: 'Returned to Client' }]);
      expect(await ledger.deliveredProjects()).toEqual(new Set(['11']));
    },
  },
  {
    fact: 'deliveriesOnRecord lists each delivery with its run and folder',
    holds: async ({ ledger, clock }) => {
      expect(await ledger.deliveriesOnRecord()).toEqual([]);
      await ledger.startRun('run-1', 'run');
      const night = { newReports: 5, high: 1, decided: 2, overdue: 3 };
      await handOver(ledger, 'run-1', { night });
      expect(await ledger.deliveriesOnRecord()).toEqual([
        {
          run: 'run-1',
          folder: 'deliveries/run-1',
          publishedAt: clock.now(),
          contents: { workbook: 'results.xlsx', report: 'report.html' },
          projects: 0,
          orders: 0,
          night,
        },
      ]);
    },
  },
  {
    fact: 'recordDelivery leaves later records to the next delivery',
    holds: async ({ ledger, openAgain }) => {
      for (const id of ['11', '12']) await recordCreated(ledger, id);
      const [waiting = 0, other = 0] = await recordOrders(
        ledger,
        ['A-1', 'A-2'].map((inspectionNumber) => newOrder({ inspectionNumber })),
      );
      for (const id of [waiting, other])
        await ledger.moveOrder(id, 'ready', { to: 'held', code: 'attempts-used-up', reason: 'waits for a person' });
      await ledger.addNews('files-missing', '11');
      const seen = await ledger.newestIds();
      const orderIds = (await waitingOrders(ledger)).map(([id]) => id);
      const host = await openAgain();
      await host.recordStatuses([{ id: '11', status: 'Project Canceled' }]);
      await host.moveOrder(waiting, 'held', { to: 'abandoned', code: 'abandoned-by-person', reason: 'not wanted' });
      await host.recordFile({ hash: 'bb', name: 'second.csv', layouts: [], notes: [] }, async (transaction) =>
        transaction.addRow(newRow()),
      );
      await ledger.recordDelivery({
        run: 'run-1',
        folder: 'deliveries/run-1',
        contents: { report: 'report.html' },
        orderIds,
        results: true,
        projectIds: ['11', '12'],
        seen,
      });
      expect([await ledger.deliveredProjects(), await waitingOrders(ledger)]).toEqual([
        new Set(['12']),
        [[waiting, 'abandoned']],
      ]);
      expect(
        (await listed(ledger.notOrdered(false))).map(({ row, isUndelivered }) => [row.orderId, isUndelivered]),
      ).toEqual([
        [waiting, true],
        [other, false],
        [null, true],
      ]);
      expect((await ledger.endedProjects()).map(({ projectId }) => projectId)).toEqual(['11']);
    },
  },
  {
    fact: 'lists hundreds of projects once each, in order',
    holds: async ({ ledger }) => {
      const orders = Array.from({ length: 450 }, (_, index) => newOrder({ inspectionNumber: `A-${index}` }));
      const ids = await recordOrders(ledger, orders);
      await Promise.all(ids.map((id) => ledger.beginAttempt(id, attemptOf())));
      await Promise.all(
        ids.map((id) =>
          ledger.moveOrder(id, 'submitting', {
            to: 'linked',
            code: 'duplicate-linked',
            project: projectTie(String(1000 + id)),
            reason: '',
          }),
        ),
      );
      const expected = ids.map((id) => String(1000 + id));
      expect((await listed(ledger.projectsForResults(true))).map(({ project }) => project.id)).toEqual(expected);
      expect((await listed(ledger.ordersToHandOver())).map(({ order }) => order.id)).toEqual(ids);
      expect((await listed(ledger.notOrdered(true))).map(({ order }) => order?.id)).toEqual(ids);
    },
  },
];
