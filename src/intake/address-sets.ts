import type { FieldName } from './fields.ts';
import type { NamedCell } from './header-groups.ts';
import { writtenOut } from './known-headers.ts';
import { couldStandFor } from './short-headers.ts';

const PARTS: readonly FieldName[] = ['streetAddress', 'city', 'state', 'zipcode'];
const OF_PROPERTY = /^(?:property|risk|location|inspection|site|premises|loss|situs|physical|dwelling|building|coveredproperty|subjectproperty|insuredlocation|insuredproperty)./;
const OF_INSURED = /^insured(?!location|property)/;
const OTHER_STREET = /^(?:mailing|mail|billing)(?:street|address)/;

function textOf({ header, group }: NamedCell): string {
  return writtenOut(group === undefined ? header : `${group} ${header}`);
}

/** The part of an address that a column is, or could be. */
function partOf({ header, field }: NamedCell): FieldName | undefined {
  const name = field?.name ?? couldStandFor(header);
  return name !== undefined && PARTS.includes(name) ? name : undefined;
}

/** True for a street that is nobody's property: the one to which the mail goes. */
export function isOtherStreet(cell: NamedCell): boolean {
  return cell.field === undefined && OTHER_STREET.test(textOf(cell));
}

/**
 * Which address is the property's, in a row with several: where street, city, state and ZIP code are each named as the property's, the
 * insured's address is where the mail goes, and so are a plain city, state and ZIP code right behind a mailing address.
 */
export function withoutMailingAddress(cells: readonly NamedCell[]): readonly NamedCell[] {
  const ofProperty = cells.filter((cell) => OF_PROPERTY.test(textOf(cell)) || (partOf(cell) === 'streetAddress' && textOf(cell).endsWith('location')));
  if (!PARTS.every((part) => ofProperty.some((cell) => partOf(cell) === part))) return cells;
  const property = new Set(ofProperty);
  const why = `it is taken for the mailing address, since ${quotedHeader(ofProperty)} says where the property is`;
  let behindMail = false;
  return cells.map((cell) => {
    if (property.has(cell)) behindMail = false;
    else if (isOtherStreet(cell)) behindMail = true;
    else if (partOf(cell) === undefined) behindMail &&= cell.field === undefined || cell.field.name === 'country';
    else if (behindMail || OF_INSURED.test(textOf(cell))) return { ...cell, field: undefined, why };
    return cell;
  });
}

function quotedHeader(cells: readonly NamedCell[]): string {
  return `"${cells.find((cell) => partOf(cell) === 'streetAddress')?.header ?? ''}"`;
}
