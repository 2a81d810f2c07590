import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { messageOf, isSystemError } from '../domain/errors.ts';
import type { Log, OnProgress } from '../domain/ports.ts';
import type { Cell } from '../domain/cells.ts';
import type { RowOutcome } from '../domain/row.ts';
import { sentence } from '../domain/sentences.ts';
import type { CorrectionsForm } from '../intake/corrections/corrections.ts';
import type { Corrections, RowToFix } from '../intake/corrections/sheet-plan.ts';
import type { DecisionFile } from '../intake/decisions.ts';
import type { FileWorker, FileReading, IntakeOptions } from '../intake/read-orders.ts';
import {
  readingLimits,
  STYLED_ROWS_MAX,
  UnreadableFileError,
  type WorkLimits,
  writingLimits,
} from '../intake/readers/row-source.ts';
import { GuardedProcess, ProcessError } from '../ops/guarded-process.ts';
import type { WantedUpdate } from '../update/find-project.ts';
import type { UpdateFileOptions } from '../update/read-update-file.ts';

const ENTRY = new URL('file-worker', import.meta.url);

export type Task = Readonly<
  | {
      kind: 'read';
      path: string;
      displayName: string;
      options: IntakeOptions;
      handedOverBytes: number;
    }
  | {
      kind: 'write';
      path: string;
      form: CorrectionsForm;
      file: Corrections['file'];
      layouts: Corrections['layouts'];
    }
  | { kind: 'read updates'; path: string; options: UpdateFileOptions }
  | { kind: 'read decisions'; path: string; displayName: string }
>;

/** Exit codes. stderr has code, message and story as JSON. */
export const WORKER_EXIT_CODES = { unreadable: 3, failed: 4 } as const;

/** Sent before the rows of a file and after them. */
type FileHead = Omit<FileReading, 'rows' | typeof Symbol.asyncDispose>;

/**
 * Each file has a child process (docs/decisions/0009): a crash there does not stop this one. On abort the child ends,
 * and pending calls reject with the signal's reason.
 */
export class IsolatedFileWorker implements FileWorker {
  readonly #signal;
  readonly #log;
  readonly #onProgress;
  #rows = 0;
  #expected: Readonly<{
    path: string;
    limits: WorkLimits;
    give: (task: Task) => void;
    process: GuardedProcess;
  }> | null = null;

  constructor(signal: AbortSignal, log: Log, onProgress: OnProgress = () => {}) {
    this.#signal = signal;
    this.#log = log;
    this.#onProgress = onProgress;
  }

  /** Its process loads its modules meanwhile. */
  async expect(path: string) {
    this.#expected = await this.#open(path).catch(() => null);
  }

  async read(path: string, displayName: string, options: IntakeOptions): Promise<FileReading> {
    await using opening = new AsyncDisposableStack();
    const expected = this.#expected?.path === path ? this.#expected : await this.#open(path);
    this.#expected = null;
    const lines = opening.use(expected.process).lines();
    const { handedOverBytes } = expected.limits;
    expected.give({ kind: 'read', path, displayName, options, handedOverBytes });
    const next = () => this.#next(lines, displayName);
    const head = JSON.parse(await next()) as FileHead;
    const isRead = (rows: number) => this.#onProgress('reading', (this.#rows += rows), 0);
    const opened = opening.move();
    let { notes } = head;
    return {
      ...head,
      get notes() {
        return notes;
      },
      async *rows() {
        for (;;) {
          const line = await next();
          if (!line.startsWith('[')) {
            ({ notes } = JSON.parse(line) as FileHead);
            return;
          }
          const rows = rowsOfText(line) as readonly RowOutcome[];
          yield* rows;
          isRead(rows.length);
        }
      },
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  }

  async readUpdates(path: string, options: UpdateFileOptions): Promise<readonly WantedUpdate[]> {
    return this.#readWhole({ kind: 'read updates', path, options }, basename(path));
  }

  async readDecisions(path: string, displayName: string): Promise<DecisionFile> {
    return this.#readWhole({ kind: 'read decisions', path, displayName }, displayName);
  }

  async writeCorrections(path: string, corrections: Corrections, rowCount: number) {
    if (rowCount <= STYLED_ROWS_MAX && (await this.#writes(path, corrections, rowCount, 'styled'))) return;
    if (!(await this.#writes(path, corrections, rowCount, 'plain')))
      throw new ProcessError('crash', sentence('refused/in-neither-form'));
  }

  async #writes(path: string, corrections: Corrections, rowCount: number, form: CorrectionsForm) {
    const { file, layouts } = corrections;
    const rows = again(() => rowTexts(corrections.rows()));
    await using worker = this.#begin({ kind: 'write', path, form, file, layouts }, writingLimits(rowCount, form), rows);
    try {
      await worker.lines().next();
      return true;
    } catch (failure) {
      if (!isOfTheWork(failure)) throw failure;
      this.#logFailure(`${form} corrections`, failure);
      return false;
    }
  }

  async #open(path: string) {
    const limits = readingLimits((await stat(path)).size);
    const task = Promise.withResolvers<Task>();
    return { path, limits, give: task.resolve, process: this.#begin(task.promise, limits) };
  }

  #begin(task: Task | Promise<Task>, limits: WorkLimits, rows: AsyncIterable<string> | readonly string[] = []) {
    const input = async function* () {
      yield JSON.stringify(await task);
      yield* rows;
    };
    return new GuardedProcess(ENTRY, limits, this.#signal, input(), failureOf);
  }

  async #readWhole<T>(task: Task, displayName: string) {
    await using worker = this.#begin(task, readingLimits((await stat(task.path)).size));
    return JSON.parse(await this.#next(worker.lines(), displayName)) as T;
  }

  async #next(lines: AsyncGenerator<string, void>, displayName: string) {
    try {
      const { done, value } = await lines.next();
      if (done !== true) return value;
      throw new ProcessError('crash', 'ended before all was read');
    } catch (failure) {
      if (!isOfTheWork(failure)) throw failure;
      this.#logFailure('reading', failure);
      throw new UnreadableFileError(
        failure instanceof FileWorkerFault ? 'fault' : 'reading-ended-early',
        sentence('refused', { name: `"${displayName}"`, why: whyRefused(failure) }),
        { cause: failure },
      );
    }
  }

  #logFailure(work: string, failure: unknown) {
    this.#log.error('work on a file ended before it was done', {
      work,
      why: messageOf(failure),
      story: failure instanceof FileWorkerFault ? failure.story : null,
    });
  }
}

