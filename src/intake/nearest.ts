import { editDistance } from '../domain/edit-distance.ts';

const LETTERS_COMPARED = 60;

/** Letters and digits only: what a person would call "the same word". */
function bare(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '').slice(0, LETTERS_COMPARED);
}

/**
 * The candidate nearest to what somebody wrote, when one is near enough to be worth naming: a few letters away, or one contains the
 * other. It is a hint for a person and never decides a value.
 */
export function nearestOf(text: string, candidates: Iterable<string>): string | undefined {
  const wanted = bare(text);
  if (wanted.length < 2) return undefined;
  let best: { candidate: string; score: number } | undefined;
  for (const candidate of candidates) {
    const other = bare(candidate);
    const longer = Math.max(wanted.length, other.length);
    const shorter = Math.min(wanted.length, other.length);
    const contained = shorter >= 4 && (other.includes(wanted) || wanted.includes(other));
    const score = contained ? 0.3 - (0.2 * shorter) / longer : editDistance(wanted, other) / longer;
    if (score <= 0.4 && (best === undefined || score < best.score)) best = { candidate, score };
  }
  return best?.candidate;
}
