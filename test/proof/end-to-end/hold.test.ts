import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { oneDocument } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { summaryOf } from '../../end-to-end/summary.ts';

/** Three of its four rows have no ZIP code that could be one. */
function mostlyWrong(): string {
  let seen = 0;
  return orderCsv(4).replaceAll('02139', (zip) => (seen++ === 0 ? zip : 'nowhere'));
}

const HOLD = '  hold:\n    maxWrongPercent: 50\n';

test('submit holds a file over a limit until it is approved', async () => {
  // The approval is the command `approve`, or a file next to the held one.
  await using sandbox = await startSandboxHere();
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, config: HOLD });
  const at = ['--workspace', workspace.path];
  for (const sender of ['smith', 'jones']) {
    await mkdir(workspace.at('inbox', sender));
    await writeFile(
      workspace.at('inbox', sender, 'orders.csv'),
      mostlyWrong().replaceAll('Oak Street', `${sender} Street`).replaceAll('T-1', `${sender}-1`),
    );
  }
  const first = await callHere(['submit', '--json', ...at]);
  const { files, exitCode } = summaryOf(first);
  expect([exitCode, files.map(({ name, outcome }) => [name, outcome])]).toEqual([
    3,
    [
      ['jones/orders.csv', 'held'],
      ['smith/orders.csv', 'held'],
    ],
  ]);
  expect(files[1]).toMatchObject({
    rows: { read: 0, accepted: 0, rejected: 0 },
    corrections: null,
    reason: expect.stringContaining('3 of 4 rows are wrong (75%)'),
  });
  expect((await sandbox.audit()).creates).toBe(0);

  const status = oneDocument(await callHere(['status', '--json', ...at])) as {
    heldFiles: { file: string; reasons: string[]; command: string }[];
  };
  expect(status.heldFiles.map(({ file }) => file)).toEqual(['held/jones/orders.csv', 'held/smith/orders.csv']);
  const page = await readFile(workspace.at('held/smith/orders.csv.txt'), 'utf8');
  expect(page).toContain(status.heldFiles[1]?.command);
  expect(await callHere(['approve', 'orders.csv', ...at])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Several held files'),
  });
  expect(await callHere(['approve', 'other.csv', ...at])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('held/jones/orders.csv'),
  });

  // The command as the page gives it, word for word.
  const line = /^ {2}inspection-batch approve "(.+)" --workspace (.+)$/m.exec(page);
  const approved = await callHere(['approve', line?.[1] ?? '', '--workspace', line?.[2] ?? '', '--json']);
  expect(oneDocument(approved)).toEqual({ file: 'smith/orders.csv', movedTo: 'inbox/smith/orders.csv', exitCode: 0 });
  await writeFile(workspace.at('held/jones/orders.csv.approve'), '');
  const second = summaryOf(await callHere(['submit', '--json', ...at]));
  expect(second.files.map(({ name, outcome, rows }) => [name, outcome, rows.accepted, rows.rejected])).toEqual([
    ['jones/orders.csv', 'processed', 1, 3],
    ['smith/orders.csv', 'processed', 1, 3],
  ]);
  expect(second.files.map(({ corrections }) => corrections)).toEqual([
    'corrections/jones/orders - to fix.xlsx',
    'corrections/smith/orders - to fix.xlsx',
  ]);
  expect((await sandbox.audit()).creates).toBe(2);
  expect([
    await readdir(workspace.at('held/smith')),
    await readdir(workspace.at('held/jones')),
    await readdir(workspace.at('inbox/smith')),
  ]).toEqual([[], [], []]);
});

test('submit judges an approved file again if it changed since', async () => {
  await using sandbox = await startSandboxHere();
  await using workspace = await temporaryWorkspace({
    env: sandbox.lines,
    config: HOLD,
    inbox: { 'orders.csv': mostlyWrong() },
  });
  const at = ['--workspace', workspace.path];
  expect((await callHere(['check', workspace.at('inbox/orders.csv'), ...at])).stdout).toContain('would hold this file');
  await callHere(['submit', ...at]);
  await callHere(['approve', 'orders.csv', ...at]);
  await writeFile(workspace.at('inbox/orders.csv'), mostlyWrong().replaceAll('nowhere', 'somewhere'));
  expect(summaryOf(await callHere(['submit', '--json', ...at])).files).toMatchObject([
    { name: 'orders.csv', outcome: 'held' },
  ]);
  expect((await sandbox.audit()).creates).toBe(0);
});

test("run ends with 4 while the inbox's share is not mounted", async () => {
  await using sandbox = await startSandboxHere();
  await using workspace = await temporaryWorkspace({ env: sandbox.lines });
  await mkdir(workspace.at('share'));
  await rm(workspace.inbox, { recursive: true });
  await symlink(workspace.at('share'), workspace.inbox);
  const at = ['--workspace', workspace.path];
  expect((await callHere(['submit', ...at])).code).toBe(0);
  await rm(workspace.at('share'), { recursive: true });
  const away = await callHere(['run', ...at]);
  expect(away).toMatchObject({ code: 4, stdout: expect.stringMatching(/inbox is gone.*mount it/) });
  expect(await readdir(workspace.path)).not.toContain('share');
  await mkdir(workspace.at('share'));
  await writeFile(workspace.at('share/orders.csv'), orderCsv(1));
  expect(summaryOf(await callHere(['submit', '--json', ...at]))).toMatchObject({
    exitCode: 0,
    files: [{ name: 'orders.csv', outcome: 'processed' }],
    orders: { created: 1 },
  });
});
