import { attributeCell, attributeCells } from '../table-cells.ts';
import { attributeColumns, itemName, type Layout, type ListLayout } from './report-columns.ts';
import { type FlatRecord, type FlatValue, referencedIds } from '../flatten.ts';
import type { JudgedProject } from '../model.ts';
import { type WorkbookWriter, count } from '../workbook.ts';
import { type Column, column, type Table, tableWriter } from './table.ts';
import { HOUSE_COLUMNS, groupColumns, KEY_COLUMNS, reportLink } from './shared-columns.ts';

export function listKeyTitles(path: string) {
  return keyColumns(path).map(({ title }) => title);
}

const POOLS = 'summary.exterior.pool';

const BARRIERS = [
  ['Fence', 'summary.bldg.hasFence'],
  ['Pool without a fence', 'summary.exterior.hasPoolWithoutFence'],
  ['Self-latching gate', 'summary.exterior.hasPoolSelfLatchingGate'],
].map(([title = '', path = '']) =>
  column(
    title,
    12,
    (value: FlatValue | undefined) => value && attributeCell(value.leaf, value),
    ({ report }: ListItem) => report.record.values.get(path),
  ),
);

type ListItem = Pick<JudgedProject, 'project'> &
  Readonly<{
    report: JudgedProject['reports'][number];
    /** From 1; of the lists around it, then its own. */
    positions: readonly number[];
    item: FlatRecord;
    photos: ReadonlyMap<string, string>;
  }>;

function keyColumns(path: string): readonly Column<ListItem>[] {
  const steps = path.split('[].');
  return groupColumns('Order', [
    ...KEY_COLUMNS,
    ...steps.map((_, index) => {
      const title = `${itemName(steps.slice(0, index + 1).join('[].'))} no.`;
      return column(title, Math.max(10, title.length + 1), count, ({ positions }: ListItem) => positions[index]);
    }),
    ...HOUSE_COLUMNS,
    column('Report', 34, reportLink, 'report'),
    ...(path === POOLS ? BARRIERS : []),
  ]);
}

function listTable(list: ListLayout): Table<ListItem> {
  return {
    name: list.sheet,
    frozenColumns: KEY_COLUMNS.length,
    tabColor: '7F7F7F',
    columns: keyColumns(list.path),
    attributes: {
      columns: attributeColumns(list, () => 'Item'),
      cells: ({ item, photos }) =>
        attributeCells(item, list, (cell, { attribute, path }) => {
          if (cell.format !== 'text') return cell;
          const images = referencedIds({ attribute, leaf: item.values.get(path)?.leaf ?? null });
          const link = images.map((id) => photos.get(id)).find((photo) => photo !== undefined);
          return { ...cell, format: 'wrapped', link };
        }),
    },
  };
}

export function listWriter(workbook: WorkbookWriter, { lists }: Layout) {
  const writers = new Map(lists.map((list) => [list.path, tableWriter(workbook, listTable(list))]));
  const write = async (holder: ListItem, parent: string) => {
    for (const list of holder.item.lists.values()) {
      const path = parent + list.path;
      for (const [index, item] of list.items.entries()) {
        const row = { ...holder, item, positions: [...holder.positions, index + 1] };
        await writers.get(path)?.(row);
        await write(row, `${path}[].`);
      }
    }
  };
  return async ({ project, record, reports }: JudgedProject) => {
    if (record.lists.size === 0) return;
    const photos = new Map(project.photos.map(({ id, path }) => [id, path]));
    for (const report of reports) await write({ project, report, positions: [], item: report.record, photos }, '');
  };
}
