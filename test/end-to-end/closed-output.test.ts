import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BIN, CRON_ENVIRONMENT } from '../support/command-line.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// One command of each kind; the others are in test/proof/end-to-end/closed-output.test.ts.

/** Runs it in a shell, with the program as `$0`. */
const inShell = (line: string, cwd: string) =>
  spawnSync('/bin/sh', ['-c', line, BIN], { cwd, env: { ...CRON_ENVIRONMENT }, encoding: 'utf8' });

test('check keeps its exit code if nobody reads its output', async () => {
  await using folder = await temporaryFolder();
  const rows = Array.from({ length: 40 }, (_, number) => `N-${String(number)},${'Boat '.repeat(400)},Houseboat,XX`);
  await writeFile(
    join(folder.path, 'wrong.csv'),
    ['Inspection number,Policy type,House type,State', ...rows].join('\n'),
  );
  const { stdout, stderr } = inShell('{ "$0" check wrong.csv --json; echo "$?" >&2; } | head -c 1', folder.path);
  expect([stdout, stderr]).toEqual(['{', '3\n']);
});

test.skipIf(!existsSync('/dev/full'))('a command fails if its output cannot be written', async () => {
  await using folder = await temporaryFolder();
  const { status, stderr } = inShell('"$0" --help >/dev/full', folder.path);
  expect([status, stderr]).toEqual([2, expect.stringContaining('ENOSPC')]);
});
