import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { messageOf } from '../domain/errors.ts';
import type { Log, OnProgress } from '../domain/ports.ts';
import type { Cell, Note, RowOutcome, SheetLayout } from '../domain/row.ts';
import type { CorrectionsForm } from '../intake/corrections/corrections.ts';
import type { Corrections, RowToFix } from '../intake/corrections/sheet-plan.ts';
import type { DecisionFile } from '../intake/decisions.ts';
import type { FileDesk, FileReading, IntakeOptions } from '../intake/read-orders.ts';
import {
  readingLimits,
  STYLED_ROWS_MAX,
  UnreadableFileError,
  type WorkLimits,
  writingLimits,
} from '../intake/readers/row-source.ts';
import { GuardedProcess, ProcessEnded } from '../ops/guarded-process.ts';
import { isSystemError } from '../ops/system.ts';
import type { WantedUpdate } from '../update/find-project.ts';
import type { UpdateFileOptions } from '../update/read-update-file.ts';

const ENTRY = new URL('file-worker', import.meta.url);

/**
 * Works on each file in a child process (docs/decisions/0009), so a crash there does not stop this one. On abort the
 * child ends, and requests reject with the signal's reason.
 */
export class FilesApart implements FileDesk {
  readonly #signal: AbortSignal;
  readonly #log: Log;
  readonly #onProgress: OnProgress;
  #rows = 0;

  constructor(signal: AbortSignal, log: Log, onProgress: OnProgress = () => {}) {
    this.#signal = signal;
    this.#log = log;
    this.#onProgress = onProgress;
  }

  /** The rows can be read only once. */
  async read(path: string, displayName: string, options: IntakeOptions): Promise<FileReading> {
    const { size } = await stat(path);
    const limits = readingLimits(size);
    await using opening = new AsyncDisposableStack();
    const worker = opening.use(
      this.#begin({ kind: 'read', path, displayName, options, handedOverBytes: limits.handedOverBytes }, limits),
    );
    const opened = await this.#read(worker, 'opened', displayName);
    const opens = opening.move();
    const read = () => this.#read(worker, 'rows', displayName);
    const isRead = (rows: number): void => this.#onProgress('reading', (this.#rows += rows), 0);
    let { notes } = opened;
    return {
      layouts: opened.layouts,
      get notes() {
        return notes;
      },
      async *rows() {
        for (let message = await read(); ; message = await read()) {
          if (message.kind === 'end') {
            ({ notes } = message);
            return;
          }
          const rows = rowsOfText(message.text) as readonly RowOutcome[];
          yield* rows;
          isRead(rows.length);
          tell(worker, { kind: 'more' });
        }
      },
      [Symbol.asyncDispose]: () => opens.disposeAsync(),
    };
  }

  async readUpdates(path: string, options: UpdateFileOptions): Promise<readonly WantedUpdate[]> {
    const { size } = await stat(path);
    await using worker = this.#begin({ kind: 'read updates', path, options }, readingLimits(size));
    return (await this.#read(worker, 'updates', basename(path))).wanted;
  }

  async readDecisions(path: string, displayName: string): Promise<DecisionFile> {
    const { size } = await stat(path);
    await using worker = this.#begin({ kind: 'read decisions', path, displayName }, readingLimits(size));
    return (await this.#read(worker, 'decisions', displayName)).file;
  }

  async writeCorrections(path: string, corrections: Corrections, rowCount: number): Promise<void> {
    if (rowCount <= STYLED_ROWS_MAX && (await this.#writes(path, corrections, rowCount, 'styled'))) return;
    if (!(await this.#writes(path, corrections, rowCount, 'plain')))
      throw new ProcessEnded('crash', 'its corrections workbook could be made in neither form; the log says why');
  }

  async #writes(path: string, corrections: Corrections, rowCount: number, form: CorrectionsForm): Promise<boolean> {
    await using worker = this.#begin(
      { kind: 'write', path, form, file: corrections.file, layouts: corrections.layouts },
      writingLimits(rowCount, form),
    );
    let texts = rowTexts(corrections.rows());
    try {
      for (;;) {
        const message = await answerOf(worker);
        if (message.kind === 'written') return true;
        if (message.kind !== 'give rows') throw new TypeError(`"${message.kind}" was said while rows were written`);
        if (message.from === 'first') texts = rowTexts(corrections.rows());
        const { value } = await texts.next();
        tell(worker, { kind: 'rows', text: value ?? '' });
      }
    } catch (failure) {
      if (!isOfTheWork(failure)) throw failure;
      this.#note(`${form} corrections`, failure);
      return false;
    } finally {
      await texts.return();
    }
  }

  #begin(task: Task, limits: WorkLimits): GuardedProcess {
    const worker = new GuardedProcess(ENTRY, limits, this.#signal);
    worker.send(task);
    return worker;
  }

  /** The next message about a file. Throws failures as the file's. */
  async #read<Kind extends 'opened' | 'rows' | 'updates' | 'decisions'>(
    worker: GuardedProcess,
    expected: Kind,
    displayName: string,
  ): Promise<Extract<FromWorker, { kind: Kind | (Kind extends 'rows' ? 'end' : never) }>> {
    try {
      return (await answerOf(worker)) as Extract<FromWorker, { kind: Kind | (Kind extends 'rows' ? 'end' : never) }>;
    } catch (failure) {
      if (!isOfTheWork(failure)) throw failure;
      this.#note(`reading (${expected})`, failure);
      throw new UnreadableFileError(
        failure instanceof FaultApart ? 'fault' : 'reading-ended-early',
        `"${displayName}" is refused: ${whyRefused(failure)}. Copy just the rows to order into a new workbook and drop that.`,
        { cause: failure },
      );
    }
  }

  #note(work: string, failure: unknown): void {
    this.#log.error('work on a file ended before it was done', {
      work,
      why: messageOf(failure),
      story: failure instanceof FaultApart ? failure.story : null,
    });
  }
}

