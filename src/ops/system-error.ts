/** Whether an error of the operating system has one of these codes, such as `ENOENT`. */
export function hasCode(thrown: unknown, ...codes: readonly string[]): boolean {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && codes.includes(thrown.code);
}

/** Whether an error came from the operating system: it has a code such as `EIO`. Node's own begin with `ERR_`. */
export function isSystemError(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && /^E(?!RR_)[A-Z0-9]+$/.test(thrown.code);
}
