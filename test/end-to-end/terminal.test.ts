import { stripVTControlCharacters } from 'node:util';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BIN, runToEnd } from '../support/command-line.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { inTerminal, RED, SCRIPT } from './in-terminal.ts';

// Its variables are in test/proof/end-to-end/terminal.test.ts.

test.skipIf(!existsSync(SCRIPT))('doctor colors its output in a terminal alone', async () => {
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
});
