/**
 * What can be in a text without being seen, or changes how the text around it is shown: control characters (ESC and its kin among them), marks
 * that turn the direction of writing, zero-width and other ignorable characters, ends of lines that are none, halves of characters. The
 * selectors that make a heart red are left.
 */
const UNSEEN = /(?!\t|\n|\uFE0E|\uFE0F)[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Cs}\u2028\u2029\uFFF9-\uFFFB\uFFFE\uFFFF]/gu;
const ANY_UNSEEN = new RegExp(UNSEEN.source, 'u');

/**
 * A text of others (a file's name, a sender's, the service's words) as it may be shown: on a terminal, in a log, on a page, in a cell. What
 * cannot be seen stands there as `\u202e`. Line feeds and tabs stay. A text that is JSON stays the same JSON.
 */
export function visible(text: string): string {
  return ANY_UNSEEN.test(text) ? text.replaceAll('\r\n', '\n').replaceAll(UNSEEN, (character) => escaped(character)) : text;
}

/** The same as one line: a name must not look like a line of ours. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll(/[\t\n]/g, (character) => escaped(character));
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
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
  return name.slice(-LENGTH_MAX).toLowerCase().replaceAll(/[-_\s]/g, '');
}

function lastOf(dotted: string): string {
  return dotted.slice(dotted.lastIndexOf('.') + 1);
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
