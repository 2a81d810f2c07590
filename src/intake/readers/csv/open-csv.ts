import type { FileHandle } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import type { SheetRow } from '../../../domain/row.ts';
import { fileBytes } from '../file-bytes.ts';
import { tooMuch, unreadable } from '../reading.ts';
import type { Reading } from '../reading.ts';
import { eachRow } from '../row-batches.ts';
import type { RowSource } from '../row-source.ts';
import { separatorLine, sniffDelimiter } from './delimiter.ts';
import { detectEncoding } from './encoding.ts';
import type { TextEncoding } from './encoding.ts';
import { PlacesOfNote } from '../places-of-note.ts';
import { RecordReader } from './records.ts';
import { TextSurvey } from './survey.ts';
import type { Survey } from './survey.ts';
import { fileText } from './text-file.ts';

/** How a text table is written. */
interface TextLayout {
  readonly encoding: TextEncoding;
  readonly delimiter: string;
  /** Bytes of the `sep=` line, to be passed over. */
  readonly skippedBytes: number;
  readonly survey: Survey;
  /** NUL characters, which no text means. */
  readonly nulls: number;
  /** Where bytes stand that are not of the encoding. */
  readonly strays: PlacesOfNote;
  /** Where characters stand that some program put for those it could not read. */
  readonly lost: PlacesOfNote;
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
    delimited: true,
    notes: [...notes, ...notesOn(layout)],
    rows: (sheetIndex) => {
      if (sheetIndex !== 0) throw new RangeError(`there is no sheet ${sheetIndex}: the file has 1`);
      return { [Symbol.asyncIterator]: () => eachRow(csvRowBatches(handle, layout, reading)) };
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

const SAMPLE_CHARACTERS = 256 * 1024;
/** U+FFFD. */
const REPLACEMENT = Buffer.from('\uFFFD');

async function layoutOf(handle: FileHandle, reading: Reading): Promise<TextLayout> {
  const encoding = await detectEncoding(() => fileBytes(handle));
  const sample = await firstText(fileText(handle, encoding));
  if (sample.trim() === '') throw unreadable(reading, 'is empty. Fill it in and drop it again.');
  const separator = separatorLine(sample);
  const delimiter = separator?.delimiter ?? sniffDelimiter(sample, /\.tsv$/i.test(reading.fileName));
  const skippedBytes = separator?.length ?? 0;
  const survey = new TextSurvey(delimiter.charCodeAt(0), reading.limits);
  const [strays, lost] = [new PlacesOfNote(), new PlacesOfNote()];
  let nulls = 0;
  const watch = {
    nulls: (count: number) => (nulls += count),
    stray: () => strays.add(survey.record),
  };
  for await (const piece of withoutStart(fileText(handle, encoding, watch), skippedBytes)) {
    let start = 0;
    for (let at = piece.indexOf(REPLACEMENT); at !== -1; at = piece.indexOf(REPLACEMENT, at + 1)) {
      survey.look(piece.subarray(start, at));
      lost.add(survey.record);
      start = at;
    }
    survey.look(piece.subarray(start));
  }
  return { encoding, delimiter, skippedBytes, survey: survey.end(), nulls, strays, lost };
}

/** The first characters that hold more than blanks. */
async function firstText(pieces: AsyncIterable<Buffer>): Promise<string> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  for await (const piece of pieces) {
    text += decoder.write(piece);
    if (text.length >= SAMPLE_CHARACTERS && text.trim() !== '') break;
  }
  return text;
}

async function* withoutStart(pieces: AsyncIterable<Buffer>, startBytes: number): AsyncGenerator<Buffer, void, undefined> {
  let left = startBytes;
  for await (const piece of pieces) {
    yield left === 0 ? piece : piece.subarray(left);
    left = Math.max(0, left - piece.length);
  }
}

function refuseUnclear(survey: Survey, reading: Reading): void {
  const { openQuoteRecord, spacedQuoteRecord, strayQuoteRecord, longRecord } = survey;
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
  if (longRecord !== undefined) throw tooMuch(reading, `the text of row ${longRecord} is longer than a row can be`);
}

const DELIMITER_TITLES = new Map([['\t', 'tabs']]);

function notesOn({ encoding, delimiter, survey, nulls, strays, lost }: TextLayout): readonly string[] {
  const notes = [`read as ${encoding.title}, separated by ${DELIMITER_TITLES.get(delimiter) ?? `"${delimiter}"`}`];
  if (strays.count > 0) {
    notes.push(`${strays.count === 1 ? '1 byte that is' : `${strays.count} bytes that are`} not UTF-8 ${strays.count === 1 ? 'was' : 'were'} read as windows-1252, in ${strays.rows}: see that the letters there are right`);
  }
  if (lost.count > 0) {
    notes.push(`letters were lost before the file came here: "\uFFFD" stands for ${lost.count === 1 ? 'one' : String(lost.count)} in ${lost.rows}`);
  }
  if (nulls > 0) notes.push(`${nulls} NUL characters were left out`);
  if (survey.strayQuoteRecord !== undefined) {
    notes.push(`quotation marks inside fields were read as they stand (first in row ${survey.strayQuoteRecord})`);
  }
  if (survey.spacedQuoteRecord !== undefined) {
    notes.push(`spaces around quoted fields were left out (first in row ${survey.spacedQuoteRecord})`);
  }
  return notes;
}

async function* csvRowBatches(handle: FileHandle, layout: TextLayout, reading: Reading): AsyncGenerator<readonly SheetRow[], void, undefined> {
  const { encoding, delimiter, skippedBytes, survey } = layout;
  const records = new RecordReader(
    { delimiter: delimiter.charCodeAt(0), returnsEndRecords: survey.returnsEndRecords, trim: survey.spacedQuoteRecord !== undefined },
    reading,
  );
  for await (const piece of withoutStart(fileText(handle, encoding), skippedBytes)) yield records.take(piece);
  yield records.end();
}
