import exceljs from 'exceljs';

/** A sheet as its reader sees it: a header, and rows keyed by it. */
export interface SheetTable {
  readonly name: string;
  readonly titles: readonly string[];
  readonly rows: readonly ReadonlyMap<string, exceljs.CellValue>[];
  /** Where the links of its cells lead. */
  readonly links: readonly string[];
}

/** Reads a whole workbook with a library that took no part in writing its cells' texts; every sheet by name, the header in row 1, or below a title where the row keys are. */
export async function readTables(path: string): Promise<ReadonlyMap<string, SheetTable>> {
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  return new Map(workbook.worksheets.map((sheet) => [sheet.name, tableOf(sheet)]));
}

function tableOf(sheet: exceljs.Worksheet): SheetTable {
  const titles: string[] = [];
  const rows: Map<string, exceljs.CellValue>[] = [];
  const links: string[] = [];
  const header =
    [1, 2, 3, 4, 5].find((rowNumber) => (sheet.getRow(rowNumber).values as readonly unknown[]).includes('_row')) ?? 1;
  sheet.eachRow((row, rowNumber) => {
    if (rowNumber < header) return;
    const held = new Map<string, exceljs.CellValue>();
    row.eachCell((cell, column) => {
      if (rowNumber === header) titles[column - 1] = cell.text;
      const { value } = cell;
      if (value !== null && typeof value === 'object' && 'hyperlink' in value) {
        links.push(value.hyperlink);
        held.set(titles[column - 1] ?? '', value.text);
      } else held.set(titles[column - 1] ?? '', value);
    });
    if (rowNumber > header) rows.push(held);
  });
  return { name: sheet.name, titles, rows, links };
}

/** A cell as text: what a person would compare. */
export function cellText(value: exceljs.CellValue | undefined): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
