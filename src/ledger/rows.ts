import type { Problem, Repair, RowRecord } from '../domain/row.ts';

/** A detail of an order that came again with another value; both as text, empty where there is none. */
export interface FieldChange {
  readonly field: string;
  readonly ordered: string;
  readonly now: string;
}

/** An order whose row came again with other details, the last time it did so. */
export interface ChangedOrder {
  readonly orderId: number;
  readonly projectId: string | null;
  /** The project's status as it was last seen; null without a project. */
  readonly status: string | null;
  /** When the row came again. */
  readonly at: number;
  readonly place: { readonly file: string; readonly sheet: string; readonly rowNumber: number };
  readonly changes: readonly FieldChange[];
}

/** What came again with other details after it was ordered. */
export interface ChangeBook {
  /** Orders that came again changed and whose project is not canceled or received, the latest change of each; newest first. */
  changedOrders(limit: number): Promise<readonly ChangedOrder[]>;
}

/** What people recognise a row by; kept so that a rejected row can be listed as well. */
export interface RowSummary {
  readonly policyNumber: string;
  readonly inspectionNumber: string;
  readonly insuredName: string;
  readonly streetAddress: string;
}

/** A row to put on record. */
export interface NewRow {
  readonly outcome: 'order' | 'repeat' | 'rejection';
  readonly orderId: number | null;
  readonly record: RowRecord;
  readonly problems: readonly Problem[];
  readonly repairs: readonly Repair[];
  readonly summary: RowSummary;
  /** What is different from the order that a repeat is tied to; left out where nothing is. */
  readonly changes?: readonly FieldChange[];
  /** The row that went back and that this one comes in place of; left out where there is none. */
  readonly corrects?: number;
}

/** A row on record. */
export interface StoredRow extends Omit<NewRow, 'changes' | 'corrects'> {
  readonly id: number;
  readonly fileId: number;
  readonly fileHash: string;
  readonly fileName: string;
}

/** A row as those want it who ask what became of it. */
export interface EarlierRow {
  readonly id: number;
  readonly fileHash: string;
  readonly fileName: string;
  readonly record: RowRecord;
  readonly summary: RowSummary;
  /** The order that it placed or repeats; null for a rejection. */
  readonly orderId: number | null;
  /** True for a rejection, and for the row of an order that the service refused. */
  readonly wentBack: boolean;
  /** The row that came in its place later; null where none has. */
  readonly correctedBy: number | null;
}
