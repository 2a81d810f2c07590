import { mkdir, readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { format } from 'date-fns/format';
import { parse as parseTime } from 'date-fns/parse';
import { localDay } from '../domain/day.ts';
import { distinctFileName } from '../collect/project-files.ts';
import type { DeliveryIndex } from '../domain/delivery.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import { parseRowKey } from '../intake/own-workbooks.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { copyDurably, filesBelow, sha256OfFile } from '../ops/durable-files.ts';
import { isDecisionsFolder } from '../ops/list-inbox.ts';
import type { LedgerMark } from '../ops/ledger-mark.ts';
import { readDeliveryIndex } from '../ops/read-delivery.ts';
import { isSystemError } from '../domain/errors.ts';
import type { Workspace } from '../ops/workspace.ts';
import { writeAllPendingCorrections } from '../submit/corrections.ts';
import { takeInArchivedDecisions } from '../submit/decisions.ts';
import { pathIn } from '../submit/claimed-files.ts';
import { hasOpenRows } from '../submit/read-again.ts';
import { takeInArchived, type TakeInContext } from '../submit/take-in.ts';

type ArchivedFile = Readonly<NonNullable<Awaited<ReturnType<typeof archivedFile>>>>;

export type ArchiveContext = TakeInContext &
  Readonly<{
    accounts: LedgerMark['accounts'];
    adopt: () => Promise<void>;
    adoptAmended: () => Promise<void>;
  }>;

/** By day and time; a corrections workbook after its original. */
export async function takeInForgottenFiles(context: ArchiveContext) {
  const found = { files: 0, rows: 0, decisions: 0, ofOthers: [] as string[], unreadable: [] as string[] };
  const forgotten = await forgottenFiles(context, found);
  const waiting = forgotten.filter(({ sender }) => !isDecisionsFolder(sender));
  const decided = forgotten.filter(({ sender }) => isDecisionsFolder(sender));
  for (let at = 0; waiting.length > 0;) {
    const file = waiting[at] ?? waiting[0];
    if (file === undefined) break;
    const keys = await keysIn(file, context);
    const isLater =
      at < waiting.length &&
      waiting.some(
        (other) => other !== file && keys?.some(({ content }) => content !== null && other.hash.startsWith(content)),
      );
    if (isLater) {
      at += 1;
      continue;
    }
    waiting.splice(waiting.indexOf(file), 1);
    at = 0;
    if (keys === null) {
      found.unreadable.push(file.archivedAs);
      continue;
    }
    await noteWhatWentBack(keys, file.archivedAs, context.ledger);
    const recorded = await takeInArchived(file, { ...context, clock: { now: () => file.archivedAt } });
    if (recorded === null) continue;
    found.files += 1;
    found.rows += recorded.rowsAccepted + recorded.rowsRejected;
    await context.adopt();
  }
  await context.adoptAmended();
  for (const file of decided) await takeUpDecisions(file, context, found);
  return found;
}

/** Decisions are about projects: orders must have theirs. */
async function takeUpDecisions(
  file: ArchivedFile,
  context: ArchiveContext,
  found: { files: number; decisions: number; readonly unreadable: string[] },
) {
  try {
    found.decisions += await takeInArchivedDecisions(file, context);
    found.files += 1;
  } catch (failure) {
    if (!(failure instanceof UnreadableFileError)) throw failure;
    found.unreadable.push(file.archivedAs);
  }
}

/** The missing ones are written later. */
export async function recordExistingCorrections(context: TakeInContext) {
  const { workspace, ledger, files } = context;
  for (const path of await filesBelow(workspace.corrections)) {
    if (!path.endsWith('.xlsx')) continue;
    const name = pathIn(workspace, path);
    await noteWhatWentBack((await keysIn({ path, name: basename(path) }, context)) ?? [], name, ledger);
  }
  await writeAllPendingCorrections({ ledger, workspace, files });
}

type Key = NonNullable<ReturnType<typeof parseRowKey>>;

async function noteWhatWentBack(keys: readonly Key[], workbook: string, ledger: Ledger) {
  const written = new Map<number, number[]>();
  for (const { content, sheet, rowNumber } of keys) {
    const row = await ledger.rowNamed(content, sheet, rowNumber);
    if (row === null || row.isWrittenBack) continue;
    const reason = `It went back to its sender in ${workbook}.`;
    const refusal = { to: 'refused', code: 'went-back-before-recovery', reason } as const;
    if (row.orderId !== null && !(await ledger.moveOrder(row.orderId, 'unresolved', refusal))) continue;
    written.set(row.fileId, [...(written.get(row.fileId) ?? []), row.id]);
  }
  for (const [fileId, rowIds] of written) await ledger.markCorrected(fileId, rowIds, workbook);
}

async function keysIn(file: Readonly<{ path: string; name: string }>, { files, headers, clock }: TakeInContext) {
  try {
    await using reading = await files.read(file.path, file.name, { headers, today: localDay(clock.now()) });
    const keys = [];
    for await (const { record } of reading.rows()) {
      const key = record.correctsRow === null ? null : parseRowKey(record.correctsRow);
      if (key !== null) keys.push(key);
    }
    return keys;
  } catch (failure) {
    if (failure instanceof UnreadableFileError || isSystemError(failure)) return null;
    throw failure;
  }
}

async function forgottenFiles(
  { workspace, ledger, accounts }: ArchiveContext,
  { ofOthers, unreadable }: { ofOthers: string[]; unreadable: string[] },
) {
  const files = [];
  for (const path of await filesBelow(workspace.archive)) {
    const file = await archivedFile(path, workspace).catch((failure: unknown) => {
      if (!isSystemError(failure)) throw failure;
      unreadable.push(pathIn(workspace, path));
      return null;
    });
    if (file === null) continue;
    const readings = await ledger.readingsOf(file.hash);
    const interrupted = readings.find(({ archivedAs }) => archivedAs === null);
    if (interrupted !== undefined) await ledger.markArchived(interrupted.id, file.archivedAs);
    else if (readings.length > 0) {
      // Dropped again: open rows may have been read again since the copy.
      const isOther = !readings.some(({ archivedAs }) => archivedAs === file.archivedAs);
      if (isOther && (await hasOpenRows(readings, ledger))) files.push(file);
    } else if ((await ledger.isFileOfAnyAccount(file.hash)) || !isOwn(file, accounts, ledger.account))
      ofOthers.push(file.archivedAs);
    else files.push(file);
  }
  return files.toSorted(
    (a, b) => compare(dayOf(a), dayOf(b)) || a.savedAt - b.savedAt || compare(a.archivedAs, b.archivedAs),
  );
}

function isOwn({ archivedAt }: ArchivedFile, accounts: LedgerMark['accounts'], own: string) {
  const inUse = accounts.findLast(({ since }) => since <= archivedAt) ?? accounts[0];
  return inUse === undefined || inUse.account === own;
}

function dayOf({ archivedAt }: ArchivedFile) {
  return format(archivedAt, 'yyyy/MM/dd');
}

async function archivedFile(path: string, workspace: Workspace) {
  const [, day, sender = '', name] =
    /^(\d{4}\/\d{2}\/\d{2})\/(?:([^/]+)\/)?([^/]+)$/.exec(pathIn({ root: workspace.archive }, path)) ?? [];
  if (day === undefined || name === undefined) return null;
  const { mtimeMs, ctimeMs } = await stat(path);
  const noon = parseTime(`${day} 12`, 'yyyy/MM/dd HH', 0).getTime();
  return {
    path,
    name,
    sender,
    hash: await sha256OfFile(path),
    archivedAs: pathIn(workspace, path),
    archivedAt: format(ctimeMs, 'yyyy/MM/dd') === day ? Math.floor(ctimeMs) : noon,
    savedAt: mtimeMs,
  };
}

function compare(a: string, b: string) {
  return a < b ? -1 : a > b ? 1 : 0;
}

type IndexedFile = DeliveryIndex['projects'][number]['files'][number] & { readonly delivery: string };

/**
 * Of projects received since the ledger's copy, which the service no longer offers. They are in the deliveries'
 * indexes, and in `state/downloads/` or the delivery. Returns for how many projects all were found.
 */
export async function adoptStoredFiles({
  ledger,
  workspace,
  store,
}: Readonly<{ ledger: Ledger; workspace: Workspace; store: string }>) {
  const received = new Set(
    (await ledger.followedProjects())
      .filter(({ status, collectedAt }) => status === 'Client Received' && collectedAt === null)
      .map(({ id }) => id),
  );
  if (received.size === 0) return 0;
  let found = 0;
  for (const [projectId, files] of await filesDelivered(workspace, received)) {
    const known = new Set((await ledger.artifactsOf(projectId)).map(({ sha256 }) => sha256));
    let isComplete = true;
    for (const file of files.filter(({ sha256 }) => !known.has(sha256))) {
      const path = await placeOf(file, projectId, store);
      if (path === null) isComplete = false;
      else {
        const detail = file.kind === 'image' ? { mediaType: file.type } : {};
        await ledger.recordArtifact({ ...file, projectId, serviceId: file.id, detail, path: pathIn(workspace, path) });
      }
    }
    if (!isComplete) continue;
    await ledger.markCollected(projectId);
    found += 1;
  }
  return found;
}

/** The latest delivery with a project lists all its files. */
async function filesDelivered({ deliveries }: Workspace, wanted: ReadonlySet<string>) {
  const latest = new Map<string, readonly IndexedFile[]>();
  for (const run of (await readdir(deliveries)).filter((name) => !name.startsWith('.')).toSorted()) {
    const delivery = join(deliveries, run);
    const index = await readDeliveryIndex(join(delivery, 'index.json')).catch(() => null);
    for (const { projectId, files } of index?.projects ?? []) {
      const there = files.map((file) => ({ ...file, delivery }));
      if (wanted.has(projectId) && there.length > 0) latest.set(projectId, there);
    }
  }
  return latest;
}

/** Copies it back from a delivery if necessary. Null if none is intact. */
async function placeOf({ kind, id, version, path, sha256, delivery }: IndexedFile, projectId: string, store: string) {
  const isIt = async (candidate: string) => (await sha256OfFile(candidate).catch(() => '')) === sha256;
  const stored = join(store, projectId, `${distinctFileName(`${kind}-${id}`)}-v${version}${extname(path)}`);
  if (await isIt(stored)) return stored;
  const delivered = join(delivery, path);
  if (!(await isIt(delivered))) return null;
  await mkdir(dirname(stored), { recursive: true });
  await copyDurably(delivered, stored);
  return stored;
}
