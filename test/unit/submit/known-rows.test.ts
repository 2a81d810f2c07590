import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import exceljs, { type Worksheet } from 'exceljs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StoredRow } from '../../../src/ledger/rows.ts';
import { ensureWorkspace, workspaceAt } from '../../../src/ops/workspace.ts';
import { writeAllPendingCorrections } from '../../../src/submit/corrections.ts';
import { takeInNamed } from '../../../src/submit/take-in.ts';
import { deskInThisProcess } from '../../support/desk-in-this-process.ts';
import { type LedgerBench, openLedgerBench, takeInContext } from '../../support/run-bench.ts';

const HEADER =
  'Inspection #,Policy #,Eff Date,Service,Policy type,House type,Address,City,State,Zip,Insured,Insured phone,Insured email';
const SERVICE = 5;

/** A line of a sender's file: `Roof cert` is no service, so its row goes back. */
function line(insured: string, service = '4-Point', number = `N-${insured}`): string {
  return `${number},P-${insured},2026-11-01,${service},Homeowners Insurance,Other,1 ${insured} St,Tampa,FL,33609,${insured},813-555-0100,a@b.example`;
}

let bench: LedgerBench;
beforeEach(async () => {
  bench = await openLedgerBench();
  await ensureWorkspace(workspaceAt(bench.folder));
});
afterEach(async () => {
  await bench[Symbol.asyncDispose]();
});

/** Takes a file in, and says where its corrections workbook lies. */
async function drop(
  path: string,
): Promise<{ readonly accepted: number; readonly rejected: number; readonly corrections: string }> {
  const { folder } = bench;
  const { files } = await takeInNamed([path], takeInContext(bench, workspaceAt(folder)));
  const [file] = files;
  if (file === undefined) throw new Error('no file was taken in');
  return { ...file.rows, corrections: join(folder, file.corrections ?? '') };
}

async function dropLines(name: string, lines: readonly string[]): ReturnType<typeof drop> {
  const path = join(bench.folder, name);
  await writeFile(path, [HEADER, ...lines].join('\n'));
  return drop(path);
}

/** What an analyst does in a corrections workbook. */
async function edit(path: string, change: (sheet: Worksheet) => void, name = 'fixed.xlsx'): Promise<string> {
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  const [sheet] = workbook.worksheets;
  if (sheet !== undefined) change(sheet);
  const saved = join(bench.folder, name);
  await workbook.xlsx.writeFile(saved, { zip: { compression: 'STORE' } });
  return saved;
}

const fix =
  (...rowNumbers: readonly number[]) =>
  (sheet: Worksheet): void => {
    for (const rowNumber of rowNumbers) sheet.getCell(rowNumber, SERVICE).value = '4-Point';
  };

/** The rows that are still not ordered: file, insured, outcome. */
async function notOrdered(): Promise<readonly string[]> {
  const rows = await Array.fromAsync(bench.ledger.notOrdered(true));
  return rows.map(({ row }) => `${row.fileName}, ${row.summary.insuredName}: ${row.outcome}`);
}

async function storyOf(inspectionNumber: string): Promise<readonly StoredRow[]> {
  const [order] = await bench.ledger.findOrders(inspectionNumber);
  return order === undefined ? [] : (await bench.ledger.storyOf(order.id)).rows;
}

const ruleOf = (row: StoredRow | undefined): readonly string[] => (row?.problems ?? []).map(({ rule }) => rule);

test('keeps rejected rows of different houses with one repeated number apart', async () => {
  await dropLines('orders.csv', [line('Ann', '4-Point', '1')]);
  expect(await dropLines('orders (2).csv', [line('Bob', '4-Point', '1')])).toMatchObject({ accepted: 0, rejected: 1 });
  expect(await dropLines('orders (3).csv', [line('Cid', '4-Point', '1')])).toMatchObject({ accepted: 0, rejected: 1 });
  expect(await notOrdered()).toEqual(
    expect.arrayContaining(['orders (2).csv, Bob: rejection', 'orders (3).csv, Cid: rejection']),
  );
});

