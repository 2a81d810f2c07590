import { Console } from 'node:console';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { messageOf } from '../domain/errors.ts';
import { sentence } from '../domain/sentences.ts';
import { writeCorrectionsWorkbook } from '../intake/corrections/corrections.ts';
import type { RowToFix } from '../intake/corrections/sheet-plan.ts';
import { readOrderFile } from '../intake/read-orders.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import { linesOf } from '../ops/lines.ts';
import { WORKER_EXIT_CODES, rowsOfText, rowTexts, type Task } from './isolated-file-worker.ts';

const input = linesOf(process.stdin);
// Lines on stdout are the result: what libraries log must not mix with them.
globalThis.console = new Console(process.stderr);

async function nextLine() {
  const { done, value } = await input.next();
  return done === true ? process.exit() : value;
}

async function say(line: string) {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

async function work(task: Task) {
  if (task.kind === 'write')
    return writeCorrectionsWorkbook(task.path, { file: task.file, layouts: task.layouts, rows: rowsToFix }, task.form);
  void nextLine();
  switch (task.kind) {
    case 'read':
      return readFile(task);
    case 'read updates': {
      const { readUpdateFile } = await import('../update/read-update-file.ts');
      return say(JSON.stringify(await readUpdateFile(task.path, task.options)));
    }
    case 'read decisions': {
      const { readDecisionFile } = await import('../intake/decisions.ts');
      return say(JSON.stringify(await readDecisionFile(task.path, task.displayName)));
    }
  }
}

async function readFile({ path, displayName, options, handedOverBytes }: Extract<Task, { kind: 'read' }>) {
  await using reading = await readOrderFile(path, displayName, options);
  let left = handedOverBytes;
  const handOver = (line: string) => {
    left -= line.length;
    if (left < 0)
      throw new UnreadableFileError(
        'too-much-text',
        sentence('refused', { name: `"${displayName}"`, why: sentence('refused/again') }),
      );
    return say(line);
  };
  await handOver(JSON.stringify(reading));
  for await (const text of rowTexts(reading.rows())) await handOver(text);
  await say(JSON.stringify(reading));
}

async function* rowsToFix() {
  for (let line = await nextLine(); line !== ''; line = await nextLine())
    yield* rowsOfText(line) as readonly RowToFix[];
}

function end(failure: unknown) {
  const { code = '', stack: story = messageOf(failure) } = failure as Partial<NodeJS.ErrnoException>;
  const exitCode = failure instanceof UnreadableFileError ? WORKER_EXIT_CODES.unreadable : WORKER_EXIT_CODES.failed;
  process.stderr.write(JSON.stringify({ code, message: messageOf(failure), story }), () => process.exit(exitCode));
}

/** If memory runs out, the system kills this process before the run. */
function volunteerForTheEnd() {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not Linux.
  }
}

volunteerForTheEnd();
process.on('uncaughtException', end);
try {
  await say('ready');
  await work(JSON.parse(await nextLine()) as Task);
  process.stdout.write('', () => process.exit());
} catch (failure) {
  end(failure);
}
