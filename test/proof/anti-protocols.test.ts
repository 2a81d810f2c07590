import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS } from '../../scripts/mutants/mutants.ts';
import { PACKAGE_ROOT } from '../support/command-line.ts';
import { inProof, inTurn } from '../support/proof-size.ts';

const SEVEN = MUTANTS.filter(({ antiProtocol }) => antiProtocol).map(({ name }) => name);
/** Arguments, and how many they name: all at once, or in a share one or two each day. Every bug: `npx node scripts/mutants/run-mutants.ts`. */
const WHICH = inProof<readonly (readonly [only: readonly string[], count: number])[]>({
  share: inTurn(SEVEN, 4).map((name) => [['--only', name], 1]),
  whole: [[[], 7]],
});

test.each(WHICH)('run-mutants catches planted anti-protocols %j', { timeout: 900_000 }, async (only, count) => {
  expect(SEVEN).toHaveLength(7);
  const child = spawn(
    process.execPath,
    [join(PACKAGE_ROOT, 'scripts/mutants/run-mutants.ts'), '--anti-protocols', ...only],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await once(child, 'close');
  expect(printed).toContain(`${count} of ${count} planted bugs caught`);
  expect(child.exitCode).toBe(0);
});
