const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
/** Soft hyphens, zero-width spaces, direction marks. Joiners inside stay: emoji and scripts need them. */
const UNSEEN = '\\u00ad\\u034f\\u061c\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff';
const EDGE = `[\\s${UNSEEN}\\u200c\\u200d]`;
/** The lookbehind keeps the time for long runs linear. */
const EDGES = new RegExp(`^${EDGE}+|(?<!${EDGE})${EDGE}+$`, 'g');
const UNSEEN_EDGE = new RegExp(`[${UNSEEN}\\u200c\\u200d]`);
const BLANK_EDGE = new RegExp(`[^${UNSEEN}\\u200c\\u200d]`);
const INVISIBLE = new RegExp(`(?![\\t\\n\\v\\f\\r\\u0085])[\\p{Cc}${UNSEEN}]`, 'gu');
const BREAKS = /(?<! )[ ]*[\t\n\v\f\r\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][\s\u0085]*/g;

export function joinReasons(...whys: readonly (string | undefined)[]) {
  const said = whys.filter((why) => why !== undefined);
  return said.length === 0 ? undefined : said.join('; ');
}

function changed(text: string, why: string | undefined) {
  return why === undefined ? { text } : { text, why };
}

export function trimmed(text: string) {
  return PLAIN.test(text) ? text : text.replace(EDGES, '');
}

export function cleanText(text: string, keepsBreaks = false) {
  if (PLAIN.test(text)) return { text };
  const edges = (text.match(EDGES) ?? []).join('');
  const held = text.replace(EDGES, '');
  const visible = held.replace(INVISIBLE, '');
  const line = keepsBreaks ? visible : visible.replace(BREAKS, ' ');
  const whole = line.toWellFormed();
  return changed(
    whole,
    joinReasons(
      BLANK_EDGE.test(edges) ? 'spaces around it were removed' : undefined,
      visible !== held || UNSEEN_EDGE.test(edges) ? 'invisible characters were removed' : undefined,
      line === visible ? undefined : 'line breaks, tabs and no-break spaces became plain spaces',
      whole === line ? undefined : 'half a character was replaced',
    ),
  );
}

const ENTITY = /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#x([\da-f]{1,6}));/gi;
export const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};
/** `&amp;amp;` was escaped twice. */
const TIMES_WRITTEN_MAX = 3;

export function withoutEntities(text: string) {
  if (!text.includes('&')) return { text };
  let plain = text;
  for (let times = 0; times < TIMES_WRITTEN_MAX; times += 1)
    plain = plain.replace(
      ENTITY,
      (whole, name: string | undefined, decimal: string | undefined, hex: string | undefined) => {
        if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
        const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
        return code < 32 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? whole : String.fromCodePoint(code);
      },
    );
  return changed(
    plain,
    plain === text ? undefined : 'HTML codes such as "&amp;" became the characters that they represent',
  );
}

const TEXT_FORMULA = /^=\s*"((?:[^"]|"")*)"$/;

export function withoutTextFormula(text: string) {
  if (!text.startsWith('=')) return { text };
  const inside = TEXT_FORMULA.exec(text)?.[1];
  return inside === undefined
    ? { text }
    : { text: trimmed(inside.replaceAll('""', '"')), why: 'it was written as a formula, to keep it as text' };
}

const ASCII = /^[ -~]*$/;

/** `１００ Main St` is 100 Main St. */
export function inNarrowCharacters(text: string) {
  const plain = text.replace(/[\uff01-\uff5e]/g, (wide) => String.fromCodePoint((wide.codePointAt(0) ?? 0) - 0xfee0));
  return changed(plain, plain === text ? undefined : 'wide characters became plain ones');
}

/**
 * `３３６０９` is 33609, `4–Point` is 4-Point; a leading apostrophe, which marks text, is removed. Not for names and
 * notes, which keep every character.
 */
export function inPlainCharacters(text: string) {
  const plain = ASCII.test(text)
    ? text
    : inNarrowCharacters(text)
        .text.replace(/[\u2010-\u2015\u2212\ufe58\ufe63]/g, '-')
        .replace(/[\u2018\u2019\u02bc]/g, "'")
        .replace(/[\u201c\u201d]/g, '"');
  const bare = plain.replace(/^'(?=.)/, '').replace(/^"([^"]+)"$/, (_, quoted: string) => quoted);
  return changed(
    bare,
    joinReasons(
      plain === text ? undefined : 'wide characters, long dashes or curly quotes became plain ones',
      bare === plain ? undefined : 'the quotation marks around it were removed',
    ),
  );
}

const WINDOWS_1252_BYTES = new Map(
  Array.from(
    new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte)),
    (character, byte) => [character, byte],
  ),
);

/** Undoes reading UTF-8 as windows-1252: `SiobhÃ¡n` was `Siobhán`. Undefined unless the whole text fits. */
export function textBeforeMisreading(text: string) {
  // A first byte of UTF-8 is followed by 80 to BF: here by neither ASCII nor Latin-1 letters. This rules out most
  // accented names.
  if (!/[\u00c2-\u00f4][^\0-\u007f\u00c0-\u00ff]/.test(text)) return undefined;
  const bytes = Array.from(text, (character) => WINDOWS_1252_BYTES.get(character));
  if (bytes.includes(undefined)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(bytes, (byte) => byte ?? 0),
    );
  } catch {
    return undefined;
  }
}
