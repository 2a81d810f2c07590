/** The same seed and labels give the same numbers: sfc32, seeded by cyrb128 of the text. */
export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(...labels: readonly (string | number | bigint)[]) {
    [this.#a, this.#b, this.#c, this.#d] = mix(labels.join('\u0000'));
    for (let round = 0; round < 8; round += 1) this.next();
  }

  /** In [0, 1). */
  next() {
    const sum = (this.#a + this.#b + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  }

  integer(low: number, high: number) {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  decimal(low: number, high: number, decimals: number) {
    return Number((low + this.next() * (high - low)).toFixed(decimals));
  }

  chance(probability: number) {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  sample<Item>(items: readonly Item[], count: number) {
    const taken = [];
    let wanted = Math.min(count, items.length);
    for (const [index, item] of items.entries()) {
      if (this.next() * (items.length - index) >= wanted) continue;
      taken.push(item);
      wanted -= 1;
    }
    return taken;
  }

  code(length: number) {
    const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
    return Array.from({ length }, () => alphabet.charAt(this.integer(0, alphabet.length - 1))).join('');
  }
}

function mix(text: string) {
  let [h1, h2, h3, h4] = [1_779_033_703, 3_144_134_277, 1_013_904_242, 2_773_480_762];
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    h1 = h2 ^ Math.imul(h1 ^ unit, 597_399_067);
    h2 = h3 ^ Math.imul(h2 ^ unit, 2_869_860_233);
    h3 = h4 ^ Math.imul(h3 ^ unit, 951_274_213);
    h4 = h1 ^ Math.imul(h4 ^ unit, 2_716_044_179);
  }
  h1 = Math.imul(h3 ^ (h1 >>> 18), 597_399_067);
  h2 = Math.imul(h4 ^ (h2 >>> 22), 2_869_860_233);
  h3 = Math.imul(h1 ^ (h3 >>> 17), 951_274_213);
  h4 = Math.imul(h2 ^ (h4 >>> 19), 2_716_044_179);
  h1 ^= h2 ^ h3 ^ h4;
  return [h1, h2 ^ h1, h3 ^ h1, h4 ^ h1] as const;
}