test('leaves a row without insured open if another house has its number', async () => {
  const withoutPolicy = (insured: string): string => line(insured, '4-Point', '1').replace(`P-${insured}`, '');
  await dropLines('orders.csv', [withoutPolicy('Ann').replace(',Ann,', ',,')]);
  expect(await notOrdered()).toEqual(['orders.csv, : rejection']);
  expect(await dropLines('orders (2).csv', [withoutPolicy('Bob')])).toMatchObject({ accepted: 1 });
  expect(await notOrdered()).toEqual(['orders.csv, : rejection']);
});

test('leaves a row open when its house is ordered under another number', async () => {
  await dropLines('orders.csv', [line('Ann', 'Roof cert', '1')]);
  expect(await dropLines('orders (2).csv', [line('Ann', 'Exterior', '2')])).toMatchObject({ accepted: 1 });
  expect(await notOrdered()).toEqual(['orders.csv, Ann: rejection']);
});

describe('an open row of a file with another name', () => {
  test('is replaced by an order that differs in wrong cells only', async () => {
    await dropLines('oct.csv', [line('Ann', 'Roof cert'), line('Bob', 'Roof cert')]);
    expect(await dropLines('weekly.csv', [line('Ann')])).toMatchObject({ accepted: 1 });
    expect(await notOrdered()).toEqual(['oct.csv, Bob: rejection']);
  });

  test.each([
    ['another date', line('Ann').replace('2026-11-01', '2027-11-01')],
    ['another town', line('Ann').replace('Tampa', 'Ocala').replace('33609', '34470')],
    ['still wrong cells', line('Ann', 'Roof thing')],
  ])('stays open after a row with %s', async (_what, other) => {
    await dropLines('oct.csv', [line('Ann', 'Roof cert')]);
    await dropLines('weekly.csv', [other]);
    expect(await notOrdered()).toContain('oct.csv, Ann: rejection');
  });
});

test('replaces a rejected row by its fix over several rounds', async () => {
  const first = await dropLines('oct.csv', [line('Ann'), line('Bob', 'Roof cert'), line('Cid', 'Roof cert')]);
  const second = await drop(await edit(first.corrections, fix(2), 'once.xlsx'));
  expect(second).toMatchObject({ accepted: 1, rejected: 1 });
  expect(await notOrdered()).toEqual(['once.xlsx, Cid: rejection']);
  expect(await drop(await edit(second.corrections, fix(2), 'twice.xlsx'))).toMatchObject({ accepted: 1, rejected: 0 });
  expect(await notOrdered()).toEqual([]);
  expect(
    (await storyOf('N-Cid')).map(({ outcome, fileName, record }) => [outcome, fileName, record.place.rowNumber]),
  ).toEqual([
    ['rejection', 'oct.csv', 4],
    ['rejection', 'once.xlsx', 3],
    ['order', 'twice.xlsx', 2],
  ]);
});

test('recognizes a fix with another number by its key', async () => {
  const first = await dropLines('oct.csv', [line('Ann', 'Roof cert'), line('Bob', 'Roof cert')]);
  const fixed = await edit(first.corrections, (sheet) => {
    fix(2)(sheet);
    sheet.getCell(2, 2).value = 'N-other';
    sheet.spliceRows(3, 1);
  });
  await drop(fixed);
  expect(await notOrdered()).toEqual(['oct.csv, Bob: rejection']);
  expect((await storyOf('N-other')).map(({ fileName }) => fileName)).toEqual(['oct.csv', 'fixed.xlsx']);
});

