/** Which places have a key, for each key; ascending. Nearly every key has one place: only the others pay for a list. */
export class Postings {
  readonly #places = new Map<string, number | number[]>();

  add(key: string, place: number): void {
    const held = this.#places.get(key);
    if (held === undefined) this.#places.set(key, place);
    else if (typeof held === 'number') this.#places.set(key, held < place ? [held, place] : [place, held]);
    else if ((held.at(-1) ?? -1) < place) held.push(place);
    else held.splice(firstFrom(held, place), 0, place);
  }

  remove(key: string, place: number): void {
    const held = this.#places.get(key);
    if (typeof held === 'object' && held.length > 1) {
      const at = firstFrom(held, place);
      if (held[at] === place) held.splice(at, 1);
    } else this.#places.delete(key);
  }

  /** The places that have the key, below `end`, descending. */
  *downFrom(end: number, key: string): Generator<number> {
    const held = this.#places.get(key) ?? [];
    const list = typeof held === 'number' ? [held] : held;
    for (let at = firstFrom(list, end) - 1; at >= 0; at -= 1) yield list[at] ?? 0;
  }

  /** The places that have the key, from `first` on and below `end`, ascending. */
  *within(key: string, first: number, end: number): Generator<number> {
    const held = this.#places.get(key) ?? [];
    const list = typeof held === 'number' ? [held] : held;
    for (let at = firstFrom(list, first); at < list.length; at += 1) {
      const place = list[at] ?? end;
      if (place >= end) return;
      yield place;
    }
  }
}

/** Where in an ascending list the first number stands that is not below `from`. */
function firstFrom(list: readonly number[], from: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
