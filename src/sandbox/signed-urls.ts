import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** A secret that signed URLs are made with. */
export function signingKey(): Buffer {
  return randomBytes(32);
}

/** Makes and checks the temporary signed URLs of the files origin. */
export class SignedUrls {
  readonly #key: Buffer;
  readonly #clock: { now(): number };
  readonly #lifetimeSeconds: number;
  #origin = '';

  /** `key`: what `signingKey` gave. */
  constructor(clock: { now(): number }, key: Buffer, lifetimeSeconds: number) {
    this.#clock = clock;
    this.#key = key;
    this.#lifetimeSeconds = lifetimeSeconds;
  }

  /** Where the files origin listens, known once it does. */
  set origin(origin: string) {
    this.#origin = origin;
  }

  sign(path: string): string {
    const expires = Math.floor(this.#clock.now() / 1000) + this.#lifetimeSeconds;
    return `${this.#origin}${path}?expires=${expires}&signature=${this.#signature(path, String(expires))}`;
  }

  check(path: string, expires: string, signature: string): 'valid' | 'expired' | 'forged' {
    const [given, expected] = [Buffer.from(signature), Buffer.from(this.#signature(path, expires))];
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged';
    return Number(expires) * 1000 > this.#clock.now() ? 'valid' : 'expired';
  }

  #signature(path: string, expires: string): string {
    return createHmac('sha256', this.#key).update(`${path}\n${expires}`).digest('base64url');
  }
}
