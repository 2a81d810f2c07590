import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chmod, link, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import exceljs from 'exceljs';
import { expect, test } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { sha256OfFile } from '../../../src/ops/durable-files.ts';
import { ensureWorkspace, type Workspace, workspaceAt } from '../../../src/ops/workspace.ts';
import { claimCopy, takeSnapshot } from '../../../src/submit/claimed-files.ts';
import { finishInterrupted } from '../../../src/submit/finish-interrupted.ts';
import { approveHeldFile, type HoldLimits, waitingFiles } from '../../../src/submit/hold.ts';
import { takeInInbox, takeInNamed, type TakeInContext } from '../../../src/submit/take-in.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { inProof, PROOF_DAY } from '../../support/proof-size.ts';
import { type LedgerBench, NO_LIMITS, openLedgerBench, takeInContext } from '../../support/run-bench.ts';
import { codeAndFacts } from '../../support/code-and-facts.ts';

const HOLD_WRONG: HoldLimits = { ...NO_LIMITS, maxWrongPercent: 20 };

interface TakeInBench extends LedgerBench {
  readonly workspace: Workspace;
  drop(name: string, content: string): Promise<string>;
  context(changes?: Partial<TakeInContext>): TakeInContext;
  /** Every file of the workspace outside state/ and logs/, by its path. */
  files(): Promise<readonly string[]>;
}

async function openBench(): Promise<TakeInBench> {
  const bench = await openLedgerBench();
  const workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
  return {
    ...bench,
    workspace,
    drop: async (name, content) => {
      const path = join(workspace.inbox, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    },
    context: (changes) => takeInContext(bench, workspace, changes),
    files: async () => {
      const entries = await readdir(workspace.root, { recursive: true, withFileTypes: true });
      const paths = entries
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(workspace.root.length + 1));
      return paths.filter((path) => !/^(state|logs|ledger\.sqlite)/.test(path)).toSorted();
    },
  };
}

/** The same orders with every ZIP code but the first spoilt. */
function mostlyWrong(rows: number, series = 0): string {
  let seen = 0;
  return orderCsv(rows, { series }).replaceAll('02139', (zip) => (seen++ === 0 ? zip : 'nowhere'));
}

const outcomes = ({ files }: { readonly files: readonly { readonly name: string; readonly outcome: string }[] }) =>
  files.map(({ name, outcome }) => [name, outcome]);

// Summary, ledger, archive, corrections, unreadable.
test('names a sender by the folder everywhere', async () => {
  await using bench = await openBench();
  await bench.drop('orders.csv', orderCsv(2));
  await bench.drop('Smith & Co/orders.csv', mostlyWrong(3, 1));
  await bench.drop('Smith & Co/scan.pdf', '%PDF-1.7\n');
  await bench.drop('Smith & Co/deeper/not.csv', orderCsv(1, { series: 9 }));
  const taken = await takeInInbox(bench.context());
  expect(outcomes(taken)).toEqual([
    ['orders.csv', 'processed'],
    ['Smith - Co/orders.csv', 'processed'],
    ['Smith - Co/scan.pdf', 'unreadable'],
  ]);
  expect(await bench.files()).toEqual([
    'archive/2026/03/05/Smith - Co/orders.csv',
    'archive/2026/03/05/orders.csv',
    'corrections/Smith - Co/orders - to fix.xlsx',
    'inbox/Smith & Co/deeper/not.csv',
    'unreadable/Smith - Co/scan.pdf',
    'unreadable/Smith - Co/scan.pdf.txt',
  ]);
  expect(taken.files[1]?.corrections).toBe('corrections/Smith - Co/orders - to fix.xlsx');
  expect(await readdir(bench.workspace.processing)).toEqual([]);
  const [order] = await bench.ledger.findOrders('Smith - Co/orders.csv');
  expect((await bench.ledger.storyOf(order?.id ?? 0)).rows[0]).toMatchObject({
    fileName: 'Smith - Co/orders.csv',
    record: { place: { file: 'Smith - Co/orders.csv' } },
  });
  expect(await bench.ledger.findOrders('orders.csv')).toHaveLength(3);
});

