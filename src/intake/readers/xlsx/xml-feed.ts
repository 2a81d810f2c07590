import { damaged, type Reading } from '../row-source.ts';
import { isWhitespace } from './plain-xml.ts';
import { inUtf8, XmlEvents, XmlFault, type XmlHandler } from './xml-events.ts';

export interface XmlFeed {
  write(piece: Buffer): void;
  end(): void;
}

/** The fast scan gives up. */
export const UNEXPECTED = -1;

/**
 * For a part that is one long list (rows, strings). The fast scan reads plain elements, the tolerant scanner all
 * others.
 */
export interface ListHandler extends XmlHandler {
  readonly listName: string;
  readonly itemName: string;
  /** True if the tolerant scanner is between two items, with `depth` open elements. */
  betweenItems(depth: number): boolean;
  /** Reads the item at `position`. Returns the position after it, or UNEXPECTED if it is incomplete or not plain. */
  scanItem(bytes: Buffer, position: number): number;
}

/** Longer items go to the tolerant scanner, which does not keep them. */
const HELD_BYTES_MAX = 8 * 1024 * 1024;
/** After this many items the fast scan is tried again. */
const TOLERANT_ITEMS_MAX = 1024;
const TAG_END = 0x3e;

/** Throws errors of the fast scan and the tolerant scanner. */
export class XmlListFeed implements XmlFeed {
  readonly #handler: ListHandler;
  readonly #events: XmlEvents;
  readonly #itemStart: Buffer;
  readonly #itemEnd: Buffer;
  readonly #listStart: Buffer;
  #held: Buffer = Buffer.alloc(0);
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** True if the list's tag was searched for and is not in the rest. */
  #listSearched = false;
  #listSeen = false;
  #tolerantItems = 1;
  #betweenItems = false;

  constructor(handler: ListHandler, textCharactersMax: number) {
    this.#handler = handler;
    this.#events = new XmlEvents(handler, textCharactersMax);
    this.#itemStart = Buffer.from(`<${handler.itemName}`);
    this.#itemEnd = Buffer.from(`</${handler.itemName}>`);
    this.#listStart = Buffer.from(`<${handler.listName}`);
  }

  write(piece: Buffer): void {
    let rest = piece;
    while (this.#held.length > 0 && rest.length > 0) {
      const itemEnd = rest.indexOf(this.#itemEnd);
      const cut = itemEnd === -1 ? rest.length : itemEnd + this.#itemEnd.length;
      this.#waiting.push(rest.subarray(0, cut));
      this.#waitingBytes += cut;
      rest = rest.subarray(cut);
      // A long item is scanned again only at double length.
      if (itemEnd === -1 && this.#waitingBytes < this.#held.length) return;
      this.#deal(this.#takeHeld());
    }
    this.#deal(rest);
  }

  end(): void {
    this.#events.write(this.#takeHeld().toString('utf8'));
    this.#events.end();
  }

  #takeHeld(): Buffer {
    const bytes = Buffer.concat([this.#held, ...this.#waiting]);
    this.#held = Buffer.alloc(0);
    this.#waiting = [];
    this.#waitingBytes = 0;
    return bytes;
  }

  #deal(bytes: Buffer): void {
    let position = 0;
    this.#listSearched = false;
    while (position < bytes.length) {
      position = this.#betweenItems ? this.#scanItems(bytes, position) : this.#feedTolerant(bytes, position);
    }
  }

  #scanItems(bytes: Buffer, from: number): number {
    let position = skipWhitespace(bytes, from);
    for (;;) {
      if (position === bytes.length) return position;
      const next = this.#handler.scanItem(bytes, position);
      if (next === UNEXPECTED) break;
      this.#tolerantItems = 1;
      position = skipWhitespace(bytes, next);
    }
    if (this.#mayBeUnfinished(bytes, position)) {
      this.#held = bytes.subarray(position);
      return bytes.length;
    }
    this.#betweenItems = false;
    return position;
  }

  #mayBeUnfinished(bytes: Buffer, position: number): boolean {
    if (bytes.length - position > HELD_BYTES_MAX) return false;
    const start = bytes.subarray(position, position + this.#itemStart.length);
    return start.equals(this.#itemStart.subarray(0, start.length)) && !bytes.includes(this.#itemEnd, position);
  }

  #feedTolerant(bytes: Buffer, position: number): number {
    const end = this.#nextItemsFrom(bytes, position);
    if (end === undefined) {
      this.#events.write(bytes.toString('utf8', position));
      return bytes.length;
    }
    const tagEnded = this.#events.writeThroughTag(bytes.toString('utf8', position, end));
    if (tagEnded && this.#handler.betweenItems(this.#events.depth)) {
      this.#listSeen = true;
      this.#betweenItems = true;
    }
    return end;
  }

  #nextItemsFrom(bytes: Buffer, position: number): number | undefined {
    const itemEnd = bytes.indexOf(this.#itemEnd, position);
    if (!this.#listSeen && !this.#listSearched) {
      const list = bytes.indexOf(this.#listStart, position);
      const listEnd = list === -1 ? -1 : bytes.indexOf(TAG_END, list);
      this.#listSearched = listEnd === -1;
      if (listEnd !== -1 && (itemEnd === -1 || listEnd < itemEnd)) return listEnd + 1;
    }
    return itemEnd === -1 ? undefined : this.#afterItems(bytes, itemEnd);
  }

  /** The position after the tolerant scanner's items; the first ends at `itemEnd`. */
  #afterItems(bytes: Buffer, itemEnd: number): number {
    let last = itemEnd;
    for (let items = 1; items < this.#tolerantItems; items += 1) {
      const next = bytes.indexOf(this.#itemEnd, last + 1);
      if (next === -1) break;
      last = next;
    }
    this.#tolerantItems = Math.min(this.#tolerantItems * 2, TOLERANT_ITEMS_MAX);
    return last + this.#itemEnd.length;
  }
}

function skipWhitespace(bytes: Uint8Array, from: number): number {
  let position = from;
  while (isWhitespace(bytes[position] ?? 0)) position += 1;
  return position;
}

type Chunks = AsyncIterable<Uint8Array>;

/** Yields after each piece. Throws UnreadableFileError that names `partName` if the part is malformed. */
export async function* feedPieces(
  chunks: Chunks,
  feed: XmlFeed,
  partName: string,
  reading: Reading,
): AsyncGenerator<void, void, undefined> {
  try {
    for await (const piece of inUtf8(chunks)) {
      feed.write(piece);
      yield;
    }
    feed.end();
  } catch (error) {
    throw error instanceof XmlFault
      ? damaged(reading, 'part-not-readable', `its part ${partName} cannot be read (${error.message})`, error)
      : error;
  }
  yield;
}

export async function readPart(chunks: Chunks, feed: XmlFeed, partName: string, reading: Reading): Promise<void> {
  const pieces = feedPieces(chunks, feed, partName, reading);
  while ((await pieces.next()).done !== true);
}

/** @param handler Or only its `open`. */
export function readXmlPart(
  chunks: Chunks,
  handler: XmlHandler | XmlHandler['open'],
  partName: string,
  reading: Reading,
): Promise<void> {
  const events = new XmlEvents(
    typeof handler === 'function' ? { open: handler, close: () => {}, text: () => {} } : handler,
    reading.limits.cellCharacters,
  );
  return readPart(
    chunks,
    { write: (piece) => events.write(piece.toString('utf8')), end: () => events.end() },
    partName,
    reading,
  );
}
