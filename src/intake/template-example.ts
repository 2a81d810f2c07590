import { cellText } from '../domain/cells.ts';
import type { SheetRow } from '../domain/row.ts';
import { type FieldName, ORDER_FIELDS, type OrderField } from './fields.ts';
import type { OrderTable } from './header/header-row.ts';
import { error } from './rules.ts';

/** Mark the template's example: no order has these values. */
const MARKS: Readonly<Partial<Record<FieldName, string>>> = {
  inspectionNumber: 'EXAMPLE-1',
  policyNumber: 'EXAMPLE-1',
  streetAddress: '1 Example Street',
  insuredName: 'Example Insured',
  note: 'An example. It is never ordered: write over it, or delete the row.',
};
const MARKED = ORDER_FIELDS.filter(({ name }) => name in MARKS);

export function exampleValue({ name, required, example, kind }: OrderField) {
  return MARKS[name] ?? (required || kind === 'date' ? example : '');
}

/** Otherwise the remains of the example: it is unclear which cells of their row are meant. */
export function findExample({ cells }: SheetRow, { columns }: OrderTable) {
  const held = (name: FieldName) => (columns.get(name) ?? []).map(({ index }) => cellText(cells[index]).trim());
  const left = MARKED.filter(({ name }) => held(name).some((text) => isSame(text, MARKS[name])));
  const isExample = (field: OrderField) =>
    held(field.name).every((text) => text === '' || isSame(text, exampleValue(field)));
  if (left.length > 0 && ORDER_FIELDS.every(isExample)) return 'example';
  return left.map(({ name }) => error(name, 'example-left-over', { held: held(name)[0] ?? '' }));
}

function isSame(held: string, text = '') {
  return held.toLowerCase() === text.toLowerCase();
}
