import { z } from 'zod';
import { templateData } from '../../contract/template-data.ts';
import { propertyOf } from '../../domain/identity.ts';
import type { RowPlace, RowSummary } from '../../domain/row.ts';
import { sentence } from '../../domain/sentences.ts';
import { type TableCell, type Emphasis, count, text, time, wrapped } from '../workbook.ts';
import { writeWorkbook } from '../xlsx/write-workbook.ts';
import { PageSheet } from './page.ts';
import { type Column, column, tableWriter } from './table.ts';

const RECEIPT_SHEETS = { sums: 'Receipt', rows: 'Outcome of each row' } as const;

const STATES = [
  'to fix',
  'waits for an answer',
  'to be sent',
  'ordered',
  'report received',
  'closed out',
  'canceled',
  'repeat',
  'not ordered',
] as const;

export type ReceiptState = (typeof STATES)[number];

const meanings = templateData('workbook/states', z.looseObject({ receipt: z.record(z.enum(STATES), z.string()) }));

type ReceiptRow = RowSummary &
  Pick<RowPlace, 'sheet' | 'rowNumber'> &
  Readonly<{
    state: ReceiptState;
    /** A later row, in a corrections workbook for example, reached this state in its place. */
    isFixed: boolean;
    projectId: string | null;
    story: string;
  }>;

type ReceiptInput = Readonly<{
  file: string;
  recordedAt: number;
  writtenAt: number;
  notes: readonly string[];
  rows: AsyncIterable<ReceiptRow>;
}>;

const EMPHASES: Readonly<Partial<Record<ReceiptState, Emphasis>>> = {
  'to fix': 'alarm',
  'waits for an answer': 'warning',
};

const COLUMNS: readonly Column<ReceiptRow>[] = [
  column('Row', 8, count, 'rowNumber'),
  column('Policy number', 18, text, 'policyNumber'),
  column('Insured', 24, wrapped, 'insuredName'),
  column('Address', 28, wrapped, propertyOf),
  column('Status', 20, stateCell, (row) => row),
  column('Project ID', 13, text, 'projectId'),
  column('Outcome', 70, wrapped, 'story'),
  column('Inspection number', 20, text, 'inspectionNumber'),
  column('Sheet', 16, text, 'sheet'),
];

export function describeState({ state, isFixed }: Pick<ReceiptRow, 'state' | 'isFixed'>) {
  return isFixed ? `fixed → ${state}` : state;
}

function stateCell(row: Pick<ReceiptRow, 'state' | 'isFixed'>): TableCell {
  return { value: describeState(row), format: 'text', emphasis: EMPHASES[row.state] };
}

export async function writeReceiptWorkbook(path: string, { file, recordedAt, writtenAt, notes, rows }: ReceiptInput) {
  await writeWorkbook(path, { title: `Receipt for ${file}`, writtenAt }, async (workbook) => {
    const sums = new PageSheet(workbook, RECEIPT_SHEETS.sums, [26, 18, 90]);
    const writeRow = tableWriter(workbook, {
      name: RECEIPT_SHEETS.rows,
      frozenColumns: 2,
      columns: [...COLUMNS, column('File', 32, wrapped, () => file)],
      tabColor: '2F5597',
    });
    const counts = new Map<string, number>();
    let all = 0;
    for await (const row of rows) {
      await writeRow(row);
      const state = describeState(row);
      counts.set(state, (counts.get(state) ?? 0) + 1);
      all += 1;
    }
    await sums.write([
      [{ value: `Receipt for ${file}`, format: 'title' }],
      [text('Received (UTC)'), time(recordedAt)],
      [text('As of (UTC)'), time(writtenAt)],
    ]);
    const states = STATES.flatMap((state) => [false, true].map((isFixed) => ({ state, isFixed })));
    await sums.section(
      ['Status', 'Rows', 'Meaning'],
      [
        ...states.flatMap((one) => {
          const rowsInState = counts.get(describeState(one));
          return rowsInState === undefined
            ? []
            : [[stateCell(one), count(rowsInState), wrapped(meanings().receipt[one.state])]];
        }),
        [text('All rows'), count(all), wrapped('The next sheet lists them.')],
        ...notes.map((note) => [text('Note'), undefined, wrapped(note)]),
        [undefined, undefined, wrapped(sentence('receipt/for-your-records'))],
      ],
    );
  });
}
