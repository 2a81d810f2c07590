import { existsSync, statSync } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { format } from 'date-fns/format';
import { usageError } from '../domain/errors.ts';
import { copyLedger, type TableCounts } from '../ledger/ledger-file.ts';
import { sha256OfFile, syncFolder } from '../ops/durable-files.ts';
import { systemClock } from '../ops/system.ts';
import { workspaceAt, type Workspace } from '../ops/workspace.ts';
import { ledgerPathOf, ledgerStanding, refusal } from '../recover/guarded-ledger.ts';
import { type CommandResult, done } from './exit-codes.ts';

/**
 * Copies the ledger, even during a run. The copy gets its name only after a full check found nothing wrong with it, and every table has as many
 * rows as the ledger had at that instant. Throws ExplainedError (2).
 */
export async function backupCommand(to: string | undefined, workspaceDir: string): Promise<CommandResult> {
  const workspace = workspaceAt(workspaceDir);
  const { look, problem } = await ledgerStanding(workspace, 'header');
  // A copy of an outdated ledger would only hide that it is outdated.
  if (problem !== null) throw refusal(problem);
  if (look.kind !== 'there') throw usageError('Nothing is on record here yet.', 'Name the workspace with --workspace.');
  const path = targetOf(to, workspace);
  await mkdir(dirname(path), { recursive: true });
  const { orders = 0, projects = 0, files = 0 } = await copyChecked(ledgerPathOf(workspace), path);
  const { size: bytes } = await stat(path);
  const inside = relative(workspace.root, path);
  const shown = inside.startsWith('..') ? path : inside.replaceAll(sep, '/');
  const text = `Copied the ledger to ${shown}: ${orders} orders, ${projects} projects, ${files} files. The copy was checked, and is what the ledger is.`;
  return done(text, { file: shown, bytes, sha256: await sha256OfFile(path), orders, projects, files });
}

/** `to` is a new file or a folder. It must lie outside `state/`, so that ledger and copy are not lost together. */
function targetOf(to: string | undefined, workspace: Workspace): string {
  const name = `ledger-${format(systemClock.now(), 'yyyyMMdd-HHmmss')}.sqlite`;
  const given = resolve(to ?? join(workspace.root, 'backups'));
  const path = to === undefined || (existsSync(given) && statSync(given).isDirectory()) ? join(given, name) : given;
  if (!relative(workspace.state, path).startsWith('..')) throw usageError(`${path} is in state/, where the ledger itself is.`, 'Name a file outside it, best on another disk.');
  if (existsSync(path)) throw usageError(`${path} is there already.`, 'Name another file, or a folder: then the name is made of the time.');
  return path;
}

async function copyChecked(ledger: string, path: string): Promise<TableCounts> {
  const partial = join(dirname(path), `.ledger-${process.pid}-${systemClock.now()}.partial`);
  try {
    const { found, counts, copied } = await copyLedger(ledger, partial);
    const odd = Object.keys(counts).filter((table) => counts[table] !== copied[table]);
    if (found !== 'ok' || odd.length > 0) {
      const what = found === 'ok' ? `rows of ${odd.join(', ')} are missing` : found;
      throw usageError(`The copy is not what the ledger is, and was removed: ${what}.`, 'Run `inspection-batch doctor`: it reads every page of the ledger.');
    }
    await using file = await open(partial, 'r');
    await file.sync();
    await rename(partial, path);
    await syncFolder(dirname(path));
    return counts;
  } finally {
    await rm(partial, { force: true });
  }
}
