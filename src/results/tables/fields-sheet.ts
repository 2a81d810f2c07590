import type { AttributeType, SummaryAttribute } from '../../contract/summary-attributes.ts';
import { sentence } from '../../domain/sentences.ts';
import {
  type AttributeColumn,
  type Layout,
  NOT_LISTED,
  SPILLED_TITLE,
  type AttributeColumns,
} from './report-columns.ts';
import { FIXED_SHEETS, type SheetOptions, yesOrNo, text, wrapped } from '../workbook.ts';
import { PROJECT_COLUMNS } from './results-columns.ts';
import { column, notesOf, type Table } from './table.ts';

const TYPES: Readonly<Record<AttributeType, string>> = {
  text: 'text',
  number: 'number',
  boolean: 'Yes / No',
  texts: 'list of texts',
  objects: 'list',
  percentages: 'percentage',
  counts: 'count',
  flags: 'Yes / No',
  details: 'details',
};

type Field = Readonly<{
  sheet: string;
  title: string;
  meaning: string;
  source: string;
  type?: string;
  column?: AttributeColumn;
}>;

export const FIELDS_TABLE: Table<Field> = {
  name: FIXED_SHEETS.fields,
  frozenColumns: 2,
  tabColor: '7F7F7F',
  columns: [
    column('Sheet', 20, text, 'sheet'),
    column('Column', 38, wrapped, 'title'),
    column('Meaning', 60, wrapped, 'meaning'),
    column('Type', 14, text, 'type'),
    column('Unit', 14, text, ({ column: of }) => of?.attribute?.unit?.replace('epoch seconds', 'UTC')),
    column('May be "not assessed" (–)', 14, yesOrNo, ({ column: of }) => of?.attribute?.nullable),
    column(
      'Values may change',
      14,
      yesOrNo,
      ({ column: of }) => of?.attribute && (of.attribute.dynamic || of.attribute.examples === true),
    ),
    column('Values', 60, wrapped, ({ column: of }) => (of?.key === null ? listedValues(of) : '')),
    column('Source', 50, text, 'source'),
    column('Empty, –, No, none', 60, wrapped, ({ column: of }) => of && signsOf(of)),
  ],
};

/** `own`: our own sheets; columns with a note are listed. */
export function* fieldsOf(layout: Layout, own: readonly SheetOptions[]) {
  const meanings = notesOf(FIXED_SHEETS.results);
  for (const { title, type } of PROJECT_COLUMNS)
    yield { sheet: FIXED_SHEETS.results, title, meaning: meanings[title] ?? '', type, source: 'order and ledger' };
  yield* attributeFields(FIXED_SHEETS.results, layout, '', layout);
  for (const list of layout.lists) yield* attributeFields(list.sheet, list, `${list.path}[].`, layout);
  for (const { name: sheet, columns } of own)
    for (const { title, note } of columns)
      if (note !== undefined) yield { sheet, title, meaning: note, source: 'inspection-batch' };
}

function* attributeFields(sheet: string, { columns, spilled }: AttributeColumns, prefix: string, { lists }: Layout) {
  for (const column of [...columns, ...spilled.map((one) => ({ ...one, title: SPILLED_TITLE }))]) {
    const { title, attribute, counted } = column;
    const source = prefix + column.path;
    const itemsSheet = lists.find(({ path }) => path === source)?.sheet;
    const type = counted ? 'count' : attribute === undefined ? 'as it came' : typeOf(attribute);
    yield { sheet, title, meaning: meaningOf(attribute, counted, itemsSheet), type, source, column };
  }
}

function listedValues({ attribute }: AttributeColumn) {
  const { values = [], examples } = attribute ?? {};
  return `${examples ? 'for example: ' : ''}${values.join('; ')}`;
}

function signsOf({ attribute, key, counted }: AttributeColumn) {
  const { type, nullable } = attribute ?? {};
  const signs = [
    key === null ? 'absent' : 'absent-key',
    nullable && key === null && 'dash',
    (type === 'boolean' || type === 'flags') && 'no',
    counted ? 'zero' : type === 'texts' && 'empty-list',
  ];
  return signs.flatMap((sign) => (sign ? sentence(`field/${sign}`) : [])).join('; ');
}

function meaningOf(attribute: SummaryAttribute | undefined, counted: boolean, itemsSheet: string | undefined) {
  const meaning = attribute?.meaning ?? NOT_LISTED;
  if (!counted) return meaning;
  return `${meaning} This column counts the entries${itemsSheet === undefined ? '' : `; the sheet ${itemsSheet} lists them`}.`;
}

function typeOf({ type, unit }: SummaryAttribute) {
  return unit === 'epoch seconds' || unit === 'date' ? 'date' : TYPES[type];
}
