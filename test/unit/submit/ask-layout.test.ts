import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import exceljs from 'exceljs';
import { describe, expect, test } from 'vitest';
import { proposedColumns } from '../../../src/domain/layout.ts';
import { answerLayout, questionsWithFiles } from '../../../src/submit/ask-layout.ts';
import { takeInInbox, type TakeInContext } from '../../../src/submit/take-in.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { openQuestionBench } from '../../support/question-bench.ts';
import { takeInContext } from '../../support/run-bench.ts';

/** Policy numbers under a header that no list knows. */
const unclear = (rows: number, series = 0): string =>
  orderCsv(rows, { series, keys: ['policy'] }).replace('policyNumber', 'Contract');

const choose =
  (header: string, field: string) =>
  (sheet: exceljs.Worksheet): void => {
    if (sheet.name !== 'Columns') return;
    sheet.eachRow((row) => {
      if (row.getCell(3).value === header) row.getCell(7).value = field;
    });
  };

/** Orders with a service that no list has. */
const certified = (rows: number, series = 0): string =>
  orderCsv(rows, { series }).replaceAll('4-Point', 'Roof certification');

const explain = (sheet: exceljs.Worksheet): void => {
  if (sheet.name === 'Words') sheet.getCell('D2').value = 'Roof Only';
};

const ASKED = 'corrections/smith/march - please confirm.xlsx';

