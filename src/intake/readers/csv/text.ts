import { isAscii, isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { readChunks, type Reading, tooLarge, unreadable } from '../row-source.ts';

/**
 * Noncharacters in front of what is in doubt, so that a cell shows it after the cut. `stray`: a byte that is not UTF-8,
 * read as windows-1252. `utf8`: a character of UTF-8 in a windows-1252 file. `unknown`: a byte that may be either letter.
 * `quote`: a quotation mark inside a field. `return`: a lone carriage return outside quotation marks. `space`: spaces
 * before a quotation mark that begins a field.
 */
export const MARKS = {
  stray: '\uFDD0',
  utf8: '\uFDD1',
  unknown: '\uFDD2',
  quote: '\uFDD3',
  return: '\uFDD4',
  space: '\uFDD5',
} as const;
export const ANY_MARK = /[\uFDD0-\uFDD5]/g;

const LF = 0x0a;
const CR = 0x0d;
const DOS_END = 0x1a;

/** No table has longer lines; they are cut anywhere. */
export const LINE_BYTES_MAX = 8 * 1024 * 1024;

const NULLS_BYTES_MIN = 16 * 1024;
const NULLS_PER_TEXT = 100;

/** Yields whole lines, with marks in front of letters in doubt. */
export async function* fileText(handle: FileHandle, { label, markBytes }: TextEncoding, reading: Reading) {
  const isWide = label === 'utf-16le' || label === 'utf-16be';
  const chunks = withoutNulls(readChunks(handle, markBytes, isWide ? undefined : await endOfText(handle)), reading);
  for await (const lines of wholeLines(isWide ? inUtf8(chunks, label) : chunks)) {
    if (lines.length > LINE_BYTES_MAX) throw tooLarge(reading, 'row-too-long/line');
    yield textOf(lines, label);
  }
}

async function* withoutNulls(chunks: AsyncIterable<Uint8Array>, reading: Reading) {
  for await (const chunk of chunks) {
    if (chunk.length >= NULLS_BYTES_MIN && chunk.includes(0) && isNullsAlone(chunk))
      throw unreadable(reading, 'not-text');
    yield chunk;
  }
}

function isNullsAlone(bytes: Uint8Array) {
  let others = 0;
  for (const byte of bytes) {
    if (byte !== 0) others += 1;
    if (others * NULLS_PER_TEXT > bytes.length) return false;
  }
  return true;
}

async function endOfText(handle: FileHandle) {
  const { size } = await handle.stat();
  const length = Math.min(size, 2);
  const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  const markLength = buffer.at(-1) === DOS_END ? 1 : 0;
  return size - markLength - (buffer.at(-1 - markLength) === CR ? 1 : 0);
}

async function* inUtf8(chunks: AsyncIterable<Uint8Array>, label: string) {
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

async function* wholeLines(chunks: AsyncIterable<Uint8Array>) {
  let waiting = [];
  let waitingBytes = 0;
  for await (const chunk of chunks) {
    const lineFeed = chunk.lastIndexOf(LF);
    const lineEnd = (lineFeed === -1 ? chunk.lastIndexOf(CR) : lineFeed) + 1;
    const end = lineEnd === 0 && waitingBytes > LINE_BYTES_MAX ? chunk.length : lineEnd;
    if (end > 0) {
      yield Buffer.concat([...waiting, chunk.subarray(0, end)]);
      waiting = [];
      waitingBytes = 0;
    }
    waiting.push(chunk.subarray(end));
    waitingBytes += chunk.length - end;
  }
  yield Buffer.concat(waiting);
}

/** In bytes as latin-1: a character of UTF-8 beyond ASCII, or else a byte that belongs to none. */
const BEYOND_ASCII =
  /[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}|[\x80-\xff]/g;

/**
 * A character of UTF-8 whose bytes are hardly ever meant as windows-1252: Â, Ã, Ä or Å and a sign that no word has (`Ã©` is
 * é), or curly quotes, dashes and the euro (`â€™`). Not `É’` as in CAFÉ’S; an ellipsis, curly quotes, a bullet and dashes
 * may follow Ä and Å.
 */
const EVIDENCE = /^(?:\xc3|\xc2[\xa0-\xbf]|[\xc4\xc5][^\x85\x91-\x97]|\xe2[\x80-\x84]|[\xf0-\xf4])/;

function isEvidence(found: string) {
  return found.length > 1 && EVIDENCE.test(found);
}

const windows1252 = new TextDecoder('windows-1252');
const macRoman = new TextDecoder('macintosh');

function textOf(lines: Buffer, label: TextEncoding['label']) {
  switch (label) {
    case 'macintosh':
      return macRoman.decode(lines);
    case 'windows-1252':
      return windows1252.decode(lines);
    case 'windows-1252 in doubt':
    case 'windows-1252 with utf-8':
      return isAscii(lines) ? lines.toString('latin1') : mixedText(lines, label);
    case 'utf-8 with strays':
      return isUtf8(lines) ? utf8Text(lines) : mixedText(lines, label);
    case 'utf-8':
    case 'utf-16le':
    case 'utf-16be':
      return utf8Text(lines);
  }
}

function utf8Text(bytes: Buffer) {
  return bytes.toString().replace(ANY_MARK, '\uFFFD');
}

function mixedText(lines: Buffer, label: TextEncoding['label']) {
  return lines.toString('latin1').replace(BEYOND_ASCII, (found) => {
    const bytes = Buffer.from(found, 'latin1');
    if (label === 'utf-8 with strays')
      return bytes.length > 1 ? utf8Text(bytes) : MARKS.stray + windows1252.decode(bytes);
    if (label === 'windows-1252 in doubt')
      return Array.from(windows1252.decode(bytes), (letter) => MARKS.unknown + letter).join('');
    return isEvidence(found) ? MARKS.utf8 + utf8Text(bytes) : windows1252.decode(bytes);
  });
}

/**
 * `utf-8 with strays` has single bytes that are read as windows-1252; `windows-1252 with utf-8` has characters that are
 * surely UTF-8. The letters of `windows-1252 in doubt` cannot be known.
 */
export const ENCODING_TITLES = {
  'utf-8': 'UTF-8',
  'utf-8 with strays': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16 (big-endian)',
  'windows-1252': 'windows-1252',
  'windows-1252 with utf-8': 'windows-1252',
  'windows-1252 in doubt': 'windows-1252',
  macintosh: 'Mac Roman',
} as const;

export type TextEncoding = Readonly<{ label: keyof typeof ENCODING_TITLES; markBytes: number }>;

/**
 * Bytes look like UTF-8 by chance hardly ever, so a file with as many such characters as other bytes is UTF-8 with
 * pasted text. Any other is windows-1252, or Mac Roman if the neighboring letters show it.
 */
export async function detectEncoding(handle: FileHandle): Promise<TextEncoding> {
  let markBytes = 0;
  for await (const start of readChunks(handle)) {
    const wide = wideEncoding(start);
    if (wide !== undefined) return wide;
    markBytes = Buffer.from(start.subarray(0, 3)).toString('latin1') === '\xef\xbb\xbf' ? 3 : 0;
    break;
  }
  for await (const lines of wholeLines(readChunks(handle))) {
    if (isUtf8(lines)) continue;
    // A program that meant UTF-8 wrote the byte order mark.
    return { label: markBytes > 0 ? 'utf-8 with strays' : await byEvidence(handle), markBytes };
  }
  return { label: 'utf-8', markBytes };
}

const WORD = /(?<=([A-Za-z]{0,60}))[\x80-\xff][A-Za-z\x80-\xff]{0,60}/g;
const WORDS_MAX = 100_000;
const TIMES_MORE = 9;

async function byEvidence(handle: FileHandle) {
  const count = { characters: 0, evidence: 0, strays: 0 };
  const words = { windows: 0, mac: 0, both: 0, neither: 0 };
  let hasReturns = false;
  let hasLineFeeds = false;
  for await (const lines of wholeLines(readChunks(handle))) {
    const text = lines.toString('latin1');
    hasReturns ||= text.includes('\r');
    hasLineFeeds ||= text.includes('\n');
    for (const [found] of text.matchAll(BEYOND_ASCII)) {
      count[found.length > 1 ? 'characters' : 'strays'] += 1;
      if (isEvidence(found)) count.evidence += 1;
    }
    for (const [end, start = ''] of text.matchAll(WORD)) {
      if (words.windows + words.mac + words.both + words.neither > WORDS_MAX) break;
      const word = Buffer.from(start + end, 'latin1');
      const [windows, mac] = [isNatural(windows1252.decode(word)), isNatural(macRoman.decode(word))];
      words[windows && mac ? 'both' : windows ? 'windows' : mac ? 'mac' : 'neither'] += 1;
    }
  }
  const { windows, mac, both, neither } = words;
  if (count.characters >= count.strays) return 'utf-8 with strays';
  if (count.evidence > 0) return 'windows-1252 with utf-8';
  if (mac > 0 && mac >= TIMES_MORE * windows && mac >= neither) return 'macintosh';
  const fits = windows > 0 ? windows >= TIMES_MORE * mac : mac === 0 && !(hasReturns && !hasLineFeeds);
  return fits && windows + both >= neither ? 'windows-1252' : 'windows-1252 in doubt';
}

const VOWELS = 'aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœ';
const CONSONANTS = 'çñšžß';
const AROUND = '\u00a0\u2019\u2013\u2014\u2026\u2022\u00b7\u20ac\u00a3\u00a7\u00a9\u00b1\u00d7\u00bd\u00bc\u00be';
const BEHIND = `[${AROUND}\u201d\u2122\u00ae\u00b0\u00ba\u00aa\u00bb]`;
const EDGES = new RegExp(
  `^[${AROUND}\u201c\u2018\u201e\u201a\u00ab]+|(?<!${BEHIND})${BEHIND}+$|(?<=^(?:k?m|cm|ft|yd|in))[\u00b2\u00b3]$`,
  'gu',
);
const BEHIND_APOSTROPHE = /^(?:s|t|d|m|ll|re|ve|em)$/i;
const BEFORE_APOSTROPHE = /^(?:\p{L}{1,2}|dell|all|nell|sant|hawai)$/iu;
const SHAPE = /^(?:\p{Lu}?\p{Ll}+|\p{Lu}+|[A-Z][a-z]{1,4}[A-Z]\p{Ll}+)$/u;

function isNatural(text: string) {
  const word = text.replace(EDGES, '');
  if (word === '') return true;
  const parts = word.split(/[\u2019\u2013\u2014\u00a0\u2026\u2022]/u);
  return parts.every((part, at) => {
    const mark = at === 0 ? '' : word[parts.slice(0, at).join(' ').length];
    return (
      isNaturalPart(part) &&
      (mark !== '\u2019' || BEHIND_APOSTROPHE.test(part) || BEFORE_APOSTROPHE.test(parts[at - 1] ?? '')) &&
      (mark !== '\u2013' && mark !== '\u2014' ? true : /^\p{Lu}\p{L}/u.test(part))
    );
  });
}

function isNaturalPart(part: string) {
  const letters = part.toLowerCase();
  return (
    SHAPE.test(part) &&
    Array.from(letters, (letter, at) => fitsIn(letter, letters[at - 1], letters[at + 1])).every(Boolean)
  );
}

/** No vowel between vowels, and no consonant without one. */
function fitsIn(letter: string, before: string | undefined, after: string | undefined) {
  if (letter >= 'a' && letter <= 'z') return true;
  const isVowel = (one: string | undefined) => one !== undefined && VOWELS.includes(one);
  if (letter === 'œ') return after === 'u' || after === 'i' || after === 'd';
  if (letter === 'õ' || letter === 'ã') return after === 'e' || after === 'o';
  if (VOWELS.includes(letter))
    return (
      !(isVowel(before) && isVowel(after)) &&
      !(before === undefined && after === undefined && !'àéèóyá'.includes(letter))
    );
  return CONSONANTS.includes(letter) && (isVowel(before) || isVowel(after));
}

export function wideEncoding(start: Uint8Array): TextEncoding | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return { label: 'utf-16le', markBytes: 2 };
  if (start[0] === 0xfe && start[1] === 0xff) return { label: 'utf-16be', markBytes: 2 };
  const nulls = [0, 0];
  const pairs = Math.min(start.length >> 1, 2048);
  for (let at = 0; at < pairs * 2; at += 1) if (start[at] === 0) nulls[at & 1] = (nulls[at & 1] ?? 0) + 1;
  const [even = 0, odd = 0] = nulls;
  if (odd > pairs / 3 && even < odd / 8) return { label: 'utf-16le', markBytes: 0 };
  if (even > pairs / 3 && odd < even / 8) return { label: 'utf-16be', markBytes: 0 };
  return undefined;
}
