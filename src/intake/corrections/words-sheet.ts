import type { stream } from 'exceljs';
import { cellText } from '../../domain/cells.ts';
import { fieldNamed, ORDER_FIELDS, ROW_STATUS } from '../fields.ts';
import { ROW_KEY_HEADER } from '../header/known-headers.ts';
import { STATUS_UNKNOWN, statusWord } from '../not-ordered-words.ts';
import { type ChoiceField, type DropDowns, parseRowKey, WORDS_SHEET } from '../own-workbooks.ts';
import type { RowSource } from '../readers/row-source.ts';
import { sentence } from '../../domain/sentences.ts';
import { coerceChoice } from '../values/choice.ts';
import { suggestion } from '../values/coercion.ts';
import { addListSheet, type ProblemGroup } from './problems-sheet.ts';
import { sheetTexts } from './sheet-texts.ts';
import { writtenText } from './written-cell.ts';

const [WORD, MEANS] = [1, 3];

const WORDS_OF: readonly ChoiceField[] = [...ORDER_FIELDS, ROW_STATUS];

interface UnlistedWord {
  readonly field: ChoiceField;
  readonly header: string;
  readonly word: string;
  readonly proposal: string | undefined;
  rows: number;
}

export function writeWords(workbook: stream.xlsx.WorkbookWriter, groups: readonly ProblemGroup[], choices: DropDowns) {
  const words = new Map<string, UnlistedWord>();
  for (const { problem, header, held, rows } of groups) {
    const isStatus = problem.rule === STATUS_UNKNOWN;
    const field = isStatus ? ROW_STATUS : fieldNamed(problem.field);
    const said = isStatus ? statusWord(held) : held;
    if (!(isStatus || problem.rule === 'value-not-listed') || field === undefined || said.trim() === '') continue;
    const key = `${field.name}\n${said}`;
    const word = words.get(key) ?? { field, header, word: said, proposal: problem.proposal, rows: 0 };
    words.set(key, word);
    word.rows += rows.length;
  }
  if (words.size === 0) return;
  const sheet = addListSheet(workbook, WORDS_SHEET, sheetTexts().words);
  for (const [index, { field, header, word, proposal, rows }] of [...words.values()].entries()) {
    const whose = rows === 1 ? 'the row' : `all ${rows} rows`;
    const advice = sentence('value-not-listed/meaning', { whose, hint: suggestion(proposal) });
    const values = [writtenText(header), writtenText(word), rows, null, advice];
    const row = sheet.getRow(index + 2);
    row.values = values;
    choices.offer(row.getCell(MEANS + 1), field, proposal);
    row.commit();
  }
  sheet.commit();
}

/** Meanings that no list has are left out: their rows go back again. */
export async function readWords(source: RowSource) {
  const index = source.sheets.findIndex(({ name }) => name === WORDS_SHEET);
  const words = [];
  for await (const { rowNumber, cells } of index === -1 ? [] : source.rows(index)) {
    const [word, means] = [cellText(cells[WORD]).trim(), cellText(cells[MEANS]).trim()];
    const meaning = rowNumber === 1 || word === '' || means === '' ? undefined : meaningOf(word, means);
    if (meaning !== undefined) words.push(meaning);
  }
  return { file: await correctedFile(source), words };
}

function meaningOf(word: string, means: string) {
  for (const { name: field, values = [] } of WORDS_OF) {
    const read = coerceChoice(means, values);
    if (read.kind === 'value') return { field, word, value: String(read.value) };
  }
  return undefined;
}

/** The file that the first hidden key names; empty without one. */
async function correctedFile(source: RowSource) {
  for (const [index, { name }] of source.sheets.entries()) {
    if (name === WORDS_SHEET) continue;
    let column = -1;
    for await (const { cells } of source.rows(index)) {
      const key = column === -1 ? null : parseRowKey(cellText(cells[column]));
      if (key !== null) return key.file;
      if (column === -1) column = cells.findIndex((cell) => cellText(cell) === ROW_KEY_HEADER);
    }
  }
  return '';
}
