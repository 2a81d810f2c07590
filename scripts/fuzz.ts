// Drops mutated files into intake and judges what comes of each: `npm run fuzz -- --count 100000 --seed 7`.
// `--only N` tries a single case of a seed, `--keep FILE` writes its file. Ends with code 1 where a promise was broken.
// A promise is: rows or a sentence, nothing sent otherwise than its cell holds it unless a repair says so, at most 5 s and 512 MB a file.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CaseOrder, CaseReport } from '../test/proof/fuzz/fuzz-worker.ts';
import { fuzzSeeds, mutatedFile } from '../test/proof/fuzz/mutated-file.ts';

const MS_MAX = 5_000;
const RSS_MAX = 512 * 1024 * 1024;
/** After so long without an answer, by the clock, a worker is killed and its case reported; a busy machine may need more than the 5 s of processor time. */
const SILENCE_MS_MAX = 6 * MS_MAX;
const DIED = 'the process died';
const WORKER = join(import.meta.dirname, '../test/proof/fuzz/fuzz-worker.ts');

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '2000' },
    seed: { type: 'string' },
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
    keep: { type: 'string' },
    workers: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const from = Number(values.only ?? values.from);
const end = values.only === undefined ? from + Number(values.count) : from + 1;
const workers = Number(values.workers ?? availableParallelism());
if (![seed, from, end, workers].every(Number.isSafeInteger))
  throw new Error('--count, --seed, --from, --only and --workers are whole numbers');

interface Failure {
  readonly index: number;
  readonly why: string;
}

const tally = {
  rows: 0,
  sentence: 0,
  midway: 0,
  orders: 0,
  rejections: 0,
  done: 0,
  slowest: { ms: 0, index: -1 },
  largest: { rss: 0, index: -1 },
};
const failures: Failure[] = [];
const seeds = fuzzSeeds();
const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
const started = Date.now();
let next = from;

/** Said at once as well: a long run may be stopped. */
function fail(failure: Failure): void {
  failures.push(failure);
  process.stderr.write(`${inWords(failure)}\n`);
}

function inWords({ index, why }: Failure): string {
  return `FAILED: npx node scripts/fuzz.ts --seed ${String(seed)} --only ${String(index)}\n  ${why}`;
}

function take(index: number, { verdict, ms, rss }: CaseReport): void {
  tally.done += 1;
  if (ms > tally.slowest.ms) tally.slowest = { ms, index };
  if (rss > tally.largest.rss) tally.largest = { rss, index };
  switch (verdict.kind) {
    case 'rows':
      tally.rows += 1;
      tally.orders += verdict.orders;
      tally.rejections += verdict.rejections;
      break;
    case 'sentence':
      tally.sentence += 1;
      if (verdict.rowsBefore > 0) tally.midway += 1;
      break;
    case 'broken':
      fail({ index, why: verdict.why });
  }
  if (ms > MS_MAX) fail({ index, why: `took ${String(Math.round(ms))} ms` });
  if (values.only !== undefined) process.stdout.write(`${JSON.stringify(verdict, null, 2)}\n`);
}

/** One worker after the other on a lane: a fresh one follows a worker that hung, died or grew too large. One that cannot even begin ends the lane. */
async function lane(number: number): Promise<void> {
  while (next < end) {
    const doneBefore = tally.done;
    const child = fork(WORKER, [], { execArgv: ['--max-old-space-size=400'], serialization: 'advanced' });
    const died = await drive(child, join(folder, String(number)));
    if (died === undefined) continue;
    fail(died);
    if (tally.done === doneBefore && died.why.startsWith(DIED)) return;
  }
}

/** Hands a worker cases until there are no more, or it fails. */
function drive(child: ChildProcess, path: string): Promise<Failure | undefined> {
  return new Promise((resolve) => {
    let index = -1;
    let failure: Failure | undefined;
    let watchdog: NodeJS.Timeout | undefined;
    const give = (): void => {
      if (next >= end) {
        child.disconnect();
        return;
      }
      index = next;
      next += 1;
      const { name, bytes } = mutatedFile(seeds, seed, index);
      writeFileSync(path, bytes);
      watchdog = setTimeout(() => {
        failure = { index, why: `did not end within ${String(SILENCE_MS_MAX)} ms` };
        child.kill('SIGKILL');
      }, SILENCE_MS_MAX);
      child.send({ path, name } satisfies CaseOrder);
    };
    child.on('message', (report: CaseReport) => {
      clearTimeout(watchdog);
      take(index, report);
      if (report.rss > RSS_MAX) {
        failure = { index, why: `memory of the process reached ${megabytes(report.rss)}` };
        child.disconnect();
        return;
      }
      index = -1;
      give();
    });
    child.on('exit', (code, signal) => {
      clearTimeout(watchdog);
      if (failure === undefined && index !== -1) failure = { index, why: `${DIED} (${String(code ?? signal)})` };
      resolve(failure);
    });
    give();
  });
}

function megabytes(bytes: number): string {
  return `${String(Math.round(bytes / 1024 / 1024))} MB`;
}

if (values.keep !== undefined) writeFileSync(values.keep, mutatedFile(seeds, seed, from).bytes);
process.stdout.write(`seed ${String(seed)}, cases ${String(from)} to ${String(end - 1)}, ${String(workers)} workers\n`);
const progress = setInterval(
  () => process.stderr.write(`${String(tally.done)} done, ${String(failures.length)} failed\n`),
  10_000,
);
await Promise.all(Array.from({ length: Math.min(workers, end - from) }, (_, number) => lane(number)));
clearInterval(progress);
rmSync(folder, { recursive: true });
process.stdout.write(
  [
    `${String(tally.done)} files in ${String(Math.round((Date.now() - started) / 1000))} s: ${String(tally.rows)} as rows (${String(tally.orders)} orders, ${String(tally.rejections)} rejections), ${String(tally.sentence)} as a sentence (${String(tally.midway)} of them after rows had come)`,
    `slowest: ${String(Math.round(tally.slowest.ms))} ms (case ${String(tally.slowest.index)}); most memory of a process: ${megabytes(tally.largest.rss)} (case ${String(tally.largest.index)})`,
    ...failures.slice(0, 50).map(inWords),
    failures.length === 0 ? 'no promise was broken' : `${String(failures.length)} failures`,
    '',
  ].join('\n'),
);
process.exitCode = failures.length === 0 ? 0 : 1;
