import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import type { Cell, SheetRow } from '../../../domain/row.ts';
import { messageOf } from '../../../domain/errors.ts';
import { fileBytes } from '../file-bytes.ts';
import { tooMuch, unreadable } from '../reading.ts';
import type { Reading } from '../reading.ts';
import type { RowSource } from '../row-source.ts';
import { separatorLine, sniffDelimiter } from './delimiter.ts';
import { detectEncoding } from './encoding.ts';
import type { TextEncoding } from './encoding.ts';
import { TextSurvey } from './survey.ts';
import type { Survey } from './survey.ts';
import { fileText } from './text-file.ts';

/** How a text table is written. */
interface TextLayout {
  readonly encoding: TextEncoding;
  readonly delimiter: string;
  /** The `sep=` line, to be passed over; empty where there is none. */
  readonly separatorLine: string;
  readonly survey: Survey;
  /** NUL characters, which no text means. */
  readonly nulls: number;
}

/**
 * Opens a text table: CSV and its kin. Every cell is text; its one sheet bears the file's name. The source closes the handle when it is disposed of.
 * @throws UnreadableFileError when it is empty, or when a quotation mark that nobody closed may have eaten rows.
 */
export async function openCsv(handle: FileHandle, reading: Reading, notes: readonly string[]): Promise<RowSource> {
  const layout = await layoutOf(handle, reading);
  refuseUnclear(layout.survey, reading);
  return {
    sheets: [{ name: reading.fileName, visible: true }],
    notes: [...notes, ...notesOn(layout)],
    rows: (sheetIndex) => {
      if (sheetIndex !== 0) throw new RangeError(`there is no sheet ${sheetIndex}: the file has 1`);
      return { [Symbol.asyncIterator]: () => csvRows(handle, layout, reading) };
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

const SAMPLE_CHARACTERS = 256 * 1024;

async function layoutOf(handle: FileHandle, reading: Reading): Promise<TextLayout> {
  const encoding = await detectEncoding(fileBytes(handle));
  const sample = await firstText(fileText(handle, encoding));
  if (sample.trim() === '') throw unreadable(reading, 'is empty. Fill it in and drop it again.');
  const separator = separatorLine(sample);
  const skipped = sample.slice(0, separator?.length ?? 0);
  const delimiter = separator?.delimiter ?? sniffDelimiter(sample, /\.tsv$/i.test(reading.fileName));
  const survey = new TextSurvey(delimiter, reading.limits.cellCharacters);
  let nulls = 0;
  const text = fileText(handle, encoding, (count) => {
    nulls += count;
  });
  for await (const piece of withoutStart(text, skipped)) survey.look(piece);
  return { encoding, delimiter, separatorLine: skipped, survey: survey.end(), nulls };
}

/** The first characters that hold more than blanks. */
async function firstText(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length >= SAMPLE_CHARACTERS && text.trim() !== '') break;
  }
  return text;
}

async function* withoutStart(pieces: AsyncIterable<string>, start: string): AsyncGenerator<string, void, undefined> {
  let left = start.length;
  for await (const piece of pieces) {
    yield left === 0 ? piece : piece.slice(left);
    left = Math.max(0, left - piece.length);
  }
}

function refuseUnclear(survey: Survey, reading: Reading): void {
  const { openQuoteRecord, spacedQuoteRecord, strayQuoteRecord, longFieldRecord } = survey;
  if (openQuoteRecord !== undefined) {
    throw unreadable(
      reading,
      `opens a field with a quotation mark in row ${openQuoteRecord} and does not close it, so that rows may run together. Close it, or write it twice (""), and drop the file again.`,
    );
  }
  if (spacedQuoteRecord !== undefined && strayQuoteRecord !== undefined) {
    throw unreadable(
      reading,
      `uses quotation marks in two ways: around fields after a space (row ${spacedQuoteRecord}), and inside fields (row ${strayQuoteRecord}). Save it from a spreadsheet program as "CSV UTF-8" and drop it again.`,
    );
  }
  if (longFieldRecord !== undefined) throw tooMuch(reading, `the text of a cell in row ${longFieldRecord} is longer than a cell can be`);
}

const DELIMITER_TITLES = new Map([['\t', 'tabs']]);

function notesOn({ encoding, delimiter, survey, nulls }: TextLayout): readonly string[] {
  const notes = [`read as ${encoding.title}, separated by ${DELIMITER_TITLES.get(delimiter) ?? `"${delimiter}"`}`];
  if (nulls > 0) notes.push(`${nulls} NUL characters were left out`);
  if (survey.strayQuoteRecord !== undefined) {
    notes.push(`quotation marks inside fields were read as they stand (first in row ${survey.strayQuoteRecord})`);
  }
  if (survey.spacedQuoteRecord !== undefined) {
    notes.push(`spaces around quoted fields were left out (first in row ${survey.spacedQuoteRecord})`);
  }
  return notes;
}

/** The parser reads UTF-8: bytes that are, and need nothing left out, go to it as they are. */
function contentOf(handle: FileHandle, { encoding, separatorLine: skipped, nulls }: TextLayout): AsyncIterable<string | Uint8Array> {
  if (encoding.label === 'utf-8' && nulls === 0) return fileBytes(handle, encoding.markBytes + Buffer.byteLength(skipped));
  return withoutStart(fileText(handle, encoding), skipped);
}

async function* csvRows(handle: FileHandle, layout: TextLayout, reading: Reading): AsyncGenerator<SheetRow, void, undefined> {
  const { delimiter, survey } = layout;
  const trim = survey.spacedQuoteRecord !== undefined;
  const parser = parse({
    delimiter,
    record_delimiter: [...survey.recordDelimiters],
    relax_column_count: true,
    // The survey has already judged the quotation marks.
    relax_quotes: true,
    ltrim: trim,
    rtrim: trim,
  });
  // The iteration over the parser meets the error of any stream; the callback has nothing to add.
  const records: AsyncIterable<string[]> = pipeline(contentOf(handle, layout), parser, () => {});
  let rowNumber = 0;
  try {
    for await (const record of records) {
      rowNumber += 1;
      if (rowNumber > reading.limits.rows) throw tooMuch(reading, `it has more than ${reading.limits.rows} rows`);
      if (record.length > reading.limits.columns) throw tooMuch(reading, `row ${rowNumber} has more than ${reading.limits.columns} columns`);
      const cells = cellsOf(record);
      if (cells.length > 0) yield { sheet: reading.fileName, rowNumber, cells };
    }
  } catch (error) {
    throw asUnreadable(error, rowNumber, reading);
  } finally {
    parser.destroy();
  }
}

function asUnreadable(error: unknown, rowNumber: number, reading: Reading): unknown {
  const fromParser = error instanceof Error && 'code' in error && typeof error.code === 'string' && /^(CSV_|INVALID_)/.test(error.code);
  if (!fromParser) return error;
  return unreadable(reading, `cannot be read after row ${rowNumber} (${messageOf(error)}). Save it from a spreadsheet program as "CSV UTF-8" and drop it again.`, error);
}

function cellsOf(record: readonly string[]): (Cell | undefined)[] {
  let length = record.length;
  while (length > 0 && record[length - 1] === '') length -= 1;
  const cells: (Cell | undefined)[] = [];
  for (let column = 0; column < length; column += 1) {
    const field = record[column] ?? '';
    const text = field.startsWith('="') ? withoutTextTrick(field) : field;
    cells.push(text === '' ? undefined : { kind: 'text', text });
  }
  return cells;
}

/** `="00123"`, by which Excel is kept from taking text for a number, is 00123. */
function withoutTextTrick(field: string): string {
  const inner = /^="((?:[^"]|"")*)"$/.exec(field)?.[1];
  return inner === undefined ? field : inner.replaceAll('""', '"');
}
