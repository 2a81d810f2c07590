import { parse } from 'node:path';
import { z } from 'zod';
import { columnLabel, quoted } from '../domain/cells.ts';
import { columnKeys } from '../domain/layout.ts';
import type { SheetLayout } from '../domain/row.ts';
import { fieldNamed } from './fields.ts';
import { pattern, vocabulary } from './vocabulary.ts';

export type LayoutChange = Readonly<{
  kind: 'gone' | 'new' | 'renamed' | 'another-field' | 'sheet-gone' | 'sheet-new' | 'header-row';
  sentence: string;
}>;

type Column = SheetLayout['columns'][number];

export function isColumnChange({ kind }: LayoutChange) {
  return kind !== 'header-row';
}

/** Ignores case, spaces, punctuation, column order and sheet names. */
export function layoutChanges(before: readonly SheetLayout[], now: readonly SheetLayout[]) {
  const pairs = pairedSheets(before, now);
  const gone = before.filter((sheet) => !pairs.some((pair) => pair.before === sheet));
  const added = now.filter((sheet) => !pairs.some((pair) => pair.now === sheet));
  return [
    ...pairs.flatMap((pair) => sheetChanges(pair.before, pair.now)),
    ...gone.map(({ sheet }) => ({ kind: 'sheet-gone', sentence: `Sheet ${quoted(sheet)} is gone.` }) as const),
    ...added.map(({ sheet }) => ({ kind: 'sheet-new', sentence: `Sheet ${quoted(sheet)} is new.` }) as const),
  ];
}

/** Pairs by name, then by order: names such as "March" change. */
function pairedSheets(before: readonly SheetLayout[], now: readonly SheetLayout[]) {
  const renamed = before.filter(({ sheet }) => !now.some((other) => other.sheet === sheet));
  return now.flatMap((sheet) => {
    const other = before.find((one) => one.sheet === sheet.sheet) ?? renamed.shift();
    return other === undefined ? [] : [{ before: other, now: sheet }];
  });
}

function byKey({ columns }: SheetLayout) {
  const keys = columnKeys(columns.map(({ header }) => header));
  return new Map(columns.map((column, at) => [keys[at] ?? '', column]));
}

function sheetChanges(before: SheetLayout, now: SheetLayout) {
  const where = `Sheet ${quoted(now.sheet)}: `;
  const [old, current] = [byKey(before), byKey(now)];
  const added = [...current].filter(([key]) => !old.has(key)).map(([, column]) => column);
  const changes: LayoutChange[] = [];
  for (const [key, column] of old) {
    const same = current.get(key);
    if (same === undefined || same.field === column.field) continue;
    const sentence = `${where}column ${columnLabel(same)} is read as ${fieldTitle(same)} now, and was ${fieldTitle(column)}.`;
    changes.push({ kind: 'another-field', sentence });
  }
  for (const [key, column] of old) {
    if (current.has(key)) continue;
    const at = column.field === null ? -1 : added.findIndex(({ field }) => field === column.field);
    const [renamed] = at === -1 ? [] : added.splice(at, 1);
    const sentence =
      renamed === undefined
        ? `${where}the column ${quoted(column.header)}${inBrackets(column)} is gone.`
        : `${where}${fieldTitle(renamed)} was headed ${quoted(column.header)}, and is headed ${quoted(renamed.header)} now.`;
    changes.push({ kind: renamed === undefined ? 'gone' : 'renamed', sentence });
  }
  for (const column of added)
    changes.push({ kind: 'new', sentence: `${where}column ${columnLabel(column)}${inBrackets(column)} is new.` });
  if (before.headerRow !== now.headerRow)
    changes.push({
      kind: 'header-row',
      sentence: `${where}the header is row ${now.headerRow} now, and was row ${before.headerRow}.`,
    });
  return changes;
}

function inBrackets(column: Column) {
  const title = fieldTitle(column);
  return title === quoted(column.header) ? '' : ` (${title})`;
}

function fieldTitle({ field }: Column) {
  return field === null ? 'a column that is not sent' : quoted(fieldNamed(field)?.title ?? field);
}

const words = vocabulary('file-names', z.strictObject({ dates: pattern, copies: pattern }));

/** `Smith orders 2026-03-05 (2).xlsx` and `SMITH_ORDERS_March.csv` are both `smith orders`. */
export function stableName(fileName: string) {
  const { dates, copies } = words();
  return parse(fileName)
    .name.normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .replace(/(?<!\p{N})\p{N}+(st|nd|rd|th)?\b/gu, ' ')
    .replace(/\p{N}+/gu, ' ')
    .replace(new RegExp(dates, 'g'), ' ')
    .replace(new RegExp(copies, 'g'), ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
