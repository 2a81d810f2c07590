import { hash } from 'node:crypto';

export interface IdentityFields {
  readonly inspectionNumber?: string | undefined;
  readonly policyNumber?: string | undefined;
  readonly policyEffectiveDate?: string | undefined;
  readonly policyType: string;
  readonly serviceName: string;
  readonly insuredName: string;
  readonly streetAddress: string;
  readonly city: string;
  readonly state: string;
  readonly zipcode: string;
}

/** The service's duplicate rule that applies: rule 3 (`inspection`), rule 2 (`policy`), or none. */
export type IdentityKind = 'inspection' | 'policy' | 'address';

function normalised(text: string): string {
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

export function identityKind(fields: IdentityFields): IdentityKind {
  if (fields.inspectionNumber) return 'inspection';
  if (fields.policyNumber) return 'policy';
  return 'address';
}

export function addressKey(fields: Pick<IdentityFields, 'streetAddress' | 'city' | 'state' | 'zipcode'>): string {
  return [
    normalised(fields.streetAddress),
    normalised(fields.city),
    normalised(fields.state),
    fields.zipcode.slice(0, 5),
  ].join('|');
}

/**
 * A row's identity by the service's duplicate rules: its inspection number, or policy number and effective date, or the
 * normalized address, service and insured name.
 */
export function identityOf(fields: IdentityFields): string {
  switch (identityKind(fields)) {
    case 'inspection':
      return `inspection:${fields.inspectionNumber ?? ''}`;
    case 'policy':
      return `policy:${policyKey(fields) ?? ''}`;
    case 'address':
      return `address:${addressKey(fields)}|${normalised(fields.serviceName)}|${normalised(fields.insuredName)}`;
  }
}

export function numbersIn(identity: string): readonly [inspection: string, policy: string, date: string] {
  if (identity.startsWith('inspection:')) return [identity.slice('inspection:'.length), '', ''];
  if (!identity.startsWith('policy:')) return ['', '', ''];
  const [number, date] = JSON.parse(identity.slice('policy:'.length)) as [string, string];
  return ['', number, date];
}

/**
 * The key of another order with the same identity. It depends on the content, so that dropping the same row again does
 * not make a third order.
 */
export function keyOfRepeat(identity: string, payload: object): string {
  return `${identity}#${payloadHash(payload).slice(0, REPEAT_DIGITS)}`;
}

export function keyOfRenewal(identity: string, date: string): string {
  return keyOfRepeat(identity, { renewal: date });
}

const REPEAT_DIGITS = 16;
const REPEAT = new RegExp(`#[0-9a-f]{${REPEAT_DIGITS}}(?:#\\d+)?$`);

export function identityWithoutRepeat(key: string): string {
  return key.replace(REPEAT, '');
}

/** Rule 2 compares it; null without a policy number. */
export function policyKey(fields: Pick<IdentityFields, 'policyNumber' | 'policyEffectiveDate'>): string | null {
  return fields.policyNumber ? JSON.stringify([fields.policyNumber, fields.policyEffectiveDate ?? '']) : null;
}

export function isCommercial(fields: Pick<IdentityFields, 'policyType'>): boolean {
  return fields.policyType === 'Commercial Property Insurance';
}

/** For orders without a key for the service; the same content gives the same reference. */
export function contentReference(payload: object): string {
  return `IB-${payloadHash(payload).slice(0, 12).toUpperCase()}`;
}

export function payloadHash(payload: object): string {
  return hash('sha256', canonicalJson(payload));
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sorted);
  const inOrder: Record<string, unknown> = {};
  for (const key of Object.keys(value).toSorted())
    inOrder[key] = sorted((value as Readonly<Record<string, unknown>>)[key]);
  return inOrder;
}

export interface HouseAddress {
  readonly streetAddress?: string | null | undefined;
  readonly city?: string | null | undefined;
  readonly state?: string | null | undefined;
  readonly zipcode?: string | null | undefined;
}

/** `unclear`: the addresses agree, but one says less (no unit, no "Street"). */
export type HouseLikeness = 'same' | 'unclear' | 'other';

