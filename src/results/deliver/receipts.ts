import { rm } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { localDay } from '../../domain/day.ts';
import type { Clock, Log } from '../../domain/ports.ts';
import { describeOrderedElsewhere, messageInFile } from '../../domain/row.ts';
import { sentence } from '../../domain/sentences.ts';
import { upperFirst } from '../../domain/text.ts';
import type { Ledger, FileRecord, RowStory, ReceiptRecord } from '../../ledger/ledger.ts';
import { exists, makeFolder, numberedName, replaceDurably } from '../../ops/durable-files.ts';
import { safeFileName } from '../../ops/safe-file-name.ts';
import type { RunLock } from '../../ops/run-lock.ts';
import { isSystemError } from '../../domain/errors.ts';
import type { Workspace } from '../../ops/workspace.ts';
import { type ReceiptState, writeReceiptWorkbook } from '../tables/receipt.ts';

type ReceiptContext = Readonly<{
  ledger: Ledger;
  workspace: Workspace;
  clock: Clock;
  log: Log;
  lock: Pick<RunLock, 'check'>;
  config: { readonly intake: { readonly receipts: boolean } };
}>;

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS_MAX = 90;
const DAYS_WHEN_DONE = 7;

/**
 * Writes the receipts whose rows changed, and removes those that end. A path is on record before its workbook, so that
 * a run after a kill finishes it under the same name. A workbook that cannot be replaced waits for the next run.
 */
export async function writeReceipts(context: ReceiptContext) {
  const { ledger, workspace, clock, log, lock, config } = context;
  const now = clock.now();
  const since = now - DAYS_MAX * DAY_MS;
  if (config.intake.receipts) for (const file of await ledger.filesWithoutReceipt(since)) await begin(file, context);
  for (const receipt of await ledger.openReceipts()) {
    await lock.check();
    const { fileId, file, state, shown, outstanding, writtenAt } = receipt;
    const path = join(workspace.root, receipt.path);
    const isSeen = outstanding === 0 && state === shown && now - writtenAt > DAYS_WHEN_DONE * DAY_MS;
    try {
      if (!config.intake.receipts || file.recordedAt < since || isSeen) {
        await rm(path, { force: true });
        await ledger.endReceipt(fileId);
      } else if (state !== shown) {
        if (await isOpenElsewhere(path)) throw Object.assign(new Error('open elsewhere'), { code: 'EBUSY' });
        await write(path, receipt, context);
        await ledger.noteReceipt(fileId, state);
      }
    } catch (failure) {
      if (!isSystemError(failure)) throw failure;
      log.warn('a receipt could not be replaced; the next run tries again', {
        file: fileId,
        code: (failure as NodeJS.ErrnoException).code,
      });
    }
  }
}

async function begin({ id, name, sender }: FileRecord, { ledger, workspace }: ReceiptContext) {
  const own = `${safeFileName(parse(name).name)} - receipt.xlsx`;
  for (let number = 1; number <= NAMES_MAX; number += 1) {
    const path = ['receipts', ...(sender === '' ? [] : [sender]), numberedName(own, number)].join('/');
    if (!(await exists(join(workspace.root, path))) && (await ledger.beginReceipt(id, path))) return;
  }
}

const NAMES_MAX = 1000;

/** Excel and LibreOffice keep a lock file next to an open workbook. */
async function isOpenElsewhere(path: string) {
  const marks = [`~$${basename(path)}`, `.~lock.${basename(path)}#`];
  return (await Promise.all(marks.map((mark) => exists(join(dirname(path), mark))))).includes(true);
}

async function write(path: string, { fileId, file }: ReceiptRecord, { ledger, clock }: ReceiptContext) {
  await makeFolder(dirname(path));
  await replaceDurably(path, (temporary) =>
    writeReceiptWorkbook(temporary, {
      file: file.name,
      recordedAt: file.recordedAt,
      writtenAt: clock.now(),
      // A clerk needs no encoding.
      notes: file.notes.flatMap(({ code, text }) => (code === 'text-format' ? [] : text)),
      rows: receiptRows(fileId, ledger),
    }),
  );
}

async function* receiptRows(fileId: number, ledger: Ledger) {
  for await (const standing of ledger.rowsOf(fileId)) {
    const { sheet, rowNumber } = standing.row.record.place;
    const { last, ...became } = await describeOutcome(standing, ledger);
    yield { ...standing.row.summary, sheet, rowNumber, ...became, projectId: last.projectId };
  }
}

/** `last`: the row that came in its place, if one did. */
export async function describeOutcome(standing: RowStory, ledger: Pick<Ledger, 'standingOfRow' | 'orderedElsewhere'>) {
  const last = (standing.replacedBy === null ? null : await ledger.standingOfRow(standing.replacedBy.id)) ?? standing;
  const [state, words] = standingInWords(last);
  const where = last.row.record.place;
  const elsewhere = last.openSince === null ? [] : await ledger.orderedElsewhere([last.row.summary]);
  const isFixed = last !== standing && state !== 'to fix' && state !== 'not ordered';
  return {
    last,
    state,
    isFixed,
    story: [
      ...(last === standing
        ? []
        : [`${isFixed ? 'Fixed' : 'Dropped again'} in ${last.row.fileName}, ${where.sheet} row ${where.rowNumber}.`]),
      words,
      ...elsewhere.flatMap((found) => (found ? `${upperFirst(describeOrderedElsewhere(found))}.` : [])),
      ...last.row.problems.map((problem) => messageInFile(problem, last.row.fileName)),
    ].join('\n'),
  };
}

function standingInWords(standing: RowStory): readonly [ReceiptState, string] {
  const { row, orderState, reason, projectId, status, collectedAt, closeoutReasons, openSince, dismissedAt } = standing;
  const project = projectId === null ? `Order ${row.orderId}` : `Project ${projectId}`;
  if (dismissedAt !== null) return ['not ordered', `Dismissed on ${localDay(dismissedAt)}.`];
  if (orderState === 'held') return ['waits for an answer', reason ?? 'A person decides.'];
  if (openSince !== null) {
    const refused = orderState === 'refused' && reason !== null ? ` The service refused it: ${reason}` : '';
    return ['to fix', `In ${standing.corrections ?? sentence('receipt/to-come')}.${refused}`];
  }
  const isNotPlaced = orderState === 'refused' || orderState === 'abandoned';
  if (row.outcome === 'repeat' && isNotPlaced) {
    const before = orderState === 'refused' ? 'which the service refused' : sentence('receipt/abandoned');
    const parts = { order: row.orderId ?? '', before, reason: reason ?? '' };
    return ['not ordered', sentence('receipt/repeat-of', parts).trim()];
  }
  if (row.outcome === 'repeat') return ['repeat', `Repeat of ${project.toLowerCase()}.`];
  if (orderState === 'skipped') return ['repeat', reason ?? ''];
  if (row.outcome === 'rejection' || orderState === null || isNotPlaced) return ['not ordered', reason ?? ''];
  if (orderState !== 'created' && orderState !== 'linked') return ['to be sent', reason ?? ''];
  if (status === 'Project Canceled') return ['canceled', `${project} was canceled.`];
  if (closeoutReasons !== null)
    return ['closed out', [sentence('receipt/ended', { project }), ...closeoutReasons].join(' ')];
  if (collectedAt !== null) return ['report received', `${project}, report received on ${localDay(collectedAt)}.`];
  const before = orderState === 'linked' ? ', which already existed' : '';
  return ['ordered', `Ordered as ${project.toLowerCase()}${before}.${status === null ? '' : ` Status: ${status}.`}`];
}
