import type { ProjectRecord } from './projects.ts';

/** What a person can ask of a project that exists (document: Status update request, Project update request). */
export type UpdateRequest =
  | { readonly kind: 'cancel'; readonly comment?: string }
  /** `withoutFiles`: a person said that its files need not be safe here. */
  | { readonly kind: 'receive'; readonly comment?: string; readonly withoutFiles: boolean }
  /** An empty text clears, a field left out stays. */
  | ({ readonly kind: 'amend' } & PolicyDetails);

export type UpdateKind = UpdateRequest['kind'];

/** The two fields of a project that can be changed. */
export interface PolicyDetails {
  readonly policyNumber?: string;
  readonly policyEffectiveDate?: string;
}

/** Where a person asked for it; null where it was on the command line. */
export type UpdateSource = { readonly file: string; readonly sheet: string; readonly rowNumber: number } | null;

/** What the service held before: the status, or the policy details. */
export type HeldBefore = Readonly<Record<string, string>>;

/** An update that is about to be sent. */
export interface NewUpdate {
  readonly projectId: string;
  readonly request: UpdateRequest;
  readonly before: HeldBefore;
  readonly source: UpdateSource;
}

/** An update on record. Open: its request left, or was about to, and what became of it is not on record. */
export interface UpdateRecord extends NewUpdate {
  readonly id: number;
  readonly state: 'open' | 'done' | 'refused';
  readonly run: string | null;
  readonly beganAt: number;
  readonly endedAt: number | null;
  readonly reason: string | null;
}

/** How an update ended. */
export type UpdateEnd =
  /** `status`: what the service shows now, where that was asked. */
  | { readonly to: 'done'; readonly status: string | null; readonly settled: boolean }
  | { readonly to: 'refused'; readonly reason: string; readonly status: string | null };

/** What people know a project by. */
export type ProjectKey = 'projectId' | 'policyNumber' | 'inspectionNumber';

/** A project that a person may mean, with the first of its orders. */
export interface NamedProject {
  readonly projectId: string;
  readonly orderId: number;
  readonly status: string;
  /** Street, city and state, for a person to recognise it by. */
  readonly property: string;
}

/** What was asked of projects after they were ordered. */
export interface UpdateBook {
  /** Puts an update on record before it is sent. Null, and nothing is on record, where one of this project is open. */
  beginUpdate(update: NewUpdate): Promise<number | null>;
  /** open → done or refused. False, and nothing changed, where it was not open. */
  endUpdate(updateId: number, end: UpdateEnd): Promise<boolean>;
  /** In the order in which they were begun. */
  openUpdates(): Promise<readonly UpdateRecord[]>;
  updatesOf(projectId: string): Promise<readonly UpdateRecord[]>;
  /** What a project's policy details were amended to; empty where they are the order's own. */
  amendedDetails(projectId: string): Promise<PolicyDetails>;
  /** The projects of orders that are known by this, by id; at most a few hundred. A policy number also finds those amended to it. */
  projectsNamed(key: ProjectKey, text: string): Promise<readonly NamedProject[]>;
  /** A followed project, with the folder (relative to the workspace) of the delivery that holds it as it stands; null where none does. */
  projectWithDelivery(projectId: string): Promise<{ readonly project: ProjectRecord; readonly deliveredIn: string | null } | null>;
}
