/* Looks over a text table before it is read: its delimiter, its quotation marks, what ends its records. */

import type { ReadLimits } from '../row-source.ts';
import type { MarkWatch } from './text.ts';

/** What a look over a whole text table found, before it is read. Records are numbered from 1, the `sep=` line not counted. */
export interface Survey {
  /** Whether records end at lone carriage returns, and not, as in most files, at line feeds. */
  readonly returnsEndRecords: boolean;
  /** Whether there are lone carriage returns besides line feeds, outside quotes. */
  readonly mixedEnds: boolean;
  /** The first record with a quotation mark inside an unquoted field, or after a closing one. */
  readonly strayQuoteRecord: number | undefined;
  /** The first record with spaces between a delimiter and a quoted field, before it or after. */
  readonly spacedQuoteRecord: number | undefined;
  /** The first record with a quoted field that runs on over a line's end and never closes as it should: it may have eaten rows. */
  readonly openQuoteRecord: number | undefined;
  /** The first record that is longer than memory should hold, or has a field that is. */
  readonly longRecord: number | undefined;
}

/** Where in a field the survey stands. `quote`: after a quotation mark that closes the field, unless another one follows. */
type Place = 'start' | 'spaces' | 'equals' | 'plain' | 'trick' | 'quoted' | 'quote' | 'after';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const EQUALS = 0x3d;

/** A character of JavaScript takes no more bytes than this. */
const UTF8_BYTES_MAX = 3;

/** Looks over a text table, given as UTF-8, piece by piece. It only judges the quotation marks: reading is the parser's. */
export class TextSurvey {
  readonly #delimiter: number;
  readonly #fieldBytesMax: number;
  readonly #recordBytesMax: number;
  #place: Place = 'start';
  #fieldBytes = 0;
  #recordBytes = 0;
  /** Whether the quoted field has run over a line's end. */
  #acrossLines = false;
  #lineFeeds = 0;
  /** Carriage returns that no line feed follows. */
  #loneReturns = 0;
  #afterReturn = false;
  #openRecord = 1;
  #strayQuoteRecord: number | undefined;
  #spacedQuoteRecord: number | undefined;
  #openQuoteRecord: number | undefined;
  #longRecord: number | undefined;

  constructor(delimiter: number, { cellCharacters, rowCharacters }: ReadLimits) {
    this.#delimiter = delimiter;
    this.#fieldBytesMax = cellCharacters * UTF8_BYTES_MAX;
    this.#recordBytesMax = rowCharacters * UTF8_BYTES_MAX;
  }

