import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ExplainedError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { copyLedger, lookAtLedger } from '../ledger/ledger-file.ts';
import { copyDurably, syncFolder } from '../ops/atomic-files.ts';
import { folderMode } from '../ops/file-modes.ts';
import { type LedgerMark, readLedgerMark } from '../ops/ledger-mark.ts';
import type { Workspace } from '../ops/workspace.ts';
import { type GuardedLedger, ledgerPathOf, ledgerStanding, openMarked, refusal } from './guarded-ledger.ts';

/** A ledger that is being recovered. */
export interface LedgerInRecovery extends GuardedLedger {
  /** The accounts that the workspace was used for before, as far as it remembers. */
  readonly accounts: LedgerMark['accounts'];
  /** The folder in which what stood in the ledger's place is kept; null where nothing was moved. */
  readonly kept: string | null;
}

/**
 * Puts a backup in the ledger's place, where one is named, takes a damaged one out of it, and opens what stands there then; it is on record as
 * being recovered before the workspace knows of it. Throws ExplainedError (exit code 2).
 */
export async function openForRecovery(workspace: Workspace, from: string | undefined, options: { readonly clock: Clock; readonly account: string }): Promise<LedgerInRecovery> {
  const path = ledgerPathOf(workspace);
  const replaced = from === undefined ? null : await putBack(resolve(from), path, await readLedgerMark(workspace));
  let standing = await ledgerStanding(workspace, 'quick', options.account);
  if (standing.problem?.kind === 'foreign') throw refusal(standing.problem);
  // The ledger itself may be whole where only the -wal file beside it is another's.
  const isMixed = standing.problem?.kind === 'mixed';
  const kept = standing.look.kind === 'damaged' ? await setAside(path, isMixed ? ['-wal', '-shm'] : ['', '-wal', '-shm']) : null;
  if (kept !== null) standing = await ledgerStanding(workspace, 'quick', options.account);
  if (standing.look.kind === 'damaged') throw refusal(standing.problem ?? { kind: 'damaged', message: `${path} is damaged.`, hint: '' });
  const { look, mark } = standing;
  const oldSince = look.kind === 'there' ? (look.lineage?.generation ?? 0) : 0;
  const guarded = await openMarked(workspace, standing, options, async (ledger) => void (await ledger.beginRecovery(oldSince)));
  return { ...guarded, accounts: mark?.accounts ?? [], kept: kept ?? replaced };
}

/** The copy is whole and on disk before anything is moved; the ledger's name changes hands in one rename. */
async function putBack(backup: string, path: string, mark: LedgerMark | 'damaged' | null): Promise<string | null> {
  if (backup === path) throw new ExplainedError(`${backup} is the ledger itself.`, { exitCode: 2, hint: 'Name the copy that is to take its place.' });
  const look = lookAtLedger(backup, 'whole');
  if (look.kind !== 'there') {
    const why = look.kind === 'missing' ? 'is not there' : look.kind === 'empty' ? 'holds no ledger' : `is damaged (${look.what})`;
    throw new ExplainedError(`The backup ${backup} ${why}. Nothing was changed.`, { exitCode: 2, hint: 'Name another backup; `inspection-batch recover` without one works from archive/ and the service alone.' });
  }
  if (mark !== null && mark !== 'damaged' && look.lineage !== null && look.lineage.workspace !== mark.workspace) {
    throw new ExplainedError(`The backup ${backup} is of another workspace. Nothing was changed.`, { exitCode: 2, hint: 'Name a backup of this one.' });
  }
  const partial = join(dirname(path), `.restored-${randomUUID()}.partial`);
  try {
    const { found } = await copyLedger(backup, partial);
    if (found !== 'ok') throw new ExplainedError(`The backup ${backup} could not be copied: ${found}. Nothing was changed.`, { exitCode: 2 });
    await using file = await open(partial, 'r');
    await file.sync();
    const kept = existsSync(path) ? await keepCopy(path) : null;
    for (const ending of ['-wal', '-shm']) await rm(`${path}${ending}`, { force: true });
    await rename(partial, path);
    await syncFolder(dirname(path));
    return kept;
  } finally {
    await rm(partial, { force: true });
  }
}

async function keepCopy(path: string): Promise<string> {
  const folder = await folderBeside(path);
  for (const ending of ['', '-wal', '-shm']) if (existsSync(`${path}${ending}`)) await copyDurably(`${path}${ending}`, join(folder, `${basename(path)}${ending}`));
  return folder;
}

async function setAside(path: string, endings: readonly string[]): Promise<string> {
  const folder = await folderBeside(path);
  for (const ending of endings) if (existsSync(`${path}${ending}`)) await rename(`${path}${ending}`, join(folder, `${basename(path)}${ending}`));
  await syncFolder(dirname(path));
  return folder;
}

/** `state/replaced-1`, `replaced-2` …: nothing that was a ledger is ever deleted. */
async function folderBeside(path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const folder = join(dirname(path), `replaced-${number}`);
    if (existsSync(folder)) continue;
    await mkdir(folder, { mode: folderMode() });
    return folder;
  }
}
