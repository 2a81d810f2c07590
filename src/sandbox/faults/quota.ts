/** Counts requests by user: after `limit` of them, a user waits for the next window of `perSeconds`. */
export class Quota {
  readonly #windows = new Map<string, { readonly since: number; requests: number }>();

  /** Counts this request (`now` in epoch ms); returns the seconds until the next window if it is one too many. */
  secondsLeft(user: string, now: number, limit = 100, perSeconds = 60) {
    let window = this.#windows.get(user);
    if (window === undefined || now >= window.since + perSeconds * 1000)
      this.#windows.set(user, (window = { since: now, requests: 0 }));
    if (window.requests >= limit) return window.since / 1000 + perSeconds - now / 1000;
    window.requests += 1;
    return undefined;
  }
}