test('keeps files of one name from one or several senders', async () => {
  await using bench = await openBench();
  const dropped = [
    ['a/x.csv', 1],
    ['b/x.csv', 2],
    ['x.csv', 3],
    ['a/X.csv', 4],
  ] as const;
  for (const [name, series] of dropped) await bench.drop(name, orderCsv(1, { series }));
  await takeInInbox(bench.context());
  await bench.drop('a/x.csv', orderCsv(1, { series: 5 }));
  await takeInInbox(bench.context());
  expect(await bench.files()).toEqual(
    ['a/X.csv', 'a/x (2).csv', 'a/x.csv', 'b/x.csv', 'x.csv'].map((name) => `archive/2026/03/05/${name}`),
  );
});

test('takes in a file before the workbook by which check corrects it', async () => {
  await using checked = await openBench();
  await checked.drop('b.csv', mostlyWrong(3));
  await takeInInbox(checked.context());
  const fixed = new exceljs.Workbook();
  await fixed.xlsx.readFile(join(checked.workspace.corrections, 'b - to fix.xlsx'));
  fixed.worksheets[0]?.eachRow((row) => {
    row.eachCell((cell) => {
      if (cell.value === 'nowhere') cell.value = '02139';
    });
  });
  await using bench = await openBench();
  await bench.drop('b.csv', mostlyWrong(3));
  await fixed.xlsx.writeFile(join(bench.workspace.inbox, 'b - to fix.xlsx'), { zip: { compression: 'STORE' } });
  const { files } = await takeInInbox(bench.context());
  expect(files.map(({ name }) => name)).toEqual(['b.csv', 'b - to fix.xlsx']);
  expect(await bench.ledger.waitingRows()).toEqual([]);
});

