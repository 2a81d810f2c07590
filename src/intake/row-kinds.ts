import type { RowOutcome, SheetRow } from '../domain/row.ts';
import { cellAddress, cellText, inWords, isBlank, quoted } from './cells.ts';
import type { FieldName } from './fields.ts';
import { fieldsNamed } from './header-row.ts';
import type { OrderTable } from './header-row.ts';
import { normalisedHeader } from './known-headers.ts';
import type { KnownHeaders } from './known-headers.ts';

/** What a row below the header is. Only `data` and `other-header` come out as rows; the rest is noted. */
export type RowKind = 'data' | 'total' | 'repeated-header' | 'only-its-key' | 'other-header' | 'no-order' | 'beside';

const COUNTED = '(?:orders?|rows?|inspections?|policies|records?|properties|items?|lines?)';
const TOTAL_LABEL = new RegExp(`^\\s*(?:grand\\s+|sub-?\\s*)?(?:totals?|count|sum|average|avg)\\.?(?:\\s+(?:of\\s+)?${COUNTED})?(?:\\s*[:=])?(?:\\s*[\\d.,]+)?(?:\\s*${COUNTED})?\\s*$`, 'i');

/** Tells data rows from totals, repeated headers and rows with nothing but their key. */
export function rowKind(row: SheetRow, table: OrderTable, known: KnownHeaders): RowKind {
  const filled = row.cells.flatMap((cell, index) => (isBlank(cell) ? [] : [{ cell, index }]));
  if (filled.every(({ index }) => index === table.keyColumn)) return 'only-its-key';
  if (isTotal(filled, table)) return 'total';
  if (table.apart !== undefined && filled.every(({ index }) => table.apart?.has(index))) return 'beside';
  if (isNoOrder(filled, table)) return 'no-order';
  if (!holdsFigures(filled) && fieldsNamed(row, known) > 0) return repeatsHeader(row, table) ? 'repeated-header' : 'other-header';
  return 'data';
}

type FilledCell = { readonly cell: SheetRow['cells'][number]; readonly index: number };

const FIGURES_MIN = 3;

/** Numbers, dates and addresses of e-mail: no header has several of them, and to ask each cell for its field takes time. */
function holdsFigures(filled: readonly FilledCell[]): boolean {
  return filled.filter(({ cell }) => cell?.kind !== 'text' || /^\d|@|\d{4}/.test(cell.text)).length >= FIGURES_MIN;
}

/** The row begins with a text that says Total, and holds nothing besides but counts and sums: whoever is called Count has a policy, a date or a city. */
function isTotal(filled: readonly FilledCell[], { columns, layout, keyColumn }: OrderTable): boolean {
  if (filled.some(({ index }) => index === keyColumn)) return false;
  const fieldOf = (column: number): string | null | undefined => layout.columns.find(({ index }) => index === column)?.field;
  const at = filled.findIndex(({ cell }) => isTotalLabel(cell));
  const before = filled.slice(0, Math.max(at, 0));
  if (at === -1 || before.some(({ cell, index }) => (fieldOf(index) ?? null) !== null || !isFigure(cell))) return false;
  const known = new Set([...KNOWN_BY].flatMap((name) => (columns.get(name) ?? []).map(({ index }) => index)));
  return filled.slice(at + 1).every(({ cell, index }) => (isFigure(cell) || isTotalLabel(cell)) && !(known.has(index) && cellText(cell).replace(/\D/g, '').length > COUNT_DIGITS_MAX));
}

/** What is longer in a column by which an order is known is a number of its own, and no count. */
const COUNT_DIGITS_MAX = 4;
const KNOWN_BY: ReadonlySet<FieldName> = new Set(['policyNumber', 'inspectionNumber', 'zipcode', 'insuredPhone']);

const LABEL_LENGTH_MAX = 80;

function isTotalLabel(cell: SheetRow['cells'][number]): boolean {
  return cell?.kind === 'text' && cell.text.length <= LABEL_LENGTH_MAX && TOTAL_LABEL.test(cell.text);
}

/** A count or a sum. */
function isFigure(cell: SheetRow['cells'][number]): boolean {
  return cell?.kind === 'number' || cell?.kind === 'formula' || (cell?.kind === 'text' && /^[-$\d.,()\s]+$/.test(cell.text) && /[\d-]/.test(cell.text));
}

