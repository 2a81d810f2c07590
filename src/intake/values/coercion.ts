import type { OrderField } from '../fields.ts';
import { quoted } from '../../domain/cells.ts';
import { type Parts, ruleAndMessage } from '../../domain/sentences.ts';

export type FieldValue = string | number | boolean | readonly string[];

export type CellWarning = Readonly<{
  /** Stable, such as `date-perhaps-swapped`. */
  rule: string;
  /** Sentences after `<title> (<cell>): `. */
  message: string;
}>;

/** With `why`, the value differs from the cell; that is recorded as a repair. */
export type Coercion = Readonly<
  | { kind: 'empty'; why?: string | undefined; warning?: CellWarning }
  | { kind: 'value'; value: FieldValue; why?: string | undefined; warning?: CellWarning }
  /** Depends on another cell of the row, which is wrong itself. */
  | { kind: 'undecided' }
  | { kind: 'wrong'; rule: string; message: string; proposal?: string | undefined }
>;

export type DateOrder = 'month first' | 'day first';

/** A cell with only one possible reading. */
export type ProofCell = Readonly<{ text: string; rowNumber: number }>;

export type DateReading = Readonly<{
  /** If undefined, ambiguous cells go back. A cell that shows another reading goes back alone. */
  reading: DateOrder | undefined;
  /** `usage`: as usual in the United States. */
  by: 'column' | 'header' | 'config' | 'usage';
  /**
   * True if cells or the header contradict it, without a clear majority for it: each cell read this way gets a warning.
   */
  contradicted: boolean;
  /** For each reading, the first cell that shows it. */
  witnesses: { readonly [Shown in DateOrder]?: ProofCell | undefined };
}>;

export type ColumnEvidence = Readonly<{
  dates: DateReading;
  /** Whether a spreadsheet may have swapped day and month of the column's real dates. */
  realDates: 'sure' | 'perhaps swapped' | 'doubtful';
  /** Whether amounts of the column have a comma before their decimals. */
  hasCommas: boolean;
}>;

/** For columns that were not surveyed. */
export const NO_EVIDENCE: ColumnEvidence = {
  dates: { reading: undefined, by: 'usage', contradicted: false, witnesses: {} },
  realDates: 'sure',
  hasCommas: false,
};

export type SenderWords = ReadonlyMap<string, readonly Readonly<{ value: string; by: string }>[]>;

export type CoercionContext = Readonly<{
  field: OrderField;
  evidence: ColumnEvidence;
  /** The header says that its numbers are thousands. */
  inThousands?: boolean;
  /** By a person: in a corrections workbook. */
  corrected: boolean;
  state: string | undefined;
  words?: SenderWords;
  today: string;
}>;

export function value(sent: FieldValue, why?: string): Coercion {
  return { kind: 'value', value: sent, why };
}

export function wrong(code: string, parts?: Parts, proposal?: string): Coercion {
  return { kind: 'wrong', ...ruleAndMessage(code, parts), proposal };
}

/** ` Did you mean "…"?`, or nothing. */
export function suggestion(near: string | undefined) {
  return near === undefined ? '' : ` Did you mean ${quoted(near)}?`;
}

export function sentText(sent: FieldValue) {
  if (typeof sent === 'boolean') return sent ? 'Yes' : 'No';
  return typeof sent === 'object' ? sent.join(', ') : String(sent);
}
