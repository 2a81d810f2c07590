import { type Change, changeCell, changeInWords } from '../changes.ts';
import { text, time, wrapped } from '../cells.ts';
import { FIXED_SHEETS } from '../columns.ts';
import { HOUSE_COLUMNS, houseCells, KEY_COLUMN_COUNT, KEY_SHEET_COLUMNS, keyCells } from './project-columns.ts';
import type { EarlierReports, JudgedProject } from '../model.ts';
import type { Cell, SheetWriter, WorkbookWriter } from '../workbook-writer.ts';

/** The sheet has all. */
const TOLD_MAX = 8;

export const KNOWN_BY: Readonly<Record<EarlierReports['known'], string>> = {
  address: 'same address',
  policy: 'same policy number',
  version: 'earlier report of this project',
};

export function changesInWords(changes: readonly Change[]): string {
  const told = changes.slice(0, TOLD_MAX).map(changeInWords);
  return changes.length > TOLD_MAX
    ? [...told, `… and ${changes.length - TOLD_MAX} more, on the sheet ${FIXED_SHEETS.changes}`].join('\n')
    : told.join('\n');
}

/** The sheet `Changes`: one row per changed attribute. */
export class ChangesSheet {
  readonly #sheet: SheetWriter;

  constructor(workbook: WorkbookWriter) {
    this.#sheet = workbook.sheet({
      name: FIXED_SHEETS.changes,
      kind: 'table',
      frozenColumns: KEY_COLUMN_COUNT,
      columns: [
        ...KEY_SHEET_COLUMNS,
        ...HOUSE_COLUMNS,
        { title: 'Attribute', width: 36 },
        { title: 'Before', width: 40, note: 'Empty if the previous report did not mention it.' },
        { title: 'Now', width: 40, note: 'Empty if the current report no longer mentions it.' },
        { title: 'Previous report: project ID', width: 14 },
        { title: 'Previous report: collected', width: 17, note: 'When that report was saved to disk, UTC.' },
        { title: 'Matched by', width: 28, note: 'How the two reports were matched.' },
        { title: 'Source', width: 50 },
      ],
      tabColour: 'BF8F00',
      printedColumns: KEY_COLUMN_COUNT + HOUSE_COLUMNS.length + 3,
    });
  }

  async write(judged: JudgedProject): Promise<void> {
    const { earlier } = judged.project;
    if (earlier === null) return;
    for (const change of judged.changes) {
      await this.#sheet.row([
        ...keyCells(judged),
        ...houseCells(judged),
        wrapped(change.title),
        lines(changeCell(change.before, change)),
        lines(changeCell(change.now, change)),
        text(earlier.projectId),
        time(earlier.at),
        text(KNOWN_BY[earlier.known]),
        text(change.path),
      ]);
    }
  }
}

function lines(cell: Cell | undefined): Cell | undefined {
  return cell?.format === 'text' ? { ...cell, format: 'wrapped' } : cell;
}
