import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { SaxesParser } from 'saxes';
import yauzl from 'yauzl';
import { gifProblem, heicProblem, jpegProblem, pdfProblem, pngProblem, webpProblem } from './file-structure.ts';

export type FileCheck = Readonly<
  { kind: 'whole'; extension: string; mediaType: string } | { kind: 'broken'; reason: string }
>;

export type ExpectedKind = 'report' | 'image';

type Ends = Awaited<ReturnType<typeof readEnds>>;

const END_BYTES = 2048;
/** Only the ends of a larger file are checked. */
const LOOKED_INTO_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Recognizes the file by its content, not by `said` (its Content-Type); but XML under another type is an object store's
 * error message.
 */
export async function verifyContent(path: string, bytes: number, expected: ExpectedKind, said: string | null = null) {
  if (bytes === 0) return broken('it is empty');
  const ends = await readEnds(path, bytes);
  return expected === 'report' ? reportKind(ends, said) : imageKind(ends);
}

async function readEnds(path: string, bytes: number) {
  await using handle = await open(path, 'r');
  const head = Buffer.alloc(Math.min(bytes, END_BYTES));
  const tail = Buffer.alloc(Math.min(bytes, END_BYTES));
  await handle.read(head, 0, head.length, 0);
  await handle.read(tail, 0, tail.length, bytes - tail.length);
  return { path, head, tail, bytes };
}

async function lookInto(path: string, bytes: number, problem: (content: Buffer) => Promise<string | null>) {
  if (bytes > LOOKED_INTO_BYTES_MAX) return null;
  const content = await readFile(path);
  return content.length < bytes ? 'it became shorter while it was checked' : problem(content.subarray(0, bytes));
}

