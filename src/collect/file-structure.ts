import { promisify } from 'node:util';
import { constants, crc32, inflate, inflateSync } from 'node:zlib';
import { hasCode } from '../domain/errors.ts';

type Entry = Readonly<{
  number: number;
  generation: number;
  offset: number;
}>;

/**
 * Listed objects must exist, and streams with checksums or markers (Flate, JPEG) must match. Accepts errors that
 * readers repair: wrong offsets or an unreadable table prove nothing.
 */
export async function pdfProblem(bytes: Buffer) {
  const { entries, isEncrypted } = readTables(bytes);
  const placed = entries.toSorted((a, b) => a.offset - b.offset);
  const room: Room = { streams: bytes.length, inflated: INFLATED_MAX };
  const misplaced = [];
  for (const [nth, entry] of placed.entries()) {
    const body = bodyOf(bytes, entry);
    if (body === null) misplaced.push(entry);
    else if (!isEncrypted) {
      const problem = await streamProblem(bytes, { from: body, to: placed[nth + 1]?.offset ?? bytes.length }, room);
      if (problem !== null) return problem;
    }
  }
  const lost = firstNotIn(bytes, misplaced);
  return lost === null ? null : `object ${lost.number} of the PDF is missing`;
}

/** A file may refer to one place many times. */
interface Room {
  /** Bytes left: objects do not overlap. */
  streams: number;
  inflated: number;
}

function firstNotIn(bytes: Buffer, wanted: readonly Entry[]) {
  const missing = new Map(wanted.map((entry) => [`${entry.number} ${entry.generation}`, entry]));
  for (let at = bytes.indexOf(' obj'); at >= 0 && missing.size > 0; at = bytes.indexOf(' obj', at + 4)) {
    const head = /(\d{1,10}) (\d{1,5})$/.exec(bytes.toString('latin1', Math.max(0, at - 16), at));
    if (head !== null) missing.delete(`${Number(head[1])} ${Number(head[2])}`);
  }
  return missing.values().next().value ?? null;
}

function bodyOf(bytes: Buffer, { number, generation, offset }: Entry) {
  const head = /^\s{0,4}(\d+)\s+(\d+)\s+obj/.exec(bytes.toString('latin1', offset, offset + 40));
  return head !== null && Number(head[1]) === number && Number(head[2]) === generation ? offset + head[0].length : null;
}

const ONLY_FILTER = /\/Filter\s{0,8}\[?\s{0,8}\/(\w{1,40})\s{0,8}(?:\]|\/(?!\w{1,40}Decode)|>>|[\r\n])/;
const DICTIONARY_MAX = 4096;
/** In bytes, for all streams of a file. */
const INFLATED_MAX = 256 * 1024 * 1024;
const INFLATED_AT_ONCE_MAX = 64 * 1024 * 1024;
const inflated = promisify(inflate);

async function streamProblem(bytes: Buffer, { from, to }: { from: number; to: number }, room: Room) {
  const near = bytes.subarray(from, Math.min(to, from + DICTIONARY_MAX));
  const keyword = near.indexOf('stream');
  if (keyword < 0) return null;
  const dictionary = near.toString('latin1', 0, keyword).trim();
  if (!dictionary.startsWith('<<') || !dictionary.endsWith('>>') || dictionary.includes('endobj')) return null;
  const lineEnd = /^\r?\n/.exec(near.toString('latin1', keyword + 6, keyword + 8));
  const length = /\/Length\s{1,8}(\d{1,10})(?!\s{1,8}\d{1,10}\s{1,8}R)\b/.exec(dictionary);
  if (lineEnd === null || length === null) return null;
  const start = from + keyword + 6 + lineEnd[0].length;
  const end = start + Number(length[1]);
  if (!/^\s{0,2}endstream/.test(bytes.toString('latin1', end, end + 12))) return null;
  const stream = bytes.subarray(start, end);
  room.streams -= stream.length;
  if (room.streams < 0) return 'the objects of the PDF overlap';
  const filter = ONLY_FILTER.exec(dictionary)?.[1];
  if (filter === 'FlateDecode') return flateProblem(stream, room);
  if (filter !== 'DCTDecode') return null;
  const problem = stream[0] === 0xff && stream[1] === 0xd8 ? jpegProblem(stream) : 'the JPEG has no start';
  return problem === null ? null : `a picture in the PDF is damaged: ${problem}`;
}

/** A short stream is accepted; a contradictory one is damaged. */
async function flateProblem(stream: Buffer, room: Room) {
  if (room.inflated <= 0) return null;
  const options = {
    finishFlush: constants.Z_SYNC_FLUSH,
    maxOutputLength: Math.min(room.inflated, INFLATED_AT_ONCE_MAX),
  };
  try {
    const plain = stream.length < FOR_A_THREAD_BYTES ? inflateSync(stream, options) : await inflated(stream, options);
    room.inflated -= plain.length;
    return null;
  } catch (failure) {
    room.inflated -= options.maxOutputLength;
    return hasCode(failure, 'Z_DATA_ERROR') ? 'a part of the PDF does not fit its checksum' : null;
  }
}

