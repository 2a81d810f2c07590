import type exceljs from 'exceljs';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { orderCsv } from '../../support/order-csv.ts';
import { openQuestionBench } from '../../support/question-bench.ts';

/** A list of one service, which no column names. */
const list = (rows: number, series = 0): string =>
  orderCsv(rows, { series, keys: ['policy'] })
    .replace('serviceName', 'Premium')
    .replaceAll('4-Point', '1200');

const tell =
  (value: string) =>
  (sheet: exceljs.Worksheet): void => {
    if (sheet.name !== 'Columns') return;
    sheet.eachRow((row) => {
      if (row.getCell(2).value === 'all rows') row.getCell(7).value = value;
    });
  };

const ASKED = 'corrections/smith/march - please confirm.xlsx';

async function openAsked() {
  const bench = await openQuestionBench();
  await bench.drop('smith/march.csv', list(3));
  expect(await bench.run()).toEqual(['smith/march.csv: to-confirm 0']);
  return bench;
}

describe('takeInInbox', () => {
  test('holds a list without the service as one question', async () => {
    await using bench = await openAsked();
    expect(await readdir(bench.at('corrections/smith'))).toEqual(['march - please confirm.xlsx']);
    expect(await bench.ledger.openQuestions()).toMatchObject([
      { question: { columns: [{ key: '=serviceName=', code: 'value-for-all', proposal: null, holds: true }] } },
    ]);
    const page = await readFile(bench.at('held/smith/march.csv.txt'), 'utf8');
    expect(page).toContain('"Service"');
    expect(page).not.toContain('--as-proposed');
  });

  test('orders the list once the value is confirmed, and later ones without a question', async () => {
    await using bench = await openAsked();
    await bench.answer(ASKED, 'smith/answer.xlsx', tell('Exterior'));
    expect(await bench.run()).toEqual(['smith/answer.xlsx: processed 0', 'smith/march.csv: processed 3']);
    await bench.drop('smith/april.csv', list(2, 5));
    expect(await bench.run()).toEqual(['smith/april.csv: processed 2']);
    const orders = await bench.ledger.latestOrders(9);
    expect(orders.map(({ payload }) => payload.serviceName)).toEqual(Array(5).fill('Exterior'));
  });

  test('sends the rows back if the cell stays empty, and asks no more', async () => {
    await using bench = await openAsked();
    await bench.answer(ASKED, 'smith/answer.xlsx');
    expect(await bench.run()).toEqual(['smith/answer.xlsx: processed 0', 'smith/march.csv: processed 0']);
    expect(await readdir(bench.at('corrections/smith'))).toEqual(['march - to fix.xlsx']);
    await bench.drop('smith/april.csv', list(2, 5));
    expect(await bench.run()).toEqual(['smith/april.csv: processed 0']);
    expect(await bench.ledger.openQuestions()).toEqual([]);
  });

  test.each(['smith/fixed.xlsx', 'fixed.xlsx'])('keeps the value for a row fixed as %s', async (name) => {
    await using bench = await openAsked();
    await bench.answer(ASKED, 'smith/answer.xlsx', tell('Exterior'));
    await bench.run();
    await bench.drop('smith/april.csv', list(1, 5).replace(',MA,', ',Massa,'));
    expect(await bench.run()).toEqual(['smith/april.csv: processed 0']);
    await bench.answer('corrections/smith/april - to fix.xlsx', name, (sheet) => {
      sheet.eachRow((row) => {
        row.eachCell((cell) => {
          if (cell.value === 'Massa') cell.value = 'MA';
        });
      });
    });
    expect(await bench.run()).toEqual([`${name}: processed 1`]);
    expect((await bench.ledger.latestOrders(1))[0]?.payload.serviceName).toBe('Exterior');
  });

  test('asks again once the layout is forgotten', async () => {
    await using bench = await openAsked();
    await bench.answer(ASKED, 'smith/answer.xlsx', tell('Exterior'));
    await bench.run();
    const [known] = await bench.ledger.layoutsOnRecord();
    await bench.ledger.forgetLayout(known?.id ?? 0);
    await bench.drop('smith/april.csv', list(2, 5));
    expect(await bench.run()).toEqual(['smith/april.csv: to-confirm 0']);
  });

  test("keeps an answer for each service in a file's name", async () => {
    await using bench = await openAsked();
    await bench.answer(ASKED, 'smith/answer.xlsx', tell('Exterior'));
    await bench.run();
    await bench.drop('smith/4-Point.csv', list(2, 5));
    await bench.run();
    await bench.answer('corrections/smith/4-Point - please confirm.xlsx', 'smith/answer.xlsx', tell('4-Point'));
    await bench.run();
    await bench.drop('smith/april.csv', list(1, 8));
    await bench.drop('smith/4-Point april.csv', list(1, 9));
    expect((await bench.run()).toSorted()).toEqual([
      'smith/4-Point april.csv: processed 1',
      'smith/april.csv: processed 1',
    ]);
    const orders = await bench.ledger.latestOrders(9);
    expect(orders.map(({ payload }) => payload.serviceName).toSorted()).toEqual([
      ...Array(3).fill('4-Point'),
      ...Array(4).fill('Exterior'),
    ]);
  });
});
