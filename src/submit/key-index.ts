const FIRST_SIZE = 1024;
const FULLNESS_MAX = 0.75;

/**
 * Numbers found by keys that are texts, of which only 64 bits are kept: about 16 bytes a key, however long it is. That two of a million
 * keys agree in all 64 bits happens once in thirty million such files.
 */
export class KeyIndex {
  #size = FIRST_SIZE;
  #count = 0;
  #high = new Uint32Array(FIRST_SIZE);
  #low = new Uint32Array(FIRST_SIZE);
  /** One more than the number; 0 where the slot is free. */
  #held = new Uint32Array(FIRST_SIZE);

  /** The number last set for a key, or undefined. */
  get(space: KeySpace, key: string): number | undefined {
    const { high, low } = hashed(space, key);
    const held = this.#held[this.#slotOf(high, low)] ?? 0;
    return held === 0 ? undefined : held - 1;
  }

  set(space: KeySpace, key: string, value: number): void {
    if (this.#count >= this.#size * FULLNESS_MAX) this.#grow();
    const { high, low } = hashed(space, key);
    this.#put(high, low, value + 1);
  }

  #put(high: number, low: number, held: number): void {
    const slot = this.#slotOf(high, low);
    if (this.#held[slot] === 0) this.#count += 1;
    this.#high[slot] = high;
    this.#low[slot] = low;
    this.#held[slot] = held;
  }

  /** The slot of a key, or the free one where it belongs. */
  #slotOf(high: number, low: number): number {
    const mask = this.#size - 1;
    let slot = low & mask;
    while (this.#held[slot] !== 0 && (this.#low[slot] !== low || this.#high[slot] !== high)) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [size, highs, lows, helds] = [this.#size, this.#high, this.#low, this.#held];
    this.#size = size * 2;
    this.#count = 0;
    this.#high = new Uint32Array(this.#size);
    this.#low = new Uint32Array(this.#size);
    this.#held = new Uint32Array(this.#size);
    for (let slot = 0; slot < size; slot += 1) {
      const held = helds[slot] ?? 0;
      if (held !== 0) this.#put(highs[slot] ?? 0, lows[slot] ?? 0, held);
    }
  }
}

/** Where a key's hash begins: keys of another kind, or of another scope, are other keys. */
export interface KeySpace {
  readonly a: number;
  readonly b: number;
}

export function keySpace(kind: number, scope = ''): KeySpace {
  return fed({ a: 0xdeadbeef ^ kind, b: 0x41c6ce57 ^ kind }, `${scope}\u0000`);
}

function fed({ a, b }: KeySpace, text: string): KeySpace {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  return { a, b };
}

/** Two independent hashes (cyrb53 by bryc, public domain, with both halves kept). */
function hashed(space: KeySpace, key: string): { readonly high: number; readonly low: number } {
  let { a, b } = fed(space, key);
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return { high: b >>> 0, low: a >>> 0 };
}
