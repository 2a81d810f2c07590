/**
 * Characters that cannot be seen, or that change how the text around them is shown: control characters such as ESC, marks that turn the
 * direction of writing, zero-width and other ignorable characters, unusual line ends, halves of characters. Variation selectors, which make a
 * heart red, may stay.
 */
const UNSEEN =
  /(?!\t|\n|\uFE0E|\uFE0F)[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Cs}\u2028\u2029\uFFF9-\uFFFB\uFFFE\uFFFF]/gu;
const ANY_UNSEEN = new RegExp(UNSEEN.source, 'u');

/**
 * Text from outside (a file's name, a sender's, the service's words), made safe to show on a terminal, in a log, on a page or in a cell: what
 * cannot be seen is written out, such as `\u202e`. Line feeds and tabs stay. JSON stays the same JSON.
 */
export function visible(text: string): string {
  return ANY_UNSEEN.test(text)
    ? text.replaceAll('\r\n', '\n').replaceAll(UNSEEN, (character) => escaped(character))
    : text;
}

/** The same in one line: a name must not look like a line of our own. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll(/[\t\n]/g, (character) => escaped(character));
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in a page's content and in its attributes. */
export function html(text: string): string {
  return visible(text).replaceAll(/[&<>"']/g, (character) => HTML_ESCAPES[character] ?? character);
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** Long enough for every name of ours; keeps a pasted page of text from costing time. */
const LENGTH_MAX = 100;

/**
 * The known name that looks most like `name`: case, hyphens and underscores do not count, and a dotted name whose last part alone
 * fits is near as well (`onDuplicate`, for `submit.onDuplicate`). Empty only when nothing is known.
 */
export function nearestName(name: string, known: readonly string[]): string {
  let nearest: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const whole = editDistance(plain(name), plain(candidate));
    const lastPart = editDistance(plain(lastOf(name)), plain(lastOf(candidate))) + 1;
    const distance = Math.min(whole, lastPart);
    if (nearest === undefined || distance < nearest.distance) nearest = { name: candidate, distance };
  }
  return nearest?.name ?? '';
}

function plain(name: string): string {
  return name
    .slice(-LENGTH_MAX)
    .toLowerCase()
    .replaceAll(/[-_\s]/g, '');
}

function lastOf(dotted: string): string {
  return dotted.slice(dotted.lastIndexOf('.') + 1);
}

const LETTERS_COMPARED = 60;

/** Letters and digits only: what a person would call "the same word". */
export function bareName(text: string): string {
  return text
    .slice(0, 4 * LETTERS_COMPARED)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .slice(0, LETTERS_COMPARED);
}

/** Candidates are the same few hundred names each time. */
const BARE_CANDIDATES = new Map<string, string>();
const CANDIDATES_KEPT_MAX = 2000;

/** The same of a known name, kept for the next time. */
export function bareCandidate(candidate: string): string {
  const kept = BARE_CANDIDATES.get(candidate);
  if (kept !== undefined) return kept;
  const made = bareName(candidate);
  if (BARE_CANDIDATES.size < CANDIDATES_KEPT_MAX) BARE_CANDIDATES.set(candidate, made);
  return made;
}

/**
 * The candidate nearest to what somebody wrote, where one is near enough to be worth naming: a few letters away, or one contains the
 * other. (`nearestName` always names one.) It is a hint for a person and never decides a value.
 */
export function nearestOf(text: string, candidates: Iterable<string>): string | undefined {
  const wanted = bareName(text);
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

/** How many letters must be put in, taken out, changed or swapped to turn one text into the other. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((last[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + change);
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (beforeLast[j - 2] ?? cost) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? a.length;
}

/** What is longer is a text, and no header. */
export const HEADER_LENGTH_MAX = 300;
const REMEMBERED_MAX = 20_000;

/** The same headers are asked about again and again, and what is longer than one is like no other. */
export function remembered<Answer>(work: (header: string) => Answer): (header: string) => Answer {
  const known = new Map<string, { readonly answer: Answer }>();
  return (header) => {
    const text = header.slice(0, HEADER_LENGTH_MAX + 1);
    const before = known.get(text);
    if (before !== undefined) return before.answer;
    if (known.size === REMEMBERED_MAX) known.clear();
    const answer = work(text);
    known.set(text, { answer });
    return answer;
  };
}

/** A header without what senders write differently: case, white space, punctuation; `#` is read as the word number. */
export const normalisedHeader = remembered((header) =>
  header
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('#', 'number')
    .replace(/[^\p{L}\p{N}]+/gu, ''),
);
