/**
 * Something expected went wrong, and we can say what to do about it. Everything else that is thrown is a fault of the program.
 * `exitCode` is the one that DESIGN's table gives for it.
 */
export class ExplainedError extends Error {
  readonly exitCode: 2 | 4 | 5;
  /** The next step for whoever reads it, one sentence. */
  readonly hint: string | undefined;

  constructor(message: string, options: { exitCode: 2 | 4 | 5; hint?: string; cause?: unknown }) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'ExplainedError';
    this.exitCode = options.exitCode;
    this.hint = options.hint;
  }
}

/** The message of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** A full disk is nobody's fault, and loses nothing. `what` could not be done, in a few words. */
export function diskFull(what: string, cause: unknown): ExplainedError {
  return new ExplainedError(`The disk is full: ${what}.`, {
    exitCode: 2,
    hint: 'Make room, then run it again: nothing that was on record is lost, and the next run goes on from there.',
    cause,
  });
}
