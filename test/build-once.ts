import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from './support/command-line.ts';

/** Builds dist/ where it is missing or older than what it is built from. */
export function setup(): void {
  if (builtAt() < newestSource())
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: PACKAGE_ROOT, stdio: 'inherit' });
}

function builtAt(): number {
  return statSync(join(PACKAGE_ROOT, 'dist/main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function newestSource(): number {
  const src = join(PACKAGE_ROOT, 'src');
  const sources = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(ts|sql)$/.test(name));
  const settings = ['package.json', 'scripts/build.ts', 'scripts/man-page.ts', 'tsconfig.json', 'tsconfig.build.json'];
  return Math.max(
    ...[...sources.map((name) => join(src, name)), ...settings.map((name) => join(PACKAGE_ROOT, name))].map(
      (path) => statSync(path).mtimeMs,
    ),
  );
}
