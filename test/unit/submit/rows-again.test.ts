import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import exceljs, { type Workbook } from 'exceljs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ensureWorkspace, type Workspace, workspaceAt } from '../../../src/ops/workspace.ts';
import type { OnDuplicate } from '../../../src/submit/row-decision.ts';
import { writeAllPendingCorrections } from '../../../src/submit/corrections.ts';
import { takeInInbox, type TakeInContext } from '../../../src/submit/take-in.ts';
import { attemptOf, projectTie } from '../../support/order-factory.ts';
import { type LedgerBench, openLedgerBench, takeInContext } from '../../support/run-bench.ts';

// Lists that hold every row of the months before, and come again under another name.

const HEADER =
  'Inspection #,Policy #,Eff Date,Service,Policy type,House type,Address,City,State,Zip,Insured,Insured phone,Insured email,Status';

interface Cells {
  readonly service?: string;
  readonly type?: string;
  readonly status?: string;
  readonly date?: string;
  readonly phone?: string;
  readonly numbers?: boolean;
}

function line(
  insured: string,
  { service = '4-Point', type = 'Homeowners Insurance', status = '', date, phone, numbers = true }: Cells = {},
): string {
  const named = numbers ? `N-${insured},P-${insured}` : ',';
  return `${named},${date ?? '2026-11-01'},${service},${type},Other,1 ${insured} St,Tampa,FL,33609,${insured},${phone ?? '813-555-0100'},a@b.example,${status}`;
}

let bench: LedgerBench;
let workspace: Workspace;
beforeEach(async () => {
  bench = await openLedgerBench();
  workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
});
afterEach(async () => {
  await bench[Symbol.asyncDispose]();
});

async function run(changes: Partial<TakeInContext> = {}): Promise<readonly unknown[]> {
  const { files, notes } = await takeInInbox(takeInContext(bench, workspace, changes));
  return files.map(({ name, outcome, rows }) => {
    const codes = notes
      .flatMap((one) => (one.name === name ? one.notes.map(({ code }) => code) : []))
      .filter((code) => code === 'rows-dismissed-before');
    return [`${name}: ${outcome} ${rows.accepted} of ${rows.read}`, ...codes].join(', ');
  });
}

/** Every list has a row of its own, which can be ordered. */
let lists = 0;
async function drop(
  name: string,
  lines: readonly string[],
  changes: Partial<TakeInContext> = {},
): Promise<readonly unknown[]> {
  const path = join(workspace.inbox, name);
  await mkdir(dirname(path), { recursive: true });
  lists += 1;
  await writeFile(path, [HEADER, ...lines, line(`Own${lists}`)].join('\n'));
  return run(changes);
}

/** What an analyst does in a corrections workbook, and drops. */
async function edit(
  from: string,
  change: (workbook: Workbook) => void,
  to = `smith/${basename(from)}`,
): Promise<readonly unknown[]> {
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(join(workspace.corrections, from));
  change(workbook);
  await mkdir(dirname(join(workspace.inbox, to)), { recursive: true });
  await workbook.xlsx.writeFile(join(workspace.inbox, to));
  return run();
}

/** Writes into a column of every row. */
const fill =
  (title: string, text: string | null) =>
  ({ worksheets: [sheet] }: Workbook): void => {
    let at = 0;
    sheet?.eachRow((row) => {
      if (at > 0) row.getCell(at).value = text;
      row.eachCell((cell, column) => {
        if (cell.value === title) at = column;
      });
    });
  };

/** Says on the sheet `Words` what every word means. */
const explain =
  (meaning: string) =>
  (workbook: Workbook): void =>
    workbook.getWorksheet('Words')?.eachRow((row, number) => {
      if (number > 1) row.getCell(4).value = meaning;
    });

const open = async (): Promise<readonly string[]> =>
  (await Array.fromAsync(bench.ledger.notOrdered(true)))
    .filter(({ row }) => row.outcome === 'rejection')
    .map(({ row }) => `${row.summary.insuredName} of ${row.fileName}`);

const toFix = async (): Promise<readonly string[]> =>
  (await readdir(workspace.corrections, { recursive: true }))
    .filter((name) => name.endsWith('.xlsx') && !name.startsWith('done'))
    .toSorted();

/** The rule and message of the last row of an insured. */
async function said(insured: string): Promise<string> {
  const rows = (await Array.fromAsync(bench.ledger.notOrdered(true))).filter(
    ({ row }) => row.summary.insuredName === insured,
  );
  const [problem] = rows.toSorted((a, b) => b.row.id - a.row.id)[0]?.row.problems ?? [];
  return `${problem?.rule}: ${problem?.message}`;
}

