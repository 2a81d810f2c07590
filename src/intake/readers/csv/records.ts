/* Cuts a text table into records and cells, and says what is odd about a cell. */

import { quoted } from '../../../domain/cells.ts';
import type { Cell, RowRemark, SheetRow } from '../../../domain/row.ts';
import { type Reading, tooMuch, unreadable } from '../row-source.ts';
import { MarksAhead, type TextMark } from './text.ts';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const EQUALS = 0x3d;
/** The first code that is not ASCII. */
const NOT_ASCII = 0x80;

/** The bytes end before the record does. */
const UNFINISHED = -1;
/** V8 copies shorter pieces of a string; longer ones would keep the whole string alive as long as they live. */
const COPIED_CHARACTERS = 12;

/** How the records of a text table are written. */
export interface RecordLayout {
  /** The code of the character between fields; it is ASCII. */
  readonly delimiter: number;
  /** Whether records end at lone carriage returns, and not at line feeds with or without one. */
  readonly returnsEndRecords: boolean;
  /** Whether spaces around fields are to be left out. */
  readonly trim: boolean;
  /** How many delimiters most records have. */
  readonly usual: number;
  /** Where the bytes stand in the text from which marks are counted. */
  readonly startsAt: number;
}

/**
 * Cuts the records of a text table, given piece by piece as UTF-8, into cells. A quoted field ends at a quotation mark that a delimiter or the
 * record's end follows; where something else follows, and where a quotation mark stands inside an unquoted field, the field is taken as it stands.
 */
export class RecordReader {
  readonly #layout: RecordLayout;
  readonly #reading: Reading;
  readonly #recordEnd: number;
  #rest: Buffer = Buffer.alloc(0);
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #bytes: Buffer = this.#rest;
  /** The bytes, each taken for a character: short texts of ASCII are cut from it. */
  #letters = '';
  #isLast = false;
  #rowNumber = 0;
  /** The field looked at last: where its text stands, where the field ends, and what it is like. */
  #start = 0;
  #end = 0;
  #fieldEnd = 0;
  #isAscii = true;
  #hasDoubledQuotes = false;
  #cells: (Cell | undefined)[] = [];
  /** Whether a quoted field of the record holds line ends, and whether one goes on after its closing quotation mark. */
  #hasQuotedLines = false;
  #hasOddQuotes = false;
  /** Whether a field of it is written as a formula, to keep it as text. */
  #hasTextFormula = false;
  readonly #marks = new MarksAhead();
  /** Where the bytes at hand stand in the text. */
  #place: number;

  constructor(layout: RecordLayout, reading: Reading) {
    this.#layout = layout;
    this.#reading = reading;
    this.#recordEnd = layout.returnsEndRecords ? CR : LF;
    this.#place = layout.startsAt;
  }

  /** Tells of a place of note, before the piece that holds it comes. */
  mark(mark: TextMark): void {
    this.#marks.add(mark);
  }

