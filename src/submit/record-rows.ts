import { localDay } from '../domain/day.ts';
import { batchesOf } from '../domain/batches.ts';
import { holdsFile } from '../domain/layout.ts';
import type { Clock } from '../domain/ports.ts';
import type { RowOutcome } from '../domain/row.ts';
import { escapeLine } from '../domain/text.ts';
import type { FileWorker, FileReading } from '../intake/read-orders.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import type { FileTransaction, FileRecord } from '../ledger/ledger.ts';
import { type TakeInLedger, discardDetails } from '../ledger/scratch-ledger.ts';
import { type SentFile, displayName, type Snapshot } from './claimed-files.ts';
import {
  compareWithEarlier,
  type HoldReason,
  type IntakeSettings,
  notesOnRows,
  reasonsToHold,
  RowCount,
  settingsFor,
} from './hold.ts';
import { knownLayouts, senderOfFile, wordsToLearn } from './ask-layout.ts';
import { KnownRows } from './known-rows.ts';
import { hasOpenRows, nameOfReading, RereadRows } from './read-again.ts';
import {
  type DecidedRow,
  decidedRow,
  DUPLICATE_WINDOW_MS,
  layoutOf,
  type OrderingRules,
  rowKeysOf,
  rowSummaryOf,
} from './row-decision.ts';

export type RecordContext = IntakeSettings &
  Readonly<{ ledger: TakeInLedger; files: FileWorker; clock: Clock; rules: OrderingRules }>;

export interface RowEvent extends DecidedRow {
  readonly read: RowOutcome;
}

/** In batches. It asks `transaction`: the ledger would answer after the file's end. */
export type RowListener = (rows: readonly RowEvent[], transaction: FileTransaction) => Promise<void>;

/** If a question holds the file, nothing was recorded. */
type FileRecording = Pick<FileReading, 'layouts' | 'notes' | 'questions' | 'columnDescriptions' | 'answers'> &
  Readonly<{
    file: FileRecord | null;
    reasons: readonly HoldReason[];
    repeats: number;
    isKnown: boolean;
  }>;

type RecordOptions = Readonly<{
  /** The file was taken in before: no limit holds it. */
  isArchived?: boolean;
  readings?: readonly FileRecord[];
  isRehearsed?: boolean;
  hear?: RowListener;
}>;

const HELD_BACK = new Error('held back');
const UNCHANGED = new Error('unchanged');

/** Of known content only the open ones, and only if one would change. */
export async function recordRows(claimed: SentFile, content: Snapshot, context: RecordContext, options: RecordOptions) {
  const { readings = [] } = options;
  if (readings.length === 0) return recordReading(claimed, content, context, options);
  if (!(await hasOpenRows(readings, context.ledger))) return ON_RECORD;
  return recordReading(claimed, content, context, options).catch((failure: unknown) => {
    // It was readable once; its record stays.
    if (failure instanceof UnreadableFileError) return ON_RECORD;
    throw failure;
  });
}

