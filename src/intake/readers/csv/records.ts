import { finished } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { MARKS } from './text.ts';

export type CsvRecordShape = Readonly<{
  delimiter: string;
  /** Lone carriage returns end records too. */
  returnsEndRecords: boolean;
  /** Spaces may precede a quotation mark. */
  isSpaced: boolean;
}>;

export function recordCutter({ delimiter, returnsEndRecords, isSpaced }: CsvRecordShape) {
  let records: string[][] = [];
  const parser = parse({
    delimiter,
    record_delimiter: returnsEndRecords ? ['\r\n', '\n', '\r'] : ['\r\n', '\n'],
    relax_quotes: true,
    relax_column_count: true,
    ltrim: isSpaced,
    on_record: (record: string[]) => {
      records.push(record);
      return null;
    },
  });
  const taken = () => {
    const cut = records;
    records = [];
    return cut;
  };
  return {
    cut(text: string) {
      const { stackTraceLimit } = Error;
      // csv-parse creates an error for each record of another width, even if that is allowed.
      Error.stackTraceLimit = 0;
      try {
        parser.write(text);
      } finally {
        Error.stackTraceLimit = stackTraceLimit;
      }
      return taken();
    },
    async end() {
      const isClosed = await finished(parser.end().resume()).then(
        () => true,
        () => false,
      );
      return { records: taken(), isClosed };
    },
  };
}

/**
 * Marks in whole lines of text: quotation marks inside a field, spaces before a quotation mark that begins one, and
 * lone carriage returns outside quotation marks that end no record. The parsed cell would not show them.
 */
export function markDoubts(shape: CsvRecordShape): (text: string) => string {
  const { letters, before, after } = edges(shape);
  // Unbounded, a million quotation marks in a row would exhaust the stack.
  const insideField = new RegExp(`(?<=[^${letters}" =] *)"(?:""){0,99}(?![ \\0]*(?:${after})|")`, 'g');
  const quotedField = new RegExp(`(?<=(?:^|${before}) *)"[^"]*(?:""[^"]*){0,999}(?:"|$)|${LONE_RETURN.source}`, 'g');
  const spaced = new RegExp(spacesBeforeQuote(shape), 'g');
  const quotesMarked = (text: string) => {
    const marked = text.replaceAll(insideField, (found) => MARKS.quote + found);
    return shape.isSpaced ? marked : marked.replaceAll(spaced, (found) => MARKS.space + found);
  };
  return (text) => {
    // NULs are left out later; until then none may separate a quotation mark from the edge of its field.
    const inOrder = text.includes('\0')
      ? text.replaceAll(/(?<!\0)(\0+)("+)/g, (_, nulls: string, marks: string) => marks + nulls)
      : text;
    const marked = inOrder.includes('"') ? quotesMarked(inOrder) : inOrder;
    return shape.returnsEndRecords || !LONE_RETURN.test(marked)
      ? marked
      : marked.replaceAll(quotedField, (found) => (found === '\r' ? MARKS.return + found : found));
  };
}

export function spacesBeforeQuote(shape: Omit<CsvRecordShape, 'isSpaced'>) {
  const { before, after } = edges(shape);
  return new RegExp(`(?<=^|${before}) +(?:"(?:""){0,99}(?!"| *(?:${after}))|""(?= *(?:${after})))`);
}

const LONE_RETURN = /\r(?!\n)/;

function edges({ delimiter, returnsEndRecords }: Omit<CsvRecordShape, 'isSpaced'>) {
  const letters = `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}\\n${returnsEndRecords ? '\\r' : ''}`;
  return { letters, before: `[${letters}]`, after: `[${letters}]|\\r\\n|\\r?$` };
}
