import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { messageOf, usageErrorOf } from '../domain/errors.ts';
import type { Clock, Log, LogFields, LogLevel } from '../domain/ports.ts';
import { escapeInvisible } from '../domain/text.ts';
import { fileMode } from './durable-files.ts';
import { createRedactor, type Redactor } from './redactor.ts';

/** Lines after its disposal are dropped. */
export interface RunLog extends Log, Redactor, AsyncDisposable {
  readonly path: string;
  setLevel(level: LogLevel): void;
}

const OWN_FIELDS = new Set(['at', 'level', 'event', 'linesLost']);

/**
 * Each line `{level, at, event, …fields}` is redacted and written at once. A full disk does not stop the run:
 * `linesLost` in a later line counts missing ones (docs/decisions/0013). Throws ExplainedError (`usage`).
 */
export function openRunLog(
  logsDir: string,
  runId: string,
  clock: Clock,
  redactor: Redactor = createRedactor(),
): RunLog {
  const path = join(logsDir, `${runId}.jsonl`);
  let descriptor: number | null = openForAppending(path);
  let linesLost = 0;

  const writeLine = (line: string) => {
    if (descriptor === null) return;
    try {
      writeFileSync(descriptor, escapeInvisible(line));
      linesLost = 0;
    } catch {
      linesLost += 1;
    }
  };
  const lines = pino(
    {
      base: null,
      level: 'info',
      timestamp: () => `,"at":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
    },
    { write: writeLine },
  );
  const write =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}) => {
      if (!lines.isLevelEnabled(level)) return;
      const lost = linesLost > 0 ? { linesLost } : {};
      lines[level]({ event: redactor.redact(event), ...lost, ...redactedFields(fields, redactor) });
    };
  return {
    ...redactor,
    path,
    setLevel(level) {
      lines.level = level;
    },
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    [Symbol.asyncDispose]: async () => {
      const closing = descriptor;
      descriptor = null;
      if (closing !== null) close(closing);
    },
  };
}

function openForAppending(path: string) {
  try {
    return openSync(path, 'a', fileMode());
  } catch (thrown) {
    throw usageErrorOf('log-not-writable', { path, message: messageOf(thrown) }, thrown);
  }
}

function close(descriptor: number) {
  try {
    fsyncSync(descriptor);
  } catch {
  } finally {
    closeSync(descriptor);
  }
}

function redactedFields(fields: LogFields, redactor: Redactor) {
  const entries = Object.entries(fields).map(([name, value]) => [
    OWN_FIELDS.has(name) ? `${name}_` : redactor.redact(name),
    typeof value === 'string' ? redactor.redact(value) : value,
  ]);
  return Object.fromEntries(entries);
}
