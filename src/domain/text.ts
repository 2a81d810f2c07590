/** Characters that are invisible or change how text around them is shown. Variation selectors may stay. */
const UNSEEN =
  /(?!\t|\n|\uFE0E|\uFE0F)[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Cs}\u2028\u2029\uFFF9-\uFFFB\uFFFE\uFFFF]/gu;
const ANY_UNSEEN = new RegExp(UNSEEN.source, 'u');

/**
 * Makes foreign text safe for a terminal, log, page or cell: writes invisible characters as `\u202e`, but keeps line
 * feeds and tabs. JSON keeps its meaning.
 */
export function escapeInvisible(text: string) {
  return ANY_UNSEEN.test(text)
    ? text.replaceAll('\r\n', '\n').replaceAll(UNSEEN, (character) => escaped(character))
    : text;
}

/** Also escapes tabs and line feeds, so that a file name cannot imitate a line of our output. */
export function escapeLine(text: string) {
  return escapeInvisible(text).replaceAll(/[\t\n]/g, (character) => escaped(character));
}

export const MARKUP_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function html(text: string) {
  return escapeInvisible(text).replaceAll(/[&<>"']/g, (character) => MARKUP_ESCAPES[character] ?? character);
}

function escaped(character: string) {
  return character.replaceAll(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function formatCount(count: number, one: string, more = `${one}s`) {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : more}`;
}

export function upperFirst(text: string) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** `Policy number` becomes `policy number`; `ZIP code` stays. */
export function lowerFirst(text: string) {
  return text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

const LENGTH_MAX = 100;

/**
 * Ignores case, hyphens and underscores; the last part of a dotted name is enough (`onDuplicate`). Empty only if
 * `known` is.
 */
export function nearestName(name: string, known: readonly string[]) {
  const distances = known.map((candidate) => {
    const lastPart = editDistance(plain(lastOf(name)), plain(lastOf(candidate))) + 1;
    return Math.min(editDistance(plain(name), plain(candidate)), lastPart);
  });
  return known[distances.indexOf(Math.min(...distances))] ?? '';
}

function plain(name: string) {
  return name
    .slice(-LENGTH_MAX)
    .toLowerCase()
    .replaceAll(/[-_\s]/g, '');
}

function lastOf(dotted: string) {
  return dotted.slice(dotted.lastIndexOf('.') + 1);
}

const LETTERS_COMPARED = 60;

export const comparableLetters = memoize((text) =>
  lettersOf(text.slice(0, 4 * LETTERS_COMPARED)).slice(0, LETTERS_COMPARED),
);

/** And digits, in lower case. */
export function lettersOf(text: string) {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/**
 * Undefined unless one is near: a few letters differ, or one contains the other. A hint for people; never decides a
 * value.
 */
export function nearestOf(text: string, candidates: Iterable<string>) {
  const wanted = comparableLetters(text);
  if (wanted.length < 2) return undefined;
  let best: { candidate: string; score: number } | undefined;
  for (const candidate of candidates) {
    const other = comparableLetters(candidate);
    const longer = Math.max(wanted.length, other.length);
    const shorter = Math.min(wanted.length, other.length);
    const contained = shorter >= 4 && (other.includes(wanted) || wanted.includes(other));
    if (!contained && longer - shorter > 0.4 * longer) continue;
    const score = contained ? 0.3 - (0.2 * shorter) / longer : editDistance(wanted, other) / longer;
    if (score <= 0.4 && (best === undefined || score < best.score)) best = { candidate, score };
  }
  return best?.candidate;
}

export function editDistance(a: string, b: string) {
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

export const HEADER_LENGTH_MAX = 300;

/** Remembers answers. Cuts a long text just above HEADER_LENGTH_MAX, so that it is still too long for a header. */
export function memoize<Answer>(work: (text: string) => Answer, rememberedMax = 20_000) {
  const known = new Map<string, Answer>();
  return (given: string) => {
    const text = given.slice(0, HEADER_LENGTH_MAX + 1);
    if (!known.has(text)) {
      if (known.size === rememberedMax) known.clear();
      // A part would keep its whole text in memory.
      const copy = JSON.parse(JSON.stringify(text)) as string;
      known.set(copy, work(copy));
    }
    return known.get(text) as Answer;
  };
}

export const normalizedHeader = memoize((header) =>
  header
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('#', 'number')
    .replace(/[^\p{L}\p{N}]+/gu, ''),
);
