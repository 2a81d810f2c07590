/**
 * Which columns and sheets there are, in which order, and what they are called. A column keeps its place and its title from one delivery to the
 * next; a new one stands behind.
 */

import type { SummaryAttribute } from '../contract/catalogue/attribute.ts';
import { SUMMARY_CATALOGUE } from '../contract/summary-catalogue.ts';
import { sheetName } from '../domain/cells.ts';
import type { ResultColumn } from '../domain/project.ts';
import { type CatalogueIndex, catalogueIndex, type FlatRecord, type FlatValue } from './flatten.ts';
import type { SheetColumn } from './workbook-writer.ts';

/** What the title of an attribute's column is made of; on `Results` it is `Roof: material, metal`, on a list's sheet `Material, metal`. */
export function columnTitle(
  { path, attribute, key }: Pick<FlatValue, 'path' | 'attribute' | 'key'>,
  index: CatalogueIndex = catalogueIndex(SUMMARY_CATALOGUE),
): ColumnTitle {
  const { group, name } = attribute === undefined ? unknownName(path, index) : knownName(attribute, key);
  return { group, onResults: `${group}: ${name}`, onList: capitalised(name) };
}

interface ColumnTitle {
  readonly group: string;
  readonly onResults: string;
  readonly onList: string;
}

function knownName(
  { title, group }: SummaryAttribute,
  key: string | null,
): { readonly group: string; readonly name: string } {
  const name = title.startsWith(`${group}: `) ? title.slice(group.length + 2) : title;
  return { group, name: key === null ? name : `${name}, ${wordsOf(key)}` };
}

