import type { SheetRow } from '../domain/row.ts';
import { cellText, isBlank } from './cells.ts';
import { ORDER_FIELDS } from './fields.ts';
import { fieldsNamed } from './header-row.ts';
import type { OrderTable } from './header-row.ts';
import { normalisedHeader } from './known-headers.ts';
import type { KnownHeaders } from './known-headers.ts';

/** What a row below the header is. Only `data` and `other-header` come out as rows; the rest is noted. */
export type RowKind = 'data' | 'total' | 'repeated-header' | 'only-its-key' | 'other-header';

const COUNTED = '(?:orders?|rows?|inspections?|policies|records?|properties|items?|lines?)';
const TOTAL_LABEL = new RegExp(`^\\s*(?:grand\\s+|sub-?\\s*)?(?:totals?|count|sum|average|avg)\\.?(?:\\s+(?:of\\s+)?${COUNTED})?\\s*[:=]?\\s*[\\d.,]*\\s*${COUNTED}?\\s*$`, 'i');
const REQUIRED_NAMES = ORDER_FIELDS.filter(({ required }) => required).map(({ name }) => name);

/** Tells data rows from totals, repeated headers and rows with nothing but their key. */
export function rowKind(row: SheetRow, table: OrderTable, known: KnownHeaders): RowKind {
  const filled = row.cells.flatMap((cell, index) => (isBlank(cell) ? [] : [{ cell, index }]));
  if (filled.every(({ index }) => index === table.keyColumn)) return 'only-its-key';
  if (isTotal(filled, table)) return 'total';
  if (!holdsFigures(filled) && fieldsNamed(row, known) > 0) return repeatsHeader(row, table) ? 'repeated-header' : 'other-header';
  return 'data';
}

type FilledCell = { readonly cell: SheetRow['cells'][number]; readonly index: number };

const FIGURES_MIN = 3;

/** Numbers, dates and addresses of e-mail: no header has several of them, and to ask each cell for its field takes time. */
function holdsFigures(filled: readonly FilledCell[]): boolean {
  return filled.filter(({ cell }) => cell?.kind !== 'text' || /^\d|@|\d{4}/.test(cell.text)).length >= FIGURES_MIN;
}

/** The first text says Total, and no required column holds anything but that text. */
function isTotal(filled: readonly FilledCell[], table: OrderTable): boolean {
  const label = filled.find(({ cell }) => cell?.kind === 'text');
  if (label === undefined || !TOTAL_LABEL.test(cellText(label.cell))) return false;
  const required = new Set(REQUIRED_NAMES.flatMap((name) => (table.columns.get(name) ?? []).map(({ index }) => index)));
  return filled.every(({ cell, index }) => index === label.index || !required.has(index) || isTotalFigure(cell));
}

/** A count or a sum may stand under a required column. */
function isTotalFigure(cell: SheetRow['cells'][number]): boolean {
  return cell?.kind === 'number' || cell?.kind === 'formula';
}

function repeatsHeader(row: SheetRow, { layout }: OrderTable): boolean {
  return layout.columns.every(({ index, header, field }) => field === null || normalisedHeader(cellText(row.cells[index])) === normalisedHeader(header));
}
