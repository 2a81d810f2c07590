import type { MarkWatch } from './text-file.ts';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;

/** Longer lines, which no table has, are left as they are. */
const LINE_BYTES_MAX = 4 * 1024 * 1024;

/** How the records of the text are written. */
interface RecordsShape {
  /** The code of the character between fields. */
  readonly delimiter: number;
  /** How many of them most records have. */
  readonly usual: number;
  /** Where the first piece stands in the text from which marks are counted. */
  readonly startsAt: number;
}

/** What stands between two lone carriage returns of a line, or between one and the line's end. */
interface Segment {
  readonly start: number;
  delimiters: number;
  blank: boolean;
}

/**
 * Decides what the lone carriage returns outside quotes mean in a text whose records end at line feeds. One between two stretches that each have as
 * many delimiters as a record is a record's end, and becomes a line feed; one that breaks a record in the middle of a cell stays. Where neither is
 * sure, the place is told as `perhaps row`.
 */
export async function* withReturnsDecided(pieces: AsyncIterable<Buffer>, shape: RecordsShape, watch: MarkWatch): AsyncGenerator<Buffer, void, undefined> {
  const lines = new Lines(shape, watch);
  for await (const piece of pieces) yield lines.take(piece);
  yield lines.end();
}

class Lines {
  readonly #shape: RecordsShape;
  readonly #watch: MarkWatch;
  /** The line that has begun, and how much of it has been looked at. */
  #line: Buffer = Buffer.alloc(0);
  #looked = 0;
  /** Where the line stands in the text. */
  #place: number;
  #segments: Segment[] = [newSegment(0)];
  #quoted = false;
  /** A field may begin here, or a quotation mark stand that is doubled. */
  #fieldStart = true;
  #closedJustNow = false;

  constructor(shape: RecordsShape, watch: MarkWatch) {
    this.#shape = shape;
    this.#place = shape.startsAt;
    this.#watch = watch;
  }

  /** The lines that end in this piece. */
  take(piece: Buffer): Buffer {
    const bytes = this.#line.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#line, piece]);
    let done = 0;
    // What a carriage return at the very end means, the next piece tells.
    for (let at = this.#looked; at < bytes.length - 1; at += 1) {
      if (!this.#look(bytes, at, done)) continue;
      this.#decide(bytes, done);
      this.#place += at + 1 - done;
      done = at + 1;
    }
    this.#looked = Math.max(0, bytes.length - 1 - done);
    if (bytes.length - done > LINE_BYTES_MAX) {
      this.#place += bytes.length - 1 - done;
      this.#segments = [newSegment(0)];
      this.#looked = 0;
      done = bytes.length - 1;
    }
    this.#line = bytes.subarray(done);
    return bytes.subarray(0, done);
  }

  /** The rest. */
  end(): Buffer {
    const bytes = this.#line;
    for (let at = this.#looked; at < bytes.length; at += 1) this.#look(bytes, at, 0);
    this.#decide(bytes, 0);
    return bytes;
  }

  /** Takes the byte at a position into account; says whether the line ends with it. */
  #look(bytes: Buffer, at: number, lineStart: number): boolean {
    const code = bytes[at] ?? 0;
    if (this.#quoted) {
      this.#quoted = code !== QUOTE;
      this.#closedJustNow = !this.#quoted;
      return false;
    }
    const segment = this.#segments.at(-1) ?? newSegment(0);
    const endsField = code === this.#shape.delimiter || code === LF || code === CR;
    if (code === this.#shape.delimiter) segment.delimiters += 1;
    else if (code === QUOTE && (this.#fieldStart || this.#closedJustNow)) this.#quoted = true;
    else if (code === CR && bytes[at + 1] !== LF) this.#segments.push(newSegment(at + 1 - lineStart));
    if (code > SPACE) segment.blank = false;
    this.#closedJustNow = false;
    // A quotation mark after spaces opens a field: where there is one, all readers of the file take it for that.
    this.#fieldStart = endsField || (this.#fieldStart && code === SPACE);
    return code === LF;
  }

  /** Judges the returns of the line that begins at a position, and begins the next line. */
  #decide(bytes: Buffer, lineStart: number): void {
    const [first = newSegment(0), ...others] = this.#segments.filter(({ blank }) => !blank);
    this.#segments = [newSegment(0)];
    const { usual } = this.#shape;
    // The delimiters of the record that the next segment would go on with.
    let delimiters = first.delimiters;
    for (const segment of others) {
      const whole = isWhole(segment.delimiters, usual);
      const afterWhole = isWhole(delimiters, usual);
      const at = this.#place + segment.start;
      const ends = whole && (afterWhole || segment.delimiters >= usual);
      delimiters = ends ? segment.delimiters : delimiters + segment.delimiters;
      if (ends) bytes[lineStart + segment.start - 1] = LF;
      if (ends && afterWhole) this.#watch({ kind: 'row', at });
      else if (ends || delimiters > usual) {
        this.#watch({ kind: 'perhaps row', at: at - 1 });
        if (ends) this.#watch({ kind: 'perhaps row', at });
      }
    }
  }
}

function newSegment(start: number): Segment {
  return { start, delimiters: 0, blank: true };
}

/** Whether something with so many delimiters is about as wide as a record. */
function isWhole(delimiters: number, usual: number): boolean {
  return usual > 0 && delimiters >= usual * 0.75;
}
