import { once } from 'node:events';
import { styleText } from 'node:util';
import { CommanderError, type Command } from 'commander';
import { ExplainedError, messageOf, stackOf, hasCode, usageErrorOf } from '../domain/errors.ts';
import { loadSentences } from '../domain/sentences.ts';
import { escapeInvisible } from '../domain/text.ts';
import { shareWithGroup } from '../ops/durable-files.ts';
import { createRedactor } from '../ops/redactor.ts';
import { buildProgram } from './commands.ts';
import { packageVersion } from '../ops/system.ts';
import { type CommandResult, accented, wrapLines } from './terminal.ts';
import { EXIT, exitCodeOfFailure, explainedIn } from '../night/exit-codes.ts';
import { progressBar } from '../night/progress-bar.ts';

/** Stdout is closed or full: the work continues without printing. */
let isUnread = false;

/** A reader such as `head` may stop. If the output cannot be written for another reason, the command fails at its end. */
function goOnWhenUnread() {
  process.stdout.on('error', (failure) => {
    if (!isUnread && !hasCode(failure, 'EPIPE')) {
      const exitCode = explain(usageErrorOf('output-not-written', { failure: messageOf(failure) }), false);
      process.once('exit', (code) => {
        if (code !== EXIT.fault) process.exitCode = exitCode;
      });
    }
    isUnread = true;
  });
  process.stderr.on('error', () => undefined);
}

async function main(args: readonly string[]) {
  loadSentences();
  let json = args.includes('--json');
  let isPrinted = false;
  const printOnce = async (result: CommandResult) => {
    if (isPrinted) return;
    isPrinted = true;
    await print(result, json);
  };
  const program = buildProgram(async (work, wantsJson) => {
    json = wantsJson;
    await printOnce(await work(printOnce));
  }, packageVersion());
  for (const command of [program, ...program.commands]) command.exitOverride();
  program.hook('preAction', async (_program, command) => shareWithGroup(await isShared(command)));
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (failure) {
    process.exitCode = explain(failure, json && !isPrinted);
  }
}

async function isShared(command: Command) {
  const { workspace } = command.opts<{ workspace?: string }>();
  const folder = command.name() === 'init' ? (command.args[0] ?? workspace) : workspace;
  if (folder === undefined) return false;
  const { loadConfig } = await import('../ops/config.ts');
  return loadConfig(folder).then(
    ({ workspace: { sharedWith } }) => sharedWith === 'group',
    () => false,
  );
}

async function print(result: CommandResult, json: boolean) {
  progressBar.end();
  process.exitCode = result.exitCode;
  if (json && result.jsonText !== undefined) {
    for await (const piece of result.jsonText()) {
      if (isUnread) return;
      if (!process.stdout.write(escapeInvisible(piece))) await once(process.stdout, 'drain').catch(() => undefined);
    }
  } else if (json && result.json !== undefined)
    process.stdout.write(`${escapeInvisible(JSON.stringify(result.json, null, 2))}\n`);
  else if (!json && result.text !== '')
    process.stdout.write(
      `${accented(wrapLines(escapeInvisible(result.text)), result.accents ?? [], process.stdout)}\n`,
    );
}

function explain(thrown: unknown, json: boolean) {
  progressBar.end();
  const failure = explainedIn(thrown) ?? thrown;
  const exitCode = exitCodeOfFailure(failure);
  if (failure instanceof CommanderError) {
    if (json && exitCode !== EXIT.done)
      printError('command-line-wrong', failure.message.replace(/^error: /, ''), null, exitCode);
    return exitCode;
  }
  const redactor = createRedactor();
  const redact = (text: string) => escapeInvisible(redactor.redact(text));
  if (failure instanceof ExplainedError) {
    const hint = failure.hint === undefined ? '' : `${wrapLines(escapeInvisible(failure.hint))}\n`;
    process.stderr.write(`${inRed(redact(failure.message))}\n${hint}`);
    if (json) printError(failure.code, redact(failure.message), failure.hint ?? null, exitCode);
    return exitCode;
  }
  process.stderr.write(
    `${inRed(`${FAULT} Nothing that was on record is lost; running it again is safe.`)}\n${redact(stackOf(failure))}\n`,
  );
  if (json) printError('fault', redact(messageOf(failure)), `${FAULT} Running it again is safe.`, exitCode);
  return exitCode;
}

const FAULT = 'This is a fault of inspection-batch, not yours.';

function inRed(text: string) {
  return styleText('red', wrapLines(text), { stream: process.stderr });
}

function printError(code: string, message: string, hint: string | null, exitCode: number) {
  process.stdout.write(`${escapeInvisible(JSON.stringify({ error: { code, message, hint }, exitCode }, null, 2))}\n`);
}

shareWithGroup(false);
goOnWhenUnread();
await main(process.argv.slice(2));
