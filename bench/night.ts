import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BIN } from '../test/support/command-line.ts';
import { startSandboxProcess } from '../test/support/sandbox-process.ts';
import { interleaved, type Measured } from './measure/measured.ts';
import { runTree } from './measure/process-tree.ts';
import {
  atMost,
  count,
  megabytes,
  printTable,
  printTargets,
  TIME_AND_MEMORY_HEAD,
  timeAndMemory,
} from './measure/table.ts';
import { tempFolder } from './measure/temp-folder.ts';
import type { BenchOptions, Growing } from './options.ts';
import { writeOrdersWorkbook } from './orders.ts';

const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;
const PEAK_MB_MAX = 250;

/**
 * Two nights of the built command (`npm run build` first) against a sandbox in a process of its own, as cron has them: in the first a workbook
 * of orders is taken in and sent; in the second its projects have come back, with reports, summaries and photos, and another workbook lies there.
 */
export async function benchNight({ rounds, rows = 400, isTenfold }: BenchOptions): Promise<Growing> {
  const firsts: Measured[] = [];
  const { second } = await interleaved(rounds, {
    second: async () => {
      const nights = await twoNights(rows);
      firsts.push(nights.first);
      return nights.second;
    },
  });
  const { first } = await interleaved(firsts.length, { first: async (round) => firsts[round] ?? second });
  printTable(
    `night: ${count(rows)} rows a workbook, the built command, all its processes added up`,
    ['night', ...TIME_AND_MEMORY_HEAD],
    Object.entries({ 'taken in and sent': first, 'the same, and reports collected': second }).map(
      ([name, measured]) => [name, ...timeAndMemory(measured)],
    ),
  );
  if (!isTenfold)
    printTargets([
      atMost(
        `memory of a usual night: at most ${PEAK_MB_MAX} MB`,
        Math.max(first.peakMb, second.peakMb),
        PEAK_MB_MAX,
        (mb) => `${megabytes(mb)} MB`,
      ),
    ]);
  return { 'a night': second };
}

async function twoNights(rows: number): Promise<{ readonly first: Measured; readonly second: Measured }> {
  await using folder = await tempFolder();
  const workspace = join(folder.path, 'w');
  await using sandbox = await startSandboxProcess();
  await mkdir(join(workspace, 'inbox'), { recursive: true });
  await writeFile(join(workspace, '.env'), sandbox.lines, { mode: 0o600 });
  await writeFile(join(workspace, 'config.yaml'), 'intake:\n  settleSeconds: 0\n');
  const night = async (): Promise<Measured> => runTree(BIN, ['run', '--workspace', workspace], [0, 3]);
  await writeOrdersWorkbook(join(workspace, 'inbox', 'first.xlsx'), rows);
  const first = await night();
  await sandbox.advance(FIFTEEN_DAYS_S);
  await writeOrdersWorkbook(join(workspace, 'inbox', 'second.xlsx'), rows, rows);
  return { first, second: await night() };
}
