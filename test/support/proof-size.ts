/** What takes long runs in a share, in `npm test` and in CI, and whole with `PROOF=whole`, as the soak does. */
const IS_WHOLE = process.env['PROOF'] === 'whole';

export function inProof<T>(sizes: { readonly share: T; readonly whole: T }): T {
  return IS_WHOLE ? sizes.whole : sizes.share;
}
