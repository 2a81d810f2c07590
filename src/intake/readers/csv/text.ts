/* From the bytes of a text file to UTF-8: which encoding it is in, and which letters are in doubt. */

import { isAscii, isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { fileBytes, type Reading, unfinishedUtf8Bytes, unreadable } from '../row-source.ts';

/** Encodings of which each byte beyond ASCII is looked at by itself. */
const MIXED: ReadonlySet<TextEncoding['label']> = new Set([
  'utf-8 with strays',
  'windows-1252 with utf-8',
  'windows-1252 in doubt',
]);

/** Told of a place in the text before the piece that holds it comes. */
export type MarkWatch = (mark: TextMark) => void;

/** The end-of-file mark of old DOS programs. */
const DOS_END = 0x1a;

/** Of so many bytes hardly any is left without the NULs: that is no text, and a mark for each of them would take all memory. */
const NULLS_BYTES_MIN = 16 * 1024;
const NULLS_PER_TEXT = 100;

/**
 * The text of a file as UTF-8, piece by piece, without its byte order mark, its NULs and the end-of-file mark of DOS. A character may be cut in two.
 * @throws UnreadableFileError where a long stretch holds hardly anything but NULs.
 */
export async function* fileText(
  handle: FileHandle,
  encoding: TextEncoding,
  reading: Reading,
  watch: MarkWatch = () => {},
): AsyncGenerator<Buffer, void, undefined> {
  const chunks = fileBytes(handle, encoding.markBytes, await endOfText(handle));
  const { label } = encoding;
  const isMixed = label !== 'utf-8' && MIXED.has(label);
  let place = 0;
  for await (const piece of isMixed ? wholeCharacters(chunks) : label === 'utf-8' ? chunks : decoded(chunks, label)) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    const isPlain =
      !bytes.includes(0) && (!isMixed || (label === 'utf-8 with strays' ? isUtf8(bytes) : isAscii(bytes)));
    if (!isPlain && bytes.length >= NULLS_BYTES_MIN && isNullsAlone(bytes))
      throw unreadable(
        reading,
        'is no text: a long stretch of it holds NUL characters and hardly anything else, as in a file that was not written to its end. Export it again and drop it again.',
      );
    const text = isPlain ? bytes : cleaned(bytes, label, place, watch);
    place += text.length;
    yield text;
  }
}

function isNullsAlone(bytes: Uint8Array): boolean {
  let others = 0;
  for (const byte of bytes) {
    if (byte !== 0) others += 1;
    if (others * NULLS_PER_TEXT > bytes.length) return false;
  }
  return true;
}

async function endOfText(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat();
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
  return bytesRead === 1 && buffer[0] === DOS_END ? size - 1 : size;
}

async function* decoded(chunks: AsyncIterable<Uint8Array>, label: string): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** The bytes, cut only between characters of UTF-8. */
async function* wholeCharacters(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let heldBack: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks) {
    const bytes = heldBack.length === 0 ? chunk : Buffer.concat([heldBack, chunk]);
    const cut = bytes.length - unfinishedUtf8Bytes(bytes);
    yield bytes.subarray(0, cut);
    heldBack = bytes.subarray(cut);
  }
  yield heldBack;
}

/** The bytes without NULs, and all of them in UTF-8. @param place where they stand in the text. */
function cleaned(bytes: Buffer, label: TextEncoding['label'], place: number, watch: MarkWatch): Buffer {
  const isMixed = MIXED.has(label);
  const parts: Buffer[] = [];
  let length = 0;
  const put = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  let start = 0;
  const putUpTo = (end: number): void => {
    if (end > start) put(bytes.subarray(start, end));
  };
  for (let at = 0; at < bytes.length;) {
    const code = bytes[at] ?? 0;
    const characterBytes = code < 0x80 || !isMixed ? 1 : utf8CharacterBytes(bytes, at);
    const isUtf8Here =
      characterBytes > 0 &&
      (code < 0x80 || label !== 'windows-1252 in doubt') &&
      (label !== 'windows-1252 with utf-8' || isTellingUtf8(bytes, at, characterBytes));
    if (code === 0) {
      putUpTo(at);
      watch({ kind: 'null', at: place + length });
      start = at + 1;
    } else if (code >= 0x80 && isMixed && !isUtf8Here) {
      putUpTo(at);
      if (label === 'utf-8 with strays') watch({ kind: 'stray', at: place + length });
      if (label === 'windows-1252 in doubt') watch({ kind: 'unknown', at: place + length });
      put(Buffer.from(WINDOWS_1252_CHARACTERS[code] ?? ''));
      start = at + 1;
    } else if (characterBytes > 1 && label === 'windows-1252 with utf-8') {
      putUpTo(at);
      watch({ kind: 'utf-8', at: place + length });
      start = at;
    }
    at += isUtf8Here ? characterBytes : 1;
  }
  putUpTo(bytes.length);
  return Buffer.concat(parts);
}

