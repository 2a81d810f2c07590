/** The long proofs run in CI in a share, and whole with `PROOF=whole npm run test:proof`, as the soak does. */
const IS_WHOLE = process.env['PROOF'] === 'whole';

export function inProof<T>(sizes: { readonly share: T; readonly whole: T }): T {
  return IS_WHOLE ? sizes.whole : sizes.share;
}
