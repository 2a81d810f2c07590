import type { SheetRow } from '../domain/row.ts';
import { cellText, isBlank } from './cells.ts';
import type { ColumnPart } from './column-parts.ts';
import type { FieldName, OrderField } from './fields.ts';
import type { KnownHeaders } from './known-headers.ts';
import { trimmed } from './values/plain-text.ts';

/** A header cell before the others of its row have been looked at. */
export interface NamedCell {
  readonly index: number;
  readonly header: string;
  readonly field: OrderField | undefined;
  /** The group over it, in a header of two rows. */
  readonly group?: string;
  /** What it holds of a field that several columns make up together. */
  readonly part?: ColumnPart;
  /** Why it is not sent although its header is known. */
  readonly why?: string;
}

/** A line above the header that names groups of columns: `Insured` over Name, Phone and Email. A single text there is a title. */
const TEXTS_ABOVE_MIN = 2;
/** Columns that the line above must make known; what makes none known is a title of several words. */
const MADE_KNOWN_MIN = 2;

const ADDRESS: ReadonlySet<FieldName> = new Set(['streetAddress', 'city', 'state', 'zipcode', 'country']);
/** Whose address is not the property's. */
const OTHER_ADDRESS = /\b(?:mailing|mail|billing|agent|agency|producer|broker|carrier|company|mortgagee|lender|contact)\b/i;

/**
 * Reads a header together with the row above it, where that names groups. A name that says nothing by itself gets its group in front:
 * `Insured` over `Phone`. Where one name stands under several groups, the group decides: `Property` over `City` is the property's,
 * `Mailing` over `City` is not. A name above an empty cell is the name of that column, in a cell as tall as both rows.
 */
export function withGroups(cells: readonly NamedCell[], header: SheetRow, above: SheetRow | undefined, known: KnownHeaders): readonly NamedCell[] {
  if (above === undefined || above.rowNumber !== header.rowNumber - 1) return cells;
  const texts = above.cells.flatMap((cell, index) => (isBlank(cell) ? [] : [{ index, header: trimmed(cellText(cell)) }]));
  const tall = texts.filter(({ index }) => isBlank(header.cells[index])).map((cell): NamedCell => ({ ...cell, field: known.fieldOf(cell.header) }));
  const groups = new Map(texts.filter(({ index }) => !isBlank(header.cells[index])).map((text) => [text.index, text.header]));
  if (texts.length < TEXTS_ABOVE_MIN || groups.size === 0) return cells;
  const columnsOf = Map.groupBy(cells, ({ field }) => field);
  let before = -1;
  /** Asked for columns from left to right. */
  const groupOf = (columnIndex: number): string | undefined => {
    while ((texts[before + 1]?.index ?? Number.POSITIVE_INFINITY) <= columnIndex) before += 1;
    return groups.get(texts[before]?.index ?? -1);
  };
  const grouped = cells.map((cell) => {
    const group = groupOf(cell.index);
    return { cell, group, together: group === undefined ? undefined : known.fieldOf(`${group} ${cell.header}`) };
  });
  const madeKnown = [...tall.map(({ field }) => field), ...grouped.map(({ together }) => together)].filter((field) => field !== undefined);
  if (madeKnown.length < MADE_KNOWN_MIN) return cells;
  const decided = new Set(grouped.flatMap(({ together }) => (together === undefined ? [] : [together.name])));
  const own = grouped.map(({ cell, group, together }): NamedCell => {
    if (group === undefined) return cell;
    const { field } = cell;
    if (field === undefined) return { ...cell, field: together, group };
    const others = (columnsOf.get(field)?.length ?? 0) > 1 && decided.has(field.name);
    const elsewhere = ADDRESS.has(field.name) && OTHER_ADDRESS.test(group);
    return together?.name !== field.name && (others || elsewhere) ? { ...cell, field: undefined, group } : { ...cell, group };
  });
  return [...own, ...tall].toSorted((a, b) => a.index - b.index);
}
