import { cellText, isBlank } from '../../domain/cells.ts';
import type { SheetRow } from '../../domain/row.ts';
import { ADDRESS_FIELDS, type FieldKind, type FieldName, fieldNamed, REQUIRED_FIELDS } from '../fields.ts';
import { sentence } from '../../domain/sentences.ts';
import { trimmed } from '../values/plain-text.ts';
import { withAddresses } from './address-columns.ts';
import {
  columnsCorrectedByValues,
  contactsHeld,
  fieldNames,
  fieldOfValues,
  holdsCodes,
  type HeaderCell,
  type NamedCell,
  holdsOneValue,
  valuesGoWith,
} from './columns.ts';
import { headerPatterns } from './header-patterns.ts';
import { namePart, partDecided, withNameParts, withUnheadedNames } from './name-parts.ts';
import {
  AGENTS,
  AGENT_FIELDS,
  shortMeaning,
  type KnownHeaders,
  otherUnit,
  contactRank,
  SECOND_CONTACT,
  ROW_KEY_HEADER,
  shortHeaderField,
  unitAdvice,
  spellOut,
} from './known-headers.ts';

const FIELDS_MIN = 4;
const NAMES_AN_ORDER = new Set<FieldName>(['streetAddress', 'insuredName', 'policyNumber', 'inspectionNumber']);

function namedCells(row: SheetRow, known: KnownHeaders) {
  return row.cells.flatMap((cell, index) => {
    if (isBlank(cell)) return [];
    const header = trimmed(cellText(cell));
    return [{ index, header, field: header === ROW_KEY_HEADER ? undefined : known.fieldOf(header) }];
  });
}

/** By column index: the field that a person, or the known layout, gives the column; null: not sent; `asked`: not yet. */
export type DecidedColumns = ReadonlyMap<number, FieldName | null | 'asked'>;

export function headerCells(
  row: SheetRow,
  known: KnownHeaders,
  above: SheetRow | undefined,
  below: readonly SheetRow[] = [],
  decided: DecidedColumns = new Map(),
) {
  const named = withGroups(namedCells(row, known), row, above, known).map((cell): NamedCell => {
    const field = decided.get(cell.index);
    if (field === undefined) return cell;
    const { index, header } = cell;
    return field === null || field === 'asked'
      ? {
          index,
          header,
          field: undefined,
          why: field === null ? 'as was confirmed for this layout' : 'nobody has answered yet what it holds',
        }
      : { index, header, field: fieldNamed(field), isDecided: true, part: partDecided(header, field, decided) };
  });
  const cells = withUnheadedNames(named, row, below);
  const blocks = below.length === 0 ? [cells] : blocksOf(cells, below);
  const read = blocks.map((block) => blockCells(block, known, below));
  const own = read.filter((block) =>
    REQUIRED_FIELDS.every(({ name }) => block.some(({ field }) => field?.name === name)),
  );
  const [table] = own;
  // If both tables hold an order in a row, it goes back.
  if (read.length < 2 || own.length !== 1 || read.some((block) => block !== table && namesOrders(block)))
    return withTables(blockCells(cells, known, below), read);
  return read.flatMap((block) =>
    block === table
      ? block
      : block.map((cell) =>
          cell.header === ROW_KEY_HEADER ? cell : { ...cell, field: undefined, short: false, isOutside: true },
        ),
  );
}

export function countFields(named: ReadonlySet<FieldName>) {
  return named.size >= FIELDS_MIN && [...named].some((name) => NAMES_AN_ORDER.has(name)) ? named.size : 0;
}

function namesOrders(cells: readonly HeaderCell[]) {
  return countFields(fieldNames(cells)) > 0;
}

/** Separates tables that each have an order's identifying field; a table torn in two has it once. */
function withTables(cells: readonly HeaderCell[], blocks: readonly (readonly HeaderCell[])[]) {
  const tables = blocks.filter(namesOrders);
  const isNamedTwice = [...NAMES_AN_ORDER].some(
    (name) => tables.filter((table) => table.some(({ field }) => field?.name === name)).length > 1,
  );
  if (!isNamedTwice) return cells;
  return cells.map((cell) => {
    const table =
      cell.header === ROW_KEY_HEADER
        ? -1
        : tables.findIndex((block) => block.some(({ index }) => index === cell.index));
    return table === -1 ? cell : { ...cell, table };
  });
}

const GAP_MIN = 2;