  /** The rows that hold anything of the records that end in this piece. */
  take(piece: Buffer): readonly SheetRow[] {
    this.#waiting.push(piece);
    this.#waitingBytes += piece.length;
    // A long record is looked at again only when there is twice as much of it, lest its beginning be looked at for every piece.
    if (this.#waitingBytes < this.#rest.length) return [];
    return this.#records();
  }

  /** The rest, once there is no more. */
  end(): readonly SheetRow[] {
    this.#isLast = true;
    return this.#records();
  }

  #records(): readonly SheetRow[] {
    const bytes = Buffer.concat([this.#rest, ...this.#waiting]);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#bytes = bytes;
    this.#letters = bytes.toString('latin1');
    const rows: SheetRow[] = [];
    let position = 0;
    while (position < bytes.length) {
      const next = this.#record(position);
      if (next === UNFINISHED) break;
      const cells = this.#takeCells();
      const remarks =
        this.#marks.next < this.#endPlace(next) || this.#hasTextFormula || this.#mayHide(position, next)
          ? this.#remarks(position, next)
          : undefined;
      position = next;
      if (cells.length > 0)
        rows.push(
          remarks === undefined
            ? { sheet: this.#reading.fileName, rowNumber: this.#rowNumber, cells }
            : { sheet: this.#reading.fileName, rowNumber: this.#rowNumber, cells, remarks },
        );
    }
    this.#rest = bytes.subarray(position);
    this.#place += position;
    return rows;
  }

  /** Marks before this place belong to the record that ends at `next`; at the text's end those right behind it do as well. */
  #endPlace(next: number): number {
    return this.#place + next + (this.#isLast && next === this.#bytes.length ? 1 : 0);
  }

  /** Whether quotation marks in the record at hand are not as they should be, or hold lines with as many delimiters as a record. */
  #mayHide(position: number, next: number): boolean {
    if (this.#hasOddQuotes || !this.#hasQuotedLines) return this.#hasOddQuotes;
    const bytes = this.#bytes;
    const { delimiter, usual } = this.#layout;
    let inQuotes = 1 - this.#cells.length;
    for (let at = position; at < next; at += 1) if (bytes[at] === delimiter) inQuotes += 1;
    return inQuotes >= usual;
  }

  /** What is to be said of the record between two positions, if anything. */
  #remarks(position: number, next: number): readonly RowRemark[] | undefined {
    const bytes = this.#bytes;
    const { delimiter, usual, trim } = this.#layout;
    const fields: FieldSpan[] = [];
    for (let at = position; at < next && this.#field(at); at = this.#fieldEnd + 1) {
      let first = at;
      if (trim) while (bytes[first] === SPACE) first += 1;
      const isQuoted = this.#start === first + 1 ? 'well' : 'badly';
      fields.push({
        start: this.#start,
        end: this.#end,
        fieldEnd: this.#fieldEnd,
        quoted: bytes[first] === QUOTE ? isQuoted : 'not',
      });
      if (bytes[this.#fieldEnd] !== delimiter) break;
    }
    const marks = this.#marks.takeBefore(this.#endPlace(next)).map(({ kind, at }) => ({ kind, at: at - this.#place }));
    const record = { bytes, fields, delimiter, recordEnd: this.#recordEnd, usual };
    const swallowed = swallowedRows(record);
    if (swallowed !== undefined) {
      const lines = swallowed.lines === 1 ? 'a line' : `${swallowed.lines} lines`;
      throw unreadable(
        this.#reading,
        `opens a field with a quotation mark in row ${this.#rowNumber} and closes it only ${lines} further down, though what stands between looks like rows of their own: ${swallowed.first}. Close it where the cell ends, or write it twice (""), and drop the file again.`,
      );
    }
    const remarks = recordRemarks(record, marks);
    return remarks.length === 0 ? undefined : remarks;
  }

  #takeCells(): (Cell | undefined)[] {
    this.#rowNumber += 1;
    const { rows } = this.#reading.limits;
    if (this.#rowNumber > rows) throw tooMuch(this.#reading, `it has more than ${rows} rows`);
    const cells = this.#cells;
    let width = cells.length;
    while (width > 0 && cells[width - 1] === undefined) width -= 1;
    return cells.slice(0, width);
  }

  /** Takes the cells of the record that begins at a position; gives the position of the next one. */
  #record(position: number): number {
    const bytes = this.#bytes;
    const { delimiter } = this.#layout;
    const { columns } = this.#reading.limits;
    this.#cells.length = 0;
    this.#hasQuotedLines = false;
    this.#hasOddQuotes = false;
    this.#hasTextFormula = false;
    let at = position;
    for (;;) {
      if (!this.#field(at)) return UNFINISHED;
      if (this.#cells.push(this.#cell()) > columns)
        throw tooMuch(this.#reading, `row ${this.#rowNumber + 1} has more than ${columns} columns`);
      at = this.#fieldEnd;
      if (at === bytes.length) return at;
      if (bytes[at] !== delimiter) return bytes[at] === this.#recordEnd ? at + 1 : Math.min(at + 2, bytes.length);
      at += 1;
      // A delimiter at the very end has an empty field after it.
      if (at === bytes.length && this.#isLast) return at;
    }
  }

  /** Finds out about the field that begins at a position. Says false where the bytes end before it does. */
  #field(position: number): boolean {
    const bytes = this.#bytes;
    let start = position;
    if (this.#layout.trim) while (bytes[start] === SPACE) start += 1;
    return bytes[start] === QUOTE ? this.#quotedField(start) : this.#plainField(start, start);
  }

  /** @param from where to look for its end. */
  #plainField(start: number, from: number): boolean {
    const bytes = this.#bytes;
    const { length } = bytes;
    const { delimiter, trim } = this.#layout;
    const recordEnd = this.#recordEnd;
    let all = from > start ? NOT_ASCII : 0;
    let at = from;
    for (; at < length; at += 1) {
      const code = bytes[at] ?? 0;
      if (code === delimiter || code === recordEnd) break;
      all |= code;
    }
    if (at === length && !this.#isLast) return false;
    if (at > start && bytes[at - 1] === CR && this.#endsRecord(at - 1)) at -= 1;
    this.#start = start;
    this.#end = at;
    if (trim) while (this.#end > start && bytes[this.#end - 1] === SPACE) this.#end -= 1;
    this.#fieldEnd = at;
    this.#isAscii = all < NOT_ASCII;
    this.#hasDoubledQuotes = false;
    return true;
  }

  #quotedField(quote: number): boolean {
    const bytes = this.#bytes;
    const { length } = bytes;
    const recordEnd = this.#recordEnd;
    let all = 0;
    let doubled = false;
    let at = quote + 1;
    for (; at < length; at += 1) {
      const code = bytes[at] ?? 0;
      all |= code;
      if (code === recordEnd) this.#hasQuotedLines = true;
      if (code !== QUOTE) continue;
      if (bytes[at + 1] !== QUOTE) break;
      doubled = true;
      at += 1;
    }
    let end = at + 1;
    if (this.#layout.trim) while (bytes[end] === SPACE) end += 1;
    // What comes next tells whether the field is closed.
    if (end + 1 >= length && !this.#isLast) return false;
    if (end < length && bytes[end] !== this.#layout.delimiter && !this.#endsRecord(end)) {
      this.#hasOddQuotes = true;
      return this.#plainField(quote, end);
    }
    this.#start = quote + 1;
    this.#end = Math.min(at, length);
    this.#fieldEnd = Math.min(end, length);
    this.#isAscii = all < NOT_ASCII;
    this.#hasDoubledQuotes = doubled;
    return true;
  }

  #endsRecord(at: number): boolean {
    const code = this.#bytes[at];
    if (code === this.#recordEnd) return true;
    return code === CR && (this.#bytes[at + 1] === LF || at + 1 === this.#bytes.length);
  }

  #cell(): Cell | undefined {
    const start = this.#start;
    const end = this.#end;
    if (start >= end) return undefined;
    let text: string;
    if (!this.#isAscii) text = this.#bytes.toString('utf8', start, end);
    else if (end - start <= COPIED_CHARACTERS) text = this.#letters.slice(start, end);
    else text = this.#bytes.toString('latin1', start, end);
    if (text.length > this.#reading.limits.cellCharacters)
      throw tooMuch(this.#reading, `the text of a cell in row ${this.#rowNumber + 1} is longer than a cell can be`);
    if (this.#hasDoubledQuotes) text = text.replaceAll('""', '"');
    if (this.#bytes[start] === EQUALS && text.startsWith('="')) {
      const inside = insideTextFormula(text);
      this.#hasTextFormula ||= inside !== undefined;
      text = inside ?? text;
    }
    return text === '' ? undefined : { kind: 'text', text };
  }
}

/** Where a field stands in the bytes at hand. */
export interface FieldSpan {
  /** Its text, without the quotation marks around it. */
  readonly start: number;
  readonly end: number;
  /** The delimiter or the record's end after it. */
  readonly fieldEnd: number;
  /** `badly`: it begins with a quotation mark and goes on after the one that closes it, so that it was read as it stands. */
  readonly quoted: 'well' | 'badly' | 'not';
}

/** A record, and how most records of its text are written. */
export interface RecordSpan {
  readonly bytes: Buffer;
  readonly fields: readonly FieldSpan[];
  readonly delimiter: number;
  /** The code at which records end, and lines inside quotes. */
  readonly recordEnd: number;
  /** How many delimiters most records have. */
  readonly usual: number;
}

/** What is to be said of a record. @param marks with places that count from the beginning of the bytes. */
function recordRemarks(record: RecordSpan, marks: readonly TextMark[]): readonly RowRemark[] {
  const remarks: RowRemark[] = [];
  for (const [column, field] of record.fields.entries()) {
    const before = record.fields[column - 1]?.fieldEnd ?? -1;
    const inside = marks.filter(({ at }) => at > before && at <= field.fieldEnd);
    remarks.push(
      ...markRemarks(record.bytes, column, field, inside),
      ...quoteRemarks(record, column, field),
      ...formulaRemarks(record, column, field),
    );
  }
  return remarks;
}

function markRemarks(bytes: Buffer, column: number, field: FieldSpan, marks: readonly TextMark[]): RowRemark[] {
  const remarks: RowRemark[] = [];
  const has = (kind: TextMark['kind']): TextMark | undefined => marks.find((mark) => mark.kind === kind);
  const text = (): string => quoted(bytes.toString('utf8', field.start, field.end));
  if (has('null') !== undefined)
    remarks.push({
      kind: 'repair',
      column,
      held: withNulls(bytes, field, marks),
      why: 'NUL characters, shown as \u2400, were left out',
    });
  if (has('stray') !== undefined) {
    remarks.push({
      kind: 'warning',
      column,
      rule: 'letters-doubtful',
      message: `the file is UTF-8, but bytes of this cell are not, and were read as windows-1252. See that the letters of ${text()} are right.`,
    });
  }
  if (has('utf-8') !== undefined) {
    remarks.push({
      kind: 'warning',
      column,
      rule: 'letters-doubtful',
      message: `the file is windows-1252, but letters of this cell are UTF-8, and were read as such. See that the letters of ${text()} are right.`,
    });
  }
  if (has('unknown') !== undefined) {
    remarks.push({
      kind: 'doubt',
      column,
      rule: 'letters-unknown',
      message: `the file does not say how its letters are encoded, and those of ${text()} fit neither windows-1252 nor Mac Roman. Write them again, or save the file as "CSV UTF-8" and drop it again.`,
    });
  }
  const row = has('perhaps row');
  if (row !== undefined) {
    const start = bytes[row.at] === CR || bytes[row.at] === LF ? row.at + 1 : row.at;
    const next = quoted(lineFrom(bytes, start));
    remarks.push({
      kind: 'doubt',
      column,
      rule: 'perhaps-two-rows',
      message: `a lone carriage return stands before ${next}, and it is not sure whether a row ends there. Put each row on a line of its own, and a cell with line breaks between quotation marks.`,
    });
  }
  return remarks;
}

/** As many bytes as a sentence quotes, and more. */
const EXCERPT_BYTES = 240;

/** The beginning of a line. */
function lineFrom(bytes: Buffer, start: number): string {
  return bytes.toString('utf8', start, start + EXCERPT_BYTES).split(/[\r\n]/)[0] ?? '';
}

/** The field's text with a sign for each NUL that stood in it. */
function withNulls(bytes: Buffer, { start, end }: FieldSpan, marks: readonly TextMark[]): string {
  let text = '';
  let from = start;
  for (const { kind, at } of marks) {
    if (kind !== 'null') continue;
    const to = Math.min(Math.max(at, start), end);
    text += `${bytes.toString('utf8', from, to)}\u2400`;
    from = to;
  }
  return (text + bytes.toString('utf8', from, end)).replaceAll('""', '"');
}

function quoteRemarks(record: RecordSpan, column: number, field: FieldSpan): RowRemark[] {
  const { fields, usual, bytes } = record;
  if (field.quoted === 'badly') {
    const next = fields[column + 1];
    if (fields.length > usual + 1 || (next?.quoted === 'not' && countOf(QUOTE, bytes, next) % 2 === 1)) {
      return [
        {
          kind: 'doubt',
          column,
          rule: 'quotes-in-doubt',
          message:
            'this cell goes on after its closing quotation mark, and may have been cut in two, so that the values after it stand in the wrong columns. Write each quotation mark inside a cell twice ("").',
        },
      ];
    }
    return [
      {
        kind: 'warning',
        column,
        rule: 'quotes-in-doubt',
        message: `it goes on after its closing quotation mark, so the quotation marks were read as part of the text: ${quoted(bytes.toString('utf8', field.start, field.end))}.`,
      },
    ];
  }
  return [];
}

/** What stands in `="00123"`, by which Excel is kept from taking text for a number; undefined for every other text. */
function insideTextFormula(text: string): string | undefined {
  return /^="((?:[^"]|"")*)"$/.exec(text)?.[1]?.replaceAll('""', '"');
}

function formulaRemarks({ bytes }: RecordSpan, column: number, { start, end, quoted: quotes }: FieldSpan): RowRemark[] {
  if (bytes[start] !== EQUALS) return [];
  const text = bytes.toString('utf8', start, end);
  const held = quotes === 'well' ? text.replaceAll('""', '"') : text;
  return insideTextFormula(held) === undefined
    ? []
    : [{ kind: 'repair', column, held, why: 'it was written as a formula, to keep it as text' }];
}

function countOf(code: number, bytes: Buffer, { start, end }: FieldSpan): number {
  return bytes.subarray(start, end).reduce((count, one) => (one === code ? count + 1 : count), 0);
}

/** Fewer delimiters than these stand in many a note. */
const TELLING_DELIMITERS_MIN = 3;

/** A quotation mark that seems to be closed some rows too late. */
interface SwallowedRows {
  readonly lines: number;
  /** The first line that looks like a row of its own. */
  readonly first: string;
}

/** The rows that a quoted field seems to have swallowed: read line by line, as if nothing were quoted, it would be whole records. */
function swallowedRows(record: RecordSpan): SwallowedRows | undefined {
  if (record.usual < TELLING_DELIMITERS_MIN) return undefined;
  for (const [column, field] of record.fields.entries()) {
    const swallowed = field.quoted === 'well' ? swallowedBy(record, column, field) : undefined;
    if (swallowed !== undefined) return swallowed;
  }
  return undefined;
}

function swallowedBy(
  { bytes, fields, delimiter, recordEnd, usual }: RecordSpan,
  column: number,
  { start, end }: FieldSpan,
): SwallowedRows | undefined {
  const lines: { readonly from: number; readonly delimiters: number }[] = [];
  let from = start;
  let delimiters = 0;
  for (let at = start; at <= end; at += 1) {
    if (at === end || bytes[at] === recordEnd) {
      lines.push({ from, delimiters });
      from = at + 1;
      delimiters = 0;
    } else if (bytes[at] === delimiter) delimiters += 1;
  }
  const [first, ...others] = lines;
  const last = others.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const whole = others.find((line) => line.delimiters >= usual);
  const allWhole =
    column + first.delimiters >= usual &&
    last.delimiters + fields.length - 1 - column >= usual &&
    others.slice(0, -1).every((line) => line.delimiters >= usual);
  const row = whole ?? (allWhole ? others[0] : undefined);
  return row === undefined ? undefined : { lines: others.length, first: quoted(lineFrom(bytes, row.from)) };
}
