import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { everyKindOfValue, type Seen } from '../../support/catalogue-values.ts';
import { projectWith, sampleInput } from '../../support/full-summary.ts';
import { writeResultsWorkbook } from '../../../src/results/write-results.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWhole } from '../../end-to-end/delivery-archive.ts';
import { runToEnd } from '../../support/command-line.ts';
import { neededProgram } from '../../end-to-end/needed-program.ts';

const soffice = neededProgram('soffice');
const run = promisify(execFile);

/** All sheets as CSV: comma, quotes, UTF-8, cells as shown, one file a sheet. */
const ALL_SHEETS = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1';

describe.skipIf(soffice.mayBeSkipped)(`${soffice.note}the results workbook in LibreOffice`, () => {
  test('shows every attribute of the catalogue, with every kind of value, where Fields says it stands', async () => {
    await using folder = await temporaryFolder();
    const { summaries, expectations } = everyKindOfValue();
    await writeResultsWorkbook(join(folder.path, 'results.xlsx'), sampleInput(summaries.map((summary, index) => projectWith(summary, { projectId: `p${index}` }))));
    await run(soffice.path, [`-env:UserInstallation=file://${join(folder.path, 'profile')}`, '--headless', '--convert-to', ALL_SHEETS, '--outdir', join(folder.path, 'csv'), join(folder.path, 'results.xlsx')], { timeout: 150_000 });
    const sheets = new Map<string, string[][]>();
    for (const file of await readdir(join(folder.path, 'csv'))) sheets.set(file.slice('results-'.length, -'.csv'.length), parse(await readFile(join(folder.path, 'csv', file), 'utf8'), { bom: true, relax_column_count: true }));
    const [titles = [], ...fields] = sheets.get('Fields') ?? [];
    const places = new Map(fields.map((row) => [row[titles.indexOf('Source')] ?? '', { sheet: row[titles.indexOf('Sheet')] ?? '', column: row[titles.indexOf('Column')] ?? '' }]));
    const wrong: unknown[] = [];
    for (const { project, source, positions, seen } of expectations) {
      const place = places.get(source);
      const [header = [], ...rows] = sheets.get(place?.sheet ?? '') ?? [];
      const keys = header.flatMap((title, column) => (title === 'Project ID' || title.endsWith(' no.') ? [column] : []));
      const key = [`p${project}`, ...positions].join(' ');
      const shown = rows.find((row) => keys.map((column) => row[column]).join(' ') === key)?.[header.indexOf(place?.column ?? '')];
      if (!isShown(shown ?? '', seen)) wrong.push({ source, project, positions, seen, shown });
    }
    expect(wrong.slice(0, 10)).toEqual([]);
    expect(sheets.size).toBeGreaterThan(14);
  });

  test('the workbooks of a night and the template become whole PDFs', async () => {
    await using folder = await temporaryFolder();
    const workspace = join(folder.path, 'demo');
    const demo = await runToEnd(['demo', '--workspace', workspace], { cwd: folder.path });
    expect(demo.code).toBe(0);
    expect(demo.stdout.match(/^Night \d, /gm)).toHaveLength(3);
    for (const name of ['01-filled-template.xlsx', '02-agency-workbook.xlsx', '03-european-export.csv', '04-corrections.xlsx', '05-second-look.csv']) expect(demo.stdout).toContain(name);
    expect(demo.stdout.split('\n').length).toBeLessThan(30);
    expect(existsSync(resolve(folder.path, /^Results workbook\s+(\S.*)$/m.exec(demo.stdout)?.[1] ?? ''))).toBe(true);
    const names = await readdir(workspace, { recursive: true });
    const found = names.filter((name) => /(?:^|\/)(?:results|orders|inspection-orders-template)\.xlsx$/.test(name)).toSorted();
    // Of each kind the last: the night that has most to show.
    const workbooks = [...new Map(found.map((name) => [basename(name), name])).values()];
    expect(new Set(workbooks.map((name) => basename(name)))).toEqual(new Set(['results.xlsx', 'orders.xlsx', 'inspection-orders-template.xlsx']));
    for (const [index, name] of workbooks.entries()) {
      const pdfs = join(folder.path, String(index));
      await run(soffice.path, [`-env:UserInstallation=file://${join(folder.path, 'profile')}`, '--headless', '--convert-to', 'pdf', '--outdir', pdfs, join(workspace, name)], { timeout: 150_000 });
      expect(isWhole('a.pdf', await readFile(join(pdfs, basename(name).replace('.xlsx', '.pdf'))))).toBe(true);
    }
  });
});

/** Numbers are shown with separators, as percentages, or as ZIP codes. */
function isShown(shown: string, seen: Seen): boolean {
  if (seen === null) return shown === '';
  if (typeof seen === 'string') return shown === seen;
  if (seen instanceof Date) return shown.startsWith(seen.toISOString().slice(0, 10));
  const plain = Number(shown.replaceAll(',', '').replace('%', ''));
  return shown !== '' && Math.abs((shown.endsWith('%') ? plain / 100 : plain) - seen) <= Math.abs(seen) * 1e-9;
}
