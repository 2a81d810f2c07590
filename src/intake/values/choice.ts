import { inWords, quoted } from '../../domain/cells.ts';
import { nearestOf } from '../../domain/text.ts';
import { type Coercion, sentText, suggestion, value, wrong } from './coercion.ts';

/** A listed value without case, spaces and hyphens; no other difference is forgiven. */
function listKey(text: string): string {
  return text.toLowerCase().replace(/[\s\u2010-\u2015-]+/g, '');
}

function listed(text: string, values: readonly string[]): string | undefined {
  return values.find((allowed) => allowed === text) ?? values.find((allowed) => listKey(allowed) === listKey(text));
}

export type SenderWords = ReadonlyMap<string, string>;

export function senderWords(configured: Readonly<Record<string, string>>): SenderWords {
  return new Map(Object.entries(configured).map(([word, meant]) => [listKey(word), meant]));
}

/** The sender's word for one of these values. */
function meantBy(text: string, values: readonly string[], words: SenderWords | undefined): string | undefined {
  const meant = words?.get(listKey(text));
  return meant !== undefined && values.includes(meant) ? meant : undefined;
}

/** Reads a listed value, regardless of case, spaces and hyphens, or a sender's word. */
export function coerceChoice(text: string, values: readonly string[], words?: SenderWords): Coercion {
  const meant = meantBy(text, values, words);
  if (meant !== undefined && meant !== text)
    return value(meant, `${quoted(text)} stands for ${quoted(meant)}, as intake.values of the config says`);
  const found = listed(text, values);
  if (found !== undefined) return value(found, found === text ? undefined : 'written as in the list of allowed values');
  const several = listedInside(text, values);
  if (several.length > 1)
    return wrong(
      'value-not-listed',
      `${quoted(text)} names ${inWords(several.map((one) => quoted(one)))}, but an order takes one. Write one of them, and a row of its own for each other.`,
    );
  return wrong(
    'value-not-listed',
    `${quoted(text)} is not in the list.${suggestion(likelyValue(text, values))} Allowed: ${values.join(', ')}.`,
  );
}

/** The values between strokes, commas, plus signs or "and": `4-Point / Roof Only`. */
function listedInside(text: string, values: readonly string[]): readonly string[] {
  const items = text
    .split(/[,;|/&+\n]|\band\b/i)
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const named = items.map((item) => listed(item, values) ?? likelyValue(item, values));
  return items.length > 1 && !named.includes(undefined) ? [...new Set(named.filter((one) => one !== undefined))] : [];
}

/**
 * Reads several listed values, separated by commas, semicolons, bars, slashes, ampersands, plus signs, line breaks or
 * "and".
 */
export function coerceList(text: string, values: readonly string[], words?: SenderWords): Coercion {
  const items = text
    .split(/[,;|/&+\n\r]+|(?<![^\S\n\r])\s+and\s+/i)
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const whole = meantBy(text, values, words);
  if (whole !== undefined && whole !== text)
    return value([whole], `${quoted(text)} stands for ${quoted(whole)}, as intake.values of the config says`);
  const found: string[] = [];
  const byWord = items.filter((item) => (meantBy(item, values, words) ?? item) !== item);
  for (const item of items) {
    const one = meantBy(item, values, words) ?? listed(item, values);
    if (one === undefined) {
      return wrong(
        'value-not-listed',
        `${quoted(item)} is not in the list.${suggestion(likelyValue(item, values))} Allowed, separated by commas: ${values.join(', ')}.`,
      );
    }
    if (!found.includes(one)) found.push(one);
  }
  if (found.length === 0) return { kind: 'empty', why: 'it holds separators only' };
  return value(
    found,
    sentText(found) === text
      ? undefined
      : byWord.length === 0
        ? 'read as a list and written as in the list of allowed values'
        : `${inWords(byWord.map((item) => quoted(item)))} read as intake.values of the config says`,
  );
}

const YES_AND_NO: ReadonlyMap<string, boolean> = new Map(
  Object.entries({
    yes: true,
    y: true,
    true: true,
    t: true,
    1: true,
    x: true,
    '\u2713': true,
    '\u2714': true,
    '\u221a': true,
    '\u2611': true,
    '\u2705': true,
    '[x]': true,
    no: false,
    n: false,
    false: false,
    f: false,
    0: false,
    '\u2610': false,
    '[ ]': false,
  }),
);

