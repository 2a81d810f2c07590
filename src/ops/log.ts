import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError, messageOf } from '../domain/errors.ts';
import type { Clock, Log, LogFields } from '../domain/ports.ts';
import { visible } from '../domain/text.ts';
import { fileMode } from './durable-files.ts';

/** The log of one run, and the means to keep a secret out of it. Closed when it is disposed of; later lines are dropped. */
export interface RunLog extends Log, Redactor, AsyncDisposable {
  /** The file's absolute path. */
  readonly path: string;
}

/** Fields that every line has; one of the same name gets an underscore. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['at', 'level', 'event', 'linesLost']);

/**
 * Opens `logs/<run>.jsonl`, with the mode of the workspace's other files. A line is `{at, level, event, …fields}`, written at once, so that a
 * kill loses none. Every text in it is redacted. A full disk does not stop the run: the next line that can be written says in `linesLost` how
 * many are missing. Throws ExplainedError (exit code 2) if the file cannot be opened.
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
      kind: 'usage',
      hint: 'Make its folder writable for the user who runs this.',
      cause: thrown,
    });
  }
}

/** A run that has done its work must not fail because of its log. */
function close(descriptor: number): void {
  try {
    fsyncSync(descriptor);
  } catch {
    // There is nowhere left to report it.
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

/** Removes from a text what must not be kept or shown. The log uses it, and whatever prints an error. */
export interface Redactor {
  /** Removes this value from now on, in its percent-encoded and base64 forms too. */
  registerSecret(secret: string): void;
  redact(text: string): string;
}

/** Longer texts are cut: a log line is for identifiers and short sentences, and patterns must not run over megabytes. */
const TEXT_LENGTH_MAX = 4000;

/** Shorter values are removed only where they stand as a word: a password `a` must not eat every a. */
const SECRET_LENGTH_ANYWHERE = 4;

const NAMES_OF_SECRETS = '(?:access_token|refresh_token|id_token|client_secret|password|passwd|secret|signature|authorization)';

const PATTERNS: readonly (readonly [RegExp, (found: string, kept: string) => string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, (_, kept) => `${kept} [redacted]`],
  // User name and password in a URL.
  [/(?<=:\/\/)[^\s/@"'<>]{1,300}@/g, () => '[redacted]@'],
  // The query of a URL or a path; a fragment that holds values.
  [/(?<=[\w\]]\/[^\s"'<>?]{0,2000})\?[^\s"'<>]+|[?#][\w.~%-]+=[^\s"'<>]*/g, () => '?[redacted]'],
  [new RegExp(`(\\b${NAMES_OF_SECRETS}["']?\\s*[=:]\\s*["']?)(?!Bearer|Basic)[^\\s"'&,;}]+`, 'gi'), (_, kept) => `${kept}[redacted]`],
  [/[\p{L}\p{N}._%+'-]{1,64}@[\p{L}\p{N}.-]{1,255}\.\p{L}{2,}/gu, () => '[e-mail]'],
];

/** A redactor that knows no secrets yet, but the shapes of tokens, signed URLs and e-mail addresses. */
export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  let known: RegExp | null = null;
  return {
    registerSecret(secret) {
      if (secret === '') return;
      for (const form of [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString('base64')]) secrets.add(form);
      // The longest first, so that a secret inside another leaves no trace of that one.
      known = new RegExp([...secrets].toSorted((a, b) => b.length - a.length).map(secretPattern).join('|'), 'g');
    },
    redact(text) {
      // Before cutting: half a secret is no longer recognised.
      let clean = known === null ? text : text.replaceAll(known, '[redacted]');
      if (clean.length > TEXT_LENGTH_MAX) clean = `${clean.slice(0, TEXT_LENGTH_MAX)}…`;
      for (const [pattern, instead] of PATTERNS) clean = clean.replaceAll(pattern, (found: string, kept: string) => instead(found, kept));
      return clean;
    },
  };
}

function secretPattern(secret: string): string {
  const literal = secret.replaceAll(/[\\^$.*+?()[\]{}|]/g, (sign) => `\\${sign}`);
  return secret.length < SECRET_LENGTH_ANYWHERE ? String.raw`(?<!\w)${literal}(?!\w)` : literal;
}
