import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { identityOf, payloadHash } from '../../../src/domain/identity.ts';
import { ensureWorkspace, workspaceAt } from '../../../src/ops/workspace.ts';
import { applyPrune, planPrune, type PruneContext, removeOldLogs, type Retention } from '../../../src/upkeep/prune.ts';
import { writeNightsPage } from '../../../src/results/deliver/nights-page.ts';
import { decideRow } from '../../../src/submit/row-decision.ts';
import {
  attemptOf,
  newOrder,
  newRow,
  orderPayload,
  projectTie,
  rowRecord,
  validRow,
} from '../../support/order-factory.ts';
import { type LedgerBench, openLedgerBench } from '../../support/run-bench.ts';
import { onRecord, projectsOnRecord } from '../../support/on-record.ts';

const DAY = 24 * 60 * 60 * 1000;
const ALL: Retention = { archiveDays: 30, deliveriesDays: 30, logsDays: 30, downloadsDays: 30 };
/** Details of a person as they stand in every place of the ledger that holds some. */
const PERSON = {
  insuredName: 'Zebulon Quirk',
  streetAddress: '77 Wombat Crescent',
  insuredPhone: '555-7701',
  insuredEmail: 'zeb@quirk.example',
  note: 'the dog bites',
};

async function openBench(): Promise<LedgerBench & { readonly parts: PruneContext }> {
  const bench = await openLedgerBench();
  const workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
  return { ...bench, parts: { ledger: bench.ledger, workspace, clock: bench.clock } };
}

