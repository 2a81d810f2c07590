import { Readable } from 'node:stream';
import { realDelay } from '../virtual-clock.ts';

/** What a proxy on the way says, with whatever status. */
export const HTML_PAGE = '<!DOCTYPE html>\n<html><head><title>Please stand by</title></head><body><h1>We will be right back</h1></body></html>\n';

/** A small file that is whole, and of a kind that nobody asked for. */
export const OTHER_FILE = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');

const PIECES = 10;
/** Long enough for what was written to leave this machine before the connection ends. */
const LAST_BYTES_MS = 20;

/** The first half of a body, complete as far as HTTP can tell. */
export function cut(body: Buffer): Buffer {
  return body.subarray(0, Math.ceil(body.length / 2));
}

/** A body of the same length whose middle third is other bytes. */
export function corrupted(body: Buffer): Buffer {
  const third = Math.ceil(body.length / 3);
  const spoiled = Buffer.from(body);
  for (let index = third; index < 2 * third && index < spoiled.length; index += 1) spoiled[index] = (spoiled[index] ?? 0) ^ 0x55;
  return spoiled;
}

/** Sends the first half, then ends the connection: whoever counts sees that bytes are missing. */
export function withoutItsEnd(body: Buffer): Readable {
  return Readable.from(
    (async function* () {
      yield cut(body);
      await realDelay(LAST_BYTES_MS);
      throw new Error('the connection ends before the body does');
    })(),
  );
}

/** Sends a body in pieces, spread over so many real milliseconds. */
export function inPieces(body: Buffer, ms: number): Readable {
  const size = Math.ceil(body.length / PIECES);
  return Readable.from(
    (async function* () {
      for (let start = 0; start < body.length; start += size) {
        await realDelay(ms / PIECES);
        yield body.subarray(start, start + size);
      }
    })(),
  );
}
