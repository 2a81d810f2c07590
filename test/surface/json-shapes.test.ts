import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addDays } from 'date-fns/addDays';
import { format } from 'date-fns/format';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callHere, serveHere, startSandboxHere } from '../support/command-in-this-process.ts';
import { oneDocument, SAMPLES } from '../support/command-line.ts';
import { orderPayload } from '../support/order-factory.ts';
import type { SandboxControls } from '../support/sandbox-process.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../support/temporary-workspace.ts';
import { epochTimes, shapeOf } from './shape.ts';

// What `--json` prints is somebody's interface: its keys and types change on purpose only (`vitest run test/surface -u`).
// The demo's stands with the demo, in test/proof/package/published-package.test.ts.

/** An order with everything that a story may tell of: a value that is repaired, and a due date that is over on every day this may run. */
const RICH = {
  ...orderPayload({ streetAddress: '7 Elm Street' }),
  state: 'ma',
  inspectionNumber: 'T-1',
  dueDate: '2020-01-31',
  note: 'two dogs',
  isRenewal: 'Yes',
  dwellingCoverage: '250000',
};
const RICH_CSV = csvOf(RICH);
/** An order at risk of missing its due date, on every day this may run. */
const AT_RISK = {
  ...orderPayload({ streetAddress: '9 Elm Street' }),
  dueDate: format(addDays(new Date(), 2), 'yyyy-MM-dd'),
};

let workspace: TemporaryWorkspace;
let sandbox: SandboxControls & AsyncDisposable;

beforeAll(async () => {
  sandbox = await startSandboxHere();
  // One order after the other: so each always gets the same project, and the same fate.
  workspace = await temporaryWorkspace({
    env: sandbox.lines,
    config: 'submit:\n  maxConcurrency: 1\ncollect:\n  images: referenced\n',
    inbox: { 'a rich order.csv': RICH_CSV, 'broken.xlsx': 'no workbook' },
  });
  await cp(join(SAMPLES, '04-corrections.xlsx'), workspace.at('inbox/sample.xlsx'));
  await cp(workspace.at('inbox'), workspace.at('mine'), { recursive: true });
  await writeFile(workspace.at('mine/more.csv'), csvOf(AT_RISK));
});

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await workspace[Symbol.asyncDispose]();
});

const DAYS_S = 15 * 24 * 60 * 60;

const inWorkspace = (...args: readonly string[]): readonly string[] => [...args, '--workspace', workspace.path];
const mine = (name: string): string => workspace.at('mine', name);
const at = (...parts: readonly string[]): string => workspace.at(...parts);

test.each<{ name: string; args: () => readonly string[]; code: number; days?: boolean }>([
  { name: 'init', args: () => ['init', at('new')], code: 0 },
  { name: 'template', args: () => ['template', at('orders.xlsx')], code: 0 },
  { name: 'error', args: () => ['run', '--workspace', at('new')], code: 2 },
  {
    name: 'check',
    args: () => inWorkspace('check', ...['sample.xlsx', 'a rich order.csv', 'broken.xlsx'].map(mine)),
    code: 3,
  },
  { name: 'doctor', args: () => inWorkspace('doctor'), code: 0 },
  { name: 'rehearse', args: () => inWorkspace('rehearse'), code: 3 },
  { name: 'run', args: () => inWorkspace('run'), code: 3 },
  { name: 'submit', args: () => inWorkspace('submit', mine('more.csv')), code: 0 },
  { name: 'status', args: () => inWorkspace('status'), code: 0 },
  { name: 'collect', args: () => inWorkspace('collect'), code: 3, days: true },
  { name: 'status-question', args: () => inWorkspace('status', 'a rich order.csv'), code: 0 },
  { name: 'projects', args: () => inWorkspace('projects'), code: 0 },
  { name: 'show', args: () => inWorkspace('show', '100001'), code: 0 },
  { name: 'follow', args: () => inWorkspace('follow', '100001'), code: 0 },
  { name: 'collect-named', args: () => inWorkspace('collect', '100001'), code: 0 },
  { name: 'cancel', args: () => inWorkspace('cancel', 'T-1', 'nothing of the kind'), code: 3 },
  { name: 'verify', args: () => inWorkspace('verify'), code: 0 },
  { name: 'prune', args: () => inWorkspace('prune', '--dry-run'), code: 0 },
  { name: 'backup', args: () => inWorkspace('backup'), code: 0 },
  { name: 'recover', args: () => inWorkspace('recover'), code: 0 },
  { name: 'support-bundle', args: () => inWorkspace('support-bundle', at('bundle.zip')), code: 0 },
])('$name --json prints the shape of the snapshot', async ({ name, args, code, days }) => {
  await sandbox.advance(days === true ? DAYS_S : 0);
  const ended = await callHere([...args(), '--json']);
  expect(ended).toMatchObject({ code });
  const document = oneDocument(ended);
  if (name === 'rehearse') await rm((document as { folder: string }).folder, { recursive: true });
  expect(epochTimes(document)).toEqual([]);
  await expect(shapeOf(document)).toMatchFileSnapshot(`json-shapes/${name}.txt`);
});

test('sandbox --json prints the shape of the snapshot', async () => {
  const { code } = await serveHere(['--json'], async (stdout) => {
    await expect(shapeOf(JSON.parse(stdout))).toMatchFileSnapshot('json-shapes/sandbox.txt');
  });
  expect(code).toBe(0);
});

function csvOf(order: object): string {
  return `${Object.keys(order).join(',')}\n${Object.values(order).join(',')}\n`;
}
