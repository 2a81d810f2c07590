import type { CreateProjectRequest } from '../contract/document.ts';
import type { Cell } from './cells.ts';

/** The index of `cells` is the column, from 0; empty cells are `undefined`. */
export type SheetRow = Readonly<{
  sheet: string;
  /** The spreadsheet's own row number, from 1; in a CSV, the record's number. */
  rowNumber: number;
  cells: readonly (Cell | undefined)[];
  hidden?: true;
  fills?: readonly (string | undefined)[];
  remarks?: readonly RowRemark[];
}>;

/** `column` is a cell's index. */
export type RowRemark =
  /** Merged with the cell at `firstRow` and `firstColumn`, above or to its left, whose value all of them show. */
  Readonly<
    | {
        kind: 'merged';
        column: number;
        firstColumn: number;
        firstRow: number;
        shows: Cell | undefined;
      }
    | { kind: 'repair'; column: number; held: string; why: string }
    /** All of the text (kept in the cell), or a part (removed). */
    | { kind: 'struck'; column: number; text: string; whole: boolean }
    | { kind: 'warning'; column: number; rule: string; message: string }
    /** The row cannot be sent. The message is in whole sentences. */
    | { kind: 'doubt'; column: number; rule: string; message: string }
  >;

/** Codes never change (docs/messages.md); texts may. */
export type Note = Readonly<{ code: string; text: string }>;

export function note(code: string, text: string): Note {
  return { code, text };
}

/** An error stops the row; a warning does not. */
export type Problem = Readonly<{
  severity: 'error' | 'warning';
  rule: string;
  /** A field of the create request; null for the whole row. */
  field: string | null;
  column: string | null;
  cell: string | null;
  value: string;
  /** Whole sentences: the mistake, the allowed values, the next step. */
  message: string;
  proposal?: string | undefined;
}>;

export function rowProblem(
  severity: Problem['severity'],
  rule: string,
  message: string,
  about: Partial<Omit<Problem, 'severity' | 'rule' | 'message'>> = {},
): Problem {
  return { severity, rule, field: null, column: null, cell: null, value: '', ...about, message };
}

/** For readers with another workbook open, where the cell has another address. */
export function messageInFile({ message, cell }: Problem, file: string) {
  return cell === null ? message : message.replace(` (${cell})`, () => ` (${cell} in ${file})`);
}

export type Repair = Readonly<{
  field: string;
  column: string;
  cell: string;
  held: string;
  shown?: string;
  sent: string;
  why: string;
}>;

export type RowPlace = Readonly<{ file: string; sheet: string; rowNumber: number }>;

export type RowSummary = Readonly<{
  policyNumber: string;
  inspectionNumber: string;
  insuredName: string;
  streetAddress: string;
  city?: string | undefined;
  state?: string | undefined;
  insuredPhone?: string | undefined;
  agentName?: string | undefined;
  agentPhone?: string | undefined;
  /** As in the row if that is wrong. */
  dueDate?: string | undefined;
}>;

/** What another row ordered for the same house, policy and term as a row that was not ordered. */
export type OrderedElsewhere = Readonly<Record<'projectId' | 'serviceName', string>>;

export function describeOrderedElsewhere({ projectId, serviceName }: OrderedElsewhere) {
  return `ordered by another row: project ${projectId} (${serviceName})`;
}

export type RowRecord = Readonly<{
  place: RowPlace;
  cells: readonly (Cell | undefined)[];
  /** The hidden key of a row that came back in a corrections workbook. */
  correctsRow: string | null;
}>;

export type ValidRow = Readonly<{
  kind: 'order';
  record: RowRecord;
  /** Without `allowDuplication`. */
  payload: OrderPayload;
  /** Overrides the config; undefined if its cell is empty. */
  allowDuplication: boolean | undefined;
  repairs: readonly Repair[];
  warnings: readonly Problem[];
}>;

export type RowOutcome =
  | ValidRow
  | Readonly<{
      kind: 'rejection';
      record: RowRecord;
      problems: readonly Problem[];
      repairs: readonly Repair[];
      /** A row that only its words withhold. `follows`: they may say what became of its order. */
      withheld?: Readonly<{ row: ValidRow; follows: boolean }> | undefined;
    }>;

export type OrderPayload = Omit<CreateProjectRequest, 'allowDuplication'>;

export type SheetLayout = Readonly<{
  sheet: string;
  headerRow: number;
  titles?: readonly Readonly<{ rowNumber: number; cells: readonly (Cell | null)[] }>[];
  keyColumn?: number | undefined;
  /** By field without a column: its value for all rows. */
  given?: Readonly<Record<string, string>>;
  /** Fields that are parts of another field's cells. */
  within?: readonly string[];
  columns: readonly Readonly<{
    index: number;
    header: string;
    field: string | null;
    /** By all rows of its file: its words withdraw none of them, or are those of transactions. */
    judged?: 'same' | 'transactions' | 'statuses';
  }>[];
}>;

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
export function withoutDetails(payload: OrderPayload) {
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
export function hasDetails(payload: Pick<OrderPayload, 'streetAddress'>) {
  return payload.streetAddress !== '';
}