function blocksOf(cells: readonly NamedCell[], below: readonly SheetRow[]) {
  const blocks = [];
  for (const cell of cells) {
    const last = blocks.at(-1)?.at(-1)?.index;
    const gap =
      last === undefined ||
      (cell.index - last > GAP_MIN && below.every((row) => row.cells.slice(last + 1, cell.index).every(isBlank)));
    if (gap) blocks.push([cell]);
    else blocks.at(-1)?.push(cell);
  }
  return blocks;
}

const NAMES_OF_FIRMS = new Set<FieldName | undefined>(['agentName', 'insuredBy']);

function blockCells(block: readonly NamedCell[], known: KnownHeaders, below: readonly SheetRow[]) {
  const cells = columnsCorrectedByValues(withAddresses(block, known, below), below);
  const fields = fieldNames(cells);
  const agentUnnamed = (fields.has('agentPhone') || fields.has('agentEmail')) && !fields.has('agentName');
  const named = withShortHeaders(withNameParts(cells, agentUnnamed, below), known, below);
  return withKinds(named, known, below).map((cell) =>
    NAMES_OF_FIRMS.has(cell.field?.name) && cell.isDecided !== true && holdsCodes(cell, below)
      ? { ...cell, field: undefined, short: false, why: sentence('agent-codes-not-sent') }
      : cell,
  );
}

/** False under an unknown group: a lender's phone is not the insured's. */
function isOpen({ header, field, group, why, address }: NamedCell, known: KnownHeaders) {
  const isPlace = address !== undefined && address.weak !== 'loose';
  return field === undefined && group === undefined && why === undefined && !isPlace && !known.isIgnored(header);
}

function isOpenShort(cell: NamedCell, known: KnownHeaders, below: readonly SheetRow[]) {
  const isSeveral = contactsHeld(cell, below).length > 0;
  const could = isOpen(cell, known) && !isSeveral ? shortMeaning(cell.header) : undefined;
  return could !== undefined && valuesGoWith(cell.header, could, cell.index, below);
}

function withKinds(cells: readonly HeaderCell[], known: KnownHeaders, below: readonly SheetRow[]) {
  const fields = fieldNames(cells);
  const found = cells.map((cell) =>
    isOpen(cell, known) ? (contactsHeld(cell, below, fields)[0] ?? fieldOfValues(cell, below)) : undefined,
  );
  return cells.map((cell, at) => {
    const name = found[at];
    if (name === undefined || fields.has(name) || found.indexOf(name) !== found.lastIndexOf(name)) return cell;
    const { address: _, ...plain } = cell;
    const part = contactsHeld(cell, below, fields).length > 0 ? ({ part: 'contact' } as const) : {};
    return { ...plain, ...part, field: fieldNamed(name), short: true };
  });
}

function withShortHeaders(cells: readonly NamedCell[], known: KnownHeaders, below: readonly SheetRow[]) {
  const fields = fieldNames(cells);
  const open = Map.groupBy(
    cells.filter((cell) => isOpenShort(cell, known, below)),
    ({ header }) => shortMeaning(header),
  );
  const { people } = headerPatterns.addresses;
  const isAlone =
    AGENTS.isDisjointFrom(fields) &&
    !cells.some(({ group = '', header }) => people.test(spellOut(`${group} ${header}`)));
  for (const [name, contacts] of open)
    if (!areSeveral(contacts, isAlone))
      open.set(
        name,
        contacts.filter(({ header }) => contactRank(header) !== SECOND_CONTACT),
      );
  // An employee's name is in every row.
  const insureds = (open.get('insuredName') ?? []).filter(({ index }) => !holdsOneValue(index, below));
  if (insureds.length > 0) open.set('insuredName', insureds);
  const openCells = new Set([...open.values()].flat());
  const could = new Set([...open.keys()].filter((name) => name !== undefined));
  // `Customer` next to `Customer phone`, `Contact phone` next to `Contact email`
  const insured = cells.find(({ field }) => field?.name === 'insuredName') ?? open.get('insuredName')?.[0];
  const ofInsured = cells.filter((cell) => {
    const sure = openCells.has(cell) ? shortHeaderField(cell.header, { fields, could }) : undefined;
    return cell === insured || (cell.owner !== 'Agent' && (cell.field?.name ?? sure ?? '') in AGENT_FIELDS);
  });
  const insuredWords = ofInsured.map(({ header }) => spellOut(header).replace(/(?:full)?name$|(?:phone|email).*$/, ''));
  const read: HeaderCell[] = [];
  for (const [at, cell] of cells.entries()) {
    const rivals = openCells.has(cell) ? (open.get(shortMeaning(cell.header)) ?? []) : [];
    const several = areSeveral(rivals, isAlone);
    const isOfInsured =
      insuredWords.some((word) => word !== '' && spellOut(cell.header).startsWith(word)) ||
      [cell, insured].every((one) => /^primary/i.test(one?.header ?? ''));
    const leftOf =
      rivals.length === 0 ? undefined : isOfInsured ? 'insured' : leftNeighbor([...read, ...cells.slice(at)], at);
    // Next to another column of names, a contact may be anybody.
    const isContact =
      (/contact.?name/i.test(cell.header) &&
        cells.some(
          (other) => other !== cell && isOpen(other, known) && /(?:name|company|account|dba)$/i.test(other.header),
        )) ||
      // `Account` next to `Account phone`
      (/^account$/i.test(cell.header) && !cells.some(({ header }) => /^account.?(?:phone|email)/i.test(header)));
    const name =
      (rivals.length === 1 && !isContact) || several
        ? shortHeaderField(cell.header, { fields, leftOf, could })
        : undefined;
    const isAgents = leftOf === 'agent' && !/^primary/i.test(cell.header) && !isBehindHouse(read);
    read.push({
      ...cell,
      short: name !== undefined,
      isOutside: false,
      ...(name !== undefined
        ? { field: fieldNamed(name), ...(several ? { part: 'one of several' } : {}) }
        : isAgents
          ? { owner: 'Agent' }
          : {}),
    });
  }
  return read;
}