const orders = async (): Promise<readonly string[]> =>
  (await bench.ledger.latestOrders(50))
    .map(({ payload }) => `${payload.insuredName} ${payload.serviceName}`)
    .filter((text) => !text.startsWith('Own'))
    .toSorted();

const NOT = 'not to be ordered';

/** All orders that wait get a project: 5001 and on. */
async function placeAll(status = 'Project Created'): Promise<void> {
  const { ledger } = bench;
  for (const order of await ledger.ordersIn('ready', 0, 50)) {
    const id = String(5000 + order.id);
    await ledger.beginAttempt(order.id, attemptOf());
    await ledger.moveOrder(order.id, 'submitting', { to: 'created', project: projectTie(id), adopted: false });
    await ledger.recordStatuses([{ id, status }]);
  }
}

const withRule = (onDuplicate: OnDuplicate): Partial<TakeInContext> => ({
  rules: { onDuplicate, whenNoKey: 'mark', renewalAfterDays: 300 },
});

describe('a row that was fixed in its corrections workbook', () => {
  const FIXED = 'smith/oct - to fix.xlsx';
  const inOctober = async (cells: Cells = {}): Promise<void> => {
    await drop('smith/oct.csv', [line('Ann', { service: 'Roof cert', ...cells })]);
    await edit(FIXED, fill('Service', '4-Point'));
    expect(await orders()).toEqual(['Ann 4-Point']);
  };

  test('is a repeat in later lists of any name', async () => {
    await inOctober();
    for (const month of ['nov', 'dec', 'jan'])
      expect(await drop(`smith/${month}.csv`, [line('Ann', { service: 'Roof cert' })])).toEqual([
        `smith/${month}.csv: processed 2 of 2`,
      ]);
    expect(await open()).toEqual([]);
    expect(await orders()).toEqual(['Ann 4-Point']);
  });

  test('is a repeat without any number', async () => {
    await inOctober({ numbers: false });
    await drop('smith/nov.csv', [line('Ann', { service: 'Roof cert', numbers: false })]);
    expect(await open()).toEqual([]);
  });

  test('is a repeat after two rounds of corrections', async () => {
    const wrong = line('Ann', { service: 'Roof cert', type: 'All of it' });
    await drop('smith/oct.csv', [wrong]);
    await edit(FIXED, fill('Service', '4-Point'));
    await edit('smith/oct - to fix 2.xlsx', fill('Policy type', 'Homeowners Insurance'));
    expect(await orders()).toEqual(['Ann 4-Point']);
    await drop('smith/nov.csv', [wrong]);
    await drop('smith/dec.csv', [line('Ann', { type: 'All of it' })]);
    expect(await open()).toEqual(['Ann of smith/dec.csv']);
  });

  test.each([
    ['another date', 'smith', { date: '2027-11-01' }],
    ['another wrong word', 'smith', { service: 'Top cert' }],
    ['another phone', 'smith', { phone: '813-555-0199' }],
    ['another sender', 'jones', {}],
  ])('goes back with %s', async (_what, sender, cells) => {
    await inOctober();
    await drop(`${sender}/nov.csv`, [line('Ann', { service: 'Roof cert', ...cells })]);
    expect(await open()).toEqual([`Ann of ${sender}/nov.csv`]);
  });

  test('goes back once its order was abandoned', async () => {
    await inOctober();
    const [order] = await bench.ledger.latestOrders(1);
    await bench.ledger.moveOrder(order?.id ?? 0, 'ready', { to: 'abandoned', code: 'abandoned', reason: '' } as never);
    await drop('smith/oct (2).csv', [line('Ann', { service: 'Roof cert' })]);
    await drop('smith/nov.csv', [line('Ann', { service: 'Roof cert' })]);
    expect(await open()).toContain('Ann of smith/nov.csv');
  });

  test('goes back if it has no date and its order is old', async () => {
    await inOctober({ date: '' });
    await bench.clock.advance(31 * 86_400_000);
    await drop('smith/nov.csv', [line('Ann', { service: 'Roof cert', date: '' })]);
    expect(await open()).toEqual(['Ann of smith/nov.csv']);
  });

  test('goes back where repeats do', async () => {
    await inOctober();
    await drop('smith/nov.csv', [line('Ann', { service: 'Roof cert' })], withRule('reject'));
    expect(await open()).toEqual(['Ann of smith/nov.csv']);
  });

  test('goes back if its columns are read in another way', async () => {
    await inOctober();
    const [header, text] = [HEADER.replace('Insured email', 'Agent email'), line('Ann', { service: 'Roof cert' })];
    await writeFile(join(workspace.inbox, 'smith/nov.csv'), [header, text].join('\n'));
    await run();
    expect(await open()).toEqual(['Ann of smith/nov.csv']);
  });

  test('stays known when its details were forgotten', async () => {
    await inOctober();
    await placeAll('Client Received');
    await drop('smith/nov.csv', [line('Ann', { service: 'Roof cert' })]);
    expect(await open()).toEqual([]);
  });
});

