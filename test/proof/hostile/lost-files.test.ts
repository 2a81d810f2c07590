import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  acknowledgeDelivered,
  collectProjects,
  type CollectReport,
  fetchLostFiles,
} from '../../../src/collect/collect-run.ts';
import { deliver, type DeliverContext } from '../../../src/results/deliver/deliver.ts';
import { deliveryIndex, type DeliveryIndex } from '../../../src/domain/delivery.ts';
import { silentLog } from '../../../src/domain/ports.ts';
import type { StoredArtifact } from '../../../src/ledger/artifacts.ts';
import { sha256OfFile } from '../../../src/ops/durable-files.ts';
import { ensureWorkspace, workspaceAt } from '../../../src/ops/workspace.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';
import { newOrder, recordOrders } from '../../support/order-factory.ts';
import { inTurn } from '../../support/proof-size.ts';
import { collectContext, openRunBench, type RunBench, submitContext } from '../../support/run-bench.ts';
import { takeCensus } from '../../../src/upkeep/take-census.ts';
import { NO_RULES } from '../../support/full-summary.ts';

const RETURNED = 'Returned to Client';
const ID = '100001';
const OTHER = '100002';

/** A workspace with two projects of ours, both returned and collected. */
async function collected(): Promise<RunBench> {
  await using opened = new AsyncDisposableStack();
  const bench = opened.use(await openRunBench());
  await ensureWorkspace(workspaceAt(bench.folder));
  await recordOrders(
    bench.ledger,
    ['A-1', 'A-2'].map((inspectionNumber) => newOrder({ inspectionNumber })),
  );
  await bench.clock.drive(submitOrders(submitContext(bench)));
  for (const { id } of await bench.ledger.followedProjects()) await bench.service.setStatus(id, RETURNED);
  expect(await collect(bench)).toMatchObject({ collected: 2, stopped: null });
  const resources = opened.move();
  return { ...bench, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function collect(bench: RunBench, client: ServiceClient = bench.client): Promise<CollectReport> {
  await bench.clock.advance(60_000);
  return bench.clock.drive(collectProjects(collectContext({ ...bench, client })));
}

/** A delivery, as a run writes it; its index. `client` null: the service is away. */
async function handOver(
  bench: RunBench,
  run: string,
  { client = bench.client, all = false }: { client?: ServiceClient | null; all?: boolean } = {},
): Promise<DeliveryIndex> {
  const { ledger, clock, folder } = bench;
  const fetchAgain = async (ids: ReadonlySet<string>): Promise<void> =>
    void (client !== null && (await clock.drive(fetchLostFiles(ids, collectContext({ ...bench, client })))));
  const parts: DeliverContext = {
    ledger,
    clock,
    log: silentLog,
    workspace: workspaceAt(folder),
    run,
    attention: NO_RULES,
    columns: null,
    thumbnails: { perProject: 1, inAll: 10 },
    formats: ['xlsx'],
    fetchAgain,
  };
  expect(await deliver(parts, { orders: false, results: true, all, files: [] })).not.toBeNull();
  return deliveryIndex.parse(JSON.parse(await readFile(join(folder, 'deliveries', run, 'index.json'), 'utf8')));
}

const fileOf = async ({ ledger }: RunBench, kind: StoredArtifact['kind'], id = ID): Promise<StoredArtifact> => {
  const file = (await ledger.filesOf(id)).find((candidate) => candidate.kind === kind);
  if (file === undefined) throw new Error(`${id} has no ${kind}`);
  return file;
};

/** Every file that the index names is in the delivery as it says. */
async function expectWhole({ folder }: RunBench, { run, projects }: DeliveryIndex): Promise<void> {
  for (const { path, sha256 } of projects.flatMap(({ files }) => files))
    expect([path, await sha256OfFile(join(folder, 'deliveries', run, path))]).toEqual([path, sha256]);
}

const kindsOf = (index: DeliveryIndex, id = ID): readonly string[] =>
  [...new Set(index.projects.find(({ projectId }) => projectId === id)?.files.map(({ kind }) => kind))].toSorted();

async function wrongIn(bench: RunBench): Promise<readonly string[]> {
  const census = takeCensus({ ...collectContext(bench), archive: join(bench.folder, 'archive') });
  return (await bench.clock.drive(Array.fromAsync(census))).flatMap(({ mark, about, id, detail }) =>
    mark === '=' || about === 'file' ? [] : [`${mark} ${about} ${id}: ${detail}`],
  );
}

/** As long as before, and another. */
async function rot(path: string): Promise<void> {
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1));
}

