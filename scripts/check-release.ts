/**
 * Tries a release without publishing it: version and changelog agree, the package installs and runs in an empty folder, and ledgers of all
 * earlier versions open with their counts unchanged. `npm run release:check` prints a line per step and ends with 1 if one fails.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** The version of the changelog's first release, and its date; null for one that is not dated yet. */
export function latestRelease(changelog: string): { readonly version: string; readonly date: string | null } | null {
  const [, version, date = null] = /^## \[(\d+\.\d+\.\d+)\](?: - (\d{4}-\d{2}-\d{2}))?$/m.exec(changelog) ?? [];
  return version === undefined ? null : { version, date };
}

/** The problems of a release with this version and changelog. */
export function problemsOf(version: string, changelog: string): readonly string[] {
  const latest = latestRelease(changelog);
  if (latest === null) return ['CHANGELOG.md names no release'];
  const problems: string[] = [];
  if (latest.version !== version) problems.push(`package.json says ${version}, CHANGELOG.md ${latest.version}`);
  if (latest.date === null) problems.push(`CHANGELOG.md has no date for ${latest.version}`);
  const [, unreleased = ''] = /^## \[Unreleased\]\n([\s\S]*?)^## \[/m.exec(changelog) ?? [];
  if (unreleased.trim() !== '') problems.push('CHANGELOG.md has changes under Unreleased');
  return problems;
}

/** Runs a command of the checkout; its output is shown if it fails. */
function passes(command: string, args: readonly string[]): boolean {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) process.stderr.write(`${stdout}${stderr}`);
  return status === 0;
}

function main(): void {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
  const problems = problemsOf(version, readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  const vitest = (...tests: readonly string[]): boolean => passes('npx', ['vitest', 'run', ...tests]);
  const steps: readonly (readonly [step: string, isDone: () => boolean])[] = [
    ['version and changelog agree', () => problems.length === 0],
    ['nothing is uncommitted', () => passes('git', ['diff', '--quiet', 'HEAD'])],
    ['checks pass', () => passes('npm', ['run', 'check'])],
    ['it is built', () => passes('npm', ['run', 'build'])],
    ['the package installs and runs in an empty folder', () => vitest('test/proof/package')],
    ['ledgers of earlier versions open, counts unchanged', () => vitest('test/unit/ledger/earlier-versions.test.ts')],
    ['the bill of materials can be written', () => passes('npm', ['run', 'sbom'])],
    ['npm packs it', () => passes('npm', ['pack', '--dry-run'])],
  ];
  for (const [step, isDone] of steps) {
    const done = isDone();
    process.stdout.write(`${done ? 'ok    ' : 'FAILED'} ${step}\n`);
    if (!done) process.exitCode = 1;
  }
}

if (import.meta.main) main();