function isBehindHouse(cells: readonly HeaderCell[]) {
  const nearest = cells.findLast(({ field, header }) => !((field?.name ?? shortMeaning(header) ?? '') in AGENT_FIELDS));
  return PLACE_FIELDS.has(nearest?.field?.name ?? 'note');
}

/** `Phone` and `Cell` may be two people's. */
function areSeveral(cells: readonly NamedCell[], isAlone: boolean) {
  const ranks = cells.map(({ header }) => contactRank(header));
  const isClear = isAlone || ranks.every((rank) => rank !== 0 && rank !== SECOND_CONTACT);
  return isClear && ranks.length > 1 && !ranks.includes(undefined) && new Set(ranks).size === ranks.length;
}

function leftNeighbor(cells: readonly NamedCell[], at: number) {
  const isFree = !cells.slice(0, at).some(({ field }) => field !== undefined && AGENTS.has(field.name));
  let isAtHouse = isFree && !isBeforeAgent(cells.slice(at)) && cells.some(({ field }) => field?.name === 'insuredName');
  const unclear = () => (isAtHouse && isFree ? 'insured' : undefined);
  for (let left = at - 1; left >= 0; left -= 1) {
    const cell = cells[left];
    const name = cell?.field?.name ?? (cell === undefined ? undefined : shortMeaning(cell.header));
    if (name === undefined) return unclear();
    if (AGENTS.has(name)) return 'agent';
    if (cell?.field !== undefined && name in AGENT_FIELDS) return 'insured';
    if (!PLACE_FIELDS.has(name) && !(name in AGENT_FIELDS)) return unclear();
    isAtHouse ||= PLACE_FIELDS.has(name);
  }
  return unclear();
}

function isBeforeAgent(cells: readonly NamedCell[]) {
  const names = cells.map(({ field, header }) => field?.name ?? shortMeaning(header));
  return AGENTS.has(names.find((name) => !((name ?? '') in AGENT_FIELDS)) ?? 'note');
}

/** If the line above makes fewer columns known, it is a title. */
const MADE_KNOWN_MIN = 2;

const PLACE_FIELDS = new Set<FieldName>([...ADDRESS_FIELDS, 'country']);
function ownerOf(group: string, known: KnownHeaders) {
  const field = (known.fieldOf(group) ?? known.fieldOf(withoutTail(group)))?.name;
  if (field === 'insuredName') return 'Insured';
  return field === 'agentName' ? 'Agent' : undefined;
}

function withoutTail(group: string) {
  return group.replace(headerPatterns.groups.tails, ' ').trim();
}

/** `Contact` over `Phone`; `Policy` over `Form`, but not over `Phone`; `Inspection` over `Dwelling`. */
function saysNothing(group: string, header: string) {
  const rest = withoutTail(group);
  const { policy, kinds } = headerPatterns.groups;
  const field = shortMeaning(header);
  return (
    rest === '' ||
    (policy.test(rest) && !((field ?? '') in AGENT_FIELDS)) ||
    (kinds.test(rest) && fieldNamed(field)?.values !== undefined)
  );
}

