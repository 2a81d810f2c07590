import type { Readable } from 'node:stream';

export async function* linesOf(stream: Readable) {
  stream.setEncoding('utf8');
  let begun = '';
  for await (const piece of stream as AsyncIterable<string>) {
    begun += piece;
    if (!piece.includes('\n')) continue;
    const lines = begun.split('\n');
    begun = lines.pop() ?? '';
    yield* lines;
  }
}
