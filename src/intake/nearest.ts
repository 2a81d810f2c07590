import { editDistance } from '../domain/text.ts';

const LETTERS_COMPARED = 60;

/** Letters and digits only: what a person would call "the same word". */
function bare(text: string): string {
  return text.slice(0, 4 * LETTERS_COMPARED).normalize('NFKC').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '').slice(0, LETTERS_COMPARED);
}

/** Candidates are the same few hundred names each time. */
const BARE_CANDIDATES = new Map<string, string>();
const CANDIDATES_KEPT_MAX = 2000;

function bareCandidate(candidate: string): string {
  const kept = BARE_CANDIDATES.get(candidate);
  if (kept !== undefined) return kept;
  const made = bare(candidate);
  if (BARE_CANDIDATES.size < CANDIDATES_KEPT_MAX) BARE_CANDIDATES.set(candidate, made);
  return made;
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
    const other = bareCandidate(candidate);
    const longer = Math.max(wanted.length, other.length);
    const shorter = Math.min(wanted.length, other.length);
    const contained = shorter >= 4 && (other.includes(wanted) || wanted.includes(other));
    // Each letter by which the lengths differ has to be put in: the rest need not be compared.
    if (!contained && longer - shorter > 0.4 * longer) continue;
    const score = contained ? 0.3 - (0.2 * shorter) / longer : editDistance(wanted, other) / longer;
    if (score <= 0.4 && (best === undefined || score < best.score)) best = { candidate, score };
  }
  return best?.candidate;
}

/** A header that is more than a slip of the fingers away would be a hint in the wrong direction. */
const SLIP_MAX = 0.2;
const CONTAINED_MIN = 5;

/**
 * The name that somebody meant who mistyped it, for a header: nearer than `nearestOf` asks, because a short name is soon like another.
 * `DOB` is not `LOB`, and `Owner` is not `Order`: their first letters differ, or too many of the others do.
 */
export function nearestName(text: string, candidates: Iterable<string>): string | undefined {
  const wanted = bare(text);
  const near = [...candidates].filter((candidate) => {
    const other = bareCandidate(candidate);
    const [shorter, longer] = wanted.length < other.length ? [wanted, other] : [other, wanted];
    if (longer.includes(shorter)) return shorter.length >= CONTAINED_MIN && 2 * shorter.length >= longer.length && !candidate.includes('#');
    return wanted[0] === other[0] && longer.length - shorter.length <= SLIP_MAX * longer.length && editDistance(wanted, other) <= SLIP_MAX * longer.length;
  });
  return nearestOf(text, near);
}
