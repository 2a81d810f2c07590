import type { RowRemark } from '../../../domain/row.ts';
import { quoted } from '../../cells.ts';
import type { TextMark } from './text-marks.ts';

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

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
export function recordRemarks(record: RecordSpan, marks: readonly TextMark[]): readonly RowRemark[] {
  const remarks: RowRemark[] = [];
  for (const [column, field] of record.fields.entries()) {
    const before = record.fields[column - 1]?.fieldEnd ?? -1;
    const inside = marks.filter(({ at }) => at > before && at <= field.fieldEnd);
    remarks.push(...markRemarks(record.bytes, column, field, inside), ...quoteRemarks(record, column, field), ...formulaRemarks(record, column, field));
  }
  return remarks;
}

function markRemarks(bytes: Buffer, column: number, field: FieldSpan, marks: readonly TextMark[]): RowRemark[] {
  const remarks: RowRemark[] = [];
  const has = (kind: TextMark['kind']): TextMark | undefined => marks.find((mark) => mark.kind === kind);
  const text = (): string => quoted(bytes.toString('utf8', field.start, field.end));
  if (has('null') !== undefined) remarks.push({ kind: 'repair', column, held: withNulls(bytes, field, marks), why: 'NUL characters, shown as \u2400, were left out' });
  if (has('stray') !== undefined) {
    remarks.push({ kind: 'warning', column, rule: 'letters-doubtful', message: `the file is UTF-8, but bytes of this cell are not, and were read as windows-1252. See that the letters of ${text()} are right.` });
  }
  if (has('utf-8') !== undefined) {
    remarks.push({ kind: 'warning', column, rule: 'letters-doubtful', message: `the file is windows-1252, but letters of this cell are UTF-8, and were read as such. See that the letters of ${text()} are right.` });
  }
  if (has('unknown') !== undefined) {
    remarks.push({ kind: 'doubt', column, rule: 'letters-unknown', message: `the file does not say how its letters are encoded, and those of ${text()} fit neither windows-1252 nor Mac Roman. Write them again, or save the file as "CSV UTF-8" and drop it again.` });
  }
  const row = has('perhaps row');
  if (row !== undefined) {
    const start = bytes[row.at] === CR || bytes[row.at] === LF ? row.at + 1 : row.at;
    const next = quoted(lineFrom(bytes, start));
    remarks.push({ kind: 'doubt', column, rule: 'perhaps-two-rows', message: `a lone carriage return stands before ${next}, and it is not sure whether a row ends there. Put each row on a line of its own, and a cell with line breaks between quotation marks.` });
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
      return [{ kind: 'doubt', column, rule: 'quotes-in-doubt', message: 'this cell goes on after its closing quotation mark, and may have been cut in two, so that the values after it stand in the wrong columns. Write each quotation mark inside a cell twice ("").' }];
    }
    return [{ kind: 'warning', column, rule: 'quotes-in-doubt', message: `it goes on after its closing quotation mark, so the quotation marks were read as part of the text: ${quoted(bytes.toString('utf8', field.start, field.end))}.` }];
  }
  return [];
}

/** What stands in `="00123"`, by which Excel is kept from taking text for a number; undefined for every other text. */
export function insideTextFormula(text: string): string | undefined {
  return /^="((?:[^"]|"")*)"$/.exec(text)?.[1]?.replaceAll('""', '"');
}

const EQUALS = 0x3d;

function formulaRemarks({ bytes }: RecordSpan, column: number, { start, end, quoted: quotes }: FieldSpan): RowRemark[] {
  if (bytes[start] !== EQUALS) return [];
  const text = bytes.toString('utf8', start, end);
  const held = quotes === 'well' ? text.replaceAll('""', '"') : text;
  return insideTextFormula(held) === undefined ? [] : [{ kind: 'repair', column, held, why: 'it was written as a formula, to keep it as text' }];
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

/** The rows that a quoted field of the record has swallowed, by all appearances: taken line by line, as if nothing was quoted, there would be whole records. */
export function swallowedRows(record: RecordSpan): SwallowedRows | undefined {
  if (record.usual < TELLING_DELIMITERS_MIN) return undefined;
  for (const [column, field] of record.fields.entries()) {
    const swallowed = field.quoted === 'well' ? swallowedBy(record, column, field) : undefined;
    if (swallowed !== undefined) return swallowed;
  }
  return undefined;
}

function swallowedBy({ bytes, fields, delimiter, recordEnd, usual }: RecordSpan, column: number, { start, end }: FieldSpan): SwallowedRows | undefined {
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
  const allWhole = column + first.delimiters >= usual && last.delimiters + fields.length - 1 - column >= usual && others.slice(0, -1).every((line) => line.delimiters >= usual);
  const row = whole ?? (allWhole ? others[0] : undefined);
  return row === undefined ? undefined : { lines: others.length, first: quoted(lineFrom(bytes, row.from)) };
}
