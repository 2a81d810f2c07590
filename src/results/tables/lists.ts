import { attributeCell, attributeCells, count } from '../cell-values.ts';
import { attributeColumns, itemName, type Layout, type ListLayout } from './attribute-columns.ts';
import { type FlatRecord, type FlatValue, isReferenceList } from '../flatten.ts';
import type { JudgedProject } from '../model.ts';
import type { Cell, WorkbookWriter } from '../workbook-types.ts';
import { HOUSE_COLUMNS, KEY_COLUMNS, reportLink, orderColumn } from './project-columns.ts';
import { type Column, type Table, tableWriter } from './table.ts';

function listChain(path: string) {
  const steps = path.split('[].');
  return steps.map((_, index) => steps.slice(0, index + 1).join('[].'));
}

/** `Appliance no.`, `Recall no.`. */
function positionTitles(path: string) {
  return listChain(path).map((list) => `${itemName(list)} no.`);
}

export function listKeyTitles(path: string): string[] {
  return keyColumns(path).map(({ title }) => title);
}

const POOLS = 'summary.exterior.pool';

/** Around all pools of a house. */
const BARRIERS = [
  ['Fence', 'summary.bldg.hasFence'],
  ['Pool without a fence', 'summary.exterior.hasPoolWithoutFence'],
  ['Self-latching gate', 'summary.exterior.hasPoolSelfLatchingGate'],
].map(([title = '', path = '']) =>
  orderColumn(
    title,
    12,
    (value: FlatValue | undefined) => value && attributeCell(value.leaf, value),
    ({ report }: ListItem) => report.record.values.get(path),
  ),
);

interface ListItem extends Pick<JudgedProject, 'project'> {
  readonly report: JudgedProject['reports'][number];
  /** From 1; of the lists around it, then its own. */
  readonly positions: readonly number[];
  readonly item: FlatRecord;
  /** Paths by id. */
  readonly photos: ReadonlyMap<string, string>;
}

function keyColumns(path: string): readonly Column<ListItem>[] {
  return [
    ...KEY_COLUMNS,
    ...positionTitles(path).map((title, index) =>
      orderColumn(title, Math.max(10, title.length + 1), count, ({ positions }: ListItem) => positions[index]),
    ),
    ...HOUSE_COLUMNS,
    orderColumn('Report', 34, reportLink, ({ report }) => report),
    ...(path === POOLS ? BARRIERS : []),
  ];
}

function listTable(list: ListLayout): Table<ListItem> {
  return {
    name: list.sheet,
    frozenColumns: KEY_COLUMNS.length,
    tabColor: '7F7F7F',
    columns: keyColumns(list.path),
    attributes: {
      columns: attributeColumns(list, () => 'Item'),
      cells: ({ item, photos }) => itemCells(item, list, photos),
    },
  };
}

export class ListTables {
  readonly #writers: ReadonlyMap<string, (item: ListItem) => Promise<void>>;

  constructor(workbook: WorkbookWriter, { lists }: Layout) {
    this.#writers = new Map(lists.map((list) => [list.path, tableWriter(workbook, listTable(list))]));
  }

  async write({ project, record, reports }: JudgedProject): Promise<void> {
    if (record.lists.size === 0) return;
    const photos = new Map(project.photos.map(({ id, path }) => [id, path]));
    for (const report of reports)
      await this.#writeLists({ project, report, positions: [], item: report.record, photos }, '');
  }

  async #writeLists(holder: ListItem, parent: string) {
    for (const list of holder.item.lists.values()) {
      const path = parent + list.path;
      for (const [index, item] of list.items.entries()) {
        const row = { ...holder, item, positions: [...holder.positions, index + 1] };
        await this.#writers.get(path)?.(row);
        await this.#writeLists(row, `${path}[].`);
      }
    }
  }
}

/** Images link to the first one in the delivery. */
function itemCells(item: FlatRecord, layout: ListLayout, photos: ReadonlyMap<string, string>): (Cell | undefined)[] {
  return attributeCells(item, layout, (cell, { attribute, path }) => {
    if (cell.format !== 'text') return cell;
    const leaf = item.values.get(path)?.leaf;
    const images = isReferenceList(attribute) && Array.isArray(leaf) ? leaf : [];
    const link = images.map((id) => photos.get(String(id).split(' ')[0] ?? '')).find((photo) => photo !== undefined);
    return { ...cell, format: 'wrapped', link };
  });
}
