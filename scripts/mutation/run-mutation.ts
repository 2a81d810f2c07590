/**
 * Mutates the decision cores of cores.json with Stryker: each small change to a core must make one of its unit tests fail.
 * `npm run mutation [-- TEXT-OF-A-PATH ...]` mutates them whole, and only what changed since the last time; `--record` notes the figures in
 * docs/measured/mutation.json. `npm run mutation -- --changed [BASE]` mutates the lines changed since BASE (by default the commit that this
 * branch left main at, or else the one before HEAD), for as long as CI gives it. Exit code 1 if a score is below what cores.json asks for, or
 * that of all cores below 85 %.
 *
 * Words are not mutated (StringLiteral): the type checker knows the kinds, and a sentence decides nothing.
 */
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

/** What cores.json says of a file: the score that it must reach, in percent, and the tests that judge it. */
interface Core {
  readonly atLeast: number;
  readonly tests: readonly string[];
  /** Leaves out what runs once, when its module is loaded: each such mutation runs every test. */
  readonly withoutStatic?: boolean;
  /** Survivors, as they are printed, and why they may live. */
  readonly mayLive?: Readonly<Record<string, string>>;
}

/** What became of the mutations of a core. */
interface Score {
  readonly mutations: number;
  readonly caught: number;
  /** In percent, to a tenth. */
  readonly score: number;
  /** The score before its tests were written by what survived; left out where nobody measured it. */
  readonly first?: number;
  readonly survivors: readonly { readonly line: number; readonly change: string; readonly why?: string }[];
}

const ROOT = join(import.meta.dirname, '../..');
const WORK = '.mutation';
const RECORD = join(ROOT, 'docs/measured/mutation.json');
const CHANGED_MINUTES_MAX = 3;
/** The score that all cores together must reach, in percent. */
const ALL_AT_LEAST = 85;
/** One survivor among few changed lines is no sign of anything. */
const SURVIVORS_OF_A_CHANGE = 1;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { changed: { type: 'boolean', default: false }, record: { type: 'boolean', default: false } },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const cores = JSON.parse(readFileSync(join(import.meta.dirname, 'cores.json'), 'utf8')) as Readonly<
  Record<string, Core>
>;

process.chdir(ROOT);
mkdirSync(WORK, { recursive: true });
await (values.changed ? mutateChanges(positionals[0] ?? usualBase()) : mutateWhole(positionals));

async function mutateWhole(wanted: readonly string[]): Promise<void> {
  let [mutations, caught] = [0, 0];
  for (const [file, core] of Object.entries(cores)) {
    if (wanted.length > 0 && !wanted.some((text) => file.includes(text))) continue;
    const score = await mutate(file, core, []);
    report(file, core, score);
    if (score.score < core.atLeast) process.exitCode = 1;
    if (values.record) record(file, score);
    mutations += score.mutations;
    caught += score.caught;
  }
  if (wanted.length > 0) return;
  const score = percentOf(caught, mutations);
  print(`All cores: ${caught} of ${mutations} caught, ${score} % (at least ${ALL_AT_LEAST} %)`);
  if (score < ALL_AT_LEAST) process.exitCode = 1;
}

/** To a tenth. */
function percentOf(caught: number, mutations: number): number {
  return mutations === 0 ? 100 : Math.round((1000 * caught) / mutations) / 10;
}

async function mutateChanges(base: string | null): Promise<void> {
  const changed = base === null ? null : changedRanges(base);
  if (changed === null) return print('There is no earlier commit to compare with: nothing is mutated.');
  if (changed.size === 0) return print(`No line of a core changed since ${base}: nothing is mutated.`);
  const judged = new Set<string>();
  const timer = setTimeout(() => {
    const left = [...changed.keys()].filter((file) => !judged.has(file));
    print(
      `After ${CHANGED_MINUTES_MAX} minutes not judged: ${left.join(', ')}. Run \`npm run mutation -- --changed\`.`,
    );
    process.exit();
  }, CHANGED_MINUTES_MAX * 60_000);
  for (const [file, ranges] of changed) {
    const core = cores[file];
    if (core === undefined) continue;
    const score = await mutate(file, core, ranges);
    report(file, core, score);
    const unexplained = score.survivors.filter(({ why }) => why === undefined).length;
    if (score.score < core.atLeast && unexplained > SURVIVORS_OF_A_CHANGE) process.exitCode = 1;
    judged.add(file);
  }
  clearTimeout(timer);
}

/** The first line and the last of a part of a file, counted from 1. */
type Range = readonly [from: number, to: number];

