import { SERVER_KINDS, REQUESTS_AT_ONCE } from '../test/support/limited-servers.ts';
import { type PacedRun, runFixed, runPaced } from '../test/support/paced-run.ts';
import { atMost, count, printTable, printTargets, times } from './measure/table.ts';
import type { BenchOptions, Growing } from './options.ts';

/** Six kinds of server that say nothing of their limits, on a virtual clock: requests wasted, and the finish against the best possible. */
export async function benchPacing({ rounds }: BenchOptions): Promise<Growing> {
  const rows: string[][] = [];
  let worstWaste = 0;
  let worstFinish = 0;
  for (const kind of SERVER_KINDS) {
    const firsts: PacedRun[] = [];
    const seconds: PacedRun[] = [];
    for (let seed = 1; seed <= rounds; seed += 1) {
      const first = await runPaced(kind, { seed });
      firsts.push(first);
      seconds.push(await runPaced(kind, { seed: seed + 1000, hint: first.learnt }));
    }
    const fixed = await runFixed(kind, { seed: 1 });
    for (const run of [...firsts, ...seconds]) {
      worstWaste = Math.max(worstWaste, run.waste);
      worstFinish = Math.max(worstFinish, run.timesBest);
    }
    rows.push([
      kind.name,
      count(kind.orders),
      minutes(kind.bestMs),
      ...shown(worst(firsts)),
      ...shown(worst(seconds)),
      ...shown(fixed),
    ]);
  }
  printTable(
    `pacing: ${REQUESTS_AT_ONCE} at once, 50 ms an answer, on a virtual clock; the worst of ${rounds} nights each`,
    ['server', 'orders', 'best', 'wasted', '', '× best', '2nd night', '', '× best', 'fixed', '', '× best'],
    rows,
  );
  printTargets([
    atMost('requests wasted: at most 15 %', worstWaste, 0.15, percent),
    atMost('finish: at most 1.15 × the best possible', worstFinish, 1.15, times),
  ]);
  return {};
}

function worst(runs: readonly PacedRun[]): PacedRun {
  const [first] = runs.toSorted((a, b) => b.waste + b.timesBest - a.waste - a.timesBest);
  if (first === undefined) throw new Error('there was no round');
  return first;
}

function shown({ wasted, waste, timesBest }: PacedRun): string[] {
  return [count(wasted), percent(waste), timesBest.toFixed(3)];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function minutes(ms: number): string {
  return `${(ms / 60_000).toFixed(1)} min`;
}
