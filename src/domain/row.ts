import type { CreateProjectRequest } from '../contract/document.ts';

// The face of domain/: the words that all rooms share, as types. Here those of a spreadsheet's rows; identity.ts, project.ts, errors.ts and
// ports.ts hold the others.

/** One cell of a spreadsheet, as the file holds it: nothing is decided about it yet. */
export type Cell =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'number';
      readonly value: number;
      /** The digits exactly as the file holds them, such as `1E+15` or `02139`. */
      readonly raw: string;
      /** The number format, such as `00000` or `0.00E+00`; undefined for General. */
      readonly format?: string;
      /** True where its workbook counts days from 1904. */
      readonly date1904?: true;
    }
  /** A number shown by a date format, or a `t="d"` cell. `iso` is wall-clock: `2026-03-05` or `2026-03-05T14:30:00`. */
  | {
      readonly kind: 'date';
      readonly iso: string;
      readonly raw: string;
      /** The number format, such as `m/d/yyyy`; undefined where the file names none. */
      readonly format?: string;
    }
  | { readonly kind: 'boolean'; readonly value: boolean }
  /** An error value such as `#N/A`. */
  | { readonly kind: 'error'; readonly code: string }
  /** A formula whose result the file does not hold. */
  | { readonly kind: 'formula'; readonly formula: string };

/** A row as it stands in a file. Empty cells are `undefined`; the array's index is the column, from 0. */
export interface SheetRow {
  readonly sheet: string;
  /** As the spreadsheet numbers it, from 1. In a CSV, the number of the record, from 1. */
  readonly rowNumber: number;
  readonly cells: readonly (Cell | undefined)[];
  /** True if the spreadsheet hides the row, as filters do. */
  readonly hidden?: true;
  /** What the reader had to decide about the row, or could not; left out where there is nothing to say. */
  readonly remarks?: readonly RowRemark[];
}

/** What the reader of a file says of a row, besides its cells. `column` is a cell's index. */
export type RowRemark =
  /** The cell is merged with the one at `firstRow` and `firstColumn`, above it or to its left, which holds what all of them show. */
  | {
      readonly kind: 'merged';
      readonly column: number;
      readonly firstColumn: number;
      readonly firstRow: number;
      readonly shows: Cell | undefined;
    }
  /** The cell is not quite what the file holds; `held` is that. */
  | { readonly kind: 'repair'; readonly column: number; readonly held: string; readonly why: string }
  /** A text of the cell is struck through: all of it, which the cell still holds, or a part, which it does not. */
  | { readonly kind: 'struck'; readonly column: number; readonly text: string; readonly whole: boolean }
  /** The cell is a link to an e-mail address. */
  | { readonly kind: 'link'; readonly column: number; readonly address: string }
  /** Worth a look; the message goes on from the cell's address. */
  | { readonly kind: 'warning'; readonly column: number; readonly rule: string; readonly message: string }
  /** The row may be something else than it looks like, and cannot be sent; the message is made of whole sentences. */
  | { readonly kind: 'doubt'; readonly column: number; readonly rule: string; readonly message: string };

/** Something about a row that a person should know. An error stops the row, a warning does not. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  /** A stable name for the rule, such as `zipcode-format`. */
  readonly rule: string;
  /** The field of the create request it is about, or null when it is about the row. */
  readonly field: string | null;
  /** The sender's own header, or null when the file has no such column. */
  readonly column: string | null;
  /** The cell's address, such as `C7`, or null. */
  readonly cell: string | null;
  /** What the cell holds, as text; empty where it is empty. */
  readonly value: string;
  /** A whole sentence: what is wrong, what is allowed, what to do. */
  readonly message: string;
}

/** A problem of a row as a whole; `about` says of which field or cell, where it is one. */
export function rowProblem(
  severity: Problem['severity'],
  rule: string,
  message: string,
  about: Partial<Omit<Problem, 'severity' | 'rule' | 'message'>> = {},
): Problem {
  return { severity, rule, field: null, column: null, cell: null, value: '', ...about, message };
}

/** A value that will be sent differently from how it was typed. */
export interface Repair {
  readonly field: string;
  readonly column: string;
  readonly cell: string;
  /** What the cell holds. */
  readonly held: string;
  /** What the cell shows, by its number format; left out where no cell stands behind the value. */
  readonly shown?: string;
  /** What will be sent. */
  readonly sent: string;
  /** Why, in words. */
  readonly why: string;
}

/** Where a row stands. */
export interface RowPlace {
  /** The file's name as it was dropped. */
  readonly file: string;
  readonly sheet: string;
  readonly rowNumber: number;
}

/** A row as its file holds it: enough to write it back as it was. */
export interface RowRecord {
  readonly place: RowPlace;
  /** The cells as the file holds them, by column index. */
  readonly cells: readonly (Cell | undefined)[];
  /** The hidden key of a corrections workbook, when the row came back in one. */
  readonly correctsRow: string | null;
}

/** What intake made of a row: an order to place, or a rejection. There is no third thing. */
export type RowOutcome =
  | {
      readonly kind: 'order';
      readonly record: RowRecord;
      /** What will be sent, without `allowDuplication`. */
      readonly payload: OrderPayload;
      /** The row's own wish, which outranks the config; undefined when its cell is empty. */
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

export type OrderPayload = Omit<CreateProjectRequest, 'allowDuplication'>;

/** How the sender laid a sheet out: written again in the corrections workbook. */
export interface SheetLayout {
  readonly sheet: string;
  /** The header row's number, from 1. */
  readonly headerRow: number;
  /** What stands above the header: titles, left out where there are none. */
  readonly titles?: readonly { readonly rowNumber: number; readonly cells: readonly (Cell | null)[] }[];
  /** The index of the hidden key column of a corrections workbook, left out where there is none. */
  readonly keyColumn?: number;
  readonly columns: readonly {
    /** The column's index, from 0. */
    readonly index: number;
    /** The header as the sender wrote it. */
    readonly header: string;
    /** The field it was matched to, or null when it was not. */
    readonly field: string | null;
  }[];
}

/** The fields of an order that describe neither a person nor a property, and those that the service's duplicate rules compare. */
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

/** The order without people's details: numbers, dates and what was ordered stay; fields that every order has are empty. */
export function withoutDetails(payload: OrderPayload): OrderPayload {
  const kept = Object.fromEntries(
    KEPT.flatMap((field) => (payload[field] === undefined ? [] : [[field, payload[field]]])),
  );
  const { serviceName, policyType, houseType } = payload;
  return {
    ...kept,
    serviceName,
    policyType,
    houseType,
    streetAddress: '',
    city: '',
    state: '',
    zipcode: '',
    insuredName: '',
    insuredPhone: '',
    insuredEmail: '',
  };
}

/** False after `withoutDetails`: every order that was placed has a street. */
export function hasDetails(payload: Pick<OrderPayload, 'streetAddress'>): boolean {
  return payload.streetAddress !== '';
}
