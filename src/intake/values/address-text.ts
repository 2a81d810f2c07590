import { z } from 'zod';
import { cellText, type Cell } from '../../domain/cells.ts';
import { addressWords } from '../../domain/identity.ts';
import { pattern, vocabulary } from '../vocabulary.ts';
import { stateCode, statesOfZip } from './place.ts';
import { trimmed } from './plain-text.ts';

/** Holds only parts that are certain. The state is two letters. */
export type CityStateZip = Readonly<{ city?: string; state?: string; zipcode?: string }>;

type PlaceAtEnd = CityStateZip &
  Readonly<{
    before: string;
    /** The ZIP code is in another state. */
    doubtful?: true;
  }>;

const LENGTH_MAX = 300;
const ZIP = /^\d{5}(?:-?\d{4})?$/;
const CITY = /^\p{L}[\p{L} .'\u2019-]*$/u;
export const addressPatterns = vocabulary(
  'addresses',
  z
    .strictObject({
      severalHouses: z.array(z.string()),
      countedHouses: z.array(z.string()),
      papers: z.array(z.string()),
      units: z.array(z.string()),
      streetTypes: z.array(z.string()),
      country: pattern,
      unitAtStart: pattern,
      nothing: pattern,
      same: pattern,
      sameWords: pattern,
      mail: pattern,
      locationNumber: pattern,
      noLocationNumber: pattern,
      designators: z.array(z.string()),
      designated: pattern,
      ofHeaders: z.record(z.string(), pattern),
      postBox: pattern,
      postBoxWithin: pattern,
      noStreet: pattern,
      houseNumber: pattern,
      labels: pattern,
    })
    .transform(({ severalHouses, countedHouses, papers, ...words }) => ({
      ...words,
      noHouse: new RegExp(
        `^(?:(?:${severalHouses.join('|')})\\b|(?:\\d+|all|both|two|three|four|five) (?:${countedHouses.join('|')})(?:$|[^\\p{L}\\d]*(?:\\b(?:see|per|on|in|listed|attached|throughout)\\b|$))|(?:attached )?(?:${papers.join('|')})(?: (?:is )?(?:attached|enclosed|below|on file|to follow))?$)`,
        'iu',
      ),
      unit: new RegExp(
        `(?:\\b(${words.designators.join('|')})\\b\\.?[ #.:]*|#\\s*)((?=[a-z-]*\\d)[a-z\\d]+(?:-[a-z\\d]+)*|[a-z]\\b(?!'))`,
        'gi',
      ),
    })),
);

/** With line breaks as commas, and without the labels of a form's address. */
export function addressText(cell: Cell | undefined) {
  const text = trimmed(cellText(cell))
    .replace(/[\r\n]+/g, ', ')
    .replace(/[ \t]+/g, ' ');
  return trimmed(withoutLabels(text).replace(/ ?,[ ,]*/g, ', '));
}

const LABELS_MIN = 3;

function withoutLabels(text: string) {
  const [before = '', ...parts] = text.includes(':') ? text.split(addressPatterns().labels) : [text];
  return parts.length < LABELS_MIN || before !== '' ? text : parts.filter((part) => trimmed(part) !== '').join(', ');
}

/** A lower-case or spelled-out state counts only after a comma or before its ZIP code. */
function placeAtEnd(whole: string): PlaceAtEnd | undefined {
  const text = whole
    .replace(addressPatterns().country, '')
    .replace(/\b([A-Z]{2})-?(\d{5}(?:-\d{4})?)$/, (_, state: string, zip: string) => `${state} ${zip}`);
  const { words, last } = lastWord(text);
  const isZip = ZIP.test(last) || /^\d{4}$/.test(last);
  const rest = isZip ? words : text;
  for (const count of [3, 2, 1]) {
    const found = stateAtEnd(rest, count);
    if (found === undefined) continue;
    const { state, before, sure } = found;
    if (!isZip && sure) return { before, state };
    const zipcode = isZip ? zipOf(last, state) : undefined;
    if (zipcode !== undefined) return { before, state, zipcode };
    if (isZip && sure && last.length > 4) return { before, state, zipcode: last, doubtful: true };
  }
  // After a comma, a number alone may be a ZIP code; at a street's end it belongs to the street.
  return ZIP.test(last) && (words === '' || /[,;]$/.test(words))
    ? { before: withoutComma(words), zipcode: zipOf(last, undefined) ?? last }
    : undefined;
}

function lastWord(text: string) {
  const at = Math.max(text.lastIndexOf(' '), text.lastIndexOf(','), text.lastIndexOf(';'));
  return { words: trimmed(text.slice(0, at + 1)), last: text.slice(at + 1) };
}

function stateAtEnd(text: string, count: number) {
  const words = text.replace(/[,;]\s*$/, '').split(' ');
  if (words.length < count) return undefined;
  const name = words.slice(-count).join(' ');
  const before = words.slice(0, -count).join(' ');
  if (/[,;\d]/.test(name)) return undefined;
  const state = stateCode(name);
  if (state === undefined || (count > 1 && name.length === 2)) return undefined;
  const behindComma = before === '' || /[,;]$/.test(before);
  return { state, before: withoutComma(before), sure: /^[A-Z]{2}$/.test(name) || behindComma };
}

export function withoutComma(text: string) {
  return trimmed(text.replace(/(?<![,;\s])[,;\s]+$/, ''));
}

function zipOf(digits: string, state: string | undefined) {
  const whole = digits.length === 4 ? `0${digits}` : digits;
  if (state !== undefined && !statesOfZip(whole).includes(state)) return undefined;
  return whole.length === 9 ? `${whole.slice(0, 5)}-${whole.slice(5)}` : whole;
}

/** `Tampa, FL 33609`, `FL 33609`; undefined if uncertain. */
export function placeIn(text: string): CityStateZip | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  const both = stateTwice(text);
  if (both !== undefined) return { state: both };
  const [, zipFirst, behind = ''] = /^(\d{5}(?:-\d{4})?)[ ,]+(\S.*)$/.exec(text) ?? [];
  const end = placeAtEnd(zipFirst === undefined ? text : `${behind} ${zipFirst}`);
  const [, beforeZip, zipcode] = /^(\D*\p{L}\.?)[ ,]+(\d{5}(?:-\d{4})?)$/u.exec(text) ?? [];
  if (end === undefined && beforeZip !== undefined && zipcode !== undefined && isCity(withoutComma(beforeZip)))
    return { city: withoutComma(beforeZip), zipcode };
  if (end === undefined || end.doubtful === true) return undefined;
  const { before: city, ...place } = end;
  if (city === '') return place;
  return isCity(city) ? { city, ...place } : undefined;
}

