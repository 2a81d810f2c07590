import { SERVICE_NAMES, SUPPLEMENTAL_SERVICES } from '../../contract/document.ts';
import { type Cell, cellText, isBlank } from '../../domain/cells.ts';
import type { SheetRow } from '../../domain/row.ts';
import { type FieldName, fieldNamed, type OrderField } from '../fields.ts';
import { parseRowKey } from '../own-workbooks.ts';
import { sentence } from '../../domain/sentences.ts';
import { coerceBoolean, isChoice, mayMean, meaningOf, saysRenewal } from '../values/choice.ts';
import { addressIn, addressText, placeIn } from '../values/address-text.ts';
import { stateCode } from '../values/place.ts';
import { trimmed } from '../values/plain-text.ts';
import { headerPatterns } from './header-patterns.ts';
import { isKindWord } from './header-words.ts';
import { headerWords, isNamedAmong, ROW_KEY_HEADER, shortMeaning, spellOut } from './known-headers.ts';
import { CHOICES, looksLike, STREET } from './looks-like.ts';

/** `place`: several of city, state and ZIP code. */
export const ADDRESS_PARTS = [
  'unit',
  'unit type',
  'number',
  'number suffix',
  'direction',
  'direction behind',
  'type',
  'place',
  'street',
  'city',
  'state',
  'zipcode',
] as const;
export type AddressPart = (typeof ADDRESS_PARTS)[number];

export const STREET_ORDER: readonly AddressPart[] = [
  'number',
  'number suffix',
  'direction',
  'street',
  'type',
  'direction behind',
  'unit type',
  'unit',
];
export const PLAIN_PARTS: readonly AddressPart[] = ['street', 'city', 'state', 'zipcode'];

/** The owner of an address. Inspections are at `property`; `own` is the only address, or the insured's. */
export const ADDRESS_OWNERS = ['property', 'own', 'mail', 'other'] as const;
export type AddressOwner = (typeof ADDRESS_OWNERS)[number];

export type AddressRole = Readonly<{
  part: AddressPart;
  whose: AddressOwner;
  /** The address's number; undefined if there are several candidates. */
  set: number | undefined;
  /** `location`: may be a number, name or address, so only a street counts. `loose`: only a plain house counts. */
  weak?: 'location' | 'loose' | undefined;
  /** Another house, as in `Location 2`. */
  isAnother?: true;
}>;

/** `flag`: yes or no, under the name of a service. `contact`: one of several things in a cell. */
export type ColumnPart =
  'first name' | 'middle name' | 'last name' | 'name suffix' | 'one of several' | 'flag' | 'contact';

export type NamedCell = Readonly<{
  index: number;
  header: string;
  field: OrderField | undefined;
  group?: string;
  owner?: 'Insured' | 'Agent';
  address?: AddressRole;
  part?: ColumnPart | undefined;
  /** Why it is not sent although its header is known. */
  why?: string;
  /** A person has named its field. */
  isDecided?: true;
}>;

export type HeaderCell = NamedCell & Readonly<{ short: boolean; isOutside: boolean; table?: number }>;

export type FieldColumn = Readonly<{ index: number; header: string; part?: ColumnPart | undefined }>;

type Below = readonly SheetRow[];

export function fieldNames(cells: readonly NamedCell[]) {
  return new Set(cells.flatMap(({ field }) => field?.name ?? []));
}

const COUNT_DIGITS = /^[1-9]\d{0,6}$/;
/** A column that numbers the rows goes up to this; larger numbers are the sender's own. */
const COUNT_MAX = 999;

/** A form's `InspectionOrder_Id` counts its entries. */
function mayCount({ header, field }: NamedCell) {
  return field?.name === 'inspectionNumber' && !/inspection(?!orderid$)/.test(spellOut(header));
}

/** True for a column of small numbers only (1, 2, 3): they count rows, so another file's 1 is another order. */
function isRunningCount({ index }: NamedCell, below: Below, keyColumn: number | undefined) {
  const filled = below.filter(({ cells }) => !isBlank(cells[index]));
  const isCount = (row: SheetRow) => {
    const text = trimmed(cellText(row.cells[index])).replace(/\.0+$/, '');
    const origin = keyColumn === undefined ? undefined : parseRowKey(trimmed(cellText(row.cells[keyColumn])));
    return COUNT_DIGITS.test(text) && Number(text) <= Math.max(COUNT_MAX, origin?.rowNumber ?? 0);
  };
  return filled.length > 0 && filled.every(isCount);
}

