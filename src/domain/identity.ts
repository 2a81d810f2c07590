import { hash } from 'node:crypto';
import { z } from 'zod';
import { templateData } from '../contract/template-data.ts';
import type { OrderPayload } from './row.ts';

type AddressField = 'streetAddress' | 'city' | 'state' | 'zipcode';

type IdentityFields = Pick<
  OrderPayload,
  | AddressField
  | 'inspectionNumber'
  | 'policyNumber'
  | 'policyEffectiveDate'
  | 'policyType'
  | 'serviceName'
  | 'insuredName'
>;

function normalized(text: string) {
  if (/^[ -~]*$/.test(text))
    return text
      .toLowerCase()
      .replaceAll(/[^a-z\d]+/g, ' ')
      .trim();
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{S}\s]+/gu, ' ')
    .trim();
}

/** The number that the service's duplicate rules go by; `address` if the order has no number. */
export function identityKind(fields: IdentityFields) {
  if (fields.inspectionNumber) return 'inspection';
  if (fields.policyNumber) return 'policy';
  return 'address';
}

export function addressKey(fields: Pick<IdentityFields, AddressField>) {
  return [
    normalized(fields.streetAddress),
    normalized(fields.city),
    normalized(fields.state),
    fields.zipcode.slice(0, 5),
  ].join('|');
}

/**
 * By the service's duplicate rules: the inspection number, or policy number and effective date, or the normalized
 * address, service and insured name.
 */
export function identityOf(fields: IdentityFields) {
  switch (identityKind(fields)) {
    case 'inspection':
      return `inspection:${fields.inspectionNumber ?? ''}`;
    case 'policy':
      return `policy:${policyKey(fields) ?? ''}`;
    case 'address':
      return `address:${addressKey(fields)}|${normalized(fields.serviceName)}|${normalized(fields.insuredName)}`;
  }
}

export function numbersIn(identity: string): readonly [inspection: string, policy: string, date: string] {
  if (identity.startsWith('inspection:')) return [identity.slice('inspection:'.length), '', ''];
  if (!identity.startsWith('policy:')) return ['', '', ''];
  const [number, date] = JSON.parse(identity.slice('policy:'.length)) as [string, string];
  return ['', number, date];
}

/**
 * The key of a second order with the same identity, from its content: the same row dropped again makes no third one.
 */
export function keyOfRepeat(identity: string, payload: object) {
  return `${identity}#${payloadHash(payload).slice(0, REPEAT_DIGITS)}`;
}

export function keyOfRenewal(identity: string, date: string) {
  return keyOfRepeat(identity, { renewal: date });
}

const REPEAT_DIGITS = 16;
const REPEAT = new RegExp(`#[0-9a-f]{${REPEAT_DIGITS}}(?:#\\d+)?$`);

export function baseIdentity(key: string) {
  return key.includes('#') ? key.replace(REPEAT, '') : key;
}

/** What the service's second duplicate rule compares; null without a policy number. */
export function policyKey(fields: Pick<IdentityFields, 'policyNumber' | 'policyEffectiveDate'>) {
  return fields.policyNumber ? JSON.stringify([fields.policyNumber, fields.policyEffectiveDate ?? '']) : null;
}

export function isCommercial(fields: Pick<IdentityFields, 'policyType'>) {
  return fields.policyType === 'Commercial Property Insurance';
}

/** Marks an order that has no number, so that its project can be found. The same content gives the same reference. */
export function contentReference(payload: object) {
  return `IB-${payloadHash(payload).slice(0, 12).toUpperCase()}`;
}

export function payloadHash(payload: object) {
  return hash('sha256', JSON.stringify(sorted(payload)));
}

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sorted);
  const inOrder: Record<string, unknown> = {};
  for (const key of Object.keys(value).toSorted())
    inOrder[key] = sorted((value as Readonly<Record<string, unknown>>)[key]);
  return inOrder;
}

export type HouseAddress = { readonly [Field in AddressField]?: string | null | undefined };

export function propertyOf({ streetAddress, city, state }: HouseAddress) {
  return [streetAddress, [city, state].filter(Boolean).join(' ')].filter(Boolean).join(', ');
}

/** `unclear`: the addresses agree, but one says less (no unit, no "Street"). */
export type HouseLikeness = 'same' | 'unclear' | 'other';

const spellings = z.record(z.string(), z.array(z.string()));
const streetWords = templateData(
  'vocabulary/street-words',
  z.strictObject({
    suffix: spellings,
    direction: spellings,
    name: spellings,
    units: z.array(z.string()),
    roads: z.record(z.string(), z.string()),
  }),
);

const { units, roads, ...WORDS } = streetWords();
const POSTAL = new Map(
  Object.values(WORDS).flatMap((words) =>
    Object.entries(words).flatMap(([word, others]) => others.map((other) => [other, word] as const)),
  ),
);
const PARTS = new Map([
  ...Object.keys(WORDS.suffix).map((word) => [word, 'suffix'] as const),
  ...Object.keys(WORDS.direction).map((word) => [word, 'direction'] as const),
]);
const ROADS = Object.entries(roads).map(
  ([short, words]) => [new RegExp(`\\b(?:${words})(?= \\d)`, 'g'), short] as const,
);

