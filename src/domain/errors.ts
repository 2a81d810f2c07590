/**
 * `usage`: how the program was called or set up. `work-left`: the next run continues. `locked`: another run has the
 * lock. `lost-place`: this host counts as dead in its fleet.
 */
export type ExplainedKind = 'usage' | 'work-left' | 'locked' | 'lost-place';

/** An expected error, with advice. Anything else that is thrown is a bug. */
export class ExplainedError extends Error {
  /** Stable, in kebab-case; listed in docs/messages.md. */
  readonly code: string;
  readonly kind: ExplainedKind;
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

export function isOfKind(failure: unknown, kind: ExplainedKind): failure is ExplainedError {
  return failure instanceof ExplainedError && failure.kind === kind;
}

export function usageError(code: string, message: string, hint?: string, cause?: unknown) {
  return new ExplainedError(code, message, { kind: 'usage', hint, cause });
}

export function workLeftError(code: string, message: string, hint?: string, cause?: unknown) {
  return new ExplainedError(code, message, { kind: 'work-left', hint, cause });
}

export function sqliteCodeOf(failure: unknown) {
  return failure instanceof Error && 'errcode' in failure && typeof failure.errcode === 'number'
    ? failure.errcode & 0xff
    : null;
}

/** Works for anything thrown, even a copy of an Error. */
export function messageOf(thrown: unknown) {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown ? String(thrown.message) : String(thrown);
}

/** With the stack, if there is one. */
export function stackOf(thrown: unknown) {
  return (thrown instanceof Error ? thrown.stack : undefined) ?? messageOf(thrown);
}

export function diskFull(what: string, cause: unknown) {
  return usageError(
    'disk-full',
    `The disk is full: ${what}.`,
    'Free some disk space, then run it again: nothing on record is lost, and the next run continues.',
    cause,
  );
}
