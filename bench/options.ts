import type { Measured } from './measure/measured.ts';

/** What a bench measured of ours, by name: what `full` compares with the same at ten times the work. */
export type Growing = Readonly<Record<string, Measured>>;

export type Bench = (options: BenchOptions) => Promise<Growing>;

/** What every bench is given. Sizes that are not given are the bench's own. */
export interface BenchOptions {
  /** How often each thing is measured. */
  readonly rounds: number;
  readonly rows: number | undefined;
  readonly orders: number | undefined;
  readonly projects: number | undefined;
  /** At ten times the work ours are measured, and what they are compared with only where it takes no longer than they do. */
  readonly isTenfold: boolean;
}
