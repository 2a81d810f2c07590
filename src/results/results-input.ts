import type { ReportSummary } from '../contract/report.ts';
import type { OrderPayload, Repair } from '../domain/row.ts';

/** Times are milliseconds since the UNIX epoch; paths are relative to the delivery folder, with forward slashes. */
type EpochMs = number;

/** Where a row stood when it was dropped. */
export interface SourcePlace {
  readonly file: string;
  readonly sheet: string;
  readonly rowNumber: number;
}

export interface ResultReport {
  readonly id: string;
  readonly type: string;
  /** The report's file in the delivery, or null when there is none. */
  readonly path: string | null;
  readonly summary: ReportSummary | null;
}

/** A project as the ledger and its artifacts know it. */
export interface ResultProject {
  readonly projectId: string;
  readonly order: OrderPayload;
  /** The service's word, listed in the document or not. */
  readonly status: string;
  readonly statusAt: EpochMs | null;
  readonly orderedAt: EpochMs | null;
  readonly returnedAt: EpochMs | null;
  readonly collectedAt: EpochMs | null;
  /** True where the order was tied to a project that stood there already. */
  readonly linked: boolean;
  readonly source: SourcePlace | null;
  /** Newest first, where the caller knows. */
  readonly reports: readonly ResultReport[];
  /** The folder of photos, or the first photo. */
  readonly photosPath: string | null;
  readonly photoCount: number;
  readonly photos: readonly { readonly id: string; readonly path: string }[];
  /** What went wrong with it, in words, such as a broken report that the next run fetches again. */
  readonly problems: readonly string[];
}

export interface NotOrderedRow {
  readonly kind: 'rejection' | 'refusal' | 'duplicate' | 'held';
  readonly file: string;
  readonly sheet: string;
  readonly rowNumber: number;
  readonly policyNumber: string;
  readonly inspectionNumber: string;
  readonly insuredName: string;
  readonly streetAddress: string;
  readonly reasons: readonly string[];
  /** The project a duplicate stands for, where it is known. */
  readonly projectId: string | null;
}

export interface ResultsOverview {
  readonly byStatus: readonly { readonly status: string; readonly count: number }[];
  /** How old the outstanding projects are: `under 3 days`, `3 to 7 days`, … in the order to show. */
  readonly outstandingByAge: readonly { readonly age: string; readonly count: number }[];
  /** The files of this run. */
  readonly files: readonly {
    readonly file: string;
    readonly outcome: string;
    readonly read: number;
    readonly accepted: number;
    readonly rejected: number;
  }[];
  /** Held and unresolved orders, held files: what a person must do, and the command for it. */
  readonly needsPerson: readonly { readonly title: string; readonly detail: string; readonly command: string }[];
}

export interface ResultsInput {
  readonly run: string;
  readonly writtenAt: EpochMs;
  /** Called twice; each call starts from the first project, in the same order. */
  readonly projects: () => AsyncIterable<ResultProject>;
  readonly notOrdered: () => AsyncIterable<NotOrderedRow>;
  readonly overview: ResultsOverview;
}

/** An order as a submission run left it. */
export interface OrderLine {
  readonly state: 'created' | 'linked' | 'skipped' | 'refused' | 'unresolved' | 'waiting' | 'held';
  /** Why it stands so, in words; null where there is nothing to say. */
  readonly reason: string | null;
  readonly projectId: string | null;
  readonly source: SourcePlace;
  readonly order: OrderPayload;
  readonly repairs: readonly Repair[];
  /** For self-inspections: what somebody must send to the insured. */
  readonly inspectionCode: string | null;
  readonly inspectionLink: string | null;
}

export interface OrdersInput {
  readonly run: string;
  readonly writtenAt: EpochMs;
  readonly orders: () => AsyncIterable<OrderLine>;
}