describe('takeInInbox', () => {
  test('holds a file with an uncertain policy number column', async () => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', unclear(3));
    expect(await bench.run()).toEqual(['smith/march.csv: to-confirm 0']);
    expect(await bench.ledger.latestOrders(9)).toEqual([]);
    expect((await readdir(bench.at('held/smith'))).toSorted()).toEqual(['march.csv', 'march.csv.txt']);
    expect(await bench.ledger.openQuestions()).toMatchObject([
      {
        sender: 'smith',
        workbook: ASKED,
        question: { columns: [{ code: 'header-unknown', proposal: 'policyNumber' }] },
      },
    ]);
    expect(await bench.ledger.openNews()).toMatchObject([{ kind: 'layout-asked' }]);
  });

  test('takes in the held file after an answer under any name', async () => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', unclear(3));
    await bench.run();
    await bench.answer(ASKED, 'smith/done.xlsx');
    expect(await bench.run()).toEqual(['smith/done.xlsx: processed 0', 'smith/march.csv: processed 3']);
    expect((await bench.ledger.latestOrders(1))[0]?.payload).toMatchObject({ policyNumber: 'P-10002' });
    expect(await bench.ledger.openQuestions()).toEqual([]);
    expect(await bench.ledger.openNews()).toEqual([]);
    expect(await readdir(bench.at('held/smith'))).toEqual([]);
  });

  test('asks nothing about later files of the layout with moved columns', async () => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', unclear(3));
    await bench.run();
    await bench.answer(ASKED, 'answer.xlsx');
    await bench.run();
    const moved = unclear(3, 5)
      .split('\n')
      .map((line) => line.split(',').toReversed().join(','))
      .join('\n');
    await bench.drop('smith/april.csv', moved);
    expect(await bench.run()).toEqual(['smith/april.csv: processed 3']);
    expect((await bench.ledger.latestOrders(1))[0]?.payload.policyNumber).toMatch(/^P-/);
  });

  test('reads a column as a person chose, not as proposed', async () => {
    await using bench = await openQuestionBench();
    await bench.drop('march.csv', unclear(2));
    await bench.run();
    await bench.answer('corrections/march - please confirm.xlsx', 'a.xlsx', choose('Contract', 'Inspection number'));
    await bench.run();
    expect((await bench.ledger.latestOrders(1))[0]?.payload).toMatchObject({ inspectionNumber: 'P-10001' });
  });

  test("ignores an answer from another sender's folder", async () => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', unclear(3));
    await bench.run();
    await bench.answer(ASKED, 'jones/march.xlsx');
    expect(await bench.run()).toEqual(['jones/march.xlsx: unreadable 0']);
    expect(await bench.ledger.openQuestions()).toHaveLength(1);
  });

  test('ignores an answer that is not a field', async () => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', unclear(3));
    await bench.run();
    await bench.answer(ASKED, 'smith/march.xlsx', choose('Contract', 'Contract number'));
    expect(await bench.run()).toEqual(['smith/march.xlsx: unreadable 0']);
    expect(await bench.ledger.openQuestions()).toHaveLength(1);
  });

  test('ignores an answer that reads two columns as one field', async () => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', unclear(3).replace('insuredName', 'Rider'));
    await bench.run();
    await bench.answer(ASKED, 'smith/march.xlsx', choose('Rider', 'Policy number'));
    expect(await bench.run()).toEqual(['smith/march.xlsx: unreadable 0']);
    expect(await bench.ledger.openQuestions()).toHaveLength(1);
  });

  test('asks once for two files of one layout', async () => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', unclear(3));
    await bench.drop('smith/more.csv', unclear(3, 5));
    expect(await bench.run()).toEqual(['smith/march.csv: to-confirm 0', 'smith/more.csv: to-confirm 0']);
    expect(await readdir(bench.at('corrections/smith'))).toEqual(['march - please confirm.xlsx']);
    await bench.answer(ASKED, 'smith/answer.xlsx');
    expect(await bench.run()).toEqual([
      'smith/answer.xlsx: processed 0',
      'smith/march.csv: processed 3',
      'smith/more.csv: processed 3',
    ]);
  });

  test('asks the wider question of two files in one workbook', async () => {
    await using bench = await openQuestionBench();
    const withPhones = unclear(3, 5).replace('insuredPhone', 'Call them');
    await bench.drop('smith/march.csv', withPhones.replaceAll('555-0100', 'after six'));
    await bench.run();
    await bench.drop('smith/more.csv', withPhones.replaceAll('555-0100', '813-555-0100'));
    await bench.run();
    expect(await readdir(bench.at('corrections/smith'))).toEqual(['more - please confirm.xlsx']);
    expect(await questionsWithFiles(bench)).toMatchObject([{ files: ['smith/more.csv', 'smith/march.csv'] }]);
    await bench.answer('corrections/smith/more - please confirm.xlsx', 'smith/answer.xlsx');
    expect(await bench.run()).toEqual([
      'smith/answer.xlsx: processed 0',
      'smith/march.csv: processed 0',
      'smith/more.csv: processed 3',
    ]);
  });

  test('keeps a replaced workbook that still asks about another layout', async () => {
    await using bench = await openQuestionBench();
    const book = new exceljs.Workbook();
    const other = unclear(3, 8).replace('Contract', 'Agreement');
    const wider = unclear(3, 5).replace('insuredPhone', 'Call them');
    for (const [name, csv] of [
      ['A', wider.replaceAll('555-0100', 'after six')],
      ['B', other],
    ] as const)
      book.addWorksheet(name).addRows(
        csv
          .trim()
          .split('\n')
          .map((line) => line.split(',')),
      );
    await mkdir(bench.at('inbox/smith'), { recursive: true });
    await book.xlsx.writeFile(bench.at('inbox/smith/march.xlsx'), { zip: { compression: 'STORE' } });
    await bench.run();
    await bench.drop('smith/more.csv', wider.replaceAll('555-0100', '813-555-0100'));
    await bench.run();
    expect((await readdir(bench.at('corrections/smith'))).toSorted()).toEqual([
      'march - please confirm.xlsx',
      'more - please confirm.xlsx',
    ]);
  });

  test('asks only about the change in a known layout', async () => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', unclear(3));
    await bench.run();
    await bench.answer(ASKED, 'smith/answer.xlsx');
    await bench.run();
    const changed = unclear(3, 5).replace('insuredPhone', 'Call them').replaceAll('555-0100', '813-555-0100');
    await bench.drop('smith/april.csv', changed);
    expect(await bench.run()).toEqual(['smith/april.csv: to-confirm 0']);
    const [asked] = await bench.ledger.openQuestions();
    expect(asked?.question?.columns.map(({ header, proposal }) => [header, proposal])).toEqual([
      ['Call them', 'insuredPhone'],
    ]);
  });

  test('asks nothing about a layout whose rows were accepted before', async () => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', unclear(3));
    await bench.run({ newLayout: 'go' });
    await bench.drop('smith/april.csv', unclear(3, 5));
    expect(await bench.run()).toEqual(['smith/april.csv: processed 3']);
    expect((await bench.ledger.latestOrders(1))[0]?.payload.policyNumber).toMatch(/^P-/);
  });

  test('accepts a proposal with a note if newLayout is go', async () => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', unclear(3));
    const { files, notes } = await takeInInbox(takeInContext(bench, bench.workspace, { newLayout: 'go' }));
    expect(files).toMatchObject([{ outcome: 'processed', rows: { accepted: 3 } }]);
    expect(notes[0]?.notes.map(({ code }) => code)).toContain('layout-taken-as-proposed');
    expect(await bench.ledger.openQuestions()).toEqual([]);
  });

  test('orders the rows without an optional column in question', async () => {
    await using bench = await openQuestionBench();
    const lines = orderCsv(3).trimEnd().split('\n');
    const valued = lines.map((line, at) => `${line},${at === 0 ? 'Building worth' : `${String(310 + at)}000`}`);
    await bench.drop('march.csv', `${valued.join('\n')}\n`);
    expect(await bench.run()).toEqual(['march.csv: processed 3']);
    expect(await bench.ledger.openQuestions()).toMatchObject([
      { question: { columns: [{ header: 'Building worth', proposal: 'dwellingCoverage', holds: false }] } },
    ]);
  });

  test('reads an answered file again after a killed run left its namesake', async () => {
    await using bench = await openQuestionBench();
    const lines = orderCsv(3).trimEnd().split('\n');
    const valued = lines.map((line, at) => `${line},${at === 0 ? 'Building worth' : `${String(310 + at)}000`}`);
    await bench.drop('march.csv', `${valued.join('\n')}\n`);
    await bench.run();
    await writeFile(bench.at('processing/march.csv'), orderCsv(2, { series: 5 }));
    const [asked] = await bench.ledger.openQuestions();
    if (asked?.question == null) throw new Error('nothing is asked');
    await answerLayout(asked, proposedColumns(asked.question.columns), 'ann', bench);
    await bench.run();
    expect(await bench.ledger.orderCounts()).toMatchObject({ ready: 5 });
  });

  test('asks about words on the sheet of the corrections workbook alone', async () => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', certified(3));
    expect(await bench.run()).toEqual(['smith/march.csv: processed 0']);
    expect(await bench.ledger.openQuestions()).toEqual([]);
    expect(await readdir(bench.at('corrections/smith'))).toEqual(['march - to fix.xlsx']);
  });

  test.each(['smith/fixed.xlsx', 'fixed.xlsx'])('remembers the words that %s explains', async (name) => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', certified(3));
    await bench.run();
    await bench.answer('corrections/smith/march - to fix.xlsx', name, explain);
    expect(await bench.run()).toEqual([`${name}: processed 3`]);
    await bench.drop('smith/april.csv', certified(2, 5));
    expect(await bench.run()).toEqual(['smith/april.csv: processed 2']);
    expect((await bench.ledger.latestOrders(1))[0]?.payload.serviceName).toBe('Roof Only');
  });

  test('remembers explained words if the run is killed right after recording', async () => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', certified(3));
    await bench.run();
    await bench.answer('corrections/smith/march - to fix.xlsx', 'fixed.xlsx', explain);
    const recordFile: typeof bench.ledger.recordFile = async (...said) => {
      await bench.ledger.recordFile(...said);
      throw new Error('killed');
    };
    await expect(bench.run({ ledger: { ...bench.ledger, recordFile } })).rejects.toThrow('killed');
    expect(await bench.run()).toEqual(['fixed.xlsx: processed 3']);
    await bench.drop('smith/april.csv', certified(2, 5));
    expect(await bench.run()).toEqual(['smith/april.csv: processed 2']);
  });

  test.each(['smith/fixed.xlsx', 'fixed.xlsx'])(
    'reads corrections dropped as %s as their file was confirmed',
    async (name) => {
      await using bench = await openQuestionBench();
      await bench.drop('smith/march.csv', unclear(3).replace('4-Point', 'Rof Only'));
      await bench.run();
      await bench.answer(ASKED, 'smith/answer.xlsx');
      expect(await bench.run()).toEqual(['smith/answer.xlsx: processed 0', 'smith/march.csv: processed 2']);
      await bench.answer('corrections/smith/march - to fix.xlsx', name, (sheet) => {
        sheet.eachRow((row) => {
          row.eachCell((cell) => {
            if (cell.value === 'Rof Only') cell.value = 'Roof Only';
          });
        });
      });
      expect(await bench.run()).toEqual([`${name}: processed 1`]);
      const [fixed] = await bench.ledger.latestOrders(1);
      expect(fixed?.payload).toMatchObject({ serviceName: 'Roof Only', policyNumber: 'P-10000' });
    },
  );

  test("reads corrections by the words in the settings of their file's sender", async () => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', unclear(2).replace('4-Point', 'Rof Only'));
    const smith = { headers: new Map([['Contract', 'policyNumber']]), values: new Map(), hold: {} };
    const changes = { senders: new Map([['smith', smith]]) } as unknown as Partial<TakeInContext>;
    expect(await bench.run(changes)).toEqual(['smith/march.csv: processed 1']);
    await bench.answer('corrections/smith/march - to fix.xlsx', 'fixed.xlsx', (sheet) => {
      sheet.eachRow((row) => {
        row.eachCell((cell) => {
          if (cell.value === 'Rof Only') cell.value = 'Roof Only';
        });
      });
    });
    expect(await bench.run(changes)).toEqual(['fixed.xlsx: processed 1']);
    expect((await bench.ledger.latestOrders(1))[0]?.payload).toMatchObject({ policyNumber: 'P-10000' });
  });

  test('remembers no words that another sender’s folder explains', async () => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', certified(3));
    await bench.run();
    await bench.answer('corrections/smith/march - to fix.xlsx', 'jones/fixed.xlsx', explain);
    await bench.run();
    expect(await bench.ledger.layoutsOnRecord()).toEqual([]);
  });

  test('keeps the question about a column while it learns words', async () => {
    await using bench = await openQuestionBench();
    const valued = certified(3)
      .trimEnd()
      .split('\n')
      .map((line, at) => `${line},${at === 0 ? 'Building worth' : `${String(310 + at)}000`}`);
    await bench.drop('smith/march.csv', `${valued.join('\n')}\n`);
    await bench.run();
    await bench.answer('corrections/smith/march - to fix.xlsx', 'smith/fixed.xlsx', explain);
    expect(await bench.run()).toEqual(['smith/fixed.xlsx: processed 3']);
    expect(await bench.ledger.openQuestions()).toMatchObject([
      { words: [{ field: 'serviceName', word: 'Roof certification', value: 'Roof Only' }] },
    ]);
  });

  test('asks again once a layout is forgotten', async () => {
    await using bench = await openQuestionBench();
    await bench.drop('smith/march.csv', unclear(3));
    await bench.run();
    const [asked] = await bench.ledger.openQuestions();
    await bench.ledger.forgetLayout(asked?.id ?? 0);
    await rm(bench.at(ASKED));
    expect(await bench.run()).toEqual(['smith/march.csv: to-confirm 0']);
    expect(await readdir(bench.at('corrections/smith'))).toEqual(['march - please confirm.xlsx']);
  });

  test('never asks about headers of our template or corrections', async () => {
    await using bench = await openQuestionBench();
    await bench.drop('march.csv', orderCsv(3).replaceAll('4-Point', 'nonsense'));
    await bench.run();
    await bench.answer('corrections/march - to fix.xlsx', 'fixed.xlsx');
    expect(await bench.run()).toEqual(['fixed.xlsx: processed 0']);
    expect(await bench.ledger.openQuestions()).toEqual([]);
  });
});