/** Each does something to a stored file, given its path. */
const HARMS: readonly (readonly [string, (path: string) => Promise<unknown>])[] = [
  ['is missing', (path) => rm(path)],
  ['lies in a folder that is missing', (path) => rm(dirname(path), { recursive: true })],
  ['is empty', (path) => writeFile(path, '')],
  ['has another byte', rot],
  ['is cut', async (path) => writeFile(path, (await readFile(path)).subarray(0, -1))],
  ['is a folder', async (path) => (await rm(path), mkdir(join(path, 'more'), { recursive: true }))],
  ['is a link to what it was', async (path) => (await rename(path, `${path}.moved`), symlink(`${path}.moved`, path))],
  ['is a link to nothing', async (path) => (await rm(path), symlink('/nowhere/at/all', path))],
];
/** What is lost is told in one place, whatever comes of it: a few stand for all. */
const SOME_HARMS = inTurn(HARMS, 4);
const EVERY_HARM = (['report', 'summary', 'image'] as const).flatMap((kind) =>
  HARMS.slice(0, kind === 'report' ? undefined : 4).map(([what, harm]) => [kind, what, harm] as const),
);

test.each(inTurn(EVERY_HARM, 4))('stores a further version of a %s that %s', async (kind, _what, harm) => {
  await using bench = await collected();
  const before = await fileOf(bench, kind);
  await harm(join(bench.folder, before.path));
  const index = await handOver(bench, 'run-1');
  expect([kindsOf(index), kindsOf(index, OTHER), index.projects.map(({ problem }) => problem)]).toEqual([
    ['image', 'report', 'summary'],
    ['image', 'report', 'summary'],
    [null, null],
  ]);
  await expectWhole(bench, index);
  expect(await fileOf(bench, kind)).toMatchObject({ version: before.version + 1, sha256: before.sha256, lost: null });
  expect(
    (await bench.ledger.artifactsOf(ID)).find(
      ({ kind: also, serviceId, version }) => also === kind && serviceId === before.serviceId && version === 1,
    ),
  ).toMatchObject({ path: before.path, lost: expect.any(String) });
  expect(await wrongIn(bench)).toEqual([]);
  // Nothing in it is another than before.
  expect(await bench.ledger.earlierSummaries(ID)).toBeNull();
});

test.each(SOME_HARMS)('delivers a note if a report %s while the service is away', async (_what, harm) => {
  await using bench = await collected();
  const { path, serviceId } = await fileOf(bench, 'report');
  await harm(join(bench.folder, path));
  const index = await handOver(bench, 'run-1', { client: null });
  expect([kindsOf(index).includes('report'), kindsOf(index, OTHER)]).toEqual([false, ['image', 'report', 'summary']]);
  expect(index.projects.map(({ problem }) => problem)).toEqual([
    expect.stringMatching(new RegExp(`^Not in this delivery: .*report ${serviceId} \\(its stored file `)),
    null,
  ]);
  await expectWhole(bench, index);
  expect(await collect(bench)).toMatchObject({ left: 0, stopped: null });
  const next = await handOver(bench, 'run-2');
  expect(next.projects).toMatchObject([{ projectId: ID, problem: null }]);
  expect(kindsOf(next)).toEqual(['image', 'report', 'summary']);
  expect(await wrongIn(bench)).toEqual([]);
});