async function put({ folder }: LedgerBench, path: string, content: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

/** A file with one order, sent, archived, collected, handed over in the delivery of `run`, and then in this status. */
async function through(
  bench: LedgerBench,
  projectId: string,
  run: string,
  status: string,
  person: Partial<typeof PERSON> = {},
): Promise<void> {
  const { ledger } = bench;
  const content = `file of ${projectId}`;
  await ledger.startRun(run, 'run');
  const order = newOrder(person);
  let orderId = 0;
  const file = await ledger.recordFile(
    { hash: sha256(content), name: `${projectId}.csv`, layouts: [], notes: [] },
    async (transaction) => {
      orderId = transaction.addOrder(order);
      const record = {
        ...rowRecord(2),
        cells: Object.values(order.payload).map((value) => ({ kind: 'text' as const, text: String(value) })),
      };
      const problems = [
        {
          severity: 'warning' as const,
          rule: 'x',
          field: null,
          column: null,
          cell: null,
          value: order.payload.insuredName,
          message: `${order.payload.insuredName}?`,
        },
      ];
      transaction.addRow(
        newRow({
          outcome: 'order',
          orderId,
          record,
          problems,
          summary: {
            policyNumber: '',
            inspectionNumber: '',
            insuredName: order.payload.insuredName,
            streetAddress: order.payload.streetAddress,
          },
        }),
      );
    },
  );
  await put(bench, `archive/2026/01/01/${projectId}.csv`, content);
  await ledger.markArchived(file.id, `archive/2026/01/01/${projectId}.csv`);
  await ledger.beginAttempt(orderId, {
    ...attemptOf(),
    payload: order.payload,
    payloadHash: payloadHash(order.payload),
  });
  await ledger.moveOrder(orderId, 'submitting', {
    to: 'unresolved',
    code: 'outcome-unknown',
    reason: `Where is ${order.payload.streetAddress}?`,
    uncertainSince: 0,
  });
  await ledger.moveOrder(orderId, 'unresolved', { to: 'created', project: projectTie(projectId), adopted: true });
  await ledger.recordStatuses([{ id: projectId, status: 'Returned to Client' }]);
  const path = `state/downloads/a/${projectId}/report-R1-v1.pdf`;
  await put(bench, path, 'report');
  await ledger.recordArtifact({
    projectId,
    kind: 'report',
    serviceId: 'R1',
    version: 1,
    type: '',
    detail: {},
    path,
    bytes: 6,
    sha256: sha256('report'),
  });
  await ledger.markCollected(projectId);
  await put(bench, `deliveries/${run}/results.xlsx`, 'workbook');
  const contents = {
    folder: `deliveries/${run}`,
    workbook: `deliveries/${run}/results.xlsx`,
    orders: `deliveries/${run}/orders.xlsx`,
  };
  await ledger.recordDelivery({
    run,
    folder: `deliveries/${run}`,
    contents,
    orderIds: [orderId],
    results: false,
    projectIds: [projectId],
    seen: await ledger.newestIds(),
  });
  await ledger.recordStatuses([{ id: projectId, status }]);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A received project, one that is still followed, and a last delivery; then 100 days. */
async function threeProjects(bench: LedgerBench): Promise<void> {
  await through(bench, '11', 'run-1', 'Client Received', PERSON);
  await through(bench, '12', 'run-2', 'Returned to Client', { insuredName: 'Still Followed', streetAddress: '8 Elm' });
  await through(bench, '13', 'run-3', 'Client Received', { insuredName: 'Last One', streetAddress: '9 Ash' });
  await bench.clock.advance(100 * DAY);
}

async function tree({ folder }: LedgerBench): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('ledger.sqlite'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return files.filter((path) => path !== 'state/inbox.json').toSorted();
}

/** All that the ledger has on disk. */
async function ledgerBytes({ folder }: LedgerBench): Promise<string> {
  const files = (await readdir(folder)).filter((name) => name.startsWith('ledger.sqlite') && !name.endsWith('-shm'));
  return (await Promise.all(files.map((name) => readFile(join(folder, name), 'latin1')))).join('');
}

test('a plan changes nothing, on disk or in the ledger', async () => {
  await using bench = await openBench();
  await threeProjects(bench);
  const before = { tree: await tree(bench), bytes: sha256(await ledgerBytes(bench)) };
  const plan = await planPrune(ALL, bench.parts);
  expect(plan.removals.length).toBeGreaterThan(0);
  expect({ tree: await tree(bench), bytes: sha256(await ledgerBytes(bench)) }).toEqual(before);
});

test('a file with an open row stays until the row is dismissed', async () => {
  await using bench = await openBench();
  const { ledger, clock, parts } = bench;
  const { id } = await ledger.recordFile(
    { hash: sha256('went back'), name: 'back.csv', layouts: [], notes: [] },
    async (transaction) => {
      transaction.addRow(newRow({ record: { ...rowRecord(2), cells: [{ kind: 'text', text: PERSON.insuredName }] } }));
      transaction.addRow(newRow({ outcome: 'order', orderId: transaction.addOrder(newOrder()) }, 3));
    },
  );
  await ledger.beginAttempt(1, attemptOf());
  await ledger.moveOrder(1, 'submitting', { to: 'refused', code: 'service-refused', reason: 'no' });
  await put(bench, 'archive/2026/01/01/back.csv', 'went back');
  await ledger.markArchived(id, 'archive/2026/01/01/back.csv');
  await ledger.markCorrected(id, [1, 2], 'corrections/back - to fix.xlsx');
  await ledger.startRun('a run', 'run');
  await ledger.recordDelivery({
    run: 'a run',
    folder: 'deliveries/a run',
    contents: { report: 'report.html' },
    orderIds: [1],
    results: true,
    projectIds: [],
    seen: await ledger.newestIds(),
  });
  await clock.advance(100 * DAY);
  expect(await planPrune(ALL, parts)).toMatchObject({ removals: [], details: { orders: 0, rows: 0 } });
  expect(await ledger.dismissRows(await ledger.openRowsOf(id))).toBe(2);
  expect(await planPrune(ALL, parts)).toMatchObject({
    removals: [{ path: 'archive/2026/01/01/back.csv' }],
    details: { orders: 1, rows: 2 },
  });
});

test('a file stays while rows of it that were read again wait', async () => {
  await using bench = await openBench();
  const { ledger, clock, parts } = bench;
  const hash = sha256('went back');
  const readings = [
    { hash, path: 'archive/2026/01/01/back.csv', row: newRow({ record: rowRecord(2) }) },
    { hash: `${hash} 2`, path: 'archive/2026/01/02/back.csv', row: newRow({ outcome: 'order', corrects: 1 }) },
  ];
  for (const { path, row, ...reading } of readings) {
    const { id } = await ledger.recordFile(
      { ...reading, name: 'back.csv', layouts: [], notes: [] },
      async (transaction) => {
        transaction.addRow({ ...row, orderId: row.outcome === 'order' ? transaction.addOrder(newOrder()) : null });
      },
    );
    await put(bench, path, 'went back');
    await ledger.markArchived(id, path);
    if (row.outcome === 'rejection') await ledger.markCorrected(id, [1], 'corrections/back - to fix.xlsx');
  }
  await clock.advance(100 * DAY);
  expect(await planPrune(ALL, parts)).toMatchObject({ removals: [] });
});

test('without retention nothing may go', async () => {
  await using bench = await openBench();
  await threeProjects(bench);
  const plan = await planPrune(
    { archiveDays: null, deliveriesDays: null, logsDays: null, downloadsDays: null },
    bench.parts,
  );
  expect(plan).toEqual({ removals: [], details: { orders: 0, rows: 0, before: null } });
});

test('planPrune removes only old, finished and recorded files', async () => {
  await using bench = await openBench();
  await threeProjects(bench);
  await put(bench, 'deliveries/by-hand/results.xlsx', 'somebody’s');
  await put(bench, 'archive/2026/01/01/stranger.csv', 'nobody took this in');
  await put(bench, 'archive/2026/01/02/11 again.csv', 'file of 11');
  await put(bench, 'state/thumbnails/aa.jpg', 'old');
  await put(bench, 'state/thumbnails/bb.jpg', 'new');
  await put(bench, 'logs/old.jsonl', 'old');
  const now = bench.clock.now() / 1000;
  for (const name of ['state/thumbnails/aa.jpg', 'logs/old.jsonl'])
    await utimes(join(bench.folder, name), now - 3_000_000, now - 3_000_000);
  await utimes(join(bench.folder, 'state/thumbnails/bb.jpg'), now, now);
  const pruned = await applyPrune(await planPrune(ALL, bench.parts), bench.parts);
  expect(pruned.removals.map(({ path }) => path)).toEqual([
    'archive/2026/01/01/11.csv',
    'archive/2026/01/01/13.csv',
    'archive/2026/01/02/11 again.csv',
    'deliveries/run-1',
    'state/downloads/a/11/report-R1-v1.pdf',
    'state/downloads/a/13/report-R1-v1.pdf',
    'state/thumbnails/aa.jpg',
    'logs/old.jsonl',
  ]);
  expect(pruned.details).toEqual({ orders: 2, rows: 2 });
  expect(await tree(bench)).toEqual([
    'archive/2026/01/01/12.csv',
    'archive/2026/01/01/stranger.csv',
    'deliveries/by-hand/results.xlsx',
    'deliveries/index.html',
    'deliveries/run-2/results.xlsx',
    'deliveries/run-3/results.xlsx',
    'state/downloads/a/12/report-R1-v1.pdf',
    'state/thumbnails/bb.jpg',
  ]);
  expect(existsSync(join(bench.folder, 'archive/2026/01/02'))).toBe(false);
  expect(await planPrune(ALL, bench.parts)).toMatchObject({ removals: [], details: { orders: 0, rows: 0 } });
  // What the ledger knows of files agrees with what is there.
  expect((await Array.fromAsync(bench.ledger.storedArtifacts())).map(({ projectId }) => projectId)).toEqual(['12']);
  expect((await bench.ledger.deliveriesOnRecord()).map(({ run }) => run)).toEqual(['run-2', 'run-3']);
  const shown = await Array.fromAsync(bench.ledger.projectsForResults(true));
  expect(shown.map(({ project, artifacts }) => [project.id, artifacts.length])).toEqual([
    ['11', 0],
    ['12', 1],
    ['13', 0],
  ]);
});

test('a forgotten row is still recognized', async () => {
  await using bench = await openBench();
  await threeProjects(bench);
  const { ledger } = bench;
  expect(await ledgerBytes(bench)).toContain(PERSON.streetAddress);
  const row = validRow(PERSON);
  const rules = { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 } as const;
  await applyPrune(await planPrune(ALL, bench.parts), bench.parts);
  const bytes = (await ledgerBytes(bench)).toLowerCase();
  for (const detail of [...Object.values(PERSON), '77 wombat']) expect(bytes).not.toContain(detail.toLowerCase());
  expect(bytes).toContain('still followed');
  const order = newOrder(PERSON);
  const lookup = await onRecord(ledger, order);
  expect(decideRow(row, rules, 0, lookup)).toMatchObject({
    kind: 'repeat',
    of: { order: { id: 1, state: 'created', projectId: '11', identity: identityOf(orderPayload(PERSON)) } },
  });
  expect(lookup.findOrderAtAddress(order.addressKey, 0)?.id).toBe(1);
  expect(lookup.findLivingOrder(order.identity)?.id).toBe(1);
  expect(lookup.ordersOfSubject(order.subjectKey).map(({ id }) => id)).toEqual([1]);
  expect(await ledger.projectsAtAddress(newOrder(PERSON).addressKey)).toEqual(['11']);
  const known = await projectsOnRecord(ledger, { addressKey: order.addressKey });
  expect(known.atAddress(order.addressKey, { insuredBy: '', since: 0 })?.orderId).toBe(1);
  expect(await ledger.contradictions()).toEqual([]);
  expect((await ledger.storyOf(1)).steps.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['accepted', 'sending', 'unresolved', 'created', 'details forgotten']),
  );
});

test('the ledger refuses to change or delete steps', async () => {
  await using bench = await openBench();
  await threeProjects(bench);
  const { DatabaseSync } = await import('node:sqlite');
  using database = new DatabaseSync(join(bench.folder, 'ledger.sqlite'));
  expect(() => database.exec(`UPDATE steps SET event = 'never' WHERE id = 1`)).toThrow('append-only');
  expect(() => database.exec(`UPDATE steps SET detail = '{}' WHERE detail LIKE '%reason%'`)).toThrow('append-only');
  expect(() => database.exec('DELETE FROM steps')).toThrow('append-only');
});

test('an interrupted removal is finished by the next', async () => {
  await using bench = await openBench();
  await threeProjects(bench);
  const plan = await planPrune(ALL, bench.parts);
  // As a kill leaves it: the intent is on record, and part of it is gone.
  await bench.ledger.beginRemovals(plan.removals);
  await put(bench, 'deliveries/run-1/photos/left.jpg', 'left over');
  const again = await planPrune(ALL, bench.parts);
  expect(again.removals.map(({ path }) => path).toSorted()).toEqual(plan.removals.map(({ path }) => path).toSorted());
  await applyPrune(again, bench.parts);
  expect(existsSync(join(bench.folder, 'deliveries/run-1'))).toBe(false);
  expect(await bench.ledger.openRemovals()).toEqual([]);
  expect(await bench.ledger.wasRemoved('archive/2026/01/01/11.csv')).toBe(true);
});

test('a path outside its folder is never removed', async () => {
  await using bench = await openBench();
  await put(bench, 'inbox/orders.csv', 'a row');
  const plan = {
    removals: [{ kind: 'log' as const, path: 'logs/../inbox/orders.csv', bytes: 1 }],
    details: { orders: 0, rows: 0, before: null },
  };
  await expect(applyPrune(plan, bench.parts)).rejects.toThrow('logs/../inbox/orders.csv');
  expect(await tree(bench)).toEqual(['inbox/orders.csv']);
});

describe('planPrune', () => {
  const NEVER: Retention = { archiveDays: null, deliveriesDays: null, logsDays: null, downloadsDays: null };
  /** The kinds of what may go, with these limits. */
  async function kinds(limits: Partial<Retention>): Promise<ReadonlySet<string>> {
    await using bench = await openBench();
    await threeProjects(bench);
    await oldFile(bench, 'logs/old.jsonl');
    await oldFile(bench, 'state/thumbnails/aa.jpg');
    const plan = await planPrune({ ...NEVER, ...limits }, bench.parts);
    return new Set(plan.removals.map(({ kind }) => kind));
  }

  test.each<[string, Partial<Retention>, readonly string[]]>([
    ['nothing without a limit', {}, []],
    ['originals', { archiveDays: 30 }, ['original']],
    ['deliveries', { deliveriesDays: 30 }, ['delivery']],
    ['downloads and thumbnails', { downloadsDays: 30 }, ['download', 'thumbnail']],
    ['logs', { logsDays: 30 }, ['log']],
  ])('finds %s', async (_what, limits, expected) => {
    expect(await kinds(limits)).toEqual(new Set(expected));
  });

  test("keeps people's details unless originals have a limit", async () => {
    await using bench = await openBench();
    await threeProjects(bench);
    const plan = await planPrune({ ...NEVER, logsDays: 30 }, bench.parts);
    expect([plan.details, (await applyPrune(plan, bench.parts)).details]).toEqual([
      { orders: 0, rows: 0, before: null },
      { orders: 0, rows: 0 },
    ]);
  });

  test.each([
    [99, 2],
    [101, 0],
  ])('after 100 days and with a limit of %i, forgets the details of %i orders', async (archiveDays, orders) => {
    await using bench = await openBench();
    await threeProjects(bench);
    const plan = await planPrune({ ...NEVER, archiveDays }, bench.parts);
    expect(plan.details).toEqual({ orders, rows: orders, before: bench.clock.now() - archiveDays * DAY });
    expect((await applyPrune(plan, bench.parts)).details).toEqual({ orders, rows: orders });
  });

  test('keeps receipts with outstanding rows, and finds the others', async () => {
    await using bench = await openBench();
    const { id } = await bench.ledger.recordFile(
      { hash: 'aa', name: 'open.csv', layouts: [], notes: [] },
      async (file) => file.addRow(newRow()),
    );
    await bench.ledger.beginReceipt(id, 'receipts/open - receipt.xlsx');
    for (const name of ['open', 'done']) await oldFile(bench, `receipts/${name} - receipt.xlsx`);
    const { removals } = await planPrune({ ...NEVER, archiveDays: 30 }, bench.parts);
    expect(removals).toMatchObject([{ kind: 'receipt', path: 'receipts/done - receipt.xlsx' }]);
    await bench.ledger.beginRemovals(removals);
    expect(await bench.ledger.openRemovals()).toHaveLength(1);
  });

  test('counts all bytes of a delivery', async () => {
    await using bench = await openBench();
    await threeProjects(bench);
    await put(bench, 'deliveries/run-1/report.html', '12345');
    const plan = await planPrune({ ...NEVER, deliveriesDays: 30 }, bench.parts);
    expect(plan.removals).toMatchObject([{ path: 'deliveries/run-1', bytes: 'workbook'.length + 5 }]);
  });

  test('keeps all of an ended project whose last report no delivery has', async () => {
    await using bench = await openBench();
    await through(bench, '11', 'run-1', 'Client Received', PERSON);
    await put(bench, 'state/downloads/a/11/report-R1-v2.pdf', 'report, again');
    await bench.ledger.recordArtifact({
      projectId: '11',
      kind: 'report',
      serviceId: 'R1',
      version: 2,
      type: '',
      detail: {},
      path: 'state/downloads/a/11/report-R1-v2.pdf',
      bytes: 13,
      sha256: sha256('report, again'),
    });
    await bench.clock.advance(100 * DAY);
    expect(await planPrune({ ...ALL, deliveriesDays: null }, bench.parts)).toMatchObject({
      removals: [],
      details: { orders: 0, rows: 0 },
    });
  });

  test('finds an original that somebody changed in the archive', async () => {
    await using bench = await openBench();
    await threeProjects(bench);
    await put(bench, 'archive/2026/01/01/11.csv', 'changed');
    const { removals } = await planPrune({ ...NEVER, archiveDays: 30 }, bench.parts);
    expect(removals.map(({ path }) => path)).toContain('archive/2026/01/01/11.csv');
  });

  test('finds an original outside the folders of days', async () => {
    await using bench = await openBench();
    await threeProjects(bench);
    await put(bench, 'archive/by hand.csv', 'file of 11');
    const { removals } = await planPrune({ ...NEVER, archiveDays: 30 }, bench.parts);
    expect(removals.map(({ path }) => path)).not.toContain('archive/by hand.csv');
  });

  test('leaves a copy of this week although its content may go', async () => {
    await using bench = await openBench();
    await threeProjects(bench);
    const [day = ''] = new Date(bench.clock.now()).toISOString().replaceAll('-', '/').split('T');
    await put(bench, `archive/${day}/11.csv`, 'file of 11');
    const { removals } = await planPrune({ ...NEVER, archiveDays: 30 }, bench.parts);
    expect(removals.map(({ path }) => path)).not.toContain(`archive/${day}/11.csv`);
  });
});

async function oldFile(bench: LedgerBench, path: string, days = 100): Promise<void> {
  await put(bench, path, 'x');
  const then = new Date(bench.clock.now() - days * DAY);
  await utimes(join(bench.folder, path), then, then);
}

describe('removeOldLogs', () => {
  test.each([
    [null, ['logs/a.jsonl', 'logs/b.jsonl']],
    [30, ['logs/a.jsonl']],
    [100, ['logs/a.jsonl', 'logs/b.jsonl']],
  ])('with a limit of %s days keeps %j', async (days, kept) => {
    await using bench = await openBench();
    await oldFile(bench, 'logs/a.jsonl', 29);
    await oldFile(bench, 'logs/b.jsonl', 31);
    await removeOldLogs(days, bench.parts);
    expect(await tree(bench)).toEqual(kept);
  });

  test('keeps everything else, and the folder of logs', async () => {
    await using bench = await openBench();
    await threeProjects(bench);
    const before = await tree(bench);
    await oldFile(bench, 'logs/b.jsonl');
    await removeOldLogs(30, bench.parts);
    expect([await tree(bench), existsSync(join(bench.folder, 'logs'))]).toEqual([before, true]);
  });
});

describe('applyPrune', () => {
  test('rewrites the index without forgotten people if no delivery goes', async () => {
    await using bench = await openBench();
    await through(bench, '11', 'run-1', 'Client Received', PERSON);
    await bench.clock.advance(100 * DAY);
    await writeNightsPage(bench.parts.workspace.deliveries, bench.ledger);
    const index = () => readFile(join(bench.folder, 'deliveries/index.html'), 'utf8');
    expect(await index()).toContain(PERSON.insuredName);
    await applyPrune(await planPrune({ ...ALL, deliveriesDays: null }, bench.parts), bench.parts);
    expect(await index()).not.toContain(PERSON.insuredName);
  });

  test('removes a deleted delivery from the index if no details are forgotten', async () => {
    await using bench = await openBench();
    await threeProjects(bench);
    await writeNightsPage(bench.parts.workspace.deliveries, bench.ledger);
    const index = () => readFile(join(bench.folder, 'deliveries/index.html'), 'utf8');
    expect(await index()).toContain('"run-1/');
    await applyPrune(await planPrune({ ...ALL, archiveDays: null }, bench.parts), bench.parts);
    expect(await index()).not.toContain('"run-1/');
  });

  test('removes folders that it emptied, up to those of the workspace', async () => {
    await using bench = await openBench();
    await through(bench, '11', 'run-1', 'Client Received');
    await bench.clock.advance(100 * DAY);
    await oldFile(bench, 'state/thumbnails/aa.jpg');
    await applyPrune(await planPrune({ ...ALL, deliveriesDays: null }, bench.parts), bench.parts);
    const left = ['archive', 'archive/2026', 'state/downloads', 'state/downloads/a', 'state/thumbnails'].filter(
      (path) => existsSync(join(bench.folder, path)),
    );
    expect(left).toEqual(['archive', 'state/downloads', 'state/thumbnails']);
  });

  test('removes more things than it records at once', async () => {
    await using bench = await openBench();
    for (let index = 0; index < 501; index += 1) await oldFile(bench, `logs/${index}.jsonl`);
    const sizes: number[] = [];
    const ledger = Object.assign(Object.create(bench.ledger) as typeof bench.ledger, {
      beginRemovals: async (removals: Parameters<typeof bench.ledger.beginRemovals>[0]) => {
        sizes.push(removals.length);
        return bench.ledger.beginRemovals(removals);
      },
    });
    await removeOldLogs(30, { ...bench.parts, ledger });
    expect([sizes, await tree(bench)]).toEqual([[500, 1], []]);
  });
});
