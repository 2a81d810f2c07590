import { hash } from 'node:crypto';
import { normalisedHeader } from './text.ts';

// A layout is the header cells of a sender's table. A person says once how it is read, and later files are read by that.

/** Why a person is asked about a column (docs/messages.md). */
export type AskedCode =
  'columns-compete' | 'second-address' | 'header-unclear' | 'header-unknown' | 'group-unknown' | 'column-gone';

export interface AskedColumn {
  /** The column's name within the layout, wherever it moves. */
  readonly key: string;
  /** Empty for a column that is gone. */
  readonly letter: string;
  readonly header: string;
  readonly samples: readonly string[];
  /** A field of an order; null: not sent. */
  readonly proposal: string | null;
  readonly code: AskedCode;
  readonly why: string;
  /** True if no row may be ordered before the answer: it is about who, where, or which number. */
  readonly holds: boolean;
}

/** What a person is asked about one table. */
export interface LayoutQuestion {
  readonly layout: string;
  readonly sheet: string;
  /** Of all its columns. */
  readonly keys: readonly string[];
  readonly columns: readonly AskedColumn[];
  /** What is known of its other columns. */
  readonly known: LayoutAnswer['columns'];
}

export interface WordMeaning {
  readonly field: string;
  readonly word: string;
  readonly value: string;
}

export interface LayoutAnswer {
  /** By column key: a field, or null for a column that is not sent. */
  readonly columns: Readonly<Record<string, string | null>>;
  readonly words: readonly WordMeaning[];
}

/** How a sender's table is read: as a person confirmed it, or as it was when its rows were accepted. */
export interface KnownLayout extends LayoutAnswer {
  readonly by: 'confirmed' | 'accepted';
  readonly keys: readonly string[];
}

/** The names of columns by their headers; a repeated header has its number. */
export function columnKeys(headers: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return headers.map((header) => {
    const name = normalisedHeader(header);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} #${String(count)}`;
  });
}

/** The same for the same columns, in any order. */
export function layoutName(keys: readonly string[]): string {
  return hash('sha256', JSON.stringify(keys.toSorted())).slice(0, 16);
}

/** What a workbook asks about. */
export interface AskedTable extends Pick<LayoutQuestion, 'sheet' | 'keys' | 'known'> {
  readonly sender: string;
  readonly file: string;
}

/** The meanings that a person chose in a corrections workbook. */
export interface GivenWords {
  /** The file whose rows it corrects, with its sender's folder. */
  readonly file: string;
  readonly words: readonly WordMeaning[];
}

/** What an answered workbook says about one of its tables. */
export interface GivenAnswer extends Pick<LayoutAnswer, 'columns'> {
  /** The table's name in the workbook. */
  readonly token: string;
  /** Null if the workbook lost it. */
  readonly asked: AskedTable | null;
}

export function holdsFile({ columns }: Pick<LayoutQuestion, 'columns'>): boolean {
  return columns.some(({ holds }) => holds);
}

/** The answer that takes every proposal. */
export function asProposed(columns: readonly Pick<AskedColumn, 'key' | 'proposal'>[]): LayoutAnswer['columns'] {
  return Object.fromEntries(columns.map(({ key, proposal }) => [key, proposal]));
}
