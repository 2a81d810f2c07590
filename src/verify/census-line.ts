import type { RunContext } from '../domain/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ServiceClient } from '../service/client.ts';

/**
 * rclone's marks: `=` both sides agree; `-` on record, and missing where it should be; `+` there, and not on record; `*` on both sides,
 * and not the same; `!` could not be told.
 */
export type Mark = '=' | '-' | '+' | '*' | '!';

/** One thing that was counted. */
export interface CensusLine {
  readonly mark: Mark;
  readonly about: 'ledger' | 'order' | 'project' | 'row' | 'file' | 'artifact' | 'delivery' | 'update';
  readonly id: string;
  /** What was found, in a sentence. */
  readonly detail: string;
}

export type CensusCounts = Readonly<Record<Mark, number>>;

export function countMarks(lines: readonly CensusLine[]): CensusCounts {
  const counts = { '=': 0, '-': 0, '+': 0, '*': 0, '!': 0 };
  for (const { mark } of lines) counts[mark] += 1;
  return counts;
}

/** `= order 12: project 100012 is its own`. */
export function lineInWords({ mark, about, id, detail }: CensusLine): string {
  return `${mark} ${about} ${id}: ${detail}`;
}

/** What a census is taken with. Nothing in it writes. */
export interface CensusContext extends Omit<RunContext, 'log'> {
  readonly ledger: Ledger;
  readonly client: Pick<ServiceClient, 'searchProjects' | 'getProject' | 'getStatus'>;
  /** The workspace's root: paths in the ledger are relative to it. */
  readonly root: string;
  /** The workspace's `archive/`, an absolute path. */
  readonly archive: string;
}