const FOR_A_THREAD_BYTES = 16 * 1024;
const TABLES_MAX = 200;
const TABLE_BYTES_MAX = 8 * 1024 * 1024;

/** From the last table to the first; the last one wins. */
function readTables(bytes: Buffer) {
  const entries = new Map<number, Entry>();
  let isEncrypted = false;
  const seen = new Set<number>();
  const startxref = bytes.lastIndexOf('startxref');
  /** Tables do not overlap. */
  let left = bytes.length;
  const named = startxref < 0 ? '' : bytes.toString('latin1', startxref, startxref + 40);
  const waiting = [Number(/^startxref\s+(\d+)/.exec(named)?.[1] ?? 0)];
  for (let offset = waiting.pop(); offset !== undefined && seen.size < TABLES_MAX; offset = waiting.pop()) {
    if (offset <= 0 || offset >= bytes.length || seen.has(offset)) continue;
    if (left <= 0 || entries.size > ENTRIES_MAX) break;
    seen.add(offset);
    const section = /^\s*xref\s/.test(bytes.toString('latin1', offset, offset + 10))
      ? classicTable(bytes, offset)
      : streamTable(bytes, offset);
    left -= section?.bytes ?? TABLE_BYTES_MAX;
    if (section === null) continue;
    for (const entry of section.entries) if (!entries.has(entry.number)) entries.set(entry.number, entry);
    isEncrypted ||= section.trailer.includes('/Encrypt');
    for (const key of ['/Prev', '/XRefStm']) waiting.push(numberAfter(section.trailer, key) ?? 0);
  }
  return { entries: [...entries.values()].filter(({ offset }) => offset > 0), isEncrypted };
}

const ENTRIES_MAX = 300_000;
const LINE_MAX = 40;

function classicTable(bytes: Buffer, offset: number) {
  const length = bytes.subarray(offset, offset + TABLE_BYTES_MAX).indexOf('trailer');
  if (length < 0) return null;
  const end = offset + length;
  const [, ...lines] = bytes.toString('latin1', offset, end).split(/\r\n|\r|\n/);
  const entries = [];
  let number = 0;
  for (const line of lines) {
    if (line.length > LINE_MAX) continue;
    const entry = /^(\d{10}) (\d{5}) ([nf])/.exec(line);
    const head = /^\s*(\d+)\s+(\d+)\s*$/.exec(line);
    if (entry !== null)
      entries.push({ number: number++, generation: Number(entry[2]), offset: entry[3] === 'n' ? Number(entry[1]) : 0 });
    else if (head !== null) number = Number(head[1]);
    if (entries.length > ENTRIES_MAX) return null;
  }
  const [trailer = ''] = bytes.toString('latin1', end, end + DICTIONARY_MAX).split('startxref');
  return { entries, trailer, bytes: length + DICTIONARY_MAX };
}

