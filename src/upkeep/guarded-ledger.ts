import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { usageError, hintFor, usageErrorOf } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import type { ServiceAccount } from '../domain/service-account.ts';
import { isOfThisVersion, ledgerDamaged } from '../ledger/sqlite-driver.ts';
import {
  backUpLedgerFile,
  type ReadDepth,
  generationBelowWal,
  inspectLedgerFile,
  mergeWal,
} from '../ledger/ledger-file.ts';
import type { Ledger, LedgerInspection } from '../ledger/ledger.ts';
import { copyDurably, filesBelow, folderMode, syncFolder } from '../ops/durable-files.ts';
import {
  fingerprintOf,
  LEDGER_MARK,
  type LedgerMark,
  OpenLedgerMark,
  readLedgerMark,
  withAccount,
} from '../ops/ledger-mark.ts';
import { systemClock } from '../ops/system.ts';
import type { Workspace } from '../ops/workspace.ts';
import { chooseAccount, isLatestName, type LedgerProblem, type RecordOwner } from './whose-records.ts';
import { type LedgerPlace, ledgerPlaceOf, inspectLedgerPlace, openAt, placeOnMark } from './ledger-place.ts';
import { type Parts, sentence } from '../domain/sentences.ts';

// A ledger older than its workspace lacks orders and would place them again. So both have a generation: every commit
// advances the ledger's, then the workspace's. A kill between them leaves the ledger newer, which is harmless; an older
// ledger was put there by somebody.

export type LedgerCondition = Readonly<Awaited<ReturnType<typeof ledgerCondition>>>;

/**
 * Changes nothing. `quick unless closed`: reads only the header if size and times show a clean close. `whose`: the
 * workspace's account by default. `meant`: a place other than the one in the settings.
 */
export async function ledgerCondition(
  workspace: Workspace,
  depth: ReadDepth | 'quick unless closed',
  whose?: RecordOwner,
  meant?: LedgerPlace,
) {
  const found = await readLedgerMark(workspace);
  const mark = found === 'damaged' ? null : found;
  const place = meant ?? (await ledgerPlaceOf(workspace, mark));
  // Before opening, which would apply the -wal file.
  const isMixed = mark !== null && place.kind === 'sqlite' && isBesideAnothersWal(place.path, mark);
  const asLeft = mark?.closed != null && place.kind === 'sqlite' && mark.closed === (await fingerprintOf(place.path));
  const look: LedgerInspection = isMixed
    ? { kind: 'damaged', what: 'its -wal file belongs to another ledger' }
    : await inspectLedgerPlace(place, depth !== 'quick unless closed' ? depth : asLeft ? 'header' : 'quick');
  const notTheLatest = isMixed
    ? problem('mixed', 'ledger-wal', { path: place.path })
    : (elsewhere(place, mark) ?? (await problemOf(workspace, place.name, look, found)));
  const { account, question, own } = chooseAccount(look, mark, whose, notTheLatest !== null);
  return { place, look, mark, problem: notTheLatest ?? question ?? unfinished(look, account), own, account, question };
}

/** Two ledgers of a workspace would lack each other's orders. */
function elsewhere(place: LedgerPlace, mark: LedgerMark | null) {
  if (mark === null || mark.ledger === placeOnMark(place)) return null;
  if (mark.ledger === 'sqlite') return problem('elsewhere', 'ledger-elsewhere');
  const schema = mark.ledger.replace('postgres ', '');
  if (place.kind === 'sqlite') return problem('elsewhere', 'ledger-in-database', { schema });
  return problem('elsewhere', 'ledger-elsewhere/schema', { schema, name: place.name });
}

function isBesideAnothersWal(path: string, { base }: LedgerMark) {
  if (!existsSync(path) || !existsSync(`${path}-wal`) || statSync(`${path}-wal`).size === 0) return false;
  const below = generationBelowWal(path);
  return below !== null && below < base;
}

async function problemOf(
  workspace: Workspace,
  path: string,
  look: LedgerInspection,
  mark: LedgerMark | 'damaged' | null,
): Promise<LedgerProblem | null> {
  switch (look.kind) {
    case 'damaged': {
      const { message, hint = '' } = ledgerDamaged(path, look.what);
      return { kind: 'damaged', message, hint };
    }
    case 'missing':
    case 'empty': {
      const before =
        mark === null
          ? await historyOf(workspace)
          : `it was at ${mark === 'damaged' ? 'an unknown time' : formatGeneration(mark.generation)}`;
      const what = look.kind === 'missing' ? 'is missing' : 'is empty';
      return before === null ? null : problem(look.kind, 'ledger-fresh', { path, what, before });
    }
    case 'there':
      return mark === 'damaged'
        ? problem('unmarked', 'ledger-stale/unreadable', { mark: LEDGER_MARK })
        : staleness(path, look, mark, await historyOf(workspace));
  }
}

