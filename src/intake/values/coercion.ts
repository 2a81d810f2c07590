import type { OrderField } from '../fields.ts';
import { quoted } from '../../domain/cells.ts';
import { type Parts, said } from '../sentences.ts';

export type FieldValue = string | number | boolean | readonly string[];

export interface CellWarning {
  /** Stable, such as `date-perhaps-swapped`. */
  readonly rule: string;
  /** Sentences after `<title> (<cell>): `. */
  readonly message: string;
}

/** With `why`, the value differs from the cell; that is recorded as a repair. */
export type Coercion =
  | { readonly kind: 'empty'; readonly why?: string | undefined; readonly warning?: CellWarning }
  | {
      readonly kind: 'value';
      readonly value: FieldValue;
      readonly why?: string | undefined;
      readonly warning?: CellWarning;
    }
  /** Depends on another cell of the row, which is wrong itself. */
  | { readonly kind: 'undecided' }
  | {
      readonly kind: 'wrong';
      readonly rule: string;
      readonly message: string;
      /** The listed value that was probably meant. */
      readonly proposal?: string | undefined;
    };

export type DateOrder = 'month first' | 'day first';

export type DecimalMark = 'point' | 'comma';

/** A cell with only one possible reading. */
export interface ProofCell {
  readonly text: string;
  readonly rowNumber: number;
}

export interface ColumnReading<Reading extends string> {
  /** If undefined, ambiguous cells go back. A cell that shows another reading goes back alone. */
  readonly reading: Reading | undefined;
  /** `usage`: as usual in the United States. */
  readonly by: 'column' | 'header' | 'config' | 'usage';
  /**
   * True if cells or the header contradict it, without a clear majority for it: each cell read this way gets a warning.
   */
  readonly contradicted: boolean;
  /** For each reading, the first cell that shows it. */
  readonly witnesses: { readonly [Shown in Reading]?: ProofCell | undefined };
}

export interface ColumnEvidence {
  readonly dates: ColumnReading<DateOrder>;
  /** Whether a spreadsheet may have swapped day and month of the column's real dates. */
  readonly realDates: 'sure' | 'perhaps swapped' | 'doubtful';
  readonly amounts: ColumnReading<DecimalMark>;
}

/** For columns that were not surveyed. */
export const NO_EVIDENCE: ColumnEvidence = {
  dates: { reading: undefined, by: 'usage', contradicted: false, witnesses: {} },
  realDates: 'sure',
  amounts: { reading: 'point', by: 'usage', contradicted: false, witnesses: {} },
};

export type SenderWords = ReadonlyMap<string, readonly { readonly value: string; readonly by: string }[]>;

export interface CoercionContext {
  readonly field: OrderField;
  readonly evidence: ColumnEvidence;
  /** True in a corrections workbook, whose cells a person has checked. */
  readonly corrected: boolean;
  /** Two letters; undefined if unknown. */
  readonly state: string | undefined;
  readonly words?: SenderWords | undefined;
  /** `YYYY-MM-DD`. */
  readonly today: string;
}

export function value(sent: FieldValue, why?: string): Coercion {
  return { kind: 'value', value: sent, why };
}

/** `code` names a sentence, and perhaps a variant. */
export function wrong(code: string, parts?: Parts, proposal?: string): Coercion {
  return { kind: 'wrong', ...said(code, parts), proposal };
}

/** ` Did you mean "…"?`, or nothing. */
export function suggestion(near: string | undefined) {
  return near === undefined ? '' : ` Did you mean ${quoted(near)}?`;
}

export function sentText(sent: FieldValue) {
  if (typeof sent === 'boolean') return sent ? 'Yes' : 'No';
  return typeof sent === 'object' ? sent.join(', ') : String(sent);
}
