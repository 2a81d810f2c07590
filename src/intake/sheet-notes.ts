import { isBlank, quoted } from '../domain/cells.ts';
import { noteFor } from '../domain/sentences.ts';
import { type CellComment, SHEET_LEFT_OUT, type RowSource } from './readers/row-source.ts';
import { rowText } from './skipped-rows.ts';

export function isSheetNamed(sheet: string, names: readonly string[] = []) {
  return names.some((name) => name.trim().toLowerCase() === sheet.trim().toLowerCase());
}

export async function skippedNote(source: RowSource, sheetIndex: number) {
  const { count } = await rowsBelow(source, sheetIndex, 0);
  return noteFor('sheet-skipped', { name: quoted(source.sheets[sheetIndex]?.name ?? ''), count: describeRows(count) });
}

/** Undefined if it has no rows. `headerRow` is 0 without a header. */
export async function leftOutNote(source: RowSource, sheetIndex: number, headerRow: number) {
  const { count, first } = await rowsBelow(source, sheetIndex, headerRow);
  if (count === 0) return undefined;
  return noteFor(SHEET_LEFT_OUT, {
    name: source.sheets[sheetIndex]?.name ?? '',
    rows: `${describeRows(count)}${count === 1 ? '' : ', the first'}`,
    first,
  });
}

async function rowsBelow(source: RowSource, sheetIndex: number, headerRow: number) {
  let count = 0;
  let first = '';
  for await (const row of source.rows(sheetIndex)) {
    if (row.rowNumber <= headerRow || row.cells.every(isBlank)) continue;
    count += 1;
    if (count === 1) first = rowText(row.cells, ', ');
  }
  return { count, first };
}

export function describeRows(count: number) {
  return count === 1 ? '1 row' : `${count} rows`;
}

const COMMENTS_QUOTED = 5;

export function commentNotes(sheet: string, comments: readonly CellComment[]) {
  const said = comments.filter(({ text }) => text !== '');
  if (said.length === 0) return [];
  const quotes = said.slice(0, COMMENTS_QUOTED).map(({ cell, text }) => `${cell} ${quoted(text)}`);
  const more = said.length - COMMENTS_QUOTED;
  return [noteFor('comments-quoted', { sheet, quotes: quotes.join(', '), more: more > 0 ? ` and ${more} more` : '' })];
}
