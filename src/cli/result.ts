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
