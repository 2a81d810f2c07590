import { execFile } from 'node:child_process';
import { promisify, stripVTControlCharacters } from 'node:util';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BIN, CRON_ENVIRONMENT, runToEnd } from '../support/command-line.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SCRIPT = '/usr/bin/script';
const RED = '\u001B[31m';

/** What a person sees who calls this in a terminal: util-linux's `script` lends one. */
async function inTerminal(
  command: string,
  environment: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string> {
  const { stdout } = await promisify(execFile)(SCRIPT, ['-qc', command, '/dev/null'], {
    cwd,
    env: { ...CRON_ENVIRONMENT, TERM: 'xterm-256color', ...environment },
  });
  return stdout.replaceAll('\r\n', '\n');
}

test.skipIf(!existsSync(SCRIPT))('doctor colors its output in a terminal, except under NO_COLOR', async () => {
  await using folder = await temporaryFolder();
  const piped = await runToEnd(['doctor'], { cwd: folder.path });
  expect(piped).toMatchObject({ code: 2, stdout: expect.stringMatching(/^PROBLEM /m) as string });
  expect(piped.stdout).not.toContain('\u001B');

  const wordsOf = (text: string): readonly string[] =>
    stripVTControlCharacters(text)
      .split('\n')
      .map((line) => line.slice(0, 30));
  const inColor = await inTerminal(`${BIN} doctor`, {}, folder.path);
  expect(inColor).toContain(RED);
  expect(wordsOf(inColor)).toEqual(wordsOf(piped.stdout));
  expect(await inTerminal(`${BIN} doctor`, { NO_COLOR: '1' }, folder.path)).not.toContain('\u001B');
  expect(await inTerminal(`${BIN} doctor --json`, {}, folder.path)).not.toContain('\u001B');
});

test('doctor colors its output under FORCE_COLOR without a terminal', async () => {
  await using folder = await temporaryFolder();
  const forced = await runToEnd(['doctor'], {
    cwd: folder.path,
    environment: { ...CRON_ENVIRONMENT, FORCE_COLOR: '1' },
  });
  expect(forced.stdout).toContain(RED);
});
