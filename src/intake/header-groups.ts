import type { SheetRow } from '../domain/row.ts';
import type { AddressRole } from './address-columns.ts';
import { cellText, isBlank } from './cells.ts';
import { isNamePart } from './name-parts.ts';
import type { ColumnPart } from './name-parts.ts';
import type { FieldKind, FieldName, OrderField } from './fields.ts';
import { otherUnit, unitAdvice } from './known-headers.ts';
import type { KnownHeaders } from './known-headers.ts';
import { trimmed } from './values/plain-text.ts';

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

/** Columns that the line above must make known; what makes none known is a title of several words. */
const MADE_KNOWN_MIN = 2;

const ADDRESS: ReadonlySet<FieldName> = new Set(['streetAddress', 'city', 'state', 'zipcode', 'country']);
/** Whose address is not the property's. */
const OTHER_ADDRESS = /\b(?:mailing|mail|billing|agent|agency|producer|broker|carrier|company|mortgagee|lender|contact)\b/i;
const OF_GROUP = /\b(?:info(?:rmation)?|details?|data|contacts?|section)\b/gi;

/** Whose columns a group names, in the words of our own headers: `Insured` for `Primary Named Insured Information`; undefined for anybody else. */
function ownerOf(group: string, known: KnownHeaders): 'Insured' | 'Agent' | undefined {
  const field = (known.fieldOf(group) ?? known.fieldOf(withoutTail(group)))?.name;
  if (field === 'insuredName') return 'Insured';
  return field === 'agentName' ? 'Agent' : undefined;
}

function withoutTail(group: string): string {
  return group.replace(OF_GROUP, ' ').trim();
}

/** The field of a header under a group. */
function fieldUnder(group: string, header: string, known: KnownHeaders): OrderField | undefined {
  const names = [group, withoutTail(group), ownerOf(group, known)].filter((name) => name !== undefined && name !== '');
  return names.map((name) => known.fieldOf(`${name} ${header}`)).find((field) => field !== undefined);
}

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
  const groupOver = groupsOver(texts, groups, above);
  const inDollars = cells.map((cell) => withoutOtherUnit(cell, groupOver));
  // A single text above is a title, unless it says whose the columns are.
  if (groups.size === 0 || (texts.length < 2 && texts.every((text) => ownerOf(text.header, known) === undefined))) return inDollars;
  const columnsOf = Map.groupBy(inDollars, ({ field }) => field);
  const grouped = inDollars.map((cell) => {
    const group = groupOver(cell.index);
    return { cell, group, together: group === undefined ? undefined : fieldUnder(group, cell.header, known) };
  });
  const inParts = grouped.filter(({ cell, group }) => group !== undefined && ownerOf(group, known) !== undefined && isNamePart(cell.header));
  const madeKnown = [...tall.map(({ field }) => field), ...grouped.map(({ together }) => together)].filter((field) => field !== undefined);
  if (madeKnown.length + inParts.length < MADE_KNOWN_MIN) return inDollars;
  const decided = new Set(grouped.flatMap(({ together }) => (together === undefined ? [] : [together.name])));
  const own = grouped.map(({ cell, group, together }): NamedCell => {
    if (group === undefined || cell.why !== undefined) return cell;
    const owner = ownerOf(group, known);
    const named = { ...cell, group, ...(owner === undefined ? {} : { owner }) };
    const { field } = cell;
    if (field === undefined) return { ...named, field: together };
    const others = (columnsOf.get(field)?.length ?? 0) > 1 && decided.has(field.name);
    const elsewhere = ADDRESS.has(field.name) && OTHER_ADDRESS.test(group);
    return together?.name !== field.name && (others || elsewhere) ? { ...named, field: undefined } : named;
  });
  return [...own, ...tall].toSorted((a, b) => a.index - b.index);
}

/** The group over each column: the last text to its left, as far as its cell is merged, where cells of that row are. */
function groupsOver(texts: readonly { readonly index: number }[], groups: ReadonlyMap<number, string>, above: SheetRow): (column: number) => string | undefined {
  const startOf: number[] = [];
  for (const [place, { index }] of texts.entries()) for (let column = index; column < (texts[place + 1]?.index ?? index + 1); column += 1) startOf[column] = index;
  const across = (above.remarks ?? []).filter((remark) => remark.kind === 'merged' && remark.firstColumn !== remark.column);
  const merged = new Set(across.map((remark) => (remark.kind === 'merged' ? `${String(remark.column)} ${String(remark.firstColumn)}` : '')));
  return (column) => {
    const start = startOf[column] ?? texts.at(-1)?.index ?? -1;
    if (start > column) return undefined;
    const covered = start === column || across.length === 0 || merged.has(`${String(column)} ${String(start)}`);
    return covered ? groups.get(start) : undefined;
  };
}

const AMOUNTS: ReadonlySet<FieldKind> = new Set(['money', 'area']);

/** `Limits (000s)` over columns of amounts says of each that it is not in dollars. */
function withoutOtherUnit(cell: NamedCell, groupOver: (column: number) => string | undefined): NamedCell {
  if (cell.field === undefined || !AMOUNTS.has(cell.field.kind)) return cell;
  const group = groupOver(cell.index) ?? '';
  const unit = otherUnit(group);
  return unit === undefined ? cell : { ...cell, field: undefined, group, why: unitAdvice(unit) };
}
