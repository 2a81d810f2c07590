/** Characters of windows-1252 beyond Latin-1, in the order of their bytes from 0x80; five bytes stand for none. */
const BEYOND_LATIN_1 = '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

function windows1252Byte(character: string): number | undefined {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return code;
  const place = BEYOND_LATIN_1.indexOf(character);
  return place === -1 ? undefined : 0x80 + place;
}

/**
 * What a text was before some program took its UTF-8 for windows-1252: `SiobhÃ¡n` was `Siobhán`. Undefined for every text that is not
 * the whole of such a mistake, so that letters which only look odd are left in peace.
 */
export function textBeforeMisreading(text: string): string | undefined {
  if (!/[\u00c2-\u00f4]/.test(text)) return undefined;
  const bytes = Array.from(text, windows1252Byte);
  if (bytes.includes(undefined)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes, (byte) => byte ?? 0));
  } catch {
    return undefined;
  }
}
