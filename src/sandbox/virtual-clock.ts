import { performance } from 'node:perf_hooks';
import { setInterval as ticks, setTimeout as delay } from 'node:timers/promises';

/** How sandbox time starts and runs. */
export interface VirtualClockOptions {
  /** Milliseconds since the UNIX epoch at which sandbox time starts; real time by default. */
  readonly startAt?: number | undefined;
  /** Goes on from a clock that stood on record, in place of `startAt`. */
  readonly resume?: ClockRecord | undefined;
  /** Called on each change, for the record. */
  readonly onChange: (record: ClockRecord) => void;
}

/** A clock on record: what it showed at a moment of real time, and how it ran. Both in milliseconds since the UNIX epoch. */
export interface ClockRecord {
  readonly shown: number;
  readonly realTime: number;
  readonly scale: number;
  readonly frozen: boolean;
}

/** What lives longer than this serves a client for at least as long in real time, however fast sandbox time passes. */
const SERVES_MS = 60_000;

/**
 * The sandbox's one clock: real, scaled, frozen or advanced. Statuses, tokens, signed URLs, the 30-day window and staging's five
 * minutes all read it, so that moving it moves everything. It never goes backwards: projects are in the order of their creation times.
 * This file is the only one of the sandbox that reads the machine's clock.
 */
export class VirtualClock {
  #virtualAnchor: number;
  #realAnchor = performance.now();
  #scale: number;
  #frozen: boolean;
  readonly #onChange: (record: ClockRecord) => void;

  constructor({ startAt, resume, onChange }: VirtualClockOptions) {
    this.#virtualAnchor =
      resume === undefined ? (startAt ?? performance.timeOrigin + this.#realAnchor) : shownNow(resume);
    this.#scale = resume?.scale ?? 1;
    this.#frozen = resume?.frozen ?? false;
    this.#onChange = onChange;
    this.#changed();
  }

  /** Milliseconds since the UNIX epoch, in sandbox time. */
  now(): number {
    return this.#frozen
      ? this.#virtualAnchor
      : this.#virtualAnchor + (performance.now() - this.#realAnchor) * this.#scale;
  }

  /** How long something lives in sandbox time that the service lets live `ms`. */
  lifeOf(ms: number): number {
    return Math.max(ms, Math.min(ms, SERVES_MS) * this.#scale);
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
    this.#changed();
  }

  /** Moves time forward to a moment, in milliseconds since the UNIX epoch, unless it is past. */
  atLeast(time: number): void {
    if (time > this.now()) this.advance(time - this.now());
  }

  setScale(scale: number): void {
    this.#anchor();
    this.#scale = scale;
    this.#changed();
  }

  freeze(): void {
    this.#anchor();
    this.#frozen = true;
    this.#changed();
  }

  unfreeze(): void {
    this.#anchor();
    this.#frozen = false;
    this.#changed();
  }

  #anchor(): void {
    this.#virtualAnchor = this.now();
    this.#realAnchor = performance.now();
  }

  #changed(): void {
    this.#onChange({ shown: this.now(), realTime: Date.now(), scale: this.#scale, frozen: this.#frozen });
  }
}

/** What a clock on record shows now: like the service's, it went on at its own pace in the meantime. */
function shownNow({ shown, realTime, scale, frozen }: ClockRecord): number {
  return frozen ? shown : shown + Math.max(0, Date.now() - realTime) * scale;
}

/** Milliseconds since the UNIX epoch in real time: for what clients read against their own clocks. */
export function realNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Waits `ms` milliseconds of real time: latency and slow answers reach clients in real time. Keeps no process alive. */
export async function realDelay(ms: number): Promise<void> {
  await delay(ms, undefined, { ref: false });
}

/** Does some work every so many real milliseconds, one after the other, until it is stopped. Keeps no process alive. */
export function repeatEvery(ms: number, work: () => Promise<void>): { stop(): void } {
  const stopped = new AbortController();
  const run = async (): Promise<void> => {
    for await (const _tick of ticks(ms, undefined, { ref: false, signal: stopped.signal })) await work();
  };
  // Being stopped is the one way it ends.
  run().catch(() => undefined);
  return { stop: () => stopped.abort() };
}
