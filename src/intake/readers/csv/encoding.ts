import { isUtf8 } from 'node:buffer';
import { unfinishedUtf8Bytes } from '../file-bytes.ts';
import { countUtf8 } from './utf8-characters.ts';

/** How the bytes of a text file are to be read. */
export interface TextEncoding {
  /**
   * As TextDecoder names it. `utf-8 with strays` is UTF-8 with single bytes in it that are not, which are read as windows-1252; `windows-1252 with
   * utf-8` has characters in it that are surely meant as UTF-8, and are read as such. In `windows-1252 in doubt` nobody can tell what the letters are.
   */
  readonly label: 'utf-8' | 'utf-8 with strays' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'windows-1252 with utf-8' | 'windows-1252 in doubt' | 'macintosh';
  /** As people know it. */
  readonly title: string;
  /** Bytes of the byte order mark, to be passed over. */
  readonly markBytes: number;
}

const UTF_8 = { label: 'utf-8', title: 'UTF-8' } as const;
const UTF_8_WITH_STRAYS = { label: 'utf-8 with strays', title: 'UTF-8' } as const;
const UTF_16LE = { label: 'utf-16le', title: 'UTF-16' } as const;
const UTF_16BE = { label: 'utf-16be', title: 'UTF-16 (big-endian)' } as const;
const WINDOWS_1252_WITH_UTF_8 = { label: 'windows-1252 with utf-8', title: 'windows-1252' } as const;
const WINDOWS_1252 = { label: 'windows-1252', title: 'windows-1252' } as const;
const WINDOWS_1252_IN_DOUBT = { label: 'windows-1252 in doubt', title: 'windows-1252' } as const;
const MAC_ROMAN = { label: 'macintosh', title: 'Mac Roman' } as const;

/**
 * Tells the encoding by the byte order mark, else by the pattern of NULs, else by whether the whole file is UTF-8. Where it is not, the evidence
 * decides: bytes that look like UTF-8 characters do so by chance hardly ever, so a file with as many of them as of other bytes is UTF-8 into
 * which somebody pasted; any other is windows-1252, where every byte means something, though some of them may have come from a UTF-8 file, or Mac
 * Roman, where the letters beside them tell.
 * @param chunks gives the file's bytes from the beginning, each time it is called.
 */
export async function detectEncoding(chunks: () => AsyncIterable<Uint8Array>): Promise<TextEncoding> {
  let start: Uint8Array | undefined;
  let heldBack: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks()) {
    if (start === undefined) {
      start = chunk;
      const wide = wideEncoding(chunk);
      if (wide !== undefined) return wide;
    }
    const bytes = heldBack.length === 0 ? chunk : Buffer.concat([heldBack, chunk]);
    const cut = bytes.length - unfinishedUtf8Bytes(bytes);
    if (!isUtf8(bytes.subarray(0, cut))) return byEvidence(chunks(), utf8MarkBytes(start));
    heldBack = bytes.subarray(cut);
  }
  const markBytes = utf8MarkBytes(start ?? heldBack);
  return isUtf8(heldBack) ? { ...UTF_8, markBytes } : byEvidence(chunks(), markBytes);
}

async function byEvidence(chunks: AsyncIterable<Uint8Array>, markBytes: number): Promise<TextEncoding> {
  // A byte order mark was written by a program that meant UTF-8.
  if (markBytes > 0) return { ...UTF_8_WITH_STRAYS, markBytes };
  const words = new WordsBeyondAscii();
  const { characters, telling, strays } = await countUtf8(words.alongside(chunks));
  if (characters >= strays) return { ...UTF_8_WITH_STRAYS, markBytes };
  return { ...(telling > 0 ? WINDOWS_1252_WITH_UTF_8 : words.verdict()), markBytes };
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

  verdict(): typeof WINDOWS_1252 | typeof MAC_ROMAN | typeof WINDOWS_1252_IN_DOUBT {
    const [windows, mac, neither] = [this.#windows, this.#mac, this.#neither];
    if (mac > 0 && mac >= TIMES_MORE * windows && mac >= neither) return MAC_ROMAN;
    const isOldMac = this.#returns > 0 && this.#lineFeeds === 0;
    const fits = windows > 0 ? windows >= TIMES_MORE * mac : mac === 0 && !isOldMac;
    return fits && windows + this.#both >= neither ? WINDOWS_1252 : WINDOWS_1252_IN_DOUBT;
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
const EDGES = new RegExp(`^[${AROUND}\u201c\u2018\u201e\u201a\u00ab]+|(?<!${BEHIND})${BEHIND}+$|(?<=^(?:k?m|cm|ft|yd|in))[\u00b2\u00b3]$`, 'gu');
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
    return isNaturalPart(part) && (mark !== '\u2019' || BEHIND_APOSTROPHE.test(part) || BEFORE_APOSTROPHE.test(parts[at - 1] ?? '')) && (mark !== '\u2013' && mark !== '\u2014' ? true : /^\p{Lu}\p{L}/u.test(part));
  });
}

function isNaturalPart(part: string): boolean {
  const letters = part.toLowerCase();
  return SHAPE.test(part) && Array.from(letters, (letter, at) => fitsIn(letter, letters[at - 1], letters[at + 1])).every(Boolean);
}

/** Whether a letter goes with those beside it: a vowel does not stand between vowels, and a consonant stands beside one. */
function fitsIn(letter: string, before: string | undefined, after: string | undefined): boolean {
  if (letter >= 'a' && letter <= 'z') return true;
  const isVowel = (one: string | undefined): boolean => one !== undefined && VOWELS.includes(one);
  if (letter === 'œ') return after === 'u' || after === 'i' || after === 'd';
  if (letter === 'õ' || letter === 'ã') return after === 'e' || after === 'o';
  if (VOWELS.includes(letter)) return !(isVowel(before) && isVowel(after)) && !(before === undefined && after === undefined && !'àéèóyá'.includes(letter));
  return CONSONANTS.includes(letter) && (isVowel(before) || isVowel(after));
}

function utf8MarkBytes(start: Uint8Array): number {
  return start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 3 : 0;
}

function wideEncoding(start: Uint8Array): TextEncoding | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return { ...UTF_16LE, markBytes: 2 };
  if (start[0] === 0xfe && start[1] === 0xff) return { ...UTF_16BE, markBytes: 2 };
  const nulls = [0, 0];
  const pairs = Math.min(start.length >> 1, 2048);
  for (let at = 0; at < pairs * 2; at += 1) if (start[at] === 0) nulls[at & 1] = (nulls[at & 1] ?? 0) + 1;
  const [even = 0, odd = 0] = nulls;
  if (odd > pairs / 3 && even < odd / 8) return { ...UTF_16LE, markBytes: 0 };
  if (even > pairs / 3 && odd < even / 8) return { ...UTF_16BE, markBytes: 0 };
  return undefined;
}
