import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../../support/sandbox/print-digests.ts', import.meta.url));

/** What every deliverable hashes to, in a process with these surroundings. */
async function digests(seed: string, environment: Record<string, string>): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, seed], { env: { PATH: process.env['PATH'], ...environment } });
  return stdout.trim().split('\n');
}

test('two processes with one seed make the same bytes, in other time zones and languages too', async () => {
  const [here, there] = await Promise.all([
    digests('7', { TZ: 'America/Los_Angeles', LANG: 'en_US.UTF-8' }),
    digests('7', { TZ: 'Asia/Kolkata', LANG: 'C' }),
  ]);
  expect(here.length).toBeGreaterThan(20);
  expect(there).toEqual(here);
});