test('reports a sheet named as canceled and records no rows', async () => {
  await using bench = await openBench();
  const book = new exceljs.Workbook();
  for (const [name, series] of [
    ['Orders', 1],
    ['Cancelled', 2],
  ] as const)
    book.addWorksheet(name).addRows(
      orderCsv(2, { series })
        .trim()
        .split('\n')
        .map((line) => line.split(',')),
    );
  await book.xlsx.writeFile(join(bench.workspace.inbox, 'orders.xlsx'), { zip: { compression: 'STORE' } });
  const { files } = await takeInInbox(bench.context());
  expect(files).toEqual([
    expect.objectContaining({
      outcome: 'processed',
      rows: { read: 2, accepted: 2, rejected: 0 },
      reason: expect.stringMatching(/^Sheet "Cancelled" LOOKS LIKE ORDERS \(2 rows, the first: .* WAS LEFT OUT/),
    }),
  ]);
  expect(await bench.ledger.openNews()).toMatchObject([
    { kind: 'sheet-left-out', subject: expect.stringContaining('orders.xlsx: Sheet "Cancelled"') },
  ]);
});

// A changed file is judged again.
test('records nothing for a held file until it is approved', async () => {
  await using bench = await openBench();
  const context = bench.context({ hold: HOLD_WRONG });
  await bench.drop('Smith/bad.csv', mostlyWrong(4));
  const { files } = await takeInInbox(context);
  expect(files).toEqual([
    {
      name: 'Smith/bad.csv',
      outcome: 'held',
      rows: { read: 0, accepted: 0, rejected: 0 },
      corrections: null,
      codes: ['maxWrongPercent'],
      reason: expect.stringMatching(/^3 of 4 rows .*\(75%\)/),
    },
  ]);
  expect(await bench.files()).toEqual(['held/Smith/bad.csv', 'held/Smith/bad.csv.txt']);
  expect((await bench.ledger.orderCounts()).ready).toBe(0);
  const page = await readFile(join(bench.workspace.held, 'Smith/bad.csv.txt'), 'utf8');
  expect(page).toContain(`inspection-batch approve "held/Smith/bad.csv" --workspace ${bench.workspace.root}`);
  expect(page).toMatch(/ 20% .*\(intake.hold.maxWrongPercent in config.yaml\)\n {4}bad.csv row 3: .*nowhere/);

  expect(outcomes(await takeInInbox(context))).toEqual([]);
  const [held] = await waitingFiles(bench.workspace);
  if (held === undefined) throw new Error('nothing is held');
  await approveHeldFile(held, bench.ledger);
  await writeFile(held.path, mostlyWrong(5));
  expect(outcomes(await takeInInbox(context))).toEqual([]);
  await writeFile(`${held.path}.approve`, '');
  expect(outcomes(await takeInInbox(context))).toEqual([['Smith/bad.csv', 'processed']]);
  expect(await bench.files()).toEqual(['archive/2026/03/05/Smith/bad.csv', 'corrections/Smith/bad - to fix.xlsx']);
});

test('applies an approval only to the content it was given for', async () => {
  await using bench = await openBench();
  const context = bench.context({ hold: HOLD_WRONG });
  await bench.drop('bad.csv', mostlyWrong(4));
  await takeInInbox(context);
  const [held] = await waitingFiles(bench.workspace);
  if (held === undefined) throw new Error('nothing is held');
  await approveHeldFile(held, bench.ledger);
  await rm(held.path);
  await bench.drop('bad.csv', mostlyWrong(6));
  expect(outcomes(await takeInInbox(context))).toEqual([['bad.csv', 'held']]);
  await bench.drop('bad.csv', mostlyWrong(4));
  expect(outcomes(await takeInInbox(context))).toEqual([['bad.csv', 'processed']]);
});

test('ignores an approval without its file, and holds content once', async () => {
  await using bench = await openBench();
  const context = bench.context({ hold: HOLD_WRONG });
  await writeFile(join(bench.workspace.held, 'bad.csv.approve'), '');
  for (let night = 0; night < 3; night += 1) {
    await bench.drop('bad.csv', mostlyWrong(4));
    expect(outcomes(await takeInInbox(context))).toEqual([['bad.csv', 'held']]);
    expect(await bench.files()).toEqual(['held/bad.csv', 'held/bad.csv.txt']);
  }
});

test('leaves an approval in other letter case to its owner', async () => {
  await using bench = await openBench();
  const context = bench.context({ hold: HOLD_WRONG });
  await bench.drop('bad.csv', mostlyWrong(4));
  await takeInInbox(context);
  await writeFile(join(bench.workspace.held, 'BAD.CSV.approve'), '');
  await takeInInbox(context);
  expect(await bench.files()).toEqual(['held/BAD.CSV.approve', 'held/bad.csv', 'held/bad.csv.txt']);
});

test('holds repeats and too many rows', async () => {
  await using bench = await openBench();
  const hold: HoldLimits = {
    maxWrongPercent: null,
    maxDuplicatePercent: 50,
    maxTimesUsualRows: 2,
  };
  await bench.drop('s/may 1.csv', orderCsv(4, { series: 1 }));
  expect(outcomes(await takeInInbox(bench.context({ hold })))).toEqual([['s/may 1.csv', 'processed']]);
  await bench.drop('s/a.csv', orderCsv(3, { series: 1 }));
  await bench.drop('s/b.csv', orderCsv(9, { series: 2 }));
  await bench.drop('s/d.csv', orderCsv(5, { series: 4 }).replace('insuredName', 'insuredName'));
  const { files } = await takeInInbox(bench.context({ hold }));
  expect(files.map(({ name, codes, reason }) => [name, codes, reason])).toEqual([
    ['s/a.csv', ['maxDuplicatePercent'], expect.stringMatching(/^3 of 3 rows .*\(100%\)/)],
    ['s/b.csv', ['maxTimesUsualRows'], expect.stringMatching(/ 9 rows, 2\.3 .* 4 /)],
    ['s/d.csv', [], null],
  ]);
  expect(files.map(({ outcome }) => outcome)).toEqual(['held', 'held', 'processed']);
});

test('reports and leaves a faulty file and takes in the others', async () => {
  await using bench = await openBench();
  await bench.drop('a.csv', orderCsv(1, { series: 1 }));
  await bench.drop('b.csv', orderCsv(1, { series: 2 }));
  await bench.drop('c.csv', orderCsv(1, { series: 3 }));
  const bHash = await sha256OfFile(join(bench.workspace.inbox, 'b.csv'));
  const faulty = override(bench.ledger, {
    readingsOf: async (hash) => {
      if (hash === bHash) throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
      return bench.ledger.readingsOf(hash);
    },
  });
  const taken = await takeInInbox(bench.context({ ledger: faulty }));
  expect(taken.files.map(({ name, outcome, reason }) => [name, outcome, reason])).toEqual([
    ['a.csv', 'processed', null],
    ['b.csv', 'settling', expect.stringContaining('EIO')],
    ['c.csv', 'processed', null],
  ]);
  expect(outcomes(await takeInInbox(bench.context()))).toEqual([['b.csv', 'processed']]);
  const full = override(bench.ledger, {
    readingsOf: () => Promise.reject(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })),
  });
  await bench.drop('d.csv', orderCsv(1, { series: 4 }));
  await expect(takeInInbox(bench.context({ ledger: full }))).rejects.toThrow('ENOSPC');
});

