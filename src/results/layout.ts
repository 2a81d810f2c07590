import type { SummaryAttribute } from '../contract/catalogue-types.ts';
import { SUMMARY_CATALOGUE } from '../contract/summary-catalogue.ts';
import { type CatalogueIndex, catalogueIndex } from './catalogue-index.ts';
import { capitalised, UniqueTitles, unknownName, wordsOf } from './column-title.ts';
import type { ResultColumn } from '../domain/result-column.ts';
import type { FlatRecord, FlatValue } from './flatten.ts';
import { byListOrder, FIXED_SHEETS, listSheetName, reservedSheetNames } from './list-sheets.ts';

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
  layout(fixedTitles: readonly string[], keyTitles: (listPath: string) => readonly string[], earlier: readonly ResultColumn[] = []): Layout {
    const taken = reservedSheetNames();
    const sheets = new Map(earlier.map(({ list, sheet }) => [list, sheet]));
    for (const name of sheets.values()) taken.add(name.toLowerCase());
    const known = (list: string) => earlier.filter((column) => column.list === list);
    return {
      ...columnsOf(this.#results, known(''), new UniqueTitles([...fixedTitles, SPILLED_TITLE]), 'with group'),
      lists: [...this.#lists.keys()].toSorted(byListOrder).flatMap((path) => {
        const table = this.#lists.get(path);
        if (table === undefined) return [];
        const columns = columnsOf(table, known(path), new UniqueTitles([...keyTitles(path), SPILLED_TITLE]), 'without group');
        return [{ path, sheet: sheets.get(path) ?? listSheetName(path, taken), ...columns }];
      }),
    };
  }
}

function columnsOf(table: Table, earlier: readonly ResultColumn[], titles: UniqueTitles, naming: 'with group' | 'without group'): TableLayout {
  const old = earlier.map((column) => oldColumn(column, table, titles));
  const places = new Set(earlier.map(({ path }) => path));
  const added = table.inOrder().flatMap(({ value: { path, attribute, key }, counted, longest }) => {
    if (places.has(path)) return [];
    const { group, name } = nameOf(path, attribute, key, table.index);
    const title = titles.take(naming === 'with group' ? `${group}: ${name}` : capitalised(name), path);
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
    [...table.columns, ...table.spilled].map(({ path, title, group, attribute, key }) => ({ list, path, keyedBy: key === null ? null : (attribute?.path ?? null), title, group, sheet }));
  return [...recorded('', FIXED_SHEETS.results, { columns, spilled }), ...lists.flatMap((list) => recorded(list.path, list.sheet, list))];
}

/** The group and the name of an attribute, which make the title of its column. */
export function nameOf(path: string, attribute: SummaryAttribute | undefined, key: string | null, index: CatalogueIndex) {
  if (attribute === undefined) return unknownName(path, index);
  const name = attribute.title.startsWith(`${attribute.group}: `) ? attribute.title.slice(attribute.group.length + 2) : attribute.title;
  return { group: attribute.group, name: key === null ? name : `${name}, ${wordsOf(key)}` };
}

function lengthOf(leaf: FlatValue['leaf']): number {
  if (Array.isArray(leaf)) return leaf.reduce<number>((sum, entry) => sum + String(entry).length + 2, 0);
  return leaf === null ? 1 : String(leaf).length;
}

/** Infinity − Infinity is no number. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
