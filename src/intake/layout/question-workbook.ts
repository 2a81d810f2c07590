import type { Worksheet } from 'exceljs';
import { columnLetters } from '../../domain/cells.ts';
import type { AskedTable, LayoutQuestion } from '../../domain/layout.ts';
import { visible } from '../../domain/text.ts';
import { FONT, paint, writtenText } from '../corrections/written-cell.ts';
import { fieldNamed, ORDER_FIELDS } from '../fields.ts';
import { LISTS_SHEET, QUESTION, QUESTION_MARK } from '../own-workbooks.ts';

/** Its token is in the hidden keys of its lines. */
export type Asked = LayoutQuestion & AskedTable & { readonly token: string };

interface Column {
  readonly title: string;
  readonly width: number;
}

interface Line {
  readonly texts: readonly (string | number)[];
  readonly key: string;
  readonly list: string;
}

const COLUMNS: readonly Column[] = [
  { title: 'Sheet', width: 14 },
  { title: 'Column', width: 9 },
  { title: 'Header', width: 26 },
  { title: 'Value 1', width: 20 },
  { title: 'Value 2', width: 20 },
  { title: 'Value 3', width: 20 },
  { title: QUESTION.readAs, width: 30 },
  { title: 'Why we ask', width: 70 },
];
const WORDS: readonly Column[] = [
  { title: 'Sheet', width: 14 },
  { title: 'Field', width: 20 },
  { title: 'Word', width: 30 },
  { title: 'Rows', width: 8 },
  { title: QUESTION.means, width: 34 },
];

const TODO =
  'Look at the yellow column, choose something else from its list if it is not right, save the file and drop it in the inbox.';

/** The file is incomplete until the promise resolves, so give a temporary name. */
export async function writeQuestionWorkbook(path: string, questions: readonly Asked[]): Promise<void> {
  const { default: WorkbookWriter } = await import('exceljs/lib/stream/xlsx/workbook-writer.js');
  const workbook = new WorkbookWriter({ filename: path, useStyles: true, useSharedStrings: true });
  workbook.creator = 'inspection-batch';
  const lists = listsFor(questions);
  const columns = questions.flatMap(columnLines);
  const words = questions.flatMap(wordLines);
  if (columns.length > 0) writeSheet(workbook.addWorksheet(QUESTION.columns, VIEW), COLUMNS, columns, lists);
  if (words.length > 0) writeSheet(workbook.addWorksheet(QUESTION.words, VIEW), WORDS, words, lists);
  const hidden = workbook.addWorksheet(LISTS_SHEET, { state: 'hidden' });
  hidden.getCell('A1').value = QUESTION_MARK;
  for (const [at, { token, sender, file, sheet, keys, known }] of questions.entries()) {
    const text = JSON.stringify({ token, sender, file, sheet, keys, known });
    if (text.length <= TEXT_LENGTH_MAX) hidden.getCell(at + 2, 1).value = writtenText(text);
  }
  for (const [at, values] of [...lists.values()].entries())
    for (const [row, value] of values.entries()) hidden.getCell(row + 1, at + 2).value = value;
  hidden.commit();
  await workbook.commit();
}

const TEXT_LENGTH_MAX = 32_000;
const VIEW = { views: [{ state: 'frozen' as const, ySplit: 2 }] };

function columnLines({ token, sheet, columns }: Asked): readonly Line[] {
  return columns.map(({ key, letter, header, samples, proposal, why }) => ({
    texts: [
      sheet,
      letter === '' ? 'gone' : letter,
      header,
      ...[0, 1, 2].map((at) => samples[at] ?? ''),
      fieldNamed(proposal ?? '')?.title ?? QUESTION.notSent,
      why,
    ],
    key: `${token}#${key}`,
    list: QUESTION.readAs,
  }));
}

function wordLines({ token, sheet, words }: Asked): readonly Line[] {
  return words.map(({ field, word, rows, proposal }) => ({
    texts: [sheet, fieldNamed(field)?.title ?? field, word, rows, proposal],
    key: `${token}#${field}#${word}`,
    list: field,
  }));
}

function listsFor(questions: readonly LayoutQuestion[]): ReadonlyMap<string, readonly string[]> {
  const fields = new Set(questions.flatMap(({ words }) => words.map(({ field }) => field)));
  return new Map([
    [QUESTION.readAs, [...ORDER_FIELDS.map(({ title }) => title), QUESTION.notSent]],
    ...[...fields].map((field): [string, readonly string[]] => [field, fieldNamed(field)?.values ?? []]),
  ]);
}

function writeSheet(
  sheet: Worksheet,
  columns: readonly Column[],
  lines: readonly Line[],
  lists: ReadonlyMap<string, readonly string[]>,
): void {
  const keyColumn = columns.length + 1;
  for (const [at, { width }] of columns.entries()) sheet.getColumn(at + 1).width = width;
  sheet.getColumn(keyColumn).hidden = true;
  sheet.getCell('A1').value = TODO;
  sheet.getCell('A1').font = { name: FONT, size: 11, bold: true };
  sheet.getRow(1).commit();
  for (const [at, { title }] of columns.entries()) {
    const cell = sheet.getCell(2, at + 1);
    cell.value = title;
    cell.font = { name: FONT, size: 11, bold: true };
    paint(cell, 'FFE3E8EE');
  }
  sheet.getCell(2, keyColumn).value = QUESTION.key;
  sheet.getRow(2).commit();
  const answer = columns.findIndex(({ title }) => title === QUESTION.readAs || title === QUESTION.means);
  for (const [row, { texts, key, list }] of lines.entries()) {
    for (const [at, text] of texts.entries()) {
      const cell = sheet.getCell(row + 3, at + 1);
      cell.value = typeof text === 'string' ? writtenText(visible(text)) : text;
      cell.alignment = { vertical: 'top', wrapText: true };
      if (at !== answer) continue;
      paint(cell, 'FFFFF3BF');
      const index = [...lists.keys()].indexOf(list);
      const letters = columnLetters(index + 1);
      const range = `${LISTS_SHEET}!$${letters}$1:$${letters}$${String(lists.get(list)?.length ?? 1)}`;
      cell.dataValidation = { type: 'list', allowBlank: false, formulae: [range], showErrorMessage: true };
    }
    sheet.getCell(row + 3, keyColumn).value = writtenText(key);
    sheet.getRow(row + 3).commit();
  }
  sheet.commit();
}
