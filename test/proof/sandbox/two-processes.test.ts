import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { digestsOfDeliverables } from '../../support/sandbox/print-digests.ts';

const SCRIPT = fileURLToPath(new URL('../../support/sandbox/print-digests.ts', import.meta.url));

/** What every deliverable hashes to, in a process with these surroundings. */
async function digests(seed: string, environment: Record<string, string>): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, seed], {
    env: { PATH: process.env['PATH'], ...environment },
  });
  return stdout.trim().split('\n');
}

describe('Deliverables', () => {
  test('a seed gives the same bytes in any time zone and language', async () => {
    const [here, there] = await Promise.all([
      digestsOfDeliverables('7'),
      digests('7', { TZ: 'Asia/Kolkata', LANG: 'hi_IN.UTF-8' }),
    ]);
    expect(here.length).toBeGreaterThan(20);
    expect(there).toEqual(here);
  });
});
