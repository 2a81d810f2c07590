/** Most texts: nothing but visible ASCII and spaces inside. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
/** Characters that nobody sees: soft hyphens, zero-width spaces, marks of direction. Joiners inside stay: emoji and scripts need them. */
const UNSEEN = '\\u00ad\\u034f\\u061c\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff';
const EDGE = `[\\s${UNSEEN}\\u200c\\u200d]`;
/** Space, and what looks like space or like nothing at all. A run is looked at from its beginning only, lest a long one take forever. */
const EDGES = new RegExp(`^${EDGE}+|(?<!${EDGE})${EDGE}+$`, 'g');
const UNSEEN_EDGE = new RegExp(`[${UNSEEN}\\u200c\\u200d]`);
const BLANK_EDGE = new RegExp(`[^${UNSEEN}\\u200c\\u200d]`);
const INVISIBLE = new RegExp(`(?![\\t\\n\\v\\f\\r\\u0085])[\\p{Cc}${UNSEEN}]`, 'gu');
/** A run of white space with more in it than plain spaces. */
const BREAKS = /(?<! )[ ]*[\t\n\v\f\r\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][\s\u0085]*/g;

/** A text, and in words what was changed to get it. */
export interface ChangedText {
  readonly text: string;
  readonly why?: string;
}

/** The reasons given, joined as `a; b`; undefined where there are none. */
export function reasons(...whys: readonly (string | undefined)[]): string | undefined {
  const said = whys.filter((why) => why !== undefined);
  return said.length === 0 ? undefined : said.join('; ');
}

function changed(text: string, why: string | undefined): ChangedText {
  return why === undefined ? { text } : { text, why };
}

/** A text without the blanks around it. */
export function trimmed(text: string): string {
  return PLAIN.test(text) ? text : text.replace(EDGES, '');
}

/**
 * A text on one line: blanks around it go, line breaks, tabs and no-break spaces become a space; `why` says what changed.
 * @param keepsBreaks true where people read it in its own lines.
 */
export function oneLine(text: string, keepsBreaks = false): ChangedText {
  if (PLAIN.test(text)) return { text };
  const edges = (text.match(EDGES) ?? []).join('');
  const held = text.replace(EDGES, '');
  const visible = held.replace(INVISIBLE, '');
  const line = keepsBreaks ? visible : visible.replace(BREAKS, ' ');
  const whole = line.toWellFormed();
  return changed(
    whole,
    reasons(
      BLANK_EDGE.test(edges) ? 'the blanks around it were taken off' : undefined,
      visible !== held || UNSEEN_EDGE.test(edges) ? 'invisible characters were taken out' : undefined,
      line === visible ? undefined : 'line breaks, tabs and no-break spaces became plain spaces',
      whole === line ? undefined : 'half a character was replaced',
    ),
  );
}

const ENTITY = /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#x([\da-f]{1,6}));/gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };
/** `&amp;amp;` was written for a web page twice. */
const TIMES_WRITTEN_MAX = 3;

/** A text in which a program left the signs of web pages, `Smith &amp; Sons`, with the characters that they stand for. */
export function withoutEntities(text: string): ChangedText {
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
    plain === text ? undefined : 'signs of web pages such as "&amp;" became the characters they stand for',
  );
}

/** Text that a program wrote as a formula, `="02139"`, so that a spreadsheet would not take it for a number. */
const TEXT_FORMULA = /^=\s*"((?:[^"]|"")*)"$/;

/** What stands inside `="02139"`. */
export function withoutTextFormula(text: string): ChangedText {
  if (!text.startsWith('=')) return { text };
  const inside = TEXT_FORMULA.exec(text)?.[1];
  return inside === undefined
    ? { text }
    : { text: trimmed(inside.replaceAll('""', '"')), why: 'it was written as a formula, to keep it as text' };
}

const ASCII = /^[ -~]*$/;

/** A text whose wide characters became plain ones: `１００ Main St` is 100 Main St. */
export function inNarrowCharacters(text: string): ChangedText {
  const plain = text.replace(/[\uff01-\uff5e]/g, (wide) => String.fromCodePoint((wide.codePointAt(0) ?? 0) - 0xfee0));
  return changed(plain, plain === text ? undefined : 'wide characters became plain ones');
}

/**
 * Digits, dashes and quotes in their plain form, for values that are numbers, dates, codes or listed words: `３３６０９` is 33609, `4–Point` is
 * 4-Point, and an apostrophe in front only said that a text follows. Names and notes are not for this: there every character is kept.
 */
export function inPlainCharacters(text: string): ChangedText {
  const plain = ASCII.test(text)
    ? text
    : inNarrowCharacters(text)
        .text.replace(/[\u2010-\u2015\u2212\ufe58\ufe63]/g, '-')
        .replace(/[\u2018\u2019\u02bc]/g, "'")
        .replace(/[\u201c\u201d]/g, '"');
  const bare = plain.replace(/^'(?=.)/, '').replace(/^"([^"]+)"$/, (_, quoted: string) => quoted);
  return changed(
    bare,
    reasons(
      plain === text ? undefined : 'wide characters, long dashes or curly quotes became plain ones',
      bare === plain ? undefined : 'the quotation marks around it were taken off',
    ),
  );
}

/** The byte of each character in windows-1252. */
const WINDOWS_1252_BYTES: ReadonlyMap<string, number> = new Map(
  Array.from(
    new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte)),
    (character, byte) => [character, byte],
  ),
);

/**
 * What a text was before some program took its UTF-8 for windows-1252: `SiobhÃ¡n` was `Siobhán`. Undefined for every text that is not
 * the whole of such a mistake, so that letters which only look odd are left alone.
 */
export function textBeforeMisreading(text: string): string | undefined {
  // In UTF-8 the byte that begins a character is followed by one from 80 to BF: here by what is neither ASCII nor a letter of Latin-1. Most accented names end here.
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
