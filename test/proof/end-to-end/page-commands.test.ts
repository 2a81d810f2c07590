import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../../src/index.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { PACKAGE_ROOT, SAMPLES } from '../../support/command-line.ts';
import { orderPayload } from '../../support/order-factory.ts';
import { shellBlocksOf, wordsOf } from '../../support/page-commands.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';

/** The tutorial and the restore procedure have tests of their own; the sandbox serves until it is stopped. */
const PAGES = ['README.md', 'docs/operations.md', 'docs/files-and-folders.md', 'docs/projects.md'];

async function callsOf(page: string): Promise<readonly string[]> {
  const blocks = shellBlocksOf(await readFile(join(PACKAGE_ROOT, page), 'utf8'));
  return blocks
    .filter(({ isMarked }) => !isMarked)
    .flatMap(({ calls }) => calls)
    .filter((call) => !call.startsWith('sandbox'));
}

/** A project that somebody made elsewhere, with the first ID of the sandbox. */
async function makeElsewhere(env: string): Promise<void> {
  const value = (name: string): string => new RegExp(`^INSPECTION_${name}=(.*)$`, 'm').exec(env)?.[1] ?? '';
  const client = createClient({
    baseUrl: value('BASE_URL'),
    credentials: {
      clientId: value('CLIENT_ID'),
      clientSecret: value('CLIENT_SECRET'),
      username: value('USERNAME'),
      password: value('PASSWORD'),
    },
  });
  const outcome = await client.createProject({ ...orderPayload(), allowDuplication: false });
  client.close();
  expect(outcome.kind).toBe('created');
}

test('the commands of the pages succeed in a workspace with their orders', { timeout: 600_000 }, async () => {
  await using sandbox = await startSandboxHere({ firstProjectId: '100017' });
  await makeElsewhere(sandbox.lines);
  await using workspace = await temporaryWorkspace({ env: sandbox.lines });
  const header = `policyNumber,policyEffectiveDate,${Object.keys(orderPayload()).join(',')}`;
  const row = (policy: string, street: string): string =>
    [policy, '2027-01-01', ...Object.values(orderPayload({ streetAddress: street }))].join(',');
  await mkdir(workspace.at('inbox/smith-agency'));
  // A text file under the name of a workbook is read as it is.
  await writeFile(
    workspace.at('inbox/smith-agency/orders.xlsx'),
    [header, row('HO-4471902', '7 Elm Street'), row('HO-2', '#REF!'), row('HO-3', '#REF!'), ''].join('\n'),
  );
  await copyFile(join(SAMPLES, '01-filled-template.xlsx'), workspace.at('november-orders.xlsx'));
  await writeFile(workspace.at('to-cancel.xlsx'), 'Project ID\n100018\n');
  await writeFile(workspace.at('received.csv'), 'Project ID\n100018\n');
  await writeFile(workspace.at('new-policies.xlsx'), 'Project ID,New policy number\n100018,HO-4471904\n');
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(workspace.path);
  expect(await callHere(['run'])).toMatchObject({ code: 3 });

  const calls = (await Promise.all(PAGES.map(callsOf))).flat();
  expect(calls.length).toBeGreaterThan(21);
  const failed: string[] = [];
  for (const each of calls) {
    const args = wordsOf(each).map((word) => word.replace('/srv/inspections', workspace.path));
    const { code, stdout, stderr } = await callHere(args);
    if (code === null || ![0, 3, 4].includes(code)) failed.push(`${each}: ${code}\n${stdout}${stderr}`);
  }
  expect(failed).toEqual([]);
});