class FaultApart extends Error {
  override readonly name = 'FaultApart';
  readonly story: string;

  constructor(message: string, story: string) {
    super(message);
    this.story = story;
  }
}

function whyRefused(failure: ProcessEnded | FaultApart): string {
  if (failure instanceof FaultApart)
    return `reading it brought about a fault of inspection-batch (${failure.message}), please report it`;
  switch (failure.end) {
    case 'time':
    case 'memory':
      return `reading it ${failure.message}, far more than a file of its size needs`;
    case 'crash':
    case 'no start':
      return `the process that read it ${failure.message}`;
  }
}

/** If the process does not start, that is not the file's fault. */
function isOfTheWork(failure: unknown): failure is ProcessEnded | FaultApart {
  return failure instanceof FaultApart || (failure instanceof ProcessEnded && failure.end !== 'no start');
}

function tell(worker: GuardedProcess, message: ToWorker): void {
  worker.send(message);
}

async function answerOf(worker: GuardedProcess): Promise<FromWorker> {
  const message = (await worker.receive()) as FromWorker;
  if (message.kind === 'unreadable') throw new UnreadableFileError(message.code, message.message);
  if (message.kind !== 'failed') return message;
  const failure = Object.assign(new Error(message.message), message.code === null ? {} : { code: message.code });
  throw isSystemError(failure) ? failure : new FaultApart(message.message, message.story);
}

export type Task =
  | {
      readonly kind: 'read';
      readonly path: string;
      readonly displayName: string;
      readonly options: IntakeOptions;
      readonly handedOverBytes: number;
    }
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly form: CorrectionsForm;
      readonly file: Corrections['file'];
      readonly layouts: Corrections['layouts'];
    }
  | { readonly kind: 'read updates'; readonly path: string; readonly options: UpdateFileOptions }
  | { readonly kind: 'read decisions'; readonly path: string; readonly displayName: string };

export type ToWorker =
  | { readonly kind: 'more' }
  /** Rows to fix as text; the last batch is empty. */
  | { readonly kind: 'rows'; readonly text: string };

export type FromWorker =
  | { readonly kind: 'opened'; readonly layouts: readonly SheetLayout[]; readonly notes: readonly Note[] }
  | { readonly kind: 'rows'; readonly text: string }
  | { readonly kind: 'end'; readonly notes: readonly Note[] }
  | { readonly kind: 'give rows'; readonly from: 'first' | 'next' }
  | { readonly kind: 'written' }
  | { readonly kind: 'updates'; readonly wanted: readonly WantedUpdate[] }
  | { readonly kind: 'decisions'; readonly file: DecisionFile }
  | { readonly kind: 'unreadable'; readonly code: string; readonly message: string }
  /** A disk failure, or a fault of the program. */
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | null; readonly story: string };

type Row = RowOutcome | RowToFix;

const BATCH_ROWS = 256;
const BATCH_CHARACTERS = 512 * 1024;

/** Splits rows into batches: many small rows, or one large one. */
export async function* rowTexts(rows: AsyncIterable<Row>): AsyncGenerator<string, void, undefined> {
  let texts: string[] = [];
  let characters = 0;
  for await (const row of rows) {
    const text = textOfRow(row);
    texts.push(text);
    characters += text.length;
    if (texts.length < BATCH_ROWS && characters < BATCH_CHARACTERS) continue;
    yield `[${texts.join(',')}]`;
    texts = [];
    characters = 0;
  }
  if (texts.length > 0) yield `[${texts.join(',')}]`;
}

function textOfRow(row: Row): string {
  const cells = row.record.cells.map((cell) => (cell?.kind === 'text' ? cell.text : (cell ?? null)));
  return JSON.stringify({ ...row, record: { ...row.record, cells } });
}

export function rowsOfText(text: string): readonly Row[] {
  const rows = JSON.parse(text) as (Row & { record: { cells: (Cell | string | null | undefined)[] } })[];
  for (const { record } of rows) {
    const { cells } = record;
    for (const [index, cell] of cells.entries()) {
      if (typeof cell === 'string') cells[index] = { kind: 'text', text: cell };
      else if (cell === null) cells[index] = undefined;
    }
  }
  return rows;
}
