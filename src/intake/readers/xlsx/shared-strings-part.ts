import { tooMuch } from '../reading.ts';
import type { Reading } from '../reading.ts';
import { PlainCursor, standsAt } from './plain-xml.ts';
import { readPart } from './read-part.ts';
import { SharedStrings } from './shared-strings.ts';
import { XmlFault } from './xml-events.ts';
import { UNEXPECTED, XmlListFeed } from './xml-feed.ts';
import type { ListHandler } from './xml-feed.ts';

/** Reads the table of shared strings: runs of rich text joined, phonetic ones left out. */
export async function readSharedStrings(chunks: AsyncIterable<Uint8Array>, partName: string, reading: Reading): Promise<SharedStrings> {
  const handler = new SharedStringsHandler(reading);
  await readPart(chunks, new XmlListFeed(handler, reading.limits.cellCharacters), partName, reading);
  return handler.strings;
}

const STRING = Buffer.from('<si><t');
const STRING_END = Buffer.from('</t></si>');
const TAG_END = Buffer.from('>');
const SPACES_KEPT = Buffer.from(' xml:space="preserve">');

class SharedStringsHandler implements ListHandler {
  readonly listName = 'sst';
  readonly itemName = 'si';
  readonly strings: SharedStrings;
  readonly #reading: Reading;
  readonly #cursor = new PlainCursor();
  /** How many of the open elements, from the root, are ones that lead to text. */
  #known = 0;
  #inText = false;
  #text = '';

  constructor(reading: Reading) {
    this.#reading = reading;
    this.strings = new SharedStrings(reading.limits.sharedStringsBytes);
  }

  open(name: string, _attributes: unknown, depth: number): void {
    if (depth === 0 && name !== 'sst') throw new XmlFault(`it is no table of texts but a "${name}"`);
    if (depth !== this.#known) return;
    const runOrText = name === 't' || (name === 'r' && depth === 2);
    if (depth === 0 || (depth === 1 && name === 'si') || (depth >= 2 && depth <= 3 && runOrText && !this.#inText)) {
      this.#known += 1;
      this.#inText = depth >= 2 && name === 't';
      if (depth === 1) this.#text = '';
    }
  }

  close(_name: string, depth: number): void {
    if (this.#known !== depth + 1) return;
    this.#known = depth;
    this.#inText = false;
    if (depth === 1) this.#mustHaveRoom(this.strings.add(this.#text));
  }

  text(text: string): void {
    if (!this.#inText) return;
    this.#text += text;
    if (this.#text.length > this.#reading.limits.cellCharacters) throw tooMuch(this.#reading, 'a text in it is longer than a cell can be');
  }

  betweenItems(depth: number): boolean {
    return depth === 1 && this.#known === 1;
  }

  scanItem(bytes: Buffer, position: number): number {
    const cursor = this.#cursor;
    cursor.bytes = bytes;
    cursor.position = position;
    if (!cursor.literal(STRING)) return UNEXPECTED;
    if (!cursor.literal(TAG_END) && !cursor.literal(SPACES_KEPT)) return UNEXPECTED;
    const end = this.strings.stage(bytes, cursor.position);
    if (end === -1 || end - cursor.position > this.#reading.limits.cellCharacters || !standsAt(bytes, end, STRING_END)) return UNEXPECTED;
    this.#mustHaveRoom(this.strings.addStaged());
    return end + STRING_END.length;
  }

  #mustHaveRoom(hadRoom: boolean): void {
    if (!hadRoom) throw tooMuch(this.#reading, 'the texts of its cells are too many and too long');
  }
}
