import { hash } from 'node:crypto';
import type { SheetLayout } from './row.ts';
import { normalizedHeader } from './text.ts';

// A layout is the header cells of a sender's table. A person confirms once how it is read, and later files are read the
// same way.

/** Why a person is asked about a column (docs/messages.md). */
export type QuestionCode =
  | 'columns-compete'
  | 'second-address'
  | 'header-unclear'
  | 'header-unknown'
  | 'group-unknown'
  | 'column-gone'
  | 'value-for-all';

/** A column, or a field without one that may have one value for all rows. */
export type AskedColumn = Readonly<{
  /** Stays with the column, wherever it moves. */
  key: string;
  /** Of a column that is there; for a value, the rows. */
  letter: string;
  header: string;
  samples: readonly string[];
  /** A field of an order, or the value for all rows; null: not sent. */
  proposal: string | null;
  code: QuestionCode;
  why: string;
  /** No row may be ordered before the answer, which is about person, place or number. */
  holds: boolean;
}>;

export type LayoutQuestion = Readonly<{
  layout: string;
  sheet: string;
  keys: readonly string[];
  columns: readonly AskedColumn[];
  /** Titles of the required fields that no column holds or is proposed for. */
  missing?: readonly string[] | undefined;
  /** How the layout's other columns are read. */
  known: LayoutAnswer['columns'];
}>;

export type WordMeaning = Readonly<{
  field: string;
  word: string;
  value: string;
  /** The workbook that says so, once on record. */
  by?: string;
}>;

export type LayoutAnswer = Readonly<{
  /** By column key: a field, or null for a column that is not sent. By `keyForAll`: a value, or null for none. */
  columns: Readonly<Record<string, string | null>>;
  words: readonly WordMeaning[];
}>;

/** As a person confirmed it, or as it was when its rows were accepted, or when they came back. */
export type KnownLayout = LayoutAnswer &
  Readonly<{
    by: 'confirmed' | 'accepted' | 'corrected';
    keys: readonly string[];
    /** Of a corrections workbook. */
    sheet?: string;
    /** Of each key, if known. */
    headers?: readonly string[];
    /** By key, how columns without a field were judged by all rows of their file. */
    judged?: Readonly<Record<string, 'same' | 'transactions' | 'statuses'>>;
    /** The last file that was asked about in the inbox itself, which senders share. */
    file?: string | undefined;
  }>;

/** By their headers; a repeated header gets a number. */
export function columnKeys(headers: readonly string[]) {
  const seen = new Map<string, number>();
  return headers.map((header) => {
    const name = normalizedHeader(header);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} #${count}`;
  });
}

/**
 * No column's key begins like this. `said`: the words of the file's titles, so that other titles are another question.
 */
export function keyForAll(field: string, said = '') {
  return `=${field}=${said}`;
}

/** The field of a value for all rows; undefined for a column. */
export function fieldForAll(key: string) {
  return key.startsWith('=') ? key.split('=')[1] : undefined;
}

export function nameOfAsked({ key, letter, header }: Pick<AskedColumn, 'key' | 'letter' | 'header'>) {
  if (fieldForAll(key) !== undefined) return `the value of "${header}" for ${letter || 'all rows'}`;
  return `${letter === '' ? 'the column' : `column ${letter}`} "${header}"`;
}

export function readingOf({ columns, given = {} }: SheetLayout) {
  const headers = columns.map(({ header }) => header);
  const keys = columnKeys(headers);
  const known: LayoutAnswer['columns'] = {
    ...Object.fromEntries(columns.map(({ field }, at) => [keys[at] ?? '', field])),
    ...Object.fromEntries(Object.entries(given).map(([field, value]) => [keyForAll(field), value])),
  };
  const judged = columns.flatMap((column, at) => (column.judged ? [[keys[at] ?? '', column.judged] as const] : []));
  return { headers, keys, known, ...(judged.length > 0 && { judged: Object.fromEntries(judged) }) };
}

export function layoutId(keys: readonly string[]) {
  return hash('sha256', JSON.stringify(keys.toSorted())).slice(0, 16);
}

export type AskedTable = Pick<LayoutQuestion, 'sheet' | 'keys' | 'known'> & Readonly<{ sender: string; file: string }>;

export type GivenWords = Readonly<{
  /** With the sender's folder; empty if the workbook has lost its keys. */
  file: string;
  words: readonly WordMeaning[];
}>;

/** What an answered workbook says about one of its tables. */
export type GivenAnswer = Pick<LayoutAnswer, 'columns'> &
  Readonly<{
    /** Takes every proposal. */
    token: string;
    /** Null if the workbook lost it. */
    asked: AskedTable | null;
  }>;

export function holdsFile({ columns }: Readonly<{ columns: readonly Pick<AskedColumn, 'holds'>[] }>) {
  return columns.some(({ holds }) => holds);
}

/** True if its proposals leave a required field without a column and a value. */
export function lacksAnswer({ missing = [] }: Pick<LayoutQuestion, 'missing'>) {
  return missing.length > 0;
}

export function proposedColumns(columns: readonly Pick<AskedColumn, 'key' | 'proposal'>[]) {
  return Object.fromEntries(columns.map(({ key, proposal }) => [key, proposal]));
}
