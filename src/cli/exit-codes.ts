import { diskFull, ExplainedError, messageOf } from '../domain/errors.ts';
import { hasCode } from '../ops/system.ts';

/** What a command came to: `main.ts` prints it and sets the exit code, nobody else does. */
export interface CommandResult {
  readonly exitCode: number;
  /** For people, on stdout; ends without a line break. */
  readonly text: string;
  /** The one document of `--json`. */
  readonly json: unknown;
  /** The same in pieces, instead of `json`, where it is too large to stand in memory. */
  readonly jsonText?: () => Iterable<string>;
}

/** DESIGN: Exit codes. */
export const EXIT = { done: 0, fault: 1, usage: 2, rowsForPeople: 3, workLeft: 4, locked: 5, interrupted: 130, terminated: 143 } as const;

/** Where several hold: 1 before 2 before 4 before 3. */
export function exitCodeOf(holds: { readonly fault?: boolean; readonly workLeft: boolean; readonly rowsForPeople: boolean }): number {
  if (holds.fault === true) return EXIT.fault;
  if (holds.workLeft) return EXIT.workLeft;
  return holds.rowsForPeople ? EXIT.rowsForPeople : EXIT.done;
}

/**
 * The ExplainedError in what was thrown, however deep: what is closed on the way out may fail too, and then hides the first failure. A full
 * disk outranks all else, because it is what made the rest fail.
 */
export function explainedIn(thrown: unknown): ExplainedError | null {
  const all = failuresIn(thrown);
  const full = all.find((failure) => hasCode(failure, 'ENOSPC', 'EDQUOT', 'EFBIG'));
  if (full !== undefined) return diskFull(messageOf(full), thrown);
  const first = all.find((failure) => !(failure instanceof SuppressedError));
  return first instanceof ExplainedError ? first : null;
}

function failuresIn(thrown: unknown, depth = 0): readonly unknown[] {
  if (!(thrown instanceof Error) || depth > 10) return [thrown];
  const inside = [
    ...(thrown instanceof AggregateError ? (thrown.errors as unknown[]) : []),
    ...(thrown instanceof SuppressedError ? [thrown.suppressed as unknown, thrown.error as unknown] : []),
    thrown.cause,
  ];
  return [thrown, ...inside.flatMap((each) => (each === undefined || each === null ? [] : failuresIn(each, depth + 1)))];
}
