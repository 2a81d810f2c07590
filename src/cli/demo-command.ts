import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { usageError } from '../domain/errors.ts';
import { copyDurably } from '../ops/durable-files.ts';
import { packageFolder } from '../ops/system.ts';
import { environmentLines, type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { type CommandResult, endedWith, exitCodeOf, isDone } from './exit-codes.ts';
import { initCommand } from './init-command.ts';
import { runCommand, type RunSummary } from './run-command.ts';
import { table } from './terminal.ts';

/** Marks a folder that a demo made, and so may make anew. */
const MARK = '.inspection-batch-demo';

/** Long enough for the slowest project of the sandbox to come back. */
const SANDBOX_SECONDS = 15 * 24 * 60 * 60;

/**
 * The main job, end to end, with nothing configured: a fresh workspace with the sample files, a sandbox on loopback, a submission run,
 * two weeks of sandbox time, a follow-up run. Leaves the workspace to look at, and nothing running.
 */
export async function demoCommand(dir: string): Promise<CommandResult> {
  const root = resolve(dir);
  await freshFolder(root);
  await initCommand(root);
  await writeFile(join(root, MARK), 'Made by `inspection-batch demo`, which may remove and remake this folder.\n');
  await writeFile(join(root, 'config.yaml'), '# The demo need not wait for files to settle: nobody is still writing them.\nintake:\n  settleSeconds: 0\n');
  for (const name of await sampleNames()) await copyDurably(join(packageFolder(), 'samples', name), join(root, 'inbox', name));
  const sandbox = await startSandbox({ seed: 7, progressHours: { min: 24, max: 240 }, canceledShare: 0 });
  try {
    await writeFile(join(root, '.env'), environmentLines(sandbox), { mode: 0o600 });
    return await withoutOwnEnvironment(async () => {
      say('Submission run: reading the sample files, validating every row, ordering the inspections …');
      const submitted = await runCommand('submit', { workspace: root });
      say('Two weeks pass for the sandbox …');
      await advance(sandbox);
      say('Follow-up run: statuses, reports, summaries, photos, the results workbook …');
      const collected = await runCommand('collect', { workspace: root });
      return conclude(root, submitted, collected);
    });
  } finally {
    await sandbox.close();
  }
}

type Run = CommandResult & { readonly json: RunSummary };

function conclude(root: string, submitted: Run, collected: Run): CommandResult {
  const { files, orders } = submitted.json;
  const { projects, delivery } = collected.json;
  const rows = files.map((file) => [file.name, file.outcome, String(file.rows.read), String(file.rows.accepted), String(file.rows.rejected), file.corrections ?? '']);
  const seen = (path: string | null | undefined): string => (path ? relative(process.cwd(), join(root, path)) : '(none)');
  const text = [
    table(['File', 'Outcome', 'Rows', 'Accepted', 'Rejected', 'Corrections workbook'], rows),
    '',
    `Orders: ${orders.created} created, ${orders.linked} linked to an existing project, ${orders.skipped} skipped as repeats, ${orders.refused} refused.`,
    `Projects: ${projects.collected} collected, ${projects.outstanding} outstanding, ${projects.canceled} canceled.`,
    '',
    `Results workbook  ${seen(delivery?.workbook)}`,
    `HTML report       ${seen(delivery?.report)}`,
    `Reports archive   ${seen(delivery?.archive)}`,
    `Orders workbook   ${seen(submitted.json.delivery?.orders)}`,
    `Delivery          ${seen(delivery?.folder)}`,
    '',
    `Rows to fix are in ${seen('corrections')}. Look around in ${seen('.') || '.'}; the sandbox is stopped.`,
  ].join('\n');
  const isWhole = submitted.json.orders.created > 0 && collected.json.delivery?.workbook != null && isDone(submitted.exitCode) && isDone(collected.exitCode);
  return endedWith(exitCodeOf({ fault: !isWhole }), text, { submit: submitted.json, collect: collected.json });
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function freshFolder(root: string): Promise<void> {
  if (existsSync(root) && (await readdir(root)).length > 0) {
    if (!existsSync(join(root, MARK))) {
      throw usageError(`${root} is not empty, and no earlier demo made it.`, 'Name another folder: inspection-batch demo --workspace DIR');
    }
    await rm(root, { recursive: true });
  }
  await mkdir(root, { recursive: true });
}

async function sampleNames(): Promise<readonly string[]> {
  return (await readdir(join(packageFolder(), 'samples'))).filter((name) => /\.(xlsx|csv)$/.test(name)).toSorted();
}

/** Hides the environment's own settings: the demo talks to its sandbox. */
async function withoutOwnEnvironment<T>(work: () => Promise<T>): Promise<T> {
  const kept = Object.entries(process.env).filter(([name]) => name.startsWith('INSPECTION_'));
  for (const [name] of kept) delete process.env[name];
  try {
    return await work();
  } finally {
    for (const [name, value] of kept) process.env[name] = value;
  }
}

async function advance(sandbox: Sandbox): Promise<void> {
  const answer = await fetch(`${sandbox.controlUrl}/time`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advanceSeconds: SANDBOX_SECONDS }),
  });
  if (!answer.ok) throw new Error(`the sandbox did not move its clock: ${answer.status}`);
}
