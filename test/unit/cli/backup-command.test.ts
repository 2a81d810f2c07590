import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { initCommand } from '../../../src/cli/init-command.ts';
import { backupCommand } from '../../../src/cli/ledger-commands.ts';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { systemClock } from '../../../src/ops/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test.each(['file/backups', '/proc/backups'])('backupCommand asks for another folder than %s', async (to) => {
  await using folder = await temporaryFolder();
  await initCommand(folder.path);
  await mkdir(join(folder.path, 'state'), { recursive: true });
  await using _ = openSqliteLedger(join(folder.path, 'state/ledger.sqlite'), { clock: systemClock, account: '' });
  await writeFile(join(folder.path, 'file'), '');
  await expect(backupCommand(resolve(folder.path, to), folder.path)).rejects.toMatchObject({
    code: 'backup-not-writable',
    kind: 'usage',
  });
});