const NOTE_OF_PROGRAM = new RegExp(
  [
    '^page\\s+\\d+(?:\\s*(?:of|/)\\s*\\d+)?$',
    '^\\W*end of (?:report|file|list|data|orders?)\\W*$',
    `^(?:#|no\\.?|number|count|total(?: number)?)\\s*of\\s+${COUNTED}(?:\\s*[:=])?\\s*\\d*$`,
    `^\\(?\\d+\\s+${COUNTED}\\s+(?:selected|returned|exported|printed|found|total|in total)\\.?\\)?$`,
    '^(?:agency|agent|producer|broker|branch|office|region|division|carrier|company|territory|underwriter)\\s*:\\s*\\S',
  ].join('|'),
  'i',
);
const LINE = /^[-=_*~.\s]{3,}$/;
const SUBTOTAL = /^\s*sub-?\s?total\b/i;
/** Columns whose cells are never a text without a digit. */
const DIGITS_NEEDED: ReadonlySet<FieldName> = new Set(['policyNumber', 'inspectionNumber', 'policyEffectiveDate', 'zipcode', 'insuredPhone']);
const WORDS_MAX = 4;

/** True where it is sure that a row holds no order: lines, the notes that programs print between and below rows, and titles of groups. */
function isNoOrder(filled: readonly FilledCell[], table: OrderTable): boolean {
  if (filled.some(({ cell, index }) => index === table.keyColumn && !isBlank(cell))) return false;
  if (holdsNoField(filled, table)) return true;
  const texts = filled.map(({ cell }) => cellText(cell).trim());
  if (texts.every((text) => LINE.test(text))) return true;
  const [first] = filled;
  const [text] = texts;
  if (first === undefined || text === undefined) return false;
  if (SUBTOTAL.test(text)) return filled.every(({ cell }, at) => at === 0 || isFigure(cell));
  if (filled.length > 1) return false;
  if (NOTE_OF_PROGRAM.test(text) || isTitle(text, table)) return true;
  const field = table.layout.columns.find(({ index }) => index === first.index)?.field;
  const needsDigits = field !== undefined && field !== null && [...DIGITS_NEEDED].some((name) => name === field);
  return first.cell?.kind === 'text' && needsDigits && (!/\d/.test(text) || text.split(/\s+/).length > WORDS_MAX) && !PLACEHOLDER.test(text);
}

/** True where figures stand under headers that are no field's, such as a number for each line of a form, and no field lacks its column. A text might be an order. */
function holdsNoField(filled: readonly FilledCell[], { missing, layout }: OrderTable): boolean {
  return missing.length === 0 && filled.every(({ cell, index }) => isFigure(cell) && layout.columns.some((column) => column.index === index && column.field === null));
}

/** Not a title: somebody meant to write more. */
const PLACEHOLDER = /^(?:n\/?a|tbd|unknown|none|null|pending|same|ditto|.{1,2})$/i;

/** The title above the header, once more. */
function isTitle(text: string, { layout }: OrderTable): boolean {
  return (layout.titles ?? []).some(({ cells }) => cells.some((cell) => cell !== null && cellText(cell).trim() === text));
}

function repeatsHeader(row: SheetRow, { layout }: OrderTable): boolean {
  return layout.columns.every(({ index, header, field }) => field === null || normalisedHeader(cellText(row.cells[index])) === normalisedHeader(header));
}

/** A row with so little in it, and so much wanting, is told of in one sentence: nobody began an order there. */
const CELLS_FEW = 2;
const WANTING_MIN = 5;

/** A footer, a title of a group or the like may be an order of which nearly everything is missing: ten errors would hide that. */
export function inOneSentence(outcome: RowOutcome, row: SheetRow): RowOutcome {
  if (outcome.kind === 'order') return outcome;
  const filled = row.cells.flatMap((cell, index) => (isBlank(cell) || cell === undefined ? [] : [{ cell, address: cellAddress(index, row.rowNumber) }]));
  const [first] = filled;
  const wanting = outcome.problems.filter(({ rule }) => rule === 'required-empty' || rule === 'required-column-missing');
  if (first === undefined || filled.length > CELLS_FEW || wanting.length < WANTING_MIN) return outcome;
  const holds = inWords(filled.map(({ cell, address }) => `${address} ${quoted(cellText(cell))}`));
  const message = `Row ${String(row.rowNumber)}: it holds nothing but ${holds}. If that is no order, delete the row; if it is one, fill in the rest of it.`;
  return { ...outcome, problems: [{ severity: 'error', rule: 'row-hardly-filled', field: null, column: null, cell: first.address, value: cellText(first.cell), message }] };
}
