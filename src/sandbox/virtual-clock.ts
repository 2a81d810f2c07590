import { performance } from 'node:perf_hooks';
import { setInterval as ticks, setTimeout as delay } from 'node:timers/promises';

type VirtualClockOptions = Readonly<{
  startAt?: number | undefined;
  resume?: ClockRecord | undefined;
  onChange: (record: ClockRecord) => void;
}>;

export type ClockRecord = Readonly<{
  shown: number;
  realTime: number;
  scale: number;
  frozen: boolean;
}>;

/** Anything that lives longer lasts at least this long in real time, at any time scale. */
const SERVES_MS = 60_000;

export type VirtualClock = ReturnType<typeof startClock>;

/** It never goes backwards, because projects are ordered by creation time. */
export function startClock({ startAt, resume, onChange }: VirtualClockOptions) {
  let realAnchor = performance.now();
  let virtualAnchor = resume === undefined ? (startAt ?? performance.timeOrigin + realAnchor) : shownNow(resume);
  let { scale, frozen } = resume ?? { scale: 1, frozen: false };
  const now = () => (frozen ? virtualAnchor : virtualAnchor + (performance.now() - realAnchor) * scale);
  const changed = () => onChange({ shown: now(), realTime: Date.now(), scale, frozen });
  const anchor = (ms = 0) => {
    virtualAnchor = now() + ms;
    realAnchor = performance.now();
  };
  const advance = (ms: number) => {
    anchor(ms);
    changed();
  };
  changed();
  return {
    now,
    advance,

    lifeOf(ms: number) {
      return Math.max(ms, Math.min(ms, SERVES_MS) * scale);
    },

    get scale() {
      return scale;
    },

    get frozen() {
      return frozen;
    },

    atLeast(time: number) {
      if (time > now()) advance(time - now());
    },

    setScale(asked: number) {
      anchor();
      scale = asked;
      changed();
    },

    setFrozen(asked: boolean) {
      anchor();
      frozen = asked;
      changed();
    },
  };
}

function shownNow({ shown, realTime, scale, frozen }: ClockRecord) {
  return frozen ? shown : shown + Math.max(0, Date.now() - realTime) * scale;
}

/** For times that clients compare with their own clocks. */
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
