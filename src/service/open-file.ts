import type { Readable } from 'node:stream';
import type { Clock } from '../domain/ports.ts';
import { readOutcomeOf } from './answer.ts';
import type { OpenAnswer } from './exchange.ts';
import { ERROR_BODY_MS_MAX, ERROR_BYTES_MAX } from './limits.ts';
import type { ReadOutcome } from './outcome.ts';
import type { Arrival } from './redirects.ts';
import { readRetryAfter } from './retry-delay.ts';

/** A file on its way. Nothing of it is verified: that is for whoever stores it. */
export interface OpenFile {
  /** To be read to its end or destroyed. */
  readonly stream: Readable;
  /** Without its parameters, in lower case; null where none was said. */
  readonly contentType: string | null;
  /** Bytes to come; null where it was not said. */
  readonly contentLength: number | null;
}

/** No deliverable is of these types (document: Reports, Images): such an answer comes from something in between. */
const NOT_A_FILE: ReadonlySet<string> = new Set(['text/html', 'application/json']);

/**
 * What became of the opening of a file. At the service its own words count as everywhere else. Behind a redirect a 404 means that there is
 * no such file (document: Images), and every other refusal is about the signed URL, of which the next try gets a fresh one.
 */
export async function openFileOutcome(arrival: Arrival, clock: Clock): Promise<ReadOutcome<OpenFile>> {
  const { answer, hops } = arrival;
  const { status, headers, stream } = answer;
  const contentType = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? null;
  if (status === 200 && !(contentType !== null && NOT_A_FILE.has(contentType))) {
    return { kind: 'ok', value: { stream, contentType, contentLength: lengthOf(answer) } };
  }
  if (hops === 0) {
    const body = await readStart(stream, clock);
    return readOutcomeOf<OpenFile>({ kind: 'answer', status, headers, body }, () => undefined, clock.now());
  }
  stream.destroy();
  if (status === 404 || status === 410) return { kind: 'not-found', message: 'there is no file where the service sent us' };
  const reason = status === 200 ? 'not a file, but a page' : `HTTP ${status} where the service sent us`;
  const transient = { kind: 'transient', reason, status, retryAfterMs: readRetryAfter(headers['retry-after'], clock.now()) } as const;
  // A refused URL, or a page in place of the file; a store that is overloaded or away is another matter.
  return status < 500 && status !== 429 ? { ...transient, aboutItem: true } : transient;
}

function lengthOf({ headers }: OpenAnswer): number | null {
  const said = headers['content-length'];
  const encoded = headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity';
  return said === undefined || encoded || !/^\d+$/.test(said) ? null : Number(said);
}

/** The start of an error body, enough for the service's own words; what could be read of it, where it breaks off. */
async function readStart(stream: Readable, clock: Clock): Promise<Buffer> {
  const until = clock.now() + ERROR_BODY_MS_MAX;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > ERROR_BYTES_MAX || clock.now() > until) break;
    }
  } catch {
    // Without its body the answer is simply not in the service's own words.
  }
  return Buffer.concat(chunks);
}
