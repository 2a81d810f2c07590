import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../support/command-line.ts';

// All of them: `node scripts/mutants/run-mutants.ts`.
test('run-mutants --anti-protocols catches all seven planted anti-protocols', { timeout: 900_000 }, async () => {
  const child = spawn(process.execPath, [join(PACKAGE_ROOT, 'scripts/mutants/run-mutants.ts'), '--anti-protocols'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await once(child, 'close');
  expect(printed).toContain('7 of 7 planted bugs caught');
  expect(child.exitCode).toBe(0);
});
