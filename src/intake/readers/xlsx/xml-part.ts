import { damagedFile, type Reading } from '../row-source.ts';
import { decodedXml, xmlEvents, XmlFault, type XmlFeed, type XmlHandler } from './xml-events.ts';

type Chunks = AsyncIterable<Uint8Array>;

/** Yields after each piece. */
export async function* feedPieces(chunks: Chunks, feed: XmlFeed, partName: string, reading: Reading) {
  try {
    for await (const text of decodedXml(chunks)) {
      feed.write(text);
      yield;
    }
    feed.end();
  } catch (error) {
    throw error instanceof XmlFault
      ? damagedFile(reading, 'part-not-readable', { partName, message: error.message }, error)
      : error;
  }
  yield;
}

export async function readPart(chunks: Chunks, feed: XmlFeed, partName: string, reading: Reading) {
  const pieces = feedPieces(chunks, feed, partName, reading);
  while ((await pieces.next()).done !== true);
}

/** @param handler Or only its `open`. */
export function readXmlPart(
  chunks: Chunks,
  handler: XmlHandler | XmlHandler['open'],
  partName: string,
  reading: Reading,
) {
  const whole = typeof handler === 'function' ? { open: handler, close: () => {}, text: () => {} } : handler;
  return readPart(chunks, xmlEvents(whole, reading.limits.cellCharacters), partName, reading);
}
