import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { BIN, CRON_ENVIRONMENT } from '../../support/command-line.ts';
import { inTurn } from '../../support/proof-size.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Runs a command whose output nobody reads beyond its first piece, as `head` does; or nothing of it at all. */
async function unread(
  args: readonly string[],
  cwd: string,
  closed: readonly ('stdout' | 'stderr')[],
  afterFirstPiece = false,
) {
  const child = spawn(BIN, args, { cwd, env: { ...CRON_ENVIRONMENT }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const stderr = closed.includes('stderr') ? null : text(child.stderr);
  if (afterFirstPiece) await once(child.stdout, 'data');
  for (const stream of closed) child[stream].destroy();
  const [code, signal] = (await ended) as [number | null, string | null];
  return { code, signal, stderr: await stderr };
}

const HEADER = 'Inspection number,Policy type,House type,State';

test('check keeps its exit code if nobody reads all its output', async () => {
  await using folder = await temporaryFolder();
  await writeFile(
    join(folder.path, 'wrong.csv'),
    [
      HEADER,
      ...Array.from({ length: 40 }, (_, number) => `N-${String(number)},${'Boat '.repeat(400)},Houseboat,XX`),
    ].join('\n'),
  );
  const quiet = { code: 3, signal: null, stderr: '' };
  expect(await unread(['check', 'wrong.csv', '--json'], folder.path, ['stdout'], true)).toEqual(quiet);
  expect(await unread(['check', 'wrong.csv'], folder.path, ['stdout'])).toEqual(quiet);
});

/** In a share every other one; one of each kind is in test/end-to-end. */
const CLOSED = [
  [['--help'], 0],
  [['check', '--help'], 0],
  [['check', 'nowhere.csv', '--json'], 2],
  [['no-such-command'], 2],
  [['status', '--json'], 2],
] as const;

test.each(inTurn(CLOSED, 2))('%j with stdout and stderr closed ends with %i', async (args, code) => {
  await using folder = await temporaryFolder();
  expect(await unread(args, folder.path, ['stdout', 'stderr'])).toMatchObject({ code, signal: null });
});

/** Runs it in a shell, with the program as `$0`. */
const inShell = (line: string, cwd: string) =>
  spawnSync('/bin/sh', ['-c', line, BIN], { cwd, env: { ...CRON_ENVIRONMENT }, encoding: 'utf8' });

test.skipIf(!existsSync('/dev/full'))('a command fails if its output cannot be written', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'wrong.csv'), [HEADER, 'N-1,Boat,Houseboat,XX'].join('\n'));
  for (const line of inTurn(['check wrong.csv', 'check wrong.csv --json', 'init workspace', '--help'], 2)) {
    const { status, stderr } = inShell(`"$0" ${line} >/dev/full`, folder.path);
    expect([line, status, stderr]).toEqual([line, 2, expect.stringContaining('ENOSPC')]);
  }
  expect(inShell('"$0" check wrong.csv 2>/dev/full', folder.path).status).toBe(3);
  expect(inShell('"$0" status >/dev/full 2>&1', folder.path).status).toBe(2);
});

test('a deleted current folder is reported in a sentence', async () => {
  await using folder = await temporaryFolder();
  const { status, stdout } = inShell('mkdir gone && cd gone && rmdir ../gone && "$0" status --json', folder.path);
  expect([status, JSON.parse(stdout)]).toMatchObject([2, { error: { code: 'no-current-folder' } }]);
});
