import type { FileHandle } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import type { SheetRow } from '../../../domain/row.ts';
import { eachRow, fileBytes, PlacesOfNote, type Reading, type RowSource, tooMuch, unreadable } from '../row-source.ts';
import { RecordReader } from './records.ts';
import {
  separatorLine,
  sniffDelimiter,
  type Survey,
  TextSurvey,
  usualDelimiters,
  withReturnsDecided,
} from './survey.ts';
import {
  detectEncoding,
  ENCODING_TITLES,
  fileText,
  MarksAhead,
  type MarkWatch,
  type TextEncoding,
  type TextMark,
} from './text.ts';

/** How a text table is written. */
interface TextLayout {
  readonly encoding: TextEncoding;
  readonly delimiter: string;
  /** Bytes of the `sep=` line, to be passed over. */
  readonly skippedBytes: number;
  /** How many delimiters most records have. */
  readonly usual: number;
  readonly survey: Survey;
  /** Whether lone carriage returns have to be judged one by one. */
  readonly mixedEnds: boolean;
  /** Where marks of each kind stand. */
  readonly marks: Readonly<Record<TextMark['kind'], PlacesOfNote>>;
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
  const sample = await firstText(fileText(handle, encoding, reading));
  if (sample.trim() === '') throw unreadable(reading, 'is empty. Fill it in and drop it again.');
  const separator = separatorLine(sample);
  const delimiter = separator?.delimiter ?? sniffDelimiter(sample, /\.tsv$/i.test(reading.fileName));
  const skippedBytes = separator?.length ?? 0;
  const usual = usualDelimiters(sample.slice(skippedBytes), delimiter);
  const written = { encoding, delimiter, skippedBytes, usual, mixedEnds: false };
  const found = await lookOver(handle, written, reading);
  if (!found.survey.mixedEnds || usual === 0) return { ...written, ...found };
  const mixed = { ...written, mixedEnds: true };
  return { ...mixed, ...(await lookOver(handle, mixed, reading)) };
}

type WrittenText = Pick<TextLayout, 'encoding' | 'delimiter' | 'skippedBytes' | 'usual' | 'mixedEnds'>;

/** The text without the `sep=` line, each of its records ending as most of them do. */
function recordsText(
  handle: FileHandle,
  { encoding, delimiter, skippedBytes, usual, mixedEnds }: WrittenText,
  reading: Reading,
  watch: MarkWatch,
): AsyncGenerator<Buffer, void, undefined> {
  const text = withoutStart(fileText(handle, encoding, reading, watch), skippedBytes);
  if (!mixedEnds) return text;
  return withReturnsDecided(text, { delimiter: delimiter.charCodeAt(0), usual, startsAt: skippedBytes }, watch);
}

/** Looks over the whole text. */
async function lookOver(
  handle: FileHandle,
  written: WrittenText,
  reading: Reading,
): Promise<Pick<TextLayout, 'survey' | 'marks' | 'lost'>> {
  const survey = new TextSurvey(written.delimiter.charCodeAt(0), reading.limits);
  const marks = {
    null: new PlacesOfNote(),
    unknown: new PlacesOfNote(),
    stray: new PlacesOfNote(),
    'utf-8': new PlacesOfNote(),
    row: new PlacesOfNote(),
    'perhaps row': new PlacesOfNote(),
  };
  const lost = new PlacesOfNote();
  const ahead = new MarksAhead();
  let place = written.skippedBytes;
  for await (const piece of recordsText(handle, written, reading, (mark) => ahead.add(mark))) {
    const noted = ahead
      .takeBefore(place + piece.length)
      .map(({ kind, at }) => ({ at: at - place, places: marks[kind] }));
    for (let at = piece.indexOf(REPLACEMENT); at !== -1; at = piece.indexOf(REPLACEMENT, at + 1))
      noted.push({ at, places: lost });
    let start = 0;
    for (const { at, places } of noted.toSorted((a, b) => a.at - b.at)) {
      survey.look(piece.subarray(start, at));
      places.add(survey.record);
      start = Math.max(start, at);
    }
    survey.look(piece.subarray(start));
    place += piece.length;
  }
  for (const { kind } of ahead.takeBefore(Infinity)) marks[kind].add(survey.record);
  return { survey: survey.end(), marks, lost };
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

async function* withoutStart(
  pieces: AsyncIterable<Buffer>,
  startBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
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

function notesOn({
  encoding,
  delimiter,
  survey: { strayQuoteRecord, spacedQuoteRecord },
  marks,
  lost,
}: TextLayout): readonly string[] {
  const notes = [
    `read as ${ENCODING_TITLES[encoding.label]}, separated by ${DELIMITER_TITLES.get(delimiter) ?? `"${delimiter}"`}`,
  ];
  const { stray, row, unknown } = marks;
  if (unknown.count > 0)
    notes.push(
      `its letters beyond A to Z fit neither windows-1252 nor Mac Roman (in ${unknown.rows}): those rows go back. Save it as "CSV UTF-8" and drop it again`,
    );
  if (stray.count > 0) {
    notes.push(
      `${stray.count === 1 ? '1 byte that is' : `${stray.count} bytes that are`} not UTF-8 ${stray.count === 1 ? 'was' : 'were'} read as windows-1252, in ${stray.rows}: see that the letters there are right`,
    );
  }
  const utf8 = marks['utf-8'];
  if (utf8.count > 0)
    notes.push(
      `${utf8.count === 1 ? '1 character that is' : `${utf8.count} characters that are`} UTF-8 ${utf8.count === 1 ? 'was' : 'were'} read as such, in ${utf8.rows}: see that the letters there are right`,
    );
  if (row.count > 0) notes.push(`lone carriage returns were taken for the ends of rows (before ${row.rows})`);
  if (lost.count > 0) {
    notes.push(
      `letters were lost before the file came here: "\uFFFD" stands for ${lost.count === 1 ? 'one' : String(lost.count)} in ${lost.rows}`,
    );
  }
  if (marks.null.count > 0)
    notes.push(
      marks.null.count === 1 ? '1 NUL character was left out' : `${marks.null.count} NUL characters were left out`,
    );
  if (strayQuoteRecord !== undefined) {
    notes.push(`quotation marks inside fields were read as they stand (first in row ${strayQuoteRecord})`);
  }
  if (spacedQuoteRecord !== undefined) {
    notes.push(`spaces around quoted fields were left out (first in row ${spacedQuoteRecord})`);
  }
  return notes;
}

async function* csvRowBatches(
  handle: FileHandle,
  layout: TextLayout,
  reading: Reading,
): AsyncGenerator<readonly SheetRow[], void, undefined> {
  const {
    delimiter,
    skippedBytes,
    usual,
    survey: { returnsEndRecords, spacedQuoteRecord },
  } = layout;
  const records = new RecordReader(
    {
      delimiter: delimiter.charCodeAt(0),
      returnsEndRecords,
      trim: spacedQuoteRecord !== undefined,
      usual,
      startsAt: skippedBytes,
    },
    reading,
  );
  for await (const piece of recordsText(handle, layout, reading, (mark) => records.mark(mark)))
    yield records.take(piece);
  yield records.end();
}
