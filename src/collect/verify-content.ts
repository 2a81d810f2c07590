import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { SaxesParser } from 'saxes';
import yauzl from 'yauzl';

/** What a downloaded file turned out to be. */
export type Verified =
  | { readonly kind: 'whole'; readonly extension: string; readonly mediaType: string }
  | { readonly kind: 'broken'; readonly reason: string };

/** What is expected, and so what counts as broken. */
export type Expected = 'report' | 'image';

/** The first and the last bytes of a file, and how long it is. */
interface Ends {
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly bytes: number;
}

const END_BYTES = 2048;

/** Checks a file on disk: is it what it should be, and does it have its end? Content-Type is not asked: content is. */
export async function verifyContent(path: string, bytes: number, expected: Expected): Promise<Verified> {
  if (bytes === 0) return broken('it is empty');
  const ends = await readEnds(path, bytes);
  return expected === 'report' ? reportKind(path, ends) : imageKind(path, ends);
}

async function readEnds(path: string, bytes: number): Promise<Ends> {
  await using handle = await open(path, 'r');
  const head = Buffer.alloc(Math.min(bytes, END_BYTES));
  const tail = Buffer.alloc(Math.min(bytes, END_BYTES));
  await handle.read(head, 0, head.length, 0);
  await handle.read(tail, 0, tail.length, bytes - tail.length);
  return { head, tail, bytes };
}

async function reportKind(path: string, ends: Ends): Promise<Verified> {
  const { head } = ends;
  if (head.subarray(0, 5).equals(Buffer.from('%PDF-'))) return pdfKind(ends);
  if (head.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'))) return zipKind(path);
  const text = head.toString('utf8').replace(/^\uFEFF/, '').trimStart();
  if (/^<(!doctype\s+)?html/i.test(text)) return broken('it is a web page, not a report');
  return text.startsWith('<') ? xmlKind(path) : broken('it is neither PDF, ZIP nor XML');
}

/** What may stand behind the last end mark of a PDF: a little padding, but no further objects. */
const BEHIND_END_BYTES_MAX = 1024;

function pdfKind({ head, tail, bytes }: Ends): Verified {
  const end = tail.lastIndexOf('%%EOF');
  if (end < 0 || !tail.includes('startxref')) return broken('the PDF has no end');
  const behind = tail.subarray(end + 5);
  if (behind.length > BEHIND_END_BYTES_MAX || /\bobj\b/.test(behind.toString('latin1'))) return broken('the PDF is cut behind an inner end mark');
  // A PDF made for the web has an end mark near its beginning, and says how long it is.
  const said = /\/Linearized\b[\s\S]{0,200}?\/L\s+(\d+)/.exec(head.toString('latin1'));
  if (said !== null && bytes < Number(said[1])) return broken(`the PDF is ${bytes} bytes long instead of ${said[1] ?? ''}`);
  return { kind: 'whole', extension: 'pdf', mediaType: 'application/pdf' };
}

/** An XML is whole when it is well-formed to its end. */
async function xmlKind(path: string): Promise<Verified> {
  const parser = new SaxesParser();
  parser.on('error', (failure) => {
    throw failure;
  });
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8' })) parser.write(chunk as string);
    parser.close();
    return { kind: 'whole', extension: 'xml', mediaType: 'application/xml' };
  } catch {
    return broken('the XML is not well-formed to its end');
  }
}

const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);
const JPEG_END = Buffer.from([0xff, 0xd9]);
const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The last chunk with its checksum: always the same bytes. */
const PNG_END = Buffer.from([0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);

async function imageKind(path: string, { head, tail, bytes }: Ends): Promise<Verified> {
  if (head.subarray(0, 3).equals(JPEG_START)) {
    return tail.includes(JPEG_END) ? { kind: 'whole', extension: 'jpg', mediaType: 'image/jpeg' } : broken('the JPEG has no end');
  }
  if (head.subarray(0, 8).equals(PNG_START)) {
    return tail.includes(PNG_END) ? { kind: 'whole', extension: 'png', mediaType: 'image/png' } : broken('the PNG has no end');
  }
  if (/^GIF8[79]a/.test(head.toString('latin1', 0, 6))) return gifKind(path, tail);
  if (head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP') {
    return head.readUInt32LE(4) + 8 <= bytes ? { kind: 'whole', extension: 'webp', mediaType: 'image/webp' } : broken('the WebP is cut');
  }
  if (/^ftyp(heic|heix|mif1|avif)/.test(head.toString('latin1', 4, 12))) return { kind: 'whole', extension: 'heic', mediaType: 'image/heic' };
  return broken('it is not an image of a known kind');
}

/** A GIF has no length of its own, and its end mark may occur anywhere: it must stand at the end, and what is before must decode. */
async function gifKind(path: string, tail: Buffer): Promise<Verified> {
  if (tail.at(-1) !== 0x3b) return broken('the GIF has no end');
  const { default: sharp } = await import('sharp');
  try {
    await sharp(path, { animated: true, failOn: 'truncated' }).stats();
    return { kind: 'whole', extension: 'gif', mediaType: 'image/gif' };
  } catch {
    return broken('the GIF cannot be read to its end');
  }
}

function broken(reason: string): Verified {
  return { kind: 'broken', reason };
}

/** A ZIP is whole when its central directory can be read to its end. */
async function zipKind(path: string): Promise<Verified> {
  try {
    const zip = await yauzl.openPromise(path, { lazyEntries: true });
    for await (const entry of zip.eachEntry()) if (entry.fileName === '') return broken('the ZIP has an entry without a name');
    return { kind: 'whole', extension: 'zip', mediaType: 'application/zip' };
  } catch {
    return broken('the ZIP has no readable directory');
  }
}