export function holdsPlusFour({ index }: NamedCell, below: Below) {
  const texts = textsBelow(index, below);
  return texts.length > 0 && texts.every((text) => /^-?\d{1,4}$/.test(text));
}

export function columnsCorrectedByValues(cells: readonly NamedCell[], below: Below): readonly NamedCell[] {
  const keyColumn = cells.find(({ header }) => header === ROW_KEY_HEADER)?.index;
  const services = cells.filter((cell) => isFlag(cell, SERVICE_NAMES, below));
  const areMarked =
    services.length > 1 &&
    cells.every((cell) => ![cell.field?.name, shortMeaning(cell.header)].includes('serviceName'));
  return cells.map((cell) => {
    if (cell.isDecided !== true && mayCount(cell) && isRunningCount(cell, below, keyColumn))
      return {
        ...cell,
        field: undefined,
        why: sentence('numbers-the-rows'),
      };
    // `Renewal` over dates is the day of the renewal.
    if (cell.field?.name === 'isRenewal' && cell.isDecided !== true && looksLike('dueDate', cell.index, below) === true)
      return {
        ...cell,
        field: cells.some(({ field }) => field?.name === 'policyEffectiveDate')
          ? undefined
          : fieldNamed('policyEffectiveDate'),
      };
    if (areMarked && services.includes(cell)) return { ...cell, field: fieldNamed('serviceName'), part: 'flag' };
    if (isFlag(cell, SUPPLEMENTAL_SERVICES, below))
      return { ...cell, field: fieldNamed('supplementalServices'), part: 'flag' };
    const isOther = holdsOtherThings(cell, below) || contactsHeld(cell, below).length > 0;
    return cell.isDecided !== true && isOther ? { ...cell, field: undefined } : cell;
  });
}

const CODE = /^\p{Lu}{0,3}\d{2,8}$|^\p{Lu}{2,3}$/u;

/** Codes and initials are no names; an agency or a carrier may be called USI. */
export function holdsCodes({ index, header, field }: NamedCell, below: Below) {
  const texts = textsBelow(index, below);
  const isFirm = field?.name === 'insuredBy' || /agenc/i.test(header);
  return texts.length > 0 && texts.every((text) => CODE.test(text) && !(isFirm && /^\p{L}+$/u.test(text)));
}

export function serviceInHeader(header: string, services: readonly string[]) {
  return meaningOf(header.replace(headerPatterns.words.serviceTails, ''), services)?.value;
}

export const TITLE_LENGTH_MAX = 100;

/** `ROOF INSPECTIONS - HOUSTON`: the one service, or other value, that the titles and the sheet's name speak of. */
export function valueInTitles(titles: readonly string[], name: FieldName = 'serviceName') {
  const { titleWords } = headerPatterns.words;
  const { values = [] } = fieldNamed(name);
  const said = titles.flatMap((title) => {
    if (title.length > TITLE_LENGTH_MAX || saysWithLimits(title)) return [];
    const clauses = title.split(/\s\p{Pd}\s|[:;,\n]/u).map((clause) => clause.replace(titleWords, ' ').trim());
    const meant = clauses.map((clause) =>
      name !== 'state' ? titleMeaning(clause, values) : STATE.test(clause) ? stateCode(clause) : undefined,
    );
    return meant.flatMap((value) => (value === undefined ? [] : { value, title }));
  });
  return new Set(said.map(({ value }) => value)).size === 1 ? said[0] : undefined;
}

/** Also of several: `EXTERIORS`. */
export function titleMeaning(text: string, values: readonly string[]) {
  return (meaningOf(text, values) ?? meaningOf(text.replace(/s$/i, ''), values))?.value;
}

/** `4-Point or roof` */
export function saysWithLimits(title: string) {
  return headerPatterns.words.titleLimits.test(title);
}

/** `Hi` is no state. */
const STATE = /^(?:\p{Lu}{2}|\p{L}[\p{L} .]{2,})$/u;

/** A column of yes and no under one service's name; a score of wildfire risk is not one. */
function isFlag({ index, header, field, why, address }: NamedCell, services: readonly string[], below: Below) {
  if (field !== undefined || why !== undefined || address !== undefined) return false;
  const texts = textsBelow(index, below).filter((text) => !/^\p{Pd}+$/u.test(text));
  return (
    texts.length > 0 &&
    texts.every((text) => coerceBoolean(text, 'allowDuplication').kind === 'value') &&
    serviceInHeader(header, services) !== undefined
  );
}

