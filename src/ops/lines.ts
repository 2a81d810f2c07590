import type { Readable } from 'node:stream';

export async function* linesOf(stream: Readable) {
  stream.setEncoding('utf8');
  let begun = '';
  for await (const piece of stream as AsyncIterable<string>) {
    begun += piece;
    // A long line comes in many pieces: it is split once.
    if (!piece.includes('\n')) continue;
    const lines = begun.split('\n');
    begun = lines.pop() ?? '';
    yield* lines;
  }
}
