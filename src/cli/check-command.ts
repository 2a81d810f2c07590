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
import { lookIntoLedger } from '../recover/guarded-ledger.ts';
import { senderOf } from '../submit/file-moves.ts';
import { inFrontOf, TonightsOrders } from '../submit/tonights-orders.ts';
import { FilesApart } from './files-apart.ts';
import { checkFile, type FileToCheck } from './check-file.ts';
import { checkedFilesJson, type CheckedFile, describeFile } from './check-report.ts';
import { type CommandResult, exitCodeOf } from './exit-codes.ts';

/**
 * A dry run over files, as if they were all dropped tonight: reads and validates, forecasts duplicates against the ledger and among the
 * files, writes the corrections workbooks, sends nothing and records nothing. What would not fit in memory stands in a temporary folder,
 * which is gone once the result is printed.
 */
export async function checkCommand(paths: readonly string[], workspaceDir: string, withJson: boolean): Promise<CommandResult> {
  const workspace = workspaceAt(workspaceDir);
  const toCheck = await filesToCheck(paths, workspace);
  const config = await loadConfig(workspace.root);
  await using ledger = await openForLooking(workspace);
  using opened = new DisposableStack();
  const scratch = await mkdtemp(join(tmpdir(), 'inspection-batch-'));
  opened.defer(() => rmSync(scratch, { recursive: true, force: true }));
  const putAside = (name: string): TextSpool => opened.use(new TextSpool(join(scratch, name)));
  const now = systemClock.now();
  const tonight = new TonightsOrders(putAside('orders'), now);
  const night = { config, workspace, files: new FilesApart(new AbortController().signal, silentLog), ledger, now, tonight, known: inFrontOf(tonight, ledger), scratch, putAside, withJson, taken: new Map<string, string>() };
  const files: CheckedFile[] = [];
  for (const file of toCheck) files.push(await checkFile(file, files.length, night));
  const exitCode = exitCodeOf({ news: files.some((file) => file.outcome === 'unreadable' || file.rows.rejected > 0) });
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
async function openForLooking(workspace: Workspace): Promise<Ledger | null> {
  const { ledger, problem } = await lookIntoLedger(workspace, systemClock);
  if (problem !== null) process.stderr.write(`${problem.message} What was ordered before may not be known here.\n${problem.hint}\n`);
  return ledger;
}

/** The files that are meant, each once; a folder stands for what a run would take from it. Throws ExplainedError where there is nothing. */
async function filesToCheck(paths: readonly string[], workspace: Workspace): Promise<readonly FileToCheck[]> {
  const missing: string[] = [];
  const empty: string[] = [];
  const files = new Map<string, FileToCheck>();
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
