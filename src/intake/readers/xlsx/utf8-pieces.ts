import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { unfinishedUtf8Bytes } from '../file-bytes.ts';

/** The bytes are not in the encoding that they claim to be in. The message is a clause for people. */
export class XmlEncodingError extends Error {
  override readonly name = 'XmlEncodingError';
}

/** Brings the bytes of an XML part to UTF-8, piece by piece; a character may be split anywhere, and never is in what comes out. */
interface Pieces {
  take(chunk: Uint8Array): Buffer;
  /** What was held back; throws when the bytes end inside a character. */
  end(): Buffer;
}

/** How many bytes tell the encoding: an XML declaration is shorter. */
const PROLOGUE_BYTES = 160;

/** Reads in the encoding that the part's first bytes declare; UTF-8 where they declare none. Every method throws XmlEncodingError. */
export class Utf8Pieces implements Pieces {
  #inner: Pieces | undefined;
  #prologue: Uint8Array = new Uint8Array(0);

  take(chunk: Uint8Array): Buffer {
    if (this.#inner !== undefined) return this.#inner.take(chunk);
    this.#prologue = Buffer.concat([this.#prologue, chunk]);
    return this.#prologue.length < PROLOGUE_BYTES ? Buffer.alloc(0) : this.#start();
  }

  end(): Buffer {
    const start = this.#inner === undefined ? this.#start() : Buffer.alloc(0);
    return Buffer.concat([start, this.#inner?.end() ?? Buffer.alloc(0)]);
  }

  #start(): Buffer {
    const prologue = this.#prologue;
    this.#prologue = new Uint8Array(0);
    const encoding = declaredEncoding(prologue);
    this.#inner = encoding === 'utf-8' || encoding === 'utf8' || encoding === 'us-ascii' ? new CheckedPieces() : new ConvertedPieces(encoding);
    return this.#inner.take(prologue);
  }
}

function declaredEncoding(start: Uint8Array): string {
  const [first, second] = start;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  const declaration = Buffer.from(start.subarray(0, PROLOGUE_BYTES)).toString('latin1');
  return /^(?:\xef\xbb\xbf)?<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/.exec(declaration)?.[1]?.toLowerCase() ?? 'utf-8';
}

/** UTF-8 as it stands: checked, and cut between characters. The byte order mark is the XML scanner's to pass over. */
class CheckedPieces implements Pieces {
  #heldBack: Uint8Array = new Uint8Array(0);

  take(chunk: Uint8Array): Buffer {
    const bytes = this.#heldBack.length > 0 ? Buffer.concat([this.#heldBack, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const whole = bytes.length - unfinishedUtf8Bytes(bytes);
    this.#heldBack = bytes.subarray(whole);
    return checked(bytes.subarray(0, whole));
  }

  end(): Buffer {
    return checked(Buffer.from(this.#heldBack));
  }
}

function checked(bytes: Buffer): Buffer {
  if (!isUtf8(bytes)) throw new XmlEncodingError('it holds bytes that are not UTF-8');
  return bytes;
}

class ConvertedPieces implements Pieces {
  readonly #decoder: TextDecoder;

  constructor(encoding: string) {
    try {
      this.#decoder = new TextDecoder(encoding, { fatal: true });
    } catch (error) {
      throw new XmlEncodingError(`its encoding "${encoding}" is not known`, { cause: error });
    }
  }

  take(chunk: Uint8Array): Buffer {
    return this.#guarded(() => this.#decoder.decode(chunk, { stream: true }));
  }

  end(): Buffer {
    return this.#guarded(() => this.#decoder.decode());
  }

  #guarded(decode: () => string): Buffer {
    try {
      return Buffer.from(decode());
    } catch (error) {
      throw new XmlEncodingError('it holds bytes that its encoding does not have', { cause: error });
    }
  }
}