/** `CompositeShingles` → `composite shingles`, `hasATV` → `has ATV`. */
export function wordsOf(name: string): string {
  return name
    .replaceAll(String.raw`\.`, '.')
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .replaceAll(/(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
    .replaceAll(/[_\s\p{Cc}]+/gu, ' ')
    .trim()
    .split(' ')
    .map((word) => (/^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word))
    .join(' ');
}

export function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A service's code as words: `STAIRS_WITHOUT_HANDRAIL` is `Stairs without handrail`. Other text is left as it is. */
export function codeInWords(text: string): string {
  const isCode = /^[A-Z\d]+(?:_[A-Z\d]+)*$/i.test(text) && (text.includes('_') || text === text.toUpperCase());
  return isCode ? capitalised(text.replaceAll('_', ' ').toLowerCase()) : text;
}

/** The group and the name of an attribute that the catalogue does not know, from the company it keeps. */
function unknownName(path: string, index: CatalogueIndex): { readonly group: string; readonly name: string } {
  const steps = stepsOf(path);
  for (let kept = steps.length - 1; kept > 0; kept -= 1) {
    const group = index.groups.get(steps.slice(0, kept).join('.'));
    const rest = steps.slice(kept);
    if (group === undefined || rest.length === 0) continue;
    // Right below `summary` stand sections: an unknown one is a group of its own.
    if (kept === 1 && rest.length > 1)
      return { group: capitalised(wordsOf(rest[0] ?? '')), name: rest.slice(1).map(wordsOf).join(', ') };
    return { group, name: rest.map(wordsOf).join(', ') };
  }
  return { group: 'Report', name: steps.map(wordsOf).join(', ') || 'value' };
}

/** The steps of a path; a dot inside a name is written `\.`. */
export function stepsOf(path: string): string[] {
  return path.split(/(?<!\\)\./);
}

/** Hands out titles that differ, whatever the case of their letters. */
class UniqueTitles {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[] = []) {
    this.#taken = new Set(taken.map((title) => title.toLowerCase()));
  }

  /** The title itself, or with the path behind it, or with a number. */
  take(title: string, path: string): string {
    const named = this.#taken.has(title.toLowerCase()) ? `${title} (${path})` : title;
    let unique = named;
    for (let number = 2; this.#taken.has(unique.toLowerCase()); number += 1) unique = `${named} ${number}`;
    this.#taken.add(unique.toLowerCase());
    return unique;
  }
}

/** A column made of an attribute that occurs. */
export interface AttributeColumn {
  readonly path: string;
  readonly title: string;
  readonly group: string;
  readonly attribute: SummaryAttribute | undefined;
  readonly key: string | null;
  /** True where it holds how many items a list has. */
  readonly counted: boolean;
  /** How many characters its longest value takes, about. */
  readonly longest: number;
  /** True where no workbook had it before. */
  readonly added: boolean;
}

/** The attribute columns of one table. */
export interface TableLayout {
  readonly columns: readonly AttributeColumn[];
  /** What goes beyond the columns a sheet may have: shown together in one last column. */
  readonly spilled: readonly AttributeColumn[];
}

/** The sheet of a list of objects. `path` joins lists by `[]`: `summary.interior.appliances[].recallData`. */
export interface ListLayout extends TableLayout {
  readonly path: string;
  readonly sheet: string;
}

/**
 * `columns` are those of `Results`: those that earlier workbooks had in their old places, then known ones in the document's order, then
 * unknown ones as they came.
 */
export interface Layout extends TableLayout {
  /** The lists that have items. */
  readonly lists: readonly ListLayout[];
}

/** Far more than the document's attributes make, and far less than Excel's 16,384: a map keyed by ids must not make a column an id. */
const ATTRIBUTE_COLUMNS_MAX = 4000;

/** More sheets nobody leafs through, and no program opens well: how many items further lists have still stands in their column. */
const LIST_SHEETS_MAX = 150;

/** The column of what goes beyond the columns. */
export const SPILLED_TITLE = 'Further attributes';

interface Seen {
  readonly value: FlatValue;
  counted: boolean;
  longest: number;
}

/** What occurred in one table: the records of `Results`, or the items of a list. */
class Table {
  readonly seen = new Map<string, Seen>();
  readonly index: CatalogueIndex;

  constructor(attributes: readonly SummaryAttribute[]) {
    this.index = catalogueIndex(attributes);
  }

  add(record: FlatRecord): void {
    for (const value of record.values.values()) {
      const length = lengthOf(value.leaf);
      const entry = this.seen.get(value.path);
      if (entry === undefined) {
        this.seen.set(value.path, { value, counted: value.counted, longest: length });
      } else {
        entry.counted ||= value.counted;
        entry.longest = Math.max(entry.longest, length);
      }
    }
  }

  /** Known attributes in the catalogue's order, the listed keys of one attribute before others; then unknown ones as they came. */
  inOrder(): readonly Seen[] {
    const place = ({ value: { attribute, key } }: Seen): readonly [number, number] => {
      const position = attribute === undefined ? undefined : this.index.attributes.get(attribute.path)?.position;
      const listed = key === null ? 0 : (attribute?.keys ?? []).indexOf(key);
      return [position ?? Infinity, listed === -1 ? Infinity : listed];
    };
    return [...this.seen.values()]
      .map((seen) => ({ seen, place: place(seen) }))
      .toSorted((a, b) => compare(a.place[0], b.place[0]) || compare(a.place[1], b.place[1]))
      .map(({ seen }) => seen);
  }
}

/** Sees every record once, and knows then which columns and sheets there are. */
export class LayoutCollector {
  readonly #results = new Table(SUMMARY_CATALOGUE);
  readonly #lists = new Map<string, Table>();

  add(record: FlatRecord): void {
    this.#results.add(record);
    this.#addLists(record, '');
  }

  #addLists(record: FlatRecord, parent: string): void {
    for (const list of record.lists.values()) {
      if (list.items.length === 0) continue;
      const path = parent + list.path;
      let table = this.#lists.get(path);
      if (table === undefined) {
        if (this.#lists.size >= LIST_SHEETS_MAX) continue;
        table = new Table(list.attribute?.items ?? []);
        this.#lists.set(path, table);
      }
      for (const item of list.items) {
        table.add(item);
        this.#addLists(item, `${path}[].`);
      }
    }
  }

  /**
   * `fixedTitles`: those of the columns that stand before the attributes in `Results`; `keyTitles`: in the lists' sheets. `earlier`: the
   * columns that earlier workbooks had; they stand in their places, whether or not they occur.
   */
  layout(
    fixedTitles: readonly string[],
    keyTitles: (listPath: string) => readonly string[],
    earlier: readonly ResultColumn[] = [],
  ): Layout {
    const taken = reservedSheetNames();
    const sheets = new Map(earlier.map(({ list, sheet }) => [list, sheet]));
    for (const name of sheets.values()) taken.add(name.toLowerCase());
    const known = (list: string) => earlier.filter((column) => column.list === list);
    return {
      ...columnsOf(this.#results, known(''), new UniqueTitles([...fixedTitles, SPILLED_TITLE]), 'onResults'),
      lists: [...this.#lists.keys()].toSorted(byListOrder).flatMap((path) => {
        const table = this.#lists.get(path);
        if (table === undefined) return [];
        const columns = columnsOf(table, known(path), new UniqueTitles([...keyTitles(path), SPILLED_TITLE]), 'onList');
        return [{ path, sheet: sheets.get(path) ?? listSheetName(path, taken), ...columns }];
      }),
    };
  }
}

function columnsOf(
  table: Table,
  earlier: readonly ResultColumn[],
  titles: UniqueTitles,
  naming: 'onResults' | 'onList',
): TableLayout {
  const old = earlier.map((column) => oldColumn(column, table, titles));
  const places = new Set(earlier.map(({ path }) => path));
  const added = table.inOrder().flatMap(({ value: { path, attribute, key }, counted, longest }) => {
    if (places.has(path)) return [];
    const { group, [naming]: composed } = columnTitle({ path, attribute, key }, table.index);
    const title = titles.take(composed, path);
    return [{ path, title, group, attribute, key, counted, longest, added: true }];
  });
  const columns = [...old, ...added];
  return { columns: columns.slice(0, ATTRIBUTE_COLUMNS_MAX), spilled: columns.slice(ATTRIBUTE_COLUMNS_MAX) };
}

/** A column of earlier workbooks, under its old title. */
function oldColumn({ path, keyedBy, title, group }: ResultColumn, table: Table, titles: UniqueTitles): AttributeColumn {
  const seen = table.seen.get(path);
  const attribute = table.index.attributes.get(keyedBy ?? path)?.attribute;
  return {
    path,
    title: titles.take(title, path),
    group,
    attribute,
    key: keyedBy === null || attribute === undefined ? null : path.slice(keyedBy.length + 1),
    counted: seen?.counted ?? attribute?.type === 'objects',
    longest: seen?.longest ?? 0,
    added: false,
  };
}

/** All columns of a layout as they go on record. */
export function columnsOnRecord({ columns, spilled, lists }: Layout): readonly ResultColumn[] {
  const recorded = (list: string, sheet: string, table: TableLayout): ResultColumn[] =>
    [...table.columns, ...table.spilled].map(({ path, title, group, attribute, key }) => ({
      list,
      path,
      keyedBy: key === null ? null : (attribute?.path ?? null),
      title,
      group,
      sheet,
    }));
  return [
    ...recorded('', FIXED_SHEETS.results, { columns, spilled }),
    ...lists.flatMap((list) => recorded(list.path, list.sheet, list)),
  ];
}

function lengthOf(leaf: FlatValue['leaf']): number {
  if (Array.isArray(leaf)) return leaf.reduce<number>((sum, entry) => sum + String(entry).length + 2, 0);
  return leaf === null ? 1 : String(leaf).length;
}

/** Infinity − Infinity is no number. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

/** Words of condition that colour their cells, whatever the rules of Attention say. */
const CONDITION_WORDS = [
  { word: 'Poor', emphasis: 'alarm' },
  { word: 'Fair', emphasis: 'warning' },
] as const;

/** More values than these are told on the sheet Fields only. */
const VALUES_IN_NOTE_MAX = 8;

/** What somebody sees who points at the header: meaning, unit, values, source. */
function headerNote({ attribute, path }: AttributeColumn): string {
  if (attribute === undefined) return `The service’s document does not list it; shown as it came.\nSource: ${path}`;
  const { meaning, unit, values = [], examples } = attribute;
  return [
    meaning,
    ...(unit === undefined ? [] : [`Unit: ${unit === 'epoch seconds' ? 'date and time, UTC' : unit}`]),
    ...(values.length > 0 && values.length <= VALUES_IN_NOTE_MAX
      ? [`${examples ? 'For example' : 'Values'}: ${values.join('; ')}`]
      : []),
    `Source: ${path}`,
  ].join('\n');
}

/** The columns of a table's attributes, and the last one for what went beyond them. */
export function attributeColumns(
  { columns, spilled }: TableLayout,
  groupOf: (column: AttributeColumn) => string,
): SheetColumn[] {
  return [
    ...columns.map((column) => ({
      title: column.title,
      width: columnWidth(column),
      group: groupOf(column),
      note: headerNote(column),
      ...(column.attribute?.values?.includes('Poor') === true ? { colouredWords: CONDITION_WORDS } : {}),
    })),
    ...(spilled.length === 0 ? [] : [{ title: SPILLED_TITLE, width: 40, group: SPILLED_TITLE }]),
  ];
}

const WIDTH_MIN = 10;
export const COLUMN_WIDTH_MAX = 44;
/** Room for the filter's button. */
const BUTTON = 3;

/** Wide enough for the values, and for a header of at most three lines. */
function columnWidth({ title, longest, attribute }: Pick<AttributeColumn, 'title' | 'longest' | 'attribute'>): number {
  const header = Math.max(
    Math.ceil((title.length + 2) / 3) + BUTTON,
    ...title.split(' ').map((word) => word.length + BUTTON),
  );
  const values = attribute?.unit === 'epoch seconds' ? 16 : longest;
  return Math.min(COLUMN_WIDTH_MAX, Math.max(WIDTH_MIN, header, values + 2));
}

/** The sheets of the workbook that are always there. */
export const FIXED_SHEETS = {
  overview: 'Overview',
  results: 'Results',
  reports: 'Reports',
  attention: 'Attention',
  roofs: 'Roofs',
  overdue: 'Overdue',
  ended: 'Ended',
  changes: 'Changes',
  photos: 'Photos',
  notOrdered: 'Not ordered',
  surprises: 'Surprises',
  fields: 'Fields',
} as const;

/** The sheets of known lists, in the order of the workbook. Excel keeps the name `History` for itself. */
const LIST_SHEETS: ReadonlyMap<string, { readonly sheet: string; readonly one: string }> = new Map([
  ['summary.factors', { sheet: 'Factors', one: 'Factor' }],
  ['summary.recommendations', { sheet: 'Recommendations', one: 'Recommendation' }],
  ['summary.interior.appliances', { sheet: 'Appliances', one: 'Appliance' }],
  ['summary.interior.appliances[].recallData', { sheet: 'Recalls', one: 'Recall' }],
  ['summary.interior.appliances[].classActionLawsuit', { sheet: 'Class actions', one: 'Class action' }],
  ['summary.roof.comparison', { sheet: 'Roof comparison', one: 'Slope' }],
  ['summary.exterior.comparison', { sheet: 'Exterior comparison', one: 'Elevation' }],
  ['summary.exterior.pool', { sheet: 'Pools', one: 'Pool' }],
  ['summary.history', { sheet: 'Inspection history', one: 'Inspection' }],
  ['summary.hover.hoverTla', { sheet: '3D model', one: 'Model' }],
  ['summary.hover.hoverTla[].livingAreas.floors.entities', { sheet: 'Floors', one: 'Floor' }],
]);

const ORDER = [...LIST_SHEETS.keys()];

/** Known lists in the workbook's order, then the others as they came. */
function byListOrder(a: string, b: string): number {
  const place = (path: string) => (LIST_SHEETS.has(path) ? ORDER.indexOf(path) : ORDER.length);
  return place(a) - place(b);
}

/** What one item of a list is called: `Pool`. */
export function itemName(path: string): string {
  return LIST_SHEETS.get(path)?.one ?? capitalised(lastWords(path));
}

/** The name of a list's sheet, unlike any in `taken` (in lower case), which it joins. */
function listSheetName(path: string, taken: Set<string>): string {
  const named = LIST_SHEETS.get(path)?.sheet;
  const name = named ?? validSheetName(capitalised(lastWords(path)), taken);
  taken.add(name.toLowerCase());
  return name;
}

function lastWords(path: string): string {
  return wordsOf(stepsOf(path.replaceAll('[]', '')).at(-1) ?? '');
}

/** All names that known lists may take, so that no unknown list gets one of them. */
function reservedSheetNames(): Set<string> {
  return new Set(
    [...Object.values(FIXED_SHEETS), ...[...LIST_SHEETS.values()].map(({ sheet }) => sheet)].map((name) =>
      name.toLowerCase(),
    ),
  );
}

/** The name of a sheet of results. Apostrophes go too: names stand in the formulas of links. */
export function validSheetName(wanted: string, taken: ReadonlySet<string>): string {
  const words = wanted.replaceAll(/['\s]+/g, ' ').trim();
  return sheetName(words, taken, {
    instead: words.toLowerCase() === 'history' ? `List ${words}` : 'List',
    numbered: (number) => ` ${number}`,
  });
}
