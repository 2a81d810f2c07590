import { cellAddress, cellText, formatList, isBlank, quoted, type Cell } from '../domain/cells.ts';
import { addressWords } from '../domain/identity.ts';
import { sentence } from '../domain/sentences.ts';
import type { SheetRow } from '../domain/row.ts';
import type { AddressColumn, AddressColumns } from './header/address-columns.ts';
import { type AddressRole, type FieldColumn, STREET_ORDER } from './header/columns.ts';
import { STREET } from './header/looks-like.ts';
import {
  addressIn,
  addressText,
  endsWithWords,
  isCity,
  isHouse,
  isLocationNumber,
  type CityStateZip,
  placeIn,
  referredAddress,
  namesTwoHouses,
  withoutComma,
} from './values/address-text.ts';
import { ADDRESS_FIELDS, type AddressField, fieldNamed } from './fields.ts';
import { type StreetProblem, streetProblem, joinedStreet, type ReadStreetCell } from './row-street.ts';
import { isStateName, stateCode } from './values/place.ts';
import { joinReasons } from './values/plain-text.ts';
import { warning } from './rules.ts';

export type AddressValue = Readonly<{ column: FieldColumn | undefined; cell: Cell | undefined; why?: string }>;

/** Undefined if each field needs its own cell alone. Errors leave `values` empty. */
export function readAddress(row: SheetRow, { columns, plain }: AddressColumns, read: ReadStreetCell) {
  if (plain !== undefined && plain.every(({ index, role }) => isPlainCell(row.cells[index], role))) return undefined;
  const blocks = blocksOf(columns, row, read);
  // An error in the mailing address matters only if the inspection is there.
  const found = blocks.find((block) => block.flaw !== undefined && block.whose !== 'mail')?.flaw;
  return found === undefined ? houseOf(blocks, row) : withoutAddress(found);
}