describe('a key that cannot be trusted', () => {
  test('takes one of several copies as the row, others as new', async () => {
    const first = await dropLines('oct.csv', [line('Ann', 'Roof cert')]);
    const copied = await edit(first.corrections, (sheet) => {
      fix(2)(sheet);
      for (const [rowNumber, insured, service] of [
        [3, 'Bob', '4-Point'],
        [4, 'Cid', 'Roof cert'],
        [5, 'Dee', 'Roof cert'],
      ] as const) {
        sheet.getRow(rowNumber).values = [null, ...line(insured, service).split(','), sheet.getCell('O2').value];
      }
    });
    const second = await drop(copied);
    expect(second).toMatchObject({ accepted: 2, rejected: 2 });
    expect(await notOrdered()).toEqual(['fixed.xlsx, Cid: rejection', 'fixed.xlsx, Dee: rejection']);
    expect(await storyOf('N-Ann')).toHaveLength(2);
    expect((await storyOf('N-Bob')).map(ruleOf)).toEqual([['row-key']]);
    // The two that went back once more are told apart from now on.
    const third = await edit(second.corrections, fix(3), 'again.xlsx');
    expect(await drop(third)).toMatchObject({ accepted: 1, rejected: 1 });
    expect(await notOrdered()).toEqual(['again.xlsx, Cid: rejection']);
  });

  test('goes by content when rows were sorted without their keys', async () => {
    const first = await dropLines('oct.csv', [
      line('Ann', 'Roof cert'),
      line('Bob', 'Roof cert'),
      line('Cid', 'Roof cert'),
    ]);
    const sorted = await edit(
      first.corrections,
      (sheet) => {
        fix(2, 3)(sheet);
        const keys = [2, 3, 4].map((rowNumber) => sheet.getCell(rowNumber, 15).value);
        for (const [index, rowNumber] of [3, 4, 2].entries()) sheet.getCell(rowNumber, 15).value = keys[index] ?? null;
      },
      'oct - to fix.xlsx',
    );
    expect(await drop(sorted)).toMatchObject({ accepted: 2, rejected: 1 });
    expect(await notOrdered()).toEqual(['oct - to fix.xlsx, Cid: rejection']);
    expect((await storyOf('N-Ann')).map(({ record }) => record.place.rowNumber)).toEqual([2, 2]);
  });

  test('goes by content, or takes a row as new, after a foreign or broken key', async () => {
    const elsewhere = await dropLines('oct.csv', [line('Ann', 'Roof cert')]);
    const strange = await edit(elsewhere.corrections, (sheet) => {
      fix(2)(sheet);
      sheet.getCell('O2').value = 'oct.csv#oct#2#0123456789ab';
      sheet.getRow(3).values = [null, ...line('Bob').split(','), '=1+1'];
      sheet.getRow(4).values = [null, ...line('Cid', 'Roof cert').split(',')];
    });
    const second = await drop(strange);
    expect(second).toMatchObject({ accepted: 2, rejected: 1 });
    expect(await notOrdered()).toEqual(['fixed.xlsx, Cid: rejection']);
    await drop(await edit(second.corrections, fix(2), 'again.xlsx'));
    expect(await notOrdered()).toEqual([]);
  });
});

describe('a key next to an overwritten row', () => {
  /** A line without numbers, or with a street of its own. */
  const at = (insured: string, street: string, number: string, service = '4-Point', policy = `P-${number}`): string =>
    `${number},${number === '' ? '' : policy},2026-11-01,${service},Homeowners Insurance,Other,${street},Tampa,FL,33609,${insured},813-555-0100,a@b.example`;
  const written =
    (text: string) =>
    (sheet: Worksheet): void => {
      for (const [index, value] of text.split(',').entries()) sheet.getCell(2, index + 2).value = value;
    };
  /** What is open once a row that went back for its service has come as `now`. */
  const openAfter = async (was: string, now: string): Promise<readonly string[]> => {
    const { corrections } = await dropLines('oct.csv', [was]);
    expect(await drop(await edit(corrections, written(now)))).toMatchObject({ accepted: 1, rejected: 0 });
    return notOrdered();
  };
  const OPEN = ['oct.csv, Ann: rejection'];
  const ANN = at('Ann', '1 Oak St', 'N-1', 'Roof cert');

  test.each([
    ['street and both numbers, of one insured', ANN, at('Ann', '9 Elm Rd', 'N-9'), OPEN],
    ['insured and both numbers, at one street', ANN, at('Bob', '1 Oak St', 'N-9'), OPEN],
    ['the street, with both numbers removed', ANN, at('Ann', '9 Elm Rd', ''), OPEN],
    [
      'the street, where there never was a number',
      at('Ann', '1 Oak St', '', 'Roof cert'),
      at('Ann', '9 Elm Rd', ''),
      OPEN,
    ],
    ['a house number like it, and both numbers', ANN, at('Ann', '11 Oak St', 'N-9'), OPEN],
    ['the street alone', ANN, at('Ann', '9 Elm Rd', 'N-1'), []],
    ['the insured alone', ANN, at('Anna Lee', '1 Oak St', 'N-1'), []],
    ['both numbers alone', ANN, at('Ann', '1 Oak St', 'N-9'), []],
    ['numbers added', at('Ann', '1 Oak St', '', 'Roof cert'), at('Ann', '1 Oak St', 'N-1'), []],
    [
      'a unit added, where there never was a number',
      at('Ann', '1 Oak St', '', 'Roof cert'),
      at('Ann', '1 Oak St Unit 4', ''),
      [],
    ],
    ['a street that was wrong, without numbers', at('Ann', 'PO Box 9', ''), at('Ann', '9 Elm Rd', ''), []],
    [
      'a street that was missing, and the number',
      at('Ann', '', 'N-1'),
      at('Ann', '9 Elm Rd', 'N-2', '4-Point', 'P-N-1'),
      [],
    ],
  ])('takeInNamed compares %s', async (_what, was, now, open) => {
    expect(await openAfter(was, now)).toEqual(open);
  });
});