describe('a dismissed row', () => {
  const dismissAll = async (insured = /./): Promise<void> => {
    for (const { fileId } of await bench.ledger.waitingRows())
      await bench.ledger.dismissRows(
        (await bench.ledger.openRowsOf(fileId)).filter(({ summary }) => insured.test(summary.insuredName)),
      );
  };
  const TO_FIX = 'smith/oct - to fix.xlsx';
  const RETURNED = 'smith/oct - to fix.xlsx: processed';

  /** Writes into a column of one row. */
  const fillFor =
    (insured: string, title: string, text: string) =>
    ({ worksheets: [sheet] }: Workbook): void => {
      let at = 0;
      sheet?.eachRow((row) => {
        const texts: string[] = [];
        row.eachCell((cell, column) => (texts[column] = cell.text));
        if (at === 0) at = texts.indexOf(title);
        else if (texts.includes(insured)) row.getCell(at).value = text;
      });
    };

  describe('in its corrections workbook', () => {
    const wrong = { service: 'Roof cert', date: '11/1/2026' };

    test.each([
      ['another row is fixed', fillFor('Bob', 'Service', '4-Point'), 'Bob 4-Point'],
      ['its word is explained', explain('4-Point'), 'Bob 4-Point'],
    ])('stays dismissed when %s', async (_what, change, ordered) => {
      await drop('smith/oct.csv', [line('Ann', wrong), line('Bob', wrong)]);
      await dismissAll(/Ann/);
      expect(await edit(TO_FIX, change)).toEqual([`${RETURNED} 1 of 2, rows-dismissed-before`]);
      expect(await open()).toEqual([]);
      expect(await orders()).toEqual([ordered]);
    });

    test('stays dismissed when every row was, and the workbook is dropped', async () => {
      await drop('smith/oct.csv', [line('Ann', wrong)]);
      await dismissAll();
      expect(await edit(TO_FIX, () => {})).toEqual([`${RETURNED} 0 of 1, rows-dismissed-before`]);
      expect(await edit(`done/${TO_FIX}`, fillFor('Ann', 'Insured phone', '813-555-0199'), TO_FIX)).toEqual([
        `${RETURNED} 0 of 1`,
      ]);
      expect(await open()).toEqual([`Ann of ${TO_FIX}`]);
    });

    test('is ordered once a person fixes its cells', async () => {
      await drop('smith/oct.csv', [line('Ann', wrong), line('Bob', wrong)]);
      await dismissAll(/Ann/);
      expect(await edit(TO_FIX, fill('Service', '4-Point'))).toEqual([`${RETURNED} 2 of 2`]);
      expect(await orders()).toEqual(['Ann 4-Point', 'Bob 4-Point']);
    });

    test('stays dismissed though the service refused its order', async () => {
      await drop('smith/oct.csv', [line('Ann')]);
      for (const { id } of await bench.ledger.ordersIn('ready', 0, 9)) {
        await bench.ledger.beginAttempt(id, attemptOf());
        await bench.ledger.moveOrder(id, 'submitting', { to: 'refused', code: 'service-refused', reason: 'no' });
      }
      await run();
      await writeAllPendingCorrections(takeInContext(bench, workspace));
      await dismissAll(/Ann/);
      await edit('smith/oct - refused.xlsx', () => {});
      expect(await orders()).toEqual(['Ann 4-Point']);
    });

    test('is ordered once its strikethrough is removed', async () => {
      const workbook = new exceljs.Workbook();
      const sheet = workbook.addWorksheet('October');
      for (const one of [HEADER, line('Ann'), line('Bob')]) sheet.addRow(one.split(','));
      sheet.getRow(2).eachCell((cell) => (cell.font = { strike: true }));
      await mkdir(join(workspace.inbox, 'smith'), { recursive: true });
      await workbook.xlsx.writeFile(join(workspace.inbox, 'smith/oct.xlsx'));
      await run();
      await dismissAll();
      expect(await edit(TO_FIX, () => {})).toEqual([`${RETURNED} 0 of 1, rows-dismissed-before`]);
      const unstrike = ({ worksheets: [toFix] }: Workbook): void =>
        toFix?.getRow(2).eachCell((cell) => (cell.font = {}));
      expect(await edit(`done/${TO_FIX}`, unstrike, TO_FIX)).toEqual([`${RETURNED} 1 of 1`]);
    });
  });

  test('stays dismissed in later lists, with a note', async () => {
    await drop('smith/oct.csv', [line('Ann', { service: 'Roof cert' })]);
    await dismissAll();
    for (const month of ['nov', 'dec', 'jan'])
      expect(await drop(`smith/${month}.csv`, [line('Ann', { service: 'Roof cert' })])).toEqual([
        `smith/${month}.csv: processed 1 of 2, rows-dismissed-before`,
      ]);
    expect(await open()).toEqual([]);
    expect(await toFix()).toEqual([]);
  });

  test.each([
    ['another date', 'smith', { date: '2027-11-01' }],
    ['another wrong word', 'smith', { service: 'Top cert' }],
    ['another sender', 'jones', {}],
  ])('goes back with %s', async (_what, sender, cells) => {
    await drop('smith/oct.csv', [line('Ann', { service: 'Roof cert' })]);
    await dismissAll();
    await drop(`${sender}/nov.csv`, [line('Ann', { service: 'Roof cert', ...cells })]);
    expect(await open()).toEqual([`Ann of ${sender}/nov.csv`]);
  });

  test('is ordered once it can be', async () => {
    await drop('smith/oct.csv', [line('Ann', { service: 'Roof cert' })]);
    await dismissAll();
    await drop('smith/nov.csv', [line('Ann')]);
    expect(await orders()).toEqual(['Ann 4-Point']);
  });
});

