/**
 * What went wrong: how the program was called or set up; something that the next run goes on with; another run that holds the lock; this host counts as
 * dead in its fleet, whether or not another one goes on.
 */
export type ExplainedKind = 'usage' | 'work-left' | 'locked' | 'lost-place';

/** Something expected went wrong, and we can say what to do about it. Everything else that is thrown is a fault of the program. */
export class ExplainedError extends Error {
  /** Stays the same when the words change: kebab-case, listed in docs/messages.md. */
  readonly code: string;
  readonly kind: ExplainedKind;
  /** The next step for whoever reads it, one sentence. */
  readonly hint: string | undefined;

  constructor(
    code: string,
    message: string,
    options: { kind: ExplainedKind; hint?: string | undefined; cause?: unknown },
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'ExplainedError';
    this.code = code;
    this.kind = options.kind;
    this.hint = options.hint;
  }
}

/** What somebody asked for or set up is wrong. */
export function usageError(code: string, message: string, hint?: string): ExplainedError {
  return new ExplainedError(code, message, { kind: 'usage', hint });
}

/** The message of whatever was thrown, or told as a copy of what was thrown. */
export function messageOf(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown ? String(thrown.message) : String(thrown);
}

/** A full disk is nobody's fault, and loses nothing. `what` could not be done, in a few words. */
export function diskFull(what: string, cause: unknown): ExplainedError {
  return new ExplainedError('disk-full', `The disk is full: ${what}.`, {
    kind: 'usage',
    hint: 'Make room, then run it again: nothing that was on record is lost, and the next run goes on from there.',
    cause,
  });
}
