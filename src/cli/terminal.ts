import { styleText } from 'node:util';
import { format } from 'date-fns/format';
import { EXIT } from '../night/exit-codes.ts';

export type CommandResult = Readonly<{
  exitCode: number;
  text: string;
  accents?: readonly Accent[];
  json: unknown;
  /** `json` in pieces, if it is too large for memory. */
  jsonText?: () => Iterable<string> | AsyncIterable<string>;
}>;

export function commandResult(exitCode: number, text: string, json: object): CommandResult {
  return { exitCode, text, json: { ...json, exitCode } };
}

export function success(text: string, json: object): CommandResult {
  return commandResult(EXIT.done, text, json);
}

const COLUMN_WIDTH_MIN = 8;
const WRAPPED_LINES_MAX = 5;

function terminalWidth() {
  const columns = process.stdout.isTTY ? process.stdout.columns : Number(process.env['COLUMNS'] ?? Infinity);
  return columns > 0 ? Math.max(60, columns) : Infinity;
}

/** If wider than `width`, wraps the widest columns, then prints each row as a list. Cuts nothing off. */
export function table(header: readonly string[], rows: readonly (readonly string[])[], width = terminalWidth()) {
  const all = [header, ...rows];
  const widths = header.map((_title, column) =>
    all.reduce((widest, row) => Math.max(widest, (row[column] ?? '').length), 0),
  );
  const excess = () => widths.reduce((sum, one) => sum + one + 2, -2) - width;
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
          isNumeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

type FieldOf<Row> = { [Name in keyof Row]: Row[Name] extends string | number | null ? Name : never }[keyof Row];

export function tableOf<Row extends object>(
  rows: readonly Row[],
  columns: Readonly<Record<string, FieldOf<Row> | ((row: Row) => string | number | null)>>,
) {
  return table(
    Object.keys(columns),
    rows.map((row) => Object.values(columns).map((of) => String((typeof of === 'function' ? of(row) : row[of]) ?? ''))),
  );
}

export function andMore(all: number, max: number) {
  return all > max ? [`  … and ${all - max} more; --json lists them all.`] : [];
}

function asLists(header: readonly string[], rows: readonly (readonly string[])[], width: number) {
  const titled = (row: readonly string[]) =>
    row.flatMap((cell, column) =>
      cell === '' ? [] : wrap(`${header[column] ?? ''}: ${cell}`, width - 2).join('\n  '),
    );
  return rows.map((row) => titled(row).join('\n')).join('\n\n');
}

function wrap(text: string, width: number, cutsWords = true) {
  const lines = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > 0 ? space : cutsWords ? width : rest.indexOf(' ');
    if (end === -1) break;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

/** Aligns wrapped lines with the text after `term  `. Keeps commands whole, so that they can be copied. */
export function wrapLines(text: string, width = terminalWidth()) {
  return text
    .split('\n')
    .map((line) => (line.length <= width ? line : wrapLine(line, width)))
    .join('\n');
}

/** Of the terminal, less the prompt; of a usual one if the output is no terminal. */
export function fitsScreen(text: string) {
  const { isTTY, columns, rows } = process.stdout;
  return wrapLines(text, isTTY ? columns : 80).split('\n').length < (isTTY ? rows : 40);
}

function wrapLine(line: string, width: number) {
  const indent = /^ *(?:\S+(?: \S+)? {2,})?/.exec(line)?.[0].length ?? 0;
  if (/^(?:\S*\/)?inspection-batch /.test(line.slice(indent))) return line;
  return line.slice(0, indent) + wrap(line.slice(indent), width - indent, false).join(`\n${' '.repeat(indent)}`);
}

/** `3 ready, 1 held`, without zeros. */
export function countsInWords(counts: object, otherwise = 'none') {
  const some = Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name}`]));
  return some.join(', ') || otherwise;
}

export function localTime(at: number) {
  return format(at, 'yyyy-MM-dd HH:mm:ss xxx');
}

/** Durations end in `Ms` and stay numbers. */
const TIMES = /^(?:at|since)$|[a-z](?:At|Since)$/;

export function inIsoTimes(record: object) {
  return printed(record, '') as object;
}

function printed(value: unknown, name: string): unknown {
  if (typeof value === 'number') return TIMES.test(name) ? new Date(value).toISOString() : value;
  if (Array.isArray(value) || isComing(value)) return value.map((item: unknown) => printed(item, ''));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, printed(inner, key)]));
}

const PIECE = 64 * 1024;

export async function* jsonPieces(document: object) {
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

type Coming = AsyncIterable<unknown> & { map(change: (item: unknown) => unknown): Coming };

function isComing(value: unknown): value is Coming {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

export type Accent = readonly [words: RegExp, style: Parameters<typeof styleText>[0]];

/**
 * Unchanged if the stream is no terminal, or `NO_COLOR` is set and `FORCE_COLOR` is not. Each of `words` has the flag
 * `g`.
 */
export function accented(text: string, accents: readonly Accent[], stream: NodeJS.WriteStream) {
  if (styleText('bold', 'x', { stream }) === 'x') return text;
  return accents.reduce(
    (styled, [words, style]) => styled.replaceAll(words, (found) => styleText(style, found, { validateStream: false })),
    text,
  );
}
