import { count, text, time, wrapped } from '../cells.ts';
import type { Cell, Emphasis } from '../workbook-writer.ts';
import { writeWorkbook } from '../xlsx/write-workbook.ts';
import { type Column, column, tableWriter } from './table.ts';

/** A receipt says what became of each row of a file. Intake recognizes one by its two sheets. */
const RECEIPT_SHEETS = { sums: 'Receipt', rows: 'What became of each row' } as const;

export type ReceiptState = keyof typeof STATES;

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

interface Meaning {
  readonly means: string;
  readonly emphasis?: Emphasis;
}

/** In the order of the sums: first what needs somebody. */
const STATES = {
  'to fix': {
    means: 'Not ordered. Fix the row in its corrections workbook, and drop that workbook in the inbox.',
    emphasis: 'alarm',
  },
  'waits for an answer': { means: 'Not ordered yet: somebody has to decide.', emphasis: 'warning' },
  'to be sent': { means: 'Accepted. The next run sends it, or finds out whether it was sent.' },
  ordered: { means: 'The inspection is ordered. Its report is not back yet.' },
  'report received': { means: 'The inspection was done, and its report is here.' },
  'closed out': { means: 'Ended without an inspection.' },
  canceled: { means: 'Was ordered, then canceled.' },
  repeat: { means: 'Was ordered before. Nothing new was ordered.' },
  'not ordered': { means: 'Will not be ordered: dismissed, given up, or left as it was.' },
} as const satisfies Readonly<Record<string, Meaning>>;

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
  const { emphasis }: Meaning = STATES[state];
  return { value: isFixed ? `fixed → ${state}` : state, format: 'text', emphasis };
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
    for (const [state, { means }] of Object.entries(STATES) as [ReceiptState, Meaning][])
      for (const isFixed of [false, true]) {
        const cell = stateCell({ state, isFixed });
        const rowsInState = counts.get(String(cell.value));
        if (rowsInState !== undefined) await sums.row([cell, count(rowsInState), wrapped(means)]);
      }
    await sums.row([
      text('All rows'),
      count(all),
      wrapped('The next sheet lists them. Do not drop this workbook: nothing in it is ordered.'),
    ]);
    for (const note of notes) await sums.row([text('Note'), undefined, wrapped(note)]);
  });
}
