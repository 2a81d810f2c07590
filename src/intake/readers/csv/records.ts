import type { Cell, RowRemark, SheetRow } from '../../../domain/row.ts';
import { tooMuch, unreadable } from '../reading.ts';
import type { Reading } from '../reading.ts';
import { insideTextFormula, recordRemarks, swallowedRows } from './record-remarks.ts';
import type { FieldSpan } from './record-remarks.ts';
import { MarksAhead } from './text-marks.ts';
import type { TextMark } from './text-marks.ts';

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
      const remarks = this.#marks.next < this.#endPlace(next) || this.#hasTextFormula || this.#mayHide(position, next) ? this.#remarks(position, next) : undefined;
      position = next;
      if (cells.length > 0) rows.push(remarks === undefined ? { sheet: this.#reading.fileName, rowNumber: this.#rowNumber, cells } : { sheet: this.#reading.fileName, rowNumber: this.#rowNumber, cells, remarks });
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
      fields.push({ start: this.#start, end: this.#end, fieldEnd: this.#fieldEnd, quoted: bytes[first] === QUOTE ? isQuoted : 'not' });
      if (bytes[this.#fieldEnd] !== delimiter) break;
    }
    const marks = this.#marks.takeBefore(this.#endPlace(next)).map(({ kind, at }) => ({ kind, at: at - this.#place }));
    const record = { bytes, fields, delimiter, recordEnd: this.#recordEnd, usual };
    const swallowed = swallowedRows(record);
    if (swallowed !== undefined) {
      const lines = swallowed.lines === 1 ? 'a line' : `${swallowed.lines} lines`;
      throw unreadable(this.#reading, `opens a field with a quotation mark in row ${this.#rowNumber} and closes it only ${lines} further down, though what stands between looks like rows of their own: ${swallowed.first}. Close it where the cell ends, or write it twice (""), and drop the file again.`);
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
      if (this.#cells.push(this.#cell()) > columns) throw tooMuch(this.#reading, `row ${this.#rowNumber + 1} has more than ${columns} columns`);
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
    if (text.length > this.#reading.limits.cellCharacters) throw tooMuch(this.#reading, `the text of a cell in row ${this.#rowNumber + 1} is longer than a cell can be`);
    if (this.#hasDoubledQuotes) text = text.replaceAll('""', '"');
    if (this.#bytes[start] === EQUALS && text.startsWith('="')) {
      const inside = insideTextFormula(text);
      this.#hasTextFormula ||= inside !== undefined;
      text = inside ?? text;
    }
    return text === '' ? undefined : { kind: 'text', text };
  }
}

