import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OrderPayload, RowOutcome } from '../../src/domain/row.ts';
import { UnreadableFileError } from '../../src/intake/readers/row-source.ts';
import { readOrderFile } from '../../src/intake/read-orders.ts';

/** The day on which the corpus is read. */
export const TODAY = '2026-10-15';
export const FILES = join(import.meta.dirname, 'files');
const EXPECTED = join(import.meta.dirname, 'expected');

type Values = Readonly<Record<string, unknown>>;

/** A row as the expectations write it: `at` is the sheet and the row, or the row alone in a text table. */
type ExpectedRow =
  | {
      readonly at: string;
      /** The order of orders.json that it is. */
      readonly is: string;
      /** In what it differs; null: the value is not there. */
      readonly with?: Values;
      /** By field: what the cell holds and what is sent, `2139 -> 02139`. Without it: no repair. */
      readonly repairs?: Readonly<Record<string, string>>;
      /** The rules that warn. Without it: none does. */
      readonly warnings?: readonly string[];
      readonly allowDuplication?: boolean;
    }
  /** The errors of a rejected row: the rule, and the cell where there is one, `zipcode-format in C7`. */
  | { readonly at: string; readonly problems: readonly string[] };

/** What a person would expect of a file; see README.md. */
export interface Expectation {
  readonly file: string;
  readonly what: string;
  readonly made: string;
  /** The fields that have a column in the file; undefined: all that orders.json has. */
  readonly fields?: readonly string[];
  readonly rows?: readonly ExpectedRow[];
  /** Words of the notes that matter. */
  readonly notes?: readonly string[];
  /** Words of the sentence for a file that cannot be read. */
  readonly unreadable?: string;
}

/** A row in the form that expectation and reading share. */
type ComparedRow =
  | {
      readonly at: string;
      readonly payload: Values;
      readonly repairs: Values;
      readonly warnings: readonly string[];
      readonly allowDuplication: boolean | undefined;
    }
  | { readonly at: string; readonly problems: readonly string[] };

/** What came of a file. */
export type Reading =
  | { readonly kind: 'read'; readonly rows: readonly ComparedRow[]; readonly notes: readonly string[] }
  | { readonly kind: 'unreadable'; readonly sentence: string };

async function readJson<Held>(path: string): Promise<Held> {
  return JSON.parse(await readFile(path, 'utf8')) as Held;
}

const orders = await readJson<Readonly<Record<string, OrderPayload>>>(join(import.meta.dirname, 'orders.json'));

/** Every expectation there is, by the file's name. */
export async function expectations(): Promise<readonly Expectation[]> {
  const names = (await readdir(EXPECTED)).toSorted();
  return Promise.all(
    names.map(async (name) => ({
      file: name.replace(/\.json$/, ''),
      ...(await readJson<Omit<Expectation, 'file'>>(join(EXPECTED, name))),
    })),
  );
}

/** The names of the corpus's files. */
export async function corpusFiles(): Promise<readonly string[]> {
  return (await readdir(FILES)).toSorted();
}

/** The rows that an expectation describes. */
export function expectedRows({ fields, rows = [] }: Expectation): readonly ComparedRow[] {
  return rows.map((row) => {
    if ('problems' in row) return { at: row.at, problems: row.problems };
    const order = orders[row.is];
    if (order === undefined) throw new Error(`orders.json has no order ${row.is}`);
    const held = Object.entries(order).filter(([field]) => fields === undefined || fields.includes(field));
    const payload = Object.fromEntries(
      Object.entries({ ...Object.fromEntries(held), ...row.with }).filter(([, value]) => value !== null),
    );
    return {
      at: row.at,
      payload,
      repairs: row.repairs ?? {},
      warnings: row.warnings ?? [],
      allowDuplication: row.allowDuplication,
    };
  });
}

/** Reads a file of the corpus as `check` would. What is no sentence for a person is thrown on. */
export async function readCorpusFile(file: string): Promise<Reading> {
  try {
    await using reading = await readOrderFile(join(FILES, file), file, { headers: {}, today: TODAY });
    const rows: ComparedRow[] = [];
    for await (const outcome of reading.rows()) rows.push(compared(outcome, file));
    return { kind: 'read', rows, notes: reading.notes.map(({ text }) => text) };
  } catch (thrown) {
    if (thrown instanceof UnreadableFileError) return { kind: 'unreadable', sentence: thrown.message };
    throw thrown;
  }
}

function compared(outcome: RowOutcome, file: string): ComparedRow {
  const { sheet, rowNumber } = outcome.record.place;
  const at = sheet === file ? String(rowNumber) : `${sheet} ${String(rowNumber)}`;
  if (outcome.kind === 'rejection') {
    const errors = outcome.problems.filter(({ severity }) => severity === 'error');
    return { at, problems: errors.map(({ rule, cell }) => (cell === null ? rule : `${rule} in ${cell}`)) };
  }
  const repairs = Object.fromEntries(outcome.repairs.map(({ field, held, sent }) => [field, `${held} -> ${sent}`]));
  return {
    at,
    payload: { ...outcome.payload },
    repairs,
    warnings: outcome.warnings.map(({ rule }) => rule),
    allowDuplication: outcome.allowDuplication,
  };
}