/** Values of another field than the header names, such as house types under `Dwelling`. */
function holdsOtherThings({ index, header, field }: NamedCell, below: Below) {
  const others = headerPatterns.notHeld[spellOut(header)] ?? headerPatterns.notHeld[field?.name ?? ''];
  return others !== undefined && areMost(index, below, (text) => others.test(text));
}

/** `Inspection` over Yes and No names no service. */
export function valuesGoWith(header: string, could: FieldName, index: number, below: Below) {
  if (isNamedAmong(header)) return looksLike(could, index, below) === true;
  const texts = textsBelow(index, below);
  const values = fieldNamed(could).values;
  const held = headerPatterns.held[spellOut(header)];
  if (held !== undefined) return areMost(index, below, (text) => held.test(text));
  if (values !== undefined)
    return texts
      .flatMap((text) => [text, ...text.split(/[,;]/)])
      .some((text) => mayBeChoice(text, values) || spellOut(header).endsWith('code'));
  if (spellOut(header) !== 'policy') return true;
  return holdsNumbers(index, below, POLICY_NUMBER) && 2 * new Set(texts).size > texts.length;
}

function mayBeChoice(text: string, values: readonly string[]) {
  return isChoice(text, values) || values.some((one) => mayMean(text, one));
}

/** Under an unknown header: `2-family`, `Single`. */
export function mayBeChoices({ values }: OrderField, index: number, below: Below) {
  if (values === undefined) return false;
  const texts = textsBelow(index, below);
  return texts.some((text) => isChoice(text, values)) && texts.every((text) => mayBeChoice(text, values));
}

/**
 * The only field that most values are words for, if the header's own words say no more than "kind", or all are, if it
 * names no other thing.
 */
export function fieldOfValues({ index, header }: NamedCell, below: Below) {
  const texts = textsBelow(index, below);
  if (texts.length === 0) return undefined;
  const said = texts.flatMap((text) => saysRenewal(text) ?? []);
  const isAll = said.length === texts.length;
  const isOther = headerPatterns.words.otherKinds.test(spellOut(header));
  if (isAll || (said.includes('renewal') && 2 * said.length > texts.length && !isOther))
    return said.includes('renewal') || headerPatterns.words.transactions.test(header) ? 'isRenewal' : undefined;
  if (spellOut(header) === 'building' && looksLike('dwellingCoverage', index, below) === true)
    return 'dwellingCoverage';
  const fields = CHOICES.filter(({ values }) => areMost(index, below, (text) => isChoice(text, values)));
  const [field, ...others] = fields;
  const fits =
    headerWords(header).every(isKindWord) ||
    (!headerPatterns.words.otherKinds.test(spellOut(header)) && texts.every((text) => isChoice(text, field?.values)));
  return others.length === 0 && fits ? field?.name : undefined;
}

export function namesAnother(header: string) {
  return headerWords(header).some((word) => headerPatterns.addresses.notInsured.test(word));
}

const POLICY_NUMBER = /^(?=.*\d)(?=.*\p{L}|.*\d{4})(?:\p{Lu}{2,3} (?=\d+-))?[\p{L}\d/.-]+$/u;

const { looks, names } = headerPatterns;
const PARTS = new Map<FieldName, RegExp>([
  ['insuredPhone', looks.phone],
  ['insuredEmail', looks.email],
  ['insuredName', looks.person],
  ['policyEffectiveDate', looks.date],
  ['policyNumber', new RegExp(`^(?!${looks.date.source.slice(1)})(?=.*\\d)`, 'u')],
]);

/** By header, what a cell may say: the first two at least. */
const SEVERAL: readonly (readonly [RegExp, readonly FieldName[]])[] = [
  [names.several, ['insuredPhone', 'insuredEmail', 'insuredName']],
  [names.numberAndDate, ['policyNumber', 'policyEffectiveDate']],
];

/** What a cell such as `Ann Lee / 813-555-0142 / ann@x.com` says for a field; several are kept together. */
function contactIn(text: string, field: FieldName) {
  const parts = text.split(BETWEEN_PARTS).map((part) => part.replace(CONTACT_LABEL, '').trim());
  return parts.filter((part) => PARTS.get(field)?.test(part)).join(' / ');
}

