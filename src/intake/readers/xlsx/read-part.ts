import { damaged } from '../reading.ts';
import type { Reading } from '../reading.ts';
import { Utf8Pieces, XmlEncodingError } from './utf8-pieces.ts';
import { XmlFault } from './xml-events.ts';
import type { XmlHandler } from './xml-events.ts';
import { XmlEventsFeed } from './xml-feed.ts';
import type { XmlFeed } from './xml-feed.ts';

type Chunks = AsyncIterable<Uint8Array>;

/**
 * Feeds an XML part to `feed`, and gives control back after each piece of it.
 * @param partName names the part to people who must tell a developer.
 * @throws UnreadableFileError when the part is not well-formed.
 */
export async function* feedPieces(chunks: Chunks, feed: XmlFeed, partName: string, reading: Reading): AsyncGenerator<void, void, undefined> {
  const pieces = new Utf8Pieces();
  const guarded = (step: () => void) => {
    try {
      step();
    } catch (error) {
      if (error instanceof XmlFault || error instanceof XmlEncodingError) {
        throw damaged(reading, `its part ${partName} cannot be read (${error.message})`, error);
      }
      throw error;
    }
  };
  for await (const chunk of chunks) {
    guarded(() => feed.write(pieces.take(chunk)));
    yield;
  }
  guarded(() => {
    feed.write(pieces.end());
    feed.end();
  });
  yield;
}

/** Reads a part from its beginning to its end. */
export async function readPart(chunks: Chunks, feed: XmlFeed, partName: string, reading: Reading): Promise<void> {
  const pieces = feedPieces(chunks, feed, partName, reading);
  while ((await pieces.next()).done !== true);
}

/** Reads a small part through the tolerant scanner alone. */
export function readXmlPart(chunks: Chunks, handler: XmlHandler, partName: string, reading: Reading): Promise<void> {
  return readPart(chunks, new XmlEventsFeed(handler, reading.limits.cellCharacters), partName, reading);
}
