/**
 * Plants each bug of mutants.ts in a copy of the tree and runs what must catch it. `npx node scripts/mutants/run-mutants.ts [--only TEXT-OF-ITS-NAME-OR-KIT]
 * [--json FILE]`. Exit code 1 where one was not caught, or where the text to change is not there any more.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MUTANTS, type Kit, type Mutant } from './mutants.ts';

const ROOT = join(import.meta.dirname, '../..');
const COPIED = [
  'src',
  'test',
  'scripts',
  'samples',
  'templates',
  'docs',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'vitest.config.ts',
];
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    json: { type: 'string' },
    'anti-protocols': { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const wanted = MUTANTS.filter(
  ({ name, caughtBy, antiProtocol }) =>
    (name.includes(values.only ?? '') || caughtBy.kind === values.only) &&
    (!values['anti-protocols'] || antiProtocol === true),
);
const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir');

const sources = readdirSync(join(copy, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(copy, 'src', name));

type Outcome = 'caught' | 'not caught' | 'cannot be planted' | 'caught without a bug';
const results: { name: string; kit: string; outcome: Outcome }[] = [];
const note = (name: string, kit: Kit, outcome: Outcome): void => {
  results.push({ name, kit: kit.kind, outcome });
  print(
    `${outcome === 'caught' ? '✓' : '✗'} ${name}: ${outcome} (${kit.kind === 'unit tests' ? kit.files.join(', ') : kit.kind})`,
  );
};

// A kit that fails as it is catches everything, and proves nothing. Of schedules, those count that ran.
const usable = new Map<string, boolean>();
const isUsable = (kit: Kit): boolean => {
  const command = commandOf(kit).join(' ');
  const known = usable.get(command) ?? fails(commandOf(kit)) === null;
  usable.set(command, known);
  if (!known) note('(no bug)', kit, 'caught without a bug');
  return known;
};
/** Of the schedules, as many as it took to catch what was planted. */
const needed = new Map<'schedules' | 'fleets', number>();
for (const mutant of wanted) {
  const { name, caughtBy: kit } = mutant;
  if (!('count' in kit) && !isUsable(kit)) continue;
  const originals = plant(mutant);
  if (originals === null) {
    note(name, kit, 'cannot be planted');
    continue;
  }
  const failure = fails(commandOf(kit));
  note(name, kit, failure === null ? 'not caught' : 'caught');
  for (const [path, text] of originals) writeFileSync(path, text);
  if ('count' in kit && failure !== null)
    needed.set(kit.kind, Math.max(needed.get(kit.kind) ?? 0, Number(/^seed (\d+):/m.exec(failure)?.[1] ?? kit.count)));
}
const isProven = [...needed].map(([kind, count]) => isUsable({ kind, count })).every(Boolean);
const caught = results.filter(({ outcome }) => outcome === 'caught').length;
print(`${caught} of ${wanted.length} planted bugs caught`);
if (values.json !== undefined)
  writeFileSync(
    values.json,
    JSON.stringify(
      {
        planted: wanted.length,
        caught,
        antiProtocols: wanted.filter(({ antiProtocol }) => antiProtocol).map(({ name }) => name),
        results,
      },
      null,
      1,
    ),
  );
process.exitCode = caught === wanted.length && isProven ? 0 : 1;

/** The texts before, to be put back; null where a text to change is not there exactly once. */
function plant({ edits }: Mutant): Map<string, string> | null {
  const before = new Map<string, string>();
  const after = new Map<string, string>();
  const textOf = (path: string): string => after.get(path) ?? readFileSync(path, 'utf8');
  for (const { search, replacement } of edits) {
    const [path, ...others] = sources.filter((source) => textOf(source).includes(search));
    if (path === undefined || others.length > 0 || textOf(path).split(search).length !== 2) return null;
    const text = textOf(path);
    if (!before.has(path)) before.set(path, text);
    after.set(
      path,
      text.replace(search, () => replacement),
    );
  }
  for (const [path, text] of after) writeFileSync(path, text);
  return before;
}

/** What a command that fails printed; null where it does not fail. */
function fails([command = '', ...args]: readonly string[]): string | null {
  const { status, stdout } = spawnSync(command, args, {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
    timeout: 600_000,
    maxBuffer: Infinity,
  });
  return status === 0 ? null : stdout;
}

function commandOf(kit: Kit): string[] {
  const simulate = [process.execPath, 'scripts/simulate.ts'];
  switch (kit.kind) {
    case 'schedules':
    case 'fleets':
      // On one thread: a second one would go on to a failing seed of its own.
      return [
        ...simulate,
        ...(kit.kind === 'fleets' ? ['--fleet'] : []),
        '--seeds',
        String(kit.count),
        '--until-failing',
        '--threads',
        '1',
      ];
    case 'crashes':
      return [...simulate, '--crashes'];
    case 'whole run':
      return [...simulate, '--whole'];
    case 'PostgreSQL':
      return [
        'env',
        'PROOF=whole',
        process.execPath,
        'node_modules/vitest/vitest.mjs',
        'run',
        '--project',
        'proof',
        '--bail',
        '1',
        'test/proof/ledger/postgres',
      ];
    case 'unit tests':
      return [
        process.execPath,
        'node_modules/vitest/vitest.mjs',
        'run',
        '--project',
        'unit',
        '--bail',
        '1',
        ...kit.files,
      ];
  }
}