/** `Peña` is `pena`, `L.L.C.` is `llc`, and `&` is `and`. */
function wordsIn(text: string) {
  const plain = text
    // The fraction of 217½ is a word, as in 217 1/2.
    .replaceAll(/(?=\p{No})/gu, ' ')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/^\s*#/, '')
    .replaceAll('#', ' unit ')
    .replaceAll('&', ' and ')
    .replaceAll(/['’.\p{M}]/gu, '');
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Each in one spelling: `Street` is `st`. */
export function addressWords(text: string) {
  return wordsIn(text).map((word) => POSTAL.get(word) ?? word);
}

/** A row is asked for its key several times. */
const SUBJECT_KEYS = new WeakMap<object, string>();

export function subjectKey(fields: Pick<IdentityFields, AddressField | 'serviceName' | 'insuredName'>) {
  const known = SUBJECT_KEYS.get(fields);
  if (known !== undefined) return known;
  const parts = [
    houseKey(fields),
    normalized(fields.serviceName),
    // `Lee, Ann` is `Ann Lee`.
    wordsIn(fields.insuredName).toSorted().join(' '),
  ];
  const key = hash('sha256', parts.join('|'));
  SUBJECT_KEYS.set(fields, key);
  return key;
}

/** `State Road 9` is `sr 9`, `4-B` is `4b`, and `2nd Floor` is `fl 2`. */
function wordsOfStreet(street: string) {
  const words = addressWords(street.replaceAll(/(?<=\d)-(?=[a-z](?![a-z\d]))/gi, '')).join(' ');
  return ROADS.reduce((text, [road, short]) => text.replaceAll(road, () => short), words)
    .replaceAll(/\b(\d+)(?:st|nd|rd|th) fl\b/g, (_, floor: string) => `fl ${floor}`)
    .split(' ');
}

function partsOf({ streetAddress, state, zipcode }: HouseAddress) {
  const parts = { number: '', name: '', suffix: '', direction: '', unit: '' };
  /** `1-11` is not `11-1`. */
  const append = (part: keyof typeof parts, word: string) => {
    parts[part] += /\d$/.test(parts[part]) && /^\d/.test(word) ? ` ${word}` : word;
  };
  let isUnit = false;
  for (const word of wordsOfStreet(streetAddress ?? '')) {
    const part = PARTS.get(word) ?? 'name';
    if (units.includes(word)) {
      isUnit = true;
      // A building or floor has units.
      if (/^(?:bldg|fl)$/.test(word)) append('unit', ` ${word}`);
      else if (parts.unit !== '') append('unit', ' ');
    } else if (isUnit) {
      append('unit', word);
      isUnit = false;
    } else if (parts.number === '' && /\d/.test(word)) parts.number = word;
    else if (parts.suffix !== '' && part === 'name' && /^(?:\d+[a-z]?|[a-z]\d*)$/.test(word)) append('unit', word);
    else append(part, word);
  }
  const zip = (zipcode ?? '').trim();
  return {
    ...parts,
    // Without the city: its spelling varies.
    area: `${(state ?? '').trim().toLowerCase()} ${zip === '' ? '' : zip.padStart(5, '0').slice(0, 5)}`,
  };
}

export function houseKey(address: HouseAddress) {
  const { area, number, name, suffix, direction, unit } = partsOf(address);
  return [area, number, name, suffix, direction, unit].join('|');
}

export function houseLikeness(one: HouseAddress, other: HouseAddress): HouseLikeness {
  const [a, b] = [partsOf(one), partsOf(other)];
  if (a.area !== b.area || a.number !== b.number || a.name !== b.name) return 'other';
  const loose = (['suffix', 'direction', 'unit'] as const).filter((part) => a[part] !== b[part]);
  if (loose.length === 0) return a.number + a.name === '' ? 'unclear' : 'same';
  return loose.every((part) => a[part] === '' || b[part] === '') ? 'unclear' : 'other';
}

export function isSameHouse(one: HouseAddress, other: HouseAddress) {
  return houseLikeness(one, other) === 'same';
}

/** In any spelling. Separators may be added or dropped, but not moved: `1-11` is not `11-1`. */
export function isSameNumber(one: string, other: string) {
  const [mine, theirs] = [separatedNumber(one), separatedNumber(other)];
  if (mine.bare !== theirs.bare) return false;
  return mine.separators.isSubsetOf(theirs.separators) || theirs.separators.isSubsetOf(mine.separators);
}

function separatedNumber(number: string) {
  const parts = comparableNumber(number).split('-');
  return { bare: parts.join(''), separators: new Set(parts.map((_part, at) => parts.slice(0, at).join('').length)) };
}

const NUMBER_LABEL =
  /^(?:(?:policy|inspection)(?:\s*(?:no|num(?:ber)?)\b)?|(?:pol|insp)(?:\s*no\b|(?=\s*[.:#]))|no(?=\.)|number)[\s.:#]+(?=[^\s.:#]\S*\d)/i;

/** `Policy #: HO-7014` is `HO-7014`. */
export function withoutNumberLabel(number: string) {
  return number.replace(NUMBER_LABEL, '');
}

/** Without a label, letter case, kinds of punctuation, and the leading zeros that programs remove, also after letters. */
export function comparableNumber(number: string) {
  return withoutNumberLabel(number)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^[-0]+(?=.)/, '')
    .replace(/^(\p{L}+-?)0+(?=\d)/u, (_, letters: string) => letters)
    .replace(/-$/, '');
}
