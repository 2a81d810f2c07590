import { inProof, PROOF_DAY } from './support/proof-size.ts';

/** Says which share of the proofs this is, and keeps to it past midnight. */
export function setup(): void {
  process.env['PROOF_DAY'] = String(PROOF_DAY);
  const share = `Proofs in the share of day ${PROOF_DAY}: PROOF_DAY=${PROOF_DAY} repeats it, PROOF=whole takes all.\n`;
  process.stdout.write(inProof({ share, whole: 'Proofs in full.\n' }));
}
