import type { stream } from 'exceljs';
import { cellText } from '../../domain/cells.ts';
import { fieldNamed, type OrderField } from '../fields.ts';
import { type DropDowns, WORDS_SHEET } from '../own-workbooks.ts';
import type { RowSource } from '../readers/row-source.ts';
import { suggestion } from '../values/coercion.ts';
import { beginList, type ProblemGroup } from './problems-sheet.ts';
import { writtenText } from './written-cell.ts';

const COLUMNS = [
  { header: 'Column', width: 22 },
  { header: 'Word', width: 30 },
  { header: 'Rows', width: 8 },
  { header: 'Means', width: 34 },
  { header: 'What to do', width: 70 },
] as const;
const [WORD, MEANS] = [1, 3];

interface UnlistedWord {
  readonly field: OrderField;
  readonly header: string;
  readonly word: string;
  readonly proposal: string | undefined;
  rows: number;
}

export function writeWords(
  workbook: stream.xlsx.WorkbookWriter,
  groups: readonly ProblemGroup[],
  dropDowns: DropDowns,
): void {
  const words = new Map<string, UnlistedWord>();
  for (const { problem, header, held, rows } of groups) {
    const field = fieldNamed(problem.field ?? '');
    if (problem.rule !== 'value-not-listed' || field === undefined || held.trim() === '') continue;
    const key = `${field.name}\n${held}`;
    const word = words.get(key) ?? { field, header, word: held, proposal: problem.proposal, rows: 0 };
    words.set(key, word);
    word.rows += rows.length;
  }
  if (words.size === 0) return;
  const sheet = beginList(workbook, WORDS_SHEET, COLUMNS);
  for (const [index, { field, header, word, proposal, rows }] of [...words.values()].entries()) {
    const whose = rows === 1 ? 'the row' : `all ${String(rows)} rows`;
    const advice = `Choose a meaning, and it holds for ${whose} with this word.${suggestion(proposal)}`;
    const values = [writtenText(header), writtenText(word), rows, null, advice];
    const row = sheet.getRow(index + 2);
    row.values = values;
    dropDowns.offer(row.getCell(MEANS + 1), field, { proposal });
    row.commit();
  }
  sheet.commit();
}

/** Word → meaning. */
export async function readWords(source: RowSource): Promise<Readonly<Record<string, string>>> {
  const index = source.sheets.findIndex(({ name }) => name === WORDS_SHEET);
  const words: Record<string, string> = {};
  if (index === -1) return words;
  for await (const { rowNumber, cells } of source.rows(index)) {
    const [word, means] = [cellText(cells[WORD]).trim(), cellText(cells[MEANS]).trim()];
    if (rowNumber > 1 && word !== '' && means !== '') words[word] = means;
  }
  return words;
}
