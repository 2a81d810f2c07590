/* Text to records, by csv-parse. */

import { finished } from 'node:stream/promises';
import { type Parser, parse } from 'csv-parse';
import { SIGNS } from './text.ts';

/** How the records of a text table are written. */
export interface RecordLayout {
  readonly delimiter: string;
  /** Whether records end at lone carriage returns too, and not just at line feeds with or without one. */
  readonly returnsEndRecords: boolean;
  /** Whether a quotation mark may stand behind spaces. */
  readonly isSpaced: boolean;
}

/** Cuts text into records, piece by piece. */
export class RecordCutter {
  readonly #parser: Parser;
  #records: string[][] = [];

  constructor({ delimiter, returnsEndRecords, isSpaced }: RecordLayout) {
    this.#parser = parse({
      delimiter,
      record_delimiter: returnsEndRecords ? ['\r\n', '\n', '\r'] : ['\r\n', '\n'],
      relax_quotes: true,
      relax_column_count: true,
      ltrim: isSpaced,
      // Nothing is handed on, so that the parser never waits.
      on_record: (record: string[]) => {
        this.#records.push(record);
        return null;
      },
    });
  }

  /** The records that end in this piece. */
  cut(text: string): string[][] {
    const { stackTraceLimit } = Error;
    // csv-parse makes an error of each record that is not as wide as the first, even where that is allowed.
    Error.stackTraceLimit = 0;
    try {
      this.#parser.write(text);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
    return this.#taken();
  }

  /** The last records, once there is no more text, and whether the last quotation mark was closed. */
  async end(): Promise<{ readonly records: string[][]; readonly isClosed: boolean }> {
    const isClosed = await finished(this.#parser.end().resume()).then(
      () => true,
      () => false,
    );
    return { records: this.#taken(), isClosed };
  }

  #taken(): string[][] {
    const records = this.#records;
    this.#records = [];
    return records;
  }
}

/**
 * Gives a function that puts signs into whole lines of text, where the text of a cell would not tell: in front of quotation marks that neither begin
 * nor end a field, in front of spaces before one that begins a field, and in front of lone carriage returns outside quotation marks that end no record.
 */
export function signing(layout: RecordLayout): (text: string) => string {
  const { letters, before, after } = edges(layout);
  // Unbounded, a million quotation marks in a row would exhaust the stack.
  const insideField = new RegExp(`(?<=[^${letters}" =] *)"(?:""){0,99}(?![ \\0]*(?:${after})|")`, 'g');
  const quotedField = new RegExp(`(?<=(?:^|${before}) *)"[^"]*(?:""[^"]*){0,999}(?:"|$)|${LONE_RETURN.source}`, 'g');
  const spaced = new RegExp(spacesBeforeQuote(layout), 'g');
  const quotesSigned = (text: string): string => {
    const signed = text.replaceAll(insideField, (found) => SIGNS.quote + found);
    return layout.isSpaced ? signed : signed.replaceAll(spaced, (found) => SIGNS.space + found);
  };
  return (text) => {
    // NULs are left out later on; until then none stands between a quotation mark and the field's edge.
    const inOrder = text.includes('\0')
      ? text.replaceAll(/(?<!\0)(\0+)("+)/g, (_, nulls: string, marks: string) => marks + nulls)
      : text;
    const signed = inOrder.includes('"') ? quotesSigned(inOrder) : inOrder;
    return layout.returnsEndRecords || !LONE_RETURN.test(signed)
      ? signed
      : signed.replaceAll(quotedField, (found) => (found === '\r' ? SIGNS.return + found : found));
  };
}

/** Spaces between a field's edge and the quotation mark that begins it; those that a quoted field holds stand before doubled ones, or before its end. */
export function spacesBeforeQuote(layout: Omit<RecordLayout, 'isSpaced'>): RegExp {
  const { before, after } = edges(layout);
  return new RegExp(`(?<=^|${before}) +(?:"(?:""){0,99}(?!"| *(?:${after}))|""(?= *(?:${after})))`);
}

const LONE_RETURN = /\r(?!\n)/;

/** What stands before fields and behind them, and the letters of it. */
function edges({
  delimiter,
  returnsEndRecords,
}: Omit<RecordLayout, 'isSpaced'>): Record<'letters' | 'before' | 'after', string> {
  const letters = `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}\\n${returnsEndRecords ? '\\r' : ''}`;
  return { letters, before: `[${letters}]`, after: `[${letters}]|\\r\\n|\\r?$` };
}