// As from a second copy of its workbook.
describe('a corrected row again with other numbers', () => {
  const renumbered =
    (number: string) =>
    (sheet: Worksheet): void =>
      void (sheet.getCell(2, 2).value = number);
  const withYes = (sheet: Worksheet): void => {
    sheet.getCell(1, 16).value = 'Allow duplicate';
    sheet.getCell(2, 16).value = 'Yes';
  };

  test('is rejected in every round until it says Yes', async () => {
    const { corrections } = await dropLines('oct.csv', [line('Ann'), line('Bob', 'Roof cert')]);
    const fixed = await edit(corrections, fix(2));
    await drop(fixed);
    const once = await drop(await edit(fixed, renumbered('N-Bobby'), 'once.xlsx'));
    expect(once).toMatchObject({ accepted: 0, rejected: 1 });
    const broken = await drop(
      await edit(once.corrections, (sheet) => void (sheet.getCell(2, SERVICE).value = 'Roof cert'), 'broken.xlsx'),
    );
    const twice = await drop(await edit(broken.corrections, fix(2), 'twice.xlsx'));
    expect(twice).toMatchObject({ accepted: 0, rejected: 1 });
    expect(await notOrdered()).toEqual(['twice.xlsx, Bob: rejection']);
    expect(await drop(await edit(twice.corrections, withYes, 'yes.xlsx'))).toMatchObject({ accepted: 1 });
    expect([await notOrdered(), await bench.ledger.orderCounts()]).toMatchObject([[], { ready: 3 }]);
  });

  test('is ordered with a warning if it says Yes at once', async () => {
    const { corrections } = await dropLines('oct.csv', [line('Bob', 'Roof cert')]);
    const fixed = await edit(corrections, fix(2));
    await drop(fixed);
    const change = (sheet: Worksheet): void => [renumbered('N-Bobby'), withYes].forEach((edited) => edited(sheet));
    expect(await drop(await edit(fixed, change, 'once.xlsx'))).toMatchObject({ accepted: 1 });
    expect((await storyOf('N-Bobby')).map(ruleOf)).toEqual([expect.arrayContaining(['ordered-before'])]);
  });

  test('is ordered if the earlier order was given up', async () => {
    const { corrections } = await dropLines('oct.csv', [line('Bob', 'Roof cert')]);
    const fixed = await edit(corrections, fix(2));
    await drop(fixed);
    await bench.ledger.moveOrder(1, 'ready', { to: 'abandoned', code: 'abandoned-by-person', reason: 'not wanted' });
    expect(await drop(await edit(fixed, renumbered('N-Bobby'), 'once.xlsx'))).toMatchObject({ accepted: 1 });
    expect((await storyOf('N-Bobby')).flatMap(ruleOf)).not.toContain('ordered-before');
  });
});

