/** What every bench is given. Sizes that are not given are the bench's own. */
export interface BenchOptions {
  /** How often each thing is measured. */
  readonly rounds: number;
  readonly rows: number | undefined;
  readonly orders: number | undefined;
  readonly projects: number | undefined;
}