function staleness(
  path: string,
  { lineage, isUsed }: Extract<LedgerInspection, { kind: 'there' }>,
  mark: LedgerMark | null,
  history: string | null,
) {
  if (mark === null) {
    if (isUsed)
      return lineage === null ? null : problem('unmarked', 'ledger-stale/missing', { mark: LEDGER_MARK, path });
    return history === null ? null : problem('empty', 'ledger-fresh', { path, what: 'holds nothing', before: history });
  }
  if (lineage === null)
    return problem('older', 'ledger-stale/older', { path, generation: formatGeneration(mark.generation) });
  if (lineage.workspace !== mark.workspace) return problem('foreign', 'ledger-foreign', { path, mark: LEDGER_MARK });
  if (lineage.generation >= mark.generation) return null;
  const what = mark.ledger === 'sqlite' ? 'A backup was put in its place' : sentence('ledger-stale/restored');
  const wal = mark.closed === null && mark.ledger === 'sqlite' ? sentence('ledger-stale/wal') : '';
  const generation = formatGeneration(lineage.generation);
  const ofWorkspace = formatGeneration(mark.generation);
  return problem('older', 'ledger-stale/behind', { path, generation, ofWorkspace, what, wal });
}

function problem(kind: LedgerProblem['kind'], code: string, parts: Parts = {}) {
  const recover = sentence('ledger-older/hint');
  const hint = hintFor(code, { ...parts, hint: recover }) ?? recover;
  return { kind, message: `${sentence(code, parts)} Nothing was sent.`, hint };
}

function unfinished(look: LedgerInspection, account: string | null) {
  if (look.kind !== 'there' || account === null || !look.recovering.includes(account)) return null;
  return problem('unfinished', 'ledger-unfinished');
}

async function historyOf({ archive, deliveries }: Workspace) {
  if ((await filesBelow(archive).catch(() => [])).length > 0) return 'archive/ holds files';
  const runs = await readdir(deliveries).catch(() => []);
  return runs.some((name) => !name.startsWith('.')) ? 'deliveries/ is not empty' : null;
}

