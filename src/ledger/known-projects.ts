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
