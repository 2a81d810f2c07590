import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';

test('check names no number of its scratch ledger', async () => {
  await using sandbox = await startSandboxHere();
  await using workspace = await temporaryWorkspace({ env: sandbox.lines });
  const at = ['--workspace', workspace.path];
  const [header = '', first = ''] = orderCsv(1, { keys: ['inspection'] }).split('\n');
  const row = first.replace(',,,', ',P-1,2027-01-01,');
  const list = [
    `${header},Status`,
    `${row},New`,
    `${row},Cancelled`,
    `${row},Ordered`,
    `${row.replace('2027-', '2028-')},`,
  ];
  await writeFile(workspace.at('march.csv'), list.join('\n'));
  expect((await callHere(['submit', ...at])).code).toBe(0);
  const { stdout } = await callHere(['check', workspace.at('march.csv'), ...at]);
  const { stdout: json } = await callHere(['check', '--json', workspace.at('march.csv'), ...at]);
  expect(json).toMatch(/"row-on-record".*"renewal"/s);
  expect(`${stdout}${json}`).not.toMatch(/\d{15}/);
});
