import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** How sandbox time starts and runs. */
export interface VirtualClockOptions {
  /** Milliseconds since the UNIX epoch at which sandbox time starts; real time by default. */
  readonly startAt?: number | undefined;
  /** Seconds of sandbox time in a real second; 1 by default. */
  readonly scale?: number | undefined;
}

/**
 * The sandbox's one clock: real, scaled, frozen or advanced. Statuses, tokens, signed URLs, the 30-day window and staging's five
 * minutes all read it, so that moving it moves everything. It never goes backwards: projects are in the order of their creation times.
 * This file is the only one of the sandbox that reads the machine's clock.
 */
export class VirtualClock {
  #virtualAnchor: number;
  #realAnchor = performance.now();
  #scale: number;
  #frozen = false;

  constructor(options: VirtualClockOptions = {}) {
    this.#virtualAnchor = options.startAt ?? performance.timeOrigin + this.#realAnchor;
    this.#scale = options.scale ?? 1;
  }

  /** Milliseconds since the UNIX epoch, in sandbox time. */
  now(): number {
    return this.#frozen ? this.#virtualAnchor : this.#virtualAnchor + (performance.now() - this.#realAnchor) * this.#scale;
  }

  get scale(): number {
    return this.#scale;
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  /** Moves time forward by `ms` at once. */
  advance(ms: number): void {
    this.#anchor();
    this.#virtualAnchor += ms;
  }

  setScale(scale: number): void {
    this.#anchor();
    this.#scale = scale;
  }

  freeze(): void {
    this.#anchor();
    this.#frozen = true;
  }

  unfreeze(): void {
    this.#anchor();
    this.#frozen = false;
  }

  #anchor(): void {
    this.#virtualAnchor = this.now();
    this.#realAnchor = performance.now();
  }
}

/** Waits `ms` milliseconds of real time: for latency and slow answers, which clients feel in real time. Keeps no process alive. */
export async function realDelay(ms: number): Promise<void> {
  await delay(ms, undefined, { ref: false });
}
