import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { StoredArtifact } from '../../../src/ledger/artifacts.ts';
import { sha256OfFile } from '../../../src/ops/durable-files.ts';
import type { SandboxOptions } from '../../../src/sandbox/options.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import { newOrder, recordOrders } from '../../support/order-factory.ts';
import { collectContext, openRunBench, submitContext, type RunBench } from '../../support/run-bench.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';
import { collectProjects, type CollectReport } from '../../../src/collect/collect-run.ts';
import type { CollectContext } from '../../../src/collect/collect-plan.ts';

const RETURNED = 'Returned to Client';

/** A sandbox with so many projects of ours, all of them returned. */
async function returnedProjects(count: number, options: SandboxOptions = {}): Promise<RunBench> {
  await using opened = new AsyncDisposableStack();
  const bench = opened.use(await openRunBench(options));
  await recordOrders(
    bench.ledger,
    Array.from({ length: count }, (_, index) => newOrder({ inspectionNumber: `A-${index}` })),
  );
  await bench.clock.drive(submitOrders(submitContext(bench)));
  for (const { id } of await bench.ledger.followedProjects()) await bench.service.setStatus(id, RETURNED);
  const resources = opened.move();
  return { ...bench, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function run(bench: RunBench, changes: Partial<CollectContext> = {}): Promise<CollectReport> {
  await bench.clock.advance(60_000);
  return bench.clock.drive(collectProjects(collectContext(bench, changes)));
}

const ID = '100001';

async function versions({ ledger }: RunBench, kind?: StoredArtifact['kind']): Promise<readonly string[]> {
  return (await ledger.artifactsOf(ID))
    .filter((artifact) => kind === undefined || artifact.kind === kind)
    .map(({ serviceId, version }) => `${serviceId} v${version}`);
}

async function requestsFor(bench: RunBench, part: string): Promise<number> {
  const { requests } = (await bench.service.control('GET', '/audit')).body as {
    requests: Record<string, Record<string, number>>;
  };
  return Object.entries(requests).reduce(
    (sum, [route, byStatus]) => (route.includes(part) ? sum + Object.values(byStatus).reduce((a, b) => a + b, 0) : sum),
    0,
  );
}

/** The bench's client, whose report files come as these bytes say. */
function withReportBytes({ client }: RunBench, bytes: (whole: Buffer) => Buffer): ServiceClient {
  const openReportFile: ServiceClient['openReportFile'] = async (id) => {
    const opened = await client.openReportFile(id);
    if (opened.kind !== 'ok') return opened;
    const whole = Buffer.concat(await Array.fromAsync(opened.value.stream as AsyncIterable<Buffer>));
    return { ...opened, value: { ...opened.value, contentLength: null, stream: Readable.from([bytes(whole)]) } };
  };
  return { ...client, openReportFile };
}

test('stores exactly the reports, summaries, and images that the ledger lists', async () => {
  await using bench = await returnedProjects(3);
  expect(await run(bench)).toEqual({ changedStatuses: 3, collected: 3, left: 0, forPerson: 0, stopped: null });
  const artifacts = (
    await Promise.all(['100001', '100002', '100003'].map((id) => bench.ledger.artifactsOf(id)))
  ).flat();
  expect(new Set(artifacts.map(({ kind }) => kind))).toEqual(new Set(['report', 'summary', 'image']));
  for (const { path, bytes, sha256 } of artifacts) {
    expect(path).not.toMatch(/^\/|\\|\.part$/);
    expect([(await readFile(join(bench.folder, path))).length, await sha256OfFile(join(bench.folder, path))]).toEqual([
      bytes,
      sha256,
    ]);
  }
  const onDisk = (
    await readdir(join(bench.folder, 'state/downloads'), { recursive: true, withFileTypes: true })
  ).filter((entry) => entry.isFile());
  expect(onDisk).toHaveLength(artifacts.length);
  expect(await bench.ledger.projectCounts()).toMatchObject({ collected: 3, returned: 0 });
});

test('fetches nothing twice, and stops listing reports after some nights', async () => {
  await using bench = await returnedProjects(2);
  await run(bench);
  const before = await serviceRequests(bench);
  expect(await run(bench)).toEqual({ changedStatuses: 0, collected: 0, left: 0, forPerson: 0, stopped: null });
  expect((await serviceRequests(bench)) - before).toBe(2 + SWEEP_OF_TWO);
  await bench.clock.advance(4 * DAY);
  await run(bench);
  expect((await serviceRequests(bench)) - before).toBe(2 + 2 * SWEEP_OF_TWO);
  await run(bench, { recheckSince: 0 });
  expect((await serviceRequests(bench)) - before).toBe(2 + 2 + 3 * SWEEP_OF_TWO);
});

/** Two are asked for singly. */
const SWEEP_OF_TWO = 2;
const DAY = 24 * 60 * 60 * 1000;

test("keeps photos and reports in the order of the service's lists", async () => {
  await using bench = await returnedProjects(1);
  const idsOf = async (kind: string): Promise<readonly string[]> =>
    (await bench.ledger.filesOf(ID)).filter((file) => file.kind === kind).map(({ serviceId }) => serviceId);
  const listed = await bench.client.listImages(ID);
  const images = listed.kind === 'ok' ? listed.value.map(({ id }) => id) : [];
  const [first = ''] = images;
  const openImageFile: ServiceClient['openImageFile'] = async (id) =>
    id === first ? { kind: 'not-found', message: 'not yet' } : bench.client.openImageFile(id);
  expect(await run(bench, { client: { ...bench.client, openImageFile } })).toMatchObject({ collected: 0 });
  expect(await idsOf('image')).toEqual(images.slice(1));
  expect(await run(bench)).toMatchObject({ collected: 1 });
  expect(await idsOf('image')).toEqual(images);

  // A further report is listed before the one that is here, and the photos come in another order.
  const listReports: ServiceClient['listReports'] = async () => ({
    kind: 'ok',
    value: [
      { id: 'R-0', type: 'Roof-only Underwriting Report' },
      { id: `R${ID}-1`, type: 'Full-scope Underwriting Report' },
    ],
  });
  const asFirst =
    <T>(read: (id: string) => Promise<T>) =>
    (id: string): Promise<T> =>
      read(id === 'R-0' ? `R${ID}-1` : id);
  const client: ServiceClient = {
    ...bench.client,
    listReports,
    openReportFile: asFirst((id) => bench.client.openReportFile(id)),
    getReportSummary: asFirst((id) => bench.client.getReportSummary(id)),
    listImages: async () => ({ kind: 'ok', value: images.toReversed().map((id) => ({ id })) }),
  };
  expect(await run(bench, { client })).toMatchObject({ collected: 1 });
  for (const kind of ['report', 'summary']) expect(await idsOf(kind)).toEqual(['R-0', `R${ID}-1`]);
  expect(await idsOf('image')).toEqual(images.toReversed());
});

test('keeps the summary byte for byte', async () => {
  await using bench = await returnedProjects(1);
  await run(bench);
  const summary = (await bench.ledger.artifactsOf(ID)).find(({ kind }) => kind === 'summary');
  const sent = await bench.service.call('GET', `/v1/report/${summary?.serviceId ?? ''}/summary`);
  expect(await readFile(join(bench.folder, summary?.path ?? ''), 'utf8')).toBe(sent.text);
});

test('keeps the good files of a broken project and fetches the rest', async () => {
  await using bench = await returnedProjects(1);
  expect(await run(bench, { client: withReportBytes(bench, (whole) => whole.subarray(0, 500)) })).toMatchObject({
    collected: 0,
  });
  expect(await bench.ledger.followedProjects()).toMatchObject([
    { collectedAt: null, problem: expect.stringMatching(/report R100001-1 arrived damaged.*next run/) },
  ]);
  expect(await versions(bench, 'report')).toEqual([]);
  const images = await versions(bench, 'image');
  expect(images.length).toBeGreaterThan(2);
  const before = await requestsFor(bench, '/image/{imageId}');
  expect(await run(bench)).toMatchObject({ collected: 1 });
  expect(await bench.ledger.followedProjects()).toMatchObject([{ problem: null, collectedAt: bench.clock.now() }]);
  expect([await versions(bench, 'image'), await requestsFor(bench, '/image/{imageId}')]).toEqual([images, before]);
});

test('stores changed files as new versions after rework', async () => {
  await using bench = await returnedProjects(1);
  await run(bench);
  const before = await bench.ledger.artifactsOf(ID);
  await bench.service.setStatus(ID, 'Project Rework');
  await run(bench);
  await bench.service.setStatus(ID, RETURNED);
  const changed = withReportBytes(bench, (whole) => Buffer.concat([Buffer.from('%PDF-1.6'), whole.subarray(8)]));
  expect(await run(bench, { client: changed })).toMatchObject({ changedStatuses: 1, collected: 1 });
  expect(await versions(bench, 'report')).toEqual(['R100001-1 v1', 'R100001-1 v2']);
  const after = await bench.ledger.artifactsOf(ID);
  expect(after).toHaveLength(before.length + 1);
  for (const { path, sha256 } of after) expect(await sha256OfFile(join(bench.folder, path))).toBe(sha256);
});

test('waits for a returned project without files and explains the wait', async () => {
  await using bench = await returnedProjects(2);
  await bench.service.setStatus('100002', 'Waiting for Weather');
  const listReports: ServiceClient['listReports'] = async () => ({ kind: 'ok', value: [] });
  expect(await run(bench, { client: { ...bench.client, listReports } })).toMatchObject({ collected: 0, stopped: null });
  expect(await bench.ledger.followedProjects()).toMatchObject([
    { problem: expect.stringContaining('no report yet'), collectedAt: null },
    { status: 'Waiting for Weather', problem: null, collectedAt: null },
  ]);
});

test('collects an unlisted status that has a report', async () => {
  await using bench = await returnedProjects(1);
  await bench.service.setStatus(ID, 'closed out');
  expect(await run(bench)).toMatchObject({ collected: 1 });
  expect((await versions(bench, 'report')).length).toBe(1);
});

test('fetches all images, only referenced ones, or none', async () => {
  const counted = async (images: CollectContext['images']): Promise<number> => {
    await using bench = await returnedProjects(1);
    const listImages: ServiceClient['listImages'] = async () => ({
      kind: 'ok',
      value: [1, 2, 3].map((number) => ({ id: `I${ID}-${number}` })),
    });
    const getReportSummary: ServiceClient['getReportSummary'] = async (id) => {
      const report = {
        id,
        summary: {
          factors: [{ image: [{ id: `I${ID}-2` }] }],
          roof: { comparison: [{ image: [{ id: `I${ID}-4` }] }] },
        },
      };
      return { kind: 'ok', value: { report, bytes: Buffer.from(JSON.stringify({ report: [report] })) } };
    };
    expect(await run(bench, { images, client: { ...bench.client, listImages, getReportSummary } })).toMatchObject({
      collected: 1,
    });
    return (await versions(bench, 'image')).length;
  };
  expect([await counted('all'), await counted('referenced'), await counted('none')]).toEqual([4, 2, 0]);
});

test('fetches a report that is listed twice once', async () => {
  await using bench = await returnedProjects(1);
  const listReports: ServiceClient['listReports'] = async (id) => {
    const answer = await bench.client.listReports(id);
    return answer.kind === 'ok' ? { ...answer, value: [...answer.value, ...answer.value] } : answer;
  };
  expect(await run(bench, { client: { ...bench.client, listReports } })).toMatchObject({ collected: 1 });
  expect(await versions(bench, 'report')).toEqual(['R100001-1 v1']);
});

test("keeps ids that are no file names inside the project's folder", async () => {
  await using bench = await returnedProjects(1);
  const listReports: ServiceClient['listReports'] = async () => ({
    kind: 'ok',
    value: [{ id: '../../../outside', type: 'x' }],
  });
  const getReportSummary: ServiceClient['getReportSummary'] = async (id) => ({
    kind: 'ok',
    value: { report: { id }, bytes: Buffer.from('{}') },
  });
  const openReportFile: ServiceClient['openReportFile'] = () => bench.client.openReportFile('R100001-1');
  await run(bench, { images: 'none', client: { ...bench.client, listReports, getReportSummary, openReportFile } });
  const artifacts = await bench.ledger.artifactsOf(ID);
  expect(artifacts).toHaveLength(2);
  expect(artifacts.every(({ path }) => /^state\/downloads\/100001\/[^/]+$/.test(path))).toBe(true);
});

/** The bench's client, of which these project ids get no answer. */
function withoutAnswerFor({ client }: RunBench, silent: (id: string) => boolean): ServiceClient {
  const listReports: ServiceClient['listReports'] = async (id) =>
    silent(id) ? { kind: 'transient', reason: 'HTTP 503', status: 503, retryAfterMs: null } : client.listReports(id);
  return { ...client, listReports };
}

test('skips a project without an answer and fetches it next run', async () => {
  await using bench = await returnedProjects(4);
  const client = withoutAnswerFor(bench, (id) => id === '100002');
  expect(await run(bench, { client, maxConcurrency: 1 })).toMatchObject({
    changedStatuses: 4,
    collected: 3,
    stopped: null,
  });
  expect((await bench.ledger.followedProjects())[1]).toMatchObject({
    id: '100002',
    collectedAt: null,
    problem: expect.stringContaining('HTTP 503'),
  });
  expect(await run(bench)).toMatchObject({ collected: 1, stopped: null });
});

test('stops after several projects without an answer and resumes next run', async () => {
  await using bench = await returnedProjects(9);
  const client = withoutAnswerFor(bench, (id) => id > '100002');
  // Nor does the small search with which it is asked whether it is there.
  const searchProjects: ServiceClient['searchProjects'] = async (query) =>
    query.limit === 1
      ? { kind: 'transient', reason: 'HTTP 503', status: 503, retryAfterMs: null }
      : client.searchProjects(query);
  expect(await run(bench, { client: { ...client, searchProjects }, maxConcurrency: 1 })).toMatchObject({
    changedStatuses: 9,
    collected: 2,
    left: 7,
    stopped: expect.stringContaining('HTTP 503'),
  });
  expect(await bench.ledger.followedProjects()).toMatchObject([
    {},
    {},
    {},
    {},
    {},
    {},
    {},
    { problem: null },
    { problem: null },
  ]);
  expect(await run(bench)).toMatchObject({ collected: 7, stopped: null });
});

test('passes over projects that each get no answer', async () => {
  await using bench = await returnedProjects(9);
  const client = withoutAnswerFor(bench, (id) => id < '100009');
  expect(await run(bench, { client, maxConcurrency: 1 })).toMatchObject({
    changedStatuses: 9,
    collected: 1,
    left: 8,
    stopped: null,
  });
});

test('requests nothing more after a stop', async () => {
  await using bench = await returnedProjects(3);
  const before = await requestsFor(bench, '/v1/project');
  expect(await run(bench, { signal: AbortSignal.abort(new Error('stop')) })).toMatchObject({
    changedStatuses: 0,
    collected: 0,
    stopped: expect.stringContaining('stop'),
  });
  expect(await requestsFor(bench, '/v1/project')).toBe(before);
});

/** The bench's client with an end of the wait at the first list of reports, and how many lists were asked for. */
function stoppedAtReports({ client }: RunBench) {
  const stop = new AbortController();
  const asked: string[] = [];
  const listReports: ServiceClient['listReports'] = async (id) => {
    asked.push(id);
    stop.abort(new Error('stop'));
    return { kind: 'transient', reason: 'HTTP 503', status: 503, retryAfterMs: null };
  };
  return { asked, changes: { client: { ...client, listReports }, signal: stop.signal, maxConcurrency: 1 } };
}

test.each([RETURNED, 'Client Received'])('a stop while fetching %s notes no problem', async (status) => {
  await using bench = await returnedProjects(3, { notShown: { afterReceived: 'kept' } });
  for (const { id } of await bench.ledger.followedProjects()) await bench.service.setStatus(id, status);
  const { asked, changes } = stoppedAtReports(bench);
  expect(await run(bench, changes)).toMatchObject({ changedStatuses: 3, collected: 0, left: 3 });
  expect(asked).toHaveLength(1);
  expect((await bench.ledger.followedProjects()).map(({ problem }) => problem)).toEqual([null, null, null]);
});

test('a stop while checking for later reports asks about no other project', async () => {
  await using bench = await returnedProjects(2);
  await run(bench);
  const { asked, changes } = stoppedAtReports(bench);
  await run(bench, changes);
  expect(asked).toHaveLength(1);
});

test('fetches returned projects even if no status can be asked for', async () => {
  await using bench = await returnedProjects(1);
  await bench.ledger.recordStatuses([{ id: ID, status: RETURNED }]);
  const away = async () => ({ kind: 'transient', reason: 'HTTP 503', status: 503, retryAfterMs: null }) as const;
  const client = { ...bench.client, searchProjects: away, getStatus: away };
  expect(await run(bench, { client })).toMatchObject({ collected: 1, stopped: expect.stringContaining('HTTP 503') });
});

test('collects a project that was received before it was collected', async () => {
  await using bench = await returnedProjects(1, { notShown: { afterReceived: 'kept' } });
  await bench.service.setStatus(ID, 'Client Received');
  expect(await run(bench)).toMatchObject({ collected: 1, left: 0, forPerson: 0 });
  expect(await versions(bench, 'report')).toEqual(['R100001-1 v1']);
  expect(await bench.ledger.followedProjects()).toEqual([]);
});

test('notifies a person once when the service no longer offers files', async () => {
  await using bench = await returnedProjects(1);
  await bench.service.setStatus(ID, 'Client Received');
  const silent = withoutAnswerFor(bench, () => true);
  expect(await run(bench, { client: silent })).toMatchObject({ collected: 0, left: 1, forPerson: 0 });
  expect(await bench.ledger.followedProjects()).toMatchObject([{ id: ID, fetch: null }]);
  expect(await run(bench)).toMatchObject({ collected: 0, left: 0, forPerson: 1 });
  expect(await bench.ledger.followedProjects()).toEqual([]);
  const [shown] = await Array.fromAsync(bench.ledger.projectsForResults(true));
  expect(shown?.project).toMatchObject({
    status: 'Client Received',
    collectedAt: null,
    problemCode: 'received-elsewhere',
  });
  expect(await run(bench)).toMatchObject({ forPerson: 0 });
});

// It keeps asking every night, and takes the report when it appears.
test('hands a missing report to a person after five nights', async () => {
  await using bench = await returnedProjects(1);
  const client: ServiceClient = { ...bench.client, openReportFile: async () => ({ kind: 'not-found', message: 'no' }) };
  const nights: string[] = [];
  for (let night = 1; night <= 7; night += 1) {
    const { left, forPerson } = await run(bench, { client });
    // Started again within the hour, it is the same night.
    await run(bench, { client });
    nights.push(`${left} left, ${forPerson} for a person`);
    await bench.clock.advance(24 * 60 * 60 * 1000);
  }
  expect(nights).toEqual([
    ...Array.from({ length: 4 }, () => '1 left, 0 for a person'),
    ...Array.from({ length: 3 }, () => '0 left, 1 for a person'),
  ]);
  expect(await bench.ledger.followedProjects()).toMatchObject([
    { status: RETURNED, collectedAt: null, problemCode: 'files-incomplete', fetch: { nights: 7 } },
  ]);
  expect(await run(bench)).toMatchObject({ collected: 1, left: 0, forPerson: 0 });
});

test('counts the nights of a photo whose connection is always cut', async () => {
  await using bench = await returnedProjects(2);
  const openImageFile: ServiceClient['openImageFile'] = async (id) =>
    id.startsWith('I100001')
      ? { kind: 'transient', reason: 'ECONNRESET', status: null, retryAfterMs: null }
      : bench.client.openImageFile(id);
  const nights: string[] = [];
  for (let night = 1; night <= 3; night += 1) {
    const { left, forPerson } = await run(bench, { client: { ...bench.client, openImageFile }, retryNights: 2 });
    nights.push(`${left} left, ${forPerson} for a person`);
    await bench.clock.advance(24 * 60 * 60 * 1000);
  }
  expect(nights).toEqual(['1 left, 0 for a person', '0 left, 1 for a person', '0 left, 1 for a person']);
  expect(await bench.ledger.followedProjects()).toMatchObject([
    { id: ID, problemCode: 'files-incomplete', problem: expect.stringContaining('ECONNRESET') },
    { problem: null },
  ]);
});

test('counts no night of a project without an answer in an outage', async () => {
  await using bench = await returnedProjects(1);
  const client = withoutAnswerFor(bench, () => true);
  const searchProjects: ServiceClient['searchProjects'] = async (query) =>
    query.limit === 1
      ? { kind: 'transient', reason: 'HTTP 503', status: 503, retryAfterMs: null }
      : client.searchProjects(query);
  expect(await run(bench, { client: { ...client, searchProjects } })).toMatchObject({ left: 1 });
  expect(await bench.ledger.followedProjects()).toMatchObject([{ problemCode: 'fetch-failed', fetch: null }]);
  expect(await run(bench, { client })).toMatchObject({ left: 1 });
  expect(await bench.ledger.followedProjects()).toMatchObject([{ fetch: { outcome: 'incomplete', nights: 1 } }]);
});

test('reports files that are still missing once in a return', async () => {
  await using bench = await returnedProjects(1);
  const client: ServiceClient = { ...bench.client, openReportFile: async () => ({ kind: 'not-found', message: 'no' }) };
  const reported: number[] = [];
  for (let night = 1; night <= 4; night += 1) {
    await run(bench, { client, retryNights: 2 });
    const news = (await bench.ledger.openNews()).filter(({ kind }) => kind === 'files-missing');
    await bench.ledger.markReported(news.map(({ id }) => id));
    reported.push(news.length);
    await bench.clock.advance(24 * 60 * 60 * 1000);
  }
  expect(reported).toEqual([0, 1, 0, 0]);
});

test('refuses the summary of another project', async () => {
  await using bench = await returnedProjects(1);
  const getReportSummary: ServiceClient['getReportSummary'] = async (id) => {
    const read = await bench.client.getReportSummary(id);
    if (read.kind !== 'ok') return read;
    return { ...read, value: { ...read.value, report: { ...read.value.report, project: { id: 7 } } } };
  };
  await run(bench, { client: { ...bench.client, getReportSummary } });
  expect(await versions(bench, 'summary')).toEqual([]);
  expect(await bench.ledger.followedProjects()).toMatchObject([
    { id: ID, lacking: [expect.stringMatching(/^summary of report /)], problem: expect.stringContaining('project 7') },
  ]);
});

test('takes a compressed report if there is one, else the full one', async () => {
  await using bench = await returnedProjects(2);
  const asked: string[] = [];
  const openReportFile: ServiceClient['openReportFile'] = async (id, options) => {
    const answer =
      id === 'R100002-1' && options?.compressed === true
        ? ({ kind: 'not-found', message: 'none' } as const)
        : await bench.client.openReportFile(id, options);
    asked.push(`${id} ${options?.compressed === true ? 'compressed' : 'full'} ${answer.kind}`);
    return answer;
  };
  expect(
    await run(bench, { reports: 'compressed', maxConcurrency: 1, client: { ...bench.client, openReportFile } }),
  ).toMatchObject({ collected: 2 });
  expect(asked).toEqual(['R100001-1 compressed ok', 'R100002-1 compressed not-found', 'R100002-1 full ok']);
});

test('refreshes an expired signed URL and blames the file, not the service', async () => {
  await using bench = await returnedProjects(6);
  await bench.service.control('POST', '/faults', [{ kind: 'expired-url', match: { route: '/files/*' }, times: 2 }]);
  expect(await run(bench, { maxConcurrency: 1 })).toMatchObject({ collected: 6, stopped: null });
  await using other = await returnedProjects(6);
  await other.service.control('POST', '/faults', [{ kind: 'expired-url', match: { route: '/files/*' } }]);
  expect(await run(other, { maxConcurrency: 1 })).toMatchObject({ collected: 0, left: 6, stopped: null });
  expect(await other.ledger.followedProjects()).toMatchObject(
    Array.from({ length: 6 }, () => ({ problem: expect.stringContaining('HTTP 403') })),
  );
});

test('requests each list, file, and summary of a return exactly once', async () => {
  await using bench = await returnedProjects(12);
  await bench.service.control('POST', '/faults', []);
  const before = await serviceRequests(bench);
  expect(await run(bench)).toMatchObject({ collected: 12 });
  const images = (
    await Promise.all(Array.from({ length: 12 }, (_, index) => bench.ledger.artifactsOf(String(100_001 + index))))
  )
    .flat()
    .filter(({ kind }) => kind === 'image').length;
  expect((await serviceRequests(bench)) - before).toBe(12 * 4 + images + 1);
});

/** Requests at the service's own origin, tokens aside. */
async function serviceRequests(bench: RunBench): Promise<number> {
  return (await requestsFor(bench, '/v1/')) - (await requestsFor(bench, '/v1/oauth'));
}

test('does not download unchanged files again after an interrupted second return', async () => {
  await using bench = await returnedProjects(1);
  await run(bench);
  await bench.service.setStatus(ID, 'Project Rework');
  await run(bench);
  await bench.service.setStatus(ID, RETURNED);
  const broken = withReportBytes(bench, (whole) => whole.subarray(0, 500));
  expect(await run(bench, { client: broken })).toMatchObject({ collected: 0, left: 1 });
  const before = [await requestsFor(bench, '/image/{imageId}'), await requestsFor(bench, '/summary')];
  expect(await run(bench)).toMatchObject({ collected: 1 });
  expect([await requestsFor(bench, '/image/{imageId}'), await requestsFor(bench, '/summary')]).toEqual(before);
});

test('stores two ids with the same safe file name separately', async () => {
  await using bench = await returnedProjects(1);
  const ids = ['R/1', 'R:1'];
  const listReports: ServiceClient['listReports'] = async () => ({
    kind: 'ok',
    value: ids.map((id) => ({ id, type: 'Inspection Closeout Report' })),
  });
  const openReportFile: ServiceClient['openReportFile'] = () => bench.client.openReportFile('R100001-1');
  const getReportSummary: ServiceClient['getReportSummary'] = async () => ({ kind: 'not-found', message: 'none' });
  expect(
    await run(bench, { images: 'none', client: { ...bench.client, listReports, openReportFile, getReportSummary } }),
  ).toMatchObject({ collected: 1 });
  expect(new Set((await bench.ledger.artifactsOf(ID)).map(({ path }) => path)).size).toBe(2);
});

test('records the closeout reasons and drops them after a later return', async () => {
  await using bench = await returnedProjects(1);
  const reasons = ['Pilot was denied on location.'];
  const getReportSummary: ServiceClient['getReportSummary'] = async (id) => ({
    kind: 'ok',
    value: { report: { id, summary: { closeoutReasons: reasons } }, bytes: Buffer.from('{"report":[]}') },
  });
  expect(await run(bench, { client: { ...bench.client, getReportSummary } })).toMatchObject({ collected: 1 });
  expect(await bench.ledger.closeouts()).toMatchObject([{ projectId: ID, reasons }]);
  await bench.service.setStatus(ID, 'Project Rework');
  await run(bench);
  await bench.service.setStatus(ID, RETURNED);
  await run(bench);
  expect(await bench.ledger.closeouts()).toEqual([]);
});

test("fetches a project's files in parallel within the request limit", async () => {
  await using bench = await returnedProjects(2);
  let underWay = 0;
  let most = 0;
  const counted =
    <Args extends readonly unknown[], T>(read: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      most = Math.max(most, ++underWay);
      try {
        return await read(...args);
      } finally {
        underWay -= 1;
      }
    };
  const { client: whole } = bench;
  const asked = { summary: Promise.withResolvers<void>(), images: Promise.withResolvers<void>() };
  const client: ServiceClient = {
    ...whole,
    getReportSummary: counted((id) => (asked.summary.resolve(), whole.getReportSummary(id))),
    listImages: counted((id) => (asked.images.resolve(), whole.listImages(id))),
    openImageFile: counted((id) => whole.openImageFile(id)),
    // It comes only once the rest was asked for: the files of both projects leave room for one part more.
    openReportFile: counted(async (id) => {
      await Promise.all([asked.summary.promise, asked.images.promise]);
      return whole.openReportFile(id);
    }),
  };
  expect(await run(bench, { client, maxConcurrency: 3 })).toMatchObject({ collected: 2 });
  expect(most).toBe(3);
});
