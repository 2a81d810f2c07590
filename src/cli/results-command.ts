import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ExplainedError, messageOf } from '../domain/errors.ts';
import type { ResultColumn } from '../domain/project.ts';
import { systemClock } from '../ops/system.ts';
import { workspaceAt, type Workspace } from '../ops/workspace.ts';
import { lookIntoLedger } from '../recover/guarded-ledger.ts';
import { DEFAULT_RULES_FILE } from '../results/attention/rules.ts';
import { columnChoiceToStartFrom } from '../results/column-choice.ts';
import { type CommandResult, EXIT } from './exit-codes.ts';

/** Writes the file that `results.columns` or `results.attention` can name, as things stand. Relative paths start at the workspace. */
export async function resultsCommand(what: 'columns' | 'attention', file: string, workspaceDir: string): Promise<CommandResult> {
  const workspace = workspaceAt(workspaceDir);
  const path = resolve(workspace.root, file);
  const text = what === 'attention' ? await readFile(DEFAULT_RULES_FILE, 'utf8') : columnChoiceToStartFrom(await columnsOnRecord(workspace));
  await writeFile(path, text, { flag: 'wx' }).catch((failure: unknown) => {
    const there = failure instanceof Error && 'code' in failure && failure.code === 'EEXIST';
    throw new ExplainedError(there ? `${path} is there already.` : `${path} cannot be written: ${messageOf(failure)}`, { kind: 'usage', hint: 'Name another file.', cause: failure });
  });
  return { exitCode: EXIT.done, json: { file: path }, text: `Wrote ${path}.\nTo use it, set in config.yaml:\n\nresults:\n  ${what}: ${file}\n` };
}

async function columnsOnRecord(workspace: Workspace): Promise<readonly ResultColumn[]> {
  const looked = await lookIntoLedger(workspace, systemClock);
  if (looked.ledger === null) return [];
  await using ledger = looked.ledger;
  return await ledger.resultColumns();
}
