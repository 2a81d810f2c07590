/** What a run learnt of the pace that the service bears: where the next run begins. */
export interface PaceHint {
  /** The rate at which the service asked for fewer, in requests a second; null where it never did. */
  readonly ratePerSecond: number | null;
  /** How many requests at once it bore; null where it bears all that we want. */
  readonly concurrency: number | null;
}
