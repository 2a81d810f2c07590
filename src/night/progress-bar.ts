import type { Clock, LongStep, OnProgress } from '../domain/ports.ts';
import { systemClock } from '../ops/system.ts';

interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const CLEAR_LINE = '\r\u001B[2K';
const COLUMNS = 80;
const BAR_WIDTH = { min: 8, max: 24 };
const QUIET_MS = 500;
const REDRAW_MS = 100;
const RATE_OVER_MS = 10_000;
const RATE_FROM_MS = 1000;

interface Sample {
  readonly at: number;
  readonly done: number;
}

/** `share` never falls, even if the total grows or the step restarts. */
interface StepShown {
  readonly step: LongStep;
  readonly since: number;
  before: number;
  last: number;
  share: number;
  samples: Sample[];
}

/** Writes nothing if the stream is no terminal. */
export class ProgressBar {
  readonly #stream: ProgressStream;
  readonly #clock: Clock;
  #current: StepShown | null = null;
  #drawnAt: number | null = null;

  constructor(stream: ProgressStream, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
  }

  /** `total` is 0 if unknown. */
  readonly update: OnProgress = (step, done, total) => {
    if (this.#stream.isTTY !== true) return;
    const now = this.#clock.now();
    if (this.#current?.step !== step) this.end();
    const current = (this.#current ??= {
      step,
      since: now,
      before: 0,
      last: 0,
      share: 0,
      samples: [{ at: now, done: 0 }],
    });
    if (done < current.last) current.before += current.last;
    current.last = done;
    const whole = { done: current.before + done, total: total === 0 ? 0 : current.before + Math.max(total, done) };
    if (whole.total > 0) current.share = Math.max(current.share, whole.done / whole.total);
    if (now - current.since < QUIET_MS || (this.#drawnAt !== null && now - this.#drawnAt < REDRAW_MS)) return;
    current.samples = [
      ...current.samples.filter((_sample, index, all) => (all[index + 1]?.at ?? now) >= now - RATE_OVER_MS),
      { at: now, done: whole.done },
    ];
    this.#stream.write(CLEAR_LINE + barLine(current, whole, this.#stream.columns || COLUMNS));
    this.#drawnAt = now;
  };

  end(): void {
    this.#clear();
    this.#current = null;
  }

  say(line: string): void {
    this.#clear();
    this.#stream.write(`${line}\n`);
  }

  #clear() {
    if (this.#drawnAt !== null) this.#stream.write(CLEAR_LINE);
    this.#drawnAt = null;
  }
}

export const progressBar = new ProgressBar(process.stderr, systemClock);

function barLine(
  { step, share, samples }: StepShown,
  { done, total }: Record<'done' | 'total', number>,
  columns: number,
) {
  const name = `${step.slice(0, 1).toUpperCase()}${step.slice(1)}`.padEnd(8);
  const perMs = rateOf(samples);
  const rate = perMs === null ? [] : [formatRate(perMs)];
  const room = columns - 1;
  if (total === 0) return [name, count(done), ...rate].join('  ').slice(0, room);
  const left = perMs === null || done >= total ? [] : [`${formatTimeLeft((total - done) / perMs)} left`];
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
  const counts = `${count(done)}/${count(total)}`;
  const choices = [rate, []].map((shown) => [percent, counts, ...shown, ...left].join('  '));
  const label = choices.find((text) => name.length + 2 + text.length + BAR_WIDTH.min <= room);
  if (label === undefined) return [name, percent, ...left].join('  ').slice(0, room);
  const width = Math.min(BAR_WIDTH.max, room - name.length - 2 - label.length);
  const filled = Math.floor(share * width);
  return `${name} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${label}`;
}

function rateOf(samples: readonly Sample[]) {
  const [first = { at: 0, done: 0 }] = samples;
  const { at, done } = samples.at(-1) ?? first;
  return at - first.at < RATE_FROM_MS || done <= first.done ? null : (done - first.done) / (at - first.at);
}

function count(number: number) {
  return number.toLocaleString('en-US');
}

function formatRate(perMs: number) {
  const perSecond = perMs * 1000;
  if (perSecond < 1) return `${count(Math.max(1, Math.round(perSecond * 60)))}/min`;
  return perSecond < 10 ? `${perSecond.toFixed(1)}/s` : `${count(Math.round(perSecond))}/s`;
}

function formatTimeLeft(ms: number) {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