/** Reads yes or no. `words` are one column's own: New, Renewal. */
export function coerceBoolean(text: string, words: Readonly<Record<string, boolean>> = {}): Coercion {
  // Some programs write 1.0 and 0.0.
  const word = text.toLowerCase().replace(/(?<=^[01])\.0+$|\ufe0f/g, '');
  const plain = YES_AND_NO.get(word);
  if (plain !== undefined)
    return value(plain, /^[a-z]{2,}$/i.test(text) ? undefined : `${quoted(text)} was read as ${plain ? 'Yes' : 'No'}`);
  const own = new Map(Object.entries(words)).get(listKey(text));
  if (own !== undefined) return value(own, `${quoted(text)} was read as ${own ? 'Yes' : 'No'}`);
  return wrong('not-yes-or-no', `${quoted(text)} is neither Yes nor No. Write Yes or No, or leave the cell empty.`);
}

/** Agencies' words for listed values: hints for a person that never decide. */
const USUAL_WORDS: Readonly<Record<string, readonly string[]>> = {
  'Roof Only': ['roof', 'roof inspection', 'roof certification', 'roof cert'],
  Exterior: ['exterior only', 'ext', 'drive by', 'driveby', 'exterior inspection', 'curbside'],
  '4-Point': ['four point', '4pt', '4 pt', 'fourpoint', '4-point inspection', '4p'],
  'Premium 4-Point': ['premium', 'premium four point', 'premium 4pt'],
  'High Value Premium 4-point': [
    'high value',
    'hv',
    'high value home',
    'hvh',
    'high value 4-point',
    'high value 4pt',
    'high value premium',
    'hv premium',
    'hv premium 4-point',
    'hv premium 4pt',
    'hv 4-point',
    'hv 4pt',
    'hvp',
  ],
  Snap360: ['snap', '360', 'snap 360 inspection'],
  'Photo Only Inspection': ['photo', 'photos', 'photo only', 'photos only'],
  'Self Exterior Underwriting': ['self exterior', 'self inspection exterior', 'self-inspection'],
  'Self 4-Point Underwriting': ['self 4-point', '4-point self', 'self four point'],
  'Commercial Property Insurance': [
    'commercial',
    'commercial property',
    'cp',
    'bop',
    'business owners',
    'commercial package',
    'cpp',
  ],
  'Homeowners Insurance': [
    'homeowner',
    'home',
    'ho',
    'ho3',
    'ho-3',
    'ho5',
    'ho6',
    'ho8',
    'home owners',
    'personal home',
    'dwelling',
    'dwelling fire',
    'dp1',
    'dp2',
    'dp3',
    'condo owners',
  ],
  'Farm & Ranch Insurance': ['farm', 'ranch', 'farm and ranch', 'farm ranch', 'farmowners', 'farm owners'],
  Habitational: ['apartment', 'apartments', 'apartment building', 'hoa', 'condo association'],
  Restaurant: ['bar', 'diner', 'cafe', 'tavern'],
  Garage: ['auto repair', 'auto service', 'body shop'],
  'Gas Station': ['fuel station', 'convenience store with gas', 'service station'],
  'General Commercial': ['office', 'retail', 'warehouse', 'store', 'commercial building', 'lro'],
  'Residential Single Family': [
    'single family',
    'sfr',
    'sfh',
    'sfd',
    'sf',
    'single family home',
    'single family dwelling',
    'single family detached',
    'house',
    '1 family',
    'one family',
  ],
  'Residential Condo': ['condo', 'condominium', 'condo unit'],
  'Residential Townhouse': ['townhouse', 'townhome', 'town home', 'row house', 'rowhome', 'row home'],
  'Residential Multi Family': [
    'duplex',
    'triplex',
    'fourplex',
    'quadplex',
    'multi family',
    'mf',
    'mfr',
    '2 family',
    'two family',
    '3 family',
    '4 family',
  ],
  'Mobile Home': ['mobile', 'manufactured', 'manufactured home', 'mh', 'trailer', 'modular'],
  'RC Report': ['rc', 'rce', 'rct', 'replacement cost', 'replacement cost report', 'replacement cost estimate', 'itv'],
  Wildfire: ['brush', 'brushfire', 'fire', 'wildfire report'],
  Sinkhole: ['sink hole report', 'sinkhole report'],
};

function bare(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

const BY_WORD: ReadonlyMap<string, string> = new Map(
  Object.entries(USUAL_WORDS).flatMap(([allowed, words]) => words.map((word) => [bare(word), allowed] as const)),
);

/** The value that was probably meant. */
function likelyValue(text: string, values: readonly string[]): string | undefined {
  const usual = BY_WORD.get(bare(text));
  return usual !== undefined && values.includes(usual) ? usual : nearestOf(text, values);
}
