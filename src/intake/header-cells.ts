import type { SheetRow } from '../domain/row.ts';
import { withAddresses } from './address-columns.ts';
import { cellText, isBlank } from './cells.ts';
import { fieldNamed, ORDER_FIELDS } from './fields.ts';
import type { FieldName } from './fields.ts';
import { withGroups } from './header-groups.ts';
import type { NamedCell } from './header-groups.ts';
import { ROW_KEY_HEADER } from './known-headers.ts';
import type { KnownHeaders } from './known-headers.ts';
import { withNameParts, withUnheadedNames } from './name-parts.ts';
import { couldStandFor, phoneRank, shortHeaderField } from './short-headers.ts';
import type { Neighbour } from './short-headers.ts';
import { trimmed } from './values/plain-text.ts';
import { asValuesSay, valuesGoWith } from './values-below.ts';

/** Fewer known headers than these do not make a header row. */
const FIELDS_MIN = 4;
/** A list of states, services and house types is no table of orders: an order names a place, a person or a number. */
const NAMES_AN_ORDER: ReadonlySet<FieldName> = new Set(['streetAddress', 'insuredName', 'policyNumber', 'inspectionNumber']);
const REQUIRED = ORDER_FIELDS.filter(({ required }) => required).map(({ name }) => name);

/** A header cell, read together with the others of its row. */
export interface HeaderCell extends NamedCell {
  /** The header says too little by itself; the others of its row make it sure. */
  readonly short: boolean;
  /** It belongs to another table beside this one. */
  readonly apart: boolean;
}

function namedCells(row: SheetRow, known: KnownHeaders): NamedCell[] {
  return row.cells.flatMap((cell, index): NamedCell[] => {
    if (isBlank(cell)) return [];
    const header = trimmed(cellText(cell));
    return [{ index, header, field: header === ROW_KEY_HEADER ? undefined : known.fieldOf(header) }];
  });
}

/** Reads the cells of a header, with the row above it and the first rows below it where they are at hand. */
export function headerCells(row: SheetRow, known: KnownHeaders, above: SheetRow | undefined, below: readonly SheetRow[] = []): readonly HeaderCell[] {
  const cells = withUnheadedNames(withGroups(namedCells(row, known), row, above, known), row, below);
  const blocks = below.length === 0 ? [cells] : blocksOf(cells, below);
  const read = blocks.map((block) => blockCells(block, known, below));
  const own = read.filter((block) => REQUIRED.every((name) => block.some(({ field }) => field?.name === name)));
  const [table] = own;
  // A second table that names orders as well must not go unread: its columns contradict the first one's, and its rows go back.
  if (read.length < 2 || own.length !== 1 || read.some((block) => block !== table && namesOrders(block))) return blockCells(cells, known, below);
  return read.flatMap((block) => (block === table ? block : block.map((cell): HeaderCell => (cell.header === ROW_KEY_HEADER ? cell : { ...cell, field: undefined, short: false, apart: true }))));
}

/** How many different fields cells name; 0 where they cannot be the headers of orders. */
export function fieldsOf(cells: readonly HeaderCell[]): number {
  const named = new Set(cells.flatMap(({ field }) => (field === undefined ? [] : [field.name])));
  return named.size >= FIELDS_MIN && [...named].some((name) => NAMES_AN_ORDER.has(name)) ? named.size : 0;
}

function namesOrders(cells: readonly HeaderCell[]): boolean {
  return fieldsOf(cells) > 0;
}

/** Empty columns that end a table. */
const GAP_MIN = 2;

/** The header's cells in the blocks between which columns are empty, header and all. */
function blocksOf(cells: readonly NamedCell[], below: readonly SheetRow[]): NamedCell[][] {
  const blocks: NamedCell[][] = [];
  for (const cell of cells) {
    const last = blocks.at(-1)?.at(-1)?.index;
    const gap = last === undefined || (cell.index - last > GAP_MIN && below.every((row) => row.cells.slice(last + 1, cell.index).every(isBlank)));
    if (gap) blocks.push([cell]);
    else blocks.at(-1)?.push(cell);
  }
  return blocks;
}

function blockCells(block: readonly NamedCell[], known: KnownHeaders, below: readonly SheetRow[]): readonly HeaderCell[] {
  const cells = asValuesSay(withAddresses(block, known, below), below);
  const fields = new Set(cells.flatMap(({ field }) => (field === undefined ? [] : [field.name])));
  const agentUnnamed = (fields.has('agentPhone') || fields.has('agentEmail')) && !fields.has('agentName');
  return withShortHeaders(withNameParts(cells, agentUnnamed), known, below);
}

/** What stands under a group that did not make it known belongs to something else: a lender's phone is not the insured's. */
function isOpen({ index, header, field, group, why, address }: NamedCell, known: KnownHeaders, below: readonly SheetRow[]): boolean {
  if (field !== undefined || group !== undefined || why !== undefined || address !== undefined || known.isIgnored(header)) return false;
  const could = couldStandFor(header);
  return could !== undefined && valuesGoWith(header, index, below);
}

function withShortHeaders(cells: readonly NamedCell[], known: KnownHeaders, below: readonly SheetRow[]): readonly HeaderCell[] {
  const fields = new Set(cells.flatMap(({ field }) => (field === undefined ? [] : [field.name])));
  const open = Map.groupBy(cells.filter((cell) => isOpen(cell, known, below)), ({ header }) => couldStandFor(header));
  const openCells = new Set([...open.values()].flat());
  const could = new Set([...open.keys()].filter((name) => name !== undefined));
  return cells.map((cell, at): HeaderCell => {
    const rivals = openCells.has(cell) ? (open.get(couldStandFor(cell.header)) ?? []) : [];
    const several = rivals.length > 1 && areSeveralPhones(rivals);
    const name = rivals.length === 1 || several ? shortHeaderField(cell.header, { headers: [], fields, leftOf: neighbour(cells, at), could }) : undefined;
    if (name === undefined) return { ...cell, short: false, apart: false };
    return { ...cell, field: fieldNamed(name), short: true, apart: false, ...(several ? { part: 'one of several' } : {}) };
  });
}

/** Home, cell and work phone: all of them the insured's, and each of another kind. */
function areSeveralPhones(cells: readonly NamedCell[]): boolean {
  const ranks = cells.map(({ header }) => phoneRank(header));
  return !ranks.includes(undefined) && new Set(ranks).size === ranks.length;
}

const SOMEBODYS: ReadonlySet<FieldName> = new Set(['insuredName', 'insuredPhone', 'insuredEmail']);
const AGENTS: ReadonlySet<FieldName> = new Set(['agentName', 'agentPhone', 'agentEmail']);
const ADDRESS: ReadonlySet<FieldName> = new Set(['streetAddress', 'city', 'state', 'zipcode', 'country']);

/** Whose columns stand to the left of a column, with nothing but an address and other contacts between. */
function neighbour(cells: readonly NamedCell[], at: number): Neighbour {
  for (let left = at - 1; left >= 0; left -= 1) {
    const cell = cells[left];
    const name = cell?.field?.name ?? (cell === undefined ? undefined : couldStandFor(cell.header));
    if (name === undefined) return undefined;
    if (AGENTS.has(name)) return 'agent';
    if (cell?.field !== undefined && SOMEBODYS.has(name)) return 'insured';
    if (!ADDRESS.has(name) && !SOMEBODYS.has(name)) return undefined;
  }
  return undefined;
}