  look(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) {
      if (
        this.#place === 'plain' ||
        (this.#place === 'start' && !this.#afterReturn && isOrdinary(bytes[at] ?? 0, this.#delimiter))
      ) {
        this.#place = 'plain';
        const end = this.#plainEnd(bytes, at);
        this.#fieldBytes += end - at;
        this.#recordBytes += end - at;
        if (end === bytes.length) return;
        at = end;
      }
      const code = bytes[at] ?? 0;
      this.#fieldBytes += 1;
      this.#recordBytes += 1;
      const quoted = this.#place === 'quoted';
      if (this.#afterReturn && code !== LF) this.#loneReturns += 1;
      this.#afterReturn = code === CR && !quoted;
      this.#place = this.#next(code);
      if (this.#place === 'start') this.#endField();
      if (quoted) continue;
      if (code === LF) this.#lineFeeds += 1;
      if (code === LF || code === CR) this.#endRecord();
    }
  }

  end(): Survey {
    if (this.#afterReturn) this.#loneReturns += 1;
    if (this.#place === 'quoted') this.#openQuoteRecord ??= this.#openRecord;
    if (this.#place === 'after') this.#spacedQuoteRecord ??= this.#openRecord;
    this.#endField();
    this.#endRecord();
    return {
      returnsEndRecords: this.#lineFeeds === 0 && this.#loneReturns > 0,
      mixedEnds: this.#lineFeeds > 0 && this.#loneReturns > 0,
      strayQuoteRecord: this.#strayQuoteRecord,
      spacedQuoteRecord: this.#spacedQuoteRecord,
      openQuoteRecord: this.#openQuoteRecord,
      longRecord: this.#longRecord,
    };
  }

  /** The number of the record that it stands in. */
  get record(): number {
    return 1 + (this.#lineFeeds === 0 ? this.#loneReturns : this.#lineFeeds);
  }

  /** Where a stretch of an unquoted field's ordinary characters ends. */
  #plainEnd(bytes: Uint8Array, from: number): number {
    const delimiter = this.#delimiter;
    let at = from;
    for (; at < bytes.length; at += 1) {
      const code = bytes[at] ?? 0;
      if (code === delimiter || code === QUOTE || code === LF || code === CR) break;
    }
    return at;
  }

  #endField(): void {
    if (this.#fieldBytes > this.#fieldBytesMax) this.#longRecord ??= this.record;
    this.#fieldBytes = 0;
  }

  #endRecord(): void {
    if (this.#recordBytes > this.#recordBytesMax) this.#longRecord ??= this.record;
    this.#recordBytes = 0;
  }

  #next(code: number): Place {
    if (this.#place === 'quoted') return this.#nextInQuotes(code);
    if (code === this.#delimiter || code === LF || code === CR) {
      if (this.#place === 'after') this.#spacedQuoteRecord ??= this.#openRecord;
      return 'start';
    }
    switch (this.#place) {
      case 'start':
      case 'spaces':
        return this.#nextAtStart(code);
      case 'quote':
        if (code === QUOTE) return 'quoted';
        return code === SPACE ? 'after' : this.#badClosing();
      case 'after':
        if (code === SPACE) return 'after';
        return this.#badClosing();
      case 'equals':
        if (code === QUOTE) return 'trick';
        return 'plain';
      case 'plain':
        if (code === QUOTE) this.#strayQuoteRecord ??= this.record;
        return 'plain';
      case 'trick':
        return 'trick';
    }
  }

  #nextInQuotes(code: number): Place {
    if (code === LF || code === CR) this.#acrossLines = true;
    return code === QUOTE ? 'quote' : 'quoted';
  }

  #nextAtStart(code: number): Place {
    if (code === SPACE) return 'spaces';
    if (code === EQUALS && this.#place === 'start') return 'equals';
    if (code !== QUOTE) return 'plain';
    if (this.#place === 'spaces') this.#spacedQuoteRecord ??= this.record;
    this.#openRecord = this.record;
    this.#acrossLines = false;
    return 'quoted';
  }

  #badClosing(): Place {
    this.#strayQuoteRecord ??= this.#openRecord;
    if (this.#acrossLines) this.#openQuoteRecord ??= this.#openRecord;
    return 'plain';
  }
}

/** Letters and digits, which mean nothing but themselves wherever they stand. */
function isOrdinary(code: number, delimiter: number): boolean {
  return (code > EQUALS || (code >= DIGIT_0 && code <= DIGIT_9)) && code !== delimiter;
}

/** Longer lines, which no table has, are left as they are. */
const LINE_BYTES_MAX = 4 * 1024 * 1024;

/** How the records of the text are written. */
interface RecordsShape {
  /** The code of the character between fields. */
  readonly delimiter: number;
  /** How many of them most records have. */
  readonly usual: number;
  /** Where the first piece stands in the text from which marks are counted. */
  readonly startsAt: number;
}

/** What stands between two lone carriage returns of a line, or between one and the line's end. */
interface Segment {
  readonly start: number;
  delimiters: number;
  blank: boolean;
}

/**
 * Decides what the lone carriage returns outside quotes mean in a text whose records end at line feeds. One between two stretches that each have as
 * many delimiters as a record is a record's end, and becomes a line feed; one that breaks a record in the middle of a cell stays. Where neither is
 * sure, the place is told as `perhaps row`.
 */
export async function* withReturnsDecided(
  pieces: AsyncIterable<Buffer>,
  shape: RecordsShape,
  watch: MarkWatch,
): AsyncGenerator<Buffer, void, undefined> {
  const lines = new Lines(shape, watch);
  for await (const piece of pieces) yield lines.take(piece);
  yield lines.end();
}

class Lines {
  readonly #shape: RecordsShape;
  readonly #watch: MarkWatch;
  /** The line that has begun, and how much of it has been looked at. */
  #line: Buffer = Buffer.alloc(0);
  #looked = 0;
  /** Where the line stands in the text. */
  #place: number;
  #segments: Segment[] = [newSegment(0)];
  #quoted = false;
  /** A field may begin here, or a quotation mark stand that is doubled. */
  #fieldStart = true;
  #closedJustNow = false;

  constructor(shape: RecordsShape, watch: MarkWatch) {
    this.#shape = shape;
    this.#place = shape.startsAt;
    this.#watch = watch;
  }

  /** The lines that end in this piece. */
  take(piece: Buffer): Buffer {
    const bytes = this.#line.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#line, piece]);
    let done = 0;
    // What a carriage return at the very end means, the next piece tells.
    for (let at = this.#looked; at < bytes.length - 1; at += 1) {
      if (!this.#look(bytes, at, done)) continue;
      this.#decide(bytes, done);
      this.#place += at + 1 - done;
      done = at + 1;
    }
    this.#looked = Math.max(0, bytes.length - 1 - done);
    if (bytes.length - done > LINE_BYTES_MAX) {
      this.#place += bytes.length - 1 - done;
      this.#segments = [newSegment(0)];
      this.#looked = 0;
      done = bytes.length - 1;
    }
    this.#line = bytes.subarray(done);
    return bytes.subarray(0, done);
  }

  /** The rest. */
  end(): Buffer {
    const bytes = this.#line;
    for (let at = this.#looked; at < bytes.length; at += 1) this.#look(bytes, at, 0);
    this.#decide(bytes, 0);
    return bytes;
  }

  /** Takes the byte at a position into account; says whether the line ends with it. */
  #look(bytes: Buffer, at: number, lineStart: number): boolean {
    const code = bytes[at] ?? 0;
    if (this.#quoted) {
      this.#quoted = code !== QUOTE;
      this.#closedJustNow = !this.#quoted;
      return false;
    }
    const segment = this.#segments.at(-1) ?? newSegment(0);
    const endsField = code === this.#shape.delimiter || code === LF || code === CR;
    if (code === this.#shape.delimiter) segment.delimiters += 1;
    else if (code === QUOTE && (this.#fieldStart || this.#closedJustNow)) this.#quoted = true;
    else if (code === CR && bytes[at + 1] !== LF) this.#segments.push(newSegment(at + 1 - lineStart));
    if (code > SPACE) segment.blank = false;
    this.#closedJustNow = false;
    // A quotation mark after spaces opens a field: where there is one, all readers of the file take it for that.
    this.#fieldStart = endsField || (this.#fieldStart && code === SPACE);
    return code === LF;
  }

  /** Judges the returns of the line that begins at a position, and begins the next line. */
  #decide(bytes: Buffer, lineStart: number): void {
    const [first = newSegment(0), ...others] = this.#segments.filter(({ blank }) => !blank);
    this.#segments = [newSegment(0)];
    const { usual } = this.#shape;
    // The delimiters of the record that the next segment would go on with.
    let delimiters = first.delimiters;
    for (const segment of others) {
      const whole = isWhole(segment.delimiters, usual);
      const afterWhole = isWhole(delimiters, usual);
      const at = this.#place + segment.start;
      const ends = whole && (afterWhole || segment.delimiters >= usual);
      delimiters = ends ? segment.delimiters : delimiters + segment.delimiters;
      if (ends) bytes[lineStart + segment.start - 1] = LF;
      if (ends && afterWhole) this.#watch({ kind: 'row', at });
      else if (ends || delimiters > usual) {
        this.#watch({ kind: 'perhaps row', at: at - 1 });
        if (ends) this.#watch({ kind: 'perhaps row', at });
      }
    }
  }
}

function newSegment(start: number): Segment {
  return { start, delimiters: 0, blank: true };
}

/** Whether something with so many delimiters is about as wide as a record. */
function isWhole(delimiters: number, usual: number): boolean {
  return usual > 0 && delimiters >= usual * 0.75;
}

/** What may stand between the fields of a text table. */
export type Delimiter = ',' | ';' | '\t' | '|';

const DELIMITERS: readonly Delimiter[] = [',', ';', '\t', '|'];
const RECORDS_LOOKED_AT = 100;

/** A first line such as `sep=;`, which Excel writes and reads: it is not a record. */
export interface SeparatorLine {
  readonly delimiter: string;
  /** Characters of the line, its end included. */
  readonly length: number;
}

/** The `sep=` line at the start of a text, or undefined. */
export function separatorLine(text: string): SeparatorLine | undefined {
  const match = /^"?sep=([\t\x20-\x21\x23-\x7e])"?(?:\r\n|\n|\r|$)/i.exec(text);
  return match?.[1] === undefined ? undefined : { delimiter: match[1], length: match[0].length };
}

/**
 * The delimiter that the first records agree on most. The comma where there is none to see.
 * @param preferTab for files named `.tsv`: the tab wins wherever it stands in half of the records.
 */
export function sniffDelimiter(sample: string, preferTab: boolean): Delimiter {
  const records = countDelimiters(sample);
  const scores = DELIMITERS.map((delimiter, index) => ({
    delimiter,
    ...agreement(records.map((counts) => counts[index] ?? 0)),
  }));
  const tab = scores.find(({ delimiter }) => delimiter === '\t');
  if (preferTab && tab !== undefined && tab.records * 2 >= records.length && tab.records > 0) return '\t';
  const [best] = scores.toSorted((a, b) => b.records - a.records || b.fields - a.fields);
  return best === undefined || best.records === 0 ? ',' : best.delimiter;
}

/** How many delimiters most of the first records have; 0 where there are none. */
export function usualDelimiters(sample: string, delimiter: string): number {
  return agreement(countDelimiters(sample, [delimiter]).map(([count = 0]) => count)).fields;
}

/** How many records share the commonest number of a delimiter, and that number; records without it do not count. */
function agreement(counts: readonly number[]): { records: number; fields: number } {
  const records = new Map<number, number>();
  for (const count of counts) if (count > 0) records.set(count, (records.get(count) ?? 0) + 1);
  let best = { records: 0, fields: 0 };
  for (const [fields, sharing] of records) {
    if (sharing > best.records || (sharing === best.records && fields > best.fields))
      best = { records: sharing, fields };
  }
  return best;
}

/** For each of the first records that is not blank, how often each delimiter stands outside quotes. */
function countDelimiters(sample: string, delimiters: readonly string[] = DELIMITERS): readonly (readonly number[])[] {
  const records: number[][] = [];
  let counts = delimiters.map(() => 0);
  let quoted = false;
  let closedJustNow = false;
  let fieldStart = true;
  let blank = true;
  for (const character of sample) {
    if (quoted) {
      quoted = character !== '"';
      closedJustNow = !quoted;
      continue;
    }
    const index = delimiters.findIndex((delimiter) => delimiter === character);
    if (character === '\n' || character === '\r') {
      if (!blank && records.push(counts) === RECORDS_LOOKED_AT) return records;
      counts = delimiters.map(() => 0);
      blank = true;
    } else {
      blank = false;
      if (index !== -1) counts[index] = (counts[index] ?? 0) + 1;
      // A doubled quote inside a quoted field closes and opens it again, which comes to the same.
      else if (character === '"' && (fieldStart || closedJustNow)) quoted = true;
    }
    closedJustNow = false;
    fieldStart = index !== -1 || character === '\n' || character === '\r' || (fieldStart && character === ' ');
  }
  if (!blank) records.push(counts);
  return records;
}
