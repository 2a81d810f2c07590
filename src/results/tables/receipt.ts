import { z } from 'zod';
import { templateData } from '../../contract/template-data.ts';
import { count, text, time, wrapped } from '../cell-values.ts';
import type { Cell, Emphasis } from '../workbook-types.ts';
import { writeWorkbook } from '../xlsx/write-workbook.ts';
import { type Column, column, tableWriter } from './table.ts';

/** A receipt says what became of each row of a file. Intake recognizes one by its two sheets. */
const RECEIPT_SHEETS = { sums: 'Receipt', rows: 'What became of each row' } as const;

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

export interface ReceiptRow {
  readonly sheet: string;
  readonly rowNumber: number;
  readonly policyNumber: string;
  readonly inspectionNumber: string;
  readonly insuredName: string;
  readonly streetAddress: string;
  readonly state: ReceiptState;
  /** A later row, in a corrections workbook for example, reached this state in its place. */
  readonly isFixed: boolean;
  readonly projectId: string | null;
  readonly story: string;
}

export interface ReceiptInput {
  readonly file: string;
  /** Epoch ms. */
  readonly recordedAt: number;
  /** Epoch ms. */
  readonly writtenAt: number;
  /** Such as on rows that were taken for a title. */
  readonly notes: readonly string[];
  readonly rows: AsyncIterable<ReceiptRow>;
}

const EMPHASES: Readonly<Partial<Record<ReceiptState, Emphasis>>> = {
  'to fix': 'alarm',
  'waits for an answer': 'warning',
};

const COLUMNS: readonly Column<ReceiptRow>[] = [
  column('Row', 8, count, ({ rowNumber }) => rowNumber),
  column('Policy number', 18, text, ({ policyNumber }) => policyNumber),
  column('Insured', 24, wrapped, ({ insuredName }) => insuredName),
  column('Address', 28, wrapped, ({ streetAddress }) => streetAddress),
  column('State', 20, stateCell, (row) => row),
  column('Project ID', 13, text, ({ projectId }) => projectId),
  column('What became of it', 70, wrapped, ({ story }) => story),
  column('Inspection number', 20, text, ({ inspectionNumber }) => inspectionNumber),
  column('Sheet', 16, text, ({ sheet }) => sheet),
];

function stateCell({ state, isFixed }: Pick<ReceiptRow, 'state' | 'isFixed'>): Cell {
  return { value: isFixed ? `fixed → ${state}` : state, format: 'text', emphasis: EMPHASES[state] };
}

/** `path`: a temporary name. */
export async function writeReceiptWorkbook(path: string, input: ReceiptInput): Promise<void> {
  const { file, recordedAt, writtenAt, notes, rows } = input;
  await writeWorkbook(path, { title: `Receipt for ${file}`, writtenAt }, async (workbook) => {
    const sums = workbook.sheet({
      name: RECEIPT_SHEETS.sums,
      kind: 'page',
      columns: [26, 18, 90].map((width) => ({ title: '', width })),
    });
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
      const { value } = stateCell(row);
      counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
      all += 1;
    }
    await sums.row([{ value: `Receipt for ${file}`, format: 'title' }]);
    await sums.row([text('Taken in (UTC)'), time(recordedAt)]);
    await sums.row([text('As of (UTC)'), time(writtenAt)]);
    await sums.row([{ value: ' ', format: 'text' }]);
    await sums.row(['State', 'Rows', 'Means'].map((value) => ({ value, format: 'heading' as const })));
    for (const state of STATES)
      for (const isFixed of [false, true]) {
        const cell = stateCell({ state, isFixed });
        const rowsInState = counts.get(String(cell.value));
        if (rowsInState !== undefined) await sums.row([cell, count(rowsInState), wrapped(meanings().receipt[state])]);
      }
    await sums.row([
      text('All rows'),
      count(all),
      wrapped('The next sheet lists them. Do not drop this workbook: nothing in it is ordered.'),
    ]);
    for (const note of notes) await sums.row([text('Note'), undefined, wrapped(note)]);
  });
}
