import { crc32 } from 'node:zlib';

/** Each looks at a whole file and says what is wrong with it, or null. Nothing is decoded: marks, lengths and checksums have to fit. */

const MARKER = 0xff;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;

/** A JPEG from its start to its first end mark; what stands behind that, such as a second picture, is not looked at. */
export function jpegProblem(bytes: Buffer): string | null {
  let at = 2;
  while (at + 1 < bytes.length) {
    if (bytes[at] !== MARKER) return 'the JPEG has no mark where one should be';
    const marker = bytes[at + 1] ?? 0;
    if (marker === MARKER) {
      at += 1;
      continue;
    }
    at += 2;
    if (marker === END_OF_IMAGE) return null;
    if (marker < 0xc0) return 'the JPEG has a mark that there is not';
    if (isRestart(marker)) continue;
    if (at + 2 > bytes.length) break;
    at += bytes.readUInt16BE(at);
    if (marker === START_OF_SCAN) at = endOfScan(bytes, at);
  }
  return 'the JPEG has no end';
}

/** In a scan a mark's first byte stands only before a zero, a restart or the next mark. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(MARKER, from);
  while (at >= 0 && at + 1 < bytes.length) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && !isRestart(next)) return at;
    at = bytes.indexOf(MARKER, at + 2);
  }
  return bytes.length;
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7;
}

/** Every chunk of a PNG with its checksum, to the last one. */
export function pngProblem(bytes: Buffer): string | null {
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length) break;
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return 'a part of the PNG does not fit its checksum';
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return null;
    at = end;
  }
  return 'the PNG has no end';
}

/** The chunks of a WebP fill exactly what its header says. */
export function webpProblem(bytes: Buffer): string | null {
  const end = bytes.readUInt32LE(4) + 8;
  if (end > bytes.length) return 'the WebP is cut';
  let at = 12;
  while (at + 8 <= end) at += 8 + bytes.readUInt32LE(at + 4) + (bytes.readUInt32LE(at + 4) % 2);
  return at === end ? null : 'the parts of the WebP do not fit together';
}

/** The boxes of a HEIC or AVIF fill the file. */
export function heicProblem(bytes: Buffer): string | null {
  let at = 0;
  while (at + 8 <= bytes.length) {
    const said = bytes.readUInt32BE(at);
    // 0: to the end of the file; 1: a longer length follows.
    if (said === 0) return null;
    const length = said === 1 && at + 16 <= bytes.length ? Number(bytes.readBigUInt64BE(at + 8)) : said;
    if (length < 8) break;
    at += length;
  }
  return at === bytes.length ? null : 'the picture is cut';
}

/** The blocks of a GIF, each of which says how long it is, to its end mark. */
export function gifProblem(bytes: Buffer): string | null {
  const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let at = 13 + tableBytes(bytes[10] ?? 0);
  for (let pictures = 0; at < bytes.length; ) {
    const block = bytes[at];
    if (block === 0x3b) return pictures === 0 ? 'the GIF has no picture' : null;
    if (block !== 0x21 && block !== 0x2c) return 'the GIF has a block that there is not';
    if (block === 0x2c) pictures += 1;
    // A label; or place, size, flags, colours and the width of a code.
    at += block === 0x21 ? 2 : 11 + tableBytes(bytes[at + 9] ?? 0);
    for (let length = bytes[at]; length !== undefined && length > 0; length = bytes[at]) at += length + 1;
    at += 1;
  }
  return 'the GIF has no end';
}