/** USPS Publication 28. */
const SUFFIXES: Readonly<Record<string, string>> = {
  st: 'street str strt saint',
  ave: 'avenue av aven',
  rd: 'road',
  dr: 'drive drv',
  ln: 'lane',
  blvd: 'boulevard boul',
  ct: 'court crt',
  cir: 'circle circ',
  pl: 'place',
  ter: 'terrace terr',
  pkwy: 'parkway pkway pky',
  hwy: 'highway hiway',
  trl: 'trail',
  sq: 'square',
  plz: 'plaza',
  loop: 'loops',
  way: 'wy',
  xing: 'crossing',
  cv: 'cove',
  pt: 'point',
  rte: 'route rt',
  expy: 'expressway',
  tpke: 'turnpike',
  aly: 'alley',
  run: '',
  row: '',
  path: '',
  walk: '',
  pass: '',
  pike: '',
};
const DIRECTIONS: Readonly<Record<string, string>> = {
  n: 'north',
  s: 'south',
  e: 'east',
  w: 'west',
  ne: 'northeast',
  nw: 'northwest',
  se: 'southeast',
  sw: 'southwest',
};
const ORDINALS: Readonly<Record<string, string>> = {
  '1st': 'first',
  '2nd': 'second',
  '3rd': 'third',
  '4th': 'fourth',
  '5th': 'fifth',
  '6th': 'sixth',
  '7th': 'seventh',
  '8th': 'eighth',
  '9th': 'ninth',
  '10th': 'tenth',
  mt: 'mount',
  ft: 'fort',
};
const UNITS: ReadonlySet<string> = new Set([
  'unit',
  'apt',
  'apartment',
  'suite',
  'ste',
  'room',
  'rm',
  'condo',
  'bldg',
  'building',
  'fl',
  'floor',
  'lot',
  'spc',
  'space',
  'trlr',
]);

type Part = 'name' | 'suffix' | 'direction';

const wordsOf = (
  part: Part,
  words: Readonly<Record<string, string>>,
): readonly (readonly [string, { readonly part: Part; readonly word: string }])[] =>
  Object.entries(words).flatMap(([word, others]) =>
    [word, ...others.split(' ')].map((one) => [one, { part, word }] as const),
  );
const WORDS = new Map([
  ...wordsOf('suffix', SUFFIXES),
  ...wordsOf('direction', DIRECTIONS),
  ...wordsOf('name', ORDINALS),
]);

/** More words that the USPS shortens. They may be a street's name, so they are not read as one of its parts. */
const SHORTENED: Readonly<Record<string, string>> = {
  unit: 'apt apartment ste suite',
  bldg: 'building',
  fl: 'floor',
  rm: 'room',
  spc: 'space',
  trlr: 'trailer',
  bnd: 'bend',
  crk: 'creek',
  crst: 'crest',
  est: 'estate',
  ests: 'estates',
  frst: 'forest',
  gdns: 'gardens',
  grv: 'grove',
  hl: 'hill',
  hls: 'hills',
  holw: 'hollow',
  hts: 'heights',
  is: 'island',
  lk: 'lake',
  lndg: 'landing',
  mdw: 'meadow',
  mdws: 'meadows',
  mnr: 'manor',
  rdg: 'ridge',
  spgs: 'springs',
  vis: 'vista',
  vlg: 'village',
  vly: 'valley',
  vw: 'view',
};
const POSTAL = new Map([
  ...[...WORDS].map(([given, { word }]) => [given, word] as const),
  ...wordsOf('name', SHORTENED).map(([given, { word }]) => [given, word] as const),
]);

function wordsIn(street: string): readonly string[] {
  const plain = street.normalize('NFKC').toLowerCase().replaceAll('#', ' unit ').replaceAll(/['’.]/g, '');
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function inPostalWords(text: string): string {
  const words = wordsIn(text).map((word) => POSTAL.get(word) ?? word);
  return words.filter((word, index) => word !== 'unit' || words[index - 1] !== 'unit').join(' ');
}

export function subjectKey(
  fields: Pick<IdentityFields, 'streetAddress' | 'city' | 'state' | 'zipcode' | 'serviceName' | 'insuredName'>,
): string {
  const { streetAddress, city, state, zipcode, serviceName, insuredName } = fields;
  const parts = [
    inPostalWords(streetAddress),
    inPostalWords(city),
    normalised(state),
    zipcode.slice(0, 5),
    normalised(serviceName),
    normalised(insuredName),
  ];
  return hash('sha256', parts.join('|'));
}

interface HouseParts {
  /** Without the city: its spelling varies. */
  readonly area: string;
  readonly number: string;
  readonly name: string;
  readonly suffix: string;
  readonly direction: string;
  readonly unit: string;
}

function partsOf({ streetAddress, state, zipcode }: HouseAddress): HouseParts {
  const parts = { number: '', name: '', suffix: '', direction: '', unit: '' };
  let isUnit = false;
  for (const given of wordsIn(streetAddress ?? '')) {
    const { part, word } = WORDS.get(given) ?? { part: 'name', word: given };
    if (UNITS.has(word)) isUnit = true;
    else if (isUnit) {
      parts.unit += word;
      isUnit = false;
    } else if (parts.number === '' && /\d/.test(word)) parts.number = word;
    else if (parts.suffix !== '' && /^(?:\d+[a-z]?|[a-z]\d*)$/.test(word) && part === 'name') parts.unit += word;
    else parts[part] += word;
  }
  const zip = (zipcode ?? '').trim();
  return {
    ...parts,
    area: `${(state ?? '').trim().toLowerCase()} ${zip === '' ? '' : zip.padStart(5, '0').slice(0, 5)}`,
  };
}

export function houseKey(address: HouseAddress): string {
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

export function isSameHouse(one: HouseAddress, other: HouseAddress): boolean {
  return houseLikeness(one, other) === 'same';
}
