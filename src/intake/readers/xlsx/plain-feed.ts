import type { XmlEvents } from './xml-events.ts';
import type { XmlFeed } from './xml-part.ts';

/** A list of items in an XML part, most of them in a plain form. */
export interface PlainItemReader {
  /** Global; after its matches an item may begin. */
  readonly boundary: RegExp;
  /** How many places at which an item may begin the events have reported. */
  boundaries(): number;
  /** Reads an item from the index `from` on. Returns the index after it, or undefined if it is not whole and plain. */
  readItem(text: string, from: number): number | undefined;
}

const HELD_CHARACTERS_MAX = 1024 * 1024;

/** Reads plain items by patterns, since saxes takes ten times as long. Saxes reads all else. */
export class PlainFeed implements XmlFeed {
  readonly #events: XmlEvents;
  readonly #items: PlainItemReader;
  #held = '';
  #isBetweenItems = false;

  constructor(events: XmlEvents, items: PlainItemReader) {
    this.#events = events;
    this.#items = items;
  }

  write(piece: string): void {
    const { boundary } = this.#items;
    const text = this.#held + piece;
    this.#held = '';
    let at = 0;
    for (;;) {
      if (this.#isBetweenItems) at = this.#readItems(text, at);
      boundary.lastIndex = at;
      if (boundary.exec(text) === null) break;
      const end = boundary.lastIndex;
      this.#writeThrough(text.slice(at, end));
      at = end;
    }
    const rest = text.slice(at);
    if (this.#isBetweenItems && rest.length <= HELD_CHARACTERS_MAX) this.#held = rest;
    else {
      this.#isBetweenItems = false;
      this.#events.write(rest);
    }
  }

  end(): void {
    this.#events.write(this.#held);
    this.#events.end();
  }

  /** In a comment it is no boundary. */
  #writeThrough(text: string) {
    this.#events.write(text.slice(0, -1));
    const before = this.#items.boundaries();
    this.#events.write('>');
    this.#isBetweenItems = this.#items.boundaries() > before;
  }

  #readItems(text: string, from: number) {
    let at = from;
    for (;;) {
      const next = this.#items.readItem(text, at);
      if (next === undefined) return at;
      at = next;
    }
  }
}
