import { z } from 'zod';
import { headerWords, spellOut } from './header/known-headers.ts';
import { trimmed } from './values/plain-text.ts';
import { oneOf, pattern as regex, vocabulary, WORD_END } from './vocabulary.ts';

// The words with which lists say that a row is no order, and how a clause of a text is read by them.

export type Place =
  | ('mark' | 'note' | 'status' | 'headless' | 'inspection' | 'stage' | 'other' | 'unknown')
  | ('wanted' | 'perhaps-wanted' | 'yes' | 'perhaps-yes' | 'unwanted' | 'done' | 'perhaps');

/** `is? done|complete` → `done`, `complete`, `is done`, `is complete`. */
function variants(phrase: string) {
  let heads = [''];
  for (const slot of phrase.split(' ')) {
    const words = slot.replace('?', '').split('|');
    const longer = heads.flatMap((head) => words.map((word) => `${head} ${word}`.trim()));
    heads = slot.endsWith('?') ? heads.concat(longer) : longer;
  }
  return heads;
}

const list = z
  .array(z.string().regex(/^[a-z\d][a-z\d' :/?|-]*$/))
  .min(1)
  .transform((phrases) => phrases.flatMap(variants));

/** The strongest first. */
const STOPS = ['never', 'starts', 'ended', 'sure', 'plain', 'done', 'received', 'perhaps', 'anywhere'] as const;

type Kind = (typeof STOPS)[number] | 'taken_back' | 'fillers' | 'follows';

export const statusWords = vocabulary(
  'not-ordered',
  z.strictObject({
    never: list,
    starts: list,
    starts_of_notes: list,
    ended: list,
    sure: list,
    plain: list,
    done: list,
    over: list,
    whole: list,
    perhaps: list,
    anywhere: list,
    taken_back: list,
    earlier: list,
    fillers: list,
    follows: list,
    under_any_header: list,
    asked_under_any_header: list,
    unasked_headers: list,
    status: list,
    inspection_status: list,
    received: list,
    transactions: list,
    to_order: list,
    titles: list,
    titles_of_rows: list,
    names: list,
    sheets: list,
    status_headers: list,
    own_status_pattern: regex,
    inspection_headers: list,
    other_headers: list,
    stage_headers: list,
    won: list,
    note_headers: list,
    flag_headers: z.record(z.string(), list),
    unwanted_headers: list,
    header_words: list,
    flag_pattern: regex,
    yes_pattern: regex,
    no_values: list,
    wanted_no_values: list,
    nothing_values: list,
    marks: z.strictObject({ plain: list, set_off: list }),
    notes_pattern: regex,
    done_pattern: regex,
    everywhere_pattern: regex,
    sale_pattern: regex,
    not_done_values: list,
  }),
);

const SIGNS = '[^\\p{L}\\p{N}]*';
const OPENS = '[*(\\[{<=!|~–—]';
const SET_OFF_BEHIND = '\\s*(?:[*)\\]}>:;=!|~–—]|--|\\s-)';
const ANNOUNCES = '\\s*(?:[(\\[{:–—]|--|\\s-\\s)';
const SET_OFF_BEFORE = '(?:[*(\\[{<:;=!|~–—]|--|\\s-)\\s*';

function pattern(...parts: readonly string[]) {
  return new RegExp(parts.join(''), 'iu');
}

const NUMBER = /^(?:\d+(?:st|nd|rd|th)?|§)$/;
const YEAR = /^20\d\d$/;

/** `longest`: by a phrase's first word, how many words such a phrase has. `whole`: whole texts. */
export type Lexicon = ReturnType<typeof lexicon>;

function lexicon(
  lists: Readonly<Partial<Record<Kind, readonly string[]>>>,
  whole: readonly string[] = [],
  numbers?: RegExp,
) {
  const kinds = new Map<string, Kind>();
  const longest = new Map<string, number>();
  for (const [kind, phrases] of Object.entries(lists))
    for (const phrase of phrases) {
      const [first = '', ...others] = wordsOf(phrase);
      kinds.set([first, ...others].join(' '), kind as Kind);
      longest.set(first, Math.max(longest.get(first) ?? 0, others.length + 1));
    }
  return { kinds, longest, whole: new Set(whole), numbers };
}

function patternsOf() {
  const { marks, ...lists } = statusWords();
  const { never, ended, sure, plain, perhaps, anywhere, taken_back, fillers, follows } = lists;
  const done = [...lists.done, ...lists.over];
  const starts = [...lists.starts, ...lists.starts_of_notes];
  const text = { fillers, follows, perhaps, anywhere, done, plain, sure, ended, starts, never, taken_back };
  const plainly = { fillers, follows, sure: lists.under_any_header, ended, starts: lists.starts, never, taken_back };
  const titles = [...lists.titles, ...lists.titles_of_rows];
  const file = { fillers, follows, taken_back, never, ended };
  const withSure = (...more: readonly string[]) => ({ ...text, sure: [...sure, ...more] });
  const status = { ...withSure(...lists.status), received: lists.received };
  const names = [...lists.whole, ...lists.names];
  const marked = oneOf(marks.plain, marks.set_off);
  const anyWord = (phrases: readonly string[]) => pattern(`(?<![\\p{L}\\p{N}])${oneOf(phrases)}${WORD_END}`);
  return {
    text: lexicon(text, lists.whole),
    plainly: lexicon(plainly),
    askedAnywhere: lexicon({ fillers, sure: lists.asked_under_any_header }),
    askedOfColumn: lexicon({ fillers, sure: [...sure, ...plain, ...ended, ...lists.asked_under_any_header] }),
    unaskedHeader: anyWord(lists.unasked_headers),
    transactions: new Set(lists.transactions),
    toOrder: new Set([...lists.transactions, ...lists.to_order]),
    ownStatus: lists.own_status_pattern,
    status: lexicon(status, lists.whole),
    inspection: lexicon({ ...status, sure: [...status.sure, ...done, ...lists.inspection_status] }, lists.whole, YEAR),
    went: lexicon({ ...status, done: lists.done, sure: [...status.sure, ...lists.over] }),
    won: pattern('^', SIGNS, oneOf(lists.won), '[\\W\\d]*$'),
    title: lexicon(withSure(...titles), names, NUMBER),
    sheetName: lexicon(withSure(...titles, ...lists.sheets), names, NUMBER),
    fileName: lexicon({ ...file, sure: lists.titles }, [], NUMBER),
    fileOfRows: lexicon({ ...file, sure: titles }, [], NUMBER),
    header: lexicon({
      ...withSure(...lists.unwanted_headers.map((header) => headerWords(header).join(' '))),
      perhaps: [],
      anywhere: [],
      fillers: [...fillers, ...lists.header_words],
      follows: [],
    }),
    earlier: new Set(lists.earlier),
    mark: pattern(
      [
        `[\\s/]${oneOf(marks.plain)}${SIGNS}$`,
        `^${SIGNS}${oneOf(marks.plain)}(?![\\p{L}\\p{N}]|-[\\p{L}\\p{N}])`,
        `^${SIGNS}(?:${marked}|${oneOf(ended)})(?:${SIGNS}$|${SET_OFF_BEHIND})`,
        `^${SIGNS}${OPENS}${SIGNS}${marked}${WORD_END}`,
        `${SET_OFF_BEFORE}${marked}${SIGNS}$`,
        `${OPENS}\\s*${marked}\\s*[*)\\]}>=!|~–—]`,
      ].join('|'),
    ),
    statusHeader: anyWord(lists.status_headers),
    inspectionHeader: anyWord(lists.inspection_headers),
    otherHeader: anyWord(lists.other_headers),
    stageHeader: anyWord(lists.stage_headers),
    noteHeader: anyWord(lists.note_headers),
    flags: new Map(
      Object.entries(lists.flag_headers).flatMap(([place, phrases]) =>
        phrases.map((phrase) => [spellOut(phrase), place as Place] as const),
      ),
    ),
    flag: lists.flag_pattern,
    yes: lists.yes_pattern,
    no: pattern('^', SIGNS, oneOf(lists.no_values, lists.wanted_no_values), `(?:${SIGNS}$|${ANNOUNCES})`),
    nothing: pattern(`^(?:[-–—._]*|${SIGNS}${oneOf(lists.no_values, lists.nothing_values)}${SIGNS})$`),
    notePattern: lists.notes_pattern,
    doneHeader: lists.done_pattern,
    notDone: pattern('^', SIGNS, oneOf(lists.not_done_values), SIGNS, '$'),
  };
}

export const CLAUSE_END = /[,;:=!?()[\]{}*|~–—\n]+|\.(?![\d\p{L}])|--|\s-\s|(?<=\p{L}{3})\/(?=\p{L}{3})/u;

/** `Cancelled? No` */
export const DENIED = /[?:] ?(?:no?|none|false)(?=[,;.)\n]|$)/gi;

// A month from 2024 on counts as a day.
const DAY = /\b(?:(?:\d{4}-)?\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?|\d{1,2}[/-]20(?:2[4-9]|[3-9]\d))\b/g;

export const STATUS_UNKNOWN = 'row-status-unknown';

/** `Submitted 11/2` → `Submitted` */
export function statusWord(text: string) {
  return trimmed(text.replace(DAY, ''));
}

/** A day becomes the word `§`. */
export function wordsOf(text: string) {
  return (
    text
      .toLowerCase()
      .replace(/['’]/g, '')
      .replace(DAY, '§')
      .replace(/\b(?:4|four)[\s-]?(?:pt|point)\b/g, '4pt')
      .match(/§|[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The longest phrase that begins there; an unknown word alone has no kind. */
function phraseAt(texts: readonly string[], at: number, { kinds, longest, numbers }: Lexicon) {
  for (let length = longest.get(texts[at] ?? '') ?? 0; length > 0; length -= 1) {
    const kind = kinds.get(texts.slice(at, at + length).join(' '));
    if (kind !== undefined) return { length, kind };
  }
  return { length: 1, kind: numbers?.test(texts[at] ?? '') === true ? ('fillers' as const) : undefined };
}

/** `isLed`: unknown words are before its strongest stop. `isWhole`: none are, nor behind it, up to a day or a word after which anything may follow. */
export function readClause(texts: readonly string[], lexicon: Lexicon) {
  let stop: (typeof STOPS)[number] | undefined;
  let [isLed, isWhole, isContinued, isDay, isTakenBack, hasUnknown] = [false, true, false, false, false, false];
  for (let at = 0, length; at < texts.length; at += length) {
    let kind;
    ({ length, kind } = phraseAt(texts, at, lexicon));
    const rank = STOPS.findIndex((one) => one === kind);
    if (kind === 'taken_back') isTakenBack = true;
    else if (stop !== undefined && (kind === 'follows' || (kind === undefined && texts[at] === '§'))) {
      isDay ||= kind === undefined && !isContinued;
      isContinued = true;
      if (/^(?:un)?till?$/.test(texts[at] ?? '')) break;
    } else if (kind === undefined) {
      hasUnknown = true;
      isWhole &&= isContinued;
    } else if (rank !== -1 && !isContinued && (stop === undefined || rank < STOPS.indexOf(stop))) {
      stop = STOPS[rank];
      isLed = hasUnknown;
    }
  }
  const saysEarlier = stop !== undefined && texts.some((word) => statusPatterns().earlier.has(word));
  return { stop, isLed, isWhole, isContinued, isDay, isTakenBack, hasUnknown, saysEarlier };
}

let patterns: ReturnType<typeof patternsOf> | undefined;

export function statusPatterns() {
  return (patterns ??= patternsOf());
}