test('gives up on a lost file that the service answers with 404', async () => {
  await using bench = await collected();
  await rm(join(bench.folder, (await fileOf(bench, 'report')).path));
  const client: ServiceClient = {
    ...bench.client,
    openReportFile: async () => ({ kind: 'not-found', message: 'gone' }),
  };
  const index = await handOver(bench, 'run-1', { client });
  expect(index.projects.map(({ problem }) => problem)).toEqual([
    expect.stringMatching(/\(404\).* report R100001-1 \(.* is missing\)\./),
    null,
  ]);
  const nights = [];
  for (let night = 0; night < 6; night += 1) {
    await bench.clock.advance(24 * 60 * 60 * 1000);
    nights.push(await collect(bench, client));
  }
  expect(nights.map(({ left, forPerson }) => `${left} left, ${forPerson} for a person`)).toEqual([
    ...Array<string>(3).fill('1 left, 0 for a person'),
    ...Array<string>(3).fill('0 left, 1 for a person'),
  ]);
  await handOver(bench, 'run-2', { client, all: true });
  expect(
    await bench.clock.drive(acknowledgeDelivered(await bench.ledger.deliveredProjects(), collectContext(bench))),
  ).toBe(1);
  expect([await bench.service.status(ID), await bench.service.status(OTHER)]).toEqual([RETURNED, 'Client Received']);
});

test('fetchLostFiles fetches a file of a project in rework', async () => {
  await using bench = await collected();
  const inRework = { id: ID, status: 'Project Rework' };
  const client: ServiceClient = {
    ...bench.client,
    searchProjects: async () => ({ kind: 'ok', value: [inRework] }),
    getStatus: async (id) => (id === ID ? { kind: 'ok', value: inRework } : bench.client.getStatus(id)),
  };
  await collect(bench, client);
  expect((await bench.ledger.followedProjects([ID])).map(({ status }) => status)).toEqual(['Project Rework']);
  await rm(join(bench.folder, (await fileOf(bench, 'report')).path));
  const index = await handOver(bench, 'run-1', { client, all: true });
  expect(index.projects.map(({ problem }) => problem)).toEqual([null, null]);
  await expectWhole(bench, index);
  expect(await wrongIn(bench)).toEqual([]);
});

test('delivers a file that rotted before its project is received', async () => {
  await using bench = await collected();
  await handOver(bench, 'run-1');
  const { path } = await fileOf(bench, 'image');
  await rot(join(bench.folder, path));
  const receive = async (): Promise<number> =>
    bench.clock.drive(acknowledgeDelivered(await bench.ledger.deliveredProjects(), collectContext(bench)));
  expect([await receive(), await bench.service.status(ID)]).toEqual([1, RETURNED]);
  await collect(bench);
  expect((await handOver(bench, 'run-2')).projects).toMatchObject([{ projectId: ID, problem: null }]);
  expect([await receive(), await bench.service.status(ID)]).toEqual([1, 'Client Received']);
});

