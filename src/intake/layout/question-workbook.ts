import type { Worksheet } from 'exceljs';
import { type AskedTable, fieldForAll, type LayoutQuestion } from '../../domain/layout.ts';
import { columnLetters } from '../../domain/cells.ts';
import { sheetTexts, writeHeaders } from '../corrections/sheet-texts.ts';
import { FILLS, BOLD, newWorkbook, paint, visibleText, writtenText } from '../corrections/written-cell.ts';
import { fieldNamed, ORDER_FIELDS } from '../fields.ts';
import { LISTS_SHEET, QUESTION, QUESTION_MARK } from '../own-workbooks.ts';
import { choicesForAll, FOR_ALL } from './for-all.ts';

/** Its token is in the hidden keys of its lines. */
type AskedQuestion = LayoutQuestion & AskedTable & { readonly token: string };

/** The file is incomplete until the promise resolves, so give a temporary name. */
export async function writeQuestionWorkbook(path: string, questions: readonly AskedQuestion[]) {
  const workbook = await newWorkbook(path, true);
  writeColumns(workbook.addWorksheet(QUESTION.columns, VIEW), questions.flatMap(columnLines));
  const hidden = workbook.addWorksheet(LISTS_SHEET, { state: 'hidden' });
  hidden.getCell('A1').value = QUESTION_MARK;
  for (const [at, { token, sender, file, sheet, keys, known }] of questions.entries()) {
    hidden.getCell(at + 2, 1).value = writtenText(JSON.stringify({ token, sender, file, sheet, keys, known }));
  }
  for (const [at, choices] of LISTS.entries())
    for (const [row, choice] of choices.entries()) hidden.getCell(row + 1, at + 2).value = choice;
  hidden.commit();
  await workbook.commit();
}

const VIEW = { views: [{ state: 'frozen' as const, ySplit: 2 }] };

function columnLines({ token, sheet, columns }: AskedQuestion) {
  return columns.map(({ key, letter, header, samples, proposal, why }) => {
    const ofAll = fieldForAll(key);
    return {
      texts: [
        sheet,
        letter || 'gone',
        header,
        ...[0, 1, 2].map((at) => samples[at] ?? ''),
        ofAll === undefined ? (fieldNamed(proposal)?.title ?? QUESTION.notSent) : (proposal ?? ''),
        why,
      ],
      key: `${token}#${key}`,
      choices: LISTS_OF.indexOf(ofAll),
    };
  });
}

/** Of columns, then of the values for all rows, by field. */
const LISTS_OF: readonly (string | undefined)[] = [undefined, ...FOR_ALL.map(({ name }) => name)];
const LISTS = LISTS_OF.map((name) =>
  name === undefined ? [...ORDER_FIELDS.map(({ title }) => title), QUESTION.notSent] : choicesForAll(name),
);

function rangeOf(at: number) {
  const letter = columnLetters(at + 1);
  return `${LISTS_SHEET}!$${letter}$1:$${letter}$${LISTS[at]?.length ?? 1}`;
}

function writeColumns(sheet: Worksheet, lines: ReturnType<typeof columnLines>) {
  const { question: columns, questionHead } = sheetTexts();
  const titles = Object.keys(columns);
  const keyColumn = titles.length + 1;
  writeHeaders(sheet, 2, columns);
  sheet.getColumn(keyColumn).hidden = true;
  sheet.getCell('A1').value = questionHead;
  sheet.getCell('A1').font = BOLD;
  sheet.getRow(1).commit();
  sheet.getCell(2, keyColumn).value = QUESTION.key;
  sheet.getRow(2).commit();
  const answer = titles.indexOf(QUESTION.readAs);
  for (const [row, { texts, key, choices }] of lines.entries()) {
    for (const [at, text] of texts.entries()) {
      const cell = sheet.getCell(row + 3, at + 1);
      cell.value = visibleText(text);
      cell.alignment = { vertical: 'top', wrapText: true };
      if (at !== answer) continue;
      paint(cell, FILLS.warning);
      cell.dataValidation = {
        type: 'list',
        allowBlank: choices > 0,
        formulae: [rangeOf(choices)],
        showErrorMessage: true,
      };
    }
    sheet.getCell(row + 3, keyColumn).value = writtenText(key);
    sheet.getRow(row + 3).commit();
  }
  sheet.commit();
}
