import { PROJECT_STATUSES, SERVICE_NAMES } from '../contract/document.ts';

/** Epoch ms. */
export interface TimedStatus {
  readonly at: number;
  readonly status: string;
}

/** Undefined means any. */
export interface Wanted {
  readonly status?: string | undefined;
  readonly serviceName?: string | undefined;
  readonly includeBundles: boolean;
}

/** Projects per block; a block without a match is skipped. */
const BLOCK_BITS = 6;
const BLOCK = 1 << BLOCK_BITS;
const LISTED = PROJECT_STATUSES.length;

/**
 * Keeps statuses over time, service and bundle in typed arrays, so that a search over a million projects is fast. Each
 * block knows from when until when one of its projects can have a status.
 */
export class StatusBoard {
  /** The first move of each project, and their number. */
  #firstMoves = new Uint32Array(1024);
  #moveCounts = new Uint8Array(1024);
  #movesAt = new Float64Array(8192);
  #moveCodes = new Uint16Array(8192);
  #movesUsed = 0;
  #services = new Uint8Array(1024);
  #bundled = new Uint8Array(1024);
  /** By block and listed status: when a project of the block can have it. */
  #windowStarts = new Float64Array(LISTED * 16).fill(Number.POSITIVE_INFINITY);
  #windowEnds = new Float64Array(LISTED * 16);
  /** By block: one bit per service. */
  #blockServices = new Uint16Array(16);
  #size = 0;
  readonly #names: string[] = [...PROJECT_STATUSES];
  readonly #codeByName = new Map<string, number>(PROJECT_STATUSES.map((status, code) => [status, code]));

  /** Adds the next project. `course`: at least one status, by time; the first holds from the beginning. */
  add(course: readonly TimedStatus[], serviceName: string, bundled: boolean): void {
    const place = this.#size;
    this.#makeRoom(place, course.length);
    this.#size += 1;
    this.#firstMoves[place] = this.#movesUsed;
    this.#moveCounts[place] = course.length;
    for (const { at, status } of course) {
      this.#movesAt[this.#movesUsed] = at;
      this.#moveCodes[this.#movesUsed] = this.#codeOf(status);
      this.#movesUsed += 1;
    }
    const service = serviceCode(serviceName);
    this.#services[place] = service;
    this.#bundled[place] = bundled ? 1 : 0;
    const block = place >>> BLOCK_BITS;
    this.#blockServices[block] = (this.#blockServices[block] ?? 0) | (1 << service);
    this.#widenWindows(place);
  }

  /** Final. */
  set(place: number, status: string): void {
    const first = this.#firstMoves[place] ?? 0;
    this.#movesAt[first] = Number.NEGATIVE_INFINITY;
    this.#moveCodes[first] = this.#codeOf(status);
    this.#moveCounts[place] = 1;
    const block = place >>> BLOCK_BITS;
    this.#windowStarts.fill(Number.POSITIVE_INFINITY, block * LISTED, (block + 1) * LISTED);
    this.#windowEnds.fill(0, block * LISTED, (block + 1) * LISTED);
    const end = Math.min(this.#size, (block + 1) * BLOCK);
    for (let other = block * BLOCK; other < end; other += 1) this.#widenWindows(other);
  }

  setBundled(place: number, bundled: boolean): void {
    this.#bundled[place] = bundled ? 1 : 0;
  }

  statusAt(place: number, now: number): string {
    return this.#names[this.#codeAt(place, now)] ?? '';
  }

  /** The first matching place in [from, end), or `end`. */
  next(wanted: Wanted, from: number, end: number, now: number): number {
    const status = wanted.status === undefined ? undefined : (this.#codeByName.get(wanted.status) ?? -1);
    const service = wanted.serviceName === undefined ? undefined : serviceCode(wanted.serviceName);
    let place = status === -1 ? end : from;
    while (place < end) {
      const block = place >>> BLOCK_BITS;
      const blockEnd = Math.min(end, (block + 1) * BLOCK);
      if (!this.#mayHold(block, status, service, now)) place = blockEnd;
      for (; place < blockEnd; place += 1) {
        if (
          (service === undefined || this.#services[place] === service) &&
          (wanted.includeBundles || this.#bundled[place] === 0) &&
          (status === undefined || this.#codeAt(place, now) === status)
        ) {
          return place;
        }
      }
    }
    return end;
  }

  #mayHold(block: number, status: number | undefined, service: number | undefined, now: number): boolean {
    if (service !== undefined && ((this.#blockServices[block] ?? 0) & (1 << service)) === 0) return false;
    if (status === undefined || status >= LISTED) return true;
    const window = block * LISTED + status;
    return (this.#windowStarts[window] ?? 0) <= now && now < (this.#windowEnds[window] ?? 0);
  }

  #codeAt(place: number, now: number): number {
    const first = this.#firstMoves[place] ?? 0;
    let move = first + (this.#moveCounts[place] ?? 1) - 1;
    while (move > first && (this.#movesAt[move] ?? 0) > now) move -= 1;
    return this.#moveCodes[move] ?? 0;
  }

  #widenWindows(place: number): void {
    const first = this.#firstMoves[place] ?? 0;
    const count = this.#moveCounts[place] ?? 0;
    const windows = (place >>> BLOCK_BITS) * LISTED;
    for (let move = first; move < first + count; move += 1) {
      const code = this.#moveCodes[move] ?? LISTED;
      if (code >= LISTED) continue;
      const start = move === first ? Number.NEGATIVE_INFINITY : (this.#movesAt[move] ?? 0);
      const end = move === first + count - 1 ? Number.POSITIVE_INFINITY : (this.#movesAt[move + 1] ?? 0);
      this.#windowStarts[windows + code] = Math.min(this.#windowStarts[windows + code] ?? start, start);
      this.#windowEnds[windows + code] = Math.max(this.#windowEnds[windows + code] ?? end, end);
    }
  }

  #codeOf(status: string): number {
    const known = this.#codeByName.get(status);
    if (known !== undefined) return known;
    const code = this.#names.push(status) - 1;
    this.#codeByName.set(status, code);
    return code;
  }

  #makeRoom(place: number, moves: number): void {
    if (this.#movesUsed + moves > this.#movesAt.length) {
      this.#movesAt = grown(this.#movesAt, new Float64Array(this.#movesAt.length * 2));
      this.#moveCodes = grown(this.#moveCodes, new Uint16Array(this.#moveCodes.length * 2));
    }
    if (place < this.#firstMoves.length) return;
    const length = this.#firstMoves.length * 2;
    this.#firstMoves = grown(this.#firstMoves, new Uint32Array(length));
    this.#moveCounts = grown(this.#moveCounts, new Uint8Array(length));
    this.#services = grown(this.#services, new Uint8Array(length));
    this.#bundled = grown(this.#bundled, new Uint8Array(length));
    this.#blockServices = grown(this.#blockServices, new Uint16Array(length / BLOCK));
    this.#windowStarts = grown(
      this.#windowStarts,
      new Float64Array((length / BLOCK) * LISTED).fill(Number.POSITIVE_INFINITY),
    );
    this.#windowEnds = grown(this.#windowEnds, new Float64Array((length / BLOCK) * LISTED));
  }
}

/** Unlisted services share the last bit. */
function serviceCode(serviceName: string): number {
  const code = SERVICE_NAMES.findIndex((known) => known === serviceName);
  return code === -1 ? SERVICE_NAMES.length : code;
}

function grown<Column extends { set(from: Column): void }>(column: Column, larger: Column): Column {
  larger.set(column);
  return larger;
}
