import { styleText } from 'node:util';
import { format } from 'date-fns/format';
import type { Clock, LongStep, OnProgress } from '../domain/ports.ts';
import { systemClock } from '../ops/system.ts';

const COLUMN_WIDTH_MIN = 8;
const WRAPPED_LINES_MAX = 5;

/** At least 60; unlimited if stdout is no terminal. */
function terminalWidth(): number {
  const columns = process.stdout.isTTY ? process.stdout.columns : Number(process.env['COLUMNS'] ?? Infinity);
  return columns > 0 ? Math.max(60, columns) : Infinity;
}

/**
 * Aligns columns; numbers to the right. If wider than `width`, wraps the widest columns, then turns each row into a
 * list of its cells. Cuts nothing off.
 */
export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width = terminalWidth(),
): string {
  const all = [header, ...rows];
  const widths = header.map((_title, column) =>
    all.reduce((widest, row) => Math.max(widest, (row[column] ?? '').length), 0),
  );
  const excess = (): number => widths.reduce((sum, one) => sum + one + 2, -2) - width;
  while (excess() > 0) {
    const widest = Math.max(...widths);
    if (widest <= COLUMN_WIDTH_MIN) return asLists(header, rows, width);
    widths[widths.indexOf(widest)] = widest - 1;
  }
  const isTall = all.some((row) =>
    row.some((cell, column) => wrap(cell, widths[column] ?? 0).length > WRAPPED_LINES_MAX),
  );
  if (isTall) return asLists(header, rows, width);
  const isNumeric = header.map(
    (_title, column) => rows.length > 0 && rows.every((row) => /^[\d,]*$/.test(row[column] ?? '')),
  );
  return all
    .flatMap((row) => {
      const wrapped = row.map((cell, column) => wrap(cell, widths[column] ?? 0));
      return Array.from({ length: Math.max(...wrapped.map((lines) => lines.length)) }, (_, line) =>
        wrapped.map((lines) => lines[line] ?? ''),
      );
    })
    .map((row) =>
      row
        .map((cell, column) =>
          isNumeric[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One block per row: each cell after its title, without empty ones. */
function asLists(header: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const titled = (row: readonly string[]): readonly string[] =>
    row.flatMap((cell, column) =>
      cell === ''
        ? []
        : wrap(`${header[column] ?? ''}: ${cell}`, width - 2).map((line, index) => (index === 0 ? line : `  ${line}`)),
    );
  return rows.map((row) => titled(row).join('\n')).join('\n\n');
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > 0 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

/** An epoch time in local time with its offset: `2026-11-21 02:13:05 +01:00`. */
export function localTime(at: number): string {
  return format(at, 'yyyy-MM-dd HH:mm:ss xxx');
}

/** Names of times in records, in epoch ms. Durations end in `Ms` and stay numbers. */
const TIMES = /^(?:at|since)$|[a-z](?:At|Since)$/;

/** A record for `--json`: its times, at any depth, in ISO 8601 (UTC). */
export function inIsoTimes(record: object): object {
  return printed(record, '') as object;
}

function printed(value: unknown, name: string): unknown {
  if (typeof value === 'number') return TIMES.test(name) ? new Date(value).toISOString() : value;
  if (Array.isArray(value)) return value.map((item) => printed(item, ''));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, printed(inner, key)]));
}

const PIECE = 64 * 1024;

/** A document for `--json` in pieces: lazy lists are never in memory as a whole. */
export async function* jsonPieces(document: object): AsyncGenerator<string> {
  let piece = '{';
  let between = '';
  for (const [name, value] of Object.entries(document) as [string, unknown][]) {
    if (value === undefined) continue;
    piece += `${between}\n  ${JSON.stringify(name)}: `;
    between = ',';
    if (!isComing(value)) {
      piece += JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
      continue;
    }
    let isFirst = true;
    for await (const entry of value) {
      piece += `${isFirst ? '[' : ','}\n    ${JSON.stringify(entry, null, 2).replaceAll('\n', '\n    ')}`;
      isFirst = false;
      if (piece.length < PIECE) continue;
      yield piece;
      piece = '';
    }
    piece += isFirst ? '[]' : '\n  ]';
  }
  yield `${piece}\n}\n`;
}

function isComing(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

type Style = Parameters<typeof styleText>[0];

/**
 * Words to highlight on a terminal, found in the printed text without control characters: color follows from the words
 * and adds no information.
 */
export type Accent = readonly [words: RegExp, style: Style];

/**
 * Unchanged if the stream is no terminal, or `NO_COLOR` is set and `FORCE_COLOR` is not. Each of `words` has the flag
 * `g`.
 */
export function accented(text: string, accents: readonly Accent[], stream: NodeJS.WriteStream): string {
  if (styleText('bold', 'x', { stream }) === 'x') return text;
  return accents.reduce(
    (styled, [words, style]) => styled.replaceAll(words, (found) => styleText(style, found, { validateStream: false })),
    text,
  );
}

export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const CLEAR_LINE = '\r\u001B[2K';
const COLUMNS = 80;
const BAR_WIDTH = { min: 8, max: 24 };
/** A shorter step gets no bar. */
const QUIET_MS = 500;
const REDRAW_MS = 100;
const RATE_OVER_MS = 10_000;
const RATE_FROM_MS = 1000;

interface Sample {
  readonly at: number;
  readonly done: number;
}

/** `share` never falls, even if the total grows or the step restarts. */
interface StepShown {
  readonly step: LongStep;
  readonly since: number;
  before: number;
  last: number;
  share: number;
  samples: Sample[];
}

/** Shows the progress of a command's long steps in one line of a terminal; writes nothing elsewhere. */
export class ProgressBar {
  readonly #stream: ProgressStream;
  readonly #clock: Clock;
  #current: StepShown | null = null;
  #drawnAt: number | null = null;

  constructor(stream: ProgressStream, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
  }

  /** `total` is 0 if unknown. A new step starts a new bar. */
  readonly update: OnProgress = (step, done, total) => {
    if (this.#stream.isTTY !== true) return;
    const now = this.#clock.now();
    if (this.#current?.step !== step) this.end();
    const current = (this.#current ??= {
      step,
      since: now,
      before: 0,
      last: 0,
      share: 0,
      samples: [{ at: now, done: 0 }],
    });
    if (done < current.last) current.before += current.last;
    current.last = done;
    const whole = {
      done: current.before + done,
      total: total === 0 ? 0 : Math.max(current.before + total, current.before + done),
    };
    if (whole.total > 0) current.share = Math.max(current.share, whole.done / whole.total);
    if (now - current.since < QUIET_MS || (this.#drawnAt !== null && now - this.#drawnAt < REDRAW_MS)) return;
    current.samples = [
      ...current.samples.filter((_sample, index, all) => (all[index + 1]?.at ?? now) >= now - RATE_OVER_MS),
      { at: now, done: whole.done },
    ];
    this.#stream.write(CLEAR_LINE + barLine(current, whole, this.#stream.columns || COLUMNS));
    this.#drawnAt = now;
  };

  end(): void {
    this.#clear();
    this.#current = null;
  }

  /** Prints a line above the bar. */
  say(line: string): void {
    this.#clear();
    this.#stream.write(`${line}\n`);
  }

  #clear(): void {
    if (this.#drawnAt !== null) this.#stream.write(CLEAR_LINE);
    this.#drawnAt = null;
  }
}

export const progressBar = new ProgressBar(process.stderr, systemClock);

/** If space is short, shortens the bar, then drops the rate, then the bar. */
function barLine(
  { step, share, samples }: StepShown,
  { done, total }: { readonly done: number; readonly total: number },
  columns: number,
): string {
  const name = `${step.slice(0, 1).toUpperCase()}${step.slice(1)}`.padEnd(8);
  const perMs = rateOf(samples);
  const rate = perMs === null ? [] : [rateInWords(perMs)];
  const room = columns - 1;
  if (total === 0) return [name, count(done), ...rate].join('  ').slice(0, room);
  const left = perMs === null || done >= total ? [] : [`${lastsInWords((total - done) / perMs)} left`];
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
  const counts = `${count(done)}/${count(total)}`;
  const choices = [
    [percent, counts, ...rate, ...left],
    [percent, counts, ...left],
  ].map((parts) => parts.join('  '));
  const told = choices.find((text) => name.length + 2 + text.length + BAR_WIDTH.min <= room);
  if (told === undefined) return [name, percent, ...left].join('  ').slice(0, room);
  const width = Math.min(BAR_WIDTH.max, room - name.length - 2 - told.length);
  const filled = Math.floor(share * width);
  return `${name} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${told}`;
}

function rateOf(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < RATE_FROM_MS || last.done <= first.done)
    return null;
  return (last.done - first.done) / (last.at - first.at);
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

function rateInWords(perMs: number): string {
  const perSecond = perMs * 1000;
  if (perSecond < 1) return `${count(Math.max(1, Math.round(perSecond * 60)))}/min`;
  return perSecond < 10 ? `${perSecond.toFixed(1)}/s` : `${count(Math.round(perSecond))}/s`;
}

function lastsInWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
