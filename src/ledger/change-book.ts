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
