import type { AttributeType, SummaryAttribute } from '../../contract/summary-catalogue.ts';
import { text, wrapped } from '../cells.ts';
import { type AttributeColumn, FIXED_SHEETS, type Layout, SPILLED_TITLE, type TableLayout } from '../columns.ts';
import { PROJECT_COLUMNS } from './project-columns.ts';
import type { Cell, SheetOptions, WorkbookWriter } from '../workbook-writer.ts';

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

/**
 * The sheet `Fields`: each column's meaning and source. For `others`, our own sheets, it repeats their header notes.
 */
export async function writeFields(
  workbook: WorkbookWriter,
  layout: Layout,
  others: readonly SheetOptions[],
): Promise<void> {
  const sheet = workbook.sheet({
    name: FIXED_SHEETS.fields,
    kind: 'table',
    frozenColumns: 2,
    columns: [
      { title: 'Sheet', width: 20 },
      { title: 'Column', width: 38 },
      { title: 'Meaning', width: 60 },
      { title: 'Type', width: 14 },
      { title: 'Unit', width: 14 },
      { title: 'Can be not assessed (–)', width: 14 },
      { title: 'Values may change', width: 14 },
      { title: 'Values', width: 60 },
      { title: 'Source', width: 50 },
      { title: 'Empty, –, No, none', width: 60, note: 'What each of these means in this column.' },
    ],
    tabColour: '7F7F7F',
  });
  for (const { title, meaning, type } of PROJECT_COLUMNS) {
    await sheet.row([
      text(FIXED_SHEETS.results),
      wrapped(title),
      wrapped(meaning),
      text(type),
      undefined,
      undefined,
      undefined,
      undefined,
      text('order and ledger'),
    ]);
  }
  for (const column of shownColumns(layout))
    await sheet.row(fieldRow(FIXED_SHEETS.results, column, column.path, layout));
  for (const list of layout.lists) {
    for (const column of shownColumns(list))
      await sheet.row(fieldRow(list.sheet, column, `${list.path}[].${column.path}`, layout));
  }
  for (const { name, columns } of others) {
    for (const { title, note } of columns)
      if (note !== undefined)
        await sheet.row([
          text(name),
          wrapped(title),
          wrapped(note),
          undefined,
          undefined,
          undefined,
          undefined,
          undefined,
          text(MADE_HERE),
        ]);
  }
}

const MADE_HERE = 'inspection-batch';

function shownColumns({ columns, spilled }: TableLayout): readonly AttributeColumn[] {
  return [...columns, ...spilled.map((column) => ({ ...column, title: SPILLED_TITLE }))];
}

function fieldRow(sheet: string, column: AttributeColumn, source: string, layout: Layout): (Cell | undefined)[] {
  const { attribute, title, key, counted } = column;
  const itemsSheet = counted ? layout.lists.find(({ path }) => path === source)?.sheet : undefined;
  const unit = attribute?.unit === 'epoch seconds' ? 'UTC' : attribute?.unit;
  return [
    text(sheet),
    wrapped(title),
    wrapped(meaningOf(attribute, counted, itemsSheet)),
    text(counted ? 'count' : attribute === undefined ? 'as it came' : typeOf(attribute)),
    text(unit ?? ''),
    attribute === undefined ? undefined : { value: attribute.nullable ? 'Yes' : 'No', format: 'word' },
    attribute === undefined
      ? undefined
      : { value: attribute.dynamic || attribute.examples ? 'Yes' : 'No', format: 'word' },
    key === null ? wrapped(listedValues(attribute)) : undefined,
    text(source),
    wrapped(signsOf(column)),
  ];
}

function listedValues({ values = [], examples }: Partial<SummaryAttribute> = {}): string {
  return `${examples ? 'for example: ' : ''}${values.join('; ')}`;
}

function signsOf({ attribute, key, counted }: AttributeColumn): string {
  const absent =
    key === null ? 'not covered by the report, or no report yet' : 'not named by the report, or no report yet';
  return [
    `empty: ${absent}`,
    ...(attribute?.nullable === true && key === null ? ['–: covered, and not assessed'] : []),
    ...(attribute?.type === 'boolean' || attribute?.type === 'flags' ? ['No: assessed, and the answer is no'] : []),
    ...(counted
      ? ['0: assessed, and there is none']
      : attribute?.type === 'texts'
        ? ['none: assessed, and the list has no entry']
        : []),
  ].join('; ');
}

function meaningOf(attribute: SummaryAttribute | undefined, counted: boolean, itemsSheet: string | undefined): string {
  const meaning = attribute?.meaning ?? 'The service’s document does not list it; shown as it came.';
  if (!counted) return meaning;
  return itemsSheet === undefined
    ? `${meaning} How many there are.`
    : `${meaning} How many there are; each is on the sheet ${itemsSheet}.`;
}

function typeOf({ type, unit }: SummaryAttribute): string {
  return unit === 'epoch seconds' || unit === 'date' ? 'date' : TYPES[type];
}