async function recordReading(claimed: SentFile, content: Snapshot, context: RecordContext, options: RecordOptions) {
  const { ledger, rules } = context;
  const { readings = [] } = options;
  const now = context.clock.now();
  const name = displayName(claimed);
  const readFor = async (sender: string) => {
    const { hold: _hold, ...settings } = settingsFor(context, sender);
    return context.files.read(content.path, escapeLine(claimed.name), {
      ...settings,
      knownLayouts: await knownLayouts(sender, ledger),
      today: localDay(now),
    });
  };
  let first = await readFor(claimed.sender);
  const correctedSender = senderOfFile(first.givenWords?.file ?? '');
  // A sender's corrections, dropped in the inbox itself, are read as the sender's file was.
  if (claimed.sender === '' && correctedSender !== '') {
    await first[Symbol.asyncDispose]();
    first = await readFor(correctedSender);
  }
  await using reading = first;
  const { hold } = settingsFor(context, claimed.sender);
  const { layouts, questions, answers, columnDescriptions, givenWords } = reading;
  const found = { layouts, questions, answers, columnDescriptions };
  if (answers !== null) return { ...ON_RECORD, answers };
  if (options.isArchived !== true && questions.some(holdsFile))
    return { ...ON_RECORD, isKnown: false, ...found, notes: reading.notes };
  const comparison = await compareWithEarlier(claimed, layouts, ledger);
  const kind = comparison.kind === null ? {} : { kind: comparison.kind };
  const isApproved = ((await ledger.findHeld(content.hash))?.approvedAt ?? null) !== null;
  const count = new RowCount();
  let reasons: readonly HoldReason[] = [];
  const recordAll = async (file: FileTransaction) => {
    const transaction = options.hear === undefined ? file : discardDetails(file);
    const missingOriginals = await recordBatches(reading, transaction, {
      count,
      name,
      readings,
      hash: content.hash,
      sender: claimed.sender,
      rules,
      windowStart: now - DUPLICATE_WINDOW_MS,
      hear: options.hear,
    });
    reasons = isApproved || options.isArchived === true ? [] : reasonsToHold(hold, count, comparison);
    if (reasons.length > 0) throw HELD_BACK;
    const words = givenWords === null ? null : wordsToLearn(claimed, givenWords, layouts);
    if (words !== null) transaction.learnWords(words);
    const notes = [...reading.notes, ...notesOnRows(count, missingOriginals)];
    notes.forEach((one) => transaction.addNote(one));
  };
  const recording =
    options.isRehearsed === true
      ? ledger.rehearseFile(recordAll).then(() => null)
      : ledger.recordFile(
          {
            hash: nameOfReading(content.hash, readings),
            recordedAt: now,
            name,
            sender: claimed.sender,
            ...(readings.length === 0 ? kind : {}),
            layouts,
            notes: [],
          },
          recordAll,
        );
  let isKnown = false;
  const file = await recording.catch((failure: unknown) => {
    isKnown = failure === UNCHANGED;
    if (failure === HELD_BACK || isKnown) return null;
    throw failure;
  });
  return { file, reasons, repeats: count.repeats, isKnown, ...found, notes: reading.notes };
}

type BatchContext = Readonly<{
  count: RowCount;
  name: string;
  hash: string;
  sender: string;
  readings: readonly FileRecord[];
  rules: OrderingRules;
  windowStart: number;
  hear: RowListener | undefined;
}>;

/** Returns the names of missing originals. Throws UNCHANGED if no open row of known content would change. */
async function recordBatches(reading: FileReading, transaction: FileTransaction, context: BatchContext) {
  const { count, name, readings, rules, windowStart, hear } = context;
  const knownRows = new KnownRows(
    transaction,
    { name, hash: nameOfReading(context.hash, readings), sender: context.sender, windowStart },
    rules.onDuplicate === 'link' || rules.onDuplicate === 'skip',
  );
  const again = readings.length === 0 ? null : await RereadRows.read(readings, transaction);
  for await (const batch of batchesOf(reading.rows(), ROWS_AT_ONCE)) {
    const valid = batch.flatMap((read) => (read.kind === 'order' ? read : (read.withheld?.row ?? [])));
    await transaction.expect(valid.map(rowKeysOf));
    await knownRows.expect(batch, (read) => {
      const layout = layoutOf(read, reading.layouts);
      return { layout, summary: rowSummaryOf(read, layout) };
    });
    const heard = [];
    for (const read of batch) {
      const before = again?.at(read.record.place) ?? null;
      if (before === 'done') {
        count.rows += 1;
        continue;
      }
      const decided = decidedRow(placedIn(read, name), transaction, rules, windowStart, reading.layouts, knownRows);
      const row =
        again !== null && before !== null ? again.inPlaceOf(before, decided) : knownRows.recognize(decided.row);
      if (again !== null && before === null) again.hasChanged = true;
      transaction.addRow(row);
      count.add(row);
      if (hear !== undefined) heard.push({ row, read, decision: decided.decision });
    }
    await hear?.(heard, transaction);
  }
  if (again?.hasChanged === false) throw UNCHANGED;
  return knownRows.missingOriginals;
}

const ON_RECORD: FileRecording = {
  file: null,
  reasons: [],
  repeats: 0,
  layouts: [],
  notes: [],
  isKnown: true,
  questions: [],
  columnDescriptions: [],
  answers: null,
};

const ROWS_AT_ONCE = 500;

function placedIn(outcome: RowOutcome, file: string) {
  const { record } = outcome;
  return record.place.file === file ? outcome : { ...outcome, record: { ...record, place: { ...record.place, file } } };
}
