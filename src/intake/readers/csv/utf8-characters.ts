/** How many bytes the UTF-8 character at a position has; 0 where none begins there, -1 where the bytes end before it does. */
export function utf8CharacterBytes(bytes: Uint8Array, at: number): number {
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

type Range = readonly [low: number, high: number];

const CONTINUATION: Range = [0x80, 0xbf];
/** Overlong forms, surrogates and what lies beyond the last character are no UTF-8. */
const SECOND_BYTES: ReadonlyMap<number, Range> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);

function secondByteRange(lead: number): Range {
  return SECOND_BYTES.get(lead) ?? CONTINUATION;
}

/** The windows-1252 bytes of an ellipsis, curly quotes, a bullet and dashes. */
const MAY_FOLLOW_LETTERS: ReadonlySet<number> = new Set([0x85, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97]);

/**
 * Whether the bytes of a UTF-8 character are hardly ever meant as windows-1252: a capital Â, Ã, Ä or Å and a sign that no word has
 * (`Ã©` is é), or curly quotes, dashes and the euro (`â€™`). `É’`, as in CAFÉ’S, is not such.
 */
export function isTellingUtf8(bytes: Uint8Array, at: number, length: number): boolean {
  const [lead = 0, second = 0] = bytes.subarray(at, at + 2);
  if (length === 2) return lead === 0xc3 || (lead === 0xc2 && second >= 0xa0) || ((lead === 0xc4 || lead === 0xc5) && !MAY_FOLLOW_LETTERS.has(second));
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
export async function countUtf8(chunks: AsyncIterable<Uint8Array>): Promise<Utf8Count> {
  let characters = 0;
  let telling = 0;
  let strays = 0;
  let rest: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (at < bytes.length) {
      const length = utf8CharacterBytes(bytes, at);
      if (length === -1) break;
      if (length === 0) strays += 1;
      if (length > 1) {
        characters += 1;
        if (isTellingUtf8(bytes, at, length)) telling += 1;
      }
      at += Math.max(1, length);
    }
    rest = bytes.subarray(at);
  }
  return { characters, telling, strays: strays + rest.length };
}