function streamTable(bytes: Buffer, offset: number) {
  const text = bytes.toString('latin1', offset, offset + DICTIONARY_MAX);
  const head = /^\s{0,8}\d{1,10}\s{1,8}\d{1,5}\s{1,8}obj\s{0,8}(<<[\s\S]*?>>)\s{0,8}stream\r?\n/.exec(text);
  const trailer = head?.[1] ?? '';
  const length = numberAfter(trailer, '/Length');
  const widths = numbersAfter(trailer, '/W');
  if (head === null || length === null || widths?.length !== 3 || !/\/Filter\s*\[?\s*\/FlateDecode/.test(trailer))
    return null;
  const start = offset + head[0].length;
  try {
    const packed = bytes.subarray(start, start + length);
    const data = withoutPredictor(inflateSync(packed, { maxOutputLength: TABLE_BYTES_MAX }), trailer);
    if (data === null) return null;
    const entries = entriesIn(data, widths, numbersAfter(trailer, '/Index') ?? [0, ENTRIES_MAX]);
    return { entries, trailer, bytes: DICTIONARY_MAX + length + data.length };
  } catch {
    return null;
  }
}

function entriesIn(data: Buffer, widths: readonly number[], index: readonly number[]) {
  const [kindBytes = 0, offsetBytes = 0, generationBytes = 0] = widths;
  const size = kindBytes + offsetBytes + generationBytes;
  if (size === 0) return [];
  const field = (at: number, bytes: number, byDefault: number) =>
    bytes === 0 ? byDefault : bytes > 6 ? 0 : data.readUIntBE(at, bytes);
  const entries = [];
  let at = 0;
  for (let pair = 0; pair + 1 < index.length; pair += 2) {
    for (
      let nth = 0;
      nth < (index[pair + 1] ?? 0) && at + size <= data.length && entries.length <= ENTRIES_MAX;
      nth += 1
    ) {
      const kind = field(at, kindBytes, 1);
      entries.push({
        number: (index[pair] ?? 0) + nth,
        generation: field(at + kindBytes + offsetBytes, generationBytes, 0),
        offset: kind === 1 ? field(at + kindBytes, offsetBytes, 0) : 0,
      });
      at += size;
    }
  }
  return entries;
}

/** PNG's predictor "up", the only one in tables. */
function withoutPredictor(data: Buffer, trailer: string) {
  const predictor = numberAfter(trailer, '/Predictor') ?? 1;
  if (predictor < 10) return predictor === 1 ? data : null;
  const columns = numberAfter(trailer, '/Columns') ?? 1;
  const rows = Math.floor(data.length / (columns + 1));
  const plain = Buffer.alloc(rows * columns);
  for (let row = 0; row < rows; row += 1) {
    const kind = data[row * (columns + 1)];
    if (kind !== 2 && kind !== 0) return null;
    for (let column = 0; column < columns; column += 1) {
      const above = kind === 2 && row > 0 ? (plain[(row - 1) * columns + column] ?? 0) : 0;
      plain[row * columns + column] = (data[row * (columns + 1) + 1 + column] ?? 0) + above;
    }
  }
  return plain;
}

function numberAfter(text: string, key: string) {
  const found = new RegExp(`${key}\\s+(\\d+)`).exec(text);
  return found === null ? null : Number(found[1]);
}

function numbersAfter(text: string, key: string) {
  const found = new RegExp(`${key}\\s*\\[([\\d\\s]*)\\]`).exec(text);
  return found === null ? null : (found[1] ?? '').trim().split(/\s+/).map(Number);
}

// They decode nothing: markers, lengths and checksums must fit.

const MARKER = 0xff;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;

export function jpegProblem(bytes: Buffer) {
  let at = 2;
  while (at + 1 < bytes.length) {
    if (bytes[at] !== MARKER) return 'the JPEG lacks a marker';
    const marker = bytes[at + 1] ?? 0;
    if (marker === MARKER) {
      at += 1;
      continue;
    }
    at += 2;
    if (marker === END_OF_IMAGE) return null;
    if (marker < 0xc0) return 'the JPEG has an unknown marker';
    if (isRestart(marker)) continue;
    if (at + 2 > bytes.length) break;
    at += bytes.readUInt16BE(at);
    if (marker === START_OF_SCAN) at = endOfScan(bytes, at);
  }
  return 'the JPEG has no end';
}

/** In a scan, 0xff only precedes a zero, a restart or the next marker. */
function endOfScan(bytes: Buffer, from: number) {
  let at = bytes.indexOf(MARKER, from);
  while (at >= 0 && at + 1 < bytes.length) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && !isRestart(next)) return at;
    at = bytes.indexOf(MARKER, at + 2);
  }
  return bytes.length;
}

function isRestart(marker: number) {
  return marker >= 0xd0 && marker <= 0xd7;
}

export function pngProblem(bytes: Buffer) {
  for (let at = 8; at + 12 <= bytes.length;) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4))
      return 'a part of the PNG does not fit its checksum';
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return null;
    at = end;
  }
  return 'the PNG has no end';
}

export function webpProblem(bytes: Buffer) {
  const end = bytes.readUInt32LE(4) + 8;
  if (end > bytes.length) return 'the WebP is cut';
  let at = 12;
  while (at + 8 <= end) at += 8 + bytes.readUInt32LE(at + 4) + (bytes.readUInt32LE(at + 4) % 2);
  return at === end ? null : 'the parts of the WebP do not fit together';
}

/** The boxes of a HEIC or AVIF must fill the file. */
export function heicProblem(bytes: Buffer) {
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

export function gifProblem(bytes: Buffer) {
  const tableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let at = 13 + tableBytes(bytes[10] ?? 0);
  for (let pictures = 0; at < bytes.length;) {
    const block = bytes[at];
    if (block === 0x3b) return pictures === 0 ? 'the GIF has no picture' : null;
    if (block !== 0x21 && block !== 0x2c) return 'the GIF has an unknown block';
    if (block === 0x2c) pictures += 1;
    // A label; or place, size, flags, colors and code width.
    at += block === 0x21 ? 2 : 11 + tableBytes(bytes[at + 9] ?? 0);
    for (let length = bytes[at]; length !== undefined && length > 0; length = bytes[at]) at += length + 1;
    at += 1;
  }
  return 'the GIF has no end';
}
