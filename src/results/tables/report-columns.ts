import { upperFirst } from '../../domain/text.ts';
import { SUMMARY_CATALOG, type SummaryAttribute } from '../../contract/summary-attributes.ts';
import type { ResultColumn } from '../../domain/project.ts';
import { type CatalogIndex, catalogIndex, type FlatRecord, type FlatValue } from '../flatten.ts';
import { FIXED_SHEETS, listSheets, reservedSheetNames, validSheetName, type SheetColumn } from '../workbook.ts';

/** `Roof: material, metal` on `Results`, `Material, metal` on a list's sheet. */
export function columnTitle(
  { path, attribute, key }: Pick<FlatValue, 'path' | 'attribute' | 'key'>,
  index: CatalogIndex = catalogIndex(SUMMARY_CATALOG),
) {
  const { group, name } = attribute === undefined ? unknownName(path, index) : knownName(attribute, key);
  return { group, onResults: `${group}: ${name}`, onList: upperFirst(name) };
}

function knownName({ title, group }: SummaryAttribute, key: string | null) {
  const name = title.startsWith(`${group}: `) ? title.slice(group.length + 2) : title;
  return { group, name: key === null ? name : `${name}, ${plainName(key)}` };
}

/** `CompositeShingles` → `composite shingles`, `hasATV` → `has ATV`. */
export function plainName(name: string) {
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

/** Text that is not a code stays. */
export function titleOfCode(text: string) {
  const isCode = /^[A-Z\d]+(?:_[A-Z\d]+)*$/i.test(text) && (text.includes('_') || text === text.toUpperCase());
  return isCode ? upperFirst(text.replaceAll('_', ' ').toLowerCase()) : text;
}

function unknownName(path: string, index: CatalogIndex) {
  const steps = stepsOf(path);
  for (let kept = steps.length - 1; kept > 0; kept -= 1) {
    const group = index.groups.get(steps.slice(0, kept).join('.'));
    const rest = steps.slice(kept);
    if (group === undefined) continue;
    if (kept === 1 && rest.length > 1)
      return { group: upperFirst(plainName(rest[0] ?? '')), name: rest.slice(1).map(plainName).join(', ') };
    return { group, name: rest.map(plainName).join(', ') };
  }
  return { group: 'Report', name: steps.map(plainName).join(', ') || 'value' };
}

/** `\.` is a dot within a name. */
export function stepsOf(path: string) {
  return path.split(/(?<!\\)\./);
}

type UniqueTitle = ReturnType<typeof titlesBesides>;

function titlesBesides(others: readonly string[]) {
  const taken = new Set([...others, SPILLED_TITLE].map((title) => title.toLowerCase()));
  return (title: string, path: string) => {
    const named = taken.has(title.toLowerCase()) ? `${title} (${path})` : title;
    let unique = named;
    for (let number = 2; taken.has(unique.toLowerCase()); number += 1) unique = `${named} ${number}`;
    taken.add(unique.toLowerCase());
    return unique;
  };
}

export type AttributeColumn = Readonly<ReturnType<typeof oldColumn>>;

export type AttributeColumns = Readonly<{
  columns: readonly AttributeColumn[];
  /** Beyond the limit: they share the last column. */
  spilled: readonly AttributeColumn[];
}>;

/** `path` joins lists by `[]`: `summary.interior.appliances[].recallData`. */
export type ListLayout = AttributeColumns &
  Readonly<{
    path: string;
    sheet: string;
  }>;

/** First the columns of earlier workbooks, then known ones in document order, then unknown ones. */
export interface Layout extends AttributeColumns {
  readonly lists: readonly ListLayout[];
}

/** Less than Excel's 16,384: a map with ids as keys must not fill it. */
const ATTRIBUTE_COLUMNS_MAX = 4000;

const LIST_SHEETS_MAX = 150;

export const SPILLED_TITLE = 'Further attributes';

interface Seen {
  readonly value: FlatValue;
  counted: boolean;
  longest: number;
}

class Table {
  readonly seen = new Map<string, Seen>();
  readonly index;

  constructor(attributes: readonly SummaryAttribute[]) {
    this.index = catalogIndex(attributes);
  }

  add(record: FlatRecord) {
    for (const value of record.values.values()) {
      const entry = this.seen.get(value.path) ?? { value, counted: false, longest: 0 };
      this.seen.set(value.path, entry);
      entry.counted ||= value.counted;
      entry.longest = Math.max(entry.longest, lengthOf(value.leaf));
    }
  }

  inOrder() {
    const positionOf = ({ value: { attribute } }: Seen) =>
      (attribute && this.index.attributes.get(attribute.path)?.position) ?? Number.MAX_SAFE_INTEGER;
    const keyOf = ({ value: { attribute, key } }: Seen) => {
      const listed = key === null ? 0 : (attribute?.keys ?? []).indexOf(key);
      return listed === -1 ? Number.MAX_SAFE_INTEGER : listed;
    };
    return [...this.seen.values()].toSorted((a, b) => positionOf(a) - positionOf(b) || keyOf(a) - keyOf(b));
  }
}

export class LayoutCollector {
  readonly #results = new Table(SUMMARY_CATALOG);
  readonly #lists = new Map<string, Table>();

  add(record: FlatRecord) {
    this.#results.add(record);
    this.#addLists(record, '');
  }

  #addLists(record: FlatRecord, parent: string) {
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
   * `fixedTitles` and `keyTitles`: of columns before the attributes, on `Results` and on lists. Columns of `earlier`
   * workbooks stay even without values.
   */
  layout(
    fixedTitles: readonly string[],
    keyTitles: (listPath: string) => readonly string[],
    earlier: readonly ResultColumn[] = [],
  ): Layout {
    const taken = reservedSheetNames();
    const sheets = new Map(earlier.map(({ list, sheet }) => [list, sheet]));
    for (const name of sheets.values()) taken.add(name.toLowerCase());
    const order = Object.keys(listSheets()).toReversed();
    const known = (list: string) => earlier.filter((column) => column.list === list);
    return {
      ...columnsOf(this.#results, known(''), titlesBesides(fixedTitles), 'onResults'),
      lists: [...this.#lists]
        .toSorted(([a], [b]) => order.indexOf(b) - order.indexOf(a))
        .map(([path, table]) => {
          const columns = columnsOf(table, known(path), titlesBesides(keyTitles(path)), 'onList');
          const sheet = sheets.get(path) ?? listSheets()[path]?.sheet;
          return { path, sheet: sheet ?? validSheetName(upperFirst(lastWords(path)), taken), ...columns };
        }),
    };
  }
}

function columnsOf(
  table: Table,
  earlier: readonly ResultColumn[],
  titleFor: UniqueTitle,
  naming: 'onResults' | 'onList',
) {
  const old = earlier.map((column) => oldColumn(column, table, titleFor));
  const places = new Set(earlier.map(({ path }) => path));
  const added = table.inOrder().flatMap(({ value: { path, attribute, key }, counted, longest }) => {
    if (places.has(path)) return [];
    const { group, [naming]: composed } = columnTitle({ path, attribute, key }, table.index);
    return [{ path, title: titleFor(composed, path), group, attribute, key, counted, longest, added: true }];
  });
  const columns = [...old, ...added];
  return { columns: columns.slice(0, ATTRIBUTE_COLUMNS_MAX), spilled: columns.slice(ATTRIBUTE_COLUMNS_MAX) };
}

function oldColumn({ path, keyedBy, title, group }: ResultColumn, table: Table, titleFor: UniqueTitle) {
  const seen = table.seen.get(path);
  const attribute = table.index.attributes.get(keyedBy ?? path)?.attribute;
  return {
    path,
    title: titleFor(title, path),
    group,
    attribute,
    key: keyedBy === null || attribute === undefined ? null : path.slice(keyedBy.length + 1),
    counted: seen?.counted ?? attribute?.type === 'objects',
    /** Roughly, in characters. */
    longest: seen?.longest ?? 0,
    added: false,
  };
}

export function columnsOnRecord({ columns, spilled, lists }: Layout) {
  const recorded = (list: string, sheet: string, table: AttributeColumns) =>
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

function lengthOf(leaf: FlatValue['leaf']) {
  if (Array.isArray(leaf)) return leaf.reduce<number>((sum, entry) => sum + String(entry).length + 2, 0);
  return leaf === null ? 1 : String(leaf).length;
}

const CONDITION_WORDS = [
  { word: 'Poor', emphasis: 'alarm' },
  { word: 'Fair', emphasis: 'warning' },
] as const;

export const NOT_LISTED = 'The service’s document does not list it; shown as received.';
const VALUES_IN_NOTE_MAX = 8;

function headerNote({ attribute, path }: AttributeColumn) {
  if (attribute === undefined) return `${NOT_LISTED}\nSource: ${path}`;
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

export function attributeColumns(
  { columns, spilled }: AttributeColumns,
  groupOf: (column: AttributeColumn) => string,
): SheetColumn[] {
  return [
    ...columns.map((column) => ({
      title: column.title,
      width: columnWidth(column),
      group: groupOf(column),
      note: headerNote(column),
      ...(column.attribute?.values?.includes('Poor') && { coloredWords: CONDITION_WORDS }),
    })),
    ...(spilled.length === 0 ? [] : [{ title: SPILLED_TITLE, width: 40, group: SPILLED_TITLE }]),
  ];
}

const WIDTH_MIN = 10;
export const COLUMN_WIDTH_MAX = 44;
const BUTTON = 3;

function columnWidth({ title, longest, attribute }: AttributeColumn) {
  const header = Math.max(
    Math.ceil((title.length + 2) / 3) + BUTTON,
    ...title.split(' ').map((word) => word.length + BUTTON),
  );
  const values = attribute?.unit === 'epoch seconds' ? 16 : longest;
  return Math.min(COLUMN_WIDTH_MAX, Math.max(WIDTH_MIN, header, values + 2));
}

export function itemName(path: string) {
  return listSheets()[path]?.one ?? upperFirst(lastWords(path));
}

function lastWords(path: string) {
  return plainName(stepsOf(path.replaceAll('[]', '')).at(-1) ?? '');
}
