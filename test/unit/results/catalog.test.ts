import { join } from 'node:path';
import exceljs, { type Cell } from 'exceljs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { allSources, everyKindOfValue, type Seen } from '../../support/catalog-values.ts';
import { projectWith, sampleInput } from '../../support/full-summary.ts';
import { writeResults } from '../../../src/results/write-results.ts';

/** Read back by a library that took no part in the writing: cells by sheet, column title and what keys their row. */
async function readBack(path: string) {
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  const sheets = new Map(
    workbook.worksheets.map((sheet) => {
      const titles = ((sheet.getRow(1).values ?? []) as unknown[]).map(String);
      const keys = titles.flatMap((title, column) =>
        title === 'Project ID' || title.endsWith(' no.') ? [column] : [],
      );
      const rows = new Map<string, number>();
      sheet.eachRow((row, number) => rows.set(keys.map((column) => row.getCell(column).text).join(' '), number));
      return [sheet.name, { sheet, titles, rows }] as const;
    }),
  );
  const fields = new Map<string, { sheet: string; column: string }>();
  const listed = sheets.get('Fields');
  listed?.sheet.eachRow((row) => {
    const cell = (title: string): string => row.getCell(listed.titles.indexOf(title)).text;
    fields.set(cell('Source'), { sheet: cell('Sheet'), column: cell('Column') });
  });
  /** The cell of a source, where Fields says that it stands. */
  const find = (source: string, key: string): Cell | null => {
    const field = fields.get(source);
    const there = sheets.get(field?.sheet ?? '');
    const column = there?.titles.indexOf(field?.column ?? '') ?? -1;
    const row = there?.rows.get(key);
    return there === undefined || column < 1 || row === undefined ? null : there.sheet.getCell(row, column);
  };
  return { fields, find };
}

test('writeResults shows every kind of value at the place Fields names', async () => {
  await using folder = await temporaryFolder();
  const { summaries, expectations } = everyKindOfValue();
  const path = join(folder.path, 'results.xlsx');
  await writeResults(
    { xlsx: path },
    sampleInput(summaries.map((summary, index) => projectWith(summary, { projectId: `p${index}` }))),
  );
  const { fields, find } = await readBack(path);
  expect([...fields.keys()]).toEqual(expect.arrayContaining([...allSources()]));
  const wrong: unknown[] = [];
  for (const { project, source, positions, seen } of expectations) {
    const cell = find(source, [`p${project}`, ...positions].join(' '));
    // Only what is nowhere may have no place.
    if (!isSame(cell?.value ?? null, seen) || (cell === null && seen !== null))
      wrong.push({ source, project, positions, seen, shown: cell?.value });
  }
  expect(wrong.slice(0, 10)).toEqual([]);
  // Many more than there are attributes: a fixture that lost its values would pass everything above.
  expect(expectations.filter(({ seen }) => seen !== null).length).toBeGreaterThan(allSources().length * 4);
});

function isSame(value: unknown, seen: Seen): boolean {
  if (seen instanceof Date) return value instanceof Date && value.getTime() === seen.getTime();
  return value === seen;
}
