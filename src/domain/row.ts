import type { CreateProjectRequest } from '../contract/document.ts';

export type Cell =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'number';
      readonly value: number;
      /** The file's digits, such as `1E+15` or `02139`. */
      readonly raw: string;
      /** The number format, such as `00000` or `0.00E+00`; undefined for General. */
      readonly format?: string | undefined;
      readonly date1904?: true | undefined;
    }
  /** A number shown by a date format, or a `t="d"` cell. `iso` is wall-clock: `2026-03-05` or `2026-03-05T14:30:00`. */
  | {
      readonly kind: 'date';
      readonly iso: string;
      readonly raw: string;
      /** The number format, such as `m/d/yyyy`; undefined if the file names none. */
      readonly format?: string | undefined;
    }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'error'; readonly code: string }
  | { readonly kind: 'formula'; readonly formula: string };

export type NumberCell = Extract<Cell, { kind: 'number' }>;
export type DateCell = Extract<Cell, { kind: 'date' }>;

/** The index of `cells` is the column, from 0; empty cells are `undefined`. */
export interface SheetRow {
  readonly sheet: string;
  /** The spreadsheet's own row number, from 1; in a CSV, the record's number. */
  readonly rowNumber: number;
  readonly cells: readonly (Cell | undefined)[];
  readonly hidden?: true;
  readonly remarks?: readonly RowRemark[];
}

/** `column` is a cell's index. */
export type RowRemark =
  /** Merged with the cell at `firstRow` and `firstColumn`, above or to its left, whose value all of them show. */
  | {
      readonly kind: 'merged';
      readonly column: number;
      readonly firstColumn: number;
      readonly firstRow: number;
      readonly shows: Cell | undefined;
    }
  | { readonly kind: 'repair'; readonly column: number; readonly held: string; readonly why: string }
  /** All of the text (kept in the cell), or a part (removed). */
  | { readonly kind: 'struck'; readonly column: number; readonly text: string; readonly whole: boolean }
  | { readonly kind: 'link'; readonly column: number; readonly address: string }
  | { readonly kind: 'warning'; readonly column: number; readonly rule: string; readonly message: string }
  /** The row cannot be sent. The message is in whole sentences. */
  | { readonly kind: 'doubt'; readonly column: number; readonly rule: string; readonly message: string };

/** Codes never change (docs/messages.md); texts may. */
export interface Note {
  readonly code: string;
  readonly text: string;
}

export function note(code: string, text: string): Note {
  return { code, text };
}

/** An error stops the row; a warning does not. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly rule: string;
  /** A field of the create request; null for the whole row. */
  readonly field: string | null;
  readonly column: string | null;
  readonly cell: string | null;
  readonly value: string;
  /** Whole sentences: the mistake, the allowed values, the next step. */
  readonly message: string;
  readonly proposal?: string | undefined;
}

export function rowProblem(
  severity: Problem['severity'],
  rule: string,
  message: string,
  about: Partial<Omit<Problem, 'severity' | 'rule' | 'message'>> = {},
): Problem {
  return { severity, rule, field: null, column: null, cell: null, value: '', ...about, message };
}

/** For readers who may have another workbook open, in which the cell has another place. */
export function messageInFile({ message, cell }: Problem, file: string): string {
  return cell === null ? message : message.replace(` (${cell})`, () => ` (${cell} in ${file})`);
}

export interface Repair {
  readonly field: string;
  readonly column: string;
  readonly cell: string;
  readonly held: string;
  readonly shown?: string;
  readonly sent: string;
  readonly why: string;
}

export interface RowPlace {
  readonly file: string;
  readonly sheet: string;
  readonly rowNumber: number;
}

export interface RowSummary {
  readonly policyNumber: string;
  readonly inspectionNumber: string;
  readonly insuredName: string;
  readonly streetAddress: string;
  readonly agentName?: string | undefined;
}

/** Complete enough to write the row again. */
export interface RowRecord {
  readonly place: RowPlace;
  readonly cells: readonly (Cell | undefined)[];
  /** The hidden key of a row that came back in a corrections workbook. */
  readonly correctsRow: string | null;
}

export type RowOutcome =
  | {
      readonly kind: 'order';
      readonly record: RowRecord;
      /** Without `allowDuplication`. */
      readonly payload: OrderPayload;
      /** Overrides the config; undefined if its cell is empty. */
      readonly allowDuplication: boolean | undefined;
      readonly repairs: readonly Repair[];
      readonly warnings: readonly Problem[];
    }
  | {
      readonly kind: 'rejection';
      readonly record: RowRecord;
      readonly problems: readonly Problem[];
      readonly repairs: readonly Repair[];
    };

export type ValidRow = Extract<RowOutcome, { kind: 'order' }>;

export type OrderPayload = Omit<CreateProjectRequest, 'allowDuplication'>;

export interface SheetLayout {
  readonly sheet: string;
  readonly headerRow: number;
  readonly titles?: readonly { readonly rowNumber: number; readonly cells: readonly (Cell | null)[] }[];
  readonly keyColumn?: number | undefined;
  readonly columns: readonly {
    readonly index: number;
    readonly header: string;
    readonly field: string | null;
  }[];
}

/** Fields without personal details, and those that the service's duplicate rules compare. */
const KEPT = [
  'serviceName',
  'policyType',
  'houseType',
  'insuredBy',
  'policyNumber',
  'policyEffectiveDate',
  'inspectionNumber',
  'dueDate',
  'isRenewal',
] as const satisfies readonly (keyof OrderPayload)[];

/** Numbers, dates and what was ordered stay. Required fields become empty. */
export function withoutDetails(payload: OrderPayload): OrderPayload {
  const kept = Object.fromEntries(
    KEPT.flatMap((field) => (payload[field] === undefined ? [] : [[field, payload[field]]])),
  ) as Pick<OrderPayload, (typeof KEPT)[number]>;
  return {
    ...kept,
    streetAddress: '',
    city: '',
    state: '',
    zipcode: '',
    insuredName: '',
    insuredPhone: '',
    insuredEmail: '',
  };
}

/** False after `withoutDetails`: every placed order has a street. */
export function hasDetails(payload: Pick<OrderPayload, 'streetAddress'>): boolean {
  return payload.streetAddress !== '';
}
