import { join } from 'node:path';
import { runSubject } from './measure/child.ts';
import { interleaved } from './measure/measured.ts';
import { count, printTable, printTargets, TIME_AND_MEMORY_HEAD, timeAndMemory, times } from './measure/table.ts';
import { tempFolder } from './measure/temp-folder.ts';
import { writeOrdersCsv } from './orders.ts';
import type { BenchOptions, Growing } from './options.ts';

const SUBJECTS = {
  ours: new URL('./subjects/read-ours.ts', import.meta.url),
  csvParse: new URL('./subjects/read-csv-parse.ts', import.meta.url),
};

/** A CSV file: our reader, which sniffs and decodes as well, and csv-parse alone. */
export async function benchCsv({ rounds, rows = 50_000 }: BenchOptions): Promise<Growing> {
  await using folder = await tempFolder();
  const path = join(folder.path, 'rows.csv');
  await writeOrdersCsv(path, rows, { columns: 32 });
  const { ours, csvParse } = await interleaved(rounds, {
    csvParse: () => runSubject(SUBJECTS.csvParse, path),
    ours: () => runSubject(SUBJECTS.ours, path),
  });
  printTable(
    `csv: ${count(rows)} rows × 32`,
    ['reader', ...TIME_AND_MEMORY_HEAD, '× csv-parse', 'rows'],
    Object.entries({ 'csv-parse alone, arrays': csvParse, ours }).map(([name, measured]) => [
      name,
      ...timeAndMemory(measured),
      times(measured.wallMs / csvParse.wallMs),
      count(measured.facts['rows'] ?? Number.NaN),
    ]),
  );
  printTargets([
    {
      target: 'the same rows',
      measured: count(ours.facts['rows'] ?? Number.NaN),
      met: ours.facts['rows'] === csvParse.facts['rows'],
    },
  ]);
  return { 'reading a CSV file': ours };
}
