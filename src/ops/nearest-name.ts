/** How many letters must be put in, left out, exchanged or swapped with a neighbour to make one text the other. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (same ? 0 : 1));
      if (!same && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
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
