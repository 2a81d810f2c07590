import { cellText, isBlank } from '../../domain/cells.ts';
import type { SheetRow } from '../../domain/row.ts';
import type { OrderField } from '../fields.ts';
import { parseRowKey } from '../own-workbooks.ts';
import { trimmed } from '../values/plain-text.ts';
import { ROW_KEY_HEADER, writtenOut } from './known-headers.ts';

/** What a column holds of an address, in the order in which the parts of a street stand. `place`: several of city, state and ZIP code. */
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

/** Whose address it is. An inspection is ordered at the property; `own` is the one address of most files, or the insured's. */
export type Whose = 'property' | 'own' | 'mail' | 'other';

/** What a column has to do with the addresses of its row. */
export interface AddressRole {
  readonly part: AddressPart;
  readonly whose: Whose;
  /** The address it belongs to, by number; undefined where it could belong to several. */
  readonly set: number | undefined;
  /** `location`: it may be a number, a name or an address: only a cell that looks like a street is one. `loose`: only one that is plainly a house. */
  readonly weak?: 'location' | 'loose';
  /** It names another house than the first, as `Location 2` does. */
  readonly isAnother?: true;
}

/** What a column holds of a field that several columns make up together; in the order in which they stand in the whole. */
export type ColumnPart = 'first name' | 'middle name' | 'last name' | 'name suffix' | 'one of several';

/** A header cell before the others of its row have been looked at. */
export interface NamedCell {
  readonly index: number;
  readonly header: string;
  readonly field: OrderField | undefined;
  /** The group over it, in a header of two rows. */
  readonly group?: string;
  /** Whose columns that group names. */
  readonly owner?: 'Insured' | 'Agent';
  /** What it has to do with the addresses of the row. */
  readonly address?: AddressRole;
  /** What it holds of a field that several columns make up together. */
  readonly part?: ColumnPart;
  /** Why it is not sent although its header is known. */
  readonly why?: string;
}

/** A header cell, read together with the others of its row. */
export interface HeaderCell extends NamedCell {
  /** The header says too little by itself; the others of its row make it sure. */
  readonly short: boolean;
  /** It belongs to another table beside this one. */
  readonly apart: boolean;
  /** Which of several tables of orders it belongs to that stand side by side, by number. */
  readonly table?: number;
}

/** A column that was matched to a field. */
export interface FieldColumn {
  readonly index: number;
  readonly header: string;
  /** What it holds of the field, where several columns make it up together. */
  readonly part?: ColumnPart;
}

/** The first rows below a header, for what headers alone cannot tell. */
type Below = readonly SheetRow[];

const COUNT_DIGITS = /^[1-9]\d{0,6}$/;
/** No sender's own numbers are so short, and no shorter list of orders runs further. */
const COUNT_MAX = 999;

/** Columns of numbers that may be an order's own, and may count its rows. Those with "inspection" in their name are its own. */
function mayCount({ header, field }: NamedCell): boolean {
  return field?.name === 'inspectionNumber' && !writtenOut(header).includes('inspection');
}

/** True where a column holds nothing but small numbers, such as 1, 2, 3: they count rows, and another file's 1 is another order. */
function isRunningCount({ index }: NamedCell, below: Below, keyColumn: number | undefined): boolean {
  const filled = below.filter(({ cells }) => !isBlank(cells[index]));
  const counts = filled.map((row) => {
    const text = trimmed(cellText(row.cells[index])).replace(/\.0+$/, '');
    const origin = keyColumn === undefined ? undefined : parseRowKey(trimmed(cellText(row.cells[keyColumn])));
    return COUNT_DIGITS.test(text) && Number(text) <= Math.max(COUNT_MAX, origin?.rowNumber ?? 0);
  });
  return counts.length > 0 && counts.every(Boolean);
}

/** True for a column that holds the four digits behind a ZIP code and nothing else. */
export function holdsPlusFour({ index }: NamedCell, below: Below): boolean {
  const texts = textsBelow(index, below);
  return texts.length > 0 && texts.every((text) => /^-?\d{1,4}$/.test(text));
}

/** Drops the field of a header that the values below it contradict: a running count is not an inspection number. */
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

/** A house number and a street: what a column headed `Location` must hold to be an address. */
export const STREET = /^(?!loc(?:ation)?\b)(?=.*\d)(?=.*\p{L}{2}).*\s/iu;

/** A long word with a digit in it: what a column headed `Policy` must hold to be policy numbers, and not the kinds of policies. */
const POLICY_NUMBER = /^(?=.*\d)[\p{L}\d/.-]{5,}$/u;

/** Whether the values below a header that says little go with the field that it could stand for. */
export function valuesGoWith(header: string, index: number, below: Below): boolean {
  const texts = textsBelow(index, below);
  return (
    writtenOut(header) !== 'policy' ||
    (texts.length > 0 && new Set(texts).size === texts.length && texts.every((text) => POLICY_NUMBER.test(text)))
  );
}

/** Whether most of a column's texts look like streets. */
export function holdsStreets(index: number, below: Below): boolean {
  const texts = textsBelow(index, below);
  return 2 * texts.filter((text) => STREET.test(text)).length >= texts.length;
}

const UNIT =
  /^(?:#|apt\b|apartment\b|unit\b|suite\b|ste\b|bldg\b|fl(?:oor)?\b|lot\b|rm\b)?[ .#]*[a-z]?-?\d{0,5}[a-z]?$/i;

/** Whether at least half of a column's texts are such as `4B`, `Apt 3` or `12`, and not units of a business. A row with another text goes back. */
export function holdsUnits(index: number, below: Below): boolean {
  const texts = textsBelow(index, below);
  return texts.length > 0 && 2 * texts.filter((text) => UNIT.test(text)).length >= texts.length;
}

function textsBelow(index: number, below: Below): readonly string[] {
  return below.map(({ cells }) => trimmed(cellText(cells[index]))).filter((text) => text !== '');
}

/** Whether most of a column's addresses end with a ZIP code. */
export function holdsWholeAddresses(index: number, below: Below): boolean {
  const texts = textsBelow(index, below);
  return texts.length > 0 && 2 * texts.filter((text) => /\D\d{5}(?:-\d{4})?$/.test(text)).length > texts.length;
}
