import { cellAddress, formatList, quoted, type Cell } from '../domain/cells.ts';
import { addressWords } from '../domain/identity.ts';
import type { SheetRow } from '../domain/row.ts';
import { type AddressField, fieldNamed, type OrderField } from './fields.ts';
import type { AddressColumn } from './header/address-columns.ts';
import { type FieldColumn, STREET_ORDER } from './header/columns.ts';
import { error, type FieldProblem } from './rules.ts';
import type { Parts } from '../domain/sentences.ts';
import {
  addressPatterns,
  endsWithWords,
  isWholeStreet,
  isUnit,
  referredAddress,
  unitsIn,
} from './values/address-text.ts';
import { type Coercion, sentText } from './values/coercion.ts';
import { joinReasons } from './values/plain-text.ts';

export type ReadStreetCell = (cell: Cell | undefined, column: FieldColumn, field: OrderField) => Coercion;

export type StreetProblem = FieldProblem & { readonly column: FieldColumn };

export function streetProblem(
  column: FieldColumn | undefined,
  code: string,
  parts: Parts,
  field: AddressField = 'streetAddress',
): StreetProblem {
  return { ...error(field, code, parts), column: column ?? { index: 0, header: '' } };
}

type StreetPart = Readonly<{ column: AddressColumn; text: string; why: string | undefined }>;

export function joinedStreet(
  columns: readonly AddressColumn[],
  row: SheetRow,
  read: ReadStreetCell,
  streetAlone: string | undefined,
): Readonly<{ text: string; why: string | undefined }> | { readonly flaw: StreetProblem } {
  const field = fieldNamed('streetAddress');
  const parts = [];
  for (const column of columns
    .filter(({ role }) => STREET_ORDER.includes(role.part))
    .toSorted((a, b) => STREET_ORDER.indexOf(a.role.part) - STREET_ORDER.indexOf(b.role.part))) {
    const cell = row.cells[column.index];
    const coerced = read(cell, column, column.role.part === 'street' ? field : { ...field, required: false });
    if (coerced.kind === 'wrong') {
      const { rule, message } = coerced;
      return { flaw: { severity: 'error', rule, field: 'streetAddress', message, column } };
    }
    if (column.role.part === 'unit' && coerced.kind === 'value') {
      const unit = sentText(coerced.value);
      if (referredAddress(unit) === 'nothing') continue;
      if (/\b(?:unit|apt|apartment|suite|ste\b)/i.test(column.header) ? !isUnit(unit) : /^\D{0,12}0+$/.test(unit))
        return { flaw: streetProblem(column, 'unit-not-certain/none', { unit, header: column.header }) };
    }
    const alone = column.role.part === 'street' ? streetAlone : undefined;
    if (coerced.kind === 'value')
      parts.push({
        column,
        text: alone ?? sentText(coerced.value),
        why: alone === undefined ? coerced.why : undefined,
      });
  }
  const place = ({ column, text }: StreetPart) => `${cellAddress(column.index, row.rowNumber)} ${quoted(text)}`;
  const street = parts.find(({ column }) => column.role.part === 'street');
  const own = parts.find(
    ({ column, text }) =>
      column.role.part === 'unit' &&
      street !== undefined &&
      isWholeStreet(text) &&
      isWholeStreet(street.text) &&
      !endsWithWords(addressWords(street.text), addressWords(text)),
  );
  const text = own === undefined ? joinedParts(parts) : undefined;
  if (text === undefined)
    return {
      flaw: streetProblem(street?.column ?? parts[0]?.column, 'columns-disagree/street', {
        places: formatList(parts.map(place)),
      }),
    };
  return {
    text,
    why: joinReasons(
      parts.some((part) => part.text === text) ? undefined : `put together from ${formatList(parts.map(place))}`,
      ...parts.map(({ why }) => why),
    ),
  };
}

/** Undefined if two house numbers or units differ. */
function joinedParts(parts: readonly StreetPart[]) {
  let whole = '';
  let unitType = '';
  for (const { column, text } of parts) {
    const { part } = column.role;
    const said = addressWords(text);
    if (part === 'unit type') unitType = text;
    else if (part === 'unit') {
      const unit = unitType === '' ? designated(text, column.header) : `${unitType} ${text}`;
      const known = unitsIn(whole).units;
      const { units, rest } = unitsIn(unit);
      unitType = '';
      if ([...units].some(([kind, value]) => (known.get(kind) ?? value) !== value)) return undefined;
      if (units.size > 0 && rest === '' && [...units.keys()].every((kind) => known.has(kind))) continue;
      if (!endsWithWords(addressWords(whole), said) && !endsWithWords(addressWords(whole), addressWords(unit)))
        whole = `${whole}, ${unit}`;
    } else if (part === 'street' && whole !== '') {
      const number = addressWords(whole);
      const [first] = said;
      if (/^\d+[a-z]?\s/i.test(text) && first !== number[0]) return undefined;
      if (first === number[0]) whole = text;
      else whole = first === number.at(-1) ? `${whole.split(' ').slice(0, -1).join(' ')} ${text}` : `${whole} ${text}`;
    } else if ((part === 'type' || part === 'direction behind') && endsWithWords(addressWords(whole), said)) continue;
    else whole = whole === '' ? text : `${whole} ${text}`;
  }
  return whole;
}

function designated(text: string, header: string) {
  const { designated: known, ofHeaders } = addressPatterns();
  const kind = Object.entries(ofHeaders).find(([, pattern]) => pattern.test(header))?.[0];
  return kind === undefined || known.test(text) || addressWords(text).length > 2 ? text : `${kind} ${text}`;
}