describe('the original dropped again', () => {
  const LINES = [line('Ann'), line('Bob', 'Roof cert'), line('Cid', 'Roof cert')];

  test('keeps its rejected rows when sorted otherwise, fixable in either copy', async () => {
    const first = await dropLines('oct.csv', LINES);
    const again = await dropLines('oct (1).csv', LINES.toReversed());
    expect(again).toMatchObject({ accepted: 1, rejected: 2 });
    expect(await notOrdered()).toEqual([
      'oct (1).csv, Cid: rejection',
      'oct (1).csv, Bob: rejection',
      'oct (1).csv, Ann: repeat',
    ]);
    // Each workbook is done once its rows came again.
    const done = (path: string): string => join(dirname(path), 'done', basename(path));
    await drop(await edit(done(first.corrections), fix(2), 'b.xlsx'));
    await drop(await edit(done(again.corrections), fix(2), 'c.xlsx'));
    expect((await notOrdered()).filter((told) => told.endsWith('rejection'))).toEqual([]);
  });

  test('ties its rows to the orders of their fixes', async () => {
    const first = await dropLines('oct.csv', LINES);
    await drop(await edit(first.corrections, fix(2, 3)));
    const again = await dropLines('oct.csv', LINES.toReversed());
    expect(again).toMatchObject({ accepted: 3, rejected: 0 });
    const story = await storyOf('N-Bob');
    expect(story.map(({ outcome }) => outcome)).toEqual(['rejection', 'order', 'repeat']);
    expect(story.map(ruleOf).at(-1)).toEqual(['corrected-before']);
    expect(await bench.ledger.orderCounts()).toMatchObject({ ready: 3 });
  });

  test('links an untouched copy whose workbook holds the text as a date', async () => {
    const { corrections } = await dropLines('oct.csv', [line('Ann', 'Roof cert').replace('2026-11-01', '11/13/2026')]);
    const untouched = await edit(corrections, () => {}, 'copy.xlsx');
    await drop(await edit(corrections, fix(2)));
    await drop(untouched);
    expect((await storyOf('N-Ann')).map(({ outcome }) => outcome)).toEqual(['rejection', 'order', 'repeat']);
  });

  test('replaces a rejected row if fixed in the original', async () => {
    await dropLines('oct.csv', LINES);
    expect(await dropLines('oct.csv', [line('Ann'), line('Bob'), line('Cid', 'Roof cert')])).toMatchObject({
      accepted: 2,
      rejected: 1,
    });
    expect(await notOrdered()).toEqual(['oct.csv, Ann: repeat', 'oct.csv, Cid: rejection']);
    expect((await storyOf('N-Bob')).map(({ outcome }) => outcome)).toEqual(['rejection', 'order']);
  });

  test('leaves a wrong row alone when another row repeats an order', async () => {
    await dropLines('oct.csv', [line('Ann'), line('Ann', 'Roof cert', '')]);
    await dropLines('oct (1).csv', [line('Ann')]);
    expect(await notOrdered()).toEqual(['oct.csv, Ann: rejection', 'oct (1).csv, Ann: repeat']);
  });
});

test('takes the fix of a refused order as the order that counts', async () => {
  await dropLines('oct.csv', [line('Ann')]);
  await bench.ledger.beginAttempt(1, { actor: 'a', idBound: '1', payload: {}, payloadHash: '' });
  await bench.ledger.moveOrder(1, 'submitting', {
    to: 'refused',
    code: 'service-refused',
    reason: 'The service does not go there.',
  });
  await writeAllPendingCorrections({
    ledger: bench.ledger,
    workspace: workspaceAt(bench.folder),
    files: deskInThisProcess,
  });
  const fixed = await edit(join(bench.folder, 'corrections/oct - refused.xlsx'), (sheet) => {
    expect(JSON.stringify(sheet.getCell('B2').note)).toContain('go there');
    sheet.getCell(2, 9).value = 'Miami';
  });
  await drop(fixed);
  expect(await notOrdered()).toEqual([]);
  expect((await bench.ledger.storyOf(2)).rows.map(({ orderId }) => orderId)).toEqual([1, 2]);
});

test('reports a corrections workbook whose own file was never taken in', async () => {
  const lines = [line('Ann'), line('Bob', 'Roof cert')];
  const { corrections } = await dropLines('orders.csv', lines);
  const fixed = await edit(corrections, fix(2));
  await using other = await openLedgerBench();
  await ensureWorkspace(workspaceAt(other.folder));
  const takeIn = (path: string) => takeInNamed([path], takeInContext(other, workspaceAt(other.folder)));
  expect((await takeIn(fixed)).files).toMatchObject([{ codes: ['original-not-dropped'], rows: { accepted: 1 } }]);
  expect(await other.ledger.openNews()).toMatchObject([
    { kind: 'original-not-dropped', subject: expect.stringContaining('"orders.csv"') },
  ]);
  expect(await drop(fixed)).toMatchObject({ accepted: 1 });
  expect((await bench.ledger.openNews()).map(({ kind }) => kind)).not.toContain('original-not-dropped');
});
