import type { FileHandle } from 'node:fs/promises';
import { note, type Note, type SheetRow } from '../../../domain/row.ts';
import { eachRow, type PlacesOfNote, type Reading, type RowSource, tooMuch } from '../row-source.ts';
import { layoutOf, type TextLayout } from './layout.ts';
import { RecordCutter, signing } from './records.ts';
import { isOdd, Oddities, RowMaker } from './rows.ts';
import { ENCODING_TITLES, fileText, LINE_BYTES_MAX } from './text.ts';

/**
 * Every cell is text; the one sheet has the file's name. The source closes the handle. Notes are complete after all
 * rows were read. Throws UnreadableFileError if it is empty; its rows throw it if an unclosed quotation mark may
 * have swallowed rows.
 */
export async function openCsv(handle: FileHandle, reading: Reading, notes: readonly Note[]): Promise<RowSource> {
  const layout = await layoutOf(handle, reading);
  let found: Oddities | undefined;
  return {
    sheets: [{ name: reading.fileName, visible: true }],
    delimited: true,
    get notes() {
      return [...notes, ...layoutNotes(layout), ...(found === undefined ? [] : oddityNotes(found))];
    },
    rows: (sheetIndex) => {
      if (sheetIndex !== 0) throw new RangeError(`there is no sheet ${sheetIndex}: the file has 1`);
      const keep = (oddities: Oddities): void => {
        found = oddities;
      };
      return { [Symbol.asyncIterator]: () => eachRow(rowBatches(handle, layout, reading, keep)) };
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function* rowBatches(
  handle: FileHandle,
  layout: TextLayout,
  reading: Reading,
  whenRead: (oddities: Oddities) => void,
): AsyncGenerator<readonly SheetRow[], void, undefined> {
  const oddities = new Oddities();
  const maker = new RowMaker(layout, reading, oddities);
  const cutter = new RecordCutter(layout);
  const signed = signing(layout);
  let { skipped } = layout;
  let waiting = 0;
  let isOddSoFar = false;
  for await (const piece of fileText(handle, layout.encoding, reading)) {
    const text = signed(piece.slice(skipped));
    skipped = Math.max(0, skipped - piece.length);
    const isOddText = isOdd(text);
    const records = cutter.cut(text);
    yield maker.rows(records, isOddSoFar || isOddText);
    waiting = records.length === 0 ? waiting + text.length : 0;
    if (waiting > LINE_BYTES_MAX)
      throw tooMuch(reading, 'row-too-long', `the text of row ${maker.nextRow} is longer than a row can be`);
    isOddSoFar = isOddText || (isOddSoFar && records.length === 0);
  }
  const { records, isClosed } = await cutter.end();
  yield maker.rows(records, true);
  if (!isClosed) throw maker.unclosed(maker.nextRow);
  whenRead(oddities);
}

const DELIMITER_TITLES = new Map([['\t', 'tabs']]);

function layoutNotes({ encoding, delimiter, spacedRecord }: TextLayout): readonly Note[] {
  const separator = DELIMITER_TITLES.get(delimiter) ?? `"${delimiter}"`;
  const read = note('text-format', `read as ${ENCODING_TITLES[encoding.label]}, separated by ${separator}`);
  return spacedRecord === undefined
    ? [read]
    : [read, note('spaces-around-quotes', `spaces around quoted fields were left out (first in row ${spacedRecord})`)];
}

function oddityNotes({ stray, utf8, unknown, quote, return: afterReturn, null: nulls, lost }: Oddities): Note[] {
  const notes: Note[] = [];
  const add = (code: string, { count }: PlacesOfNote, words: (isOne: boolean) => string): void => {
    if (count > 0) notes.push(note(code, words(count === 1)));
  };
  add(
    'letters-unknown',
    unknown,
    () =>
      `its letters beyond A to Z fit neither windows-1252 nor Mac Roman (in ${unknown.rows}): those rows go back. Save it as "CSV UTF-8" and drop it again`,
  );
  add(
    'bytes-not-utf8',
    stray,
    (isOne) =>
      `${isOne ? '1 byte that is not UTF-8 was' : `${stray.count} bytes that are not UTF-8 were`} read as windows-1252, in ${stray.rows}: see that the letters there are right`,
  );
  add(
    'letters-utf8',
    utf8,
    (isOne) =>
      `${isOne ? '1 character that is UTF-8 was' : `${utf8.count} characters that are UTF-8 were`} read as such, in ${utf8.rows}: see that the letters there are right`,
  );
  add(
    'lone-returns',
    afterReturn,
    () => `lone carriage returns were taken for the ends of rows (before ${afterReturn.rows})`,
  );
  add(
    'letters-lost',
    lost,
    (isOne) =>
      `letters were lost before the file came here: "\uFFFD" stands for ${isOne ? 'one' : lost.count} in ${lost.rows}`,
  );
  add('nul-characters', nulls, (isOne) =>
    isOne ? '1 NUL character was left out' : `${nulls.count} NUL characters were left out`,
  );
  add(
    'quotes-in-fields',
    quote,
    () => `quotation marks inside fields were read as they stand (first in row ${quote.first})`,
  );
  return notes;
}