/** Mutates a core, or of it only these lines. */
async function mutate(file: string, core: Core, ranges: readonly Range[]): Promise<Score> {
  process.env['MUTATION_TESTS'] = core.tests.join(',');
  const results = await new Stryker({
    mutate: ranges.length === 0 ? [file] : ranges.map(([from, to]) => `${file}:${from}-${to}`),
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false, pool: 'threads' },
    coverageAnalysis: 'perTest',
    mutator: { plugins: [], excludedMutations: ['StringLiteral'] },
    ignoreStatic: core.withoutStatic === true,
    incremental: true,
    incrementalFile: `${WORK}/${file.replaceAll('/', '-')}-${digestOf(core.tests)}.json`,
    concurrency: 1,
    // A timeout counts as caught, so a busy machine must not cause one. Endless loops end by Stryker's limit of hits.
    timeoutMS: 30_000,
    // Stryker 10 rewrites the tsconfig with TypeScript's own API, which TypeScript 7 has no more. No test needs it rewritten.
    tsconfigFile: 'none',
    // Vitest checks no types: nothing needs to be silenced in the copy.
    disableTypeChecks: false,
    tempDirName: `${WORK}/copy-${process.pid}`,
    ignorePatterns: ['dist*', 'demo-workspace', 'coverage'],
    reporters: ['json'],
    jsonReporter: { fileName: `${WORK}/report.json` },
    logLevel: 'warn',
    allowConsoleColors: false,
  } as ConstructorParameters<typeof Stryker>[0]).runMutationTest();
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  // Those of other lines are remembered from earlier runs.
  const isAsked = ({ start }: { readonly start: { readonly line: number } }): boolean =>
    ranges.length === 0 || ranges.some(([from, to]) => start.line >= from && start.line <= to);
  const judged = results.filter(
    ({ status, location }) => isAsked(location) && ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status),
  );
  const survivors = judged
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(({ location: { start, end }, replacement }) => {
      const line = lines[start.line - 1] ?? '';
      const before = start.line === end.line ? line.slice(start.column - 1, end.column - 1) : line.trim();
      const change = `${before} → ${replacement}`.replaceAll(/\s+/g, ' ');
      const why = core.mayLive?.[change];
      return { line: start.line, change, ...(why !== undefined && { why }) };
    });
  const caught = judged.length - survivors.length;
  return { mutations: judged.length, caught, score: percentOf(caught, judged.length), survivors };
}

/** Changes with every test: Stryker would remember survivors in module constants although a new test catches them. */
function digestOf(tests: readonly string[]): string {
  const files = tests.flatMap((path) =>
    statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.ts'))
          .map((name) => join(path, name))
      : [path],
  );
  return hash('sha256', files.map((path) => readFileSync(path, 'utf8')).join('\0')).slice(0, 12);
}

function report(file: string, { atLeast }: Core, { mutations, caught, score, survivors }: Score): void {
  print(`${score < atLeast ? '✗' : '✓'} ${file}: ${caught} of ${mutations} caught, ${score} % (at least ${atLeast} %)`);
  for (const { line, change, why } of survivors)
    print(`  ${file}:${line}: ${change}${why === undefined ? '' : ` (${why})`}`);
}

function record(file: string, score: Score): void {
  let before: Readonly<Record<string, Score>> = {};
  try {
    before = JSON.parse(readFileSync(RECORD, 'utf8')) as Readonly<Record<string, Score>>;
  } catch {
    // The first record.
  }
  const first = before[file]?.first;
  const all = Object.entries({ ...before, [file]: { ...(first !== undefined && { first }), ...score } }).toSorted(
    ([a], [b]) => a.localeCompare(b, 'en'),
  );
  writeFileSync(RECORD, `${JSON.stringify(Object.fromEntries(all), null, 1)}\n`);
}

/** The lines of each core that are new since `base`, committed or not; null where git does not know `base`. */
function changedRanges(base: string): ReadonlyMap<string, readonly Range[]> | null {
  const diff = git('diff', '--unified=0', '--no-color', '--no-ext-diff', base, '--', ...Object.keys(cores));
  if (diff === null) return null;
  const ranges = new Map<string, Range[]>();
  let file = '';
  for (const line of diff.split('\n')) {
    if (line.startsWith('+++ ')) file = line.slice('+++ b/'.length);
    const [, from, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (from === undefined || count === '0') continue;
    ranges.set(file, [...(ranges.get(file) ?? []), [Number(from), Number(from) + Number(count) - 1]]);
  }
  return ranges;
}

function usualBase(): string | null {
  const fork = git('merge-base', 'HEAD', 'main')?.trim();
  const head = git('rev-parse', 'HEAD')?.trim();
  if (fork !== undefined && fork !== head) return fork;
  return git('rev-parse', 'HEAD~1')?.trim() ?? null;
}

function git(...args: readonly string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout : null;
}
