import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { exitCodeOfCensus } from '../../../src/night/exit-codes.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { ServiceUnavailable } from '../../../src/service/reads.ts';
import { submitOrders } from '../../../src/submit/submit-run.ts';
import { attemptOf, newOrder, newRow, orderPayload, recordOrders } from '../../support/order-factory.ts';
import { openRunBench, type RunBench, submitContext } from '../../support/run-bench.ts';
import { countMarks } from '../../../src/upkeep/compare-with-service.ts';
import { takeCensus } from '../../../src/upkeep/take-census.ts';

const FILE = 'archive/2026/03/05/orders.csv';
const WORKBOOK = 'corrections/orders - to fix.xlsx';
const CONTENT = 'the file as it was dropped';
const ARTIFACT = 'state/downloads/an account/100001/R1.pdf';
const REPORT = 'a report';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Three orders with projects 100001 … 100003, their file archived, a report of the first, a delivery: books that balance. */
async function balancedBooks(): Promise<RunBench> {
  await using opened = new AsyncDisposableStack();
  const bench = opened.use(await openRunBench());
  const { ledger } = bench;
  await ledger.startRun('a run', 'run');
  const orders = ['A-1', 'A-2']
    .map((inspectionNumber) => newOrder({ inspectionNumber }))
    .concat(newOrder({ policyNumber: 'P-3' }));
  const file = await ledger.recordFile(
    { hash: sha256(CONTENT), name: 'orders.csv', layouts: [], notes: [] },
    async (transaction) => {
      for (const [index, order] of orders.entries())
        transaction.addRow(newRow({ outcome: 'order', orderId: transaction.addOrder(order) }, index + 2));
      transaction.addRow(newRow({}, 5));
    },
  );
  await ledger.markCorrected(file.id, [4], WORKBOOK);
  await put(bench, WORKBOOK, 'rows to fix');
  await put(bench, FILE, CONTENT);
  await ledger.markArchived(file.id, FILE);
  await bench.clock.drive(submitOrders(submitContext(bench)));
  await put(bench, ARTIFACT, REPORT);
  await ledger.recordArtifact({
    projectId: '100001',
    kind: 'report',
    serviceId: 'R1',
    version: 1,
    type: '',
    detail: {},
    path: ARTIFACT,
    bytes: REPORT.length,
    sha256: sha256(REPORT),
  });
  await put(bench, 'deliveries/a run/results.xlsx', 'a workbook');
  await put(bench, 'deliveries/a run/reports.zip', `PK\x05\x06${'\0'.repeat(18)}`);
  await ledger.recordDelivery({
    run: 'a run',
    folder: 'deliveries/a run',
    contents: {
      folder: 'deliveries/a run',
      workbook: 'deliveries/a run/results.xlsx',
      archive: 'deliveries/a run/reports.zip',
      report: null,
    },
    orderIds: [],
    results: false,
    projectIds: [],
    seen: await ledger.newestIds(),
  });
  const resources = opened.move();
  return { ...bench, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function put({ folder }: RunBench, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

async function census({ ledger, client, clock, folder }: RunBench) {
  const parts = {
    ledger,
    client,
    clock,
    sleep: clock.sleep,
    random: () => 0.5,
    signal: new AbortController().signal,
    root: folder,
    archive: join(folder, 'archive'),
  };
  return clock.drive(Array.fromAsync(takeCensus(parts)));
}

/** The lines that do not balance. */
async function differences(bench: RunBench): Promise<readonly string[]> {
  return (await census(bench))
    .filter(({ mark }) => mark !== '=')
    .map(({ mark, about, id, code }) => `${mark} ${about} ${id}: ${code}`);
}

describe('takeCensus', () => {
  test('a matching ledger gives only = lines and changes nothing', async () => {
    await using bench = await balancedBooks();
    const dump = (): string => {
      using database = new DatabaseSync(join(bench.folder, 'ledger.sqlite'), { readOnly: true });
      return JSON.stringify(
        ['orders', 'projects', 'steps', 'runs', 'files', 'updates'].map((table) =>
          database.prepare(`SELECT * FROM ${table}`).all(),
        ),
      );
    };
    const before = dump();
    const lines = await census(bench);
    expect(countMarks(lines)).toEqual({ '=': 6, '-': 0, '+': 0, '*': 0, '!': 0 });
    expect(lines.map(({ about }) => about)).toEqual(['order', 'order', 'order', 'file', 'artifact', 'delivery']);
    expect(dump()).toBe(before);
  });

  test("amended, canceled and others' projects match", async () => {
    await using bench = await balancedBooks();
    const { ledger, client, service } = bench;
    const amended = await ledger.beginUpdate({
      projectId: '100003',
      request: { kind: 'amend', policyNumber: 'P-9' },
      before: {},
      source: null,
    });
    await client.updateProject('100003', { policyNumber: 'P-9' });
    await ledger.endUpdate(amended ?? 0, { to: 'done', status: null, settled: false });
    await client.putStatus('100001', { value: 'Project Canceled' });
    await ledger.recordStatuses([{ id: '100001', status: 'Project Canceled' }]);
    await service.create({ inspectionNumber: 'Z-1', streetAddress: '1 Far Away' });
    const twin = await service.create({ ...orderPayload(), inspectionNumber: 'A-2', allowDuplication: true });
    await client.putStatus(twin, { value: 'Project Canceled' });
    expect(await differences(bench)).toEqual([]);
  });

  /** A ledger page changed behind its back. */
  function spoil({ folder }: RunBench, sql: string): void {
    using database = new DatabaseSync(join(folder, 'ledger.sqlite'));
    database.exec(sql);
  }

  async function unresolvedOrder(ledger: Ledger, inspectionNumber: string): Promise<number> {
    const [id = 0] = await recordOrders(ledger, [newOrder({ inspectionNumber })], `${inspectionNumber}.csv`);
    await ledger.beginAttempt(id, { ...attemptOf('100003'), payloadHash: newOrder({ inspectionNumber }).payloadHash });
    await ledger.moveOrder(id, 'submitting', {
      to: 'unresolved',
      code: 'outcome-unknown',
      reason: '504',
      uncertainSince: 0,
    });
    return id;
  }

  test.each<[string, (bench: RunBench) => Promise<unknown>, readonly string[]]>([
    [
      'a project that the service does not know',
      async (bench) =>
        spoil(
          bench,
          'PRAGMA foreign_keys = OFF; UPDATE projects SET id = 100999 WHERE id = 100002; UPDATE orders SET project_id = 100999 WHERE project_id = 100002',
        ),
      ['- order 2: project-unknown', '* order 2: second-project'],
    ],
    [
      'a project that is not what its order asked for',
      ({ client }) => client.updateProject('100003', { policyNumber: 'elsewhere' }),
      ['* order 3: project-differs'],
    ],
    [
      'one project for two orders',
      async (bench) => spoil(bench, 'UPDATE orders SET project_id = 100001 WHERE id = 2'),
      [
        '* project 100001: project-shared',
        '* order 2: project-differs',
        '* order 2: second-project',
        '* project 100002: ledger-contradicts-itself',
      ],
    ],
    [
      'two projects for one order',
      ({ service }) => service.create({ ...orderPayload(), inspectionNumber: 'A-1', allowDuplication: true }),
      ['* order 1: second-project'],
    ],
    [
      'a canceled project that the service shows alive',
      ({ ledger }) => ledger.recordStatuses([{ id: '100001', status: 'Project Canceled' }]),
      ['* order 1: status-went-back'],
    ],
    [
      'an archived file that holds something else',
      (bench) => put(bench, FILE, 'something else'),
      ['* file orders.csv: file-different'],
    ],
    ['an archived file that is missing', ({ folder }) => rm(join(folder, FILE)), ['- file orders.csv: file-missing']],
    [
      'a file in the archive that another account took in',
      async (bench) => {
        await put(bench, 'archive/2026/03/05/other.csv', 'of another account');
        await using other = openSqliteLedger(join(bench.folder, 'ledger.sqlite'), {
          clock: bench.clock,
          account: 'another account',
        });
        const file = { hash: sha256('of another account'), name: 'other.csv', layouts: [], notes: [] };
        await other.recordFile(file, async () => {});
      },
      [],
    ],
    [
      'a file in the archive that is not on record',
      (bench) => put(bench, 'archive/2026/03/05/stray.csv', 'who am I'),
      ['+ file archive/2026/03/05/stray.csv: file-not-on-record'],
    ],
    [
      'rows that were lost',
      async (bench) => spoil(bench, 'DELETE FROM rows WHERE row_number = 5'),
      ['* file orders.csv: rows-miscounted'],
    ],
    [
      'a rejection in no corrections workbook',
      async (bench) => spoil(bench, 'UPDATE rows SET corrections = NULL'),
      ['! file orders.csv: corrections-unwritten'],
    ],
    [
      'a corrections workbook that is gone while a row in it is open',
      async ({ folder, clock }) => (await rm(join(folder, WORKBOOK)), await clock.advance(8 * 86_400_000)),
      ['- file orders.csv: file-missing'],
    ],
    ['a corrections workbook that is empty', (bench) => put(bench, WORKBOOK, ''), ['- file orders.csv: file-missing']],
    [
      'a results workbook that is empty',
      (bench) => put(bench, 'deliveries/a run/results.xlsx', ''),
      ['* delivery a run: file-different'],
    ],
    ['a report that is missing', ({ folder }) => rm(join(folder, ARTIFACT)), ['- artifact 100001: file-missing']],
    ['a report that was cut', (bench) => put(bench, ARTIFACT, 'a rep'), ['* artifact 100001: file-different']],
    [
      'a report of the same size that holds something else',
      (bench) => put(bench, ARTIFACT, 'A REPORT'),
      ['* artifact 100001: file-different'],
    ],
    [
      'a reports archive that was cut off',
      (bench) => put(bench, 'deliveries/a run/reports.zip', '\n'),
      ['* delivery a run: file-different'],
    ],
    [
      'a delivery that is gone',
      ({ folder }) => rm(join(folder, 'deliveries'), { recursive: true }),
      ['- delivery a run: file-missing'],
    ],
    [
      'a state that its steps do not lead to',
      async (bench) => spoil(bench, "UPDATE orders SET state = 'linked' WHERE id = 2"),
      ['* order 2: ledger-contradicts-itself'],
    ],
    [
      'an attempt that is not on record',
      async (bench) => spoil(bench, 'DELETE FROM attempts WHERE order_id = 1'),
      ['* order 1: ledger-contradicts-itself'],
    ],
    [
      'an update whose outcome is not known',
      ({ ledger }) =>
        ledger.beginUpdate({ projectId: '100001', request: { kind: 'cancel' }, before: {}, source: null }),
      ['! update 100001: outcome-unknown'],
    ],
  ])('%s is found', async (_what, damage, expected) => {
    await using bench = await balancedBooks();
    await damage(bench);
    expect(new Set(await differences(bench))).toEqual(new Set(expected));
  });

  test('finds the project of an order in doubt', async () => {
    await using bench = await balancedBooks();
    const id = await unresolvedOrder(bench.ledger, 'A-4');
    const project = await bench.service.create({ ...orderPayload(), inspectionNumber: 'A-4' });
    const found = await differences(bench);
    expect(found).toContain(`+ project ${project}: project-without-order`);
    expect(found).toContain(`! order ${id}: order-unresolved`);
  });

  test('a recently moved corrections workbook is not missing', async () => {
    await using bench = await balancedBooks();
    await rm(join(bench.folder, WORKBOOK));
    expect(await differences(bench)).toEqual([]);
  });

  test('a corrections workbook without open rows is not missing', async () => {
    await using bench = await balancedBooks();
    await rm(join(bench.folder, WORKBOOK));
    await bench.ledger.dismissRows(await bench.ledger.openRowsOf(1));
    expect(await differences(bench)).toEqual([]);
  });

  test('an unresolved order gives exit code 4, a held one 3', async () => {
    await using bench = await balancedBooks();
    const id = await unresolvedOrder(bench.ledger, 'A-4');
    const exitCode = async () =>
      exitCodeOfCensus(
        (await census(bench)).filter(({ about }) => about === 'order'),
        null,
      );
    expect(await exitCode()).toBe(4);
    await bench.ledger.moveOrder(id, 'unresolved', {
      to: 'held',
      code: 'attempts-used-up',
      reason: 'two projects look like it',
    });
    expect(await exitCode()).toBe(3);
  });

  test('throws if the service is unavailable', async () => {
    await using bench = await balancedBooks();
    const client: RunBench['client'] = {
      ...bench.client,
      searchProjects: async () => ({ kind: 'transient', reason: 'away', status: 503, retryAfterMs: null }),
    };
    await expect(census({ ...bench, client })).rejects.toThrow(ServiceUnavailable);
  });

  test('does not miss files that retention removed on record', async () => {
    await using bench = await balancedBooks();
    const { ledger, folder } = bench;
    const removals = [
      { kind: 'original', path: FILE, bytes: 1 },
      { kind: 'download', path: ARTIFACT, bytes: 1 },
      { kind: 'delivery', path: 'deliveries/a run', bytes: 1 },
    ] as const;
    await ledger.beginRemovals(removals);
    for (const { path } of removals) await rm(join(folder, path), { recursive: true });
    await ledger.endRemovals(removals.map(({ path }) => path));
    expect(await differences(bench)).toEqual([]);
  });
});
