import type { Reading } from '../reading.ts';
import { MergedRangesFeed } from './merged-ranges.ts';
import type { MergedRange } from './merged-ranges.ts';
import type { Package } from './package.ts';
import { readPart } from './read-part.ts';

/** Longer parts are read without a look ahead. */
const LOOKED_AT_BYTES_MAX = 32 * 1024 * 1024;
/** What may be kept of the parts looked at, all together, so that they are unpacked only once. */
const KEPT_BYTES_MAX = 32 * 1024 * 1024;

/** Looks through sheet parts for what stands behind their rows and is needed to read them. */
export class LookAhead {
  readonly #pack: Package;
  readonly #reading: Reading;
  readonly #ranges = new Map<string, readonly MergedRange[] | undefined>();
  readonly #kept = new Map<string, readonly Uint8Array[]>();
  #keptBytes = 0;

  constructor(pack: Package, reading: Reading) {
    this.#pack = pack;
    this.#reading = reading;
  }

  /** A sheet's cells that are merged over several rows; undefined where the part is too long to be looked through first. */
  async mergedRanges(partName: string): Promise<readonly MergedRange[] | undefined> {
    if (!this.#ranges.has(partName)) this.#ranges.set(partName, await this.#look(partName));
    return this.#ranges.get(partName);
  }

  /** The bytes of a sheet part, as kept or unpacked anew. What was kept is let go once all of it has been read. */
  async *chunks(partName: string): AsyncGenerator<Uint8Array, void, undefined> {
    const kept = this.#kept.get(partName);
    if (kept === undefined) return yield* this.#pack.chunks(partName);
    yield* kept;
    if (this.#kept.delete(partName)) this.#keptBytes -= bytesOf(kept);
  }

  async #look(partName: string): Promise<readonly MergedRange[] | undefined> {
    const bytes = this.#pack.bytes(partName);
    if (bytes > LOOKED_AT_BYTES_MAX) return undefined;
    const kept: Uint8Array[] = [];
    const keeps = this.#keptBytes + bytes <= KEPT_BYTES_MAX;
    async function* seen(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
      for await (const chunk of chunks) {
        if (keeps) kept.push(chunk);
        yield chunk;
      }
    }
    const feed = new MergedRangesFeed();
    await readPart(seen(this.#pack.chunks(partName)), feed, partName, this.#reading);
    if (keeps && !this.#kept.has(partName)) {
      this.#kept.set(partName, kept);
      this.#keptBytes += bytesOf(kept);
    }
    return feed.ranges;
  }
}

function bytesOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((bytes, { length }) => bytes + length, 0);
}