function isPlainCell(cell: Cell | undefined, { part, weak }: AddressRole) {
  if (cell?.kind !== 'text') return true;
  if (weak === 'loose') return !isHouse(addressText(cell));
  if (part === 'street')
    return !/[,;&/|\r\n]|\b(?:and|or|[af]ka)\b|\d{4}\s*$|usa?\s*$|^\W*(?:same|see|as)\b/i.test(cell.text);
  if (part === 'city')
    return /^\p{L}[\p{L}.'\u2019-]*(?: [\p{L}.'\u2019-]*\p{Ll}[\p{L}.'\u2019-]*)*\s*$/u.test(cell.text);
  return part === 'state' ? /^[A-Za-z]{2}$/.test(cell.text) : !/\p{L}/u.test(cell.text);
}

type Piece = Readonly<{
  field: AddressField;
  text: string;
  column: AddressColumn;
  isTaken: boolean;
  why?: string | undefined;
}>;

function withoutAddress(...findings: readonly StreetProblem[]) {
  return { values: new Map<AddressField, AddressValue>(), findings };
}

type Block = Readonly<{
  set: number | undefined;
  whose: AddressRole['whose'];
  pieces: readonly Piece[];
  instead?: ReturnType<typeof referredAddress>;
  unclear?: string;
  street: AddressColumn | undefined;
  columns: readonly AddressColumn[];
  flaw?: StreetProblem;
  isPerhapsTwo?: boolean;
}>;

function blocksOf(columns: readonly AddressColumn[], row: SheetRow, read: ReadStreetCell) {
  const groups = Map.groupBy(columns, ({ role }) => `${role.set} ${role.set === undefined ? role.whose : ''}`);
  return [...groups.values()].map((own) => blockOf(own, row, read));
}

function blockOf(columns: readonly AddressColumn[], row: SheetRow, read: ReadStreetCell): Block {
  const role = columns[0]?.role;
  const street = columns.find((column) => column.role.part === 'street');
  const block = { set: role?.set, whose: role?.whose ?? 'own', street, columns, pieces: [] };
  const text = street === undefined ? '' : addressText(row.cells[street.index]);
  const isNone =
    street === undefined ||
    isBlank(row.cells[street.index]) ||
    (street.role.whose === 'property' && isLocationNumber(text)) ||
    (street.role.weak === 'loose' && !isHouse(text)) ||
    (street.role.weak === 'location' && !STREET.test(text) && addressIn(text) === undefined);
  const instead = referredAddress(text) ?? (isNone ? 'nothing' : undefined);
  const placed = columns.flatMap((column) => placePieces(column, row.cells[column.index]));
  const unread = placed.find(
    ({ column, text: held, isTaken }) => column.role.part === 'place' && !isTaken && !isCity(held),
  );
  if (unread !== undefined)
    return {
      ...block,
      flaw: streetProblem(unread.column, 'address-not-split/place', { text: unread.text }, unread.field),
    };
  if (instead !== undefined) return { ...block, instead, pieces: placed };
  const whole = addressIn(text);
  const joined = joinedStreet(columns, row, read, whole?.street);
  if ('flaw' in joined) return { ...block, flaw: joined.flaw };
  const twice = new Set([text, joined.text].map(namesTwoHouses));
  if (twice.has('sure'))
    return { ...block, flaw: streetProblem(street, 'street-two-houses', { text: quoted(text, 100) }) };
  const taken =
    whole?.street === undefined ? withoutPlace(joined.text, placed) : { street: joined.text, places: piecesOf(whole) };
  const column = street ?? columns[0];
  if (column === undefined) return block;
  const pieces: Piece[] = [...placed, ...taken.places.map((piece) => ({ ...piece, column, isTaken: true }))];
  if (taken.street === undefined) return { ...block, pieces, unclear: joined.text };
  const why = joinReasons(
    joined.why,
    taken.places.length === 0
      ? undefined
      : sentence('street-alone', { fields: formatList(taken.places.map(({ field }) => fieldNamed(field).title)) }),
  );
  return {
    ...block,
    pieces: [{ field: 'streetAddress', text: taken.street, column, isTaken: why !== undefined, why }, ...pieces],
    isPerhapsTwo: twice.has('perhaps'),
  };
}

function placePieces(column: AddressColumn, cell: Cell | undefined) {
  const field = column.role.part;
  if (isBlank(cell) || !(field === 'city' || field === 'state' || field === 'zipcode' || field === 'place')) return [];
  const text = addressText(cell);
  if (referredAddress(text) === 'nothing') return [];
  const isOwn =
    field === 'state'
      ? stateCode(text) !== undefined && !/\d/.test(text) && !/[(/\u2013]| - /.test(text)
      : field === 'zipcode'
        ? !/\p{L}/u.test(text)
        : field === 'city' && isStateName(text);
  const place = isOwn || cell.kind !== 'text' ? undefined : placeIn(text);
  if (place === undefined) return [{ field: field === 'place' ? 'city' : field, text, column, isTaken: false }];
  const said = piecesOf(place);
  if (said.length === 1 && said[0]?.field === field && said[0].text === text)
    return [{ field, text, column, isTaken: false }];
  return said.map((one) => ({ ...one, column, isTaken: true }));
}

function piecesOf(place: CityStateZip) {
  return (['city', 'state', 'zipcode'] as const).flatMap((field) =>
    place[field] === undefined ? [] : [{ field, text: place[field] }],
  );
}

/** `street` is undefined if it is unclear where it ends. */
function withoutPlace(joined: string, placed: readonly Piece[]) {
  const found = addressIn(joined);
  if (found === undefined) return { street: joined, places: [] };
  const { street, before, ...place } = found;
  if (street !== undefined) return { street, places: piecesOf(place) };
  const held = (field: AddressField) => addressWords(placed.find((piece) => piece.field === field)?.text ?? '');
  const agrees =
    place.zipcode === undefined || held('zipcode').length === 0 || held('zipcode')[0] === place.zipcode.slice(0, 5);
  const [words, city] = [before.split(' '), held('city')];
  if (agrees && city.length > 0 && endsWithWords(addressWords(before), city))
    return {
      street: withoutComma(words.slice(0, -city.length).join(' ')),
      places: [{ field: 'city' as const, text: words.slice(-city.length).join(' ') }, ...piecesOf(place)],
    };
  return { street: agrees && city.length > 0 && !before.includes(',') ? before : undefined, places: piecesOf(place) };
}

function houseOf(blocks: readonly Block[], row: SheetRow) {
  const shared = blocks.find(({ set, whose }) => set === undefined && whose !== 'mail' && whose !== 'other');
  const all = blocks.filter(({ set, whose }) => set !== undefined && whose !== 'other');
  const isLoose = ({ street }: Block) => street?.role.weak === 'loose';
  const houses = all
    .filter((block) => block.whose !== 'mail' && !isLoose(block))
    .toSorted((a, b) => Number(a.whose === 'own') - Number(b.whose === 'own'));
  const [house] = houses;
  if (house === undefined) return withoutAddress();
  const isFilled = ({ instead, street }: Block) => instead === undefined && street !== undefined;
  const saysMail = houses.some(({ instead }) => instead === 'the mail');
  const filled = houses.filter(isFilled);
  const candidates = [
    ...filled,
    ...(filled.length === 0 || saysMail ? all.filter((block) => block.whose === 'mail' && isFilled(block)) : []),
  ];
  const [first] = candidates;
  if (first === undefined) return saysSame(house, row) ?? ofBlock(house, shared, row, []);
  const others = [...candidates, ...all.filter((block) => isLoose(block) && isFilled(block))].filter(
    (block) => block !== first && !isSameHouse(first, block),
  );
  const isAnother = ({ street }: Block) => street?.role.isAnother === true;
  if (
    others.length > 0 &&
    (others.some((block) => block.whose === first.whose || isAnother(block)) ||
      isAnother(first) ||
      !isWhole(first) ||
      saysMail)
  )
    return withoutAddress(twoAddresses([first, ...others], row));
  // Of equal addresses, one may say more.
  const chosen = others.length === 0 ? (candidates.find(isWhole) ?? first) : first;
  const same = others.length === 0 ? candidates.filter((block) => block !== chosen) : [];
  const holder = isWhole(chosen)
    ? undefined
    : blocks.find(
        (block) =>
          !same.includes(block) && block !== chosen && mayHoldTheRest(block, chosen, [chosen, ...same], shared),
      );
  if (holder !== undefined) return withoutAddress(twoAddresses([chosen, holder], row));
  const reading = ofBlock(chosen, shared, row, same);
  return { ...reading, findings: [...reading.findings, ...houses.flatMap((block) => noAddress(block, row))] };
}

/**
 * True if the address holds parts that the chosen one lacks, or may share its columns: a street must never be sent with
 * another address's city.
 */
function mayHoldTheRest(block: Block, chosen: Block, known: readonly Block[], shared: Block | undefined) {
  if (block === shared) return false;
  const lacking = ADDRESS_FIELDS.filter((field) => known.every((one) => textOf(one, field) === ''));
  if (lacking.some((field) => textOf(block, field) !== '' && (shared === undefined || textOf(shared, field) === '')))
    return true;
  return (
    block.instead === undefined &&
    block.street !== undefined &&
    !isSameHouse(block, chosen) &&
    lacking.some((field) => shared !== undefined && textOf(shared, field) !== '' && textOf(block, field) === '')
  );
}

function saysSame({ instead, street }: Block, { cells }: SheetRow) {
  if (street === undefined || instead === undefined || instead === 'nothing') return undefined;
  const code = instead === 'the mail' ? 'value-elsewhere/mail' : 'value-ditto/address';
  return withoutAddress(streetProblem(street, code, { held: addressText(cells[street.index]) }));
}

function noAddress({ street, instead }: Block, { cells, rowNumber }: SheetRow): StreetProblem[] {
  const text = street?.role.weak === 'location' && instead === 'nothing' ? addressText(cells[street.index]) : '';
  if (street === undefined || text === '' || isLocationNumber(text) || referredAddress(text) !== undefined) return [];
  const parts = { address: cellAddress(street.index, rowNumber), header: street.header, text };
  return [{ ...warning('streetAddress', 'location-not-sent', parts), column: street }];
}

function textOf({ pieces, unclear }: Block, field: AddressField) {
  return pieces.find((piece) => piece.field === field)?.text ?? (field === 'streetAddress' ? (unclear ?? '') : '');
}

function isWhole(block: Block) {
  return block.unclear === undefined && ADDRESS_FIELDS.every((field) => textOf(block, field) !== '');
}

function isSameHouse(a: Block, b: Block) {
  const lineOf = (block: Block) => ({
    street: addressWords(textOf(block, 'streetAddress')),
    whole: addressWords(
      ADDRESS_FIELDS.map((field) =>
        field === 'state' ? (stateCode(textOf(block, field)) ?? '') : textOf(block, field),
      ).join(' '),
    ),
  });
  const [one, other] = [lineOf(a), lineOf(b)];
  if (one.street.length === 0) return false;
  const isPrefix = (short: readonly string[], long: readonly string[]) =>
    short.length > 0 && short.every((word, index) => long[index] === word);
  const sameStreet =
    one.street.join(' ') === other.street.join(' ') ||
    (isPrefix(one.street, other.whole) && one.street.length > other.street.length) ||
    (isPrefix(other.street, one.whole) && other.street.length > one.street.length);
  return (
    sameStreet &&
    (['city', 'state', 'zipcode'] as const).every(
      (field) =>
        textOf(a, field) === '' || textOf(b, field) === '' || isSameText(field, textOf(a, field), textOf(b, field)),
    )
  );
}

function isSameText(field: AddressField, a: string, b: string) {
  if (field === 'state') return (stateCode(a) ?? a) === (stateCode(b) ?? b);
  if (field === 'zipcode')
    return a.replace(/\D/g, '').slice(0, 5).padStart(5, '0') === b.replace(/\D/g, '').slice(0, 5).padStart(5, '0');
  return addressWords(a).join(' ') === addressWords(b).join(' ');
}

export function describeHeldCell({ index, header }: FieldColumn, rowNumber: number, held: string, lengthMax?: number) {
  return `${cellAddress(index, rowNumber)} under ${quoted(header)} holds ${quoted(held, lengthMax)}`;
}

function shown(block: Block, { cells, rowNumber }: SheetRow) {
  const column = block.street ?? block.columns[0];
  const texts = [
    ...new Set(
      block.columns.filter(({ index }) => !isBlank(cells[index])).map(({ index }) => addressText(cells[index])),
    ),
  ];
  return column === undefined ? '' : describeHeldCell(column, rowNumber, texts.join(', '), 100);
}

function twoAddresses(blocks: readonly Block[], row: SheetRow) {
  const [first] = blocks;
  return streetProblem(first?.street ?? first?.columns[0], 'two-addresses', {
    count: blocks.length === 2 ? 'two' : String(blocks.length),
    addresses: formatList(blocks.map((block) => shown(block, row))),
  });
}

function ofBlock(block: Block, shared: Block | undefined, row: SheetRow, same: readonly Block[]) {
  const found = block.flaw ?? strayUnit(shared, block, row);
  if (found !== undefined) return withoutAddress(found);
  const values = new Map<AddressField, AddressValue>();
  const blocks = [block, ...(shared === undefined ? [] : [shared]), ...same];
  for (const field of ADDRESS_FIELDS) {
    const pieces = blocks.flatMap((one) => one.pieces.filter((piece) => piece.field === field));
    const differing =
      field === 'streetAddress'
        ? undefined
        : pieces.find((piece) => !isSameText(field, piece.text, pieces[0]?.text ?? ''));
    if (differing !== undefined) return withoutAddress(disagreeing(field, pieces, row));
    values.set(field, valueOf(field, pieces, block, row));
  }
  if (block.unclear !== undefined)
    return withoutAddress(streetProblem(block.street, 'address-not-split', { unclear: block.unclear }));
  const findings = [];
  const street = textOf(block, 'streetAddress');
  const column = block.street ?? { index: 0, header: '' };
  if (block.whose === 'mail')
    findings.push({
      ...warning('streetAddress', 'mailing-address-ordered', { header: column.header, street }),
      column,
    });
  if (block.isPerhapsTwo)
    findings.push({ ...warning('streetAddress', 'street-two-houses/perhaps', { street }), column });
  return { values, findings };
}

function valueOf(
  field: AddressField,
  pieces: readonly Piece[],
  { columns }: Block,
  { cells, rowNumber }: SheetRow,
): AddressValue {
  const own = pieces
    .filter(({ isTaken }) => !isTaken)
    .toSorted((a, b) => (field === 'zipcode' ? b.text.length - a.text.length : 0))[0];
  const piece = own ?? pieces.toSorted((a, b) => b.text.length - a.text.length)[0];
  if (piece === undefined) {
    const column = columns.find(({ role }) => role.part === (field === 'streetAddress' ? 'street' : field));
    return { column, cell: column === undefined ? undefined : cells[column.index] };
  }
  if (own !== undefined) return { column: own.column, cell: cells[own.column.index] };
  const why =
    piece.why ??
    `read from ${cellAddress(piece.column.index, rowNumber)} ${quoted(addressText(cells[piece.column.index]))}`;
  return { column: piece.column, cell: { kind: 'text', text: piece.text }, why };
}

function disagreeing(field: AddressField, pieces: readonly Piece[], { cells, rowNumber }: SheetRow) {
  const places = [...new Map(pieces.map(({ column }) => [column.index, column])).values()].map((column) =>
    describeHeldCell(column, rowNumber, addressText(cells[column.index])),
  );
  return streetProblem(pieces[0]?.column, 'columns-disagree', { places: formatList(places) }, field);
}

/** A unit that may belong to several addresses must not be lost or sent with the wrong one. */
function strayUnit(shared: Block | undefined, block: Block, { cells, rowNumber }: SheetRow) {
  const street = addressWords(textOf(block, 'streetAddress'));
  const column = shared?.columns.find(
    ({ role, index }) =>
      STREET_ORDER.includes(role.part) &&
      role.part !== 'street' &&
      !isBlank(cells[index]) &&
      referredAddress(addressText(cells[index])) !== 'nothing' &&
      !endsWithWords(street, addressWords(cellText(cells[index]))),
  );
  if (column === undefined) return undefined;
  return streetProblem(column, 'unit-not-certain', {
    address: cellAddress(column.index, rowNumber),
    header: column.header,
    unit: cellText(cells[column.index]),
  });
}
