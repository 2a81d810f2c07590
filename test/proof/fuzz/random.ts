/** Numbers that are the same each time for the same seed (mulberry32), and choices made with them. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  oneOf<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('there is nothing to choose from');
    return item;
  }

  /** Small numbers often, large ones now and then: 1 up to, not including, `end`. */
  size(end: number): number {
    return Math.max(1, Math.floor(end ** this.next()));
  }
}

/** The random numbers of one case of a run. */
export function randomOfCase(seed: number, index: number): SeededRandom {
  return new SeededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
}

/** Texts longer than this make a run slow and tell nothing new. */
export const CHARACTERS_MAX = 16 * 1024 * 1024;

/** A text again and again, as often as it may be. */
export function repeated(text: string, times: number): string {
  return text.repeat(Math.min(times, Math.max(1, Math.floor(CHARACTERS_MAX / Math.max(1, text.length)))));
}
