import type { SheetRow } from '../../domain/row.ts';
import { memoize } from '../../domain/text.ts';
import { ADDRESS_FIELDS, type FieldName, fieldNamed } from '../fields.ts';
import { trimmed } from '../values/plain-text.ts';
import {
  ADDRESS_PARTS,
  PLAIN_PARTS,
  STREET_ORDER,
  fieldOfValues,
  type AddressPart,
  type AddressRole,
  holdsKinds,
  holdsPlusFour,
  holdsStreets,
  holdsUnits,
  type NamedCell,
  type AddressOwner,
  valuesGoWith,
} from './columns.ts';
import { headerPatterns } from './header-patterns.ts';
import { shortMeaning, type KnownHeaders, spellOut } from './known-headers.ts';

type Said = Readonly<{
  whose: AddressOwner | 'plain' | 'insured';
  ordinal: string;
  part: AddressPart;
  weak: AddressRole['weak'];
}>;

const { addresses: OWNERS, parts: PARTS, placeFields: PLACE_FIELDS, conditions: CONDITIONS } = headerPatterns;

const BESIDE_STREET = /^(?:dir|direction|suffix|lot|floor|room|space|building|trailer)$/;
function partNamed(field: FieldName | undefined) {
  return field === 'streetAddress' ? 'street' : ADDRESS_PARTS.find((part) => part === field);
}

export function fieldsInPlace({ header, address }: Pick<NamedCell, 'header' | 'address'>) {
  if (address?.part !== 'place') return [];
  const text = spellOut(header);
  return ADDRESS_FIELDS.filter((name) => PLACE_FIELDS[name]?.test(text) === true);
}

const STREET_NAME = /^(?:street|st)name$/;

function partOf(rest: string, field: FieldName | undefined, known: KnownHeaders) {
  const part = ADDRESS_PARTS.find((one) => PARTS[one]?.test(rest) === true);
  if (part !== undefined) return part;
  return partNamed(field ?? known.fieldOf(rest)?.name);
}

/** `Dwelling location (if not the same)` becomes `Dwelling location`. */
const withoutCondition = memoize((header) => {
  const bare = trimmed(header)
    .replace(CONDITIONS.whole, '')
    .replace(CONDITIONS.inFront, '')
    .replace(CONDITIONS.behind, '')
    .replace(CONDITIONS.bracketed, '');
  const [, name = '', behind = ''] = /^([^()[\]]*\S)\s*(?:[([]|\s-\s)\s*([^()[\]]+?)[)\]]?$/.exec(bare) ?? [];
  const whose = spellOut(behind);
  const isWhose =
    OWNERS.whose.test(whose) || [OWNERS.mail, OWNERS.property].some((pattern) => pattern.exec(whose)?.at(-1) === '');
  return name !== '' && isWhose ? `${behind} ${name}` : bare;
});

const HEADER_LENGTH_MAX = 100;

function addressPartsOf(
  { header, group, field, why, index }: NamedCell,
  known: KnownHeaders,
  below: readonly SheetRow[],
) {
  if (header === '' || header.length > HEADER_LENGTH_MAX) return undefined;
  // Left out, an agency's address still keeps its city from the property's.
  if (why !== undefined || known.isIgnored(header)) return saidOfOther(spellOut(header), known);
  const of = partNamed(field?.name);
  // `Building value` is a field, although a building is a place.
  const could = shortMeaning(header);
  if ((field !== undefined && of === undefined) || (could !== undefined && valuesGoWith(header, could, index, below)))
    return undefined;
  const bare = withoutCondition(header);
  const text = spellOut(group === undefined ? bare : `${group} ${bare}`);
  const [, ofMail] = OWNERS.mail.exec(text) ?? [];
  if (ofMail !== undefined) return said('mail', '', ofMail === '' ? 'street' : partOf(ofMail, undefined, known));
  if (OWNERS.ofProperty.test(text)) return said('property', '', 'street');
  if (OWNERS.ofRisk.test(text)) return said('plain', '', 'street', 'location');
  if (OWNERS.ofOwner.test(text)) return said('mail', '', 'street');
  const [, words = '', ordinal = '', ofProperty] = OWNERS.property.exec(text) ?? [];
  if (ofProperty !== undefined) {
    const part =
      ofProperty === '' && OWNERS.located.test(words)
        ? 'street'
        : partOf(ofProperty === '' ? text : ofProperty, field?.name, known);
    if (part !== undefined)
      return said(
        part === 'unit' && ofProperty === '' ? 'plain' : 'property',
        ordinal === '1' ? '' : ordinal,
        part,
        ofProperty === '' && OWNERS.weak.test(words) ? 'location' : undefined,
      );
    if (/^(?:number|letter)$/.test(ofProperty) && words === 'building') return said('plain', '', 'unit');
    return of === undefined ? anyPlace(text) : said('property', ordinal, of);
  }
  if (of === undefined && OWNERS.other.test(text)) return saidOfOther(text, known);
  const [, ofInsured] = OWNERS.insured.exec(text) ?? [];
  if (ofInsured !== undefined)
    return OWNERS.ofName.test(text)
      ? undefined
      : (said('insured', '', of ?? partOf(ofInsured, undefined, known)) ?? anyPlace(text));
  const part = text === 'number' ? 'number' : partOf(text, field?.name, known);
  if (part !== undefined || field !== undefined) return said('plain', '', part);
  return anyPlace(text) ?? (OWNERS.anyAddress.test(text) ? said('mail', '', 'street') : undefined);
}