function formatGeneration(generation: number) {
  return new Date(generation)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

export interface GuardedLedger extends AsyncDisposable {
  readonly ledger: Ledger;
}

/**
 * For a command that sends or records. Throws ExplainedError (`usage`) without change if the ledger is older than its
 * workspace, missing, empty, damaged, another's, or under recovery, or if the settings name another account.
 */
export async function openGuardedLedger(workspace: Workspace, options: OpenOptions) {
  const condition = await ledgerCondition(workspace, 'quick unless closed', options.account);
  if (condition.problem !== null) throw ledgerError(condition.problem);
  return openMarked(workspace, condition, options);
}

type OpenOptions = Readonly<{
  clock: Clock;
  account: RecordOwner;
}>;

/** Null without records. Throws as `openGuardedLedger`. */
export async function accountOfCurrentLedger(workspace: Workspace) {
  const { account, problem: found } = await ledgerCondition(workspace, 'header');
  if (found !== null) throw ledgerError(found);
  return account;
}

export async function inspectLedger(workspace: Workspace, whose?: ServiceAccount) {
  const { place, look, problem: found, question, ...condition } = await ledgerCondition(workspace, 'header', whose);
  const account = look.kind === 'there' && question === null ? condition.account : null;
  const openedFor = place.kind === 'sqlite' && account !== null && isOfThisVersion(place.path) ? 'look' : 'record';
  return {
    ledger: account === null ? null : await openAt(place, { clock: systemClock, account, openedFor }),
    problem: found,
  };
}

export function ledgerError({ kind, message, hint }: LedgerProblem) {
  return usageError(kind === 'another-account' ? kind : `ledger-${kind}`, message, hint);
}

/** Advances ledger and workspace to one generation after `first` is recorded. */
export async function openMarked(
  workspace: Workspace,
  { place, look, mark, account: known }: LedgerCondition,
  { clock, account: whose }: OpenOptions,
  first: (ledger: Ledger) => Promise<void> = async () => {},
) {
  let open: OpenLedgerMark | null = null;
  const name = typeof whose === 'object' ? whose : null;
  const account = known ?? (typeof whose === 'object' ? whose.key : whose);
  await using opened = new AsyncDisposableStack();
  const lineage = look.kind === 'there' ? look.lineage : null;
  const ledger = opened.use(
    await openAt(place, {
      clock,
      account,
      committed: (generation) => open?.witness(generation),
      // Another database may have replaced the one that was checked.
      witnessed: () => open?.witnessed() ?? lineage?.generation ?? 0,
    }),
  );
  await first(ledger);
  if (name !== null && !isLatestName(look, name, account)) await ledger.nameAccount(name, account);
  const id = mark?.workspace ?? lineage?.workspace ?? (place.kind === 'postgres' ? place.workspace : randomUUID());
  const later = Math.max(mark?.generation ?? 0, lineage?.generation ?? 0) + 1;
  const generation = await ledger.moveOn(id, Math.max(clock.now(), later));
  open = await OpenLedgerMark.open(workspace, {
    workspace: id,
    generation,
    base: place.kind === 'sqlite' ? baseOf(place.path) : 0,
    closed: null,
    ledger: placeOnMark(place),
    ...withAccount(mark ?? { accounts: [], names: [] }, account, clock.now(), name?.key ?? null),
  });
  const marked = open;
  const resources = opened.move();
  return {
    ledger,
    [Symbol.asyncDispose]: async () => {
      try {
        await resources.disposeAsync();
      } finally {
        marked.close(place.kind === 'sqlite' ? await fingerprintOf(place.path) : null);
      }
    },
  };
}

function baseOf(path: string) {
  mergeWal(path);
  return generationBelowWal(path) ?? 0;
}

export type LedgerInRecovery = Awaited<ReturnType<typeof openForRecovery>>;

/**
 * Puts a named backup in the ledger's place, or moves a damaged ledger away. Records the recovery in the ledger before
 * the workspace notes it. Throws ExplainedError (`usage`).
 */
export async function openForRecovery(workspace: Workspace, from: string | undefined, options: OpenOptions) {
  const { question, place, mark: markFound } = await ledgerCondition(workspace, 'header', options.account);
  if (question !== null) throw ledgerError(question);
  if (place.kind === 'postgres' && from !== undefined) throw usageErrorOf('backup-of-a-database');
  const replaced = from === undefined ? null : await putBack(resolve(from), place.name, markFound);
  let condition = await ledgerCondition(workspace, 'quick', options.account);
  if (condition.problem?.kind === 'foreign' || condition.problem?.kind === 'elsewhere')
    throw ledgerError(condition.problem);
  // The ledger may be intact, with another ledger's -wal file.
  const isMixed = condition.problem?.kind === 'mixed';
  const kept =
    condition.look.kind === 'damaged'
      ? await setLedgerAside(place.name, isMixed ? FILES_OF_LEDGER.slice(1) : FILES_OF_LEDGER)
      : null;
  if (kept !== null) condition = await ledgerCondition(workspace, 'quick', options.account);
  if (condition.look.kind === 'damaged')
    throw ledgerError(condition.problem ?? { kind: 'damaged', message: `${place.name} is damaged.`, hint: '' });
  const { look, mark } = condition;
  const oldSince = look.kind === 'there' ? (look.lineage?.generation ?? 0) : 0;
  const begin = async (ledger: Ledger) => void (await ledger.beginRecovery(oldSince));
  const guarded = await openMarked(workspace, condition, options, begin);
  return { ...guarded, accounts: mark?.accounts ?? [], kept: kept ?? replaced };
}

/** Complete and synced before anything moves; one rename replaces the ledger. */
async function putBack(backup: string, path: string, mark: LedgerMark | null) {
  if (backup === path) throw usageErrorOf('backup-is-the-ledger', { backup });
  const look = inspectLedgerFile(backup, 'whole');
  if (look.kind !== 'there') {
    const missing = look.kind === 'missing' ? 'is not there' : 'holds no ledger';
    const why = look.kind === 'damaged' ? `is damaged (${look.what})` : missing;
    throw usageErrorOf('backup-not-usable/as-found', { backup, why });
  }
  if (mark !== null && look.lineage !== null && look.lineage.workspace !== mark.workspace)
    throw usageErrorOf('backup-of-another-workspace', { backup });
  const partial = join(dirname(path), `.restored-${randomUUID()}.partial`);
  try {
    const { found } = await backUpLedgerFile(backup, partial);
    if (found !== 'ok') throw usageError('backup-not-usable', sentence('backup-not-usable', { backup, found }));
    await using file = await open(partial, 'r');
    await file.sync();
    const kept = existsSync(path) ? await setLedgerAside(path, FILES_OF_LEDGER, copyDurably) : null;
    for (const ending of FILES_OF_LEDGER.slice(1)) await rm(`${path}${ending}`, { force: true });
    await rename(partial, path);
    await syncFolder(dirname(path));
    return kept;
  } finally {
    await rm(partial, { force: true });
  }
}

export async function setLedgerAside(
  path: string,
  endings = FILES_OF_LEDGER,
  put: (from: string, to: string) => Promise<void> = rename,
) {
  const folder = await folderBeside(path);
  for (const file of endings.map((ending) => `${path}${ending}`))
    if (existsSync(file)) await put(file, join(folder, basename(file)));
  await syncFolder(dirname(path));
  return folder;
}

const FILES_OF_LEDGER = ['', '-wal', '-shm'];

/** `state/replaced-1`, `replaced-2` …: no ledger is ever deleted. */
async function folderBeside(path: string) {
  for (let number = 1; ; number += 1) {
    const folder = join(dirname(path), `replaced-${number}`);
    if (existsSync(folder)) continue;
    await mkdir(folder, { mode: folderMode() });
    return folder;
  }
}