test('reports a missing inbox and takes in files claimed before', async () => {
  await using bench = await openBench();
  await writeFile(join(bench.workspace.processing, 'left.csv'), orderCsv(1));
  await rm(bench.workspace.inbox, { recursive: true });
  const taken = await takeInInbox(bench.context());
  expect([outcomes(taken), taken.inboxAway]).toEqual([[['left.csv', 'processed']], expect.stringContaining('is gone')]);
  expect(await readdir(bench.workspace.root)).not.toContain('inbox');
});

test('names rows whose policy is on record under another number', async () => {
  await using bench = await openBench();
  const numbered = (number: string) => orderCsv(1, { keys: ['policy'] }).replace('\n,', `\n${number},`);
  await bench.drop('a.csv', numbered('R-1'));
  await bench.drop('b.csv', numbered('R-2'));
  const { files } = await takeInInbox(bench.context());
  expect(files.map(({ rows, codes }) => [rows.accepted, codes])).toEqual([
    [1, []],
    [1, ['ordered-under-another-number']],
  ]);
});

test('skips a file removed between listing and claim', async () => {
  await using bench = await openBench();
  const path = await bench.drop('a.csv', orderCsv(1));
  await bench.drop('b.csv', orderCsv(1, { series: 1 }));
  // Right before a file is claimed a run asks whether it should stop: then the file goes.
  const signal = Object.defineProperty(new AbortController().signal, 'aborted', {
    get: () => {
      rmSync(path, { force: true });
      return false;
    },
  });
  const taken = await takeInInbox(bench.context({ signal }));
  expect(outcomes(taken)).toEqual([['b.csv', 'processed']]);
});

