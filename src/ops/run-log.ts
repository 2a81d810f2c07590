import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError, messageOf } from '../domain/errors.ts';
import type { Clock, Log, LogFields } from '../domain/ports.ts';
import { visible } from '../domain/visible-text.ts';
import { fileMode } from './file-modes.ts';
import { createRedactor, type Redactor } from './redaction.ts';

/** The log of one run, and the means to keep a secret out of it. Closed when it is disposed of; later lines are dropped. */
export interface RunLog extends Log, Redactor, AsyncDisposable {
  /** The file's absolute path. */
  readonly path: string;
}

/** Fields that every line has; one of the same name gets an underscore. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['at', 'level', 'event', 'linesLost']);

/**
 * Opens `logs/<run>.jsonl`, readable by those who may read the workspace's other files (`file-modes.ts`). A line is `{at, level, event, …fields}`, written at once, so that a kill
 * loses none. Every text in it is redacted. A full disk does not stop the run: the next line that can be written says in
 * `linesLost` how many could not. Throws ExplainedError (exit code 2) when the file cannot be opened.
 */
export function openRunLog(logsDir: string, runId: string, clock: Clock, redactor: Redactor = createRedactor()): RunLog {
  const path = join(logsDir, `${runId}.jsonl`);
  let descriptor: number | null = openForAppending(path);
  let linesLost = 0;

  const write = (level: 'info' | 'warn' | 'error', event: string, fields: LogFields = {}): void => {
    if (descriptor === null) return;
    const own = { at: new Date(clock.now()).toISOString(), level, event: redactor.redact(event), ...(linesLost > 0 ? { linesLost } : {}) };
    try {
      writeWhole(descriptor, Buffer.from(`${visible(JSON.stringify({ ...own, ...redactedFields(fields, redactor) }))}\n`));
      linesLost = 0;
    } catch {
      linesLost += 1;
    }
  };
  return {
    path,
    info: (event, fields) => write('info', event, fields),
    warn: (event, fields) => write('warn', event, fields),
    error: (event, fields) => write('error', event, fields),
    registerSecret: (secret) => redactor.registerSecret(secret),
    redact: (text) => redactor.redact(text),
    [Symbol.asyncDispose]: async () => {
      const closing = descriptor;
      descriptor = null;
      if (closing !== null) close(closing);
    },
  };
}

function openForAppending(path: string): number {
  try {
    return openSync(path, 'a', fileMode());
  } catch (thrown) {
    throw new ExplainedError(`The log ${path} cannot be written: ${messageOf(thrown)}`, {
      exitCode: 2,
      hint: 'Make its folder writable for the user who runs this.',
      cause: thrown,
    });
  }
}

/** The log is the last thing that may fail a run that has done its work. */
function close(descriptor: number): void {
  try {
    fsyncSync(descriptor);
  } catch {
    // Nothing is left to say it to.
  } finally {
    closeSync(descriptor);
  }
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

function redactedFields(fields: LogFields, redactor: Redactor): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]): [string, unknown] => [
    OWN_FIELDS.has(name) ? `${name}_` : redactor.redact(name),
    typeof value === 'string' ? redactor.redact(value) : value,
  ]);
  return Object.fromEntries(entries);
}