/** A writer reads the rows several times: an empty line ends each time. */
async function* again(texts: () => AsyncIterable<string>) {
  for (;;) {
    yield* texts();
    yield '';
  }
}

class FileWorkerFault extends Error {
  override readonly name = 'FaultApart';
  readonly story: string;

  constructor(message: string, story: string) {
    super(message);
    this.story = story;
  }
}

function whyRefused(failure: ProcessError | FileWorkerFault) {
  if (failure instanceof FileWorkerFault) return sentence('refused/fault', { message: failure.message });
  switch (failure.end) {
    case 'time':
    case 'memory':
      return sentence('refused/too-much', { message: failure.message });
    case 'crash':
    case 'no start':
      return `the process that read it ${failure.message}`;
  }
}

/** A process that does not start is not the file's fault. */
function isOfTheWork(failure: unknown): failure is ProcessError | FileWorkerFault {
  return failure instanceof FileWorkerFault || (failure instanceof ProcessError && failure.end !== 'no start');
}

const FAILURE_BEGINS = '{"code"';

/** Libraries and Node may have written to stderr before. */
function failureOf(exitCode: number | null, said: string) {
  if (exitCode !== WORKER_EXIT_CODES.unreadable && exitCode !== WORKER_EXIT_CODES.failed) return null;
  const { code, message, story } = JSON.parse(said.slice(said.lastIndexOf(FAILURE_BEGINS))) as Record<
    'code' | 'message' | 'story',
    string
  >;
  if (exitCode === WORKER_EXIT_CODES.unreadable) return new UnreadableFileError(code, message);
  const failure = Object.assign(new Error(message), { code });
  return isSystemError(failure) ? failure : new FileWorkerFault(message, story);
}

type Row = RowOutcome | RowToFix;

/** V8 maps memory for each longer text. */
const BATCH_ROWS = 64;
const BATCH_CHARACTERS = 64 * 1024;

export async function* rowTexts(rows: AsyncIterable<Row>) {
  let texts = [];
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

function textOfRow(row: Row) {
  const cells = row.record.cells.map((cell) => (cell?.kind === 'text' ? cell.text : (cell ?? null)));
  return JSON.stringify({ ...row, record: { ...row.record, cells } });
}

export function rowsOfText(text: string): readonly Row[] {
  const rows = JSON.parse(text) as (Row & { record: { cells: readonly (Cell | string | null | undefined)[] } })[];
  for (const { record } of rows)
    record.cells = record.cells.map((cell) =>
      typeof cell === 'string' ? { kind: 'text', text: cell } : (cell ?? undefined),
    );
  return rows;
}