/** A place in a text at which its bytes did not mean what they are, or may mean two things. */
export interface TextMark {
  /**
   * `null`: a NUL was left out. `unknown`: a byte that may be one letter or another. `stray`: a byte that is not UTF-8 was read as windows-1252. `utf-8`: a character that is not windows-1252 was read as
   * UTF-8. `row`: a row begins here, after a lone carriage return. `perhaps row`: one may begin here, or right after the carriage return that stands here.
   */
  readonly kind: 'null' | 'unknown' | 'stray' | 'utf-8' | 'row' | 'perhaps row';
  /** How many bytes of the text, as UTF-8, stand before it. */
  readonly at: number;
}

/** The marks of a text that are still to come. */
export class MarksAhead {
  #marks: TextMark[] = [];
  /** How many of them have been taken. */
  #taken = 0;
  #sorted = true;
  /** The place of the first; beyond any place where there is none. */
  next = Infinity;

  add(mark: TextMark): void {
    this.#sorted &&= mark.at >= (this.#marks.at(-1)?.at ?? 0);
    this.#marks.push(mark);
    this.next = Math.min(this.next, mark.at);
  }

  /** Takes those before a place, in the order of their places. */
  takeBefore(place: number): readonly TextMark[] {
    if (!this.#sorted) {
      this.#marks = this.#marks.slice(this.#taken).toSorted((a, b) => a.at - b.at);
      this.#taken = 0;
      this.#sorted = true;
    }
    const first = this.#taken;
    while ((this.#marks[this.#taken]?.at ?? Infinity) < place) this.#taken += 1;
    const taken = this.#marks.slice(first, this.#taken);
    if (this.#taken === this.#marks.length) {
      this.#marks = [];
      this.#taken = 0;
    }
    this.next = this.#marks[this.#taken]?.at ?? Infinity;
    return taken;
  }
}

/**
 * How the bytes of a text file are to be read, as TextDecoder names it, and as people know it. `utf-8 with strays` is UTF-8 with single bytes in it
 * that are not, which are read as windows-1252; `windows-1252 with utf-8` has characters in it that are surely meant as UTF-8, and are read as
 * such. In `windows-1252 in doubt` nobody can tell what the letters are.
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

/** The encoding of a text file. */
export interface TextEncoding {
  readonly label: keyof typeof ENCODING_TITLES;
  /** Bytes of the byte order mark, to be passed over. */
  readonly markBytes: number;
}

/**
 * Tells the encoding by the byte order mark, else by the pattern of NULs, else by whether the whole file is UTF-8. Where it is not, the evidence
 * decides: bytes that look like UTF-8 characters do so by chance hardly ever, so a file with as many of them as of other bytes is UTF-8 into
 * which somebody pasted; any other is windows-1252, in which every byte stands for a character, though some may have come from a UTF-8 file, or Mac
 * Roman, where the letters beside them tell.
 * @param chunks gives the file's bytes from the beginning, each time it is called.
 */
export async function detectEncoding(chunks: () => AsyncIterable<Uint8Array>): Promise<TextEncoding> {
  let markBytes: number | undefined;
  for await (const piece of wholeCharacters(chunks())) {
    if (markBytes === undefined) {
      const wide = wideEncoding(piece);
      if (wide !== undefined) return wide;
      markBytes = utf8MarkBytes(piece);
    }
    if (!isUtf8(piece)) return byEvidence(chunks(), markBytes);
  }
  return { label: 'utf-8', markBytes: markBytes ?? 0 };
}

async function byEvidence(chunks: AsyncIterable<Uint8Array>, markBytes: number): Promise<TextEncoding> {
  // A byte order mark was written by a program that meant UTF-8.
  if (markBytes > 0) return { label: 'utf-8 with strays', markBytes };
  const words = new WordsBeyondAscii();
  const { characters, telling, strays } = await countUtf8(words.alongside(chunks));
  if (characters >= strays) return { label: 'utf-8 with strays', markBytes };
  return { label: telling > 0 ? 'windows-1252 with utf-8' : words.verdict(), markBytes };
}

function charactersOf(label: string): readonly string[] {
  const decoder = new TextDecoder(label);
  return Array.from({ length: 256 }, (_, byte) => decoder.decode(Uint8Array.of(byte)));
}

const WINDOWS_1252_CHARACTERS = charactersOf('windows-1252');
const MAC_ROMAN_CHARACTERS = charactersOf('macintosh');

const CR = 0x0d;
const LF = 0x0a;
const NOT_ASCII = 0x80;
/** What is longer is no word. */
const WORD_BYTES_MAX = 60;
/** One reading is chosen where it fits so many times more words than the other. */
const TIMES_MORE = 9;

/** The words of a text that hold more than ASCII, each judged as windows-1252 and as Mac Roman: `Jos\u00e9`, or `Jos\u017d`. */
class WordsBeyondAscii {
  #word: number[] = [];
  #isBeyondAscii = false;
  /** How many words look natural in one reading alone, in both, in none. */
  #windows = 0;
  #mac = 0;
  #both = 0;
  #neither = 0;
  #returns = 0;
  #lineFeeds = 0;

  /** The chunks, looked at as they pass. */
  async *alongside(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of chunks) {
      for (const byte of chunk) this.#look(byte);
      yield chunk;
    }
    this.#endWord();
  }

  verdict(): TextEncoding['label'] {
    const [windows, mac, neither] = [this.#windows, this.#mac, this.#neither];
    if (mac > 0 && mac >= TIMES_MORE * windows && mac >= neither) return 'macintosh';
    const isOldMac = this.#returns > 0 && this.#lineFeeds === 0;
    const fits = windows > 0 ? windows >= TIMES_MORE * mac : mac === 0 && !isOldMac;
    return fits && windows + this.#both >= neither ? 'windows-1252' : 'windows-1252 in doubt';
  }

  #look(byte: number): void {
    if (byte === CR) this.#returns += 1;
    else if (byte === LF) this.#lineFeeds += 1;
    const isLetter = (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
    if (!isLetter && byte < NOT_ASCII) this.#endWord();
    else if (this.#word.length < WORD_BYTES_MAX) {
      this.#word.push(byte);
      this.#isBeyondAscii ||= byte >= NOT_ASCII;
    }
  }

  #endWord(): void {
    if (this.#isBeyondAscii) {
      const windows = isNatural(this.#word.map((byte) => WINDOWS_1252_CHARACTERS[byte]).join(''));
      const mac = isNatural(this.#word.map((byte) => MAC_ROMAN_CHARACTERS[byte]).join(''));
      if (windows && mac) this.#both += 1;
      else if (windows) this.#windows += 1;
      else if (mac) this.#mac += 1;
      else this.#neither += 1;
    }
    if (this.#word.length > 0) this.#word = [];
    this.#isBeyondAscii = false;
  }
}

const VOWELS = 'aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœ';
const CONSONANTS = 'çñšžß';
/** Signs on both sides of words, before them, and behind them; between letters an apostrophe and a dash have rules of their own. */
const AROUND = '\u00a0\u2019\u2013\u2014\u2026\u2022\u00b7\u20ac\u00a3\u00a7\u00a9\u00b1\u00d7\u00bd\u00bc\u00be';
const BEHIND = `[${AROUND}\u201d\u2122\u00ae\u00b0\u00ba\u00aa\u00bb]`;
const EDGES = new RegExp(
  `^[${AROUND}\u201c\u2018\u201e\u201a\u00ab]+|(?<!${BEHIND})${BEHIND}+$|(?<=^(?:k?m|cm|ft|yd|in))[\u00b2\u00b3]$`,
  'gu',
);
/** What stands behind an apostrophe, or before it: Smith’s, they’re, d’Angelo, O’Brien, dell’Arte. */
const BEHIND_APOSTROPHE = /^(?:s|t|d|m|ll|re|ve|em)$/i;
const BEFORE_APOSTROPHE = /^(?:\p{L}{1,2}|dell|all|nell|sant|hawai)$/iu;
const SHAPE = /^(?:\p{Lu}?\p{Ll}+|\p{Lu}+|[A-Z][a-z]{1,4}[A-Z]\p{Ll}+)$/u;

/** Whether a text without blanks looks like a word of a Western language, or a name. */
function isNatural(text: string): boolean {
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

function isNaturalPart(part: string): boolean {
  const letters = part.toLowerCase();
  return (
    SHAPE.test(part) &&
    Array.from(letters, (letter, at) => fitsIn(letter, letters[at - 1], letters[at + 1])).every(Boolean)
  );
}

/** Whether a letter goes with those beside it: a vowel does not stand between vowels, and a consonant stands beside one. */
function fitsIn(letter: string, before: string | undefined, after: string | undefined): boolean {
  if (letter >= 'a' && letter <= 'z') return true;
  const isVowel = (one: string | undefined): boolean => one !== undefined && VOWELS.includes(one);
  if (letter === 'œ') return after === 'u' || after === 'i' || after === 'd';
  if (letter === 'õ' || letter === 'ã') return after === 'e' || after === 'o';
  if (VOWELS.includes(letter))
    return (
      !(isVowel(before) && isVowel(after)) &&
      !(before === undefined && after === undefined && !'àéèóyá'.includes(letter))
    );
  return CONSONANTS.includes(letter) && (isVowel(before) || isVowel(after));
}

function utf8MarkBytes(start: Uint8Array): number {
  return start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 3 : 0;
}

function wideEncoding(start: Uint8Array): TextEncoding | undefined {
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

/** How many bytes the UTF-8 character at a position has; 0 where none begins there, -1 where the bytes end before it does. */
function utf8CharacterBytes(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  for (let place = 1; place < length; place += 1) {
    const code = bytes[at + place];
    if (code === undefined) return -1;
    const [low, high] = place === 1 ? secondByteRange(lead) : CONTINUATION;
    if (code < low || code > high) return 0;
  }
  return length;
}

type ByteRange = readonly [low: number, high: number];

const CONTINUATION: ByteRange = [0x80, 0xbf];
/** Overlong forms, surrogates and what lies beyond the last character are no UTF-8. */
const SECOND_BYTES: ReadonlyMap<number, ByteRange> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);

function secondByteRange(lead: number): ByteRange {
  return SECOND_BYTES.get(lead) ?? CONTINUATION;
}

/** The windows-1252 bytes of an ellipsis, curly quotes, a bullet and dashes. */
const MAY_FOLLOW_LETTERS: ReadonlySet<number> = new Set([0x85, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97]);

/**
 * Whether the bytes of a UTF-8 character are hardly ever meant as windows-1252: a capital Â, Ã, Ä or Å and a sign that no word has
 * (`Ã©` is é), or curly quotes, dashes and the euro (`â€™`). `É’`, as in CAFÉ’S, is not such.
 */
function isTellingUtf8(bytes: Uint8Array, at: number, length: number): boolean {
  const [lead = 0, second = 0] = bytes.subarray(at, at + 2);
  if (length === 2)
    return (
      lead === 0xc3 ||
      (lead === 0xc2 && second >= 0xa0) ||
      ((lead === 0xc4 || lead === 0xc5) && !MAY_FOLLOW_LETTERS.has(second))
    );
  return length === 4 || (length === 3 && lead === 0xe2 && second >= 0x80 && second <= 0x84);
}

/** What the bytes of a text that are not ASCII look like. */
interface Utf8Count {
  readonly characters: number;
  /** Those of the characters that are surely meant. */
  readonly telling: number;
  /** Bytes that belong to no character. */
  readonly strays: number;
}

/** Counts the characters of several bytes, and the bytes that belong to no character. */
async function countUtf8(chunks: AsyncIterable<Uint8Array>): Promise<Utf8Count> {
  let characters = 0;
  let telling = 0;
  let strays = 0;
  for await (const bytes of wholeCharacters(chunks)) {
    for (let at = 0; at < bytes.length;) {
      const length = utf8CharacterBytes(bytes, at);
      // Also where the last character of all is not finished.
      if (length < 1) strays += 1;
      if (length > 1) {
        characters += 1;
        if (isTellingUtf8(bytes, at, length)) telling += 1;
      }
      at += Math.max(1, length);
    }
  }
  return { characters, telling, strays };
}