describe('a row on record that its list takes back', () => {
  const ordered = async (status?: string): Promise<void> => {
    await drop('smith/oct.csv', [line('Ann', { status: 'New' })]);
    if (status !== undefined) await placeAll(status);
  };

  test.each([
    [undefined, /^row-on-record: .*`inspection-batch status 1`/],
    ['Project Created', /^row-on-record: .*cancel project 5001/],
    ['Site Inspected', /^row-on-record: .*5001.*Site Inspected/],
  ])('names its order and what to do, at %s', async (status, says) => {
    await ordered(status);
    await drop('smith/nov.csv', [line('Ann', { status: 'Cancelled' })]);
    expect(await open()).toEqual(['Ann of smith/nov.csv']);
    expect(await said('Ann')).toMatch(says);
  });

  test('is a repeat once its project is canceled', async () => {
    await ordered('Project Canceled');
    await drop('smith/nov.csv', [line('Ann', { status: 'Cancelled' })]);
    expect(await open()).toEqual([]);
  });

  test('speaks of no order if there is none', async () => {
    await drop('smith/nov.csv', [line('Ann', { status: 'Cancelled' })]);
    expect(await said('Ann')).toMatch(/^row-withdrawn: /);
  });

  test('goes back under a title, whatever its status', async () => {
    await ordered('Project Created');
    await drop('smith/nov.csv', ['CANCELLATIONS,,,,,,,,,,,,,', line('Ann', { status: 'Ordered' })]);
    expect(await said('Ann')).toMatch(/^row-on-record: .*cancel project 5001/);
  });

  test.each(['Hold', 'Cancelled - do not order', 'Duplicate', 'Expired', 'Ordered with Davies'])(
    'goes back as %s',
    async (status) => {
      await ordered('Project Created');
      await drop('smith/nov.csv', [line('Ann', { status })]);
      expect(await open()).toEqual(['Ann of smith/nov.csv']);
      expect(await said('Ann')).toContain('cancel project 5001');
    },
  );
});

