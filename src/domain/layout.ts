import { hash } from 'node:crypto';
import type { SheetLayout } from './row.ts';
import { normalizedHeader } from './text.ts';

// A layout is the header cells of a sender's table. A person confirms once how it is read, and later files are read the
// same way.

/** Why a person is asked about a column (docs/messages.md). */
export type AskedCode =
  'columns-compete' | 'second-address' | 'header-unclear' | 'header-unknown' | 'group-unknown' | 'column-gone';

export type AskedColumn = Readonly<{
  /** Stays with the column, wherever it moves. */
  key: string;
  /** Empty for a missing column. */
  letter: string;
  header: string;
  samples: readonly string[];
  /** A field of an order; null: not sent. */
  proposal: string | null;
  code: AskedCode;
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

export type WordMeaning = Readonly<{ field: string; word: string; value: string }>;

export type LayoutAnswer = Readonly<{
  /** By column key: a field, or null for a column that is not sent. */
  columns: Readonly<Record<string, string | null>>;
  words: readonly WordMeaning[];
}>;

/** As a person confirmed it, or as it was when its rows were accepted, or when they came back. */
export type KnownLayout = LayoutAnswer &
  Readonly<{
    by: 'confirmed' | 'accepted' | 'corrected';
    keys: readonly string[];
    /** Of each key, if known. */
    headers?: readonly string[];
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

export function readingOf({ columns }: SheetLayout) {
  const headers = columns.map(({ header }) => header);
  const keys = columnKeys(headers);
  return { headers, keys, known: Object.fromEntries(columns.map(({ field }, at) => [keys[at] ?? '', field])) };
}

export function layoutName(keys: readonly string[]) {
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

export function proposedColumns(columns: readonly Pick<AskedColumn, 'key' | 'proposal'>[]) {
  return Object.fromEntries(columns.map(({ key, proposal }) => [key, proposal]));
}
