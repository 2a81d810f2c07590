import { join } from 'node:path';
import { BIN } from '../test/support/command-line.ts';
import { layOutWorkspace, ledgerBytes, startControlledServer } from './large-nights.ts';
import { type Measured, medianOf } from './measure/measured.ts';
import { runTree } from './measure/process-tree.ts';
import {
  atMost,
  count,
  printTable,
  printTargets,
  TIME_AND_MEMORY_HEAD,
  timeAndMemory,
  times,
} from './measure/table.ts';
import { tempFolder } from './measure/temp-folder.ts';
import type { BenchOptions, Growing } from './options.ts';
import { writeOrdersCsv } from './orders.ts';

const NIGHTS = 30;
const DAY_S = 24 * 60 * 60;
/** The sandbox's projects take up to four days: from this night on as many come back as are ordered. */
const STEADY_FROM = 6;
/** So many nights are compared with so many: one alone would be chance. */
const COMPARED = 3;
const GROWTH_MAX = 1.1;
/** A look at all processes takes time itself. */
const LOOK_EVERY_MS = 100;

/** A month of the same night: as many new rows each time, of which as many come back some days later. What is on record grows, and a night must not. */
export async function benchGrowth({ rows = 300 }: BenchOptions): Promise<Growing> {
  await using folder = await tempFolder();
  await using sandbox = await startControlledServer();
  const workspace = join(folder.path, 'w');
  await layOutWorkspace(workspace, sandbox);
  const nights: { readonly measured: Measured; readonly requests: number; readonly bytes: number }[] = [];
  for (let night = 0; night < NIGHTS; night += 1) {
    await writeOrdersCsv(join(workspace, 'inbox', `night ${night + 1}.csv`), rows, { first: night * rows });
    const before = await requestsSoFar();
    const measured = await runTree(
      '/usr/bin/env',
      [`NODE_OPTIONS=${ahead(night)}`, BIN, 'run', '--workspace', workspace],
      [0, 3],
      LOOK_EVERY_MS,
    );
    nights.push({ measured, requests: (await requestsSoFar()) - before, bytes: ledgerBytes(workspace) });
    await sandbox.advance(DAY_S);
  }
  async function requestsSoFar(): Promise<number> {
    const { requests } = (await sandbox.control('audit')) as {
      readonly requests: Readonly<Record<string, Readonly<Record<string, number>>>>;
    };
    return Object.values(requests)
      .flatMap((outcomes) => Object.values(outcomes))
      .reduce((sum, times) => sum + times, 0);
  }
  const shown = [1, 2, 3, STEADY_FROM, 10, 15, 20, 25, NIGHTS];
  printTable(
    `growth: ${NIGHTS} nights of ${count(rows)} new rows each, all processes of a run added up`,
    ['night', ...TIME_AND_MEMORY_HEAD, 'requests', 'on record', 'ledger bytes an order'],
    shown.flatMap((night) => {
      const { measured, requests, bytes } = nights[night - 1] ?? {};
      return measured === undefined || bytes === undefined || requests === undefined
        ? []
        : [
            [
              String(night),
              ...timeAndMemory(measured),
              count(requests),
              count(night * rows),
              count(bytes / (night * rows)),
            ],
          ];
    }),
  );
  const from = (first: number): number =>
    medianOf(nights.slice(first - 1, first - 1 + COMPARED).map(({ measured }) => measured)).cpuMs;
  const [early, late] = [from(STEADY_FROM), from(NIGHTS - COMPARED + 1)];
  printTargets([
    atMost(
      `the last nights: at most ${GROWTH_MAX} × the processor time of nights ${STEADY_FROM} to ${STEADY_FROM + COMPARED - 1}`,
      late / early,
      GROWTH_MAX,
      times,
    ),
  ]);
  return {};
}

/** Starts Node with a clock that is so many days ahead: the command must believe that a night has passed. */
function ahead(days: number): string {
  return `--import=data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${days * DAY_S * 1000};`)}`;
}