test('takeInInbox puts the workbook of `check` away once it is answered', async () => {
  await using bench = await openQuestionBench();
  await bench.drop('smith/march.csv', unclear(3));
  await bench.run();
  // As after `check`: the workbook is there, and nothing is on record.
  await using other = await openQuestionBench();
  await mkdir(other.at('corrections/smith'), { recursive: true });
  await mkdir(other.at('inbox/smith'), { recursive: true });
  await copyFile(bench.at(ASKED), other.at(ASKED));
  await copyFile(bench.at(ASKED), other.at('inbox/smith/answered.xlsx'));
  expect(await other.run()).toEqual(['smith/answered.xlsx: processed 0']);
  expect(await readdir(other.at('corrections/smith'))).toEqual([]);
  expect(await readdir(other.at('corrections/done/smith'))).toEqual(['march - please confirm.xlsx']);
});

test('answerLayout releases the held file for the next run', async () => {
  await using bench = await openQuestionBench();
  await bench.drop('smith/march.csv', unclear(3));
  await bench.run();
  const [asked] = await bench.ledger.openQuestions();
  if (asked?.question == null) throw new Error('nothing is asked');
  await answerLayout(asked, proposedColumns(asked.question.columns), 'ann', bench);
  expect(await bench.run()).toEqual(['smith/march.csv: processed 3']);
  expect(await bench.ledger.layoutsOf('smith')).toMatchObject([
    { columns: { contract: 'policyNumber' }, answeredBy: 'ann', question: null },
  ]);
  expect(await readdir(bench.at('corrections/done/smith'))).toEqual(['march - please confirm.xlsx']);
});
