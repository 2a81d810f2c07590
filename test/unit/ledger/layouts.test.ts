import { describe, expect, test } from 'vitest';
import type { LayoutQuestion } from '../../../src/domain/layout.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

const COLUMN = {
  key: 'polnbr',
  letter: 'B',
  header: 'POLNBR',
  samples: ['HO-1'],
  proposal: 'policyNumber',
  code: 'header-unknown',
  why: 'No list knows this header.',
  holds: true,
} as const;

async function ask(ledger: Ledger, columns: LayoutQuestion['columns'] = [COLUMN]): Promise<number> {
  const question = { layout: 'a layout', sheet: 'Orders', keys: ['street', 'polnbr'], columns, known: {} };
  return ledger.askLayout({ sender: 's', file: 's/a.csv', question, workbook: null });
}

describe('askLayout', () => {
  test('makes news of a question about columns only', async () => {
    await using bench = await openLedgerBench();
    await ask(bench.ledger, []);
    expect(await bench.ledger.openNews()).toEqual([]);
    await ask(bench.ledger);
    expect(await bench.ledger.openNews()).toMatchObject([{ kind: 'layout-asked' }]);
  });
});

describe('answerLayout', () => {
  test('ends the news of the question', async () => {
    await using bench = await openLedgerBench();
    const id = await ask(bench.ledger);
    await bench.ledger.answerLayout(id, { columns: { polnbr: 'policyNumber' }, by: 'Ann' });
    expect(await bench.ledger.openNews()).toEqual([]);
  });
});

describe('answerLayout, asked twice', () => {
  test.each([
    ['another answer', { polnbr: 'inspectionNumber' }, ['s/a.csv: Bob replaces Ann']],
    ['no field any more', { polnbr: null }, ['s/a.csv: Bob replaces Ann']],
    ['the same answer', { polnbr: 'policyNumber' }, []],
    ['an answer about another column', { street: 'streetAddress' }, []],
  ] as const)('makes news of %s only if it changes one', async (_what, columns, subjects) => {
    await using bench = await openLedgerBench();
    const id = await ask(bench.ledger);
    await bench.ledger.answerLayout(id, { columns: { polnbr: 'policyNumber' }, by: 'Ann' });
    await bench.ledger.answerLayout(id, { columns, by: 'Bob' });
    const news = await bench.ledger.openNews();
    expect(news.map(({ kind, subject }) => ({ kind, subject }))).toEqual(
      subjects.map((subject) => ({ kind: 'layout-answer-changed', subject })),
    );
  });
});

describe('forgetLayout', () => {
  test('ends the news of the question', async () => {
    await using bench = await openLedgerBench();
    await bench.ledger.forgetLayout(await ask(bench.ledger));
    expect(await bench.ledger.openNews()).toEqual([]);
  });
});

describe('markReported', () => {
  test('keeps the time of the first report', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    await ledger.addNews('files-missing', '11');
    const [one] = await ledger.openNews();
    const at = clock.now();
    await ledger.markReported([one?.id ?? 0]);
    await clock.advance(1000);
    await ledger.markReported([one?.id ?? 0]);
    expect(await ledger.lastReportedAt('files-missing')).toBe(at);
  });
});

describe('accountsOnRecord', () => {
  test('dates the latest run', async () => {
    await using bench = await openLedgerBench();
    const { ledger, clock } = bench;
    for (const run of ['run-1', 'run-2']) {
      await clock.advance(1000);
      await ledger.startRun(run, 'run');
    }
    expect(await ledger.accountsOnRecord()).toMatchObject([{ account: 'an account', lastRunAt: clock.now() }]);
  });
});