function saidOfOther(text: string, known: KnownHeaders) {
  const [, part] = OWNERS.other.exec(text) ?? [];
  return part === undefined ? undefined : said('other', '', partOf(part, undefined, known));
}

function saidOfDecided(cell: NamedCell, known: KnownHeaders, below: readonly SheetRow[]) {
  const of = partNamed(cell.field?.name);
  const part = addressPartsOf(cell, known, below)?.part;
  return said('property', '', of === 'city' && part === 'place' ? part : of);
}

function anyPlace(text: string) {
  if (OWNERS.anyPlace.test(text)) return said('property', text, 'street', 'location');
  return OWNERS.loosePlace.test(text) ? said('property', text, 'street', 'loose') : undefined;
}

function said(whose: Said['whose'], ordinal: string, part: AddressPart | undefined, weak?: AddressRole['weak']) {
  return part === undefined ? undefined : { whose, ordinal, part, weak };
}

type FoundSet = ReturnType<typeof setsOf>[number];

function setsOf(cells: readonly NamedCell[], saids: readonly (Said | undefined)[]) {
  const hasNumber = saids.some((one) => one?.part === 'number' || one?.part === 'number suffix');
  return cells.flatMap((street, at) => {
    const one = saids[at];
    if (
      one?.part !== 'street' ||
      (street.field === undefined && !hasNumber && STREET_NAME.test(spellOut(street.header)))
    )
      return [];
    const whose: AddressOwner = one.whose === 'plain' || one.whose === 'insured' ? 'own' : one.whose;
    const isLoose = one.weak === 'loose';
    return [{ whose, ofInsured: one.whose === 'insured', ordinal: one.ordinal, street, at, isLoose }];
  });
}

const PLACES = new Set<AddressPart>(['city', 'state', 'zipcode', 'place']);
const HOUSES = new Set<AddressOwner>(['property', 'own']);

function ownersOf(sets: readonly FoundSet[], saids: readonly (Said | undefined)[]) {
  let current: number | undefined;
  /** After two streets in a row, the rest could belong to either. */
  let isShared = false;
  let isPlaceSeen = false;
  const houses = [...sets.keys()].filter((set) => HOUSES.has(sets[set]?.whose ?? 'other'));
  const onlyHouse = houses.length === 1 ? houses[0] : undefined;
  const namesItsPlace = ({ whose, ordinal, ofInsured }: FoundSet) =>
    saids.some(
      (one) =>
        one !== undefined &&
        PLACES.has(one.part) &&
        (ofInsured ? one.whose === 'insured' : one.whose === whose && one.ordinal === ordinal),
    );
  const ofPlain = (part: AddressPart) => {
    if (current === undefined) return sets.length === 1 || PLACES.has(part) ? onlyHouse : undefined;
    // After the end of an address, it is unclear whose unit it is.
    const isBehind = !PLACES.has(part) && isPlaceSeen && sets.length > 1;
    return isShared || isBehind ? undefined : current;
  };
  const ofNamed = (whose: Said['whose'], ordinal: string) => {
    const fits = [...sets.keys()].filter((set) =>
      whose === 'insured' ? sets[set]?.ofInsured === true : sets[set]?.whose === whose && sets[set].ordinal === ordinal,
    );
    if (current !== undefined && fits.includes(current)) return current;
    if (fits.length > 0) return fits.length === 1 ? fits[0] : undefined;
    return whose === 'mail' || whose === 'other' ? undefined : onlyHouse;
  };
  return {
    street(set: number) {
      const before = current === undefined ? undefined : sets[current];
      isShared = before !== undefined && HOUSES.has(before.whose) && !isPlaceSeen && !namesItsPlace(before);
      current = set;
      isPlaceSeen = false;
    },
    end() {
      current = undefined;
    },
    /** Undefined if there are several candidates. */
    of({ whose, ordinal, part }: Said) {
      const owner = whose === 'plain' ? ofPlain(part) : ofNamed(whose, ordinal);
      isPlaceSeen ||= PLACES.has(part);
      return owner;
    },
  };
}

