import { performance } from 'node:perf_hooks';
import { setInterval as ticks, setTimeout as delay } from 'node:timers/promises';

type VirtualClockOptions = Readonly<{
  startAt?: number | undefined;
  resume?: ClockRecord | undefined;
  onChange: (record: ClockRecord) => void;
}>;

/** In epoch ms. */
export type ClockRecord = Readonly<{
  shown: number;
  realTime: number;
  scale: number;
  frozen: boolean;
}>;

/** Everything that lives longer serves a client at least this long in real time, at any time scale. */
const SERVES_MS = 60_000;

/** It never goes backwards, because projects are ordered by creation time. */
export class VirtualClock {
  #virtualAnchor: number;
  #realAnchor = performance.now();
  #scale: number;
  #frozen: boolean;
  readonly #onChange;

  constructor({ startAt, resume, onChange }: VirtualClockOptions) {
    this.#virtualAnchor =
      resume === undefined ? (startAt ?? performance.timeOrigin + this.#realAnchor) : shownNow(resume);
    this.#scale = resume?.scale ?? 1;
    this.#frozen = resume?.frozen ?? false;
    this.#onChange = onChange;
    this.#changed();
  }

  /** Epoch ms, sandbox time. */
  now() {
    return this.#frozen
      ? this.#virtualAnchor
      : this.#virtualAnchor + (performance.now() - this.#realAnchor) * this.#scale;
  }

  lifeOf(ms: number) {
    return Math.max(ms, Math.min(ms, SERVES_MS) * this.#scale);
  }

  get scale() {
    return this.#scale;
  }

  get frozen() {
    return this.#frozen;
  }

  advance(ms: number) {
    this.#anchor(ms);
    this.#changed();
  }

  atLeast(time: number) {
    if (time > this.now()) this.advance(time - this.now());
  }

  setScale(scale: number) {
    this.#anchor();
    this.#scale = scale;
    this.#changed();
  }

  setFrozen(frozen: boolean) {
    this.#anchor();
    this.#frozen = frozen;
    this.#changed();
  }

  #anchor(ms = 0) {
    this.#virtualAnchor = this.now() + ms;
    this.#realAnchor = performance.now();
  }

  #changed() {
    this.#onChange({ shown: this.now(), realTime: Date.now(), scale: this.#scale, frozen: this.#frozen });
  }
}

function shownNow({ shown, realTime, scale, frozen }: ClockRecord) {
  return frozen ? shown : shown + Math.max(0, Date.now() - realTime) * scale;
}

/** Epoch ms, real time: for what clients compare with their own clocks. */
export function realNow() {
  return performance.timeOrigin + performance.now();
}

export async function realDelay(ms: number) {
  await delay(ms, undefined, { ref: false });
}

/** Real ms. Never overlaps, and keeps no process alive. */
export function repeatEvery(ms: number, work: () => Promise<void>) {
  const stopped = new AbortController();
  const run = async () => {
    for await (const _tick of ticks(ms, undefined, { ref: false, signal: stopped.signal })) await work();
  };
  run().catch(() => undefined);
  return { stop: () => stopped.abort() };
}
