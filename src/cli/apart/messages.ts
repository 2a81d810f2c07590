import type { Cell, RowOutcome, SheetLayout } from '../../domain/row.ts';
import type { Corrections, CorrectionsForm, RowToFix } from '../../intake/corrections.ts';
import type { IntakeOptions } from '../../intake/read-file.ts';
import type { UpdateFileOptions } from '../../update/read-update-file.ts';
import type { WantedUpdate } from '../../update/find-project.ts';

/** What the process of a file is asked to do, once. */
export type Task =
  | { readonly kind: 'read'; readonly path: string; readonly displayName: string; readonly options: IntakeOptions; readonly handedOverBytes: number }
  | { readonly kind: 'write'; readonly path: string; readonly form: CorrectionsForm; readonly file: Corrections['file']; readonly layouts: Corrections['layouts'] }
  | { readonly kind: 'read updates'; readonly path: string; readonly options: UpdateFileOptions };

/** What it is told while it is at work. */
export type ToWorker =
  /** The rows of a batch were taken: there is room for another. */
  | { readonly kind: 'more' }
  /** Rows to fix, as text; the last batch is empty. */
  | { readonly kind: 'rows'; readonly text: string };

/** What it says. */
export type FromWorker =
  | { readonly kind: 'opened'; readonly layouts: readonly SheetLayout[]; readonly notes: readonly string[] }
  | { readonly kind: 'rows'; readonly text: string }
  | { readonly kind: 'end'; readonly notes: readonly string[] }
  /** Asks for the rows to fix, from the first or from where it stands. */
  | { readonly kind: 'give rows'; readonly from: 'first' | 'next' }
  | { readonly kind: 'written' }
  | { readonly kind: 'updates'; readonly wanted: readonly WantedUpdate[] }
  | { readonly kind: 'unreadable'; readonly message: string }
  /** A failure of the disk, or a fault of the program. */
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | null; readonly story: string };

type Row = RowOutcome | RowToFix;

const BATCH_ROWS = 256;
const BATCH_CHARACTERS = 512 * 1024;

/** Rows as the texts of batches: many small rows, or one that is large. */
export async function* rowTexts(rows: AsyncIterable<Row>): AsyncGenerator<string, void, undefined> {
  let texts: string[] = [];
  let characters = 0;
  for await (const row of rows) {
    const text = textOfRow(row);
    texts.push(text);
    characters += text.length;
    if (texts.length < BATCH_ROWS && characters < BATCH_CHARACTERS) continue;
    yield `[${texts.join(',')}]`;
    texts = [];
    characters = 0;
  }
  if (texts.length > 0) yield `[${texts.join(',')}]`;
}

/** Nearly all cells are texts, and stand as such; an empty cell is null. */
function textOfRow(row: Row): string {
  const cells = row.record.cells.map((cell) => (cell?.kind === 'text' ? cell.text : (cell ?? null)));
  return JSON.stringify({ ...row, record: { ...row.record, cells } });
}

/** The rows of a batch's text, of whichever kind they were. */
export function rowsOfText(text: string): readonly Row[] {
  const rows = JSON.parse(text) as (Row & { record: { cells: (Cell | string | null | undefined)[] } })[];
  for (const { record } of rows) {
    const { cells } = record;
    for (const [index, cell] of cells.entries()) {
      if (typeof cell === 'string') cells[index] = { kind: 'text', text: cell };
      else if (cell === null) cells[index] = undefined;
    }
  }
  return rows;
}