const ONLY_STREET: Said = { whose: 'plain', ordinal: '', part: 'street', weak: 'location' };

const AGAINST_MAIL = 'it is taken for the mailing address';

const PLUS_FOUR = /zip(?:code)?4$/;

export function withAddresses(named: readonly NamedCell[], known: KnownHeaders, below: readonly SheetRow[]) {
  const cells = named.map((cell) =>
    cell.isDecided !== true && PLUS_FOUR.test(spellOut(cell.header)) && holdsPlusFour(cell, below)
      ? { ...cell, field: undefined, why: 'five digits of the ZIP code are enough' }
      : cell,
  );
  const all = cells.map((cell) => {
    const said = addressPartsOf(cell, known, below);
    // `Property` over house types
    const isKind = said?.part === 'street' && cell.field === undefined && fieldOfValues(cell, below) !== undefined;
    return isKind || holdsKinds(cell, cells, below) ? undefined : said;
  });
  const isOnly = all.filter((one) => one?.part === 'street').length === 1;
  const saids = cells.map((cell, at): Said | undefined => {
    const isHouse = isOnly && cell.field === undefined && OWNERS.anyHouse.test(spellOut(cell.header));
    if (isHouse && holdsStreets(cell.index, below)) return ONLY_STREET;
    return cell.isDecided === true ? saidOfDecided(cell, known, below) : all[at];
  });
  const streets = setsOf(cells, saids);
  const firm = streets.filter(({ isLoose }) => !isLoose);
  // If only its header makes a column an address, matching values or a neighbor must confirm it.
  const sure = firm.filter(
    (set) =>
      set.street.field !== undefined ||
      set.whose !== 'property' ||
      firm.length > 1 ||
      holdsStreets(set.street.index, below),
  );
  if (sure.length === 0) return withFirstPlace(cells, saids);
  const owners = ownersOf(sure, saids);
  const sets = [...sure, ...streets.filter(({ isLoose }) => isLoose)];
  const roles = cells.map((cell, at) => {
    const one = saids[at];
    const set = sets.findIndex((candidate) => candidate.at === at);
    if (set !== -1 && sets[set]?.isLoose === false) owners.street(set);
    if (one === undefined || (one.part === 'street' && set === -1) || !standsWhereItShould(cell, at, saids, below)) {
      if (cell.field !== undefined && cell.field.name !== 'country') owners.end();
      return undefined;
    }
    if (AHEAD.has(one.part)) return roleOf({ ...one, owner: ahead(sets, at) }, sets);
    return roleOf({ ...one, owner: set === -1 ? owners.of(one) : set }, sets);
  });
  return withFields(cells, roles, sets);
}

const AHEAD = new Set<AddressPart>(['number', 'number suffix', 'direction']);

function standsWhereItShould(
  cell: NamedCell,
  at: number,
  saids: readonly (Said | undefined)[],
  below: readonly SheetRow[],
) {
  const header = spellOut(cell.header);
  const isOfStreet = (one: Said | undefined) => one !== undefined && STREET_ORDER.includes(one.part);
  // `Units` may count them.
  if (/^units?$/.test(header))
    return isOfStreet(saids[at - 1]) || holdsUnits(cell.index, below, header === 'unit' ? 0 : undefined);
  if (header === 'building' && fieldOfValues(cell, below) !== undefined) return false;
  if (/^building(?:number|letter)?$/.test(header) && holdsUnits(cell.index, below)) return true;
  if (/^(?:line)?[23]$/.test(header)) return isOfStreet(saids[at - 1]);
  if (header === 'number') return ['street', 'direction'].includes(saids[at + 1]?.part ?? '');
  return !BESIDE_STREET.test(header) || isOfStreet(saids[at - 1]) || isOfStreet(saids[at + 1]);
}

