import type { Clock, LongStep, OnProgress } from '../domain/ports.ts';
import { systemClock } from '../ops/system.ts';

type ProgressStream = Readonly<{
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}>;

const CLEAR_LINE = '\r\u001B[2K';
const COLUMNS = 80;
const BAR_WIDTH = { min: 8, max: 24 };
const QUIET_MS = 500;
const REDRAW_MS = 100;
const TIME_LEFT_FROM_MS = 1000;

/** `share` never falls, even if the total grows or the step restarts. */
interface StepShown {
  readonly step: LongStep;
  readonly since: number;
  before: number;
  last: number;
  share: number;
}

/** Writes nothing if the stream is no terminal. */
export class ProgressBar {
  readonly #stream;
  readonly #clock;
  #current: StepShown | null = null;
  #drawnAt: number | null = null;

  constructor(stream: ProgressStream, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
  }

  readonly update: OnProgress = (step, done, total) => {
    if (this.#stream.isTTY !== true) return;
    const now = this.#clock.now();
    if (this.#current?.step !== step) this.end();
    const current = (this.#current ??= { step, since: now, before: 0, last: 0, share: 0 });
    if (done < current.last) current.before += current.last;
    current.last = done;
    const whole = { done: current.before + done, total: total === 0 ? 0 : current.before + Math.max(total, done) };
    if (whole.total > 0) current.share = Math.max(current.share, whole.done / whole.total);
    if (now - current.since < QUIET_MS || (this.#drawnAt !== null && now - this.#drawnAt < REDRAW_MS)) return;
    this.#stream.write(CLEAR_LINE + barLine(current, whole, now - current.since, this.#stream.columns || COLUMNS));
    this.#drawnAt = now;
  };

  end() {
    this.#clear();
    this.#current = null;
  }

  say(line: string) {
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
  { step, share }: StepShown,
  { done, total }: Record<'done' | 'total', number>,
  ms: number,
  columns: number,
) {
  const name = `${step.slice(0, 1).toUpperCase()}${step.slice(1)}`.padEnd(8);
  const room = columns - 1;
  if (total === 0) return [name, count(done)].join('  ').slice(0, room);
  const isKnown = ms >= TIME_LEFT_FROM_MS && done > 0 && done < total;
  const left = isKnown ? [`${formatTimeLeft((ms * (total - done)) / done)} left`] : [];
  const percent = `${String(Math.floor(share * 100)).padStart(3)}%`;
  const label = [percent, `${count(done)}/${count(total)}`, ...left].join('  ');
  const width = Math.min(BAR_WIDTH.max, room - name.length - 2 - label.length);
  if (width < BAR_WIDTH.min) return [name, percent, ...left].join('  ').slice(0, room);
  const filled = Math.floor(share * width);
  return `${name} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${label}`;
}

function count(number: number) {
  return number.toLocaleString('en-US');
}

function formatTimeLeft(ms: number) {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
