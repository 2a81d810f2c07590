import { cellText, isBlank } from '../../domain/cells.ts';
import type { SheetRow } from '../../domain/row.ts';
import type { OrderField } from '../fields.ts';
import { parseRowKey } from '../own-workbooks.ts';
import { trimmed } from '../values/plain-text.ts';
import { ROW_KEY_HEADER, writtenOut } from './known-headers.ts';

/** The address parts, in the order of a street's parts. `place`: several of city, state and ZIP code. */
export type AddressPart =
  | 'number'
  | 'number suffix'
  | 'direction'
  | 'street'
  | 'type'
  | 'direction behind'
  | 'unit type'
  | 'unit'
  | 'city'
  | 'state'
  | 'zipcode'
  | 'plus four'
  | 'place';

/** The owner of an address. Inspections take place at `property`; `own` is the only address, or the insured's. */
export type Whose = 'property' | 'own' | 'mail' | 'other';

export interface AddressRole {
  readonly part: AddressPart;
  readonly whose: Whose;
  /** The number of its address; undefined if there are several candidates. */
  readonly set: number | undefined;
  /**
   * `location` may be a number, name or address: only a cell like a street counts. `loose`: only a plain house counts.
   */
  readonly weak?: 'location' | 'loose';
  /** Another house, as in `Location 2`. */
  readonly isAnother?: true;
}

/** Parts of a field that spans several columns, in order. */
export type ColumnPart = 'first name' | 'middle name' | 'last name' | 'name suffix' | 'one of several';

/** A header cell by itself. */
export interface NamedCell {
  readonly index: number;
  readonly header: string;
  readonly field: OrderField | undefined;
  readonly group?: string;
  /** The owner that the group names. */
  readonly owner?: 'Insured' | 'Agent';
  readonly address?: AddressRole;
  readonly part?: ColumnPart;
  /** Why it is not sent although its header is known. */
  readonly why?: string;
}

/** A header cell read with its row. */
export interface HeaderCell extends NamedCell {
  /** Ambiguous alone; its row makes it sure. */
  readonly short: boolean;
  /** Part of another table next to this one. */
  readonly apart: boolean;
  /** The number of its table, if several tables of orders are side by side. */
  readonly table?: number;
}

export interface FieldColumn {
  readonly index: number;
  readonly header: string;
  /** Its part, if several columns make up the field. */
  readonly part?: ColumnPart;
}

type Below = readonly SheetRow[];

const COUNT_DIGITS = /^[1-9]\d{0,6}$/;
/** Senders' own numbers are longer, and lists of orders shorter. */
const COUNT_MAX = 999;

/**
 * Number columns that may be order numbers or may count rows. Those with "inspection" in their name are order numbers.
 */
function mayCount({ header, field }: NamedCell): boolean {
  return field?.name === 'inspectionNumber' && !writtenOut(header).includes('inspection');
}

/** True for a column of small numbers only (1, 2, 3): they count rows, and another file's 1 is another order. */
function isRunningCount({ index }: NamedCell, below: Below, keyColumn: number | undefined): boolean {
  const filled = below.filter(({ cells }) => !isBlank(cells[index]));
  const counts = filled.map((row) => {
    const text = trimmed(cellText(row.cells[index])).replace(/\.0+$/, '');
    const origin = keyColumn === undefined ? undefined : parseRowKey(trimmed(cellText(row.cells[keyColumn])));
    return COUNT_DIGITS.test(text) && Number(text) <= Math.max(COUNT_MAX, origin?.rowNumber ?? 0);
  });
  return counts.length > 0 && counts.every(Boolean);
}

/** True for a column of four-digit ZIP code extensions only. */
export function holdsPlusFour({ index }: NamedCell, below: Below): boolean {
  const texts = textsBelow(index, below);
  return texts.length > 0 && texts.every((text) => /^-?\d{1,4}$/.test(text));
}

/** Drops a field that the values contradict: a running count is not an inspection number. */
export function asValuesSay(cells: readonly NamedCell[], below: Below): readonly NamedCell[] {
  const keyColumn = cells.find(({ header }) => header === ROW_KEY_HEADER)?.index;
  return cells.map((cell) => {
    if (mayCount(cell) && isRunningCount(cell, below, keyColumn)) {
      return {
        ...cell,
        field: undefined,
        why: 'it seems to count the rows, and an inspection number must be no other order’s. Head it "Inspection number" if it is your own number for the inspection',
      };
    }
    return cell;
  });
}

/** House number and street: required below `Location`. */
export const STREET = /^(?!loc(?:ation)?\b)(?=.*\d)(?=.*\p{L}{2}).*\s/iu;

/** A long word with a digit: required below `Policy`, which may name kinds of policies. */
const POLICY_NUMBER = /^(?=.*\d)[\p{L}\d/.-]{5,}$/u;

/** Whether values support the field of an ambiguous header. */
export function valuesGoWith(header: string, index: number, below: Below): boolean {
  const texts = textsBelow(index, below);
  return (
    writtenOut(header) !== 'policy' ||
    (texts.length > 0 && new Set(texts).size === texts.length && texts.every((text) => POLICY_NUMBER.test(text)))
  );
}

/** Whether most texts look like streets. */
export function holdsStreets(index: number, below: Below): boolean {
  const texts = textsBelow(index, below);
  return 2 * texts.filter((text) => STREET.test(text)).length >= texts.length;
}

const UNIT =
  /^(?:#|apt\b|apartment\b|unit\b|suite\b|ste\b|bldg\b|fl(?:oor)?\b|lot\b|rm\b)?[ .#]*[a-z]?-?\d{0,5}[a-z]?$/i;

/**
 * Whether at least half of the texts are units (`4B`, `Apt 3`, `12`), not of a business. A row with another text goes
 * back.
 */
export function holdsUnits(index: number, below: Below): boolean {
  const texts = textsBelow(index, below);
  return texts.length > 0 && 2 * texts.filter((text) => UNIT.test(text)).length >= texts.length;
}

function textsBelow(index: number, below: Below): readonly string[] {
  return below.map(({ cells }) => trimmed(cellText(cells[index]))).filter((text) => text !== '');
}

/** Whether most addresses end with a ZIP code. */
export function holdsWholeAddresses(index: number, below: Below): boolean {
  const texts = textsBelow(index, below);
  return texts.length > 0 && 2 * texts.filter((text) => /\D\d{5}(?:-\d{4})?$/.test(text)).length > texts.length;
}
