import type { StoredArtifact } from './artifacts.ts';
import type { DeliveryRecord } from './deliveries.ts';
import type { FileRecord } from './files.ts';
import type { OrderRecord } from './orders.ts';
import type { PolicyDetails } from './updates.ts';

/** An order that has a project, with what the ledger knows of that. */
export interface OrderedProject {
  readonly order: OrderRecord & { readonly projectId: string };
  /** As it was last seen; null where the ledger does not follow the project. */
  readonly status: string | null;
  readonly amended: PolicyDetails;
}

/** A file with its rows, counted one by one. */
export interface CountedFile {
  readonly file: FileRecord;
  readonly orders: number;
  readonly repeats: number;
  readonly rejections: number;
  /** Rejections and refused rows that stand in no corrections workbook yet. */
  readonly notWrittenBack: number;
}

/** Two pages of the ledger that do not agree. */
export interface Contradiction {
  readonly about: 'order' | 'row' | 'project' | 'file';
  readonly id: string;
  readonly what: string;
}

/** The ledger gone through from end to end, for a census. Nothing here changes anything. */
export interface CensusBook {
  /** In order of project id, then of order id. */
  orderedProjects(): AsyncIterable<OrderedProject>;
  /** The lowest project id that was known before any attempt: what is at it or below it is none of our making. Null before the first attempt. */
  lowestIdBound(): Promise<string | null>;
  /** Orders that a project with these details could be: the same inspection number, policy number or address. At most a few hundred. */
  ordersLike(details: { readonly inspectionNumber: string; readonly policyNumber: string; readonly addressKey: string }): Promise<readonly OrderRecord[]>;
  countedFiles(): AsyncIterable<CountedFile>;
  /** Of every project, by project; but for those known as lost that a further version came in place of. */
  storedArtifacts(): AsyncIterable<StoredArtifact>;
  deliveriesOnRecord(): Promise<readonly DeliveryRecord[]>;
  contradictions(): Promise<readonly Contradiction[]>;
}