function fieldUnder(group: string, header: string, known: KnownHeaders) {
  const names = [group, withoutTail(group), ownerOf(group, known)].filter((name) => name !== undefined && name !== '');
  const field = names.map((name) => known.fieldOf(`${name} ${header}`)).find((one) => one !== undefined);
  const short = shortMeaning(`${group} ${header}`);
  return field ?? (short !== undefined && AGENTS.has(short) ? fieldNamed(short) : undefined);
}

/**
 * The group precedes a name that is incomplete alone (`Insured` over `Phone`) or repeated (`Mailing` over `City`).
 * A name above an empty cell is that column's own.
 */
function withGroups(cells: readonly NamedCell[], header: SheetRow, above: SheetRow | undefined, known: KnownHeaders) {
  if (above === undefined || above.rowNumber !== header.rowNumber - 1) return cells;
  const texts = above.cells.flatMap((cell, index) =>
    isBlank(cell) ? [] : [{ index, header: trimmed(cellText(cell)) }],
  );
  const by = Map.groupBy(texts, ({ index }) => (isBlank(header.cells[index]) ? 'tall' : 'group'));
  const tall = (by.get('tall') ?? []).map((cell) => ({ ...cell, field: known.fieldOf(cell.header) }));
  const groups = new Map(by.get('group')?.map((text) => [text.index, text.header]));
  const groupOver = groupsOver(texts, groups, above);
  const inDollars = cells.map((cell) => withoutOtherUnit(cell, groupOver));
  // A single text is a title, unless it names an owner.
  if (groups.size === 0 || (texts.length < 2 && texts.every((text) => ownerOf(text.header, known) === undefined)))
    return inDollars;
  const columnsOf = Map.groupBy(inDollars, ({ field }) => field);
  const grouped = inDollars.map((cell) => {
    const group = groupOver(cell.index);
    return { cell, group, together: group === undefined ? undefined : fieldUnder(group, cell.header, known) };
  });
  const inParts = grouped.filter(
    ({ cell, group = '' }) => ownerOf(group, known) !== undefined && namePart(cell.header, '') !== undefined,
  );
  const madeKnown = [...tall.map(({ field }) => field), ...grouped.map(({ together }) => together)].filter(Boolean);
  if (madeKnown.length + inParts.length < MADE_KNOWN_MIN) return inDollars;
  const decided = new Set(grouped.flatMap(({ together }) => together?.name ?? []));
  const own = grouped.map(({ cell, group, together }) => {
    if (group === undefined || cell.why !== undefined) return cell;
    const named = { ...cell, group, owner: ownerOf(group, known) };
    const { field } = cell;
    const isOpen = field === undefined || shortMeaning(cell.header) === 'houseType';
    if (isOpen && together === undefined && saysNothing(group, cell.header)) return cell;
    if (field === undefined) return { ...named, field: together };
    const others = (columnsOf.get(field)?.length ?? 0) > 1 && decided.has(field.name);
    const elsewhere = PLACE_FIELDS.has(field.name) && headerPatterns.groups.otherAddress.test(group);
    return together?.name !== field.name && (others || elsewhere) ? { ...named, field: undefined } : named;
  });
  return [...own, ...tall].toSorted((a, b) => a.index - b.index);
}

function groupsOver(
  texts: readonly { readonly index: number }[],
  groups: ReadonlyMap<number, string>,
  above: SheetRow,
) {
  const startOf: number[] = [];
  for (const [place, { index }] of texts.entries())
    for (let column = index; column < (texts[place + 1]?.index ?? index + 1); column += 1) startOf[column] = index;
  const merged = new Set(
    above.remarks?.flatMap((remark) =>
      remark.kind === 'merged' && remark.firstColumn !== remark.column ? `${remark.column} ${remark.firstColumn}` : [],
    ),
  );
  return (column: number) => {
    const start = startOf[column] ?? texts.at(-1)?.index ?? -1;
    if (start > column) return undefined;
    const covered = start === column || merged.size === 0 || merged.has(`${column} ${start}`);
    return covered ? groups.get(start) : undefined;
  };
}

const AMOUNTS = new Set<FieldKind>(['money', 'area']);

function withoutOtherUnit(cell: NamedCell, groupOver: (column: number) => string | undefined) {
  if (cell.field === undefined || !AMOUNTS.has(cell.field.kind)) return cell;
  const group = groupOver(cell.index) ?? '';
  const unit = otherUnit(group);
  return unit === undefined ? cell : { ...cell, field: undefined, group, why: unitAdvice(unit) };
}
