import type { Problem } from '../domain/row.ts';
import { changesColumns } from '../intake/layout-changes.ts';
import type { NewRow } from '../ledger/rows.ts';
import type { Comparison } from './compare-with-earlier.ts';

/** The config's `intake.hold`: when a file waits for a person. */
export interface HoldLimits {
  readonly maxWrongPercent: number | null;
  readonly maxDuplicatePercent: number | null;
  readonly changedLayout: boolean;
  readonly maxTimesUsualRows: number | null;
}

/** A limit that a file broke. */
export interface HoldReason {
  readonly limit: keyof HoldLimits;
  /** A whole sentence with the numbers, without details of people. */
  readonly sentence: string;
  /** Rows or columns that show it: for the page beside the file, and for nobody else. */
  readonly examples: readonly string[];
}

const EXAMPLES_MAX = 10;
/** Files that small are never far more than usual. */
const ROWS_FEW = 5;

type CountedRow = Pick<NewRow, 'outcome' | 'record' | 'problems'>;

/** Counts a file's rows by what a limit can be about; keeps the first few as examples. */
export class RowCount {
  rows = 0;
  wrong = 0;
  duplicate = 0;
  readonly wrongExamples: string[] = [];
  readonly duplicateExamples: string[] = [];

  add(row: CountedRow): void {
    this.rows += 1;
    const repeat = row.problems.find(({ rule }) => rule === 'repeat' || rule === 'duplicate');
    if (row.outcome === 'repeat' || (row.outcome === 'rejection' && repeat !== undefined)) {
      this.duplicate += 1;
      addExample(this.duplicateExamples, row, repeat);
    } else if (row.outcome === 'rejection') {
      this.wrong += 1;
      addExample(this.wrongExamples, row, row.problems.find(({ severity }) => severity === 'error'));
    }
  }
}

function addExample(examples: string[], { record }: CountedRow, problem: Problem | undefined): void {
  if (examples.length < EXAMPLES_MAX) examples.push(`${record.place.sheet} row ${record.place.rowNumber}: ${problem?.message ?? ''}`);
}

/** Which limits a file breaks: none, and it is put on record. A corrections workbook breaks none: it holds what was wrong before. */
export function reasonsToHold(limits: HoldLimits, count: RowCount, { kind, changes, usualRows }: Omit<Comparison, 'before'>): readonly HoldReason[] {
  if (kind === null) return [];
  const reasons: HoldReason[] = [];
  if (isMoreThan(limits.maxWrongPercent, count.wrong, count.rows)) {
    reasons.push({ limit: 'maxWrongPercent', sentence: `${share(count.wrong, count.rows, 'wrong')}; ${allowed(limits.maxWrongPercent)}`, examples: count.wrongExamples });
  }
  if (isMoreThan(limits.maxDuplicatePercent, count.duplicate, count.rows)) {
    const sentence = `${share(count.duplicate, count.rows, 'ordered already')}; ${allowed(limits.maxDuplicatePercent)}`;
    reasons.push({ limit: 'maxDuplicatePercent', sentence, examples: count.duplicateExamples });
  }
  const changed = changes.filter(changesColumns);
  if (limits.changedLayout && changed.length > 0) {
    const sentence = `The columns are not those of this sender's file before: ${changed.length} ${changed.length === 1 ? 'difference' : 'differences'}.`;
    reasons.push({ limit: 'changedLayout', sentence, examples: changed.map((change) => change.sentence) });
  }
  if (limits.maxTimesUsualRows !== null && usualRows !== null && count.rows >= ROWS_FEW && count.rows > limits.maxTimesUsualRows * usualRows) {
    const times = `${tenth(count.rows / usualRows)} times as many`;
    const sentence = `The file has ${count.rows} rows, ${times} as the ${usualRows} that this sender's files usually have; up to ${limits.maxTimesUsualRows} times are let through.`;
    reasons.push({ limit: 'maxTimesUsualRows', sentence, examples: [] });
  }
  return reasons;
}

/** One row alone is a slip, not a sign that the file is the wrong one; unless nothing at all is let through. */
function isMoreThan(maxPercent: number | null, some: number, all: number): boolean {
  if (maxPercent === null || some === 0) return false;
  return some * 100 > maxPercent * all && (some > 1 || maxPercent === 0);
}

function share(some: number, all: number, what: string): string {
  return `${some} of ${all} rows ${some === 1 ? 'is' : 'are'} ${what} (${tenth((some * 100) / all)} %)`;
}

function allowed(maxPercent: number | null): string {
  return `up to ${maxPercent ?? 100} % are let through.`;
}

function tenth(value: number): string {
  return String(Math.round(value * 10) / 10);
}
