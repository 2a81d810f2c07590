import { parse } from 'node:path';
import { columnNamed, quoted } from '../domain/cells.ts';
import type { SheetLayout } from '../domain/row.ts';
import { normalizedHeader } from '../domain/text.ts';
import { fieldNamed } from './fields.ts';

export interface LayoutChange {
  readonly kind: 'gone' | 'new' | 'renamed' | 'another-field' | 'sheet-gone' | 'sheet-new' | 'header-row';
  readonly sentence: string;
}

type Column = SheetLayout['columns'][number];

export function changesColumns({ kind }: LayoutChange): boolean {
  return kind !== 'header-row';
}

/** Ignores case, spaces, punctuation, column order and sheet names. */
export function layoutChanges(before: readonly SheetLayout[], now: readonly SheetLayout[]): readonly LayoutChange[] {
  const pairs = pairedSheets(before, now);
  const gone = before.filter((sheet) => !pairs.some((pair) => pair.before === sheet));
  const added = now.filter((sheet) => !pairs.some((pair) => pair.now === sheet));
  return [
    ...pairs.flatMap((pair) => sheetChanges(pair.before, pair.now)),
    ...gone.map(({ sheet }) => ({ kind: 'sheet-gone', sentence: `Sheet ${quoted(sheet)} is gone.` }) as const),
    ...added.map(({ sheet }) => ({ kind: 'sheet-new', sentence: `Sheet ${quoted(sheet)} is new.` }) as const),
  ];
}

interface SheetPair {
  readonly before: SheetLayout;
  readonly now: SheetLayout;
}

/** Pairs by name, then by order: names such as "March" change. */
function pairedSheets(before: readonly SheetLayout[], now: readonly SheetLayout[]): readonly SheetPair[] {
  const byName = new Map(before.toReversed().map((sheet) => [sheet.sheet, sheet]));
  const named = now.flatMap((sheet) => {
    const same = byName.get(sheet.sheet);
    return same === undefined ? [] : [{ before: same, now: sheet }];
  });
  const paired = new Set(named.flatMap((pair) => [pair.before, pair.now]));
  const restBefore = before.filter((sheet) => !paired.has(sheet));
  const restNow = now.filter((sheet) => !paired.has(sheet));
  const byOrder = restNow.flatMap((sheet, index) => {
    const other = restBefore[index];
    return other === undefined ? [] : [{ before: other, now: sheet }];
  });
  return [...named, ...byOrder];
}

function sheetChanges(before: SheetLayout, now: SheetLayout): readonly LayoutChange[] {
  const where = `Sheet ${quoted(now.sheet)}: `;
  const left = new Set(now.columns);
  const byHeader = Map.groupBy(now.columns, ({ header }) => normalizedHeader(header));
  const byField = Map.groupBy(now.columns, ({ field }) => field);
  const take = (alike: Column[] = []): Column | undefined => {
    let column = alike.shift();
    while (column !== undefined && !left.delete(column)) column = alike.shift();
    return column;
  };
  const changes: LayoutChange[] = [];
  const unmatched: Column[] = [];
  for (const old of before.columns) {
    const same = take(byHeader.get(normalizedHeader(old.header)));
    if (same === undefined) unmatched.push(old);
    else if (same.field !== old.field) {
      const sentence = `${where}column ${columnNamed(same)} is read as ${fieldTitle(same)} now, and was ${fieldTitle(old)}.`;
      changes.push({ kind: 'another-field', sentence });
    }
  }
  for (const old of unmatched) {
    const renamed = old.field === null ? undefined : take(byField.get(old.field));
    if (renamed === undefined)
      changes.push({ kind: 'gone', sentence: `${where}the column ${quoted(old.header)}${inBrackets(old)} is gone.` });
    else
      changes.push({
        kind: 'renamed',
        sentence: `${where}${fieldTitle(renamed)} was headed ${quoted(old.header)}, and is headed ${quoted(renamed.header)} now.`,
      });
  }
  for (const added of left)
    changes.push({ kind: 'new', sentence: `${where}column ${columnNamed(added)}${inBrackets(added)} is new.` });
  if (before.headerRow !== now.headerRow) {
    changes.push({
      kind: 'header-row',
      sentence: `${where}the header is row ${now.headerRow} now, and was row ${before.headerRow}.`,
    });
  }
  return changes;
}

function inBrackets(column: Column) {
  const title = fieldTitle(column);
  return title === quoted(column.header) ? '' : ` (${title})`;
}

function fieldTitle({ field }: Column) {
  return field === null ? 'a column that is not sent' : quoted(fieldNamed(field)?.title ?? field);
}

const DATE_WORDS =
  /\b(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?|mon(day)?|tue(s(day)?)?|wed(nesday)?|thu(rs(day)?)?|fri(day)?|sat(urday)?|sun(day)?)\b/g;
const COPY_WORDS = /\b(copy( of)?|final|new)\b/g;

/** `Smith orders 2026-03-05 (2).xlsx` and `SMITH_ORDERS_March.csv` are both `smith orders`. */
export function stableName(fileName: string): string {
  return parse(fileName)
    .name.normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .replace(/(?<!\p{N})\p{N}+(st|nd|rd|th)?\b/gu, ' ')
    .replace(/\p{N}+/gu, ' ')
    .replace(DATE_WORDS, ' ')
    .replace(COPY_WORDS, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
