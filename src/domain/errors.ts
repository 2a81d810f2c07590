import { codeOf, loadSentences, type Parts, sentence } from './sentences.ts';

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

export async function nullIfMissing<T>(work: Promise<T>) {
  return (await succeeds(work, 'ENOENT')) ? work : null;
}

/** False after a failure with one of these codes; others are thrown. */
export async function succeeds(work: Promise<unknown>, ...codes: readonly string[]) {
  try {
    await work;
    return true;
  } catch (failure) {
    if (hasCode(failure, ...codes)) return false;
    throw failure;
  }
}

export function hasCode(thrown: unknown, ...codes: readonly string[]) {
  return codes.includes(systemCodeOf(thrown));
}

/** Such as `EIO`; Node's own codes begin with `ERR_`. */
export function isSystemError(thrown: unknown) {
  return /^E(?!RR_)[A-Z0-9]+$/.test(systemCodeOf(thrown));
}

function systemCodeOf(thrown: unknown) {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
}

/** With the hint for `code`, if there is one. */
export function errorOf(kind: ExplainedKind, code: string, parts?: Parts, cause?: unknown) {
  return new ExplainedError(codeOf(code), sentence(code, parts), { kind, hint: hintFor(code, parts), cause });
}

export function usageErrorOf(code: string, parts?: Parts, cause?: unknown) {
  return errorOf('usage', code, parts, cause);
}

export function workLeftErrorOf(code: string, parts?: Parts, cause?: unknown) {
  return errorOf('work-left', code, parts, cause);
}

export function hintFor(code: string, parts?: Parts) {
  const hint = `${code}${code.includes('/') ? '-' : '/'}hint`;
  return hint in loadSentences() ? sentence(hint, parts) : undefined;
}
