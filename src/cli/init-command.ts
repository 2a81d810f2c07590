import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { templateText } from '../contract/template-data.ts';
import { messageOf, usageError, usageErrorOf } from '../domain/errors.ts';
import { sentence } from '../domain/sentences.ts';
import { copyDurably, makeFolder, writeDurably } from '../ops/durable-files.ts';
import { packageFolder } from '../ops/system.ts';
import { ensureWorkspace, forgetInbox, type Workspace, workspaceAt } from '../ops/workspace.ts';
import { inspectLedger } from '../upkeep/guarded-ledger.ts';
import { DEFAULT_RULES_FILE } from '../results/attention/rules.ts';
import { initialColumnChoice } from '../results/column-choice.ts';
import { explainFolderFaults } from '../night/scratch.ts';
import { success } from './terminal.ts';

export async function initCommand(dir: string) {
  return explainFolderFaults(resolve(dir), () => layOut(dir));
}

async function layOut(dir: string) {
  const workspace = workspaceAt(dir);
  const { root } = workspace;
  await makeFolder(root);
  await forgetInbox(workspace);
  await ensureWorkspace(workspace);
  const made: string[] = [];
  const make = async (name: string, write: (path: string) => Promise<void>) => {
    const path = join(root, name);
    if (existsSync(path)) return;
    await write(path);
    made.push(name);
  };
  await make('config.yaml', (path) => writeDurably(path, templateText('config.yaml')));
  await make('.env.example', (path) => writeDurably(path, templateText('env.example')));
  await make('inspection-orders-template.xlsx', copyTemplate);
  const sample = join(packageFolder(), 'samples', '01-filled-template.xlsx');
  await make('sample-orders.xlsx', (path) => copyDurably(sample, path));
  const text = [
    `The workspace is ready: ${root}`,
    made.length === 0 ? 'Everything already exists; nothing was changed.' : `Made: ${made.join(', ')}`,
    '',
    sentence('init/next', { dir }),
  ].join('\n');
  return success(text, { workspace: root, made });
}

export function refuseExisting(file: string, hint = 'Name another file, or move that one away.') {
  if (existsSync(file)) throw usageError('target-exists', `${file} already exists.`, hint);
}

export async function templateCommand(file: string) {
  const path = resolve(file);
  if (!/\.xlsx$/i.test(file)) throw usageErrorOf('template-not-xlsx', { file });
  refuseExisting(file);
  await explainFolderFaults(dirname(path), () => copyTemplate(path));
  return success(`Wrote ${file}`, { file });
}

async function copyTemplate(path: string) {
  await copyDurably(join(packageFolder(), 'templates', 'inspection-orders.xlsx'), path);
}

/** `file` is relative to the workspace. */
export async function resultsCommand(what: 'columns' | 'attention', file: string, workspaceDir: string) {
  const workspace = workspaceAt(workspaceDir);
  const path = resolve(workspace.root, file);
  refuseExisting(path, 'Name another file.');
  const content =
    what === 'attention'
      ? await readFile(DEFAULT_RULES_FILE, 'utf8')
      : initialColumnChoice(await columnsOnRecord(workspace));
  await writeFile(path, content, { flag: 'wx' }).catch((failure: unknown) => {
    throw usageErrorOf('target-not-writable', { path, failure: messageOf(failure) }, failure);
  });
  const text = `Wrote ${path}.\nTo use it, set in config.yaml:\n\nresults:\n  ${what}: ${file}\n`;
  return success(text, { file });
}

async function columnsOnRecord(workspace: Workspace) {
  await using ledger = (await inspectLedger(workspace)).ledger;
  return (await ledger?.resultColumns()) ?? [];
}
