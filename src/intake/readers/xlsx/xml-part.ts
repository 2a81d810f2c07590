import { damagedFile, type Reading } from '../row-source.ts';
import type { Package } from './package.ts';
import { decodedXml, xmlEvents, XmlFault, type XmlSink, type XmlHandler } from './xml-events.ts';

type Chunks = AsyncIterable<Uint8Array>;

/** Yields after each piece. */
export async function* feedPieces(chunks: Chunks, sink: XmlSink, partName: string, reading: Reading) {
  try {
    for await (const text of decodedXml(chunks)) {
      sink.write(text);
      yield;
    }
    sink.end();
  } catch (error) {
    throw error instanceof XmlFault
      ? damagedFile(reading, 'part-not-readable', { partName, message: error.message }, error)
      : error;
  }
  yield;
}

export async function readPart(chunks: Chunks, sink: XmlSink, partName: string, reading: Reading) {
  const pieces = feedPieces(chunks, sink, partName, reading);
  while ((await pieces.next()).done !== true);
}

/** Of a small part. @param handler Or only its `open`. */
export function readXmlPart(pack: Package, partName: string, handler: XmlHandler | XmlHandler['open']) {
  const { reading } = pack;
  const whole = typeof handler === 'function' ? { open: handler, close: () => {}, text: () => {} } : handler;
  return readPart(pack.smallChunks(partName), xmlEvents(whole, reading.limits.cellCharacters), partName, reading);
}
