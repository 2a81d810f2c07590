import { cellAddress } from '../../domain/cells.ts';
import { type RowSource, withRows } from './row-source.ts';
import { remarksOnStruck } from './xlsx/row-assembler.ts';
import { type StruckRemark, type TextRun, withoutStruckText } from './xlsx/text-runs.ts';

type Mark = Readonly<{ runs: readonly TextRun[] | undefined; isStruck: boolean }>;

/** By sheet and cell address. */
type Marks = ReadonlyMap<string, ReadonlyMap<string, Mark>>;

/** [MS-XLS] 2.3: numbers of records. */
const BOF = 0x809;
const EOF = 0x0a;
const CONTINUE = 0x3c;
const FONT = 0x31;
const XF = 0xe0;
const SHEET = 0x85;
const SHARED_STRINGS = 0xfc;
const SHARED_STRING = 0xfd;
const SEVERAL_NUMBERS = 0xbd;
/** Of other programs: its runs are not read, so all of it counts as struck through. */
const RICH_TEXT = 0xd6;
/** Numbers, labels, truth values, formulas and errors. */
const CELLS = new Set([SHARED_STRING, RICH_TEXT, 0x203, 0x27e, 0x204, 0x205, 0x06]);

/** The source with the strikethrough of an Excel 97-2003 workbook, which the converter loses. */
export function withXlsStrikes(source: RowSource, marks: Marks): RowSource {
  return withRows(source, ({ name }) => (row) => {
    const remarks: StruckRemark[] = [];
    const cells = row.cells.map((cell, column) => {
      const mark = marks.get(name)?.get(cellAddress(column, row.rowNumber));
      const struck = cell && mark && withoutStruckText(cell, column, mark.runs, mark.isStruck);
      if (struck !== undefined) remarks.push(struck.remark);
      return struck?.cell ?? cell;
    });
    const marked = { ...row, cells };
    return remarks.length === 0
      ? row
      : { ...marked, remarks: [...(row.remarks ?? []), ...remarksOnStruck(marked, remarks)] };
  });
}

/** Throws RangeError if the stream `Workbook` is damaged. */
export function readXlsStrikes(stream: Buffer): Marks {
  const fonts: boolean[] = [];
  const fontsOfFormats: number[] = [];
  const sheets = [];
  const strings = [];
  let last = 0;
  for (const { type, data } of recordsFrom(stream, 0)) {
    if (type === FONT) fonts.push((data.readUInt16LE(2) & 8) !== 0);
    else if (type === XF) fontsOfFormats.push(data.readUInt16LE(0));
    else if (type === SHEET) sheets.push({ name: textIn(data.subarray(8), data[7] ?? 0), start: data.readUInt32LE(0) });
    else if (type === SHARED_STRINGS || (type === CONTINUE && last === SHARED_STRINGS)) strings.push(data);
    if (type !== CONTINUE) last = type;
  }
  if (!fonts.includes(true)) return new Map();
  // No font has the number 4.
  const isStruck = (font: number) => fonts[font > 4 ? font - 1 : font] === true;
  const shared = strings.length === 0 ? [] : new SharedStringRecords(strings).runs(isStruck);
  return new Map(
    sheets.map(({ name, start }) => {
      const marks = new Map<string, Mark>();
      for (const { type, row, column, format, string } of cellsFrom(stream, start)) {
        const mark = { runs: shared[string], isStruck: type === RICH_TEXT || isStruck(fontsOfFormats[format] ?? 0) };
        if (mark.isStruck || mark.runs !== undefined) marks.set(cellAddress(column, row + 1), mark);
      }
      return [name, marks];
    }),
  );
}

/** To the end of the part. */
function* recordsFrom(stream: Buffer, start: number) {
  let depth = 0;
  for (let at = start; at + 4 <= stream.length;) {
    const [type, end] = [stream.readUInt16LE(at), at + 4 + stream.readUInt16LE(at + 2)];
    if (type === BOF) depth += 1;
    if (type === EOF) depth -= 1;
    if (depth <= 0) return;
    // A chart within a sheet is a part itself.
    if (depth === 1) yield { type, data: stream.subarray(at + 4, end) };
    at = end;
  }
}

function* cellsFrom(stream: Buffer, start: number) {
  for (const { type, data } of recordsFrom(stream, start)) {
    if (type !== SEVERAL_NUMBERS && !CELLS.has(type)) continue;
    const [row, column, format] = [data.readUInt16LE(0), data.readUInt16LE(2), data.readUInt16LE(4)];
    if (type !== SEVERAL_NUMBERS)
      yield { type, row, column, format, string: type === SHARED_STRING ? data.readUInt32LE(6) : -1 };
    else
      for (let at = 4; at + 6 < data.length; at += 6)
        yield { type, row, column: column + (at - 4) / 6, format: data.readUInt16LE(at), string: -1 };
  }
}

function textIn(bytes: Buffer, flags: number) {
  return bytes.toString((flags & 1) === 0 ? 'latin1' : 'utf16le');
}

/** Texts continue in the next record. */
class SharedStringRecords {
  readonly #records;
  #record = 0;
  #at = 0;

  constructor(records: readonly Buffer[]) {
    this.#records = records;
  }

  /** By number; undefined for texts without a struck part. */
  runs(isStruck: (font: number) => boolean): (readonly TextRun[] | undefined)[] {
    const count = this.#bytes(8).readUInt32LE(4);
    const strings = [];
    while (strings.length < count) {
      const head = this.#bytes(3);
      const flags = head[2] ?? 0;
      const fonts = (flags & 8) === 0 ? 0 : this.#bytes(2).readUInt16LE();
      const more = (flags & 4) === 0 ? 0 : this.#bytes(4).readUInt32LE();
      const text = this.#text(head.readUInt16LE(0), flags);
      const changes = Array.from({ length: fonts }, () => {
        const change = this.#bytes(4);
        return { start: change.readUInt16LE(0), struck: isStruck(change.readUInt16LE(2)) };
      });
      this.#bytes(more);
      const starts = [{ start: 0, struck: undefined }, ...changes, { start: text.length, struck: undefined }];
      const runs = starts.map(({ start, struck }, at) => ({ text: text.slice(start, starts[at + 1]?.start), struck }));
      strings.push(changes.length === 0 ? undefined : runs);
    }
    return strings;
  }

  #bytes(count: number) {
    const read = [];
    for (let left = count; left > 0;) {
      const part = this.#rest().subarray(0, left);
      this.#at += part.length;
      left -= part.length;
      read.push(part);
    }
    return Buffer.concat(read);
  }

  /** Each further record begins with a byte that says how wide its letters are. */
  #text(length: number, flags: number) {
    let text = '';
    for (let form = flags; text.length < length;) {
      const before = this.#record;
      this.#rest();
      if (this.#record > before) form = this.#bytes(1)[0] ?? 0;
      const bytes = this.#rest().subarray(0, (length - text.length) * ((form & 1) + 1));
      this.#at += bytes.length;
      text += textIn(bytes, form);
    }
    return text;
  }

  #rest() {
    if (this.#at >= (this.#records[this.#record]?.length ?? 0)) [this.#record, this.#at] = [this.#record + 1, 0];
    const record = this.#records[this.#record];
    if (record === undefined || record.length === 0) throw new RangeError('the shared texts end too early');
    return record.subarray(this.#at);
  }
}