async function reportKind(ends: Ends, said: string | null) {
  const { head } = ends;
  if (head.subarray(0, 5).equals(PDF_START)) return pdfKind(ends, 0);
  if (head.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'))) return zipKind(ends);
  const text = head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (/^<(!doctype\s+)?html\b/i.test(text)) return broken('it is a web page, not a report');
  if (!text.startsWith('<')) {
    const begin = head.subarray(0, BEFORE_START_BYTES_MAX + PDF_START.length).indexOf(PDF_START);
    return begin < 0 ? broken('it is neither PDF, ZIP nor XML') : pdfKind(ends, begin);
  }
  return said === null || /xml|octet-stream/.test(said)
    ? xmlKind(ends)
    : broken(`it is XML, although the service said ${said}`);
}

const PDF_START = Buffer.from('%PDF-');
/** Readers accept a line end, or additions by a store or mail, before the start. */
const BEFORE_START_BYTES_MAX = 1024;
/** More would be further objects. */
const BEHIND_END_BYTES_MAX = 1024;

/** Table offsets count from `begin`. */
async function pdfKind({ path, head, tail, bytes }: Ends, begin: number) {
  const end = tail.lastIndexOf('%%EOF');
  if (end < 0) return broken('the PDF has no end');
  const behind = tail.subarray(end + 5);
  if (behind.length > BEHIND_END_BYTES_MAX || /\bobj\b/.test(behind.toString('latin1')))
    return broken('the PDF is cut off after an inner end mark');
  // A linearized PDF has an early end mark, and states its length.
  const claimed = /\/Linearized\b[\s\S]{0,200}?\/L\s+(\d+)/.exec(head.toString('latin1'));
  if (claimed !== null && bytes < Number(claimed[1]))
    return broken(`the PDF is ${bytes} bytes long instead of ${claimed[1] ?? ''}`);
  const problem = await lookInto(path, bytes, (content) => pdfProblem(content.subarray(begin)));
  return wholeUnless(problem, 'pdf', 'application/pdf');
}

/** Root elements of a web page, or of an object store's error. */
const NO_REPORT = /^(html|error)$/i;

const XML_BYTES_MAX = 64 * 1024 * 1024;
const XML_DEPTH_MAX = 1_000;
const XML_ATTRIBUTES_MAX = 10_000;

async function xmlKind({ path, bytes }: Ends) {
  if (bytes > XML_BYTES_MAX) return broken('the XML is longer than any report');
  const parser = new SaxesParser();
  let root: string | null = null;
  let depth = 0;
  let attributes = 0;
  parser.on('attribute', () => {
    if (++attributes > XML_ATTRIBUTES_MAX) throw new Error('a tag has too many attributes');
  });
  parser.on('opentag', ({ name }) => {
    root ??= name;
    attributes = 0;
    if (++depth > XML_DEPTH_MAX) throw new Error('it is nested too deep');
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  parser.on('error', (failure) => {
    throw failure;
  });
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8' })) parser.write(chunk as string);
    parser.close();
  } catch {
    return broken('the XML is not well-formed to its end');
  }
  return NO_REPORT.test(root ?? '')
    ? broken('it is an error message in XML, not a report')
    : wholeUnless(null, 'xml', 'application/xml');
}

async function imageKind({ path, head, bytes }: Ends) {
  const name = head.toString('latin1', 0, 12);
  const look = async (problem: (content: Buffer) => string | null, extension: string) =>
    wholeUnless(
      await lookInto(path, bytes, async (content) => problem(content)),
      extension,
      `image/${extension === 'jpg' ? 'jpeg' : extension}`,
    );
  if (name.startsWith('\u00FF\u00D8\u00FF')) return look(jpegProblem, 'jpg');
  if (name.startsWith('\u0089PNG\r\n\u001A\n')) return look(pngProblem, 'png');
  if (/^GIF8[79]a/.test(name)) return look(gifProblem, 'gif');
  if (/^RIFF[\s\S]{4}WEBP/.test(name)) return look(webpProblem, 'webp');
  if (/^[\s\S]{4}ftyp(heic|heix|mif1|avif)/.test(name)) return look(heicProblem, 'heic');
  if (/^BM[\s\S]{4}\0{4}/.test(name))
    return wholeUnless(bytes < head.readUInt32LE(2) ? 'the BMP is cut short' : null, 'bmp', 'image/bmp');
  if (/^(?:II\*\0|MM\0\*)/.test(name)) return wholeUnless(null, 'tiff', 'image/tiff');
  return broken('it is not an image of a known kind');
}

/** Times the packed size; with a minimum for small ones. */
const UNPACKED_TIMES_MAX = 50;
const UNPACKED_BYTES_MIN = 256 * 1024 ** 2;
const UNPACKED_BYTES_MAX = 8 * 1024 ** 3;
const ENTRIES_MAX = 20_000;

/** The central directory is readable and every entry matches its checksum. */
async function zipKind({ path, bytes }: Ends) {
  let room = Math.min(UNPACKED_BYTES_MAX, Math.max(UNPACKED_BYTES_MIN, bytes * UNPACKED_TIMES_MAX));
  let packed = bytes;
  let zip;
  try {
    zip = await yauzl.openPromise(path, { lazyEntries: true, autoClose: false });
    if (zip.entryCount > ENTRIES_MAX) return broken(`the ZIP has more than ${ENTRIES_MAX} entries`);
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName === '') return broken('the ZIP has an entry without a name');
      packed -= entry.compressedSize;
      if (packed < 0) return broken('the entries of the ZIP overlap');
      if (entry.uncompressedSize > room) return broken('the ZIP would unpack to far more than its size');
      if (entry.isEncrypted()) continue;
      let checksum = 0;
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        room -= (chunk as Buffer).length;
        if (room < 0) return broken('the ZIP would unpack to far more than its size');
        checksum = crc32(chunk as Buffer, checksum);
      }
      if (checksum !== entry.crc32) return broken('an entry of the ZIP does not fit its checksum');
    }
    return wholeUnless(null, 'zip', 'application/zip');
  } catch {
    return broken('the ZIP cannot be read to its end');
  } finally {
    zip?.close();
  }
}

function wholeUnless(problem: string | null, extension: string, mediaType: string): FileCheck {
  return problem === null ? { kind: 'whole', extension, mediaType } : broken(problem);
}

function broken(reason: string): FileCheck {
  return { kind: 'broken', reason };
}
