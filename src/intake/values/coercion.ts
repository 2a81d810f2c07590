import type { OrderField } from '../fields.ts';
import { quoted } from '../../domain/cells.ts';

/** A value of the create request. */
export type FieldValue = string | number | boolean | readonly string[];

/** Something about a cell that a person should look at, though it does not stop the row. */
export interface CellWarning {
  /** A stable name, such as `date-perhaps-swapped`. */
  readonly rule: string;
  /** Sentences that follow `<title> (<cell>): `. */
  readonly message: string;
}

/** How a cell was read. Where `why` stands, the value differs from what the cell holds or shows, and that is put on record as a repair. */
export type Coercion =
  | { readonly kind: 'empty'; readonly why?: string; readonly warning?: CellWarning }
  | { readonly kind: 'value'; readonly value: FieldValue; readonly why?: string; readonly warning?: CellWarning }
  /** It depends on another cell of the row, which is wrong itself and stops the row: there is nothing to say until that one is right. */
  | { readonly kind: 'undecided' }
  | {
      readonly kind: 'wrong';
      /** A stable name for the rule that is broken. */
      readonly rule: string;
      /** What is wrong, what is allowed, what to do: sentences that follow `<title> (<cell>): `. */
      readonly message: string;
    };

/** In which order the parts of a date such as 03/05/2026 stand. */
export type DateOrder = 'month first' | 'day first';

/** Which sign stands before the decimals of an amount. */
export type DecimalMark = 'point' | 'comma';

/** A cell of a column that can be read one way only. */
export interface Witness {
  readonly text: string;
  readonly rowNumber: number;
}

/** How the cells of a column that could be read two ways are read. */
export interface Settled<Reading extends string> {
  /** Undefined where nothing settles it: then such cells go back. A cell that shows another reading than this goes back alone. */
  readonly reading: Reading | undefined;
  /** What settled it: the clear majority of the column's own cells, its header, the config, or what is usual in the United States. */
  readonly by: 'column' | 'header' | 'config' | 'usage';
  /** True where cells, or the header, speak against it, and no clear majority for it: then each cell that is read so carries a warning. */
  readonly contradicted: boolean;
  /** For each reading the first cell that shows it. */
  readonly witnesses: { readonly [Shown in Reading]?: Witness | undefined };
}

/** What the whole of a column shows about its cells. */
export interface ColumnEvidence {
  readonly dates: Settled<DateOrder>;
  /** Whether real dates stand beside texts with the day first, so that a spreadsheet may have taken their day for the month. */
  readonly realDates: 'sure' | 'perhaps swapped' | 'doubtful';
  readonly amounts: Settled<DecimalMark>;
}

/** What is assumed of a column that was not surveyed. */
export const NO_EVIDENCE: ColumnEvidence = {
  dates: { reading: undefined, by: 'usage', contradicted: false, witnesses: {} },
  realDates: 'sure',
  amounts: { reading: 'point', by: 'usage', contradicted: false, witnesses: {} },
};

/** What else decides how a cell is read. */
export interface CoercionContext {
  readonly field: OrderField;
  readonly evidence: ColumnEvidence;
  /** True for a row of a corrections workbook: a person has looked at its cells. */
  readonly corrected: boolean;
  /** The row's state as two letters, when it is known. */
  readonly state: string | undefined;
  /** Words that the sender uses for listed values; undefined where none are known. */
  readonly words?: ReadonlyMap<string, string> | undefined;
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
