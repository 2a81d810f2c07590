// Does one task for files-apart.ts in a child process. Prints nothing and has no environment.
import { writeFileSync } from 'node:fs';
import { messageOf } from '../domain/errors.ts';
import { writeCorrectionsWorkbook } from '../intake/corrections/corrections.ts';
import type { RowToFix } from '../intake/corrections/sheet-plan.ts';
import { readOrderFile } from '../intake/read-orders.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import { READY } from '../ops/guarded-process.ts';
import { type FromWorker, rowsOfText, rowTexts, type Task, type ToWorker } from './files-apart.ts';

const BATCHES_AHEAD = 2;

const waiting: ToWorker[] = [];
let wake: () => void = () => {};

async function told(): Promise<ToWorker> {
  for (;;) {
    const message = waiting.shift();
    if (message !== undefined) return message;
    await new Promise<void>((resolve) => (wake = resolve));
  }
}

function say(message: FromWorker | typeof READY): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

async function work(task: Task): Promise<void> {
  switch (task.kind) {
    case 'read':
      return readFile(task);
    case 'write':
      await writeCorrectionsWorkbook(task.path, { file: task.file, layouts: task.layouts, rows: rowsToFix }, task.form);
      return say({ kind: 'written' });
    case 'read updates': {
      const { readUpdateFile } = await import('../update/read-update-file.ts');
      return say({ kind: 'updates', wanted: await readUpdateFile(task.path, task.options) });
    }
    case 'read decisions': {
      const { readDecisionFile } = await import('../intake/decisions.ts');
      return say({ kind: 'decisions', file: await readDecisionFile(task.path, task.displayName) });
    }
  }
}

async function readFile({
  path,
  displayName,
  options,
  handedOverBytes,
}: Extract<Task, { kind: 'read' }>): Promise<void> {
  await using reading = await readOrderFile(path, displayName, options);
  const { layouts, notes } = reading;
  let left = handedOverBytes - JSON.stringify({ layouts, notes }).length;
  const mustHaveRoom = (): void => {
    if (left < 0)
      throw new UnreadableFileError(
        'too-much-text',
        `"${displayName}" is refused: it holds far more than a file of its size does, the same again and again. Copy just the rows to order into a new workbook and drop that.`,
      );
  };
  mustHaveRoom();
  await say({ kind: 'opened', layouts, notes });
  let ahead = 0;
  for await (const text of rowTexts(reading.rows())) {
    left -= text.length;
    mustHaveRoom();
    await say({ kind: 'rows', text });
    for (ahead += 1; ahead >= BATCHES_AHEAD; ahead -= 1) await told();
  }
  await say({ kind: 'end', notes: reading.notes });
}

async function* rowsToFix(): AsyncGenerator<RowToFix, void, undefined> {
  await say({ kind: 'give rows', from: 'first' });
  for (;;) {
    const message = await told();
    const rows =
      message.kind === 'rows' && message.text !== '' ? (rowsOfText(message.text) as readonly RowToFix[]) : [];
    if (rows.length === 0) return;
    yield* rows;
    await say({ kind: 'give rows', from: 'next' });
  }
}

function failed(failure: unknown): Promise<void> {
  if (failure instanceof UnreadableFileError)
    return say({ kind: 'unreadable', code: failure.code, message: failure.message });
  const code = failure instanceof Error && 'code' in failure && typeof failure.code === 'string' ? failure.code : null;
  return say({
    kind: 'failed',
    message: messageOf(failure),
    code,
    story: failure instanceof Error ? (failure.stack ?? failure.message) : String(failure),
  });
}

/** Tells the system to kill this process before the run if memory runs out. */
function volunteerForTheEnd(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not Linux.
  }
}

volunteerForTheEnd();
// Without a parent it ends itself.
process.on('disconnect', () => process.exit());
process.on('uncaughtException', (failure) => void failed(failure));
process.once('message', (task: Task) => {
  process.on('message', (message: ToWorker) => {
    waiting.push(message);
    wake();
  });
  void work(task).catch(failed);
});
await say(READY);
