import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';

test('check counts no dismissed row as one to fix', async () => {
  await using sandbox = await startSandboxHere();
  await using workspace = await temporaryWorkspace({ env: sandbox.lines });
  const at = ['--workspace', workspace.path];
  const list = orderCsv(2, { keys: ['policy'] }).replace('4-Point', 'Whole');
  await writeFile(workspace.at('inbox/march.csv'), list);
  expect((await callHere(['submit', ...at])).code).toBe(3);
  expect((await callHere(['resolve', 'march.csv', '--dismiss', ...at])).code).toBe(0);

  await writeFile(workspace.at('april.csv'), `${list}\n`);
  const { code, stdout } = await callHere(['check', workspace.at('april.csv'), ...at]);
  expect(stdout).toContain('2 rows read: 0 can be ordered, 1 already ordered, 1 dismissed before, 0 to fix');
  expect([code, stdout.includes('Whole')]).toEqual([0, false]);
});
