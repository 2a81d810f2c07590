import { execFile } from 'node:child_process';
import { cp, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { everyKindOfValue, type Seen } from '../../support/catalog-values.ts';
import { projectWith, sampleInput } from '../../support/full-summary.ts';
import { writeResults } from '../../../src/results/write-results.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWhole } from '../../end-to-end/delivery-archive.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { SAMPLES } from '../../support/command-line.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { neededProgram } from '../../end-to-end/needed-program.ts';
import { summaryOf } from '../../end-to-end/summary.ts';

const soffice = neededProgram('soffice');
const run = promisify(execFile);
const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;

/** All sheets as CSV: comma, quotes, UTF-8, cells as shown, one file a sheet. */
const ALL_SHEETS = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1';

describe.skipIf(soffice.mayBeSkipped)(`${soffice.note}LibreOffice, opening our workbooks`, () => {
  test('shows every attribute at the place that Fields names', async () => {
    await using folder = await temporaryFolder();
    const { summaries, expectations } = everyKindOfValue();
    await writeResults(
      { xlsx: join(folder.path, 'results.xlsx') },
      sampleInput(summaries.map((summary, index) => projectWith(summary, { projectId: `p${index}` }))),
    );
    await run(
      soffice.path,
      [
        `-env:UserInstallation=file://${join(folder.path, 'profile')}`,
        '--headless',
        '--convert-to',
        ALL_SHEETS,
        '--outdir',
        join(folder.path, 'csv'),
        join(folder.path, 'results.xlsx'),
      ],
      { timeout: 150_000 },
    );
    const sheets = new Map<string, string[][]>();
    for (const file of await readdir(join(folder.path, 'csv')))
      sheets.set(
        file.slice('results-'.length, -'.csv'.length),
        parse(await readFile(join(folder.path, 'csv', file), 'utf8'), { bom: true, relax_column_count: true }),
      );
    const [titles = [], ...fields] = sheets.get('Fields') ?? [];
    const places = new Map(
      fields.map((row) => [
        row[titles.indexOf('Source')] ?? '',
        { sheet: row[titles.indexOf('Sheet')] ?? '', column: row[titles.indexOf('Column')] ?? '' },
      ]),
    );
    const wrong: unknown[] = [];
    for (const { project, source, positions, seen } of expectations) {
      const place = places.get(source);
      const [header = [], ...rows] = sheets.get(place?.sheet ?? '') ?? [];
      const keys = header.flatMap((title, column) =>
        title === 'Project ID' || title.endsWith(' no.') ? [column] : [],
      );
      const key = [`p${project}`, ...positions].join(' ');
      const shown = rows.find((row) => keys.map((column) => row[column]).join(' ') === key)?.[
        header.indexOf(place?.column ?? '')
      ];
      if (!isShown(shown ?? '', seen)) wrong.push({ source, project, positions, seen, shown });
    }
    expect(wrong.slice(0, 10)).toEqual([]);
    expect(sheets.size).toBeGreaterThan(14);
  });

  test('prints the workbooks of a night and the template as PDFs', async () => {
    await using folder = await temporaryFolder();
    await using sandbox = await startSandboxHere();
    await using workspace = await temporaryWorkspace({ env: sandbox.lines });
    await cp(join(SAMPLES, '04-corrections.xlsx'), join(workspace.inbox, 'orders of today.xlsx'));
    const call = async (command: string) =>
      summaryOf(await callHere([command, '--workspace', workspace.path, '--json']));
    const { delivery: first } = await call('submit');
    await sandbox.advance(FIFTEEN_DAYS_S);
    const { delivery: last } = await call('collect');
    const template = join(folder.path, 'template.xlsx');
    expect((await callHere(['template', template])).code).toBe(0);
    const workbooks = [workspace.at(first?.orders ?? ''), workspace.at(last?.workbook ?? ''), template];
    await run(
      soffice.path,
      [
        `-env:UserInstallation=file://${join(folder.path, 'profile')}`,
        '--headless',
        '--convert-to',
        'pdf',
        '--outdir',
        folder.path,
        ...workbooks,
      ],
      { timeout: 150_000 },
    );
    for (const path of workbooks)
      expect([
        path,
        isWhole('a.pdf', await readFile(join(folder.path, basename(path).replace('.xlsx', '.pdf')))),
      ]).toEqual([path, true]);
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
