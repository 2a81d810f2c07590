import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OrderPayload } from '../../../src/domain/row.ts';
import { ensureWorkspace, workspaceAt } from '../../../src/ops/workspace.ts';
import { checkBeforeSending, recoverLedger, type RecoverContext } from '../../../src/upkeep/recover-run.ts';
import { finalPayload } from '../../../src/submit/row-decision.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';
import {
  clientThat,
  collectContext,
  openRunBench,
  type RunBench,
  submitContext,
  takeInContext,
} from '../../support/run-bench.ts';
import { newOrder, orderPayload, recordOrders } from '../../support/order-factory.ts';
import { onRecord } from '../../support/on-record.ts';
import { inProof, PROOF_DAY } from '../../support/proof-size.ts';

const RULES = { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 } as const;

function marked(changes: Partial<OrderPayload> = {}) {
  const order = newOrder(changes);
  const { payload, reference } = finalPayload(order.payload, order.identity, RULES);
  return { ...order, payload, reference };
}

async function bed() {
  await using opened = new AsyncDisposableStack();
  const bench = opened.use(await openRunBench());
  const workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
  await bench.ledger.startRun('a run', 'run');
  const parts: RecoverContext = {
    ...submitContext(bench),
    ...collectContext(bench),
    ...takeInContext(bench, workspace, { rules: RULES }),
    accounts: [],
  };
  const recover = async (changes: Partial<RecoverContext> = {}) => {
    const recovery = await bench.ledger.beginRecovery(0);
    return bench.clock.drive(recoverLedger(recovery, { ...parts, ...changes }));
  };
  const place = (payload: Partial<OrderPayload>) =>
    bench.service.create({ ...orderPayload(), ...payload, allowDuplication: true });
  const archive = async (path: string, rows: readonly Readonly<Record<string, string>>[]) => {
    const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    await mkdir(dirname(join(workspace.archive, path)), { recursive: true });
    await writeFile(
      join(workspace.archive, path),
      [fields, ...rows.map((row) => fields.map((field) => row[field] ?? ''))].map((line) => line.join(',')).join('\n'),
    );
  };
  const resources = opened.move();
  return { ...bench, workspace, parts, recover, place, archive, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

const stateOf = async ({ ledger }: RunBench, id: number) => {
  const order = await ledger.order(id);
  return [order?.state, order?.projectId];
};

describe('recoverLedger', () => {
  test('recoverLedger adopts or doubts every ready order', async () => {
    await using b = await bed();
    const ids = await recordOrders(b.ledger, [
      newOrder({ inspectionNumber: 'A-1' }),
      newOrder({ policyNumber: 'P-2', policyEffectiveDate: '2027-01-01' }),
      marked(),
      newOrder({ inspectionNumber: 'A-4' }),
    ]);
    const projects = [
      await b.place({ inspectionNumber: 'A-1' }),
      await b.place({ policyNumber: 'P-2', policyEffectiveDate: '2027-01-01' }),
      await b.place(marked().payload),
    ];
    expect(await b.recover()).toMatchObject({ adopted: 3, inDoubt: 1, held: 0 });
    expect(await Promise.all(ids.map((id) => stateOf(b, id)))).toEqual([
      ...projects.map((id) => ['created', id]),
      ['unresolved', null],
    ]);
    expect(await b.ledger.order(ids[3] ?? 0)).toMatchObject({ uncertainSince: b.clock.now(), attempts: 1 });
    expect(await b.ledger.contradictions()).toEqual([]);
  });

  test('recoverLedger looks a day further back, as clocks differ', async () => {
    await using b = await bed();
    const project = await b.place({ inspectionNumber: 'A-1' });
    const copiedAt = b.clock.now() + 3_600_000;
    await b.service.advance(7200);
    await b.service.logIn();
    await b.place({ inspectionNumber: 'A-2' });
    const [id = 0] = await recordOrders(b.ledger, [newOrder({ inspectionNumber: 'A-1' })]);
    await b.clock.drive(recoverLedger(await b.ledger.beginRecovery(copiedAt), b.parts));
    expect(await stateOf(b, id)).toEqual(['created', project]);
  });

  test('recoverLedger finds the projects of the first day after the copy', async () => {
    await using b = await bed();
    const copiedAt = b.clock.now();
    await b.place({ inspectionNumber: 'A-1' });
    await b.service.advance(3 * 86_400);
    await b.service.logIn();
    await b.place({ inspectionNumber: 'A-2' });
    const ids = await recordOrders(b.ledger, [
      newOrder({ inspectionNumber: 'A-1' }),
      newOrder({ inspectionNumber: 'A-2' }),
    ]);
    await b.clock.drive(recoverLedger(await b.ledger.beginRecovery(copiedAt), b.parts));
    expect(await Promise.all(ids.map(async (id) => (await stateOf(b, id))[0]))).toEqual(['created', 'created']);
  });

  test('equal orders find one project each', async () => {
    await using b = await bed();
    const twin = { inspectionNumber: 'A-1' };
    const ids = await recordOrders(b.ledger, [
      newOrder(twin),
      newOrder(twin, { identity: 'again', allowDuplication: true }),
      newOrder(twin, { identity: 'and again', allowDuplication: true }),
    ]);
    const projects = [await b.place(twin), await b.place(twin)];
    await b.recover();
    expect(await Promise.all(ids.map((id) => stateOf(b, id)))).toEqual([
      ['created', projects[0]],
      ['created', projects[1]],
      ['unresolved', null],
    ]);
  });

  test('more equal projects than equal orders wait for a person', async () => {
    await using b = await bed();
    const twin = { policyNumber: 'P-1', policyEffectiveDate: '2027-01-01' };
    const [id = 0] = await recordOrders(b.ledger, [newOrder(twin)]);
    const first = await b.place(twin);
    await b.place(twin);
    expect(await b.recover()).toMatchObject({ adopted: 0, held: 1 });
    expect(await b.ledger.order(id)).toMatchObject({
      state: 'held',
      code: 'made-since-backup',
      reason: expect.stringContaining(first),
    });
  });

  test('an amended policy is found by house, insured and service', async () => {
    await using b = await bed();
    const policy = { policyNumber: 'P-2', policyEffectiveDate: '2027-01-01' };
    const [known = 0, placed = 0] = await recordOrders(b.ledger, [
      newOrder({ ...policy, policyNumber: 'P-1', streetAddress: '1 Elm Road' }),
      newOrder(policy),
    ]);
    await b.clock.drive(
      submitOrders(
        submitContext({
          ...b,
          ledger: {
            ...b.ledger,
            ordersIn: async (state, after, limit) =>
              (await b.ledger.ordersIn(state, after, limit)).filter(({ id }) => id === known),
          },
        }),
      ),
    );
    const [, first] = await stateOf(b, known);
    const second = await b.place({ ...policy, policyNumber: 'P-NEW' });
    await b.service.call('PUT', `/v1/project/${first ?? ''}`, { policyEffectiveDate: '2027-05-05' });
    expect(await b.recover()).toMatchObject({ adopted: 1, amended: 2 });
    expect(await stateOf(b, placed)).toEqual(['created', second]);
    expect([await b.ledger.amendedDetails(first ?? ''), await b.ledger.amendedDetails(second)]).toEqual([
      { policyEffectiveDate: '2027-05-05' },
      { policyNumber: 'P-NEW' },
    ]);
    const again = newOrder({ ...policy, policyNumber: 'P-NEW' });
    expect((await onRecord(b.ledger, again)).findLivingOrder(again.identity)?.id).toBe(placed);
  });

  test('an amended policy of an order with an inspection number is found', async () => {
    await using b = await bed();
    const [changed = 0, added = 0] = await recordOrders(b.ledger, [
      newOrder({ inspectionNumber: 'IN-1', policyNumber: 'P-1', policyEffectiveDate: '2027-01-01' }),
      newOrder({ inspectionNumber: 'IN-2', streetAddress: '2 Elm Road' }),
    ]);
    const first = await b.place({ inspectionNumber: 'IN-1', policyNumber: 'P-NEW', policyEffectiveDate: '2027-01-01' });
    const second = await b.place({ inspectionNumber: 'IN-2', policyNumber: 'P-2', streetAddress: '2 Elm Road' });
    expect(await b.recover()).toMatchObject({ adopted: 2, amended: 2 });
    expect([await stateOf(b, changed), await stateOf(b, added)]).toEqual([
      ['created', first],
      ['created', second],
    ]);
  });

  test('two projects with its inspection number hold an order', async () => {
    await using b = await bed();
    const [order = 0] = await recordOrders(b.ledger, [newOrder({ inspectionNumber: 'IN-1', policyNumber: 'P-1' })]);
    await b.place({ inspectionNumber: 'IN-1', policyNumber: 'P-2' });
    await b.place({ inspectionNumber: 'IN-1', policyNumber: 'P-3' });
    await b.recover();
    expect(await stateOf(b, order)).toEqual(['held', null]);
  });

  test('another notation of numbers and dates is no amendment', async () => {
    await using b = await bed();
    const ids = await recordOrders(
      b.ledger,
      ['p-1', 'p-2', 'p-3'].map((policyNumber) =>
        newOrder({ policyNumber, policyEffectiveDate: '2027-01-01', streetAddress: `1 ${policyNumber} Road` }),
      ),
    );
    await b.clock.drive(
      submitOrders(
        submitContext({
          ...b,
          ledger: {
            ...b.ledger,
            ordersIn: async (state, after, limit) =>
              (await b.ledger.ordersIn(state, after, limit)).filter(({ id }) => id !== ids[2]),
          },
        }),
      ),
    );
    const placed = await b.place({
      policyNumber: 'p-3',
      policyEffectiveDate: '2027-01-01',
      streetAddress: '1 p-3 Road',
    });
    const getProject: RunBench['client']['getProject'] = async (id) => {
      const answer = await b.client.getProject(id);
      if (answer.kind !== 'ok') return answer;
      const { policyNumber, policyEffectiveDate, ...rest } = answer.value;
      return {
        kind: 'ok',
        value:
          id === '100001'
            ? rest
            : {
                ...rest,
                policyNumber: policyNumber?.toUpperCase(),
                policyEffectiveDate: `${policyEffectiveDate ?? ''}T00:00:00`,
              },
      };
    };
    expect(await b.recover({ client: { ...b.client, getProject } })).toMatchObject({ adopted: 1, amended: 0 });
    expect(await stateOf(b, ids[2] ?? 0)).toEqual(['created', placed]);
  });

  test('unreadable files are reported and stop nothing', async () => {
    await using b = await bed();
    const row = Object.fromEntries(Object.entries(orderPayload()).map(([field, value]) => [field, String(value)]));
    await b.archive('2026/10/01/orders.csv', [{ ...row, inspectionNumber: 'A-1' }]);
    const received = await b.place({ inspectionNumber: 'A-1' });
    await b.service.setStatus(received, 'Client Received');
    await mkdir(join(b.workspace.deliveries, 'a run'), { recursive: true });
    await writeFile(join(b.workspace.deliveries, 'a run', 'index.json'), '{ "version": 1, "run": "a r');
    const paths = ['2026/10/02/broken.csv', '2026/10/03/gone.csv'];
    for (const [index, path] of paths.entries()) await b.archive(path, [{ ...row, inspectionNumber: `B-${index}` }]);
    const read: RecoverContext['files']['read'] = async (path, ...more) => {
      if (path.endsWith('broken.csv')) throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
      return b.parts.files.read(path, ...more);
    };
    const readingsOf: RunBench['ledger']['readingsOf'] = async (hash) => {
      await rm(join(b.workspace.archive, paths[1] ?? ''), { force: true });
      return b.ledger.readingsOf(hash);
    };
    const unreadable = [`archive/${paths[1]}`, `archive/${paths[0]}`];
    expect(await b.recover({ files: { ...b.parts.files, read }, ledger: { ...b.ledger, readingsOf } })).toMatchObject({
      adopted: 1,
      received: 0,
      archive: { files: 1, unreadable },
    });
    expect(await b.ledger.latestRecovery()).toMatchObject({ endedAt: b.clock.now() });
  });

  test('a keyless order with a similar project waits for a person', async () => {
    await using b = await bed();
    const [id = 0] = await recordOrders(b.ledger, [marked()]);
    const project = await b.place({ note: '[ref IB-0123456789AB]' });
    expect(await b.recover()).toMatchObject({ held: 1 });
    expect(await b.ledger.order(id)).toMatchObject({ state: 'held', reason: expect.stringContaining(project) });
  });

  test('a keyless order finds its amended project by the reference', async () => {
    await using b = await bed();
    const row = Object.fromEntries(Object.entries(orderPayload()).map(([field, value]) => [field, String(value)]));
    const amended = { policyNumber: 'LATE-61', policyEffectiveDate: '2027-01-01' };
    await b.archive('2026/10/01/orders.csv', [row]);
    await b.archive('2026/10/02/amended.csv', [{ ...row, ...amended }]);
    const project = await b.place({ ...marked().payload, ...amended });
    expect(await b.recover()).toMatchObject({
      archive: { files: 2, rows: 2 },
      adopted: 1,
      amended: 1,
      inDoubt: 0,
      held: 0,
    });
    expect([await stateOf(b, 1), await b.ledger.amendedDetails(project), await b.ledger.order(2)]).toEqual([
      ['created', project],
      amended,
      null,
    ]);
  });

  test('a file belongs to the account in use on its day', async () => {
    await using b = await bed();
    const row = Object.fromEntries(Object.entries(orderPayload()).map(([field, value]) => [field, String(value)]));
    await b.archive('2026/10/01/former.csv', [{ ...row, inspectionNumber: 'A-1' }]);
    await b.archive('2026/10/03/own.csv', [{ ...row, inspectionNumber: 'A-2' }]);
    const accounts = [
      { account: 'former', since: 0 },
      { account: b.ledger.account, since: Date.UTC(2026, 9, 2, 12) },
    ];
    expect(await b.recover({ accounts })).toMatchObject({
      archive: { files: 1, ofOthers: ['archive/2026/10/01/former.csv'] },
    });
  });

  test('archived files are recorded with senders, days and corrections', async () => {
    await using b = await bed();
    const row = Object.fromEntries(Object.entries(orderPayload()).map(([field, value]) => [field, String(value)]));
    await b.archive('2026/10/02/smith-agency/orders.csv', [
      { ...row, inspectionNumber: 'A-2' },
      { ...row, inspectionNumber: 'A-3', zipcode: '9' },
    ]);
    await b.archive('2026/10/01/orders.csv', [{ ...row, inspectionNumber: 'A-1' }]);
    await b.archive('2026/10/03/orders.csv', [{ ...row, inspectionNumber: 'A-1' }]);
    const project = await b.place({ inspectionNumber: 'A-1' });
    expect(await b.recover()).toMatchObject({ archive: { files: 2, rows: 3 }, adopted: 1, inDoubt: 1 });
    expect(await stateOf(b, 1)).toEqual(['created', project]);
    const files = [];
    for await (const { file, notWrittenBack } of b.ledger.countedFiles())
      files.push({
        name: file.name,
        sender: file.sender,
        archivedAs: file.archivedAs,
        day: new Date(file.recordedAt).getDate(),
        notWrittenBack,
      });
    expect(files).toEqual([
      { name: 'orders.csv', sender: '', archivedAs: 'archive/2026/10/01/orders.csv', day: 1, notWrittenBack: 0 },
      {
        name: 'smith-agency/orders.csv',
        sender: 'smith-agency',
        archivedAs: 'archive/2026/10/02/smith-agency/orders.csv',
        day: 2,
        notWrittenBack: 0,
      },
    ]);
    // Again, as after a kill at the end: nothing changes.
    expect(await b.recover()).toMatchObject({ archive: { files: 0 }, adopted: 0, inDoubt: 1 });
  });

  test('recoverLedger reads rows again that were dropped again', async () => {
    await using b = await bed();
    const row = Object.fromEntries(Object.entries(orderPayload()).map(([field, value]) => [field, String(value)]));
    const rows = [
      { ...row, inspectionNumber: 'A-1' },
      { ...row, inspectionNumber: 'A-2', serviceName: 'Four views' },
    ];
    await b.archive('2026/10/01/orders.csv', rows);
    await b.place({ inspectionNumber: 'A-1' });
    expect(await b.recover()).toMatchObject({ archive: { files: 1, rows: 2 }, adopted: 1 });
    await b.archive('2026/10/02/smith/orders.csv', rows);
    const project = await b.place({ inspectionNumber: 'A-2', serviceName: '4-Point' });
    expect(await b.recover()).toMatchObject({ archive: { files: 0, rows: 0 }, adopted: 0 });
    expect(await b.recover({ values: { 'Four views': '4-Point' } })).toMatchObject({
      archive: { files: 1, rows: 1 },
      adopted: 1,
      inDoubt: 0,
    });
    expect(await stateOf(b, 2)).toEqual(['created', project]);
  });

  test('decisions in the archive are recorded for adopted projects', async () => {
    await using b = await bed();
    const row = Object.fromEntries(Object.entries(orderPayload()).map(([field, value]) => [field, String(value)]));
    await b.archive('2026/10/01/orders.csv', [{ ...row, inspectionNumber: 'A-1' }]);
    const project = await b.place({ inspectionNumber: 'A-1' });
    await b.archive('2026/10/02/decisions/monday.csv', [
      { 'Project ID': project, Decision: 'Refer', By: 'Ann', Notes: 'roof' },
    ]);
    await b.archive('2026/10/03/Decisions/tuesday.csv', [{ 'Project ID': project, Decision: 'Non-renew' }]);
    await b.archive('2026/10/03/decisions/broken.csv', [{ Street: '1 Elm Road' }]);
    const unreadable = ['archive/2026/10/03/decisions/broken.csv'];
    expect(await b.recover()).toMatchObject({ archive: { files: 3, rows: 1, decisions: 2, unreadable }, adopted: 1 });
    expect((await b.ledger.decisionsOn([project])).get(project)).toEqual({
      decision: 'Non-renew',
      by: 'Ann',
      notes: 'roof',
    });
    expect(await b.recover()).toMatchObject({ archive: { files: 0, decisions: 0, unreadable } });
  });

  /** The ledger of a process that dies before its nth write. */
  function dyingAt(write: number, ledger: RunBench['ledger']): RunBench['ledger'] {
    let writes = 0;
    const VERBS: ReadonlySet<string | symbol> = new Set([
      'noteGap',
      'doubtReadyOrders',
      'moveOrder',
      'recordFile',
      'markArchived',
      'markCorrected',
      'beginUpdate',
      'endUpdate',
      'recordStatuses',
      'endRecovery',
    ]);
    return new Proxy(ledger, {
      get: (target, verb) => {
        const found: unknown = Reflect.get(target, verb);
        if (!VERBS.has(verb) || typeof found !== 'function') return found;
        return (...args: readonly unknown[]): unknown => {
          writes += 1;
          if (writes >= write) throw new Error('killed');
          return Reflect.apply(found, target, args) as unknown;
        };
      },
    });
  }

  test('a killed recovery gives the same result when repeated', { timeout: 300_000 }, async () => {
    const row = Object.fromEntries(Object.entries(orderPayload()).map(([field, value]) => [field, String(value)]));
    const ends: unknown[] = [];
    // One write in five, each day the next ones; whole, every write.
    const every = inProof({ share: 5, whole: 1 });
    for (let write = 1 + (PROOF_DAY % every), isOver = false; !isOver; write += every) {
      await using b = await bed();
      await recordOrders(
        b.ledger,
        [
          newOrder({ inspectionNumber: 'A-1' }),
          newOrder({ policyNumber: 'P-2', policyEffectiveDate: '2027-01-01' }),
          marked(),
        ],
        'known.csv',
      );
      await b.archive('2026/10/02/orders.csv', [
        { ...row, inspectionNumber: 'A-4' },
        { ...row, inspectionNumber: 'A-5', zipcode: '9' },
      ]);
      const placed: Partial<OrderPayload>[] = [
        { inspectionNumber: 'A-1' },
        { policyNumber: 'P-NEW', policyEffectiveDate: '2027-01-01' },
        marked().payload,
        { inspectionNumber: 'A-4' },
      ];
      for (const payload of placed) await b.place(payload);
      const recovery = await b.ledger.beginRecovery(0);
      const killed = await b.clock
        .drive(recoverLedger(recovery, { ...b.parts, ledger: dyingAt(write, b.ledger) }))
        .then(
          () => null,
          (failure: unknown) => failure,
        );
      isOver = killed === null;
      expect([String(killed), (await b.ledger.latestRecovery())?.endedAt === null]).toEqual(
        isOver ? ['null', false] : ['Error: killed', true],
      );
      if (!isOver) await b.recover();
      // An amendment that was on record when it was killed is settled by the next run, which looks before it sends.
      const states = await Promise.all([1, 2, 3, 4].map((id) => stateOf(b, id)));
      const files: unknown[] = [];
      for await (const { file, rejections, notWrittenBack } of b.ledger.countedFiles())
        files.push([file.name, rejections, notWrittenBack]);
      ends.push({ states, files, contradictions: await b.ledger.contradictions() });
    }
    expect(ends.length * every).toBeGreaterThan(10);
    expect(new Set(ends.map((end) => JSON.stringify(end)))).toEqual(new Set([JSON.stringify(ends[0])]));
  });

  test('an outage leaves the recovery unfinished and keeps its work', async () => {
    await using b = await bed();
    const [id = 0] = await recordOrders(b.ledger, [newOrder({ inspectionNumber: 'A-1' })]);
    const project = await b.place({ inspectionNumber: 'A-1' });
    const recovery = await b.ledger.beginRecovery(0);
    const client = clientThat({
      searchProjects: async () => ({ kind: 'transient', reason: 'away', status: 503, retryAfterMs: null }),
    });
    await expect(b.clock.drive(recoverLedger(recovery, { ...b.parts, client }))).rejects.toThrow('away');
    expect(await b.ledger.latestRecovery()).toMatchObject({ endedAt: null });
    await b.recover();
    expect(await stateOf(b, id)).toEqual(['created', project]);
  });

  test('after a recovery, first attempts search and wait for the quarantine', async () => {
    await using b = await bed();
    const projects = [
      await b.place(marked().payload),
      await b.place({ inspectionNumber: 'A-2' }),
      await b.place({ inspectionNumber: 'A-2' }),
      await b.place({ policyNumber: 'P-NEW', streetAddress: '1 Elm Road' }),
    ];
    await b.recover();
    const parts = { ...submitContext(b), quarantineMs: 300_000 };
    expect(await b.clock.drive(checkBeforeSending(parts))).toEqual({ stopped: null });
    const orders = [
      marked(),
      newOrder({ inspectionNumber: 'A-2' }),
      newOrder({ inspectionNumber: 'A-2' }, { identity: 'again', allowDuplication: true }),
      newOrder({ policyNumber: 'P-OLD', streetAddress: '1 Elm Road' }),
      newOrder({ inspectionNumber: 'A-5' }),
    ];
    const ids = await recordOrders(b.ledger, orders);
    expect(await b.clock.drive(checkBeforeSending(parts))).toEqual({
      stopped: expect.stringMatching(/\b300\b/),
    });
    await b.clock.advance(300_000);
    expect(await b.clock.drive(checkBeforeSending(parts))).toBeNull();
    expect(await Promise.all(ids.map((id) => stateOf(b, id)))).toEqual([
      ...projects.slice(0, 3).map((id) => ['created', id]),
      ['held', null],
      ['ready', null],
    ]);
    await b.clock.drive(submitOrders(parts));
    expect((await b.service.control('GET', '/audit')).body).toMatchObject({ projects: 5 });
  });

  test("this year's order does not adopt last year's project", async () => {
    for (const key of [{ inspectionNumber: 'A-1' }, { policyNumber: 'P-1' }]) {
      await using b = await bed();
      await b.place({ ...key, dueDate: '2026-11-01' });
      const [id = 0] = await recordOrders(b.ledger, [newOrder({ ...key, dueDate: '2027-11-01' })]);
      expect(await b.recover()).toMatchObject({ adopted: 0, inDoubt: 1, held: 0 });
      expect(await stateOf(b, id)).toEqual(['unresolved', null]);
    }
  });

  test("each year's row finds its own project", async () => {
    for (const [first, second] of [
      ['2026-11-01', '2027-11-01'],
      ['2027-11-01', '2026-11-01'],
    ] as const) {
      await using b = await bed();
      const row = Object.fromEntries(
        Object.entries(orderPayload({ inspectionNumber: 'A-1' })).map(([field, value]) => [field, String(value)]),
      );
      const [last, now] = [
        await b.place({ inspectionNumber: 'A-1', dueDate: '2026-11-01' }),
        await b.place({ inspectionNumber: 'A-1', dueDate: '2027-11-01' }),
      ];
      await b.archive('2026/10/01/a.csv', [{ ...row, dueDate: first }]);
      await b.archive('2027/10/01/b.csv', [{ ...row, dueDate: second }]);
      await b.recover();
      const own = { '2026-11-01': last, '2027-11-01': now };
      expect(await stateOf(b, 1)).toEqual(['created', own[first]]);
      // A list of last year’s rows that came late is a repeat, and orders nothing.
      expect(await stateOf(b, 2)).toEqual(first < second ? ['created', own[second]] : [undefined, undefined]);
    }
  });
});
