import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/ports.ts';
import type { UpdateRequest } from '../../../src/ledger/updates.ts';
import type { FaultRule } from '../../../src/sandbox/faults/faults.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';
import { parseProjectReference, type WantedUpdate } from '../../../src/update/find-project.ts';
import {
  runUpdates,
  settleOpenUpdates,
  type UpdateContext,
  type UpdateReport,
} from '../../../src/update/update-run.ts';
import { attemptOf, newOrder, orderPayload, projectTie, recordOrders } from '../../support/order-factory.ts';
import { openRunBench, type RunBench, submitContext } from '../../support/run-bench.ts';
import { onRecord } from '../../support/on-record.ts';

/** Orders with projects 100001, 100002, …: of inspection number A-…, but the last, which has policy number P-1 only. */
async function ordered(count = 3): Promise<RunBench> {
  await using opened = new AsyncDisposableStack();
  const bench = opened.use(await openRunBench());
  const numbered = Array.from({ length: count - 1 }, (_, index) =>
    newOrder({ inspectionNumber: `A-${index + 1}`, policyNumber: 'P-2' }),
  );
  await recordOrders(bench.ledger, [...numbered, newOrder({ policyNumber: 'P-1', policyEffectiveDate: '2027-01-01' })]);
  await bench.clock.drive(submitOrders(submitContext(bench)));
  const resources = opened.move();
  return { ...bench, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

function parts({ ledger, client, clock, folder }: RunBench, changes: Partial<ServiceClient> = {}): UpdateContext {
  const signal = new AbortController().signal;
  return {
    ledger,
    client: { ...client, ...changes },
    clock,
    sleep: clock.sleep,
    random: () => 0.5,
    log: silentLog,
    signal,
    root: folder,
    maxConcurrency: 4,
  };
}

const asked = (request: UpdateRequest, ...names: readonly string[]): readonly WantedUpdate[] =>
  names.map((name) => ({ names: [parseProjectReference(name)], request, source: null, problems: [] }));

async function run(
  bench: RunBench,
  wanted: readonly WantedUpdate[],
  options: { dryRun?: boolean; changes?: Partial<ServiceClient> } = {},
): Promise<readonly UpdateReport[]> {
  return bench.clock.drive(runUpdates(wanted, parts(bench, options.changes), { dryRun: options.dryRun === true }));
}

const outcomes = (reports: readonly UpdateReport[]) => reports.map(({ outcome }) => outcome);
const faults = (bench: RunBench, rules: readonly FaultRule[]) => bench.service.control('POST', '/faults', rules);
const STATUS_PUT = { method: 'PUT', route: '/v1/project/{projectId}/status' } as const;
const DETAIL_PUT = { method: 'PUT', route: '/v1/project/{projectId}' } as const;

async function puts({ service }: RunBench, route = STATUS_PUT.route as string): Promise<number> {
  const { requests } = (await service.control('GET', '/audit')).body as {
    requests: Record<string, Record<string, number>>;
  };
  return Object.values(requests[`PUT ${route}`] ?? {}).reduce((sum, count) => sum + count, 0);
}

const CANCEL: UpdateRequest = { kind: 'cancel' };

describe('runUpdates', () => {
  test('a project is canceled by any name, once', async () => {
    await using bench = await ordered();
    const first = await run(bench, asked(CANCEL, '100001', 'A-2', 'policy:P-1'));
    expect(first).toMatchObject([
      { outcome: 'done', project: '100001', before: 'Project Created', after: 'Project Canceled' },
      { outcome: 'done', project: '100002' },
      { outcome: 'done', project: '100003' },
    ]);
    expect(await bench.ledger.projectCounts()).toMatchObject({ outstanding: 0, canceled: 3 });
    expect(await bench.service.status('100002')).toBe('Project Canceled');
    expect((await bench.ledger.updatesOf('100001')).map(({ state }) => state)).toEqual(['done']);
    expect(outcomes(await run(bench, asked(CANCEL, '100001', 'A-2')))).toEqual(['already', 'already']);
    expect(await puts(bench)).toBe(3);
  });

  test('a dry run sends nothing and puts nothing on record', async () => {
    await using bench = await ordered();
    expect(outcomes(await run(bench, asked(CANCEL, '100001'), { dryRun: true }))).toEqual(['would-send']);
    expect([await puts(bench), await bench.ledger.updatesOf('100001')]).toEqual([0, []]);
  });

  test('rejects names of no project, of several or of different ones', async () => {
    await using bench = await ordered();
    const [nothing, several, unknown] = await run(bench, asked(CANCEL, 'NOPE', 'P-2', '999'));
    expect(nothing).toMatchObject({
      outcome: 'rejected',
      code: 'project-not-on-record',
      reason: expect.stringContaining('"NOPE"'),
    });
    expect(several).toMatchObject({
      outcome: 'rejected',
      code: 'several-projects',
      reason: expect.stringMatching(/100001 .*100002/),
    });
    expect(unknown).toMatchObject({ outcome: 'rejected', code: 'project-unknown' });
    const apart: WantedUpdate = {
      names: [
        { key: 'projectId', text: '100001' },
        { key: 'inspectionNumber', text: 'A-2' },
      ],
      request: CANCEL,
      source: null,
      problems: [],
    };
    const agreeing: WantedUpdate = {
      ...apart,
      names: [
        { key: 'policyNumber', text: 'P-2' },
        { key: 'inspectionNumber', text: 'A-2' },
      ],
    };
    expect(await run(bench, [apart, agreeing])).toMatchObject([
      { outcome: 'rejected', code: 'names-disagree' },
      { outcome: 'done', project: '100002' },
    ]);
  });

  test('a project without an order is canceled by its ID', async () => {
    await using bench = await ordered();
    const id = await bench.service.create({ inspectionNumber: 'A-1', allowDuplication: true });
    expect(await run(bench, asked(CANCEL, id))).toMatchObject([{ outcome: 'done', project: id, order: null }]);
  });

  test("forbidden updates are not sent; a refusal keeps the service's words", async () => {
    await using bench = await ordered();
    await bench.service.setStatus('100001', 'Site Inspected');
    expect(await run(bench, asked(CANCEL, '100001'))).toMatchObject([
      { outcome: 'rejected', code: 'not-cancelable', before: 'Site Inspected' },
    ]);
    expect(await puts(bench)).toBe(0);
    // Between the look and the PUT it moves on.
    const changes: Partial<ServiceClient> = {
      getStatus: async (id) => {
        const shown = await bench.client.getStatus(id);
        await bench.service.setStatus('100002', 'Image Uploaded');
        return shown;
      },
    };
    const [refused] = await run(bench, asked(CANCEL, '100002'), { changes });
    expect(refused).toMatchObject({
      outcome: 'refused',
      after: 'Image Uploaded',
      code: 'service-refused',
      reason: expect.stringMatching(/ \(4\d\d\): \w/),
    });
    expect((await bench.ledger.updatesOf('100002')).map(({ state, reason }) => [state, reason])).toEqual([
      ['refused', refused?.reason],
    ]);
  });

  test.each<FaultRule['kind']>(['commit-then-504', 'commit-then-reset'])(
    '%s: a GET shows it as done, so it is not repeated',
    async (kind) => {
      await using bench = await ordered();
      await faults(bench, [{ kind, match: STATUS_PUT, times: 1 }]);
      expect(await run(bench, asked(CANCEL, '100001'))).toMatchObject([
        { outcome: 'done', after: 'Project Canceled', code: 'answer-lost' },
      ]);
      expect(await puts(bench)).toBe(1);
    },
  );

  test('503: a GET shows it as not done, so it is repeated', async () => {
    await using bench = await ordered();
    await faults(bench, [{ kind: '503', match: STATUS_PUT, times: 2 }]);
    expect(outcomes(await run(bench, asked(CANCEL, '100001')))).toEqual(['done']);
    expect(await bench.service.status('100001')).toBe('Project Canceled');
  });

  test('an outage leaves an update open for the next run', async () => {
    await using bench = await ordered();
    await faults(bench, [
      { kind: 'commit-then-504', match: STATUS_PUT },
      { kind: '503', match: { method: 'GET', route: '/v1/project/{projectId}/status' } },
    ]);
    const getStatus: ServiceClient['getStatus'] = async (id) => ({
      kind: 'ok',
      value: { id, status: 'Project Created' },
    });
    let looks = 0;
    const changes: Partial<ServiceClient> = {
      getStatus: async (id) => (looks++ === 0 ? getStatus(id) : bench.client.getStatus(id)),
    };
    expect(outcomes(await run(bench, asked(CANCEL, '100001'), { changes }))).toEqual(['unresolved']);
    expect(await bench.ledger.openUpdates()).toMatchObject([{ projectId: '100001', state: 'open' }]);
    await faults(bench, []);
    const before = await puts(bench);
    expect(await bench.clock.drive(settleOpenUpdates(parts(bench)))).toMatchObject([
      { outcome: 'done', project: '100001' },
    ]);
    expect([await puts(bench), await bench.ledger.openUpdates()]).toEqual([before, []]);
    expect(await bench.ledger.projectCounts()).toMatchObject({ canceled: 1 });
  });

  test('the next run sends an update only if it was not done', async () => {
    await using bench = await ordered();
    for (const projectId of ['100001', '100002'])
      await bench.ledger.beginUpdate({
        projectId,
        request: CANCEL,
        before: { status: 'Project Created' },
        source: null,
      });
    await bench.service.setStatus('100002', 'Project Canceled');
    expect(outcomes(await bench.clock.drive(settleOpenUpdates(parts(bench))))).toEqual(['done', 'done']);
    expect([await puts(bench), await bench.service.status('100001')]).toEqual([1, 'Project Canceled']);
  });

  test('an open update of a hidden project ends after three days', async () => {
    await using bench = await ordered();
    const amend: UpdateRequest = { kind: 'amend', policyNumber: 'P-8' };
    await bench.ledger.beginUpdate({
      projectId: '100001',
      request: CANCEL,
      before: { status: 'Project Created' },
      source: null,
    });
    await bench.ledger.beginUpdate({
      projectId: '100002',
      request: amend,
      before: { policyNumber: 'P-2' },
      source: null,
    });
    await bench.ledger.beginUpdate({
      projectId: '100003',
      request: CANCEL,
      before: { status: 'Project Created' },
      source: null,
    });
    const away = async () => ({ kind: 'transient', reason: 'away', status: 503, retryAfterMs: null }) as const;
    const changes: Partial<ServiceClient> = {
      getStatus: async (id) => (id === '100003' ? away() : { kind: 'stop', status: 403, message: 'no permission' }),
      getProject: async () => ({ kind: 'refused', status: 400, message: 'no such project' }),
    };
    const settle = async () => outcomes(await bench.clock.drive(settleOpenUpdates(parts(bench, changes))));
    expect(await settle()).toEqual(['unresolved', 'unresolved', 'unresolved']);
    await bench.clock.advance(3 * 24 * 60 * 60 * 1000);
    expect(await settle()).toEqual(['refused', 'refused', 'unresolved']);
    expect((await bench.ledger.openUpdates()).map(({ projectId }) => projectId)).toEqual(['100003']);
    expect((await bench.ledger.openNews()).map(({ kind, subject }) => [kind, subject])).toEqual([
      ['update-refused', '100001'],
      ['update-refused', '100002'],
    ]);
    expect((await bench.ledger.updatesOf('100001')).map(({ reason }) => reason)).toEqual([
      expect.stringContaining('(403): no permission.'),
    ]);
  });

  test('a 403 stops all further updates', async () => {
    await using bench = await ordered();
    const putStatus: ServiceClient['putStatus'] = async () => ({ kind: 'stop', status: 403, message: 'no permission' });
    const wanted = asked(CANCEL, '100001', '100002');
    const reports = await bench.clock.drive(
      runUpdates(wanted, { ...parts(bench, { putStatus }), maxConcurrency: 1 }, { dryRun: false }),
    );
    expect(reports).toMatchObject([
      { outcome: 'refused', code: 'access-refused', reason: expect.stringContaining('403') },
      { outcome: 'waiting', code: 'access-refused' },
    ]);
  });

  test('a row with an amended policy is no new order', async () => {
    await using bench = await ordered();
    const request: UpdateRequest = { kind: 'amend', policyNumber: 'P-77', policyEffectiveDate: '' };
    await faults(bench, [{ kind: 'commit-then-504', match: DETAIL_PUT, times: 1 }]);
    expect(await run(bench, asked(request, 'P-1'))).toMatchObject([
      {
        outcome: 'done',
        before: 'policy number P-1, effective date 2027-01-01',
        after: 'policy number P-77, effective date (none)',
      },
    ]);
    expect(await bench.client.getProject('100003')).toMatchObject({ kind: 'ok', value: { policyNumber: 'P-77' } });
    expect(await bench.ledger.amendedDetails('100003')).toEqual({ policyNumber: 'P-77', policyEffectiveDate: '' });
    for (const policy of [{ policyNumber: 'P-77' }, { policyNumber: 'P-1', policyEffectiveDate: '2027-01-01' }]) {
      const order = newOrder(policy);
      expect((await onRecord(bench.ledger, order)).findLivingOrder(order.identity)).toMatchObject({ id: 3 });
    }
    expect((await bench.ledger.projectsNamed('policyNumber', 'P-77')).map(({ projectId }) => projectId)).toEqual([
      '100003',
    ]);
    expect(outcomes(await run(bench, asked(request, 'P-77')))).toEqual(['already']);
  });

  test('a project of an order in doubt is not amended', async () => {
    await using bench = await ordered();
    await recordOrders(
      bench.ledger,
      [
        newOrder({ policyNumber: 'P-5' }),
        newOrder({ policyNumber: 'P-6', streetAddress: '9 Elm Road', insuredName: 'Bo Ray' }),
      ],
      'more.csv',
    );
    for (const id of [4, 5]) await bench.ledger.beginAttempt(id, attemptOf('100003'));
    const lost = await bench.service.create({ ...orderPayload({ policyNumber: 'P-5' }), allowDuplication: true });
    const others = await bench.service.create({
      ...orderPayload({ policyNumber: 'P-9', streetAddress: '3 Far Away', insuredName: 'Cy Poe' }),
      allowDuplication: true,
    });
    await bench.ledger.moveOrder(4, 'submitting', {
      to: 'unresolved',
      code: 'outcome-unknown',
      reason: '504',
      uncertainSince: bench.clock.now(),
    });
    const request: UpdateRequest = { kind: 'amend', policyNumber: 'P-55' };
    expect(await run(bench, asked(request, lost))).toMatchObject([
      {
        outcome: 'rejected',
        code: 'maybe-of-an-order',
        reason: expect.stringContaining(`resolve 4 --adopt ${lost}`),
      },
    ]);
    expect([await puts(bench, DETAIL_PUT.route), await bench.client.getProject(lost)]).toMatchObject([
      0,
      { value: { policyNumber: 'P-5' } },
    ]);
    expect(outcomes(await run(bench, asked(request, others)))).toEqual(['done']);
    await bench.ledger.moveOrder(4, 'unresolved', { to: 'created', project: projectTie(lost), adopted: true });
    expect(outcomes(await run(bench, asked(request, lost)))).toEqual(['done']);
  });

  test('a number shared with an unsettled order names no project', async () => {
    await using bench = await ordered();
    await recordOrders(
      bench.ledger,
      [newOrder({ policyNumber: 'P-1', policyEffectiveDate: '2028-01-01' })],
      'renewal.csv',
    );
    const rejected = {
      outcome: 'rejected',
      code: 'order-unsettled',
      reason: expect.stringMatching(/\b4\b.*\bready\b/),
    };
    expect(await run(bench, asked(CANCEL, 'policy:P-1', 'P-1'))).toMatchObject([rejected, rejected]);
    expect(await puts(bench)).toBe(0);
    const both: WantedUpdate = {
      names: [
        { key: 'projectId', text: '100003' },
        { key: 'policyNumber', text: 'P-1' },
      ],
      request: CANCEL,
      source: null,
      problems: [],
    };
    expect(outcomes(await run(bench, [both]))).toEqual(['done']);
  });

  test('an amendment without a new value changes nothing', async () => {
    await using bench = await ordered();
    expect(await run(bench, asked({ kind: 'amend' }, '100001'))).toMatchObject([
      { outcome: 'already', code: 'nothing-to-change' },
    ]);
    expect(await run(bench, asked({ kind: 'amend', policyNumber: 'P-2' }, '100001'))).toMatchObject([
      { outcome: 'already', code: null, reason: null },
    ]);
  });

  test('of two different updates of a project the first counts', async () => {
    await using bench = await ordered();
    const wanted = [
      ...asked({ kind: 'amend', policyNumber: 'P-8' }, '100001'),
      ...asked({ kind: 'amend', policyNumber: 'P-9' }, 'A-1'),
      ...asked({ kind: 'amend', policyNumber: 'P-8' }, 'A-1'),
    ];
    expect(await run(bench, wanted)).toMatchObject([
      { outcome: 'done', code: null },
      { outcome: 'rejected', code: 'asked-otherwise' },
      { outcome: 'already', code: 'asked-before' },
    ]);
    expect(await bench.client.getProject('100001')).toMatchObject({ value: { policyNumber: 'P-8' } });
  });

  test('a project is received only with its files and delivery on disk', async () => {
    await using bench = await ordered();
    await bench.service.setStatus('100001', 'Returned to Client');
    const receive = (withoutFiles: boolean) => run(bench, asked({ kind: 'receive', withoutFiles }, '100001'));
    expect(await receive(false)).toMatchObject([
      { outcome: 'rejected', code: 'files-missing', reason: expect.stringContaining('--without-files') },
    ]);
    expect(await puts(bench)).toBe(0);
    expect(await receive(true)).toMatchObject([{ outcome: 'done', after: 'Client Received' }]);
    expect(await bench.ledger.projectCounts()).toMatchObject({ received: 1 });
  });
});
