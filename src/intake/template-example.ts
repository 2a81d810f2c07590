import { cellAddress, cellText, isBlank, quoted } from '../domain/cells.ts';
import type { Problem, RowOutcome, SheetRow } from '../domain/row.ts';
import { type FieldName, fieldNamed, ORDER_FIELDS, type OrderField } from './fields.ts';
import type { OrderTable } from './header/header-row.ts';

/** Mark the template's example: no order has these values. */
const MARKS: Readonly<Partial<Record<FieldName, string>>> = {
  inspectionNumber: 'EXAMPLE-1',
  policyNumber: 'EXAMPLE-1',
  streetAddress: '1 Example Street',
  insuredName: 'Example Insured',
  note: 'An example. It is never ordered: write over it, or delete the row.',
};

const MARKED = ORDER_FIELDS.map(({ name }) => name).filter((name) => name in MARKS);

export function exampleValue({ name, required, example, kind }: OrderField): string {
  return MARKS[name] ?? (required || kind === 'date' ? example : '');
}

export function findExample(
  row: SheetRow,
  table: OrderTable,
): { readonly kind: 'no' | 'example' } | { readonly kind: 'left over'; readonly fields: readonly FieldName[] } {
  const left = MARKED.filter((name) =>
    (table.columns.get(name) ?? []).some(({ index }) => holdsText(row, index, MARKS[name] ?? '')),
  );
  if (left.length === 0) return { kind: 'no' };
  const only = ORDER_FIELDS.every((field) =>
    (table.columns.get(field.name) ?? []).every(
      ({ index }) => isBlank(row.cells[index]) || holdsText(row, index, exampleValue(field)),
    ),
  );
  return only ? { kind: 'example' } : { kind: 'left over', fields: left };
}

function holdsText({ cells }: SheetRow, index: number, text: string) {
  return cellText(cells[index]).trim().toLowerCase() === text.toLowerCase();
}

/** Rejects a row with remains of the example: it is unclear which cells are meant. */
export function rejectLeftOvers(
  outcome: RowOutcome,
  fields: readonly FieldName[],
  { columns }: OrderTable,
): RowOutcome {
  const { record, repairs } = outcome;
  const found = fields.map((name): Problem => {
    const column = columns.get(name)?.[0];
    const address = column === undefined ? null : cellAddress(column.index, record.place.rowNumber);
    const value = column === undefined ? '' : cellText(record.cells[column.index]);
    const message = `${fieldNamed(name)?.title ?? name}${address === null ? '' : ` (${address})`}: ${quoted(value)} is left over from the example of the template. Write the order's own, or empty the cell; check that nothing else of the example is left in the row.`;
    return {
      severity: 'error',
      rule: 'example-left-over',
      field: name,
      column: column?.header ?? null,
      cell: address,
      value,
      message,
    };
  });
  return {
    kind: 'rejection',
    record,
    repairs,
    problems: [...found, ...(outcome.kind === 'order' ? outcome.warnings : outcome.problems)],
  };
}
