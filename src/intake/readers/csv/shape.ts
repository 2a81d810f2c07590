import type { FileHandle } from 'node:fs/promises';
import { type Reading, unreadable } from '../row-source.ts';
import { recordCutter, type CsvRecordShape, spacesBeforeQuote } from './records.ts';
import type { CsvRowShape } from './rows.ts';
import { ANY_MARK, detectEncoding, fileText, type TextEncoding } from './text.ts';

export type CsvShape = CsvRowShape & Readonly<{ encoding: TextEncoding; skipped: number; isAligned: boolean }>;

const SAMPLE_CHARACTERS = 256 * 1024;
/** At this many lone carriage returns per line feed or more, they end records. */
const RETURNS_PER_LINE_FEED = 2;
const RECORDS_LOOKED_AT = 100;
const DELIMITERS = [',', ';', '\t', '|'];

export async function csvShapeOf(handle: FileHandle, reading: Reading): Promise<CsvShape> {
  const encoding = await detectEncoding(handle);
  const start = await firstText(fileText(handle, encoding, reading));
  if (start.replaceAll('\0', '').trim() === '') throw unreadable(reading, 'empty');
  // Excel writes and reads a first line such as `sep=;`.
  const [separatorLine = '', separator] = /^"?sep=([\t\x20-\x21\x23-\x7e])"?(?:\r\n|\n|\r|$)/i.exec(start) ?? [];
  const sample = start.slice(separatorLine.length, SAMPLE_CHARACTERS);
  const outsideQuotes = sample.replaceAll(/(?<=(?:^|[,;\t|\r\n]) *)"[^"]*(?:""[^"]*){0,999}"/g, '');
  const [returns = 0, lineFeeds = 0] = [/\r(?!\n)/g, /\n/g].map((end) => outsideQuotes.match(end)?.length ?? 0);
  const returnsEndRecords = returns > 0 && returns >= RETURNS_PER_LINE_FEED * lineFeeds;
  const agreements = [];
  for (const delimiter of separator === undefined ? DELIMITERS : [separator])
    agreements.push(await agreementOn({ delimiter, returnsEndRecords: true, isSpaced: true }, sample));
  const { delimiter, usual } = best(agreements, /\.tsv$/i.test(reading.fileName));
  const spaces = sample.search(spacesBeforeQuote({ delimiter, returnsEndRecords }));
  const spaced =
    spaces === -1
      ? undefined
      : await cutWhole({ delimiter, returnsEndRecords, isSpaced: true }, `${sample.slice(0, spaces)}x`);
  const spacedRecord = spaced?.isClosed === true ? spaced.records.length : undefined;
  const isSpaced = spacedRecord !== undefined;
  const isAligned = usual < ALIGNED_GAPS_MIN && looksAligned(sample);
  const skipped = separatorLine.length;
  return { encoding, skipped, delimiter, usual, returnsEndRecords, isSpaced, spacedRecord, isAligned };
}

const ALIGNED_GAPS_MIN = 3;

/** A report of fixed width, whose columns are aligned with spaces. */
function looksAligned(sample: string) {
  const lines = sample.split(/\r?\n/, RECORDS_LOOKED_AT).filter((line) => line.trim() !== '');
  const aligned = lines.filter((line) => line.trim().split(/\s{2,}/).length > ALIGNED_GAPS_MIN);
  return aligned.length > 1 && 2 * aligned.length > lines.length;
}

async function firstText(pieces: AsyncIterable<string>) {
  let text = '';
  let isBlank = true;
  for await (const piece of pieces) {
    text += piece.replaceAll(ANY_MARK, '');
    isBlank &&= piece.trim() === '';
    if (text.length >= SAMPLE_CHARACTERS && !isBlank) break;
  }
  return text;
}

/**
 * `usual`: the most frequent number of delimiters in a record; 0 if no record has any. `clean`: how many records have
 * that number and no quotation marks (a wrong delimiter leaves these in quoted fields).
 */
async function agreementOn(shape: CsvRecordShape, sample: string) {
  const records = (await cutWhole(shape, sample)).records
    .filter((record) => record.length > 1 || record[0] !== '')
    .slice(0, RECORDS_LOOKED_AT);
  const counts = new Map<number, number>();
  for (const { length } of records) if (length > 1) counts.set(length - 1, (counts.get(length - 1) ?? 0) + 1);
  const [[usual, agreeing] = [0, 0]] = [...counts].toSorted((a, b) => b[1] - a[1] || b[0] - a[0]);
  const clean = records.filter((record) => record.length === usual + 1 && !record.some((field) => field.includes('"')));
  return { delimiter: shape.delimiter, usual, agreeing, clean: usual > 0 ? clean.length : 0, of: records.length };
}

type Agreement = Awaited<ReturnType<typeof agreementOn>>;

/** The delimiter with most agreement, or the comma; in a .tsv, the tab if half of the records have it. */
function best(agreements: readonly Agreement[], prefersTab: boolean) {
  const tab = agreements.find(({ delimiter }) => delimiter === '\t');
  if (prefersTab && tab !== undefined && tab.agreeing > 0 && tab.agreeing * 2 >= tab.of) return tab;
  const [first] = agreements.toSorted((a, b) => b.clean - a.clean || b.agreeing - a.agreeing || b.usual - a.usual);
  return first ?? { delimiter: ',', usual: 0 };
}

async function cutWhole(shape: CsvRecordShape, text: string) {
  const cutter = recordCutter(shape);
  const records = cutter.cut(text);
  const last = await cutter.end();
  return { records: [...records, ...last.records], isClosed: last.isClosed };
}