describe('a status that follows an order on record', () => {
  test.each(['Ordered', 'Ordered 11/2', 'Submitted to vendor', 'Inspected', 'Completed', 'Assigned to Ann'])(
    'makes a repeat as %s',
    async (status) => {
      await drop('smith/oct.csv', [line('Ann', { status: 'New' })]);
      await placeAll();
      expect(await drop('smith/nov.csv', [line('Ann', { status })])).toEqual(['smith/nov.csv: processed 2 of 2']);
      expect(await open()).toEqual([]);
      expect(await orders()).toEqual(['Ann 4-Point']);
      expect(await toFix()).toEqual([]);
    },
  );

  test.each(['Ordered', 'Submitted to vendor'])('holds the row of a later term, as %s', async (status) => {
    await drop('smith/oct.csv', [line('Ann', { status: 'New' })]);
    await drop('smith/nov.csv', [line('Ann', { status, date: '2027-11-01' })]);
    expect(await open()).toEqual(['Ann of smith/nov.csv']);
  });

  test.each(['reject', 'create'] as const)('goes back where repeats are not linked: %s', async (rule) => {
    await drop('smith/oct.csv', [line('Ann', { status: 'New' })]);
    await drop('smith/nov.csv', [line('Ann', { status: 'Ordered' })], withRule(rule));
    expect(await open()).toEqual(['Ann of smith/nov.csv']);
  });
});

describe('an open row that came twice', () => {
  test('is closed in both files when it is ordered', async () => {
    const list = [line('Ann', { status: 'Dispatched 11/2' })];
    await drop('smith/oct.csv', list);
    await edit('smith/oct - to fix.xlsx', explain(NOT), 'smith/fix.xlsx');
    await drop('smith/nov.csv', list);
    await drop('smith/dec.csv', [line('Ann', { status: 'New' })]);
    expect(await orders()).toEqual(['Ann 4-Point']);
    expect(await open()).toEqual([]);
  });

  test('is closed when its unchanged row is a repeat', async () => {
    // As after an upgrade: what was wrong is right now.
    await drop('smith/sep.csv', [line('Ann', { phone: '813-555-0188' })]);
    await drop('smith/oct.csv', [line('Ann', { service: 'Roof cert' })]);
    await drop('smith/nov.csv', [line('Ann', { service: 'Roof cert', date: '2026-11-02' })]);
    expect(await open()).toHaveLength(2);
    const known = { values: { 'Roof cert': '4-Point' } };
    await drop('smith/dec.csv', [line('Ann', { service: 'Roof cert' })], known);
    expect(await orders()).toEqual(['Ann 4-Point']);
    expect(await open()).toEqual(['Ann of smith/nov.csv']);
  });

  test('is open once, with the latest list', async () => {
    for (const month of ['oct', 'nov', 'dec'])
      await drop(`smith/${month}.csv`, [line('Ann', { service: 'Roof cert' })]);
    expect(await open()).toEqual(['Ann of smith/dec.csv']);
    expect(await toFix()).toEqual(['smith/dec - to fix.xlsx']);
    await edit('smith/dec - to fix.xlsx', fill('Service', '4-Point'));
    expect(await open()).toEqual([]);
  });

  test('is not closed by the same row of another sender', async () => {
    for (const sender of ['smith', 'jones']) await drop(`${sender}/oct-${sender}.csv`, [line('Ann', { type: 'All' })]);
    expect(await open()).toHaveLength(2);
  });
});

describe('a file with rows to fix, dropped again', () => {
  test('is read again when they are open under another file', async () => {
    await drop('smith/oct.csv', [line('Ann', { service: 'Roof cert' })]);
    await edit('smith/oct - to fix.xlsx', fill('Service', 'Roof thing'), 'smith/fix.xlsx');
    expect(await open()).toEqual(['Ann of smith/fix.xlsx']);
    const known = { values: { 'Roof cert': '4-Point' } };
    lists -= 1;
    expect(await drop('smith/oct.csv', [line('Ann', { service: 'Roof cert' })], known)).toEqual([
      'smith/oct.csv: processed 1 of 1',
    ]);
    expect(await orders()).toEqual(['Ann 4-Point']);
    expect(await open()).toEqual([]);
  });
});

describe('a word that two workbooks answer', () => {
  test('is reported, with the person whose answer is in force', async () => {
    await drop('smith/oct.csv', [line('Ann', { status: 'Assigned to Sam' })]);
    const from = 'smith/oct - to fix.xlsx';
    await edit(from, explain('to be ordered'), 'smith/p1.xlsx');
    await edit(`done/${from}`, explain(NOT), 'smith/p2.xlsx');
    const news = await bench.ledger.openNews();
    expect(news.filter(({ kind }) => kind === 'layout-answer-changed').map(({ subject }) => subject)).toEqual([
      'smith/oct.csv: smith/p2.xlsx replaces smith/p1.xlsx',
    ]);
    expect(await bench.ledger.layoutsOf('smith')).toMatchObject([{ words: [{ value: NOT, by: 'smith/p2.xlsx' }] }]);
  });
});
