import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inTerminal, RED, SCRIPT } from '../../end-to-end/in-terminal.ts';
import { BIN, CRON_ENVIRONMENT, runToEnd } from '../../support/command-line.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test.skipIf(!existsSync(SCRIPT))('doctor has no colors in a terminal under NO_COLOR or --json', async () => {
  await using folder = await temporaryFolder();
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
