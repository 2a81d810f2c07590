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
