import { editDistance } from './edit-distance.ts';

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
