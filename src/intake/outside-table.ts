import type { Cell, Problem, SheetRow } from '../domain/row.ts';
import { cellAddress, cellText, isBlank, quoted } from './cells.ts';
import { fieldNamed } from './fields.ts';
import type { OrderTable } from './header-row.ts';
import { coerceState } from './values/place.ts';
import { trimmed } from './values/plain-text.ts';

const ZIP = /^\d{4,5}(?:-\d{4})?$/;

/** True for a row above the header that is an order all the same: under the columns of the table it holds a street, a state and a ZIP code. */
export function isOrderAbove(row: SheetRow, { layout, columns }: OrderTable): boolean {
  if (row.rowNumber >= layout.headerRow) return false;
  const held = (field: 'streetAddress' | 'state' | 'zipcode'): string => {
    const column = columns.get(field)?.[0];
    return column === undefined ? '' : trimmed(cellText(row.cells[column.index]));
  };
  return held('streetAddress') !== '' && coerceState(held('state')).kind === 'value' && ZIP.test(held('zipcode'));
}

/** What says outright that a row is not to be ordered, whatever the header. */
const FORBIDDEN = /^\W*(?:do not|don['’]?t) (?:order|inspect|schedule|send|process|submit)\b/i;
/** What takes a row back whatever follows it: `VOID - see new row`, `CANCELLED 10/2`. */
const WITHDRAWN_AT_ONCE = /^\W*(?:cancell?ed|void(?:ed)?|withdrawn)\b/i;
/** What takes a row back where nothing else is said. */
const WITHDRAWN = /^\W*(?:cancel|delete[d]?|remove[d]?|hold|on hold|ignore|disregard|skip|stop|duplicate|dup|declined|rejected|rescinded|not needed|no longer needed)\W*$/i;
/** What a status may say of an order that was placed before, or a policy that is no more. */
const PERHAPS_DONE = /^\W*(?:completed?|done|(?:already )?(?:ordered|inspected|sent|submitted)|closed|finished|expired|lapsed|inactive|terminated|non-?\s?renew(?:ed|al|ing)?)\b/i;
/** Columns that speak of the row itself, and not of an earlier policy or a coverage. */
const STATUS_HEADER = /\b(?:status|stage|disposition|action|order|request)\b/i;
const OTHER_HEADER = /\b(?:prior|previous|former|last|earlier|reason|history|coverage|loan|mortgage|payment|alarm|marital)\b/i;
/** A column in which a tick takes the row back. */
const WITHDRAWAL_HEADER = /^\W*(?:is |order )?(?:cancell?(?:ed)?|void(?:ed)?|withdrawn|on hold|do not (?:order|inspect))\W*$/i;
const TICK = /^(?:y|yes|x|true|1|\u2713|\u2714)$/i;
const NOTE_LENGTH_MAX = 60;

/** Whether a text under a header takes its row back, or may. A note is for the inspector, and withdraws a row only outright. */
function withdraws(text: string, field: string | null, header: string | undefined): 'surely' | 'perhaps' | 'not' {
  if (FORBIDDEN.test(text)) return 'surely';
  if (field !== null) return /^\W*(?:cancell?ed|void(?:ed)?|withdrawn)\W*$/i.test(text) ? 'surely' : 'not';
  const isStatus = header === undefined || (STATUS_HEADER.test(header) && !OTHER_HEADER.test(header));
  if (header !== undefined && WITHDRAWAL_HEADER.test(header) && TICK.test(text)) return 'surely';
  if (WITHDRAWN_AT_ONCE.test(text)) return isStatus ? 'surely' : 'perhaps';
  if (isStatus && WITHDRAWN.test(text)) return 'surely';
  return header !== undefined && isStatus && PERHAPS_DONE.test(text) ? 'perhaps' : 'not';
}

/**
 * What says that a row is not to be ordered: a status column, a note, a word beside the table. An error where it is said outright; a warning where
 * the order may have been placed before.
 */
export function withdrawalOf({ cells, rowNumber }: SheetRow, { layout, keyColumn }: OrderTable, isIgnored: (header: string) => boolean): Problem | null {
  let perhaps: Problem | null = null;
  for (let index = 0; index < cells.length; index += 1) {
    const held = cells[index];
    if (held === undefined || index === keyColumn || (held.kind !== 'text' && held.kind !== 'boolean' && held.kind !== 'number')) continue;
    const column = layout.columns.find((one) => one.index === index);
    const field = column?.field ?? null;
    if ((field !== null && field !== 'note') || (column !== undefined && isIgnored(column.header))) continue;
    const text = cellText(held).trim();
    if (text.length > NOTE_LENGTH_MAX) continue;
    const cell = cellAddress(index, rowNumber);
    const under = column === undefined ? '' : ` under ${quoted(column.header)}`;
    const said = { field: null, column: column?.header ?? null, cell, value: text };
    const kind = withdraws(text, field, column?.header);
    if (kind === 'surely') {
      return { ...said, severity: 'error', rule: 'row-withdrawn', message: `Row ${String(rowNumber)}: ${cell}${under} says ${quoted(text)}. If the row is not to be ordered, delete it; if it is, empty ${cell}.` };
    }
    if (kind === 'perhaps') {
      perhaps ??= { ...said, severity: 'warning', rule: 'row-perhaps-done', message: `Row ${String(rowNumber)}: ${cell}${under} says ${quoted(text)}, and the row is ordered all the same. Is it meant to be?` };
    }
  }
  return perhaps;
}

/** A name, or an address, may reach into a column without a header. */
const RUNS_OVER: ReadonlySet<string> = new Set(['insuredName', 'streetAddress', 'city', 'state', 'zipcode']);

/** Finds what stands in a row of a table outside the columns that have a header. */
export class OutsideTable {
  readonly #hasHeader: readonly boolean[];
  /** Fields of which the rest may stand in the next column, by index. */
  readonly #fields: readonly (string | undefined)[];
  readonly #first: number;
  readonly #end: number;
  /** The last column holds free text: what follows it may be the rest of that. */
  readonly #endsInText: boolean;

  constructor({ layout: { columns, keyColumn } }: OrderTable, delimited: boolean) {
    const hasHeader: boolean[] = [];
    for (const { index } of columns) hasHeader[index] = true;
    if (keyColumn !== undefined) hasHeader[keyColumn] = true;
    this.#hasHeader = hasHeader;
    const fields: (string | undefined)[] = [];
    for (const { index, field } of columns) if (field !== null && RUNS_OVER.has(field)) fields[index] = field;
    this.#fields = fields;
    this.#first = hasHeader.indexOf(true);
    this.#end = hasHeader.length;
    const last = columns.find(({ index }) => index === hasHeader.length - 1)?.field ?? null;
    this.#endsInText = delimited && last !== null && fieldNamed(last)?.kind === 'text';
  }

  /** Null where nothing does. An error where it may be the rest of a text that a delimiter cut in two; else a warning. */
  problemOf({ cells, rowNumber }: SheetRow): Problem | null {
    for (let index = 0; index < cells.length; index += 1) {
      if (this.#hasHeader[index] === true || isBlank(cells[index]) || this.#isCount(cells[index], index)) continue;
      return this.#problem(cells, index, rowNumber);
    }
    return null;
  }

  /** Programs number the rows they export in a first column without a header. */
  #isCount(cell: Cell | undefined, index: number): boolean {
    return index < this.#first && /^\d{1,7}$/.test(cellText(cell));
  }

  #problem(cells: SheetRow['cells'], index: number, rowNumber: number): Problem {
    const cell = cellAddress(index, rowNumber);
    const value = cellText(cells[index]);
    const others = cells.filter((one, at) => at > index && this.#hasHeader[at] !== true && !isBlank(one)).length;
    const more = others === 0 ? '' : `, and ${others} more such ${others === 1 ? 'cell' : 'cells'}`;
    if (this.#endsInText && index === this.#end && !isBlank(cells[index - 1])) {
      const message = `Row ${rowNumber} has more values than there are headers: ${cell} holds ${quoted(value)}${more}. Is it the rest of ${quoted(cellText(cells[index - 1]))}? A text that holds the delimiter must stand in quotes.`;
      return { severity: 'error', rule: 'more-values-than-headers', field: null, column: null, cell, value, message };
    }
    const before = this.#fields[index - 1];
    if (before !== undefined && index < this.#end) {
      const message = `Row ${rowNumber}: ${cell} holds ${quoted(value)}, no header stands above it, and the column before it is ${quoted(fieldNamed(before)?.title ?? before)}. Is it the rest of that? Move the value to where it belongs, or give the column a header.`;
      return { severity: 'error', rule: 'no-header-above', field: null, column: null, cell, value, message };
    }
    const message = `${cell} holds ${quoted(value)}${more}, and no header stands above it: it is not sent. Give the column a header, or move the value to where it belongs.`;
    return { severity: 'warning', rule: 'no-header-above', field: null, column: null, cell, value, message };
  }
}
