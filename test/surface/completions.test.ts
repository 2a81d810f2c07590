import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { manPage } from '../../scripts/man-page.ts';
import { buildProgram } from '../../src/cli/commands.ts';
import { completionsCommand, type Shell } from '../../src/cli/completions-command.ts';
import { neededProgram } from '../end-to-end/needed-program.ts';
import { PACKAGE_ROOT, runToEnd } from '../support/command-line.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string };
const newProgram = (): Command => buildProgram(async () => {}, version);
const program = newProgram();
const FLAGS = new Set(
  program.commands
    .flatMap((command) => [command, ...command.commands])
    .flatMap((command) => command.options.map(({ long }) => long ?? '')),
);

describe.each(['bash', 'zsh', 'fish'] as const)('completions for %s', (shell: Shell) => {
  const { path, mayBeSkipped, note } = neededProgram(shell);
  const { text } = completionsCommand(newProgram(), shell);

  test('name every command and every flag', () => {
    for (const command of program.commands) expect(text).toMatch(new RegExp(`\\b${command.name()}\\b`));
    for (const flag of FLAGS) expect(text).toContain(shell === 'fish' ? `-l ${flag.slice(2)}` : flag);
  });

  test.skipIf(mayBeSkipped)(`${note}are a script that it can read`, async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'script'), text);
    expect(spawnSync(path, ['-n', join(folder.path, 'script')], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });
});

const TYPED: readonly (readonly [string, readonly string[]])[] = [
  ['inspection-batch su', ['submit', 'support-bundle']],
  ['inspection-batch resolve --ab', ['--abandon']],
  ['inspection-batch sandbox --environment s', ['staging']],
  ['inspection-batch results c', ['columns']],
];

describe.each(TYPED)('of `%s`', (typed, expected) => {
  test('bash makes what it should', async () => {
    const { text } = completionsCommand(newProgram(), 'bash');
    const asked = `${text}\nCOMP_WORDS=(${typed}) COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))\n_inspection_batch\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', asked], { encoding: 'utf8' }).trim().split('\n')).toEqual(expected);
  });

  const fish = neededProgram('fish');
  test.skipIf(fish.mayBeSkipped)(`${fish.note}fish makes what it should`, async () => {
    await using folder = await temporaryFolder();
    const { text } = completionsCommand(newProgram(), 'fish');
    const found = execFileSync(fish.path, ['--no-config', '-c', `${text}\ncomplete -C '${typed}'`], {
      encoding: 'utf8',
      env: { ...process.env, HOME: folder.path },
      cwd: folder.path,
    });
    expect(
      found
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[0]),
    ).toEqual(expected);
  });
});

test('the built command prints them, and nothing for a shell that it does not know', async () => {
  expect((await runToEnd(['completions', 'bash'])).stdout).toBe(`${completionsCommand(newProgram(), 'bash').text}\n`);
  expect(await runToEnd(['completions', 'tcsh'])).toMatchObject({ code: 2, stdout: '' });
});

describe('the man page', () => {
  const built = join(PACKAGE_ROOT, 'dist/inspection-batch.1');
  let source = '';
  beforeAll(async () => void (source = await readFile(built, 'utf8')));

  test('is the one of these commands', () => {
    expect(source).toBe(manPage(newProgram(), version, PACKAGE_ROOT));
  });

  const groff = neededProgram('groff');
  test.skipIf(groff.mayBeSkipped)(
    `${groff.note}is set without a warning, and holds every command, flag and exit code`,
    () => {
      // -P: no colour, no overstriking.
      const page = execFileSync('sh', ['-c', `exec "$0" -man -ww -Tutf8 -P-cbou "$1" 2>&1`, groff.path, built], {
        encoding: 'utf8',
      }).replaceAll('‐\n', '');
      expect(page).not.toMatch(/warning:/);
      for (const command of program.commands) expect(page).toContain(`inspection-batch ${command.name()}`);
      for (const flag of FLAGS) expect(page).toContain(flag);
      for (const code of ['0', '1', '2', '3', '4', '5', '130, 143'])
        expect(page).toMatch(new RegExp(`^ +${code}( |$)`, 'm'));
    },
  );
});