test('delivers a note if the file of a received project is missing', async () => {
  await using bench = await collected();
  await handOver(bench, 'run-1');
  await bench.clock.drive(acknowledgeDelivered(await bench.ledger.deliveredProjects(), collectContext(bench)));
  expect(await bench.service.status(ID)).toBe('Client Received');
  await rm(join(bench.folder, (await fileOf(bench, 'report')).path));
  const index = await handOver(bench, 'run-2', { all: true });
  expect(index.projects.map(({ problem }) => problem)).toEqual([
    expect.stringMatching(/is missing.* report R100001-1 \(/),
    null,
  ]);
  expect(await bench.ledger.followedProjects()).toEqual([]);
});

test.each(SOME_HARMS)('keeps the new return as another version if the report %s', async (_what, harm) => {
  await using bench = await collected();
  const before = await fileOf(bench, 'report');
  await bench.service.setStatus(ID, 'Project Rework');
  await collect(bench);
  await harm(join(bench.folder, before.path));
  await bench.service.setStatus(ID, RETURNED);
  expect(await collect(bench)).toMatchObject({ collected: 1, left: 0 });
  const after = await fileOf(bench, 'report');
  expect(after).toMatchObject({ version: 2, sha256: before.sha256 });
  expect(await sha256OfFile(join(bench.folder, after.path))).toBe(before.sha256);
  await expectWhole(bench, await handOver(bench, 'run-1'));
});

test('removes a repeated file only after the ledger confirmed the first', async () => {
  await using bench = await collected();
  const before = await fileOf(bench, 'report');
  await bench.service.setStatus(ID, 'Project Rework');
  await collect(bench);
  await bench.service.setStatus(ID, RETURNED);
  const seen: string[] = [];
  const again = join(bench.folder, before.path.replace('-v1.', '-v2.'));
  const ledger: RunBench['ledger'] = {
    ...bench.ledger,
    confirmArtifact: async (artifact) => {
      if (artifact.kind === 'report') seen.push(await sha256OfFile(again));
      await bench.ledger.confirmArtifact(artifact);
    },
  };
  await collect({ ...bench, ledger });
  expect(seen).toEqual([before.sha256]);
  await expect(readFile(again)).rejects.toThrow('ENOENT');
  expect(await sha256OfFile(join(bench.folder, before.path))).toBe(before.sha256);
});

test('finds a file that comes back, and fetches nothing', async () => {
  await using bench = await collected();
  const { path } = await fileOf(bench, 'report');
  await rename(join(bench.folder, path), join(bench.folder, 'aside'));
  await handOver(bench, 'run-1', { client: null });
  await rename(join(bench.folder, 'aside'), join(bench.folder, path));
  await collect(bench, { ...bench.client, openReportFile: () => Promise.reject(new Error('a file was asked for')) });
  expect(await fileOf(bench, 'report')).toMatchObject({ version: 1, lost: null });
  expect(kindsOf(await handOver(bench, 'run-2'))).toContain('report');
});

test('delivers a file that comes back before its project is received', async () => {
  await using bench = await collected();
  const { path } = await fileOf(bench, 'report');
  await rename(join(bench.folder, path), join(bench.folder, 'aside'));
  await handOver(bench, 'run-1', { client: null });
  await rename(join(bench.folder, 'aside'), join(bench.folder, path));
  const receive = async (): Promise<number> =>
    bench.clock.drive(acknowledgeDelivered(await bench.ledger.deliveredProjects(), collectContext(bench)));
  expect([await receive(), await bench.service.status(ID)]).toEqual([1, RETURNED]);
  await handOver(bench, 'run-2');
  expect([await receive(), await bench.service.status(ID)]).toEqual([1, 'Client Received']);
});

test('delivers a note if the folder of a project is a file', async () => {
  await using bench = await collected();
  for (const id of [ID, OTHER]) await rm(join(bench.folder, 'state/downloads', id), { recursive: true });
  await writeFile(join(bench.folder, 'state/downloads', ID), 'in the way');
  const index = await handOver(bench, 'run-1');
  expect([kindsOf(index), kindsOf(index, OTHER)]).toEqual([[], ['image', 'report', 'summary']]);
  expect(index.projects.map(({ problem }) => problem)).toEqual([
    expect.stringMatching(/cannot be stored.*Not in this delivery/),
    null,
  ]);
});

test('delivers notes if no file can be stored at all', async () => {
  await using bench = await collected();
  await rm(join(bench.folder, 'state/downloads'), { recursive: true });
  await writeFile(join(bench.folder, 'state/downloads'), 'in the way');
  const { projects } = await handOver(bench, 'run-1');
  expect(projects).toHaveLength(2);
  for (const { files, problem } of projects)
    expect([files, problem]).toEqual([[], expect.stringContaining('Not in this delivery')]);
  expect(await collect(bench)).toMatchObject({ stopped: expect.stringContaining('Files cannot be stored') });
});
