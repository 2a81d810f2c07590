import { join } from 'node:path';
import { runSubject } from './measure/child.ts';
import { interleaved, type Measured } from './measure/measured.ts';
import {
  atLeast,
  atMost,
  count,
  megabytes,
  onlyAtSize,
  printTable,
  printTargets,
  TIME_AND_MEMORY_HEAD,
  timeAndMemory,
  times,
} from './measure/table.ts';
import { tempFolder } from './measure/temp-folder.ts';
import type { BenchOptions, Growing } from './options.ts';

const SUBJECTS = {
  make: new URL('./subjects/make-workbook.ts', import.meta.url),
  floor: new URL('./subjects/read-floor.ts', import.meta.url),
  ours: new URL('./subjects/read-ours.ts', import.meta.url),
  exceljs: new URL('./subjects/read-exceljs.ts', import.meta.url),
};

/** Of missed targets. */
const WHY_SLOWER =
  'Rows and shared texts in the usual form are matched by regular expressions in decoded text, because a scan of their bytes needed 25 KB more code; and each sheet is unpacked twice, since its merged cells are listed after its rows.';

/** A workbook with shared strings: our reader, the least that any reader must do, and exceljs's streaming reader. */
export async function benchReading({ rounds, rows = 20_000, isTenfold }: BenchOptions): Promise<Growing> {
  await using folder = await tempFolder();
  const path = join(folder.path, 'rows.xlsx');
  await runSubject(SUBJECTS.make, path, rows);
  const beside = { floor: () => runSubject(SUBJECTS.floor, path), ours: () => runSubject(SUBJECTS.ours, path) };
  const readings: Record<keyof typeof beside, Measured> & { readonly exceljs?: Measured } = isTenfold
    ? await interleaved(rounds, beside)
    : await interleaved(rounds, { ...beside, exceljs: () => runSubject(SUBJECTS.exceljs, path) });
  const { floor, ours, exceljs } = readings;
  const readers: Record<string, Measured> = {
    'inflate, look at every byte': floor,
    ours,
    ...(exceljs && { 'exceljs stream': exceljs }),
  };
  printTable(
    `reading: ${count(rows)} rows × 32, shared strings`,
    ['reader', ...TIME_AND_MEMORY_HEAD, '× floor', 'cells', 'cells with U+FFFD'],
    Object.entries(readers).map(([name, measured]) => [
      name,
      ...timeAndMemory(measured),
      times(measured.wallMs / floor.wallMs),
      measured.facts['cells'] === undefined ? '' : count(measured.facts['cells']),
      measured.facts['replaced'] === undefined ? '' : count(measured.facts['replaced']),
    ]),
  );
  printTargets([
    {
      ...atMost('at most 4.5 × the floor (stretch: 2.5 ×)', ours.wallMs / floor.wallMs, 4.5, times),
      why: WHY_SLOWER,
    },
    isTenfold
      ? atMost(
          'at most 450 MB at 1,000,000 rows (stretch: 350 MB)',
          ours.peakMb,
          450,
          (mb) => `${megabytes(mb)} MB at ${count(rows)}`,
        )
      : onlyAtSize(
          atMost(
            'at most 220 MB at 100,000 rows (stretch: 160 MB)',
            ours.peakMb,
            220,
            (mb) => `${megabytes(mb)} MB at ${count(rows)}`,
          ),
          rows >= 100_000,
        ),
    atMost('no U+FFFD', ours.facts['replaced'] ?? Number.NaN, 0, count),
  ]);
  if (exceljs !== undefined) {
    printTargets([
      {
        ...atLeast('at least 5 × as fast as exceljs stream (stretch: 10 ×)', exceljs.wallMs / ours.wallMs, 5, times),
        why: WHY_SLOWER,
      },
      {
        target: 'the same cells as exceljs',
        measured: count(ours.facts['cells'] ?? Number.NaN),
        met: ours.facts['cells'] === exceljs.facts['cells'],
      },
    ]);
  }
  return { 'reading a workbook': ours };
}
