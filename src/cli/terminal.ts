import { format } from 'date-fns/format';

/** A column of a table is never made narrower than this to fit. */
const COLUMN_WIDTH_MIN = 8;

/** How many columns the terminal has, down to 60; where nobody looks (a file, a pipe, cron's mail), as many as the text needs. */
function terminalWidth(): number {
  const columns = process.stdout.isTTY ? process.stdout.columns : Number(process.env['COLUMNS'] ?? Infinity);
  return columns > 0 ? Math.max(60, columns) : Infinity;
}

/**
 * Rows of text in aligned columns; numbers (and nothing else) to the right. Where they are wider than `width`, the widest columns are wrapped;
 * where that is not enough, each row becomes a list of its cells. Nothing is cut off.
 */
export function table(header: readonly string[], rows: readonly (readonly string[])[], width = terminalWidth()): string {
  const all = [header, ...rows];
  const widths = header.map((_title, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const excess = (): number => widths.reduce((sum, one) => sum + one + 2, -2) - width;
  while (excess() > 0) {
    const widest = Math.max(...widths);
    if (widest <= COLUMN_WIDTH_MIN) return asLists(header, rows, width);
    widths[widths.indexOf(widest)] = widest - 1;
  }
  const isNumeric = header.map((_title, column) => rows.length > 0 && rows.every((row) => /^[\d,]*$/.test(row[column] ?? '')));
  return all
    .flatMap((row) => {
      const wrapped = row.map((cell, column) => wrap(cell, widths[column] ?? 0));
      return Array.from({ length: Math.max(...wrapped.map((lines) => lines.length)) }, (_, line) => wrapped.map((lines) => lines[line] ?? ''));
    })
    .map((row) =>
      row
        .map((cell, column) => (isNumeric[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A block a row: each cell after its title, empty ones left out. */
function asLists(header: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const titled = (row: readonly string[]): readonly string[] => row.flatMap((cell, column) => (cell === '' ? [] : wrap(`${header[column] ?? ''}: ${cell}`, width - 2).map((line, index) => (index === 0 ? line : `  ${line}`))));
  return rows.map((row) => titled(row).join('\n')).join('\n\n');
}

/** Breaks a text between words where that is possible. */
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

/** A time (epoch ms) on the wall clock of this place, with its zone: `2026-11-21 02:13:05 +01:00`. */
export function localTime(at: number): string {
  return format(at, 'yyyy-MM-dd HH:mm:ss xxx');
}

/** The names under which records keep times, in ms since the epoch. Durations end in `Ms`, and stay numbers. */
const TIMES = /^(?:at|since)$|[a-z](?:At|Since)$/;

/** A record as `--json` prints it: its times, however deep, in ISO 8601 (UTC). */
export function inIsoTimes(record: object): object {
  return printed(record, '') as object;
}

function printed(value: unknown, name: string): unknown {
  if (typeof value === 'number') return TIMES.test(name) ? new Date(value).toISOString() : value;
  if (Array.isArray(value)) return value.map((item) => printed(item, ''));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, printed(inner, key)]));
}

/** The part of a stream that a progress bar needs; `process.stderr` is one. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** How far a long step has come. */
export interface Progress {
  /** `total` may grow while the work goes on; 0 when it is not known yet. */
  update(done: number, total: number): void;
  /** Takes the bar away, so that what is written next stands on a clean line. */
  done(): void;
}

const BAR_WIDTH = 24;
const CLEAR_LINE = '\r\u001B[2K';

/** A bar on a terminal; on anything else (a file, cron's mail) it writes nothing at all. */
export function createProgress(stream: ProgressStream, label: string): Progress {
  if (stream.isTTY !== true) return { update() {}, done() {} };
  let shown = '';
  return {
    update(done, total) {
      const line = barLine(label, done, total).slice(0, Math.max(1, (stream.columns ?? 80) - 1));
      if (line === shown) return;
      shown = line;
      stream.write(CLEAR_LINE + line);
    },
    done() {
      if (shown !== '') stream.write(CLEAR_LINE);
      shown = '';
    },
  };
}

function barLine(label: string, done: number, total: number): string {
  if (total <= 0) return `${label} ${done}`;
  const share = Math.min(1, Math.max(0, done / total));
  const filled = Math.floor(share * BAR_WIDTH);
  return `${label} ${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${String(Math.floor(share * 100)).padStart(3)} % ${done}/${total}`;
}
