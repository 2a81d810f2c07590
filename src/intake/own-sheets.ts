import { cellText } from './cells.ts';
import type { RowSource } from './readers/row-source.ts';

/** The hidden sheet that holds the lists of our drop-downs, and in its first cell what the workbook is. */
export const LISTS_SHEET = 'Lists';
export const GUIDE_SHEET = 'Guide';
export const PROBLEMS_SHEET = 'Problems';

/** Goes up when the template changes for those who fill it in; older ones are still read, by their titles. */
const TEMPLATE_VERSION = 2;

/** What stands in the first cell of the lists. */
export const TEMPLATE_MARK = `Template version ${String(TEMPLATE_VERSION)}`;
export const CORRECTIONS_MARK = 'Corrections workbook';

/** A workbook that began as one of ours. */
export interface OwnWorkbook {
  /** Sheets that are ours and hold no orders; nobody needs to be told that they were not read. */
  readonly sheets: ReadonlySet<string>;
  readonly notes: readonly string[];
}

/** Whether a file began as the intake template or as a corrections workbook; undefined where it did not. */
export async function ownWorkbook(source: RowSource): Promise<OwnWorkbook | undefined> {
  const lists = source.sheets.findIndex(({ name, visible }) => name === LISTS_SHEET && !visible);
  if (lists === -1) return undefined;
  for await (const { cells } of source.rows(lists)) {
    const mark = cellText(cells[0]);
    if (mark === CORRECTIONS_MARK) return { sheets: new Set([LISTS_SHEET, PROBLEMS_SHEET]), notes: [] };
    const version = /^Template version (\d{1,6})$/.exec(mark)?.[1];
    return version === undefined ? undefined : { sheets: new Set([LISTS_SHEET, GUIDE_SHEET]), notes: versionNotes(Number(version)) };
  }
  return undefined;
}

function versionNotes(version: number): string[] {
  if (version === TEMPLATE_VERSION) return [];
  const read = `The file was filled in on version ${String(version)} of the intake template and was read all the same`;
  return version < TEMPLATE_VERSION
    ? [`${read}; version ${String(TEMPLATE_VERSION)} is out: "inspection-batch template" writes it.`]
    : [`${read}, by a program that knows no version after ${String(TEMPLATE_VERSION)}: columns that came later are not known to it.`];
}
