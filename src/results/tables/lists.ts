import { attributeCells, count } from '../cells.ts';
import { attributeColumns, itemName, type Layout, type ListLayout } from '../columns.ts';
import { type FlatRecord, isReferenceList } from '../flatten.ts';
import type { JudgedProject } from '../model.ts';
import { HOUSE_COLUMNS, houseCells, KEY_COLUMN_COUNT, KEY_SHEET_COLUMNS, keyCells, linkTo } from './project-columns.ts';
import type { Cell, SheetColumn, SheetWriter, WorkbookWriter } from '../workbook-writer.ts';

function listChain(path: string): string[] {
  const steps = path.split('[].');
  return steps.map((_, index) => steps.slice(0, index + 1).join('[].'));
}

/** `Appliance no.`, `Recall no.`. */
function positionTitles(path: string): string[] {
  return listChain(path).map((list) => `${itemName(list)} no.`);
}

const REPORT_COLUMN = { title: 'Report', width: 34, group: 'Order' } as const;

export function listKeyTitles(path: string): string[] {
  return [
    ...KEY_SHEET_COLUMNS.map(({ title }) => title),
    ...positionTitles(path),
    ...HOUSE_COLUMNS.map(({ title }) => title),
    REPORT_COLUMN.title,
  ];
}

interface Holder {
  readonly key: readonly (Cell | undefined)[];
  readonly house: readonly (Cell | undefined)[];
  readonly photos: ReadonlyMap<string, string>;
}

/** A sheet per list of objects: one row per item, keyed by project and position. */
export class ListSheets {
  readonly #sheets: ReadonlyMap<string, { readonly layout: ListLayout; readonly sheet: SheetWriter }>;

  constructor(workbook: WorkbookWriter, layout: Layout) {
    this.#sheets = new Map(
      layout.lists.map((list) => [
        list.path,
        {
          layout: list,
          sheet: workbook.sheet({
            name: list.sheet,
            kind: 'table',
            frozenColumns: KEY_COLUMN_COUNT,
            columns: listColumns(list),
            tabColour: '7F7F7F',
          }),
        },
      ]),
    );
  }

  async write(judged: JudgedProject): Promise<void> {
    if (judged.record.lists.size === 0) return;
    const photos = new Map(judged.project.photos.map(({ id, path }) => [id, path]));
    for (const report of judged.reports) {
      const house = [...houseCells(judged), linkTo(report)];
      await this.#writeLists(report.record, '', { key: keyCells(judged), house, photos });
    }
  }

  async #writeLists(holder: FlatRecord, parent: string, { key, house, photos }: Holder): Promise<void> {
    for (const list of holder.lists.values()) {
      const path = parent + list.path;
      const written = this.#sheets.get(path);
      for (const [index, item] of list.items.entries()) {
        const itemKey = [...key, count(index + 1)];
        await written?.sheet.row([...itemKey, ...house, ...itemCells(item, written.layout, photos)]);
        await this.#writeLists(item, `${path}[].`, { key: itemKey, house, photos });
      }
    }
  }
}

function listColumns(list: ListLayout): SheetColumn[] {
  return [
    ...KEY_SHEET_COLUMNS,
    ...positionTitles(list.path).map((title) => ({ title, width: Math.max(10, title.length + 1), group: 'Order' })),
    ...HOUSE_COLUMNS,
    REPORT_COLUMN,
    ...attributeColumns(list, () => 'Item'),
  ];
}

/** Texts may wrap; images link to the first one in the delivery. */
function itemCells(item: FlatRecord, layout: ListLayout, photos: ReadonlyMap<string, string>): (Cell | undefined)[] {
  return attributeCells(item, layout, (cell, { attribute, path }) => {
    if (cell.format !== 'text') return cell;
    const leaf = item.values.get(path)?.leaf;
    const images = isReferenceList(attribute) && Array.isArray(leaf) ? leaf : [];
    const link = images.map((id) => photos.get(String(id).split(' ')[0] ?? '')).find((photo) => photo !== undefined);
    return { ...cell, format: 'wrapped', link };
  });
}
