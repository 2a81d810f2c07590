import { describe, expect, test } from 'vitest';
import { accountCommand } from '../../../src/cli/account-command.ts';
import { initCommand } from '../../../src/cli/init-command.ts';
import { backupCommand } from '../../../src/cli/ledger-commands.ts';
import { pruneCommand } from '../../../src/cli/prune-command.ts';
import { statusCommand } from '../../../src/cli/status-command.ts';
import { verifyCommand } from '../../../src/cli/verify-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const COMMANDS: readonly (readonly [name: string, run: (dir: string) => Promise<unknown>])[] = [
  ['status <question>', (dir) => statusCommand('A-1003', dir)],
  ['verify', (dir) => verifyCommand(dir)],
  ['backup', (dir) => backupCommand(undefined, dir)],
  ['prune', (dir) => pruneCommand(dir, true)],
];

describe.each(COMMANDS)('%s without a ledger', (_name, run) => {
  test('says that nothing has run in this workspace', async () => {
    await using folder = await temporaryFolder();
    await initCommand(folder.path);
    await expect(run(folder.path)).rejects.toMatchObject({
      code: 'nothing-on-record',
      hint: expect.stringMatching(/ inbox\/.* inspection-batch run$/),
    });
  });

  test('asks for the workspace when there is none', async () => {
    await using folder = await temporaryFolder();
    await expect(run(folder.path)).rejects.toMatchObject({
      code: 'not-a-workspace',
      message: expect.stringContaining(folder.path),
      hint: expect.stringContaining('--workspace'),
    });
  });
});

test.each([null, 'same', 'new'] as const)(
  'accountCommand (%s) asks for the workspace when there is none',
  async (answer) => {
    await using folder = await temporaryFolder();
    await expect(accountCommand(answer, folder.path)).rejects.toMatchObject({
      code: 'not-a-workspace',
      kind: 'usage',
    });
  },
);
