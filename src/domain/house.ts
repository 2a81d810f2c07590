/** Where a house stands, as far as it is known: a row's, or what the service says of a project. */
export interface HouseAddress {
  readonly streetAddress?: string | null | undefined;
  readonly city?: string | null | undefined;
  readonly state?: string | null | undefined;
  readonly zipcode?: string | null | undefined;
}

/** `unclear`: one says less than the other (no unit, no "Street"), and what both say agrees. */
export type HouseLikeness = 'same' | 'unclear' | 'other';

/** What people and services write for one word of a street (USPS Publication 28, the usual ones), by the word it is compared as. */
const SUFFIXES: Readonly<Record<string, string>> = {
  st: 'street str strt saint', ave: 'avenue av aven', rd: 'road', dr: 'drive drv', ln: 'lane', blvd: 'boulevard boul', ct: 'court crt', cir: 'circle circ', pl: 'place',
  ter: 'terrace terr', pkwy: 'parkway pkway pky', hwy: 'highway hiway', trl: 'trail', sq: 'square', plz: 'plaza', loop: 'loops', way: 'wy', xing: 'crossing',
  cv: 'cove', pt: 'point', rte: 'route rt', expy: 'expressway', tpke: 'turnpike', aly: 'alley', run: '', row: '', path: '', walk: '', pass: '', pike: '',
};
const DIRECTIONS: Readonly<Record<string, string>> = { n: 'north', s: 'south', e: 'east', w: 'west', ne: 'northeast', nw: 'northwest', se: 'southeast', sw: 'southwest' };
const ORDINALS: Readonly<Record<string, string>> = { '1st': 'first', '2nd': 'second', '3rd': 'third', '4th': 'fourth', '5th': 'fifth', '6th': 'sixth', '7th': 'seventh', '8th': 'eighth', '9th': 'ninth', '10th': 'tenth', mt: 'mount', ft: 'fort' };
const UNITS: ReadonlySet<string> = new Set(['unit', 'apt', 'apartment', 'suite', 'ste', 'room', 'rm', 'condo', 'bldg', 'building', 'fl', 'floor', 'lot', 'spc', 'space', 'trlr']);

type Part = 'name' | 'suffix' | 'direction';

const wordsOf = (part: Part, words: Readonly<Record<string, string>>): readonly (readonly [string, { readonly part: Part; readonly word: string }])[] =>
  Object.entries(words).flatMap(([word, others]) => [word, ...others.split(' ')].map((one) => [one, { part, word }] as const));
const WORDS = new Map([...wordsOf('suffix', SUFFIXES), ...wordsOf('direction', DIRECTIONS), ...wordsOf('name', ORDINALS)]);

/** A street address in its parts, each without spaces; empty where it has none. */
interface HouseParts {
  /** State and the five digits of the ZIP code: a city is written in many ways. */
  readonly area: string;
  readonly number: string;
  readonly name: string;
  readonly suffix: string;
  readonly direction: string;
  readonly unit: string;
}

function partsOf({ streetAddress, state, zipcode }: HouseAddress): HouseParts {
  const words = (streetAddress ?? '').normalize('NFKC').toLowerCase().replaceAll('#', ' unit ').replaceAll(/['’.]/g, '').match(/[\p{L}\p{N}]+/gu) ?? [];
  const parts = { number: '', name: '', suffix: '', direction: '', unit: '' };
  let isUnit = false;
  for (const given of words) {
    const { part, word } = WORDS.get(given) ?? { part: 'name', word: given };
    if (UNITS.has(word)) isUnit = true;
    else if (isUnit) {
      parts.unit += word;
      isUnit = false;
    } else if (parts.number === '' && /\d/.test(word)) parts.number = word;
    // Behind "Street" stands what its unit is, also without the word for it.
    else if (parts.suffix !== '' && /^(?:\d+[a-z]?|[a-z]\d*)$/.test(word) && part === 'name') parts.unit += word;
    else parts[part] += word;
  }
  const zip = (zipcode ?? '').trim();
  return { ...parts, area: `${(state ?? '').trim().toLowerCase()} ${zip === '' ? '' : zip.padStart(5, '0').slice(0, 5)}` };
}

/** One house as one line, however its street is written; two addresses are the same house where their keys are equal. */
export function houseKey(address: HouseAddress): string {
  const { area, number, name, suffix, direction, unit } = partsOf(address);
  return [area, number, name, suffix, direction, unit].join('|');
}

/** Whether two addresses are one house: the same number, street and unit in the same ZIP code, however they are written. */
export function houseLikeness(one: HouseAddress, other: HouseAddress): HouseLikeness {
  const [a, b] = [partsOf(one), partsOf(other)];
  if (a.area !== b.area || a.number !== b.number || a.name !== b.name) return 'other';
  const loose = (['suffix', 'direction', 'unit'] as const).filter((part) => a[part] !== b[part]);
  if (loose.length === 0) return a.number + a.name === '' ? 'unclear' : 'same';
  return loose.every((part) => a[part] === '' || b[part] === '') ? 'unclear' : 'other';
}

/** Whether a project or an order stands at the house of a row beyond doubt. */
export function isSameHouse(one: HouseAddress, other: HouseAddress): boolean {
  return houseLikeness(one, other) === 'same';
}