test.each([
  ['orders.docx', Buffer.from('PK\u0003\u0004 not a workbook')],
  ['photo.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])],
  ['notes.txt', Buffer.from('please order the usual ones\nthanks\n')],
  ['empty.csv', Buffer.alloc(0)],
])('sets %s aside with an explanation', async (name, content) => {
  await using bench = await openBench();
  await writeFile(join(bench.workspace.inbox, name), content);
  const { files } = await takeInInbox(bench.context());
  expect(files).toMatchObject([{ name, outcome: 'unreadable', reason: expect.stringContaining(name) }]);
  expect(await bench.files()).toEqual([`unreadable/${name}`, `unreadable/${name}.txt`]);
});

test('reports a program fault on one file and continues', async () => {
  await using bench = await openBench();
  await bench.drop('a.csv', orderCsv(1, { series: 1 }));
  await bench.drop('b.csv', orderCsv(1, { series: 2 }));
  const faulty = override(bench.ledger, {
    recordFile: (file, write) =>
      file.name === 'a.csv'
        ? Promise.reject(new TypeError('cells: not iterable'))
        : bench.ledger.recordFile(file, write),
  });
  const taken = await takeInInbox(bench.context({ ledger: faulty }));
  expect(outcomes(taken)).toEqual([
    ['a.csv', 'settling'],
    ['b.csv', 'processed'],
  ]);
  expect(taken.files[0]).toMatchObject({
    codes: ['fault'],
    reason: expect.stringContaining('(cells: not iterable)'),
  });
  expect(taken.faults).toEqual([expect.any(TypeError)]);
  expect(await bench.files()).toContain('processing/a.csv');
  expect(outcomes(await takeInInbox(bench.context()))).toEqual([['a.csv', 'processed']]);
});

test('reports how files were read and which have no rows', async () => {
  await using bench = await openBench();
  await bench.drop('a.csv', orderCsv(0));
  await bench.drop('b.csv', orderCsv(1).replace('\n', ',Pool depth\n'));
  const { files, notes } = await takeInInbox(bench.context());
  expect(files.map(({ codes }) => codes)).toEqual([['no-rows'], []]);
  const unknown = expect.stringMatching(/^column-unknown "b\.csv" [A-Z]+ "Pool depth"/);
  expect(notes.find(({ name }) => name === 'b.csv')?.notes.map(codeAndFacts)).toContainEqual(unknown);
  const record = await bench.ledger.findFile(
    await sha256OfFile(join(bench.workspace.root, (await bench.files()).find((path) => path.endsWith('b.csv')) ?? '')),
  );
  expect(record?.notes.map(codeAndFacts)).toContainEqual(unknown);
});

test('takeInInbox reports content that another sender dropped before', async () => {
  await using bench = await openBench();
  const text = orderCsv(2, { keys: ['inspection'] });
  const drop = async (name: string) => {
    await bench.drop(name, text);
    await takeInInbox(bench.context());
    return (await bench.ledger.openNews()).map(({ kind, subject }) => [kind, subject.split(':')[0]]);
  };
  expect(await drop('smith/a.csv')).toEqual([]);
  expect(await drop('smith/again.csv')).toEqual([]);
  expect(await drop('jones/b.csv')).toEqual([['known-content', 'jones/b.csv']]);
  expect(await bench.ledger.findFiles('jones/b.csv')).toMatchObject([{ name: 'smith/a.csv' }]);
});

test('restores a missing corrections workbook while a row is open', async () => {
  await using bench = await openBench();
  const again = async () => {
    await bench.drop('orders.csv', mostlyWrong(2));
    return (await takeInInbox(bench.context())).files;
  };
  await again();
  const workbook = join(bench.workspace.corrections, 'orders - to fix.xlsx');
  expect(await again()).toMatchObject([{ outcome: 'already-processed', codes: ['known-content'] }]);
  await rm(workbook);
  expect(await again()).toMatchObject([
    {
      outcome: 'already-processed',
      corrections: 'corrections/orders - to fix.xlsx',
      codes: ['corrections-restored'],
    },
  ]);
  expect(await bench.files()).toContain('corrections/orders - to fix.xlsx');
  await rm(workbook);
  await bench.ledger.dismissRows(await bench.ledger.openRowsOf(1));
  await again();
  expect(await bench.files()).not.toContain('corrections/orders - to fix.xlsx');
});

test('writes an empty corrections workbook again while a row is open', async () => {
  await using bench = await openBench();
  const again = async () => {
    await bench.drop('orders.csv', mostlyWrong(2));
    return (await takeInInbox(bench.context())).files;
  };
  await again();
  await writeFile(join(bench.workspace.corrections, 'orders - to fix.xlsx'), '');
  expect(await again()).toMatchObject([
    { corrections: 'corrections/orders - to fix 2.xlsx', codes: ['corrections-restored'] },
  ]);
});

test('leaves a file that is written again before its turn', async () => {
  await using bench = await openBench();
  await bench.drop('a.csv', orderCsv(1));
  await bench.drop('b.csv', orderCsv(1, { series: 1 }));
  const writing: Ledger = {
    ...bench.ledger,
    async readingsOf(hash) {
      await bench.drop('b.csv', orderCsv(2, { series: 1 }).slice(0, -9));
      return await bench.ledger.readingsOf(hash);
    },
  };
  expect(outcomes(await takeInInbox(bench.context({ ledger: writing })))).toEqual([
    ['a.csv', 'processed'],
    ['b.csv', 'settling'],
  ]);
  expect(await bench.files()).toContain('inbox/b.csv');
});

test('returns known content that grows while it is recognized to the inbox', async () => {
  await using bench = await openBench();
  await bench.drop('orders.csv', orderCsv(1));
  await takeInInbox(bench.context());
  await bench.drop('orders.csv', orderCsv(1));
  const growing: Ledger = {
    ...bench.ledger,
    async readingsOf(hash) {
      await writeFile(join(bench.workspace.processing, 'orders.csv'), orderCsv(2));
      return await bench.ledger.readingsOf(hash);
    },
  };
  expect(outcomes(await takeInInbox(bench.context({ ledger: growing })))).toEqual([
    ['orders.csv', 'already-processed'],
  ]);
  await takeInInbox(bench.context());
  expect(await bench.ledger.orderCounts()).toMatchObject({ ready: 2 });
});

test('returns held content that grows while it is recognized to the inbox', async () => {
  await using bench = await openBench();
  await bench.drop('orders.csv', mostlyWrong(5));
  await takeInInbox(bench.context({ hold: HOLD_WRONG }));
  await bench.drop('orders.csv', mostlyWrong(5));
  const growing: Ledger = {
    ...bench.ledger,
    async findHeld(hash) {
      for (const name of await readdir(bench.workspace.processing))
        await writeFile(join(bench.workspace.processing, name), mostlyWrong(6));
      return await bench.ledger.findHeld(hash);
    },
  };
  await takeInInbox(bench.context({ hold: HOLD_WRONG, ledger: growing }));
  expect(await bench.files()).toEqual(['held/orders.csv', 'held/orders.csv.txt', 'inbox/orders.csv']);
});

test('leaves a named file in place and recognizes it after a kill', async () => {
  await using bench = await openBench();
  const path = join(bench.folder, 'rush.csv');
  await writeFile(path, orderCsv(1));
  const crashing = override(bench.ledger, { readingsOf: () => Promise.reject(new Error('killed')) });
  await expect(takeInNamed([path], bench.context({ ledger: crashing }))).rejects.toThrow('killed');
  expect(outcomes(await takeInInbox(bench.context()))).toEqual([['rush.csv', 'processed']]);
  expect(outcomes(await takeInNamed([path], bench.context()))).toEqual([['rush.csv', 'already-processed']]);
  expect(await bench.files()).toEqual(['archive/2026/03/05/rush (2).csv', 'archive/2026/03/05/rush.csv', 'rush.csv']);
});

test('ends the same after a crash at any ledger write', async () => {
  let writes = Number.POSITIVE_INFINITY;
  let expected: readonly string[] = [];
  // One write in three, each day the next ones; whole, every write.
  const every = inProof({ share: 3, whole: 1 });
  for (let crashAt = -1; crashAt < writes * 2; crashAt += crashAt < 0 ? 1 + (PROOF_DAY % every) : every) {
    await using bench = await openBench();
    await bench.drop('Smith/good.csv', orderCsv(3));
    await bench.drop('Smith/bad.csv', mostlyWrong(4));
    await bench.drop('Jones/scan.pdf', '%PDF-1.7\n');
    const counted = crashing(bench.ledger, crashAt);
    const run = () => takeInInbox(bench.context({ ledger: counted.ledger, hold: HOLD_WRONG }));
    const [crashed] = await Promise.allSettled([run()]);
    expect(crashed.status === 'rejected' ? crashed.reason : counted.crash).toBe(counted.crash);
    await takeInInbox(bench.context({ hold: HOLD_WRONG }));
    for (const held of await waitingFiles(bench.workspace)) await writeFile(`${held.path}.approve`, '');
    await takeInInbox(bench.context({ hold: HOLD_WRONG }));
    const found = [...(await bench.files()), `${(await bench.ledger.orderCounts()).ready} ready`];
    if (crashAt === -1) {
      writes = counted.writes;
      expected = found;
    }
    expect([crashAt, found]).toEqual([crashAt, expected]);
  }
  expect(writes).toBeGreaterThan(3);
  expect(expected).toEqual([
    'archive/2026/03/05/Smith/bad.csv',
    'archive/2026/03/05/Smith/good.csv',
    'corrections/Smith/bad - to fix.xlsx',
    'unreadable/Jones/scan.pdf',
    'unreadable/Jones/scan.pdf.txt',
    '3 ready',
  ]);
});

test('takes a file in once after a kill within a move', async () => {
  await using bench = await openBench();
  const path = await bench.drop('Smith/a.csv', orderCsv(2));
  await mkdir(join(bench.workspace.processing, 'Smith'));
  await link(path, join(bench.workspace.processing, 'Smith/a.csv'));
  await writeFile(join(bench.workspace.processing, '.b.csv.0123456789ab.partial'), 'half');
  await finishInterrupted(bench.context());
  await takeInInbox(bench.context());
  await takeInInbox(bench.context());
  expect((await bench.files()).filter((file) => !file.startsWith('archive/'))).toEqual([]);
  expect((await bench.ledger.orderCounts()).ready).toBe(2);
});

test('takes in no further file after the host lost its place', async () => {
  await using bench = await openBench();
  for (const [series, name] of ['a.csv', 'b.csv'].entries()) await bench.drop(name, orderCsv(1, { series }));
  const checks: unknown[] = [];
  const check = async (when?: 'now'): Promise<void> => {
    checks.push(when);
    if (checks.length > 1) throw new Error('lost');
  };
  await expect(takeInInbox(bench.context({ lock: { check } }))).rejects.toThrow('lost');
  expect([checks, await bench.files()]).toEqual([
    ['now', 'now'],
    ['archive/2026/03/05/a.csv', 'inbox/b.csv'],
  ]);
});

test('takes in rows that a stalled writer adds to the archived file', async () => {
  await using bench = await openBench();
  const whole = orderCsv(3);
  const cut = orderCsv(2).length;
  await using writer = await open(await bench.drop('Smith/list.csv', whole.slice(0, cut)), 'a');
  expect((await takeInInbox(bench.context())).files[0]?.rows).toEqual({ read: 2, accepted: 2, rejected: 0 });
  await writer.appendFile(whole.slice(cut));
  const taken = await takeInInbox(bench.context());
  expect(taken.files).toMatchObject([{ name: 'Smith/list.csv', outcome: 'processed', rows: { read: 3 } }]);
  expect(taken.notes.flatMap(({ notes }) => notes.map(({ code }) => code))).toContain('grew-afterwards');
  expect((await bench.ledger.orderCounts()).ready).toBe(3);
  const archived = ['archive/2026/03/05/Smith/list (2).csv', 'archive/2026/03/05/Smith/list.csv'];
  expect(await bench.files()).toEqual(archived);
  const contents = await Promise.all(archived.map((path) => readFile(join(bench.workspace.root, path), 'utf8')));
  expect(contents).toEqual([whole, whole.slice(0, cut)]);
  expect((await takeInInbox(bench.context())).files).toEqual([]);
});

test('leaves an archived file that a person changed', async () => {
  await using bench = await openBench();
  await bench.drop('list.csv', orderCsv(2));
  await takeInInbox(bench.context());
  await writeFile(join(bench.workspace.archive, '2026/03/05/list.csv'), orderCsv(3, { series: 4 }));
  expect(await takeInInbox(bench.context())).toMatchObject({ files: [], notes: [] });
  expect(await bench.files()).toEqual(['archive/2026/03/05/list.csv']);
});

test('gives two hosts that copy at once separate files', async () => {
  await using bench = await openBench();
  const contents = Array.from({ length: 20 }, (_, series) => orderCsv(1, { series }));
  const paths = await Promise.all(contents.map((content, series) => bench.drop(`${series}.csv`, content)));
  const claimed = await Promise.all(paths.map((path) => claimCopy(path, bench.workspace)));
  const snapshots = await Promise.all(claimed.map((file) => takeSnapshot(file, bench.workspace)));
  expect(await Promise.all(snapshots.map(async ({ path, hash }) => [await readFile(path, 'utf8'), hash]))).toEqual(
    contents.map((content) => [content, createHash('sha256').update(content).digest('hex')]),
  );
  expect(await readdir(join(bench.workspace.state, 'snapshots'))).toHaveLength(20);
});

test('leaves a file in a folder that it cannot write', async () => {
  await using bench = await openBench();
  const path = await bench.drop('Smith/a.csv', orderCsv(1));
  await chmod(dirname(path), 0o555);
  const taken = await takeInInbox(bench.context());
  await chmod(dirname(path), 0o755);
  // Modes do not bind root, as whom the tests may run.
  const expected = process.getuid?.() === 0 ? 'processed' : 'settling';
  expect(outcomes(taken)).toEqual([['Smith/a.csv', expected]]);
});

/** A ledger with some verbs of a test's own. */
function override(ledger: Ledger, verbs: Partial<Ledger>): Ledger {
  return { ...ledger, ...verbs };
}

const WRITES = ['recordFile', 'markArchived', 'markCorrected', 'noteStep', 'recordHeld', 'approveContent'] as const;

/** A ledger whose n-th write is not done (n even) or done and not answered (n odd): whoever asked for it is dead from then on. */
function crashing(
  ledger: Ledger,
  crashAt: number,
): { readonly ledger: Ledger; readonly crash: Error; readonly writes: number } {
  const crash = new Error('crash');
  let writes = 0;
  const verbs = WRITES.map((verb) => {
    const work = ledger[verb] as (...args: unknown[]) => Promise<unknown>;
    const crashingWork = async (...args: unknown[]): Promise<unknown> => {
      const number = writes++;
      if (number * 2 === crashAt) throw crash;
      const result = await work(...args);
      if (number * 2 + 1 === crashAt) throw crash;
      return result;
    };
    return [verb, crashingWork] as const;
  });
  return {
    ledger: { ...ledger, ...Object.fromEntries(verbs) },
    crash,
    get writes() {
      return writes;
    },
  };
}
