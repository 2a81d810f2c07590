import type { FileHandle } from 'node:fs/promises';
import type { Note } from '../../../domain/row.ts';
import { noteFor } from '../../../domain/sentences.ts';
import { eachRow, type Reading, type RowSource, tooLarge } from '../row-source.ts';
import { csvShapeOf, type CsvShape } from './shape.ts';
import { recordCutter, markDoubts } from './records.ts';
import { hasSpecialCharacters, csvRowBuilder } from './rows.ts';
import { ENCODING_TITLES, fileText, LINE_BYTES_MAX } from './text.ts';

/** Every cell is text; the one sheet has the file's name. The source closes the handle. */
export async function openCsv(handle: FileHandle, reading: Reading, notes: readonly Note[]): Promise<RowSource> {
  const shape = await csvShapeOf(handle, reading);
  return {
    sheets: [{ name: reading.fileName, visible: true }],
    delimited: true,
    notes: [...notes, ...shapeNotes(shape)],
    rows: () => ({ [Symbol.asyncIterator]: () => eachRow(rowBatches(handle, shape, reading)) }),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function* rowBatches(handle: FileHandle, shape: CsvShape, reading: Reading) {
  const maker = csvRowBuilder(shape, reading);
  const cutter = recordCutter(shape);
  const marked = markDoubts(shape);
  let { skipped } = shape;
  let waiting = 0;
  let hasSpecialSoFar = false;
  for await (const piece of fileText(handle, shape.encoding, reading)) {
    const text = marked(piece.slice(skipped));
    skipped = Math.max(0, skipped - piece.length);
    const isSpecialText = hasSpecialCharacters(text);
    const records = cutter.cut(text);
    yield maker.rows(records, hasSpecialSoFar || isSpecialText);
    waiting = records.length === 0 ? waiting + text.length : 0;
    if (waiting > LINE_BYTES_MAX) throw tooLarge(reading, 'row-too-long', { nextRow: maker.nextRow });
    hasSpecialSoFar = isSpecialText || (hasSpecialSoFar && records.length === 0);
  }
  const { records, isClosed } = await cutter.end();
  yield maker.rows(records, true);
  if (!isClosed) throw maker.unclosed(maker.nextRow);
}

function shapeNotes({ encoding, delimiter, spacedRecord, isAligned }: CsvShape) {
  if (isAligned) return [noteFor('fixed-width')];
  const separator = delimiter === '\t' ? 'tabs' : `"${delimiter}"`;
  const read = noteFor('text-format', { encoding: ENCODING_TITLES[encoding.label], separator });
  return spacedRecord === undefined ? [read] : [read, noteFor('spaces-around-quotes', { spacedRecord })];
}