function ahead(sets: readonly FoundSet[], at: number) {
  const next = sets.findIndex((set) => set.at > at && set.at - at <= AHEAD.size + 1);
  return next !== -1 ? next : sets.length === 1 ? 0 : undefined;
}

function roleOf(
  { whose, part, weak, ordinal, owner }: Said & { readonly owner: number | undefined },
  sets: readonly FoundSet[],
) {
  const named = whose === 'mail' || whose === 'other' ? whose : 'own';
  return {
    part,
    whose: owner === undefined ? named : (sets[owner]?.whose ?? named),
    set: owner,
    weak,
    ...(weak === 'loose' || OWNERS.another.test(ordinal) ? { isAnother: true as const } : {}),
  };
}

function withFirstPlace(cells: readonly NamedCell[], saids: readonly (Said | undefined)[]) {
  return cells.map((cell, at) =>
    saids[at]?.part === 'place' && cell.field === undefined && saids[at].whose !== 'mail' && saids[at].whose !== 'other'
      ? { ...cell, field: fieldNamed('city') }
      : cell,
  );
}

function withFields(
  cells: readonly NamedCell[],
  roles: readonly (AddressRole | undefined)[],
  sets: readonly FoundSet[],
) {
  const isWhole = (set: number) => {
    const parts = new Set(roles.flatMap((role) => (role?.set === set ? role.part : [])));
    return (
      parts.has('street') &&
      ((parts.has('city') && parts.has('state') && parts.has('zipcode')) ||
        (parts.has('place') && (parts.has('zipcode') || !parts.has('city'))))
    );
  };
  const property = sets.findIndex(({ whose }, set) => whose === 'property' && isWhole(set));
  const house = property === -1 ? sets.findIndex(({ whose }, set) => whose === 'own' && isWhole(set)) : property;
  const named = house === -1 ? '' : `"${sets[house]?.street.header ?? ''}"`;
  return cells.map((cell, at) => {
    const role = roles[at];
    if (role === undefined) return cell;
    const address = { ...cell, address: role };
    if (role.weak === 'loose') return address;
    const field = fieldNamed(
      fieldsInPlace({ header: cell.header, address: role })[0] ??
        ADDRESS_FIELDS.find((name) => name === role.part) ??
        'streetAddress',
    );
    if (role.whose === 'other')
      return cell.field === undefined
        ? cell
        : { ...cell, field: undefined, why: 'it belongs to the address of somebody else' };
    const isMail = role.whose === 'mail';
    const isSecond =
      property !== -1 && role.set !== property && role.set !== undefined && sets[role.set]?.whose === 'own';
    // If the property has its own address, the mailing and insured's addresses count only if it refers to them.
    if (house !== -1 && (isMail || isSecond))
      return {
        ...address,
        field: undefined,
        ...(cell.field === undefined && isMail
          ? {}
          : { why: `${AGAINST_MAIL}, because ${named} has the property's address` }),
      };
    if (isMail && cell.field === undefined) return address;
    return { ...address, field };
  });
}

export type AddressColumns = NonNullable<ReturnType<typeof addressColumns>>;
export type AddressColumn = AddressColumns['columns'][number];

export function addressColumns(cells: readonly NamedCell[]) {
  const columns = cells.flatMap(({ index, header, address: role }) =>
    role === undefined ? [] : [{ index, header, role }],
  );
  if (columns.length === 0) return undefined;
  const firm = columns.filter(({ role }) => role.weak !== 'loose');
  const isPlain =
    firm.length === PLAIN_PARTS.length &&
    PLAIN_PARTS.every((part) => firm.some(({ role }) => role.part === part)) &&
    firm.every(({ role }) => role.set === firm[0]?.role.set && role.whose !== 'mail');
  return { columns, plain: isPlain ? columns : undefined };
}
