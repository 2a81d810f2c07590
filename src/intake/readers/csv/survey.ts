/** What a look over a whole text table found, before it is read. Records are numbered from 1, the `sep=` line not counted. */
export interface Survey {
  /** Where records end: as in most files, or at lone carriage returns. */
  readonly recordDelimiters: readonly string[];
  /** The first record with a quotation mark inside an unquoted field, or after a closing one. */
  readonly strayQuoteRecord: number | undefined;
  /** The first record with spaces between a delimiter and a quoted field, before it or after. */
  readonly spacedQuoteRecord: number | undefined;
  /** The first record with a quoted field that runs on over a line's end and never closes as it should: it may have eaten rows. */
  readonly openQuoteRecord: number | undefined;
  /** The first record with a field of more than the characters allowed. */
  readonly longFieldRecord: number | undefined;
}

/** Where in a field the survey stands. `quote`: after a quotation mark that closes the field, unless another one follows. */
type Place = 'start' | 'spaces' | 'equals' | 'plain' | 'trick' | 'quoted' | 'quote' | 'after';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const EQUALS = 0x3d;

/** Looks over a text table, piece by piece. It only judges the quotation marks: reading is the parser's. */
export class TextSurvey {
  readonly #delimiter: number;
  readonly #fieldCharactersMax: number;
  #place: Place = 'start';
  #fieldCharacters = 0;
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
  #longFieldRecord: number | undefined;

  constructor(delimiter: string, fieldCharactersMax: number) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#fieldCharactersMax = fieldCharactersMax;
  }

  look(text: string): void {
    for (let at = 0; at < text.length; at += 1) {
      if (this.#place === 'plain') {
        const end = this.#plainEnd(text, at);
        this.#fieldCharacters += end - at;
        if (end === text.length) return;
        at = end;
      }
      const code = text.charCodeAt(at);
      this.#fieldCharacters += 1;
      const quoted = this.#place === 'quoted';
      if (this.#afterReturn && code !== LF) this.#loneReturns += 1;
      this.#afterReturn = code === CR && !quoted;
      this.#place = this.#next(code);
      if (this.#place === 'start') this.#endField();
      if (code === LF && !quoted) this.#lineFeeds += 1;
    }
  }

  end(): Survey {
    if (this.#afterReturn) this.#loneReturns += 1;
    if (this.#place === 'quoted') this.#openQuoteRecord ??= this.#openRecord;
    if (this.#place === 'after') this.#spacedQuoteRecord ??= this.#openRecord;
    this.#endField();
    return {
      recordDelimiters: this.#lineFeeds === 0 && this.#loneReturns > 0 ? ['\r'] : ['\r\n', '\n'],
      strayQuoteRecord: this.#strayQuoteRecord,
      spacedQuoteRecord: this.#spacedQuoteRecord,
      openQuoteRecord: this.#openQuoteRecord,
      longFieldRecord: this.#longFieldRecord,
    };
  }

  get #record(): number {
    return 1 + (this.#lineFeeds === 0 ? this.#loneReturns : this.#lineFeeds);
  }

  /** Where a stretch of an unquoted field's ordinary characters ends. */
  #plainEnd(text: string, from: number): number {
    const delimiter = this.#delimiter;
    let at = from;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === delimiter || code === QUOTE || code === LF || code === CR) break;
    }
    return at;
  }

  #endField(): void {
    if (this.#fieldCharacters > this.#fieldCharactersMax) this.#longFieldRecord ??= this.#record;
    this.#fieldCharacters = 0;
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
        if (code === QUOTE) this.#strayQuoteRecord ??= this.#record;
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
    if (this.#place === 'spaces') this.#spacedQuoteRecord ??= this.#record;
    this.#openRecord = this.#record;
    this.#acrossLines = false;
    return 'quoted';
  }

  #badClosing(): Place {
    this.#strayQuoteRecord ??= this.#openRecord;
    if (this.#acrossLines) this.#openQuoteRecord ??= this.#openRecord;
    return 'plain';
  }
}
