import type { ForgottenDetails, Removal, RemovalKind } from '../ledger/ledger.ts';
import { loadConfig } from '../ops/config.ts';
import { systemClock } from '../ops/system.ts';
import { nothingOnRecord, workspaceAt } from '../ops/workspace.ts';
import { applyPrune, planPrune } from '../upkeep/prune.ts';
import { accountOfCurrentLedger, openGuardedLedger } from '../upkeep/guarded-ledger.ts';
import { success, tableOf } from './terminal.ts';
import { lockWorkspace } from '../night/workspace-lease.ts';
import { sentence } from '../domain/sentences.ts';

const NAMES: Readonly<Record<RemovalKind, string>> = {
  original: 'original files',
  receipt: 'receipts',
  delivery: 'deliveries',
  download: 'stored files of projects',
  thumbnail: 'thumbnails',
  log: 'logs',
};

/** Takes the run lock; needs no credentials. */
export async function pruneCommand(workspaceDir: string, dryRun: boolean) {
  const workspace = workspaceAt(workspaceDir);
  const { retention } = await loadConfig(workspace.root);
  const account = await accountOfCurrentLedger(workspace);
  if (account === null) throw nothingOnRecord(workspace);
  await using _lock = await lockWorkspace(workspace, 'prune');
  await using guarded = await openGuardedLedger(workspace, { clock: systemClock, account });
  const parts = { ledger: guarded.ledger, workspace, clock: systemClock };
  const plan = await planPrune(retention, parts);
  const { removals, details } = dryRun ? plan : await applyPrune(plan, parts);
  const { orders, rows } = details;
  const text = Object.values(retention).every((days) => days === null)
    ? sentence('prune/nothing')
    : describeRemovals(removals, details, dryRun);
  return success(text, { dryRun, removed: removals, bytes: bytesOf(removals), forgotten: { orders, rows } });
}

function describeRemovals(removals: readonly Removal[], details: ForgottenDetails, dryRun: boolean) {
  const list = dryRun ? removals.map(({ path, bytes }) => `  ${path}  ${formatSize(bytes)}`) : [];
  return [
    dryRun ? 'Would be removed (nothing was changed):' : 'Removed:',
    tableOf(
      Object.entries(NAMES).map(([kind, what]) => ({
        what,
        some: removals.filter((removal) => removal.kind === kind),
      })),
      { what: 'what', 'how many': ({ some }) => some.length, size: ({ some }) => formatSize(bytesOf(some)) },
    ),
    ...list,
    sentence('prune/details', { ...details, were: dryRun ? 'would be' : 'were' }),
  ].join('\n');
}

function bytesOf(removals: readonly Removal[]) {
  return removals.reduce((sum, { bytes }) => sum + bytes, 0);
}

function formatSize(bytes: number) {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'] as const;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1] ?? ''}`;
}