/** What a column takes of its cell. Without a date, a date's is the whole, so that the row comes back. */
export function partOfCell(
  cell: Cell | undefined,
  { part }: FieldColumn,
  { name, kind }: OrderField,
): Cell | undefined {
  if (part !== 'contact') return cell;
  const text = contactIn(cellText(cell), name);
  return { kind: 'text', text: text === '' && kind === 'date' ? cellText(cell) : text };
}

const BETWEEN_PARTS = /\s[/|-]\s|[\n;|]|,\s|\s(?=\d{1,2}[-/]\d{1,2}[-/]\d)/;
const CONTACT_LABEL = /^\s*(?:cell|phone|ph|tel|mobile|home|e-?mail|[chmpe])\b[.:]*\s/i;

/** The fields without a column that most cells say, if they say several. */
export function contactsHeld({ index, header, owner }: NamedCell, below: Below, fields = new Set<FieldName>()) {
  const [, could = []] = SEVERAL.find(([pattern]) => pattern.test(spellOut(header))) ?? [];
  if (owner !== undefined) return [];
  const held = could.filter((name) => areMost(index, below, (text) => contactIn(text, name) !== ''));
  const isSeveral = could.slice(0, 2).every((name) => held.includes(name));
  return isSeveral ? held.filter((name) => !fields.has(name)) : [];
}

/** Codes under `Bldg` that repeat though the streets do not, if no column could be the house type. */
export function holdsKinds({ index, header }: NamedCell, cells: readonly NamedCell[], below: Below) {
  if (spellOut(header) !== 'building') return false;
  const street = cells.find(({ field }) => field?.name === 'streetAddress');
  const isKnown = cells.some((cell) => (cell.field?.name ?? shortMeaning(cell.header)) === 'houseType');
  if (street === undefined || isKnown) return false;
  const [kinds, streets] = [textsBelow(index, below), textsBelow(street.index, below)];
  const distinct = new Set(kinds).size;
  return distinct > 1 && 2 * distinct <= kinds.length && new Set(streets).size === streets.length;
}

/** False for kinds of policies, such as HO-3. */
export function holdsNumbers(index: number, below: Below, number = /\d/) {
  return areMost(index, below, (text) => number.test(text) && !isChoice(text, fieldNamed('policyType').values));
}

export function holdsStreets(index: number, below: Below) {
  const texts = textsBelow(index, below);
  return 2 * texts.filter((text) => STREET.test(text)).length >= texts.length;
}

export function holdsNames(index: number, below: Below) {
  return areMost(index, below, (text) => /^\p{L}[\p{L} .,'\u2019-]*$/u.test(text));
}

const UNIT =
  /^(?:#|apt\b|apartment\b|unit\b|suite\b|ste\b|bldg\b|fl(?:oor)?\b|lot\b|rm\b)?[ .#]*[a-z]?-?\d{0,5}[a-z]?$/i;

/** Rows with other texts go back. */
export function holdsUnits(index: number, below: Below, share = 1 / 2) {
  const texts = textsBelow(index, below);
  const units = texts.filter((text) => UNIT.test(text));
  return units.length > 0 && units.length >= share * texts.length;
}

export function holdsOneValue(index: number, below: Below) {
  const texts = textsBelow(index, below);
  return texts.length > 2 && new Set(texts).size === 1;
}

export function textsBelow(index: number, below: Below) {
  return below.map(({ cells }) => trimmed(cellText(cells[index]))).filter((text) => !DITTO.test(text));
}

const DITTO = /^["”″〃]*$/;

export function areMost(index: number, below: Below, test: (text: string) => boolean) {
  const texts = textsBelow(index, below);
  return 2 * texts.filter(test).length > texts.length;
}

/** The parts of an address that most cells hold besides their own: `12 Elm St, Tampa, FL 33609`, `Tampa, FL`. */
export function addressPartsIn(index: number, field: 'streetAddress' | 'city', below: Below) {
  const texts = textsBelow(index, below).map((text) => addressText({ kind: 'text', text }));
  return PLACE_FIELDS.filter((name) => {
    const held = texts.filter((text) => {
      const place = field === 'city' ? placeIn(text) : addressIn(text);
      if (field === 'city') return place?.city !== undefined && place[name] !== undefined;
      // It may be unclear where the city begins.
      return place !== undefined && (name === 'city' || place[name] !== undefined);
    });
    return name !== field && 2 * held.length > texts.length;
  });
}

const PLACE_FIELDS = ['city', 'state', 'zipcode'] as const;
