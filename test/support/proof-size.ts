/** What takes long runs in a share, in `npm test` and in CI, and whole with `PROOF=whole`, as the soak does. */
const IS_WHOLE = process.env['PROOF'] === 'whole';
const MS_OF_DAY = 24 * 60 * 60 * 1000;

/** Chooses the share of a proof: the day, or the one that `PROOF_DAY` names, to repeat a failure. */
export const PROOF_DAY = Number(process.env['PROOF_DAY'] ?? Math.floor(Date.now() / MS_OF_DAY));

export function inProof<T>(sizes: { readonly share: T; readonly whole: T }): T {
  return IS_WHOLE ? sizes.whole : sizes.share;
}

/** Of a proof's cases one in so many, each day the next ones: after so many days each has had its turn. Whole, all of them. */
export function inTurn<T>(cases: readonly T[], every: number): readonly T[] {
  return IS_WHOLE ? cases : cases.filter((_case, index) => (index + PROOF_DAY) % every === 0);
}