export function isCity(text: string) {
  return CITY.test(text) && !addressPatterns().unitAtStart.test(text);
}

/** `Florida (FL)`, `FL - Florida`. */
function stateTwice(text: string) {
  const names = text
    .split(/[()/\u2013-]+/)
    .map(trimmed)
    .filter((name) => name !== '');
  const states = new Set(names.map((name) => (/\d/.test(name) ? undefined : stateCode(name))));
  const [state] = states;
  return names.length > 1 && states.size === 1 ? state : undefined;
}

/** Undefined if the cell holds only a street; `street` is undefined if it is unclear where it ends. */
export function addressIn(text: string) {
  // Without a ZIP code, a spelled-out state may be part of a street or town.
  if (
    text.length > LENGTH_MAX ||
    !(/\d{4}$|(?:usa?|states|america)\.?$/i.test(text) || (/[,;]/.test(text) && /\b[A-Za-z]{2}\.?$/.test(text)))
  )
    return undefined;
  const end = placeAtEnd(text);
  if (end === undefined || (end.state === undefined && !end.before.includes(','))) return undefined;
  const { before: whole, doubtful, ...place } = end;
  const before = whole.replace(/,[^,\d]+ (?:county|parish)$/i, '');
  const comma = Math.max(before.lastIndexOf(','), before.lastIndexOf(';'));
  const [street, city] = [withoutComma(before.slice(0, Math.max(comma, 0))), trimmed(before.slice(comma + 1))];
  if (doubtful !== true && comma > 0 && isCity(city) && isStreet(street)) return { ...place, before, street, city };
  // Without a ZIP code, two letters may belong to the street.
  return place.zipcode === undefined ? undefined : { ...place, before, street: undefined };
}

/** False if it may begin with a name, or end with a city before a county. */
function isStreet(text: string) {
  const [house = '', ...others] = text.split(/[,;]\s*/);
  return /\d/.test(house) && /\p{L}/u.test(house) && !others.some((part) => part.length > 2 && isCity(part));
}

