import type { OrderField } from '../fields.ts';
import { quoted } from '../cells.ts';

/** A value of the create request. */
export type FieldValue = string | number | boolean | readonly string[];

/** Something about a cell that a person should look at, though it does not stop the row. */
export interface CellWarning {
  /** A stable name, such as `date-perhaps-swapped`. */
  readonly rule: string;
  /** Sentences that follow `<title> (<cell>): `. */
  readonly message: string;
}

/** What a cell comes to. Where `why` stands, the value differs from what the cell holds or shows, and that is put on record as a repair. */
export type Coercion =
  | { readonly kind: 'empty'; readonly why?: string; readonly warning?: CellWarning }
  | { readonly kind: 'value'; readonly value: FieldValue; readonly why?: string; readonly warning?: CellWarning }
  /** It hangs on another cell of the row, which is wrong itself and stops the row: nothing is to be said before that one is right. */
  | { readonly kind: 'undecided' }
  | {
      readonly kind: 'wrong';
      /** A stable name for the rule that is broken. */
      readonly rule: string;
      /** What is wrong, what is allowed, what to do: sentences that follow `<title> (<cell>): `. */
      readonly message: string;
    };

/** In which order the parts of a date such as 03/05/2026 stand, as far as the whole column shows. */
export type DateOrder = 'month first' | 'day first' | 'contradictory' | 'no evidence';

/** Which sign stands before the decimals of a column's amounts, as far as the whole column shows. */
export type DecimalMark = 'point' | 'comma' | 'contradictory' | 'no evidence';

/** What the whole of a column shows about its cells. */
export interface ColumnEvidence {
  readonly dateOrder: DateOrder;
  /** A text that can only be a date with its day first, and its row; undefined where there is none. */
  readonly dayFirstText: { readonly text: string; readonly rowNumber: number } | undefined;
  /** True where a real date has a day beyond 12: then not all of them are texts that a spreadsheet read month first. */
  readonly surelyTypedDate: boolean;
  readonly decimalMark: DecimalMark;
}

/** What is known of a column that nobody looked at. */
export const NO_EVIDENCE: ColumnEvidence = { dateOrder: 'no evidence', dayFirstText: undefined, surelyTypedDate: false, decimalMark: 'no evidence' };

/** What else decides how a cell is read. */
export interface CoercionContext {
  readonly field: OrderField;
  readonly evidence: ColumnEvidence;
  /** True for a row of a corrections workbook: a person has looked at its cells. */
  readonly corrected: boolean;
  /** The row's state as two letters, when it is known. */
  readonly state: string | undefined;
  /** `YYYY-MM-DD`. */
  readonly today: string;
}

/** A value as it is; `why` says what was changed, if anything was. */
export function value(sent: FieldValue, why?: string): Coercion {
  return why === undefined ? { kind: 'value', value: sent } : { kind: 'value', value: sent, why };
}

/** A cell that breaks a rule. */
export function wrong(rule: string, message: string): Coercion {
  return { kind: 'wrong', rule, message };
}

/** ` Did you mean "…"?`, or nothing. */
export function suggestion(near: string | undefined): string {
  return near === undefined ? '' : ` Did you mean ${quoted(near)}?`;
}

/** How a value reads to a person: `Yes`, `RC Report, Sinkhole`, `1850`. */
export function sentText(sent: FieldValue): string {
  if (typeof sent === 'boolean') return sent ? 'Yes' : 'No';
  return typeof sent === 'object' ? sent.join(', ') : String(sent);
}
