import { rmSync } from 'node:fs';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { usageError } from '../domain/errors.ts';
import { silentLog } from '../domain/ports.ts';
import { visibleLine } from '../domain/text.ts';
import { listDropped } from '../ops/inbox.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { loadConfig } from '../ops/config.ts';
import { systemClock } from '../ops/system.ts';
import { TextSpool } from '../ops/text-spool.ts';
import { workspaceAt, type Workspace } from '../ops/workspace.ts';
import { openToLook } from '../ledger/ledger-file.ts';
import { openSqliteLedger } from '../ledger/open-ledger.ts';
import { scratchOver } from '../ledger/scratch-ledger.ts';
import { ledgerStanding } from '../recover/guarded-ledger.ts';
import { DuplicateForecast } from '../submit/duplicate-forecast.ts';
import { type ClaimedFile, senderOf } from '../submit/file-moves.ts';
import { FilesApart } from './files-apart.ts';
import { checkFile } from './check-file.ts';
import { checkedFilesJson, type CheckedFile, describeFile } from './check-report.ts';
import { type CommandResult, exitCodeOfCheck } from './exit-codes.ts';

/**
 * A dry run over files, as if they were all dropped tonight: a run's own take-in of them, on a scratch ledger over the workspace's, which is only
 * read. Forecasts what the service would say of each row, writes the corrections workbooks, sends nothing and records nothing. What would not fit in memory stands in a temporary folder,
 * which is gone once the result is printed.
 */
export async function checkCommand(paths: readonly string[], workspaceDir: string, withJson: boolean): Promise<CommandResult> {
  const workspace = workspaceAt(workspaceDir);
  const toCheck = await filesToCheck(paths, workspace);
  const config = await loadConfig(workspace.root);
  using opened = new DisposableStack();
  const scratch = await mkdtemp(join(tmpdir(), 'inspection-batch-'));
  opened.defer(() => rmSync(scratch, { recursive: true, force: true }));
  const now = systemClock.now();
  const clock = { now: () => now };
  await using onRecord = await openForLooking(workspace, scratch);
  await using dry = openSqliteLedger(join(scratch, 'ledger.sqlite'), { clock, account: onRecord?.account ?? 'nobody', openedFor: 'scratch' });
  const context = {
    config,
    workspace,
    files: new FilesApart(new AbortController().signal, silentLog),
    clock,
    ledger: scratchOver(dry, onRecord),
    forecast: new DuplicateForecast(onRecord?.knownProjects ?? null, config.submit, now),
    scratch,
    putAside: (name: string): TextSpool => opened.use(new TextSpool(join(scratch, name))),
    withJson,
  };
  const files: CheckedFile[] = [];
  for (const file of toCheck) files.push(await checkFile(file, files.length, context));
  const exitCode = exitCodeOfCheck(files);
  const text = files.map(describeFile).join('\n\n');
  if (!withJson) return { exitCode, text, json: undefined };
  const kept = opened.move();
  const jsonText = function* (): Generator<string> {
    using _ = kept;
    yield* checkedFilesJson(files, exitCode);
  };
  return { exitCode, text, json: undefined, jsonText };
}

/** The workspace's ledger where there is one, so that repeats of what is on record are seen. */
async function openForLooking(workspace: Workspace, scratch: string): Promise<Ledger | null> {
  const { path, look, problem } = await ledgerStanding(workspace, 'header');
  if (problem !== null) process.stderr.write(`${problem.message} What was ordered before may not be known here.\n${problem.hint}\n`);
  const account = look.kind === 'there' ? look.account : null;
  return account === null ? null : await openToLook(path, { clock: systemClock, account }, join(scratch, 'copied.sqlite'));
}

/** The files that are meant, each once; a folder stands for what a run would take from it. Throws ExplainedError where there is nothing. */
async function filesToCheck(paths: readonly string[], workspace: Workspace): Promise<readonly ClaimedFile[]> {
  const missing: string[] = [];
  const empty: string[] = [];
  const files = new Map<string, ClaimedFile>();
  for (const given of paths) {
    const path = resolve(given);
    const found = await stat(path).catch(() => null);
    if (found === null) missing.push(given);
    else if (!found.isDirectory() && !found.isFile()) throw usageError(`${given} is no file but a pipe, a socket or a device.`, 'Name a spreadsheet. Nothing was checked.');
    else if (!found.isDirectory()) files.set(path, { path, name: visibleLine(basename(path)), sender: senderAt(path, workspace) });
    else {
      const inside = (await listDropped(path)).files;
      if (inside.length === 0) empty.push(given);
      for (const file of inside) files.set(file.path, { path: file.path, name: visibleLine(file.name), sender: senderOf(file.folder) });
    }
  }
  if (missing.length > 0) throw usageError(`There is no such file: ${missing.join(', ')}`, 'Nothing was checked.');
  if (files.size === 0) throw usageError(`There is no file in ${empty.join(', ')}`);
  return [...files.values()];
}

/** Whose file it is, where it lies in a sender's folder of the inbox. */
function senderAt(path: string, workspace: Workspace): string {
  const folder = dirname(path);
  return dirname(folder) === workspace.inbox ? senderOf(basename(folder)) : '';
}