export function endsWithWords(words: readonly string[], end: readonly string[]) {
  return (
    end.length > 0 &&
    end.length <= words.length &&
    end.every((word, index) => words[words.length - end.length + index] === word)
  );
}

const WORDS_LENGTH_MAX = 80;

/** `the first`: same as the row's other address; `the mail`: same as the mailing address. */
export function referredAddress(text: string) {
  if (text.length > WORDS_LENGTH_MAX) return undefined;
  const plain = trimmed(text.toLowerCase().replace(/[^\p{L}/]+/gu, ' '));
  if (plain === '' && !/\d/.test(text)) return 'nothing';
  const { nothing, same, sameWords, mail } = addressPatterns();
  if (nothing.test(plain)) return 'nothing';
  if (!same.test(plain) || !sameWords.test(plain)) return undefined;
  return mail.test(plain) ? 'the mail' : 'the first';
}

/** A location in a schedule: `1`, `Loc 2`, `Prem 1 Bldg 2`, `3 of 4`. */
export function isLocationNumber(text: string) {
  const { locationNumber, noLocationNumber } = addressPatterns();
  return text.length <= WORDS_LENGTH_MAX && locationNumber.test(text) && !noLocationNumber.test(text);
}

export function isWholeStreet(text: string) {
  return (
    /^\d+(?:-\d+)?[a-z]?\s/i.test(text) &&
    addressWords(text)
      .slice(1)
      .some((word) => addressPatterns().streetTypes.includes(word))
  );
}

export function isHouse(text: string) {
  return isWholeStreet(text) || (/^\d/.test(text) && addressIn(text) !== undefined);
}

const BETWEEN_HOUSES = /[;,&/|+]|\b(?:and|or)\b/i;
const ALSO_KNOWN_AS = /\b(?:[af]ka|[af]\/k\/a)\b/i;
const HOUSE = /^\d[\d-]*[a-z]?\s.*\p{L}/iu;

export function namesTwoHouses(whole: string) {
  const text = whole.slice(0, LENGTH_MAX);
  if (text.split(ALSO_KNOWN_AS).filter((part) => HOUSE.test(part.trim())).length > 1) return 'perhaps';
  if (!BETWEEN_HOUSES.test(text.slice(text.search(/\d|$/)))) return undefined;
  const parts = text.split(BETWEEN_HOUSES).map((part) => part.trim());
  const houses = parts.filter((part) => HOUSE.test(part));
  const rests = houses.map((house) => addressWords(house).slice(1).join(' '));
  const sure = houses.filter(
    (house, at) => isWholeStreet(house) || rests.indexOf(rests[at] ?? '') !== rests.lastIndexOf(rests[at] ?? ''),
  );
  if (new Set(sure.map((house) => addressWords(house).join(' '))).size > 1) return 'sure';
  // `12 & 14 Main St` may be one building.
  const isPair =
    (houses.length > 0 && /^\d+[a-z]?$/i.test(parts[0] ?? '')) || /(?:&|\band)\s*#?(?:\d+[a-z]?|[a-z])$/i.test(text);
  const divided = text.split(/[;&/|]|\b(?:and|or)\b/i).filter((part) => HOUSE.test(part.trim()));
  return houses.length > 0 && (isPair || divided.length > 1) ? 'perhaps' : undefined;
}

/** A text's units by kind: `Apt 4, Bldg 2` gives 4 and 2. A number alone is a unit. */
export function unitsIn(text: string) {
  const bare = /^[a-z]?-?\d+(?:-?[a-z])?$|^[a-z]$/i.test(text) ? `unit ${text}` : text;
  const units = [...bare.matchAll(addressPatterns().unit)].map(([, kind = '', value = '']) => {
    // A building, floor, lot, room, trailer or space.
    const own = /^(?:[bflrt]|sp)/i.exec(kind)?.[0].toLowerCase() ?? 'unit';
    return [own, value.toLowerCase().replace(/^0+(?=.)/, '')] as const;
  });
  return { units: new Map(units), rest: bare.replace(addressPatterns().unit, '').replace(/[\s,;.#-]+/g, '') };
}

export function isUnit(text: string) {
  if (/[1-9]/.test(text)) return !/^\d+ units$/i.test(text);
  const { units, designators } = addressPatterns();
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const own = words.filter((word) => word !== '' && word !== 'house' && !designators.includes(word));
  return own.length > 0 && own.every((word) => /^[a-z]{1,2}$/.test(word) || units.includes(word));
}
