import { expect, test } from 'vitest';
import { ORDER_FIELDS } from '../../../src/intake/fields.ts';
import { type IntakeOptions, readSource } from '../../../src/intake/read-orders.ts';
import type { RowSource } from '../../../src/intake/readers/row-source.ts';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { codeAndFacts } from '../../support/code-and-facts.ts';

const FIELDS = ORDER_FIELDS.filter(({ required }) => required);
const TITLES = FIELDS.map(({ title }) => title);
const ROW = FIELDS.map(({ example }) => example);
const STREET = FIELDS.findIndex(({ name }) => name === 'streetAddress');

/** Three orders, the second of them in a hidden row, and a hidden total. */
async function read(hiddenRows: IntakeOptions['hiddenRows'], key?: string) {
  const rows = [TITLES, ROW, ROW.with(STREET, '2 Elm St'), ROW.with(STREET, '3 Fir St'), ['Total', '3']];
  const keyed = key === undefined ? rows : rows.map((row, at) => [...row, ['_row', '1', key, '3', ''][at] ?? '']);
  const source = inMemorySource({ S: keyed });
  const hiding: RowSource = {
    sheets: source.sheets,
    notes: source.notes,
    async *rows(sheet) {
      for await (const row of source.rows(sheet))
        yield row.rowNumber === 3 || row.rowNumber === 5 ? { ...row, hidden: true as const } : row;
    },
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
  const reading = await readSource(hiding, 'orders.xlsx', { headers: {}, hiddenRows, today: '2026-11-01' });
  const outcomes = (await collected(reading.rows())).map((outcome) => ({
    row: outcome.record.place.rowNumber,
    kind: outcome.kind,
    rules: (outcome.kind === 'order' ? outcome.warnings : outcome.problems).map(({ rule }) => rule),
  }));
  return { outcomes, notes: reading.notes.filter(({ code }) => code === 'rows-hidden').map(codeAndFacts) };
}

const plain = (row: number) => ({ row, kind: 'order', rules: [] });

test.each([undefined, 'ask'] as const)('readOrders asks about a hidden row with hiddenRows %s', async (hiddenRows) => {
  const { outcomes } = await read(hiddenRows);
  expect(outcomes).toEqual([plain(2), { row: 3, kind: 'rejection', rules: ['row-hidden'] }, plain(4)]);
});

test('readOrders orders a hidden row with a warning on request', async () => {
  const { outcomes } = await read('order');
  expect(outcomes).toEqual([plain(2), { row: 3, kind: 'order', rules: ['row-hidden'] }, plain(4)]);
});

test('readOrders leaves out a hidden row with a note on request', async () => {
  expect(await read('skip')).toEqual({
    outcomes: [plain(2), plain(4)],
    notes: ['rows-hidden "S" 3'],
  });
});

test('readOrders does not ask again in a corrections workbook', async () => {
  const { outcomes } = await read('ask', '2');
  expect(outcomes[1]).toEqual({ row: 3, kind: 'order', rules: ['row-hidden'] });
});
