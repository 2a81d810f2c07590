import type { TextSpool } from '../ops/text-spool.ts';
import { RowLines } from './row-lines.ts';

/** The long lists of a file's check, each entry as JSON; put aside, since a file may have a hundred thousand rows. */
export interface CheckedLists {
  /** An entry for each row that can be sent. */
  readonly forecast: TextSpool;
  /** Rows with anything to say, errors and warnings. */
  readonly problems: TextSpool;
  readonly repairs: TextSpool;
}

export interface CheckedFile {
  /** As people know it: `name.xlsx`, or `sender/name.xlsx`. */
  readonly name: string;
  readonly outcome: 'checked' | 'unreadable';
  readonly rows: { readonly read: number; readonly accepted: number; readonly rejected: number };
  /** Relative to the workspace. */
  readonly corrections: string | null;
  readonly reason: string | null;
  readonly notes: readonly string[];
  /** How many values were repaired. */
  readonly repaired: number;
  readonly lines: RowLines;
  /** Null where nobody asked for them. */
  readonly lists: CheckedLists | null;
}

/** What is known of a file that cannot be read. */
export const UNREAD = { outcome: 'unreadable', rows: { read: 0, accepted: 0, rejected: 0 }, corrections: null, notes: [], repaired: 0, lines: new RowLines(), lists: null } as const;

/** The document of `--json`, piece by piece: `{ files: [{ …, forecast, problems, repairs }], exitCode }`. */
export function* checkedFilesJson(files: readonly CheckedFile[], exitCode: number): Generator<string> {
  yield '{\n  "files": [';
  for (const [index, { name, outcome, rows, corrections, reason, notes, lists }] of files.entries()) {
    const head = JSON.stringify({ name, outcome, rows, corrections, reason, notes }, null, 2).slice(0, -2).replaceAll('\n', '\n    ');
    yield `${index === 0 ? '' : ','}\n    ${head}`;
    for (const list of ['forecast', 'problems', 'repairs'] as const) yield* listJson(list, lists?.[list] ?? null);
    yield '\n    }';
  }
  yield `\n  ],\n  "exitCode": ${exitCode}\n}\n`;
}

function* listJson(name: string, entries: TextSpool | null): Generator<string> {
  yield `,\n      "${name}": [`;
  let isFirst = true;
  for (const entry of entries?.texts() ?? []) {
    yield `${isFirst ? '' : ','}\n        ${entry}`;
    isFirst = false;
  }
  yield isFirst ? ']' : '\n      ]';
}

/** A file's check in words, for a terminal. */
export function describeFile({ name, outcome, rows, corrections, reason, notes, repaired, lines }: CheckedFile): string {
  if (outcome === 'unreadable') return `${name}: unreadable\n  ${reason ?? ''}`;
  const expected = [
    ...(lines.repeats > 0 ? [`${lines.repeats} ${lines.repeats === 1 ? 'is' : 'are'} ordered already`] : []),
    ...(lines.duplicates > 0 ? [`${lines.duplicates} may be ${lines.duplicates === 1 ? 'a duplicate' : 'duplicates'} to the service`] : []),
  ];
  const accepted = expected.length === 0 ? '' : ` (${expected.join(', ')})`;
  return [
    `${name}: ${rows.read} ${rows.read === 1 ? 'row' : 'rows'} read, ${rows.accepted} can be ordered${accepted}, ${rows.rejected} to fix; ${repaired} ${repaired === 1 ? 'value' : 'values'} repaired`,
    ...notes.map((note) => `  note: ${note}`),
    ...lines.lines,
    ...(lines.count > lines.lines.length ? [`  … and ${lines.count - lines.lines.length} more; ${corrections === null ? '' : 'every error stands in the corrections workbook, and '}--json lists all of them.`] : []),
    ...(corrections === null ? [] : [`  The rows to fix are in ${corrections}: fix them there and drop that file in the inbox.`]),
  ].join('\n');
}
