import type { HouseAddress } from '../domain/identity.ts';
import type { RowPlace } from '../domain/row.ts';
import type { OrderRecord } from './orders.ts';
import type { EarlierRow } from './rows.ts';
import type { PolicyDetails } from './updates.ts';

/** A project that the service knows or may know, seen through the order it belongs to. */
export interface KnownProject {
  readonly orderId: number;
  readonly projectId: string | null;
  /** Milliseconds since the epoch; for an order that is still to be sent, when it was put on record. */
  readonly createdAt: number;
  /**
   * Whether the service has it for sure, created at that time and with the order's details. Not so for an order in doubt or held, and
   * for one tied to a project that stood there already, whose age is not on record.
   */
  readonly certain: boolean;
}

/** A key of the service's duplicate rules, among projects with the same insured-by (document: Errors, rules 1 to 4). */
export interface DuplicateKey {
  readonly insuredBy: string;
  /** Only projects created at this time or later. */
  readonly since: number;
}

/** What is on record of the service's projects, as its duplicate rules compare them: the newest of each key, or null. */
export interface KnownProjects {
  withInspectionNumber(inspectionNumber: string, key: DuplicateKey): KnownProject | null;
  /** Both empty where they are missing: rule 2 read literally compares projects without a policy number as well (READING 4). */
  withPolicy(policyNumber: string, effectiveDate: string, key: DuplicateKey): KnownProject | null;
  /** `addressKey` as `domain/identity.ts` makes it; whatever the project's policy type. */
  atAddress(addressKey: string, key: DuplicateKey): KnownProject | null;
}

/** What is known of rows that went back to their senders; a row that comes to correct one of them names it in `NewRow.corrects`. */
export interface WentBackLookup {
  /** The file whose hash begins so, or null. */
  findFileByHashStart(hashStart: string): { readonly id: number; readonly hash: string } | null;
  /** The files whose names, or whose names in a sender's folder, begin so; the latest first, at most `limit`. */
  filesNamedLike(nameStart: string, limit: number): readonly { readonly id: number; readonly hash: string; readonly name: string }[];
  /** The rows of a file that went back, corrected since or not. */
  rowsThatWentBack(fileId: number): Iterable<EarlierRow>;
  findRow(rowId: number): EarlierRow | null;
}

/** What is known of orders that a row may repeat. */
export interface OrderLookup {
  /** The living order of this identity, or null. Sees the rows of this very file that went before. */
  findLivingOrder(identity: string): OrderRecord | null;
  /** The latest order at this address that was put on record at `since` or later and was not refused, or null. */
  findOrderAtAddress(addressKey: string, since: number): OrderRecord | null;
  /** The latest order of this policy number and effective date, whatever its inspection number, or null. */
  findOrderOfPolicy(policyKey: string): OrderRecord | null;
  /** The latest order of this policy number and effective date without an inspection number, for this service at this house, or null. */
  findOrderOfPolicyAt(policyKey: string, house: HouseAddress & { readonly serviceName: string }): OrderRecord | null;
  /** Where the row stood that placed an order, or null. */
  placeOfOrder(order: Pick<OrderRecord, 'id'>): RowPlace | null;
  /** The status of a project as it was last seen, or null. */
  statusOfProject(projectId: string): string | null;
  /** What the policy details of a project were amended to; empty where they are its order's own. */
  amendedPolicy(projectId: string): PolicyDetails;
}
