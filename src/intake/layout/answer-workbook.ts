import { z } from 'zod';
import { cellText } from '../../domain/cells.ts';
import { fieldForAll } from '../../domain/layout.ts';
import { builtInField } from '../header/known-headers.ts';
import { LISTS_SHEET, QUESTION } from '../own-workbooks.ts';
import { type RowSource, UnreadableFileError } from '../readers/row-source.ts';
import { trimmed } from '../values/plain-text.ts';
import { sentence } from '../../domain/sentences.ts';
import { valueForAll } from './for-all.ts';

type Said = Readonly<{ key: string; said: string; place: string }>;

export async function readAnswers(source: RowSource, displayName: string) {
  const lines = await linesOf(source);
  if (lines.length === 0)
    throw new UnreadableFileError('answer-not-taken', sentence('answer-not-taken', { name: displayName }));
  const tables = await tablesOf(source);
  return [...new Set(lines.map(({ key }) => key.split('#')[0] ?? ''))].map((token) => {
    const own = lines.filter(({ key }) => key.startsWith(`${token}#`));
    return { token, asked: tables.find((table) => table.token === token) ?? null, columns: columnsSaid(own) };
  });
}

const text = z.string().max(1000);
const tableSchema = z.object({
  token: text.default(''),
  sender: text.default(''),
  file: text.default(''),
  sheet: text.default(''),
  keys: z.array(text),
  known: z.record(text, text.nullable()),
  judged: z.record(text, z.enum(['same', 'transactions', 'statuses'])).default({}),
});

/** Those of a corrections workbook have only `keys`, `known` and `judged`. */
export async function tablesOf(source: RowSource) {
  const tables = [];
  for await (const { cells } of source.rows(source.sheets.findIndex(({ name }) => name === LISTS_SHEET))) {
    const held = cellText(cells[0]);
    const read = held.startsWith('{') ? tableSchema.safeParse(jsonIn(held)) : undefined;
    if (read?.success === true) tables.push(read.data);
  }
  return tables;
}

function jsonIn(held: string) {
  try {
    return JSON.parse(held);
  } catch {
    return undefined;
  }
}

async function linesOf(source: RowSource) {
  const index = source.sheets.findIndex(({ name }) => name === QUESTION.columns);
  if (index === -1) return [];
  const lines = [];
  let at: Readonly<{ key: number; said: number }> | undefined;
  for await (const { cells, rowNumber } of source.rows(index)) {
    const texts = cells.map((cell) => trimmed(cellText(cell)));
    const [key, said] = [texts.indexOf(QUESTION.key), texts.indexOf(QUESTION.readAs)];
    if (at === undefined) {
      if (key !== -1 && said !== -1) at = { key, said };
    } else
      lines.push({
        key: texts[at.key] ?? '',
        said: texts[at.said] ?? '',
        place: `${QUESTION.columns}, row ${rowNumber}`,
      });
  }
  return lines.filter(({ key }) => key !== '');
}

function columnsSaid(lines: readonly Said[]) {
  return Object.fromEntries(
    lines.map(({ key, said, place }) => {
      const column = key.slice(key.indexOf('#') + 1);
      const ofAll = fieldForAll(column);
      const isNone = said.toLowerCase() === QUESTION.notSent || (ofAll !== undefined && said === '');
      const meant = ofAll === undefined ? builtInField(said)?.name : valueForAll(ofAll, said);
      if (meant === undefined && !isNone) {
        const why = ofAll === undefined ? 'is not a field of an order' : 'is not on the list of allowed values';
        throw new UnreadableFileError('answer-not-taken', sentence('answer-not-taken/wrong', { place, said, why }));
      }
      return [column, meant ?? null];
    }),
  );
}
