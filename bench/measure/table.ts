import type { Measured } from './measured.ts';

type Row = readonly string[];

/** A table as it was printed, with the targets below it. */
export interface Printed {
  readonly title: string;
  readonly head: Row;
  readonly rows: readonly Row[];
  readonly targets: Target[];
}

const printed: Printed[] = [];

/** All tables so far, in order. */
export const printedSoFar = (): readonly Printed[] => printed;

/** Prints a table with its title: the first column to the left, the others to the right. */
export function printTable(title: string, head: Row, rows: readonly Row[]): void {
  printed.push({ title, head, rows, targets: [] });
  process.stdout.write(`\n${title}\n${lines([head, ...rows], (column) => column === 0)}`);
}

/** A target, what was measured against it, and whether it is met; null where this machine or this size cannot tell. */
export interface Target {
  readonly target: string;
  readonly measured: string;
  readonly met: boolean | null;
  /** Why it is missed, where that is known. */
  readonly why?: string;
}

export function printTargets(targets: readonly Target[]): void {
  printed.at(-1)?.targets.push(...targets);
  const rows = targets.map((target) => [target.target, target.measured, verdictOf(target)]);
  process.stdout.write(lines([['target', 'measured', ''], ...rows], () => true));
}

export function verdictOf({ met }: Target): string {
  return met === null ? 'cannot tell' : met ? 'met' : 'NOT MET';
}

/** At most so much. */
export function atMost(target: string, value: number, limit: number, show: (value: number) => string): Target {
  return { target, measured: show(value), met: value <= limit };
}

/** At least so much. */
export function atLeast(target: string, value: number, limit: number, show: (value: number) => string): Target {
  return { target, measured: show(value), met: value >= limit };
}

/** For a target that is set for another size: missing it at a smaller one tells, meeting it does not. */
export function onlyAtSize(target: Target, sizeIsEnough: boolean): Target {
  return { ...target, met: target.met === true && !sizeIsEnough ? null : target.met };
}

export const TIME_AND_MEMORY_HEAD = ['wall s', 'processor s', 'peak MB'];

export function timeAndMemory({ wallMs, cpuMs, peakMb }: Measured): string[] {
  return [seconds(wallMs), seconds(cpuMs), megabytes(peakMb)];
}

export function seconds(ms: number): string {
  return Number.isNaN(ms) ? '' : (ms / 1000).toFixed(2);
}

export function megabytes(mb: number): string {
  return Number.isNaN(mb) ? '' : mb.toFixed(0);
}

export function times(ratio: number): string {
  return `${ratio.toFixed(2)} ×`;
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function lines(table: readonly Row[], isLeft: (column: number) => boolean): string {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const line = (row: Row): string =>
    widths
      .map((width, column) =>
        isLeft(column) ? (row[column] ?? '').padEnd(width) : (row[column] ?? '').padStart(width),
      )
      .join('  ')
      .trimEnd();
  const [head = [], ...body] = table;
  return `${[
    line(head),
    widths
      .map((width) => '-'.repeat(width))
      .join('  ')
      .trimEnd(),
    ...body.map(line),
  ].join('\n')}\n\n`;
}
