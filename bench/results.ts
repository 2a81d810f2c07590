import { join } from 'node:path';
import { runSubject } from './measure/child.ts';
import { interleaved } from './measure/measured.ts';
import {
  atLeast,
  atMost,
  count,
  megabytes,
  onlyAtSize,
  printTable,
  printTargets,
  seconds,
  TIME_AND_MEMORY_HEAD,
  timeAndMemory,
  times,
} from './measure/table.ts';
import { tempFolder } from './measure/temp-folder.ts';
import type { BenchOptions, Growing } from './options.ts';

const WRITE_RESULTS = new URL('./subjects/write-results.ts', import.meta.url);
const WRITE_OURS = new URL('./subjects/write-table-ours.ts', import.meta.url);
const WRITE_EXCELJS = new URL('./subjects/write-table-exceljs.ts', import.meta.url);

const USUAL_NIGHT = 500;
const COLUMNS = 200;

/** The results workbook of a usual night, every summary full; and a wide table by our writer and by exceljs's streaming writer, both styled. */
export async function benchResults({ rounds, projects = USUAL_NIGHT, rows = 2000 }: BenchOptions): Promise<Growing> {
  await using folder = await tempFolder();
  const path = (name: string): string => join(folder.path, `${name}.xlsx`);
  const night = await interleaved(rounds, { results: () => runSubject(WRITE_RESULTS, path('results'), projects) });
  printTable(
    `results: a workbook of ${count(projects)} projects with full summaries`,
    ['writer', ...TIME_AND_MEMORY_HEAD, 'columns'],
    [['writeResults', ...timeAndMemory(night.results), count(night.results.facts['columns'] ?? Number.NaN)]],
  );
  const limitMs = (3000 * projects) / USUAL_NIGHT;
  printTargets([
    atMost(
      `less than ${seconds(limitMs)} s of processor time for ${count(projects)} projects`,
      night.results.cpuMs,
      limitMs,
      (ms) => `${seconds(ms)} s`,
    ),
  ]);

  const table = await interleaved(rounds, {
    exceljs: () => runSubject(WRITE_EXCELJS, path('exceljs'), rows, COLUMNS),
    ours: () => runSubject(WRITE_OURS, path('ours'), rows, COLUMNS),
  });
  printTable(
    `results: a table of ${count(rows)} × ${COLUMNS}, styled`,
    ['writer', ...TIME_AND_MEMORY_HEAD, '× exceljs'],
    Object.entries({ 'exceljs stream, no shared strings': table.exceljs, ours: table.ours }).map(([name, measured]) => [
      name,
      ...timeAndMemory(measured),
      times(measured.cpuMs / table.exceljs.cpuMs),
    ]),
  );
  printTargets([
    atLeast(
      'never slower than exceljs stream (stretch: 5 × as fast)',
      table.exceljs.cpuMs / table.ours.cpuMs,
      1,
      times,
    ),
    onlyAtSize(
      atMost(
        'at most 500 MB at 20,000 × 200 (stretch: 130 MB)',
        table.ours.peakMb,
        500,
        (mb) => `${megabytes(mb)} MB at ${count(rows)}`,
      ),
      rows >= 20_000,
    ),
  ]);
  return { 'results workbook': night.results, 'a wide table': table.ours };
}
