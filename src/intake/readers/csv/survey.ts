import type { ReadLimits } from '../limits.ts';

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
      if (this.#place === 'plain' || (this.#place === 'start' && !this.#afterReturn && isOrdinary(bytes[at] ?? 0, this.#delimiter))) {
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
