import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ServiceClient } from '../../../src/service/client.ts';
import { newOrder, recordOrders } from '../../support/order-factory.ts';
import { collectContext, openRunBench, type RunBench, submitContext } from '../../support/run-bench.ts';
import { checkStoredFiles } from '../../../src/ops/stored-files.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';
import { acknowledgeDelivered, collectProjects, type CollectReport } from '../../../src/collect/collect-run.ts';
import type { CollectContext } from '../../../src/collect/collect-plan.ts';

const ID = '100001';
const NIGHT = 24 * 60 * 60 * 1000;
const MISSING = async () => ({ kind: 'not-found', message: 'no' }) as const;

/** A sandbox with one project of ours, returned. */
async function returned(serviceName: 'Exterior' | 'Photo Only Inspection' = 'Exterior'): Promise<RunBench> {
  await using opened = new AsyncDisposableStack();
  const bench = opened.use(await openRunBench());
  await recordOrders(bench.ledger, [newOrder({ inspectionNumber: 'A-1', serviceName })]);
  await bench.clock.drive(submitOrders(submitContext(bench)));
  await bench.service.setStatus(ID, 'Returned to Client');
  const resources = opened.move();
  return { ...bench, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** A night's run, with what the client does otherwise. */
async function night(
  bench: RunBench,
  does: Partial<ServiceClient> = {},
  changes: Partial<CollectContext> = {},
): Promise<CollectReport> {
  await bench.clock.advance(NIGHT);
  return bench.clock.drive(
    collectProjects(collectContext(bench, { client: { ...bench.client, ...does }, ...changes })),
  );
}

async function kept({ ledger }: RunBench, kind: string): Promise<number> {
  return (await ledger.artifactsOf(ID)).filter((artifact) => artifact.kind === kind).length;
}

async function acknowledge(bench: RunBench): Promise<number> {
  return bench.clock.drive(acknowledgeDelivered(new Set([ID]), collectContext(bench)));
}

/** The bench's report, as if of this type. */
function ofType({ client }: RunBench, type: string | null): ServiceClient['listReports'] {
  return async (id) => {
    const answer = await client.listReports(id);
    return answer.kind === 'ok' ? { ...answer, value: answer.value.map((report) => ({ ...report, type })) } : answer;
  };
}

test('asks again for a missing summary and does not receive without it', async () => {
  await using bench = await returned();
  expect(await night(bench, { getReportSummary: MISSING })).toMatchObject({ collected: 0, left: 1 });
  expect(await bench.ledger.followedProjects()).toMatchObject([
    { collectedAt: null, problemCode: 'files-incomplete', lacking: ['summary of report R100001-1'] },
  ]);
  expect([await kept(bench, 'report'), await acknowledge(bench)]).toEqual([1, 0]);
  expect(await night(bench)).toMatchObject({ collected: 1, left: 0 });
  expect([await kept(bench, 'summary'), await acknowledge(bench)]).toEqual([1, 1]);
});

test('leaves a required summary that never arrives to a person', async () => {
  await using bench = await returned();
  for (let count = 1; count <= 4; count += 1) await night(bench, { getReportSummary: MISSING });
  expect(await night(bench, { getReportSummary: MISSING })).toMatchObject({ collected: 0, left: 0, forPerson: 1 });
  expect(await acknowledge(bench)).toBe(0);
  expect(await night(bench)).toMatchObject({ collected: 1 });
});

test('leaves a required summary that cannot be used to a person', async () => {
  await using bench = await returned();
  const getReportSummary: ServiceClient['getReportSummary'] = async () => ({
    kind: 'transient',
    reason: 'it is HTML',
    status: 200,
    retryAfterMs: null,
    aboutItem: true,
  });
  for (let count = 1; count <= 4; count += 1) await night(bench, { getReportSummary });
  expect(await night(bench, { getReportSummary })).toMatchObject({ collected: 0, forPerson: 1 });
  expect(await acknowledge(bench)).toBe(0);
});

// A closeout report needs no summary and is complete at once.
test('completes an unknown report type without a summary after some nights', async () => {
  await using bench = await returned();
  const does = { getReportSummary: MISSING, listReports: ofType(bench, null) };
  for (let count = 1; count <= 4; count += 1) expect(await night(bench, does)).toMatchObject({ collected: 0, left: 1 });
  expect(await night(bench, does)).toMatchObject({ collected: 1, left: 0, forPerson: 1 });
  expect(await bench.ledger.followedProjects()).toMatchObject([
    { problemCode: 'complete-but-lacking', lacking: ['summary of report R100001-1'] },
  ]);
  await using closed = await returned();
  expect(
    await night(closed, { getReportSummary: MISSING, listReports: ofType(closed, 'Inspection Closeout Report') }),
  ).toMatchObject({ collected: 1, left: 0 });
  expect(await closed.ledger.followedProjects()).toMatchObject([{ problem: null }]);
});

/** The bench's images, of which this one has no file. */
function withoutImage({ client }: RunBench, lost: string): ServiceClient['openImageFile'] {
  return async (id, options) => (id === lost ? MISSING() : client.openImageFile(id, options));
}

test('asks again for a listed image that is missing for a night', async () => {
  await using bench = await returned();
  expect(await night(bench, { openImageFile: withoutImage(bench, `I${ID}-2`) })).toMatchObject({
    collected: 0,
    left: 1,
  });
  const before = await kept(bench, 'image');
  expect(await night(bench)).toMatchObject({ collected: 1 });
  expect(await kept(bench, 'image')).toBe(before + 1);
});

test('completes with a note when an image never comes', async () => {
  await using bench = await returned();
  const does = { openImageFile: withoutImage(bench, `I${ID}-2`) };
  for (let count = 1; count <= 4; count += 1) expect(await night(bench, does)).toMatchObject({ left: 1, forPerson: 0 });
  expect(await night(bench, does)).toMatchObject({ collected: 1, left: 0, forPerson: 1 });
  const note = { problemCode: 'complete-but-lacking', lacking: [`image I${ID}-2`] };
  const [noted] = await bench.ledger.followedProjects();
  expect(noted).toMatchObject({ ...note, fetch: null });
  // Whoever looks again learns nothing new, and nothing is counted anew.
  const more = {
    ...does,
    listReports: listingAlso(bench, { id: 'R-9', type: 'Inspection Closeout Report' }),
    openReportFile: () => bench.client.openReportFile('R100001-1'),
    getReportSummary: MISSING,
  };
  expect(await night(bench, more, { recheckSince: 0 })).toMatchObject({ collected: 0, left: 0, forPerson: 0 });
  expect(await bench.ledger.followedProjects()).toMatchObject([{ ...note, collectedAt: noted?.collectedAt }]);
  expect(await kept(bench, 'report')).toBe(2);
  expect(await acknowledge(bench)).toBe(1);
});

test('accepts that an image only a summary refers to is gone', async () => {
  await using bench = await returned();
  expect(
    await night(bench, { openImageFile: MISSING, listImages: async () => ({ kind: 'ok', value: [] }) }),
  ).toMatchObject({ collected: 1, left: 0 });
});

test('counts a damaged image that is no longer listed as missing', async () => {
  await using bench = await returned();
  const also: Partial<ServiceClient> = {
    listImages: async (id) => {
      const answer = await bench.client.listImages(id);
      const [image] = answer.kind === 'ok' ? answer.value : [];
      return image === undefined || answer.kind !== 'ok'
        ? answer
        : { ...answer, value: [...answer.value, { ...image, id: 'I-9' }] };
    },
    openImageFile: (id, options) => bench.client.openImageFile(id === 'I-9' ? `I${ID}-2` : id, options),
  };
  await night(bench, also, { images: 'all' });
  const image = (await bench.ledger.artifactsOf(ID)).find(({ serviceId }) => serviceId === 'I-9');
  await writeFile(join(bench.folder, image?.path ?? ''), 'damaged');
  await checkStoredFiles(await bench.ledger.filesOf(ID), { root: bench.folder, ledger: bench.ledger });
  await night(bench, {}, { images: 'all' });
  expect(await bench.ledger.followedProjects()).toMatchObject([{ lacking: ['stored image I-9'] }]);
});

/** The bench's list with one report more. */
function listingAlso(
  { client }: RunBench,
  also: { readonly id: string; readonly type: string },
): ServiceClient['listReports'] {
  return async (id) => {
    const answer = await client.listReports(id);
    return answer.kind === 'ok' ? { ...answer, value: [...answer.value, also] } : answer;
  };
}

test('fetches a report listed after collection, later only on request', async () => {
  for (const [nightsLater, changes] of [
    [1, {}],
    [30, { recheckSince: 0 }],
  ] as const) {
    await using bench = await returned();
    await night(bench);
    const does = {
      listReports: listingAlso(bench, { id: 'R-2', type: 'Inspection Closeout Report' }),
      openReportFile: () => bench.client.openReportFile('R100001-1'),
      getReportSummary: MISSING,
    };
    await bench.clock.advance((nightsLater - 1) * NIGHT);
    expect(await night(bench, does, changes)).toMatchObject({ collected: 1, left: 0 });
    expect(await kept(bench, 'report')).toBe(2);
    expect(await night(bench, does, changes)).toMatchObject({ collected: 0, left: 0 });
  }
});

test('asks nightly for a missing later report and receives only with it', async () => {
  await using bench = await returned();
  await night(bench);
  const listReports = listingAlso(bench, { id: 'R-2', type: 'Inspection Closeout Report' });
  const openReportFile: ServiceClient['openReportFile'] = (id) =>
    id === 'R-2' ? MISSING() : bench.client.openReportFile(id);
  for (let count = 1; count <= 4; count += 1)
    expect(await night(bench, { listReports, openReportFile })).toMatchObject({ collected: 0, left: 1 });
  expect(await night(bench, { listReports, openReportFile })).toMatchObject({ left: 0, forPerson: 1 });
  expect(await acknowledge(bench)).toBe(0);
  expect(
    await night(bench, {
      listReports,
      openReportFile: () => bench.client.openReportFile('R100001-1'),
      getReportSummary: MISSING,
    }),
  ).toMatchObject({ collected: 1 });
});

test('concludes nothing from a missing answer or a now empty list', async () => {
  await using bench = await returned();
  await night(bench);
  const silent: ServiceClient['listReports'] = async () => ({
    kind: 'transient',
    reason: 'HTTP 503',
    status: 503,
    retryAfterMs: null,
  });
  expect(await night(bench, { listReports: silent })).toMatchObject({ collected: 0, left: 1, forPerson: 0 });
  expect(await night(bench, { listReports: NO_REPORTS })).toMatchObject({ collected: 0, left: 0, forPerson: 0 });
  expect(await bench.ledger.followedProjects()).toMatchObject([{ problem: null, collectedAt: expect.any(Number) }]);
});

const NO_REPORTS: ServiceClient['listReports'] = async () => ({ kind: 'ok', value: [] });

test('collects photos alone when only photos were ordered', async () => {
  await using bench = await returned('Photo Only Inspection');
  expect(
    await night(bench, { listReports: NO_REPORTS, listImages: async () => ({ kind: 'ok', value: [] }) }),
  ).toMatchObject({ collected: 0, left: 1 });
  expect(await night(bench, { listReports: NO_REPORTS, openImageFile: MISSING })).toMatchObject({
    collected: 0,
    left: 1,
  });
  expect(await night(bench, { listReports: NO_REPORTS }, { images: 'referenced' })).toMatchObject({
    collected: 1,
    left: 0,
  });
  expect([(await kept(bench, 'image')) > 0, await acknowledge(bench)]).toEqual([true, 1]);
});

test('fetches a later photo in the nights after', async () => {
  await using bench = await returned('Photo Only Inspection');
  const listImages: ServiceClient['listImages'] = async () => ({ kind: 'ok', value: [{ id: `I${ID}-1` }] });
  expect(await night(bench, { listReports: NO_REPORTS, listImages })).toMatchObject({ collected: 1 });
  expect(await night(bench, { listReports: NO_REPORTS })).toMatchObject({ collected: 1 });
  expect(await kept(bench, 'image')).toBeGreaterThan(1);
});

test('keeps photos and waits for the ordered report', async () => {
  await using bench = await returned();
  expect(await night(bench, { listReports: NO_REPORTS })).toMatchObject({ collected: 0, left: 1 });
  expect(await bench.ledger.followedProjects()).toMatchObject([{ collectedAt: null, problemCode: 'no-report-yet' }]);
  expect(await kept(bench, 'image')).toBeGreaterThan(0);
});

test('reports nothing for a project received here without its files', async () => {
  await using bench = await returned();
  await night(bench, { openReportFile: MISSING });
  const update = await bench.ledger.beginUpdate({
    projectId: ID,
    request: { kind: 'receive', withoutFiles: true },
    before: {},
    source: null,
  });
  await bench.service.setStatus(ID, 'Client Received');
  await bench.ledger.endUpdate(update ?? 0, { to: 'done', status: 'Client Received', settled: false });
  expect(await night(bench)).toMatchObject({ collected: 0, left: 0, forPerson: 0 });
  expect(await bench.ledger.followedProjects()).toEqual([]);
  const [shown] = await Array.fromAsync(bench.ledger.projectsForResults(true));
  expect(shown?.project.problem).toBeNull();
});

test('reports missing files after a refused receive without them', async () => {
  await using bench = await returned();
  await night(bench, { openReportFile: MISSING });
  const request = { kind: 'receive', withoutFiles: true } as const;
  const update = await bench.ledger.beginUpdate({ projectId: ID, request, before: {}, source: null });
  const refused = { to: 'refused', code: 'service-refused', reason: 'no', status: null } as const;
  await bench.ledger.endUpdate(update ?? 0, refused);
  await bench.service.setStatus(ID, 'Client Received');
  expect(await night(bench)).toMatchObject({ collected: 0, left: 0, forPerson: 1 });
});

test('collectProjects gives up one missing photo of several with a note', async () => {
  await using bench = await returned('Photo Only Inspection');
  const one = (await bench.client.listImages(ID)) as { readonly value: readonly { readonly id: string }[] };
  const missing = one.value[0]?.id;
  const openImageFile: ServiceClient['openImageFile'] = (id, ...rest) =>
    id === missing ? MISSING() : bench.client.openImageFile(id, ...rest);
  for (let nights = 1; nights <= 6; nights += 1) await night(bench, { listReports: NO_REPORTS, openImageFile });
  expect(await bench.ledger.followedProjects()).toMatchObject([{ collectedAt: expect.any(Number) as number }]);
});

test('never completes a photo-only project without any photo', async () => {
  await using bench = await returned('Photo Only Inspection');
  for (let nights = 1; nights <= 6; nights += 1)
    await night(bench, { listReports: NO_REPORTS, openImageFile: MISSING });
  expect(await bench.ledger.followedProjects()).toMatchObject([{ collectedAt: null }]);
});

test('counts a project without reports as closed out after some nights', async () => {
  await using bench = await returned();
  await bench.service.setStatus(ID, 'Closed Out');
  const empty = { listReports: async () => ({ kind: 'ok', value: [] }) as const };
  await night(bench, empty);
  expect(await bench.ledger.closeouts()).toEqual([]);
  for (let count = 1; count <= 4; count += 1) await night(bench, empty);
  expect(await bench.ledger.closeouts()).toMatchObject([{ projectId: ID, reasons: [] }]);
  expect((await bench.ledger.openNews()).map(({ kind }) => kind)).toEqual(['closed-out']);
});

test('keeps the reasons of a closeout whose file is missing', async () => {
  await using bench = await returned();
  await bench.service.setStatus(ID, 'closed out');
  const reasons = ['Pilot was denied on location.'];
  const getReportSummary: ServiceClient['getReportSummary'] = async (id) => {
    const report = { id, summary: { closeoutReasons: reasons } };
    return { kind: 'ok', value: { report, bytes: Buffer.from(JSON.stringify({ report: [report] })) } };
  };
  for (let count = 1; count <= 6; count += 1) await night(bench, { getReportSummary, openReportFile: MISSING });
  expect(await bench.ledger.closeouts()).toMatchObject([{ reasons }]);
  const steps = (await bench.ledger.storyOfProject(ID))?.steps ?? [];
  expect(steps.filter(({ event }) => event === 'closed out')).toHaveLength(1);
});

test('forgets a failed look at an unlisted status once the service lists nothing', async () => {
  await using bench = await returned();
  await bench.service.setStatus(ID, 'In Triage');
  const nothing: Partial<ServiceClient> = {
    listReports: async () => ({ kind: 'ok', value: [] }),
    listImages: MISSING,
  };
  const refused: ServiceClient['listReports'] = async () => ({ kind: 'stop', status: 403, message: 'not now' });
  await night(bench, nothing, { retryNights: 2 });
  await night(bench, nothing, { retryNights: 2 });
  expect(await night(bench, { listReports: refused }, { retryNights: 2 })).toMatchObject({ forPerson: 0 });
  await night(bench, nothing, { retryNights: 2 });
  expect(await bench.ledger.followedProjects()).toMatchObject([{ status: 'In Triage', problemCode: null }]);
});
