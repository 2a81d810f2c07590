import type { XmlSink } from './xml-events.ts';

/** A list of items in an XML part, most of them in a plain form. */
type PlainXmlReader = Readonly<{
  /** Global; after its matches an item may begin. */
  boundary: RegExp;
  /** How many places at which an item may begin the events have reported. */
  boundaries: number;
  /** Reads an item from the index `from` on. Undefined if it is not whole and plain, else the index after it. */
  readItem(text: string, from: number): number | undefined;
}>;

const HELD_CHARACTERS_MAX = 1024 * 1024;

export function plainSink(events: XmlSink, items: PlainXmlReader): XmlSink {
  let held = '';
  let isBetweenItems = false;
  /** In a comment it is no boundary. */
  const writeThrough = (text: string) => {
    events.write(text.slice(0, -1));
    const before = items.boundaries;
    events.write('>');
    isBetweenItems = items.boundaries > before;
  };
  const readItems = (text: string, from: number) => {
    let at = from;
    for (let next: number | undefined = from; next !== undefined; next = items.readItem(text, at)) at = next;
    return at;
  };
  return {
    write(piece) {
      const text = held + piece;
      held = '';
      let at = 0;
      for (;;) {
        if (isBetweenItems) at = readItems(text, at);
        items.boundary.lastIndex = at;
        if (items.boundary.exec(text) === null) break;
        const end = items.boundary.lastIndex;
        writeThrough(text.slice(at, end));
        at = end;
      }
      const rest = text.slice(at);
      if (isBetweenItems && rest.length <= HELD_CHARACTERS_MAX) held = rest;
      else {
        isBetweenItems = false;
        events.write(rest);
      }
    },
    end() {
      events.write(held);
      events.end();
    },
  };
}
